//! What every method starts with: the words that get a row, and the corpus as rows.

use super::counting::{self, Cut};
use super::ids::IdCorpus;
use super::vocab::{self, Vocabulary};
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::Result;
use crate::observe::Observer;

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
    /// The corpus as rows.
    pub(crate) ids: IdCorpus,
    pub(crate) report: ReadReport,
}

impl Reading {
    pub(crate) fn new(
        stream: &mut dyn DocumentStream,
        limits: WordLimits,
        cut: &Cut<'_>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let WordLimits { min_count, max_vocab, lowercase } = limits;
        let counting::Counted { words, mut ids, report } =
            counting::count(stream, cut, lowercase, threads, observer)?;
        let (vocabulary, rows) = vocab::select(words, min_count, max_vocab)?;
        ids.keep_rows(&rows, observer)?;
        Ok(Self { vocabulary, ids, report })
    }
}
