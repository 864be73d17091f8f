//! Cutting a document into pieces: the units that a tokenizer looks at one by one.
//!
//! No token reaches over the edge of a piece. A rule that drops white space loses it for good; a rule
//! that keeps it ([`Splitter::lossless`]) yields pieces whose concatenation is the document.

pub mod behavior;
mod class_table;
pub mod classes;
pub(crate) mod count_table;
pub mod counts;
pub(crate) mod cuts;
mod deepseek;
pub mod matcher;
mod patterns;
pub mod pre_tokenizer;
pub mod published;
mod script_table;
mod scripts;
pub(crate) mod spans;
mod strides;
mod windows;
mod words;

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::normalize::Normalizer;
use crate::simd::level::Level;
use behavior::Cut;
use cuts::{Cuts, Receiver};
use pre_tokenizer::PreTokenizer;
use windows::{Pattern, Windows};

pub use counts::{PieceCounts, count_pieces};

/// Characters in which a certain edge is looked for.
const EDGE_DISTANCE: usize = 1 << 12;

/// Where pieces begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Runs of characters without the Unicode property `White_Space`; white space is dropped.
    Whitespace,
    /// Runs of letters, marks, numbers and underscores, or one other character; white space is dropped.
    Words,
    /// The pattern of GPT-2.
    Gpt2,
    /// The pattern of GPT-4 (`cl100k_base`).
    Gpt4,
    /// The pattern of GPT-4o (`o200k_base`).
    O200k,
    /// The pattern of Llama 3.
    Llama3,
    /// The pattern of Qwen 2.
    Qwen2,
    /// The patterns of `DeepSeek` V3.
    DeepSeek,
    /// The whole document is one piece.
    None,
    /// The rule that the [`Splitter`] was given; it has no name.
    Custom,
}

impl SplitRule {
    /// All rules with their names, in the order of documentation.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("whitespace", Self::Whitespace),
        ("words", Self::Words),
        ("gpt2", Self::Gpt2),
        ("gpt4", Self::Gpt4),
        ("o200k", Self::O200k),
        ("llama3", Self::Llama3),
        ("qwen2", Self::Qwen2),
        ("deepseek", Self::DeepSeek),
        ("none", Self::None),
    ];

    /// The rule of this name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, rule)| *rule).ok_or_else(|| {
            let known = Self::NAMES.map(|(known, _)| format!("\"{known}\"")).join(", ");
            Error::parameter("split", format!("must be one of {known}"), format!("{name:?}"))
        })
    }

    /// The name by which users choose the rule.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).map_or("custom", |(name, _)| name)
    }

    /// Whether white space between words belongs to no piece.
    pub fn drops_spaces(self) -> bool {
        matches!(self, Self::Whitespace | Self::Words)
    }
}

/// A rule, and whether a word keeps the space in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splitter {
    rule: SplitRule,
    space_prefix: bool,
    custom: Option<Arc<PreTokenizer>>,
    normalizer: Option<Arc<Normalizer>>,
}

impl Splitter {
    /// `space_prefix` is only for rules that would drop the space.
    pub fn new(rule: SplitRule, space_prefix: bool) -> Result<Self> {
        if space_prefix && !rule.drops_spaces() {
            return Err(Error::parameter(
                "space_prefix",
                "can only be used with split=\"whitespace\" or split=\"words\"",
                format!("true with split=\"{}\"", rule.name()),
            )
            .with_hint("The other rules keep the spaces anyway"));
        }
        Ok(Self { space_prefix, ..Self::plain(rule) })
    }

    /// A rule as it is.
    pub(crate) fn plain(rule: SplitRule) -> Self {
        Self { rule, space_prefix: false, custom: None, normalizer: None }
    }

    /// Each document is one piece.
    pub fn whole() -> Self {
        Self::plain(SplitRule::None)
    }

    /// A rule that is put together from others; it becomes one of ours if it does the same.
    pub fn custom(rule: PreTokenizer) -> Self {
        match rule.rule() {
            Some(rule) => Self::plain(rule),
            None => Self { custom: Some(Arc::new(rule)), ..Self::plain(SplitRule::Custom) },
        }
    }

    /// The rule.
    pub fn rule(&self) -> SplitRule {
        self.rule
    }

    /// What [`SplitRule::Custom`] stands for.
    pub fn pre_tokenizer(&self) -> Option<&PreTokenizer> {
        self.custom.as_deref()
    }

    /// The same rule for documents that are changed first.
    #[must_use]
    pub fn with_normalizer(mut self, normalizer: Option<Normalizer>) -> Self {
        self.normalizer = normalizer.map(Arc::new);
        self
    }

    /// What changes documents before they are cut.
    pub fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_deref()
    }

    /// A document as it is to be cut.
    pub fn prepared<'a>(&self, document: &'a str) -> Cow<'a, str> {
        match self.normalizer() {
            Some(normalizer) if !normalizer.keeps(document) => {
                normalizer.normalized(document).into()
            }
            _ => document.into(),
        }
    }

    /// Whether a word keeps the space in front of it.
    pub fn space_prefix(&self) -> bool {
        self.space_prefix
    }

    /// Whether the pieces of any document, joined, are the document.
    pub fn lossless(&self) -> bool {
        match &self.custom {
            Some(rule) => rule.lossless(),
            None => self.space_prefix || !self.rule.drops_spaces(),
        }
    }

    /// A place at or soon after `from` where a piece ends, whatever comes before and after; `None` if there is
    /// none near, or the rule has no such places.
    ///
    /// The patterns of the GPT family let nothing but letters, marks and an apostrophe follow a letter within
    /// a piece, and look at nothing before a piece.
    pub fn certain_edge(&self, document: &str, from: usize) -> Option<usize> {
        if !matches!(self.rule, SplitRule::Gpt2 | SplitRule::Gpt4 | SplitRule::O200k) {
            return None;
        }
        let from = (from..document.len()).find(|&place| document.is_char_boundary(place))?;
        let near = document[from..].char_indices().take(EDGE_DISTANCE);
        let mut after_letter = false;
        for (offset, character) in near {
            let class = classes::class_of(character as u32);
            if after_letter && character != '\'' && class & (classes::LETTER | classes::MARK) == 0 {
                return Some(from + offset);
            }
            after_letter = class & classes::LETTER != 0;
        }
        None
    }

    /// The pieces of a document with the byte offset of each.
    pub fn pieces<'a>(&self, document: &'a str) -> Pieces<'a> {
        let cuts = self.custom.as_ref().map(|rule| rule.cuts(document));
        Pieces {
            document,
            at: 0,
            rule: self.rule,
            space_prefix: self.space_prefix,
            windows: Windows::default(),
            cuts: cuts.unwrap_or_default().into_iter(),
        }
    }
}

/// Iterates over `(byte offset, piece)`.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    document: &'a str,
    at: usize,
    rule: SplitRule,
    space_prefix: bool,
    windows: Windows,
    /// The pieces of a custom rule.
    cuts: std::vec::IntoIter<Cut>,
}

impl<'a> Pieces<'a> {
    /// Where the next piece is looked for, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What is not cut yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.document.as_bytes()[self.at..]
    }

    /// Adds the next pieces to `cuts`, as many as fit; `receiver` is told whenever pieces were added. If there is
    /// room left, these were the last.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "compiled inside a task")]
    pub(crate) fn cut(&mut self, level: impl Level, cuts: &mut Cuts, receiver: &mut impl Receiver) {
        let (text, at) = (self.document.as_bytes(), self.at);
        cuts.go_on(at);
        self.at = match self.rule {
            SplitRule::Gpt2 => windows::cut(level, text, at, Pattern::Gpt2, cuts, receiver),
            SplitRule::Gpt4 => windows::cut(level, text, at, Pattern::Gpt4, cuts, receiver),
            SplitRule::O200k => windows::cut(level, text, at, Pattern::O200k, cuts, receiver),
            SplitRule::Llama3 => windows::cut(level, text, at, Pattern::Llama3, cuts, receiver),
            SplitRule::Qwen2 => windows::cut(level, text, at, Pattern::Qwen2, cuts, receiver),
            SplitRule::DeepSeek => windows::cut(level, text, at, Pattern::DeepSeek, cuts, receiver),
            _ => {
                while cuts.has_room()
                    && let Some((start, piece)) = self.next()
                {
                    cuts.push(start, start + piece.len());
                }
                receiver.met(level, cuts);
                return;
            }
        };
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (usize, &'a str);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (text, at) = (self.document.as_bytes(), self.at);
        if at >= text.len() {
            return None;
        }
        let (start, end) = match self.rule {
            SplitRule::Gpt2 => (at, self.windows.next_end(text, at, Pattern::Gpt2)),
            SplitRule::Gpt4 => (at, self.windows.next_end(text, at, Pattern::Gpt4)),
            SplitRule::O200k => (at, self.windows.next_end(text, at, Pattern::O200k)),
            SplitRule::Llama3 => (at, self.windows.next_end(text, at, Pattern::Llama3)),
            SplitRule::Qwen2 => (at, self.windows.next_end(text, at, Pattern::Qwen2)),
            SplitRule::DeepSeek => (at, self.windows.next_end(text, at, Pattern::DeepSeek)),
            SplitRule::None => (at, text.len()),
            SplitRule::Custom => self.cuts.next()?,
            rule if self.space_prefix => (at, words::end_with_space_prefix(text, at, rule)),
            rule => words::next_without_spaces(text, at, rule)?,
        };
        self.at = end;
        Some((start, &self.document[start..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(rule: SplitRule, space_prefix: bool, text: &str) -> Vec<&str> {
        let splitter = Splitter::new(rule, space_prefix).unwrap();
        splitter.pieces(text).map(|(_, piece)| piece).collect()
    }

    #[test]
    fn words_stand_alone_and_so_does_each_other_character() {
        let text = "J’aime l_été\u{301}2…!\u{A0}ok";
        let found = pieces(SplitRule::Words, false, text);
        assert_eq!(found, ["J", "’", "aime", "l_été\u{301}2", "…", "!", "ok"]);
        assert_eq!(pieces(SplitRule::Whitespace, false, " a,b \u{3000}c\n"), ["a,b", "c"]);
        assert_eq!(pieces(SplitRule::None, false, " a b "), [" a b "]);
        assert!(pieces(SplitRule::None, false, "").is_empty());
    }

    #[test]
    fn a_word_takes_one_space_and_the_rest_stands_alone() {
        let found = pieces(SplitRule::Whitespace, true, "a  b\n c\t d \u{2581}e  ");
        assert_eq!(found, ["a", " ", " b", "\n", " c", "\t", " d", " \u{2581}e", "  "]);
        let found = pieces(SplitRule::Words, true, "a, b");
        assert_eq!(found, ["a", ",", " b"]);
    }

    #[test]
    fn gpt2_pieces() {
        let found = pieces(SplitRule::Gpt2, false, "I'm  here, don't 12345ab\n\n x  ");
        assert_eq!(
            found,
            ["I", "'m", " ", " here", ",", " don", "'t", " 12345", "ab", "\n\n", " x", "  "]
        );
        assert_eq!(pieces(SplitRule::Gpt2, false, "a\t\tb"), ["a", "\t", "\t", "b"]);
    }

    #[test]
    fn gpt4_pieces() {
        let found = pieces(SplitRule::Gpt4, false, "I'M 12345ab!\r\n\n  x\t\ty(z \n a'ſx");
        assert_eq!(
            found,
            [
                "I", "'M", " ", "123", "45", "ab", "!\r\n\n", " ", " x", "\t", "\ty", "(z", " \n",
                " a", "'ſ", "x"
            ]
        );
    }

    #[test]
    fn o200k_pieces() {
        let found = pieces(
            SplitRule::O200k,
            false,
            "I'M ABCdef'll HTTPServer 中AB !\u{301}x 1234//\n/ a\n\n  \u{301}AB don'ſt\n ",
        );
        assert_eq!(
            found,
            [
                "I'M",
                " ABCdef'll",
                " HTTPServer",
                " 中",
                "AB",
                " !\u{301}",
                "x",
                " ",
                "123",
                "4",
                "//\n/",
                " a",
                "\n\n",
                " ",
                " \u{301}",
                "AB",
                " don'ſ",
                "t",
                "\n",
                " "
            ]
        );
    }

    #[test]
    fn lossless_rules_lose_nothing() {
        let text = "a  b\u{85}\u{2028} ç\u{301}1Ⅻ٣\u{200B}'S'll\r\n_x \u{1F600}\u{2581} ";
        for (rule, space_prefix) in [
            (SplitRule::Gpt2, false),
            (SplitRule::Gpt4, false),
            (SplitRule::O200k, false),
            (SplitRule::None, false),
            (SplitRule::Words, true),
            (SplitRule::Whitespace, true),
        ] {
            assert_eq!(pieces(rule, space_prefix, text).concat(), text);
        }
    }

    #[test]
    fn a_document_can_be_cut_at_a_certain_edge() {
        let text = "It's 12 o'clock,\r\n\tß Straße… don'ſt é\u{301} 中文，x2 don't\u{301} a'll  \n HTTPServer/\n'S \
                    we'\u{301}ve!!\n\n end  ";
        for rule in [SplitRule::Gpt2, SplitRule::Gpt4, SplitRule::O200k] {
            let splitter = Splitter::new(rule, false).unwrap();
            let whole = pieces(rule, false, text);
            let edges: Vec<_> =
                (0..text.len()).filter_map(|from| splitter.certain_edge(text, from)).collect();
            assert!(edges.len() > text.len() / 2);
            for edge in edges {
                let (before, after) = text.split_at(edge);
                let cut = [pieces(rule, false, before), pieces(rule, false, after)].concat();
                assert_eq!(cut, whole, "{rule:?}, {edge}");
            }
        }
        assert_eq!(Splitter::new(SplitRule::None, false).unwrap().certain_edge("a b", 0), None);
        let endless = "a".repeat(100_000);
        assert_eq!(Splitter::new(SplitRule::Gpt4, false).unwrap().certain_edge(&endless, 5), None);
    }

    #[test]
    fn long_runs_are_looked_at_a_few_times_at_most() {
        let units = [
            "a",
            "A",
            "aA",
            "中",
            "中A",
            "\u{301}",
            "A\u{301}",
            " ",
            " \t",
            "\n",
            " \n",
            "\r\n",
            "1",
            "'",
            "'s",
            "!",
            "/",
            "!/\n",
            "\u{3000}",
            "!a",
            "  a",
            "\u{1F600}",
            "\0",
        ];
        for (name, rule) in SplitRule::NAMES {
            for (unit, end) in
                units.iter().flat_map(|unit| ["", "x", "A", "\n"].map(|end| (unit, end)))
            {
                let text = unit.repeat(20_000) + end;
                classes::work::take();
                assert!(
                    Splitter::new(rule, false).unwrap().pieces(&text).count() > 0
                        || unit.trim().is_empty()
                );
                let looks = classes::work::take();
                assert!(looks <= 4 * text.len() + 100, "{name}, {unit:?}, {end:?}: {looks} looks");
            }
        }
    }

    #[test]
    fn a_space_prefix_needs_a_rule_that_drops_spaces() {
        let error = Splitter::new(SplitRule::Gpt2, true).unwrap_err().to_string();
        assert!(error.starts_with("`space_prefix` can only be used"), "{error}");
        assert!(SplitRule::parse("gpt5").unwrap_err().to_string().contains("\"gpt4\""));
    }
}
