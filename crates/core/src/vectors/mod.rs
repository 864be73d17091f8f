//! Word vectors as a finished thing: looked up, compared, searched, saved and loaded.
//!
//! Nothing here knows how vectors are trained. [`WordVectors`] is immutable; its matrix lies in memory
//! or in a mapped file.

mod analogies;
mod batch;
mod batch_bytes;
mod best;
mod books;
mod checked;
mod codes;
mod export;
mod export_fasttext;
mod file;
pub(crate) mod mapped;
mod metric;
mod ngrams;
mod ngrams_file;
mod norms;
mod open;
mod open_fasttext;
mod open_finalfusion;
mod packed;
mod product;
mod rounding;
mod rows;
mod search;
mod sketch;
mod sketch_file;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use analogies::Method;
pub use export::{Format, Saving};
pub use metric::{Metric, Neighbor};
pub use ngrams::Ngrams;
pub use open::{OpenReport, Opening};
pub use packed::Packed;
pub use product::Learning;
pub use search::{Among, Search};
pub use table::Table;
pub use words::{Repeated, Words};

pub use crate::formats::vector_rows::{Faults, Replaced};

use std::borrow::Cow;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::simd::Kernels;
use mapped::Matrix;
use norms::norms_of;
use rows::Rows;

/// A vector for each word of a vocabulary.
#[derive(Debug)]
pub struct WordVectors {
    words: Words,
    counts: Vec<u64>,
    rows: Rows,
    size: usize,
    /// The length of each vector.
    norms: Vec<f32>,
    /// The largest of them.
    longest: f32,
    settings: Value,
    history: Vec<f64>,
    /// From which unseen words get vectors.
    ngrams: Option<Arc<Ngrams>>,
    kernels: Kernels,
    /// Made by the search when it is worth it, or kept in the file.
    sketch: OnceLock<sketch::Sketch>,
    /// Queries asked before that.
    asked: AtomicUsize,
}

impl WordVectors {
    /// Vectors of `size` numbers, one row of `matrix` for each word.
    ///
    /// `settings` is what the vectors were made with, an object; `history` the mean loss of each epoch.
    pub fn new<'a>(
        words: impl IntoIterator<Item = &'a str>,
        matrix: Vec<f32>,
        size: usize,
        counts: Vec<u64>,
        settings: Value,
        history: Vec<f64>,
    ) -> Result<Self> {
        let words = Words::new(words).map_err(|word| {
            Error::parameter("words", "must not repeat a word", format!("{word:?} twice"))
        })?;
        if size == 0 {
            return Err(Error::parameter("vector_size", "must be at least 1", 0));
        }
        if words.len().checked_mul(size) != Some(matrix.len()) {
            let rule =
                format!("must have a row of {size} numbers for each of {} words", words.len());
            return Err(Error::parameter("matrix", rule, format!("{} numbers", matrix.len())));
        }
        if counts.len() != words.len() {
            let rule = format!("must have one number for each of {} words", words.len());
            return Err(Error::parameter("counts", rule, format!("{} numbers", counts.len())));
        }
        Ok(Self::assemble(words, Matrix::Owned(matrix), size, counts, settings, history))
    }

    fn assemble(
        words: Words,
        matrix: Matrix,
        size: usize,
        counts: Vec<u64>,
        settings: Value,
        history: Vec<f64>,
    ) -> Self {
        let rows = Rows::of_floats(matrix, size);
        let norms = norms_of(&rows, 0..rows.len());
        Self::with_norms(words, rows, size, norms, counts, (settings, history))
    }

    /// `norms` are those of [`norms_of`].
    fn with_norms(
        words: Words,
        rows: Rows,
        size: usize,
        norms: Vec<f32>,
        counts: Vec<u64>,
        (settings, history): (Value, Vec<f64>),
    ) -> Self {
        let longest = norms.iter().copied().fold(0.0, f32::max);
        let (sketch, asked) = (OnceLock::new(), AtomicUsize::new(0));
        Self {
            words,
            counts,
            rows,
            size,
            norms,
            longest,
            settings,
            history,
            ngrams: None,
            kernels: Kernels::best(),
            sketch,
            asked,
        }
    }

    /// How many words have a vector.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.words.len() == 0
    }

    /// Numbers in a vector.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The words, in row order.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// How often each word occurs in the corpus.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All vectors as floats, one row after the other; those with fewer bits are written out once, and stay.
    pub fn matrix(&self) -> &[f32] {
        self.rows.all()
    }

    /// The vector in a row.
    pub fn row(&self, row: usize) -> Cow<'_, [f32]> {
        self.rows.row(row)
    }

    /// Appends the vectors in some rows.
    pub fn append_rows(&self, rows: &[usize], numbers: &mut Vec<f32>) {
        let mut reader = self.rows.reader();
        for &row in rows {
            numbers.extend_from_slice(reader.row(row));
        }
    }

    /// How the numbers are stored, if with fewer bits.
    pub fn stored(&self) -> Option<&'static str> {
        self.rows.packed().map(Packed::name)
    }

    /// The same words with numbers that are stored so.
    pub fn with_numbers(&self, packed: Packed) -> Result<Self> {
        let mut settings = self.settings.clone();
        if let Value::Object(settings) = &mut settings {
            settings.insert("stored".to_owned(), packed.name().into());
        }
        let rows = Rows::of_packed(packed, self.len(), self.size)
            .map_err(|reason| Error::parameter("numbers", "must fit the vectors", reason))?;
        let (words, counts, norms) =
            (self.words.clone(), self.counts.clone(), norms_of(&rows, 0..rows.len()));
        let facts = (settings, self.history.clone());
        Ok(Self::with_norms(words, rows, self.size, norms, counts, facts).with_ngrams_of(self))
    }

    /// The Euclidean length of each vector.
    pub fn norms(&self) -> &[f32] {
        &self.norms
    }

    /// What the vectors were made with.
    pub fn settings(&self) -> &Value {
        &self.settings
    }

    /// The mean loss of each epoch; empty where it is not known.
    pub fn history(&self) -> &[f64] {
        &self.history
    }
}
