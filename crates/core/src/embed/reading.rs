//! What every method starts with: the words that get a row, and the corpus as rows.

use super::counting::{self, Cut};
use super::ids::IdCorpus;
use super::vocab::{self, Known, Selected, Vocabulary, WordCounts};
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::Result;
use crate::observe::Observer;
use crate::vectors::WordVectors;

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

impl Reading {
    /// Reads a corpus; the words of `known` vectors get a row in any case.
    pub(crate) fn new(
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
