//! Tokens that are found in a text before it is cut.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::special::SpecialPolicy;
use crate::normalize::Normalizer;
use crate::split::matcher::Matcher;

/// A token beside those of the model, with the words that Hugging Face tokenizers uses for its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the format has one for each rule")]
pub struct AddedToken {
    /// Its id.
    pub id: u32,
    /// What is looked for.
    pub content: String,
    /// It has to be a word of its own.
    pub single_word: bool,
    /// It takes the white space before it.
    pub lstrip: bool,
    /// It takes the white space after it.
    pub rstrip: bool,
    /// It is looked for in the normalized text.
    pub normalized: bool,
    /// It stands for no text; what its name in a text means is up to the caller.
    pub special: bool,
    /// The vocabulary of the model has it too.
    pub in_model: bool,
}

impl AddedToken {
    /// A token that stands for no text, without further rules.
    pub fn special(id: u32, name: &str) -> Self {
        Self {
            id,
            content: name.to_owned(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: true,
            in_model: false,
        }
    }
}

/// An added token in a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundToken {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: u32,
    pub(super) special: bool,
}

/// Finds added tokens: the leftmost, and of several that begin there the longest.
#[derive(Clone, Debug, Default)]
pub(super) struct AddedFinder {
    all: Names,
    /// Without special tokens, so that their names are text like any other.
    ordinary: Names,
}

#[derive(Clone, Debug, Default)]
struct Names {
    tokens: Vec<AddedToken>,
    automaton: Option<AhoCorasick>,
    /// A character of a word, if that matters to any token.
    word: Option<Matcher>,
}

impl AddedFinder {
    /// A finder of the tokens that are looked for in the normalized text, or of the others.
    pub(super) fn new(
        added: &[AddedToken],
        normalized: bool,
        normalizer: Option<&Normalizer>,
    ) -> Self {
        let mut tokens: Vec<_> =
            added.iter().filter(|token| token.normalized == normalized).cloned().collect();
        if let Some(normalizer) = normalizer.filter(|_| normalized) {
            for token in &mut tokens {
                token.content = normalizer.normalized(&token.content);
            }
        }
        tokens.retain(|token| !token.content.is_empty());
        let ordinary = tokens.iter().filter(|token| !token.special).cloned().collect();
        Self { all: Names::new(tokens), ordinary: Names::new(ordinary) }
    }

    /// All tokens of a text that the policy does not take for text.
    pub(super) fn find(&self, text: &str, policy: SpecialPolicy) -> Vec<FoundToken> {
        match policy {
            SpecialPolicy::Text => self.ordinary.find(text),
            SpecialPolicy::Allow | SpecialPolicy::Error => self.all.find(text),
        }
    }
}

impl Names {
    fn new(tokens: Vec<AddedToken>) -> Self {
        let contents = tokens.iter().map(|token| token.content.as_bytes());
        // Fails only beyond 2^31 names.
        let automaton =
            AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(contents).ok();
        let word = tokens.iter().any(|token| token.single_word);
        let word = word.then(|| Matcher::standard(r"\w").ok()).flatten();
        Self { automaton: automaton.filter(|_| !tokens.is_empty()), tokens, word }
    }

    fn find(&self, text: &str) -> Vec<FoundToken> {
        let mut found = Vec::new();
        let mut from = 0;
        let is_word =
            |text: &str| self.word.as_ref().is_some_and(|word| word.next(text, 0).is_some());
        for place in self.automaton.iter().flat_map(|automaton| automaton.find_iter(text)) {
            let token = &self.tokens[place.pattern().as_usize()];
            let (mut start, mut end) = (place.start(), place.end());
            let (before, after) = (&text[..start], &text[end..]);
            if token.single_word
                && (is_word(last_character(before)) || is_word(first_character(after)))
            {
                continue;
            }
            if token.lstrip {
                start = before.trim_end().len().max(from);
            }
            if token.rstrip {
                end += after.len() - after.trim_start().len();
            }
            // The token before may have taken the white space that this one begins with.
            start = start.max(from);
            if start < end {
                found.push(FoundToken { start, end, id: token.id, special: token.special });
                from = end;
            }
        }
        found
    }
}

fn first_character(text: &str) -> &str {
    &text[..text.chars().next().map_or(0, char::len_utf8)]
}

fn last_character(text: &str) -> &str {
    &text[text.len() - text.chars().next_back().map_or(0, char::len_utf8)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(tokens: &[AddedToken], text: &str) -> Vec<(usize, usize, u32)> {
        let finder = AddedFinder::new(tokens, false, None);
        let found = finder.find(text, SpecialPolicy::Allow);
        found.iter().map(|found| (found.start, found.end, found.id)).collect()
    }

    #[test]
    fn rules_of_tokens() {
        let mask = AddedToken { lstrip: true, rstrip: true, ..AddedToken::special(1, "<m>") };
        let word = AddedToken { single_word: true, ..AddedToken::special(2, "day") };
        let tokens = [mask, word, AddedToken::special(0, "<m")];
        assert_eq!(
            places(&tokens, "a <m>  b<m <m> <m>"),
            [(1, 7, 1), (8, 10, 0), (10, 15, 1), (15, 18, 1)]
        );
        assert_eq!(places(&tokens, "day days monday _day é,day"), [(0, 3, 2), (24, 27, 2)]);
    }

    #[test]
    fn names_of_special_tokens_are_text_unless_they_are_allowed() {
        let plain = AddedToken { special: false, ..AddedToken::special(3, "b") };
        let finder = AddedFinder::new(&[AddedToken::special(0, "<b>"), plain], false, None);
        let ids =
            |policy| finder.find("<b>b", policy).iter().map(|token| token.id).collect::<Vec<_>>();
        assert_eq!(ids(SpecialPolicy::Allow), [0, 3]);
        assert_eq!(ids(SpecialPolicy::Text), [3, 3]);
    }

    #[test]
    fn names_are_normalized_where_texts_are() {
        let tokens = [AddedToken { normalized: true, ..AddedToken::special(0, "Day") }];
        let finder = AddedFinder::new(&tokens, true, Some(&Normalizer::Lowercase));
        assert_eq!(finder.find("a day", SpecialPolicy::Allow).len(), 1);
        assert!(
            AddedFinder::new(&tokens, false, None).find("Day", SpecialPolicy::Allow).is_empty()
        );
    }
}
