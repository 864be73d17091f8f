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
        self.each(word, marked, |_, row| {
            *count += 1;
            rows.extend(row);
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
        let mut last = None;
        self.each(word.as_bytes(), &mut Vec::new(), |ngram, row| {
            // The rows of one n-gram come one after the other.
            let place = (ngram.as_ptr(), ngram.len());
            if last != Some(place) {
                last = Some(place);
                let ngram = String::from_utf8_lossy(ngram).into_owned();
                parts.push(Part { ngram, rows: Vec::new() });
            }
            if let (Some(part), Some(row)) = (parts.last_mut(), row) {
                part.rows.push(row);
            }
        });
        if self.scheme.combine == Combine::Sum {
            let mut seen = FxHashSet::default();
            parts.retain(|part| seen.insert(part.ngram.clone()));
        }
        parts
    }

    /// Calls `visit` with each n-gram and each of its rows, or `None` where it has none.
    fn each<'a>(
        &self,
        word: &[u8],
        marked: &'a mut Vec<u8>,
        mut visit: impl FnMut(&'a [u8], Option<u32>),
    ) {
        let Scheme { begin, end, min_n, max_n, whole_word, .. } = &self.scheme;
        if !self.scheme.cuts(word) {
            return;
        }
        marked.clear();
        marked.extend_from_slice(begin.as_bytes());
        marked.extend_from_slice(word);
        marked.extend_from_slice(end.as_bytes());
        let marked = &*marked;
        if *whole_word {
            self.rows_of(marked, |row| visit(marked, row));
        }
        ngrams::each(marked, *min_n, *max_n, self.scheme.lone_marks(), |ngram| {
            self.rows_of(ngram, |row| visit(ngram, row));
        });
    }

    fn rows_of(&self, ngram: &[u8], mut visit: impl FnMut(Option<u32>)) {
        match self.scheme.naming {
            Naming::FastText { buckets } => visit(self.row(hash::fasttext(ngram) % buckets)),
            Naming::Floret { buckets, hashes, seed } => {
                for hash in &hash::floret(ngram, seed)[..hashes as usize] {
                    visit(self.row(hash % buckets));
                }
            }
            Naming::Finalfusion { exponent } => {
                let hash = hash::finalfusion(&String::from_utf8_lossy(ngram));
                visit(self.row((hash & ((1 << exponent) - 1)) as u32));
            }
            Naming::Text => {
                let Index::Text { ngrams, rows } = &self.index else { return visit(None) };
                let place = str::from_utf8(ngram).ok().and_then(|ngram| ngrams.row(ngram));
                visit(place.map(|place| rows.as_ref().map_or(place as u32, |rows| rows[place])));
            }
        }
    }

    fn row(&self, bucket: u32) -> Option<u32> {
        match &self.index {
            Index::Some { buckets, .. } => {
                buckets.binary_search(&bucket).ok().map(|place| place as u32)
            }
            _ => Some(bucket),
        }
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
