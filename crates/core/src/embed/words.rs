//! A document cut into words.

use super::counting::CutWords;
use crate::error::{Error, Result};
use crate::split::{SplitRule, Splitter};

/// How a document is cut into words: a split rule that leaves out the spaces between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordRule(Splitter);

impl WordRule {
    /// The rule of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let rule = SplitRule::parse(name).ok().filter(|rule| rule.drops_spaces());
        let must = "must be \"words\" or \"whitespace\"";
        let rule = rule.ok_or_else(|| Error::parameter("split", must, format!("{name:?}")))?;
        Splitter::new(rule, false).map(Self)
    }
}

impl CutWords for WordRule {
    fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
        for (_, piece) in self.0.pieces(document) {
            // With the rule for words, punctuation comes as pieces of its own and has no meaning to learn.
            if self.0.rule() == SplitRule::Whitespace || piece.contains(char::is_alphanumeric) {
                take(piece);
            }
        }
    }

    fn rule(&self) -> Option<SplitRule> {
        Some(self.0.rule())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rule: &str, document: &str) -> Vec<String> {
        let mut words = Vec::new();
        WordRule::from_name(rule).unwrap().cut(document, &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn both_rules() {
        let text = "The doctor's\u{a0}note: 12_mg, __ cafe\u{301} – नमस्ते!";
        assert_eq!(
            cut("whitespace", text),
            ["The", "doctor's", "note:", "12_mg,", "__", "cafe\u{301}", "–", "नमस्ते!"]
        );
        assert_eq!(
            cut("words", text),
            ["The", "doctor", "s", "note", "12_mg", "cafe\u{301}", "नमस्ते"]
        );
        assert!(cut("words", " \n?! ").is_empty());
        assert!(WordRule::from_name("gpt4").is_err());
    }
}
