//! Vectors of n-grams, from which words without a vector of their own get one.

use std::borrow::Cow;
use std::sync::Arc;

use super::WordVectors;
use super::mapped::Matrix;
use super::packed::Packed;
use super::rows::Rows;
use crate::error::{Error, Result};
use crate::simd::Kernels;
use crate::subword::{Combine, Part, Parts, Table};

/// The n-grams of a model with their vectors.
#[derive(Debug)]
pub struct Ngrams {
    table: Table,
    rows: Rows,
    size: usize,
}

impl Ngrams {
    /// N-grams with vectors of `size` numbers, one row of `matrix` after the other.
    pub fn new(table: Table, matrix: Vec<f32>, size: usize) -> Self {
        Self::assemble(table, Matrix::Owned(matrix), size)
    }

    pub(super) fn assemble(table: Table, matrix: Matrix, size: usize) -> Self {
        Self::of_rows(table, Rows::of_floats(matrix, size), size)
    }

    pub(super) fn of_rows(table: Table, rows: Rows, size: usize) -> Self {
        Self { table, rows, size }
    }

    /// The same n-grams with numbers that are stored so.
    pub fn with_numbers(&self, packed: Packed) -> Result<Self> {
        let rows = Rows::of_packed(packed, self.rows(), self.size)
            .map_err(|reason| Error::parameter("numbers", "must fit the n-grams", reason))?;
        Ok(Self::of_rows(self.table.clone(), rows, self.size))
    }

    /// The n-grams and their rows.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The vectors of all rows as floats, one after the other; see [`WordVectors::matrix`].
    pub fn matrix(&self) -> &[f32] {
        self.rows.all()
    }

    pub(super) fn stored(&self) -> &Rows {
        &self.rows
    }

    /// Numbers in a vector.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The vector in a row.
    pub fn row(&self, row: u32) -> Cow<'_, [f32]> {
        self.rows.row(row as usize)
    }

    /// The n-grams of a word and their rows.
    pub fn parts(&self, word: &str) -> Vec<Part> {
        self.table.parts(word)
    }

    /// The vector of a word by its n-grams alone; `None` where none of them has a vector.
    pub fn vector(&self, word: &str) -> Option<Vec<f32>> {
        let mut parts = Parts::default();
        self.table.find(word.as_bytes(), &mut parts);
        if parts.rows.is_empty() {
            return None;
        }
        let mut vector = vec![0.0; self.size];
        self.compose(&parts, None, &mut vector);
        Some(vector)
    }

    /// Puts vectors together in place of what `vector` holds; `own` is that of the word itself.
    ///
    /// Sums are taken in fastText's order and in its precision, so that its models give its numbers.
    pub(crate) fn compose(&self, parts: &Parts, own: Option<&[f32]>, vector: &mut [f32]) {
        match own {
            Some(own) => vector.copy_from_slice(own),
            None => vector.fill(0.0),
        }
        let (kernels, mut reader) = (Kernels::best(), self.rows.reader());
        for &row in &parts.rows {
            kernels.add_scaled(1.0, reader.row(row as usize), vector);
        }
        match self.table.scheme().combine {
            Combine::Sum => {}
            Combine::Mean => {
                let count = parts.count + usize::from(own.is_some());
                if count > 0 {
                    kernels.scale((1.0 / count as f64) as f32, vector);
                }
            }
            Combine::Unit => {
                let length = kernels.dot(vector, vector).sqrt();
                if length > 0.0 {
                    kernels.scale(1.0 / length, vector);
                }
            }
        }
    }
}

impl WordVectors {
    /// The same vectors, and n-grams from which unseen words get theirs.
    pub fn with_ngrams(mut self, ngrams: Ngrams) -> Result<Self> {
        if ngrams.size != self.size {
            let rule = format!("must have {} numbers in a row, as the vectors do", self.size);
            return Err(Error::parameter("ngrams", rule, ngrams.size));
        }
        self.ngrams = Some(Arc::new(ngrams));
        Ok(self)
    }

    /// The same vectors, and the n-grams of others, if these have any and their size fits.
    #[must_use]
    pub fn with_ngrams_of(mut self, others: &Self) -> Self {
        if others.size == self.size {
            self.ngrams.clone_from(&others.ngrams);
        }
        self
    }

    /// The n-grams, where unseen words get vectors from them.
    pub fn ngrams(&self) -> Option<&Ngrams> {
        self.ngrams.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subword::{Index, Scheme};
    use crate::vectors::Words;

    fn explicit() -> Ngrams {
        let ngrams = Words::new(["<wh", "her", "<where>"]).unwrap();
        let index = Index::Text { ngrams, rows: None };
        let table = Table::new(Scheme::explicit(3, 6), index, 3).unwrap();
        Ngrams::new(table, vec![1.0, 0.0, 0.0, 2.0, 4.0, 4.0], 2)
    }

    #[test]
    fn explicit_ngrams_are_summed_and_unknown_words_have_none() {
        let ngrams = explicit();
        assert_eq!(ngrams.vector("where"), Some(vec![5.0, 6.0]));
        assert_eq!(ngrams.vector("whether"), Some(vec![1.0, 2.0]));
        assert_eq!(ngrams.vector("xyz"), None);
        assert_eq!(ngrams.vector(""), None);
    }

    #[test]
    fn hashed_ngrams_are_averaged_over_all_or_over_those_with_a_row() {
        for (dropped, expected) in [(false, 1.0), (true, 2.0)] {
            let index = Index::Some {
                buckets: vec![crate::subword::hash::fasttext(b"ab>") % 1000],
                dropped,
            };
            let table = Table::new(Scheme::fasttext(3, 3, 1000), index, 1).unwrap();
            assert_eq!(Ngrams::new(table, vec![2.0], 1).vector("ab"), Some(vec![expected]));
        }
    }

    #[test]
    fn sizes_must_agree() {
        let words = WordVectors::new(["a"], vec![1.0], 1, vec![0], serde_json::json!({}), vec![]);
        assert!(words.unwrap().with_ngrams(explicit()).is_err());
    }
}
