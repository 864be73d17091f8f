//! Documents to pieces: the first cut, across which no merge ever reaches.
//!
//! - [`SplitRule`] names the rules; [`Splitter`] applies one, a block of pieces at a time.
//! - [`window`] finds piece starts for the GPT rules with bit operations on 64 bytes at once.
//! - [`plain`] holds the rules that drop the spaces between words, and their lossless variant.
//! - [`unicode`] knows the classes of all characters.

mod plain;
pub mod unicode;
mod unicode_ranges;
mod window;

use crate::error::{Error, Result};

/// Pieces that are found before the caller works on them: few enough to stay in the nearest cache.
const PIECES_PER_BLOCK: usize = 512;

/// How a document is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Runs of characters that are not white space.
    Whitespace,
    /// Runs of letters, marks, digits and underscores, or one other character that is not white space.
    Words,
    /// The pattern of GPT-2.
    Gpt2,
    /// The pattern of GPT-4 (`cl100k_base`).
    Gpt4,
    /// No cut: the document is one piece.
    None,
}

impl SplitRule {
    const NAMES: [(&'static str, Self); 5] = [
        ("whitespace", Self::Whitespace),
        ("words", Self::Words),
        ("gpt2", Self::Gpt2),
        ("gpt4", Self::Gpt4),
        ("none", Self::None),
    ];

    /// The rule of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, rule)| rule).ok_or_else(|| {
            let known: Vec<_> =
                Self::NAMES.iter().map(|(known, _)| format!("\"{known}\"")).collect();
            Error::parameter(
                "split",
                format!("must be one of {}", known.join(", ")),
                format!("{name:?}"),
            )
        })
    }

    /// The name under which the rule is known to users and files.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, rule)| *rule == self).map_or("", |(name, _)| name)
    }

    /// Whether the rule leaves out the spaces between words.
    pub fn drops_spaces(self) -> bool {
        matches!(self, Self::Whitespace | Self::Words)
    }
}

/// Where a piece stands in its document, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A split rule, ready to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splitter {
    rule: SplitRule,
    space_prefix: bool,
}

impl Splitter {
    /// With `space_prefix` a rule that drops spaces keeps them: see [`plain`].
    pub fn new(rule: SplitRule, space_prefix: bool) -> Result<Self> {
        if space_prefix && !rule.drops_spaces() {
            let rule = format!(
                "goes with split=\"whitespace\" or \"words\", not with \"{}\"",
                rule.name()
            );
            return Err(Error::parameter("space_prefix", rule, "True")
                .with_hint("The other rules keep all spaces already"));
        }
        Ok(Self { rule, space_prefix })
    }

    /// The rule.
    pub fn rule(&self) -> SplitRule {
        self.rule
    }

    /// Whether pieces carry the space in front of them.
    pub fn space_prefix(&self) -> bool {
        self.space_prefix
    }

    /// Whether the pieces of a text, joined, give the text back.
    pub fn is_lossless(&self) -> bool {
        self.space_prefix || !self.rule.drops_spaces()
    }

    /// Starts to cut a document.
    pub fn cut<'t>(&self, text: &'t str) -> Cutter<'t> {
        Cutter { splitter: *self, text, at: 0 }
    }
}

/// Cuts one document, a block of pieces at a time.
#[derive(Debug)]
pub struct Cutter<'t> {
    splitter: Splitter,
    text: &'t str,
    at: usize,
}

impl Cutter<'_> {
    /// Replaces `spans` by the next pieces; false when there are none left.
    pub fn next_block(&mut self, spans: &mut Vec<Span>) -> bool {
        spans.clear();
        if self.at >= self.text.len() {
            return false;
        }
        self.at = match self.splitter.rule {
            SplitRule::Gpt2 => window::cut(self.text, self.at, window::Family::Gpt2, spans),
            SplitRule::Gpt4 => window::cut(self.text, self.at, window::Family::Gpt4, spans),
            SplitRule::None => {
                spans.push(Span { start: 0, end: self.text.len() });
                self.text.len()
            }
            rule => plain::cut(self.text, self.at, rule, self.splitter.space_prefix, spans),
        };
        !spans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, rule: SplitRule, space_prefix: bool) -> Vec<&str> {
        let mut cutter = Splitter::new(rule, space_prefix).unwrap().cut(text);
        let (mut spans, mut all) = (Vec::new(), Vec::new());
        while cutter.next_block(&mut spans) {
            all.extend(spans.iter().map(|span| &text[span.start..span.end]));
        }
        all
    }

    #[test]
    fn spaces_and_punctuation() {
        assert_eq!(
            pieces(" I  love\u{3000}LLMs ", SplitRule::Whitespace, false),
            ["I", "love", "LLMs"]
        );
        let french = "J’aime les grands modèles";
        assert_eq!(
            pieces(french, SplitRule::Words, false),
            ["J", "’", "aime", "les", "grands", "modèles"]
        );
        assert_eq!(pieces("a_b1... ो", SplitRule::Words, false), ["a_b1", ".", ".", ".", "ो"]);
    }

    #[test]
    fn a_prefixed_piece_carries_one_space_and_nothing_is_lost() {
        let text = " I  love\n LLMs!\t ";
        assert_eq!(
            pieces(text, SplitRule::Whitespace, true),
            [" I", " ", " love", "\n", " LLMs!", "\t "]
        );
        assert_eq!(
            pieces(text, SplitRule::Words, true),
            [" I", " ", " love", "\n", " LLMs", "!", "\t "]
        );
    }

    #[test]
    fn gpt_rules_on_the_usual_traps() {
        let text = "I'll say  it's 12345 IT'S…\n\n x";
        assert_eq!(
            pieces(text, SplitRule::Gpt2, false),
            ["I", "'ll", " say", " ", " it", "'s", " 12345", " IT", "'", "S", "…", "\n\n", " x"]
        );
        assert_eq!(
            pieces(text, SplitRule::Gpt4, false),
            ["I", "'ll", " say", " ", " it", "'s", " ", "123", "45", " IT", "'S", "…\n\n", " x"]
        );
    }
}
