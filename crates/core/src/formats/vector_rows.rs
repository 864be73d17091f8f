//! What the readers of vector files gather: words, numbers, and what was wrong on the way.

use std::path::Path;

use crate::error::{Error, Place, Result};

/// How many faults are kept with their place; the rest are only counted.
const FAULTS_KEPT: usize = 5;

/// Rows in the order of the file, and what was found out about them.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The words, one after the other.
    pub(crate) text: String,
    /// Where each word ends.
    pub(crate) ends: Vec<u64>,
    /// The numbers, row after row.
    pub(crate) numbers: Vec<f32>,
    /// Rows that were left out because they are damaged.
    pub(crate) faults: Faults,
    /// Words with bytes that are not UTF-8.
    pub(crate) replaced: Replaced,
}

/// Words in which bytes that are not UTF-8 became U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// How many words.
    pub words: u64,
    /// The first of them, as it is now.
    pub first: Option<String>,
}

/// What is wrong with a file that was read leniently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many there are.
    pub count: u64,
    /// The first few, with their place.
    pub first: Vec<(Place, String)>,
}

impl Faults {
    /// Takes note of a fault, or fails with it where none is allowed.
    pub(crate) fn add(
        &mut self,
        path: &Path,
        lenient: bool,
        place: Place,
        reason: impl FnOnce() -> String,
    ) -> Result<()> {
        if !lenient {
            return Err(Error::format(path, place, reason()));
        }
        self.count += 1;
        if self.first.len() < FAULTS_KEPT {
            self.first.push((place, reason()));
        }
        Ok(())
    }
}

impl Rows {
    /// Starts a row; its numbers are in `numbers` already, or follow.
    pub(crate) fn push_word(&mut self, word: &[u8]) {
        if let Ok(word) = simdutf8::basic::from_utf8(word) {
            self.text.push_str(word);
        } else {
            let word = String::from_utf8_lossy(word);
            self.text.push_str(&word);
            self.replaced.words += 1;
            self.replaced.first.get_or_insert_with(|| word.into_owned());
        }
        self.ends.push(self.text.len() as u64);
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The word of the last row.
    pub(crate) fn last_word(&self) -> Option<&str> {
        let before = self.ends.len().checked_sub(2).map_or(0, |row| self.ends[row] as usize);
        self.text.get(before..)
    }

    /// Appends the rows of the next part of a file.
    pub(crate) fn append(&mut self, next: Self) {
        let start = self.text.len() as u64;
        self.text.push_str(&next.text);
        self.ends.extend(next.ends.iter().map(|end| start + end));
        self.numbers.extend_from_slice(&next.numbers);
        self.replaced.words += next.replaced.words;
        if self.replaced.first.is_none() {
            self.replaced.first = next.replaced.first;
        }
    }
}
