//! The settings that n-grams add to those of word2vec.

use serde::Serialize;

use crate::embed::{Defaults, Word2VecConfig};
use crate::error::{Error, Result};
use crate::subword::{LONGEST_NGRAM, Scheme};

/// The threshold of frequency above which fastText skips words at random.
pub const USUAL_SUBSAMPLE: f64 = 1e-4;

/// The step size that fastText starts with.
pub const USUAL_RATE: f64 = 0.05;

/// How an n-gram finds its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NgramKind {
    /// By a hash, so that n-grams may share a row; the vector of a word is the mean of its rows.
    Hashed,
    /// Each n-gram of the vocabulary has a row of its own; the vector of a word is the sum of its rows.
    Explicit,
}

impl NgramKind {
    /// The kind of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "hashed" => Ok(Self::Hashed),
            "explicit" => Ok(Self::Explicit),
            _ => {
                let rule = "must be \"hashed\" or \"explicit\"";
                Err(Error::parameter("ngrams", rule, format!("{name:?}")))
            }
        }
    }
}

/// Settings of fastText.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FastTextConfig {
    /// Those that it shares with word2vec.
    #[serde(flatten)]
    pub words: Word2VecConfig,
    /// How an n-gram finds its row.
    pub ngrams: NgramKind,
    /// Characters in the shortest n-grams.
    pub min_n: i64,
    /// Characters in the longest n-grams.
    pub max_n: i64,
    /// How many buckets hashed n-grams share.
    pub buckets: i64,
}

impl FastTextConfig {
    /// Checks every setting that can be checked without the corpus.
    pub fn validate(&self) -> Result<()> {
        self.words.validate()?;
        let longest = i64::from(LONGEST_NGRAM);
        if !(1..=longest).contains(&self.min_n) {
            let rule = format!("must be from 1 to {longest}");
            return Err(Error::parameter("min_n", rule, self.min_n));
        }
        if !(self.min_n..=longest).contains(&self.max_n) {
            let rule = format!("must be from min_n ({}) to {longest}", self.min_n);
            return Err(Error::parameter("max_n", rule, self.max_n)
                .with_hint("Word2Vec learns whole words, without n-grams"));
        }
        if !(1..=i64::from(i32::MAX)).contains(&self.buckets) {
            let rule = format!("must be from 1 to {}", i32::MAX);
            return Err(Error::parameter("buckets", rule, self.buckets)
                .with_hint("2,000,000 are usual; buckets that no n-gram falls into cost nothing"));
        }
        Ok(())
    }

    /// Settles what was left at "auto", for a corpus of `words` words with a vector.
    pub fn settle(&self, words: u64) -> Defaults {
        let settled = self.words.settle(words);
        let usual = self.words.subsample.is_none() && settled.subsample > 0.0;
        Defaults { subsample: if usual { USUAL_SUBSAMPLE } else { settled.subsample }, ..settled }
    }

    /// How words are cut.
    pub fn scheme(&self) -> Scheme {
        let (min_n, max_n) = (self.min_n as u32, self.max_n as u32);
        match self.ngrams {
            NgramKind::Hashed => Scheme::fasttext(min_n, max_n, self.buckets as u32),
            NgramKind::Explicit => Scheme::explicit(min_n, max_n),
        }
    }
}
