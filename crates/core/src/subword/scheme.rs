//! How a model cuts words into n-grams, names them and puts their vectors together.

use serde::{Deserialize, Serialize};

/// The longest n-grams of a model that is read or trained, in characters.
pub const LONGEST_NGRAM: u32 = 255;

/// The word that stands for the end of a line in fastText and floret, which has no n-grams.
const LINE_END: &[u8] = b"</s>";

/// How an n-gram finds its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "naming", rename_all = "lowercase")]
pub enum Naming {
    /// By fastText's hash, modulo `buckets`.
    FastText {
        /// How many buckets n-grams share.
        buckets: u32,
    },
    /// By floret's hash; each n-gram has `hashes` rows.
    Floret {
        /// How many buckets n-grams share.
        buckets: u32,
        /// Rows of each n-gram, from 1 to 4.
        hashes: u32,
        /// Starts the hash.
        seed: u32,
    },
    /// By finalfusion's hash, of which the last `exponent` bits count.
    Finalfusion {
        /// There are two to the power of this many buckets.
        exponent: u32,
    },
    /// By its text: no two n-grams share a row.
    Text,
}

/// How the vectors of n-grams become the vector of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// Their mean; an n-gram that occurs twice counts twice.
    Mean,
    /// Their sum; each n-gram counts once.
    Sum,
    /// Their sum, scaled to length 1; an n-gram that occurs twice counts twice.
    Unit,
}

/// How a model cuts words into n-grams, names them and puts their vectors together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheme {
    /// Characters in the shortest n-gram.
    pub min_n: u32,
    /// Characters in the longest n-gram.
    pub max_n: u32,
    /// The mark in front of a word.
    pub begin: String,
    /// The mark behind it.
    pub end: String,
    /// How an n-gram finds its row.
    #[serde(flatten)]
    pub naming: Naming,
    /// Whether the marked word is one more n-gram, whatever its length.
    pub whole_word: bool,
    /// How vectors of n-grams are put together.
    pub combine: Combine,
}

impl Scheme {
    /// That of fastText: hashed n-grams, whose mean is taken.
    pub fn fasttext(min_n: u32, max_n: u32, buckets: u32) -> Self {
        let naming = Naming::FastText { buckets };
        Self { naming, whole_word: false, combine: Combine::Mean, ..Self::explicit(min_n, max_n) }
    }

    /// Each n-gram has a row of its own, the marked word is one of them, and they are summed.
    pub fn explicit(min_n: u32, max_n: u32) -> Self {
        Self {
            min_n,
            max_n,
            begin: "<".to_owned(),
            end: ">".to_owned(),
            naming: Naming::Text,
            whole_word: true,
            combine: Combine::Sum,
        }
    }

    /// What is wrong with the numbers, if anything.
    pub fn check(&self) -> Result<(), String> {
        let Self { min_n, max_n, .. } = self;
        if *max_n == 0 || min_n > max_n || *max_n > LONGEST_NGRAM {
            return Err(format!(
                "n-grams of {min_n} to {max_n} characters cannot be; the longest that are read have \
                 {LONGEST_NGRAM}"
            ));
        }
        match self.naming {
            Naming::FastText { buckets: 0 } | Naming::Floret { buckets: 0, .. } => {
                Err("n-grams without buckets cannot be".to_owned())
            }
            Naming::Floret { hashes, .. } if !(1..=4).contains(&hashes) => {
                Err(format!("{hashes} rows for each n-gram cannot be; there are 1 to 4"))
            }
            Naming::Finalfusion { exponent } if !(1..32).contains(&exponent) => {
                Err(format!("2^{exponent} buckets cannot be; the exponent is from 1 to 31"))
            }
            _ => Ok(()),
        }
    }

    /// How many buckets n-grams share; `None` where each has a row of its own.
    pub fn buckets(&self) -> Option<u32> {
        match self.naming {
            Naming::FastText { buckets } | Naming::Floret { buckets, .. } => Some(buckets),
            Naming::Finalfusion { exponent } => Some(1 << exponent),
            Naming::Text => None,
        }
    }

    /// Whether a word with these bytes has n-grams at all.
    pub(crate) fn cuts(&self, word: &[u8]) -> bool {
        // finalfusion, which knows no such word, scales the sum of n-grams to length 1.
        word != LINE_END || self.combine != Combine::Mean
    }

    /// Whether a mark alone counts as an n-gram of one character.
    pub(crate) fn lone_marks(&self) -> bool {
        matches!(self.naming, Naming::Finalfusion { .. } | Naming::Text)
    }
}
