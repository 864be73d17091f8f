//! How often each piece of a corpus occurs, and where it occurs first.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::Splitter;
use crate::corpus::{Batch, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer};

/// The distinct pieces of a corpus, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct PieceCounts {
    text: Vec<u8>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    /// What was read.
    pub report: ReadReport,
}

impl PieceCounts {
    /// Pieces with their counts; none is cut further. A count of zero means that the piece is not there.
    pub fn from_counts<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> Result<Self> {
        let mut counter = Counter::default();
        let mut symbols = 0_u128;
        for (order, (piece, count)) in counts.into_iter().enumerate() {
            symbols += u128::from(count) * (piece.len() as u128 + 1);
            if count > 0 && !piece.is_empty() {
                counter.add(piece.as_bytes(), count, order as u64);
            }
        }
        if symbols >= 1 << 63 {
            return Err(Error::parameter(
                "counts",
                "must stand for less than 2**63 bytes of text in all",
                symbols,
            )
            .with_hint("Divide all counts by the same number"));
        }
        Ok(counter.finish(ReadReport::default()))
    }

    /// The number of distinct pieces.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The bytes of piece number `index`.
    pub fn piece(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// How often piece number `index` occurs.
    pub fn count(&self, index: usize) -> u64 {
        self.counts[index]
    }

    /// The pieces with their counts, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|index| (self.piece(index), self.count(index)))
    }

    /// The bytes of all distinct pieces.
    pub fn distinct_bytes(&self) -> usize {
        self.text.len()
    }

    /// Fails if there is nothing to train on, and says what was found instead.
    pub fn check_not_empty(&self) -> Result<()> {
        if !self.is_empty() {
            return Ok(());
        }
        let documents = self.report.documents;
        Err(Error::corpus(if documents == 0 {
            "the corpus is empty: it holds no text to train on".to_owned()
        } else {
            format!(
                "the corpus holds nothing to train on: its {documents} documents are only white space, \
                 which this split rule drops"
            )
        }))
    }
}

/// Counts the pieces of a corpus with the given number of threads; the result does not depend on it.
pub fn count_pieces(
    stream: &mut dyn DocumentStream,
    splitter: &Splitter,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<PieceCounts> {
    let states = map_in_order(
        stream,
        threads,
        "counting pieces",
        observer,
        || (Counter::default(), ReadReport::default()),
        |(counter, report), batch, monitor| count_batch(counter, report, splitter, batch, monitor),
        Ok,
    )?;
    let mut report = ReadReport::default();
    let mut merged = Counter::default();
    for (counter, part) in states {
        report.merge(part);
        merged.merge(counter);
    }
    Ok(merged.finish(report))
}

/// Pieces between two looks at the wish to stop; under a millisecond of work.
const PIECES_PER_LOOK: u32 = 1 << 14;

fn count_batch(
    counter: &mut Counter,
    report: &mut ReadReport,
    splitter: &Splitter,
    batch: &Batch,
    monitor: &Monitor,
) -> Result<()> {
    let decoded = batch.decode()?;
    report.add(batch, &decoded);
    let mut until_look = PIECES_PER_LOOK;
    for (offset, document) in decoded.documents() {
        report.documents += u64::from(!document.is_empty());
        let start = batch.position + offset as u64;
        for (offset, piece) in splitter.pieces(&splitter.prepared(document)) {
            counter.add(piece.as_bytes(), 1, start + offset as u64);
            until_look -= 1;
            if until_look == 0 {
                if monitor.stopped() {
                    return Err(Error::Cancelled);
                }
                until_look = PIECES_PER_LOOK;
            }
        }
    }
    Ok(())
}

/// A hash table from pieces to counts that allocates only when it grows.
#[derive(Debug, Default)]
struct Counter {
    /// Upper half: part of the hash; lower half: number of the entry plus one, zero if free.
    slots: Vec<u64>,
    entries: Vec<Entry>,
    text: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    start: usize,
    length: usize,
    count: u64,
    first: u64,
}

impl Counter {
    #[inline]
    fn add(&mut self, piece: &[u8], count: u64, position: u64) {
        self.add_hashed(hash(piece), piece, count, position);
    }

    #[inline]
    fn add_hashed(&mut self, hash: u64, piece: &[u8], count: u64, position: u64) {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let tag = hash & !u64::from(u32::MAX);
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == 0 {
                break;
            }
            if found & !u64::from(u32::MAX) == tag {
                let entry = &mut self.entries[(found as u32 - 1) as usize];
                if &self.text[entry.start..entry.start + entry.length] == piece {
                    entry.count += count;
                    entry.first = entry.first.min(position);
                    return;
                }
            }
            slot = (slot + 1) & mask;
        }
        let start = self.text.len();
        self.text.extend_from_slice(piece);
        self.entries.push(Entry { hash, start, length: piece.len(), count, first: position });
        self.slots[slot] = tag | self.entries.len() as u64;
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(1 << 12);
        self.slots.clear();
        self.slots.resize(length, 0);
        for (number, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = entry.hash & !u64::from(u32::MAX) | (number as u64 + 1);
        }
    }

    fn merge(&mut self, other: Self) {
        if self.entries.is_empty() {
            *self = other;
            return;
        }
        for entry in &other.entries {
            let piece = &other.text[entry.start..entry.start + entry.length];
            self.add_hashed(entry.hash, piece, entry.count, entry.first);
        }
    }

    /// Sorted by first position, which no two pieces share.
    fn finish(mut self, report: ReadReport) -> PieceCounts {
        self.entries.sort_unstable_by_key(|entry| entry.first);
        let mut sorted = PieceCounts { report, ..PieceCounts::default() };
        sorted.text.reserve_exact(self.text.len());
        for entry in &self.entries {
            let piece = &self.text[entry.start..entry.start + entry.length];
            sorted.text.extend_from_slice(piece);
            sorted.ends.push(sorted.text.len());
            sorted.counts.push(entry.count);
        }
        sorted
    }
}

/// Fast and the same on every machine; well mixed in the upper half and in the lowest bits.
#[inline]
pub(crate) fn hash(piece: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(piece);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_32_bits_add_up_in_order_of_appearance() {
        let counts = PieceCounts::from_counts([
            ("the", 3_000_000_000),
            ("a", 1),
            ("none", 0),
            ("", 7),
            ("the", 3_000_000_000),
        ])
        .unwrap();
        let listed: Vec<_> = counts.iter().collect();
        assert_eq!(listed, [(b"the".as_slice(), 6_000_000_000), (b"a".as_slice(), 1)]);
        assert!(PieceCounts::from_counts([("the", u64::MAX)]).is_err());
    }

    #[test]
    fn many_pieces_survive_growth_and_merging() {
        let words: Vec<String> = (0..20_000).map(|number| format!("w{number}")).collect();
        let mut parts = [Counter::default(), Counter::default()];
        for (position, word) in words.iter().enumerate() {
            for (part, counter) in parts.iter_mut().enumerate() {
                counter.add(word.as_bytes(), 1 + part as u64, (position * 2 + 1 - part) as u64);
            }
        }
        let mut merged = Counter::default();
        for part in parts {
            merged.merge(part);
        }
        let counts = merged.finish(ReadReport::default());
        assert_eq!(counts.len(), words.len());
        for (index, word) in words.iter().enumerate() {
            assert_eq!((counts.piece(index), counts.count(index)), (word.as_bytes(), 3));
        }
    }
}
