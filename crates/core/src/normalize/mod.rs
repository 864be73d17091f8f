//! Changing a text before it is cut: Unicode forms, case, accents, replacements.
//!
//! None of this happens unless a tokenizer asks for it. The rules, and the Unicode data behind them, are
//! those of Hugging Face tokenizers, because a file that says "NFC" means the NFC of that library.

pub mod aligned;
mod characters;

use unicode_normalization_alignments::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::formats::precompiled::CharacterMap;
use crate::split::matcher::Matcher;
pub use aligned::{Aligned, Rewriter, Span};
pub(crate) use characters::is_punctuation;

/// A Unicode normalization form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

/// What BERT does to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BertRules {
    /// Drop control characters; any white space becomes a space.
    pub clean_text: bool,
    /// Put spaces around each Chinese character.
    pub handle_chinese_chars: bool,
    /// Decompose and drop accents; as `lowercase` if it is not said.
    pub strip_accents: Option<bool>,
    /// Lower case.
    pub lowercase: bool,
}

/// One step that changes a text, or several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Normalizer {
    /// A Unicode form.
    Form(Form),
    /// Lower case, character by character.
    Lowercase,
    /// Combining marks are dropped.
    StripAccents,
    /// What BERT does.
    Bert(BertRules),
    /// Each match becomes the text.
    Replace(Matcher, String),
    /// The text is put in front, unless there is nothing.
    Prepend(String),
    /// White space at the ends is dropped.
    Strip {
        /// At the start.
        left: bool,
        /// At the end.
        right: bool,
    },
    /// Control characters are dropped and odd white space becomes a space, as machine translation does it.
    Nmt,
    /// The map of characters of a SentencePiece model, as Hugging Face tokenizers applies it: to clusters of
    /// characters that are seen as one, and if there is no rule for one, to each of its characters.
    Precompiled(Box<CharacterMap>),
    /// One after the other.
    Sequence(Vec<Normalizer>),
}

impl Normalizer {
    /// Changes the text.
    pub fn apply(&self, aligned: &mut Aligned) {
        match self {
            Self::Form(form) => form.apply(aligned),
            Self::Lowercase => characters::lowercase(aligned),
            Self::StripAccents => characters::strip_accents(aligned),
            Self::Bert(rules) => rules.apply(aligned),
            Self::Replace(matcher, content) => replace(matcher, content, aligned),
            Self::Prepend(content) => prepend(content, aligned),
            Self::Strip { left, right } => strip(*left, *right, aligned),
            Self::Nmt => characters::nmt(aligned),
            Self::Precompiled(map) => precompiled(map, aligned),
            Self::Sequence(steps) => steps.iter().for_each(|step| step.apply(aligned)),
        }
    }

    /// Whether the text is known to stay as it is; `false` says nothing.
    pub fn keeps(&self, text: &str) -> bool {
        match self {
            Self::Form(form) => form.keeps(text),
            Self::Lowercase => {
                text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_uppercase())
            }
            Self::StripAccents => text.is_ascii(),
            Self::Replace(matcher, _) => matcher.next(text, 0).is_none(),
            Self::Prepend(content) => content.is_empty() || text.is_empty(),
            Self::Strip { left, right } => strip_range(*left, *right, text).len() == text.len(),
            Self::Precompiled(map) => {
                text.is_ascii() && text.bytes().all(|byte| map.is_plain(byte))
            }
            Self::Bert(_) | Self::Nmt => text.is_empty(),
            Self::Sequence(steps) => steps.iter().all(|step| step.keeps(text)),
        }
    }

    /// The changed text.
    pub fn normalized(&self, text: &str) -> String {
        let mut aligned = Aligned::new(text, 0..text.len(), false);
        self.apply(&mut aligned);
        aligned.text().to_owned()
    }
}

/// Clusters of more bytes than this are taken apart at once.
const LONGEST_CLUSTER: usize = 5;

fn precompiled(map: &CharacterMap, aligned: &mut Aligned) {
    aligned.transform(|text, put| {
        let mut changes: Vec<(char, isize)> = Vec::with_capacity(text.len());
        for cluster in text.graphemes(true) {
            if cluster.len() <= LONGEST_CLUSTER
                && let Some(new) = map.shortest(cluster)
            {
                replace_with(cluster, new, &mut changes);
                continue;
            }
            for (start, character) in cluster.char_indices() {
                let old = &cluster[start..start + character.len_utf8()];
                match map.shortest(old) {
                    Some(new) => replace_with(old, new, &mut changes),
                    None => changes.push((character, 0)),
                }
            }
        }
        for (character, change) in changes {
            put(character, change);
        }
    });
}

/// The changes that put new characters in the place of old ones.
fn replace_with(old: &str, new: &str, changes: &mut Vec<(char, isize)>) {
    let more = new.chars().count() as isize - old.chars().count() as isize;
    changes.extend(new.chars().map(|character| (character, 0)));
    if more > 0 {
        for (_, change) in changes.iter_mut().rev().take(more as usize) {
            *change = 1;
        }
    } else if let Some((_, change)) = changes.last_mut() {
        *change += more;
    }
}

impl Form {
    fn keeps(self, text: &str) -> bool {
        if text.is_ascii() {
            return true;
        }
        let quick = match self {
            Self::Nfc => is_nfc_quick(text.chars()),
            Self::Nfd => is_nfd_quick(text.chars()),
            Self::Nfkc => is_nfkc_quick(text.chars()),
            Self::Nfkd => is_nfkd_quick(text.chars()),
        };
        quick == IsNormalized::Yes
    }

    fn apply(self, aligned: &mut Aligned) {
        if self.keeps(aligned.text()) {
            return;
        }
        aligned.transform(|text, put| match self {
            Self::Nfc => text.nfc().for_each(|(character, change)| put(character, change)),
            Self::Nfd => text.nfd().for_each(|(character, change)| put(character, change)),
            Self::Nfkc => text.nfkc().for_each(|(character, change)| put(character, change)),
            Self::Nfkd => text.nfkd().for_each(|(character, change)| put(character, change)),
        });
    }
}

impl BertRules {
    fn apply(self, aligned: &mut Aligned) {
        if self.clean_text {
            characters::clean(aligned);
        }
        if self.handle_chinese_chars {
            characters::space_chinese(aligned);
        }
        if self.strip_accents.unwrap_or(self.lowercase) {
            Form::Nfd.apply(aligned);
            characters::drop_nonspacing(aligned);
        }
        if self.lowercase {
            characters::lowercase(aligned);
        }
    }
}

/// The new text takes the place of the last byte of each match.
fn replace(matcher: &Matcher, content: &str, aligned: &mut Aligned) {
    aligned.rewrite(|text, rewriter| {
        let mut from = 0;
        while let Some((start, end)) = matcher.next(text, from) {
            rewriter.keep(from..start);
            for character in content.chars() {
                rewriter.put(character, end.saturating_sub(1));
            }
            from = end;
        }
        rewriter.keep(from..text.len());
    });
}

fn prepend(content: &str, aligned: &mut Aligned) {
    if !aligned.text().is_empty() {
        aligned.rewrite(|text, rewriter| {
            for character in content.chars() {
                rewriter.put(character, 0);
            }
            rewriter.keep(0..text.len());
        });
    }
}

fn strip_range(left: bool, right: bool, text: &str) -> std::ops::Range<usize> {
    let start = if left { text.len() - text.trim_start().len() } else { 0 };
    let end = if right { text.trim_end().len() } else { text.len() };
    start..end.max(start)
}

fn strip(left: bool, right: bool, aligned: &mut Aligned) {
    let range = strip_range(left, right, aligned.text());
    if range.len() < aligned.text().len() {
        aligned.rewrite(|_, rewriter| rewriter.keep(range));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(normalizer: &Normalizer, text: &str) -> (String, Vec<Span>) {
        let mut aligned = Aligned::new(text, 0..text.len(), true);
        normalizer.apply(&mut aligned);
        let spans = aligned
            .text()
            .char_indices()
            .map(|(start, character)| aligned.span(start..start + character.len_utf8()).unwrap());
        (aligned.text().to_owned(), spans.collect())
    }

    #[test]
    fn forms() {
        let text = "e\u{301}ﬁ①";
        assert_eq!(Normalizer::Form(Form::Nfc).normalized(text), "éﬁ①");
        assert_eq!(Normalizer::Form(Form::Nfkc).normalized(text), "éfi1");
        assert_eq!(Normalizer::Form(Form::Nfd).normalized("é"), "e\u{301}");
        let (text, spans) = run(&Normalizer::Form(Form::Nfkd), "éﬁ");
        assert_eq!((text.as_str(), spans), ("e\u{301}fi", vec![(0, 2), (0, 2), (2, 5), (2, 5)]));
    }

    #[test]
    fn bert() {
        let rules = BertRules {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        };
        let (text, spans) = run(&Normalizer::Bert(rules), "É\u{0}\t中A");
        assert_eq!(text, "e  中 a");
        assert_eq!(spans, [(0, 2), (3, 4), (4, 7), (4, 7), (4, 7), (7, 8)]);
    }

    #[test]
    fn replacing_and_prepending() {
        let spaces = Matcher::literal("  ");
        let (text, spans) = run(&Normalizer::Replace(spaces, "__".to_owned()), "a   b");
        assert_eq!(text, "a__ b");
        assert_eq!(spans, [(0, 1), (2, 3), (2, 3), (3, 4), (4, 5)]);
        let (text, spans) = run(&Normalizer::Prepend("\u{2581}".to_owned()), "ab");
        assert_eq!((text.as_str(), spans), ("\u{2581}ab", vec![(0, 1), (0, 1), (1, 2)]));
        assert_eq!(run(&Normalizer::Prepend("x".to_owned()), "").0, "");
        let (text, spans) = run(&Normalizer::Strip { left: true, right: true }, " \u{A0}a b\n");
        assert_eq!((text.as_str(), spans), ("a b", vec![(3, 4), (4, 5), (5, 6)]));
        assert_eq!(run(&Normalizer::Strip { left: true, right: true }, " \n ").0, "");
    }

    #[test]
    fn what_is_said_to_stay_stays() {
        let steps = [
            Normalizer::Form(Form::Nfc),
            Normalizer::Form(Form::Nfkd),
            Normalizer::Lowercase,
            Normalizer::StripAccents,
            Normalizer::Prepend("_".to_owned()),
            Normalizer::Strip { left: true, right: false },
            Normalizer::Replace(Matcher::literal("a"), "b".to_owned()),
        ];
        for text in ["", "abc", " é\u{301}", "ABC", "ǅ中", "\u{1100}\u{1161}"] {
            for step in &steps {
                assert!(!step.keeps(text) || step.normalized(text) == text, "{step:?} {text:?}");
            }
        }
    }
}
