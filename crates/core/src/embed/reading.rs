//! What every method starts with: the words that get a row, and the corpus as rows.

use super::counting::{self, Cut};
use super::ids::IdCorpus;
use super::vocab::{self, Known, Selected, Vocabulary};
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
        let WordLimits { min_count, max_vocab, lowercase } = limits;
        let counting::Counted { mut words, mut ids, report } =
            counting::count(stream, cut, lowercase, threads, observer)?;
        let mut numbers = Known::default();
        if let Some(known) = known {
            for (word, &count) in known.words().iter().zip(known.counts()) {
                numbers.insert(words.add(word, 0).ok_or_else(counting::too_many_words)?, count);
            }
        }
        let Selected { vocabulary, occurrences, rows } =
            vocab::select(words, &numbers, min_count, max_vocab)?;
        ids.keep_rows(&rows, observer)?;
        Ok(Self { vocabulary, occurrences, ids, report })
    }
}
