//! Pairs of words that stand together more often than chance lets them, joined to one word.
//!
//! Mikolov et al. 2013 (arXiv:1310.4546, section 4) learn phrases before they learn vectors. A pair is scored by its
//! count and those of its words; a text is cut into words, then pairs that score above a threshold are joined
//! from left to right. What comes out may be cut the same way again, which makes phrases of three and four words.

mod score;
mod train;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use score::Scoring;
pub use train::{PhraseConfig, train};

use crate::embed::{CutWords, WordRule};
use crate::split::SplitRule;

/// How a document is cut into words that may be joined.
#[derive(Clone, Debug)]
pub enum Cutter {
    /// By a rule.
    Rule(WordRule),
    /// Into what phrases leave and make.
    Phrases(Arc<Phrases>),
}

impl CutWords for Cutter {
    fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
        match self {
            Self::Rule(rule) => rule.cut(document, take),
            Self::Phrases(phrases) => phrases.cut(document, take),
        }
    }

    fn rule(&self) -> Option<SplitRule> {
        match self {
            Self::Rule(rule) => rule.rule(),
            Self::Phrases(_) => None,
        }
    }
}

/// Two words that are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// The word on the left.
    pub first: String,
    /// The word on the right.
    pub second: String,
    /// How often they stood together.
    pub count: u64,
    /// What they scored.
    pub score: f64,
}

/// Phrases, and how words are found that they may be made of.
#[derive(Clone, Debug)]
pub struct Phrases {
    base: Cutter,
    delimiter: String,
    listed: Vec<Phrase>,
    /// Words that are part of a phrase.
    numbers: FxHashMap<Box<str>, u32>,
    /// Both numbers of each phrase.
    pairs: FxHashSet<(u32, u32)>,
}

impl Phrases {
    /// These phrases, of words that `base` cuts, joined with `delimiter` between them.
    pub fn new(base: Cutter, delimiter: String, listed: Vec<Phrase>) -> Self {
        let mut numbers: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut number_of = |word: &str| {
            if let Some(&number) = numbers.get(word) {
                return number;
            }
            let number = numbers.len() as u32;
            numbers.insert(word.into(), number);
            number
        };
        let pairs = listed
            .iter()
            .map(|phrase| (number_of(&phrase.first), number_of(&phrase.second)))
            .collect();
        Self { base, delimiter, listed, numbers, pairs }
    }

    /// The phrases.
    pub fn listed(&self) -> &[Phrase] {
        &self.listed
    }

    /// Calls `take` with each word of `document`, in order; two that make a phrase are one.
    ///
    /// Of three words of which each two in a row make a phrase, the first two do.
    pub fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
        let mut waiting = String::new();
        let mut number_of_waiting = None;
        self.base.cut(document, &mut |word| {
            let number = self.numbers.get(word).copied();
            if let Some(first) = number_of_waiting.take() {
                if number.is_some_and(|second| self.pairs.contains(&(first, second))) {
                    waiting.push_str(&self.delimiter);
                    waiting.push_str(word);
                    take(&waiting);
                    return;
                }
                take(&waiting);
            }
            if number.is_none() {
                take(word);
                return;
            }
            waiting.clear();
            waiting.push_str(word);
            number_of_waiting = number;
        });
        if number_of_waiting.is_some() {
            take(&waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(base: Cutter, pairs: &[[&str; 2]]) -> Phrases {
        let listed = pairs.iter().map(|[first, second]| Phrase {
            first: (*first).to_owned(),
            second: (*second).to_owned(),
            count: 1,
            score: 1.0,
        });
        Phrases::new(base, "_".to_owned(), listed.collect())
    }

    fn cut(phrases: &Phrases, document: &str) -> String {
        let mut words = Vec::new();
        phrases.cut(document, &mut |word| words.push(word.to_owned()));
        words.join(" ")
    }

    #[test]
    fn pairs_are_joined_from_left_to_right_and_again() {
        let rule = Cutter::Rule(WordRule::from_name("words").unwrap());
        let pairs = [["new", "york"], ["york", "times"], ["a", "a"]];
        let first = phrases(rule, &pairs);
        assert_eq!(cut(&first, "The new york times, new!"), "The new_york times new");
        assert_eq!(cut(&first, "york times new york"), "york_times new_york");
        assert_eq!(cut(&first, "a a a b a"), "a_a a b a");
        assert_eq!(cut(&first, ""), "");
        let second = phrases(Cutter::Phrases(Arc::new(first)), &[["new_york", "times"]]);
        assert_eq!(cut(&second, "new york times new york"), "new_york_times new_york");
    }
}
