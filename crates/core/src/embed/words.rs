//! A document cut into words.

use crate::error::{Error, Result};

/// How a document is cut into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRule {
    /// At white space.
    Whitespace,
    /// Runs of letters, digits, marks and underscores; everything else separates.
    Words,
}

impl WordRule {
    /// The rule of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "whitespace" => Ok(Self::Whitespace),
            "words" => Ok(Self::Words),
            _ => Err(Error::parameter(
                "split",
                "must be \"words\" or \"whitespace\"",
                format!("{name:?}"),
            )),
        }
    }

    /// Calls `take` with each word of `document`, in order.
    pub fn cut(self, document: &str, take: &mut dyn FnMut(&str)) {
        let separates = match self {
            Self::Whitespace => char::is_whitespace,
            Self::Words => |character: char| !belongs_to_word(character),
        };
        for word in document.split(separates) {
            // With the rule for words, a run of underscores alone says nothing.
            if !word.is_empty()
                && (self == Self::Whitespace || word.contains(char::is_alphanumeric))
            {
                take(word);
            }
        }
    }
}

fn belongs_to_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || is_mark(character)
}

/// Combining marks of the scripts in which they occur inside words without being alphabetic.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05C7 | 0x0610..=0x061A | 0x064B..=0x065F
        | 0x094D | 0x09CD | 0x0A4D | 0x0ACD | 0x0B4D | 0x0BCD | 0x0C4D | 0x0CCD | 0x0D4D | 0x0E47..=0x0E4E
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x3099..=0x309A | 0xFE20..=0xFE2F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rule: WordRule, document: &str) -> Vec<String> {
        let mut words = Vec::new();
        rule.cut(document, &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn both_rules() {
        let text = "The doctor's\u{a0}note: 12_mg, __ cafe\u{301} – नमस्ते!";
        assert_eq!(
            cut(WordRule::Whitespace, text),
            ["The", "doctor's", "note:", "12_mg,", "__", "cafe\u{301}", "–", "नमस्ते!"]
        );
        assert_eq!(
            cut(WordRule::Words, text),
            ["The", "doctor", "s", "note", "12_mg", "cafe\u{301}", "नमस्ते"]
        );
        assert!(cut(WordRule::Words, " \n?! ").is_empty());
    }
}
