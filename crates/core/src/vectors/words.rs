//! The words of a vocabulary, and the row of each.

use xxhash_rust::xxh3::xxh3_64;

const EMPTY: u32 = u32::MAX;

/// Distinct words in row order, found by their bytes.
#[derive(Clone, Debug)]
pub struct Words {
    text: String,
    /// Where each word starts, and where the last one ends.
    offsets: Vec<u64>,
    /// Open addressing: rows, at the place that the hash of the word names or after it.
    table: Vec<u32>,
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
        let rows = offsets.len() - 1;
        let table = vec![EMPTY; (2 * rows).next_power_of_two().max(2)];
        let mut words = Self { text, offsets, table };
        for row in 0..rows {
            let place = words.place(words.word(row));
            if words.table[place] != EMPTY {
                return Err(words.word(row).to_owned());
            }
            words.table[place] = row as u32;
        }
        Ok(words)
    }

    /// The same, but of words that occur twice the first is kept; also which rows were not.
    pub(super) fn first_of_each(text: String, offsets: Vec<u64>) -> (Self, Repeated) {
        let rows = offsets.len() - 1;
        let table = vec![EMPTY; (2 * rows).next_power_of_two().max(2)];
        let mut words = Self { text, offsets, table };
        let mut repeated = Repeated::default();
        for row in 0..rows {
            let place = words.place(words.word(row));
            if words.table[place] == EMPTY {
                words.table[place] = row as u32;
            } else {
                repeated.first.get_or_insert_with(|| words.word(row).to_owned());
                repeated.rows.push(row);
            }
        }
        if repeated.rows.is_empty() {
            return (words, repeated);
        }
        let (mut text, mut offsets) = (String::with_capacity(words.text.len()), vec![0]);
        let mut skipped = repeated.rows.iter().copied().peekable();
        for row in 0..rows {
            if skipped.next_if_eq(&row).is_none() {
                text.push_str(words.word(row));
                offsets.push(text.len() as u64);
            }
        }
        (Self::first_of_each(text, offsets).0, repeated)
    }

    /// Where the word stands in the table, or the free place where it would stand.
    fn place(&self, word: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut place = xxh3_64(word.as_bytes()) as usize & mask;
        while self.table[place] != EMPTY && self.word(self.table[place] as usize) != word {
            place = (place + 1) & mask;
        }
        place
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
        let row = self.table[self.place(word)];
        (row != EMPTY).then_some(row as usize)
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
