//! The words of a vocabulary, and the row of each.

use xxhash_rust::xxh3::xxh3_64;

use crate::simd::prefetch_value;

/// A free place. No row is so large.
const EMPTY: u64 = u64::MAX;

/// The upper half of a place holds that of the hash: words that differ are seldom compared.
const HASH: u64 = 0xFFFF_FFFF_0000_0000;

/// Words whose places are fetched at once while a table is filled.
const AHEAD: usize = 32;

/// Distinct words in row order, found by their bytes.
#[derive(Clone, Debug)]
pub struct Words {
    text: String,
    /// Where each word starts, and where the last one ends.
    offsets: Vec<u64>,
    /// Open addressing: rows, below the upper half of the hash, at the place that the hash of the word names
    /// or after it.
    table: Vec<u64>,
}

/// Rows whose word stands in an earlier row too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// The rows, rising.
    pub rows: Vec<usize>,
    /// The word of the first of them.
    pub first: Option<String>,
}

impl Words {
    /// The words in this order, or the word that occurs twice.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut text = String::new();
        let mut offsets = vec![0];
        for word in words {
            text.push_str(word);
            offsets.push(text.len() as u64);
        }
        Self::from_parts(text, offsets)
    }

    /// The same from one text; `offsets` rise from 0 to its length and lie between characters.
    pub(super) fn from_parts(text: String, offsets: Vec<u64>) -> Result<Self, String> {
        let mut words = Self::without_table(text, offsets);
        match words.fill() {
            Repeated { first: Some(word), .. } => Err(word),
            Repeated { first: None, .. } => Ok(words),
        }
    }

    fn without_table(text: String, offsets: Vec<u64>) -> Self {
        let table = vec![EMPTY; (2 * (offsets.len() - 1)).next_power_of_two().max(2)];
        Self { text, offsets, table }
    }

    /// Enters all words; returns those that stand in an earlier row too.
    fn fill(&mut self) -> Repeated {
        let (mut repeated, mut hashes) = (Repeated::default(), [0; AHEAD]);
        let mask = self.table.len() - 1;
        for start in (0..self.len()).step_by(AHEAD) {
            let rows = start..self.len().min(start + AHEAD);
            for (hash, row) in hashes.iter_mut().zip(rows.clone()) {
                *hash = xxh3_64(self.word(row).as_bytes());
                prefetch_value(&self.table[*hash as usize & mask]);
            }
            for (&hash, row) in hashes.iter().zip(rows) {
                let place = self.place(self.word(row), hash);
                if self.table[place] == EMPTY {
                    self.table[place] = hash & HASH | row as u64;
                } else {
                    repeated.first.get_or_insert_with(|| self.word(row).to_owned());
                    repeated.rows.push(row);
                }
            }
        }
        repeated
    }

    /// The same, but of words that occur twice the first is kept; also which rows were not.
    pub(super) fn first_of_each(text: String, offsets: Vec<u64>) -> (Self, Repeated) {
        let mut words = Self::without_table(text, offsets);
        let repeated = words.fill();
        if repeated.rows.is_empty() {
            return (words, repeated);
        }
        let (mut text, mut offsets) = (String::with_capacity(words.text.len()), vec![0]);
        let mut skipped = repeated.rows.iter().copied().peekable();
        for row in 0..words.len() {
            if skipped.next_if_eq(&row).is_none() {
                text.push_str(words.word(row));
                offsets.push(text.len() as u64);
            }
        }
        (Self::first_of_each(text, offsets).0, repeated)
    }

    /// Where the word with this hash stands in the table, or the free place where it would stand.
    fn place(&self, word: &str, hash: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let entry = self.table[place];
            let is_alike = entry & HASH == hash & HASH;
            if entry == EMPTY || is_alike && self.word((entry & !HASH) as usize) == word {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word in a row.
    pub fn word(&self, row: usize) -> &str {
        &self.text[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// The row of a word.
    pub fn row(&self, word: &str) -> Option<usize> {
        let entry = self.table[self.place(word, xxh3_64(word.as_bytes()))];
        (entry != EMPTY).then_some((entry & !HASH) as usize)
    }

    /// All words, in row order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|row| self.word(row))
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn offsets(&self) -> &[u64] {
        &self.offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_a_word() {
        let all = ["a", "", " ", "a b", "nul\0", "\n", "é", "e\u{301}", "\u{1F600}"];
        let words = Words::new(all).unwrap();
        for (row, word) in all.iter().enumerate() {
            assert_eq!((words.word(row), words.row(word)), (*word, Some(row)));
        }
        assert_eq!(words.row("b"), None);
        assert_eq!(Words::new(["a", "b", "a"]).unwrap_err(), "a");
        assert_eq!(Words::new([]).unwrap().row("a"), None);
    }

    #[test]
    fn of_words_that_repeat_the_first_is_kept() {
        let (words, repeated) = Words::first_of_each("abaccb".into(), vec![0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(words.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!((words.row("c"), words.row("d")), (Some(2), None));
        assert_eq!(repeated, Repeated { rows: vec![2, 4, 5], first: Some("a".into()) });
    }
}
