//! The rows that the n-grams of a word have in a model.

use rustc_hash::FxHashSet;

use super::scheme::{Combine, Naming, Scheme};
use super::{hash, ngrams};
use crate::vectors::Words;

/// Which n-grams, or which buckets of them, have a row.
#[derive(Clone, Debug)]
pub enum Index {
    /// Every bucket; its number is its row.
    All,
    /// Some buckets, rising; the place of one among them is its row.
    Some {
        /// The numbers of the buckets.
        buckets: Vec<u32>,
        /// Whether n-grams without a row are left out as if they did not occur; otherwise they count as zeros.
        dropped: bool,
    },
    /// These n-grams; the place of one among them is its row, unless `rows` names another.
    Text {
        /// The n-grams.
        ngrams: Words,
        /// The row of each.
        rows: Option<Vec<u32>>,
    },
}

/// The n-grams of a model and their rows.
#[derive(Clone, Debug)]
pub struct Table {
    scheme: Scheme,
    index: Index,
}

/// The rows of a word's n-grams, and room to find them; made once and used for many words.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    marked: Vec<u8>,
    /// The rows of the n-grams that have one, in the order of the n-grams.
    pub rows: Vec<u32>,
    /// What a mean over the n-grams divides by.
    pub count: usize,
}

/// An n-gram of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its text.
    pub ngram: String,
    /// Its rows; several only where an n-gram has several hashes.
    pub rows: Vec<u32>,
}

impl Table {
    /// A table over `rows` rows, or what is wrong with it.
    pub fn new(scheme: Scheme, index: Index, rows: usize) -> Result<Self, String> {
        scheme.check()?;
        let (needed, what) = match &index {
            Index::All => {
                (scheme.buckets().map_or(usize::MAX, |buckets| buckets as usize), "buckets")
            }
            Index::Some { buckets, .. } => {
                let rising = buckets.windows(2).all(|pair| pair[0] < pair[1]);
                let within = |last: &u32| scheme.buckets().is_some_and(|buckets| *last < buckets);
                if !rising || !buckets.last().is_none_or(within) {
                    return Err(
                        "the numbers of buckets do not rise, or leave their range".to_owned()
                    );
                }
                (buckets.len(), "buckets")
            }
            Index::Text { ngrams, rows: None } => (ngrams.len(), "n-grams"),
            Index::Text { ngrams, rows: Some(named) } => {
                let outside = named.iter().any(|&row| row as usize >= rows);
                (if outside || named.len() != ngrams.len() { usize::MAX } else { rows }, "n-grams")
            }
        };
        if matches!(index, Index::Text { .. }) != matches!(scheme.naming, Naming::Text) {
            return Err("the n-grams are named in one way and kept in another".to_owned());
        }
        if needed != rows {
            return Err(format!("{rows} rows do not fit the {what}"));
        }
        Ok(Self { scheme, index })
    }

    /// How words are cut.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Which n-grams have a row.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Finds the rows of the n-grams of a word.
    pub fn find(&self, word: &[u8], parts: &mut Parts) {
        let Parts { marked, rows, count } = parts;
        rows.clear();
        *count = 0;
        let rows_each = match self.scheme.naming {
            Naming::Floret { hashes, .. } => hashes as usize,
            _ => 1,
        };
        self.each(word, marked, |_, found| {
            *count += rows_each;
            rows.extend(found);
        });
        if self.scheme.combine == Combine::Sum {
            keep_first_of_each(rows);
        }
        if let Index::Some { dropped: true, .. } = self.index {
            *count = rows.len();
        }
    }

    /// The n-grams of a word with their rows, each n-gram once where they are summed.
    pub fn parts(&self, word: &str) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        self.each(word.as_bytes(), &mut Vec::new(), |ngram, rows| {
            let ngram = String::from_utf8_lossy(ngram).into_owned();
            parts.push(Part { ngram, rows: rows.collect() });
        });
        if self.scheme.combine == Combine::Sum {
            let mut seen = FxHashSet::default();
            parts.retain(|part| seen.insert(part.ngram.clone()));
        }
        parts
    }

    /// Calls `visit` with each n-gram and the rows that it has.
    fn each(
        &self,
        word: &[u8],
        marked: &mut Vec<u8>,
        mut visit: impl FnMut(&[u8], &mut dyn Iterator<Item = u32>),
    ) {
        let Scheme { begin, end, min_n, max_n, whole_word, .. } = &self.scheme;
        if !self.scheme.cuts(word) {
            return;
        }
        marked.clear();
        marked.extend_from_slice(begin.as_bytes());
        marked.extend_from_slice(word);
        marked.extend_from_slice(end.as_bytes());
        let mut visit = |ngram: &[u8]| visit(ngram, &mut self.rows_of(ngram).into_iter().flatten());
        if *whole_word {
            visit(marked);
        }
        ngrams::each(marked, *min_n, *max_n, self.scheme.lone_marks(), visit);
    }

    /// The rows of an n-gram, of which there are at most four.
    fn rows_of(&self, ngram: &[u8]) -> [Option<u32>; 4] {
        let one = |row| [row, None, None, None];
        match self.scheme.naming {
            Naming::FastText { buckets } => {
                one(self.row_of_bucket(hash::fasttext(ngram) % buckets))
            }
            Naming::Floret { buckets, hashes, seed } => {
                let mut rows = [None; 4];
                let found =
                    hash::floret(ngram, seed).map(|hash| self.row_of_bucket(hash % buckets));
                rows[..hashes as usize].copy_from_slice(&found[..hashes as usize]);
                rows
            }
            Naming::Finalfusion { exponent } => {
                let hash = hash::finalfusion(&String::from_utf8_lossy(ngram));
                one(self.row_of_bucket((hash & ((1 << exponent) - 1)) as u32))
            }
            Naming::Text => {
                one(str::from_utf8(ngram).ok().and_then(|ngram| self.row_of_text(ngram)))
            }
        }
    }

    /// The row of a bucket, if it has one.
    pub fn row_of_bucket(&self, bucket: u32) -> Option<u32> {
        match &self.index {
            Index::All => Some(bucket),
            Index::Some { buckets, .. } => {
                buckets.binary_search(&bucket).ok().map(|place| place as u32)
            }
            Index::Text { .. } => None,
        }
    }

    /// The row of an n-gram that is kept by its text, if it has one.
    pub fn row_of_text(&self, ngram: &str) -> Option<u32> {
        let Index::Text { ngrams, rows } = &self.index else { return None };
        let place = ngrams.row(ngram)?;
        Some(rows.as_ref().map_or(place as u32, |rows| rows[place]))
    }
}

fn keep_first_of_each(rows: &mut Vec<u32>) {
    let mut seen = FxHashSet::default();
    rows.retain(|&row| seen.insert(row));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(table: &Table, word: &str) -> (Vec<u32>, usize) {
        let mut parts = Parts::default();
        table.find(word.as_bytes(), &mut parts);
        (parts.rows, parts.count)
    }

    #[test]
    fn buckets_are_those_of_fasttext() {
        let table = Table::new(Scheme::fasttext(3, 6, 4000), Index::All, 4000).unwrap();
        let expected = [5574, 4149, 3383, 4403, 3357, 2703].map(|row| row - 2423);
        assert_eq!(found(&table, "the"), (expected.to_vec(), 6));
        assert_eq!(found(&table, "</s>"), (vec![], 0));
        let some = |dropped| {
            let buckets = vec![2703 - 2423, 4149 - 2423];
            let index = Index::Some { buckets, dropped };
            Table::new(Scheme::fasttext(3, 6, 4000), index, 2).unwrap()
        };
        assert_eq!(found(&some(false), "the"), (vec![1, 0], 6));
        assert_eq!(found(&some(true), "the"), (vec![1, 0], 2));
        let parts = some(true).parts("the");
        assert_eq!(parts[1], Part { ngram: "<the".into(), rows: vec![1] });
        assert_eq!(parts[2], Part { ngram: "<the>".into(), rows: vec![] });
    }

    #[test]
    fn rows_of_floret_are_several_and_hold_the_whole_word() {
        let naming = Naming::Floret { buckets: 4000, hashes: 2, seed: 2_166_136_261 };
        let scheme = Scheme { naming, whole_word: true, ..Scheme::fasttext(4, 5, 4000) };
        let table = Table::new(scheme, Index::All, 4000).unwrap();
        let expected = [3761, 5601, 3235, 3526, 3761, 5601, 5317, 5523].map(|row| row - 2423);
        assert_eq!(found(&table, "the"), (expected.to_vec(), 8));
        let ngrams: Vec<String> = table.parts("the").into_iter().map(|part| part.ngram).collect();
        assert_eq!(ngrams, ["<the>", "<the", "<the>", "the>"]);
    }

    #[test]
    fn explicit_ngrams_count_once() {
        let ngrams = Words::new(["ana", "<ba", "<banana>"]).unwrap();
        let index = Index::Text { ngrams, rows: None };
        let table = Table::new(Scheme::explicit(3, 3), index, 3).unwrap();
        assert_eq!(found(&table, "banana").0, [2, 1, 0]);
        assert_eq!(table.parts("banana").iter().filter(|part| part.ngram == "ana").count(), 1);
        assert!(found(&table, "xyz").0.is_empty());
    }

    #[test]
    fn tables_that_cannot_be_are_refused() {
        let hashed = || Scheme::fasttext(3, 6, 10);
        let some = |buckets| Index::Some { buckets, dropped: true };
        let text = |rows| Index::Text { ngrams: Words::new(["abc"]).unwrap(), rows };
        for (scheme, index, rows) in [
            (hashed(), Index::All, 9),
            (hashed(), some(vec![1, 1]), 2),
            (hashed(), some(vec![10]), 1),
            (hashed(), some(vec![1]), 2),
            (hashed(), text(None), 1),
            (Scheme::explicit(3, 6), Index::All, 1),
            (Scheme::explicit(3, 6), text(None), 2),
            (Scheme::explicit(3, 6), text(Some(vec![2])), 2),
            (Scheme::explicit(6, 3), text(None), 1),
            (Scheme::fasttext(3, 6, 0), Index::All, 0),
        ] {
            assert!(Table::new(scheme, index, rows).is_err());
        }
    }
}
