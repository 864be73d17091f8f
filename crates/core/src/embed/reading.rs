//! What every method starts with: the words that get a row, and the corpus as rows.

use super::counting::{self, Cut};
use super::ids::IdCorpus;
use super::tokens;
use super::vocab::{self, Known, Selected, Vocabulary, WordCounts};
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::Result;
use crate::idfile::IdFile;
use crate::observe::Observer;
use crate::tokenizer::Tokenizer;
use crate::vectors::WordVectors;

/// What a run reads.
pub enum Input<'a> {
    /// Documents, and what cuts them into words.
    Words(&'a mut dyn DocumentStream, &'a Cut<'a>),
    /// Documents, and the tokenizer into whose tokens they are cut, each under its name as text.
    ///
    /// Names of special tokens in the documents are ordinary text.
    Tokens(&'a mut dyn DocumentStream, &'a Tokenizer),
    /// The ids of tokens where they lie, and the tokenizer that made them.
    ///
    /// The same bytes as from the text that was encoded, if the file holds no ids that were put around documents.
    Ids(&'a IdFile, &'a Tokenizer),
}

/// Which words get a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordLimits {
    /// Words that occur less often get none.
    pub(crate) min_count: i64,
    /// At most this many words get one, the most frequent.
    pub(crate) max_vocab: Option<i64>,
    /// Whether words are lower-cased before they are counted.
    pub(crate) lowercase: bool,
}

/// A corpus that was read once.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The words with a row, in row order.
    pub(crate) vocabulary: Vocabulary,
    /// How often each of them occurs in the corpus.
    pub(crate) occurrences: Vec<u64>,
    /// The corpus as rows.
    pub(crate) ids: IdCorpus,
    pub(crate) report: ReadReport,
}

impl Input<'_> {
    /// Reads all of it; the words of `known` vectors get a row in any case.
    pub(crate) fn read(
        self,
        limits: WordLimits,
        known: Option<&WordVectors>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Reading> {
        match self {
            Self::Words(stream, cut) => Reading::new(stream, limits, known, cut, threads, observer),
            Self::Tokens(stream, tokenizer) => {
                tokens::with_cut(tokenizer, observer, |cut, observer| {
                    Reading::new(stream, limits, known, cut, threads, observer)
                })
            }
            Self::Ids(file, tokenizer) => {
                tokens::read_ids(file, tokenizer, limits, known, observer)
            }
        }
    }
}

impl Reading {
    fn new(
        stream: &mut dyn DocumentStream,
        limits: WordLimits,
        known: Option<&WordVectors>,
        cut: &Cut<'_>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let counting::Counted { words, mut ids, numbering, report } =
            counting::count(stream, cut, limits.lowercase, threads, observer)?;
        let Selected { vocabulary, occurrences, rows } = select(words, known, limits)?;
        ids.keep_rows(&numbering.rows(rows), observer)?;
        Ok(Self { vocabulary, occurrences, ids, report })
    }
}

/// Picks the words that get a row; those of `known` vectors do in any case.
pub(super) fn select(
    mut words: WordCounts,
    known: Option<&WordVectors>,
    limits: WordLimits,
) -> Result<Selected> {
    let mut numbers = Known::default();
    if let Some(known) = known {
        for (word, &count) in known.words().iter().zip(known.counts()) {
            numbers.insert(words.add(word, 0), count);
        }
    }
    vocab::select(words, &numbers, limits.min_count, limits.max_vocab)
}
