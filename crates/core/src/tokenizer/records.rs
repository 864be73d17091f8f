//! Pieces that do not fit a slot: long ones, and short ones of many tokens.
//!
//! Records lie one behind the other in memory of a fixed size, an index of lines says where. When the memory
//! is full all are forgotten and it is filled anew, which is as quick as the index is small.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::lines::{LINE, Lines, Word};
use crate::error::Result;

/// Pieces up to this many bytes are kept.
pub(super) const MOST_BYTES: usize = 255;
/// Tokens that are kept of a piece.
const MOST_IDS: usize = 255;
/// Lines of the records: 16 MB. In many languages a piece takes about one with its ids.
const LINES: usize = 1 << 18;
/// Lines of the index, 2 MB: a record takes four words at least, half of the time many more.
const INDEX_LINES: usize = 1 << 15;
/// Bits of the number of bytes and of the number of ids in the first word of a record.
const NUMBER_BITS: u32 = 16;

/// Where a record lies, as long as nothing was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) word: u32,
    pub(super) age: u32,
}

/// A bounded memory of pieces with their ids.
#[derive(Debug)]
pub(super) struct Records {
    /// Words of the hash of a piece and, from 1, the place of its record; the newest come first.
    index: Lines,
    memory: Lines,
    used: usize,
    /// How often all was forgotten.
    age: u32,
}

impl Records {
    pub(super) fn new() -> Result<Self> {
        let (index, memory) = (Lines::new(INDEX_LINES, INDEX_LINES)?, Lines::new(LINES, LINES)?);
        Ok(Self { index, memory, used: 0, age: 0 })
    }

    /// Has the line of a piece fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u32) {
        self.index.prefetch(hash as usize);
    }

    /// Has the record of a piece fetched.
    #[inline]
    pub(super) fn prefetch_record(&self, hash: u32) {
        if let Some(word) = self.listed(hash).next() {
            self.memory.prefetch_word(word);
        }
    }

    /// Where the records lie that are listed with a hash, the newest first.
    #[inline]
    fn listed(&self, hash: u32) -> impl Iterator<Item = usize> {
        let entries = self.index.get(hash as usize).iter().map(|&entry| u64::from_le_bytes(entry));
        entries
            .filter(move |entry| (entry >> 32) as u32 == hash && *entry as u32 != 0)
            .map(|entry| entry as u32 as usize - 1)
    }

    /// The record of a piece.
    #[inline]
    pub(super) fn find(&self, hash: u32, piece: &[u8]) -> Option<Record<'_>> {
        let words = self.memory.words();
        self.listed(hash).map(|word| Record(&words[word..])).find(|record| record.bytes() == piece)
    }

    /// Writes the ids of a piece to `ids` and returns their number, or zero if it has no record or too many ids.
    #[inline]
    pub(super) fn copy<const MOST: usize>(
        &self,
        hash: u32,
        piece: &[u8],
        ids: &mut [u32; MOST],
    ) -> usize {
        let Some(record) = self.find(hash, piece).filter(|record| record.sizes().1 <= MOST) else {
            return 0;
        };
        for (to, id) in ids.iter_mut().zip(record.ids()) {
            *to = id;
        }
        record.sizes().1
    }

    /// The record at a place, unless it was forgotten.
    #[inline]
    pub(super) fn at(&self, place: Place) -> Option<Record<'_>> {
        (place.age == self.age).then(|| Record(&self.memory.words()[place.word as usize..]))
    }

    /// Keeps the ids of a piece that is not known yet, if they are not too many.
    pub(super) fn insert(&mut self, piece: &[u8], ids: &[u32]) -> Option<Place> {
        if !(1..=MOST_IDS).contains(&ids.len()) || piece.len() > MOST_BYTES {
            return None;
        }
        let length = 1 + piece.len().div_ceil(8) + ids.len().div_ceil(2);
        if self.used + length > self.memory.words().len() {
            self.forget();
        }
        let place = Place { word: self.used as u32, age: self.age };
        let record = &mut self.memory.words_mut()[self.used..self.used + length];
        let (numbers, rest) = record.as_flattened_mut().split_at_mut(8);
        let sizes = (piece.len() as u64) << NUMBER_BITS | ids.len() as u64;
        numbers.copy_from_slice(&sizes.to_le_bytes());
        let (bytes, known) = rest.split_at_mut(piece.len().next_multiple_of(8));
        bytes[..piece.len()].copy_from_slice(piece);
        for (known, id) in known.as_chunks_mut().0.iter_mut().zip(ids) {
            *known = id.to_le_bytes();
        }
        self.used += length;
        Some(place)
    }

    /// Lets a record be found by the hash of its piece.
    pub(super) fn list(&mut self, hash: u32, place: Place) {
        let line = self.index.get_mut(hash as usize, LINE);
        line.copy_within(..LINE - 1, 1);
        line[0] = (u64::from(hash) << 32 | u64::from(place.word + 1)).to_le_bytes();
    }

    #[cold]
    fn forget(&mut self) {
        (self.used, self.age) = (0, self.age.wrapping_add(1));
        for line in 0..self.index.len() {
            self.index.get_mut(line, LINE).fill([0; 8]);
        }
    }
}

/// What is kept of a piece: a word with the numbers of bytes and ids, the bytes, the ids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a>(&'a [Word]);

impl<'a> Record<'a> {
    #[inline]
    fn sizes(self) -> (usize, usize) {
        let sizes = u64::from_le_bytes(self.0[0]);
        ((sizes >> NUMBER_BITS) as usize, (sizes & ((1 << NUMBER_BITS) - 1)) as usize)
    }

    #[inline]
    fn bytes(self) -> &'a [u8] {
        &self.0[1..].as_flattened()[..self.sizes().0]
    }

    #[inline]
    pub(super) fn ids(self) -> impl Iterator<Item = u32> {
        let (bytes, count) = self.sizes();
        let ids = self.0[1 + bytes.div_ceil(8)..].as_flattened().as_chunks().0;
        ids[..count].iter().map(|&id| u32::from_le_bytes(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_memory_is_filled_anew() {
        let mut records = Records::new().unwrap();
        let piece = |number: u32| format!("{number}{}", "x".repeat(number as usize % 240));
        let ids = |number: u32| (0..=number % 200).collect::<Vec<_>>();
        let mut places = Vec::new();
        for number in 0..60_000 {
            let (piece, ids) = (piece(number), ids(number));
            assert!(records.find(number % 1000, piece.as_bytes()).is_none());
            let place = records.insert(piece.as_bytes(), &ids).unwrap();
            records.list(number % 1000, place);
            let found = records.find(number % 1000, piece.as_bytes()).unwrap();
            assert!(found.ids().eq(ids));
            places.push(place);
        }
        assert!(records.age > 0);
        for (number, &place) in (0..).zip(&places) {
            assert_eq!(records.at(place).is_some(), place.age == records.age);
            if let Some(record) = records.at(place) {
                assert_eq!(record.bytes(), piece(number).as_bytes());
                assert!(record.ids().eq(ids(number)));
            }
        }
        assert_eq!(records.insert(&[b'x'; 256], &[1]), None);
        assert_eq!(records.insert(b"x", &[1; 256]), None);
        assert_eq!(records.insert(b"x", &[]), None);
    }
}
