//! How often each piece of a corpus occurs, and where it occurs first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::Splitter;
use super::count_table::{self, CountTable, Key, Slot};
use crate::corpus::{Batch, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer};
use crate::simd::level::Portable;

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
        let mut table = CountTable::default();
        let mut symbols = 0_u128;
        for (order, (piece, count)) in counts.into_iter().enumerate() {
            symbols += u128::from(count) * (piece.len() as u128 + 1);
            if count > 0 && !piece.is_empty() {
                table.add(piece.as_bytes(), count, order as u64);
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
        Ok(Self::from_tables(vec![table], ReadReport::default()))
    }

    /// The pieces of tables that have none in common, sorted by first position, which no two pieces share.
    fn from_tables(mut tables: Vec<CountTable>, report: ReadReport) -> Self {
        let sorted: Vec<_> = tables.iter_mut().map(CountTable::take_sorted).collect();
        let mut counts = Self::with_room(sorted.iter().map(Vec::len).sum(), report);
        let mut next: BinaryHeap<_> = sorted
            .iter()
            .enumerate()
            .filter_map(|(table, slots)| Some(Reverse((slots.first()?.first, table, 0))))
            .collect();
        while let Some(mut top) = next.peek_mut() {
            let Reverse((_, table, place)) = *top;
            counts.push(&tables[table], &sorted[table][place]);
            match sorted[table].get(place + 1) {
                Some(slot) => *top = Reverse((slot.first, table, place + 1)),
                None => drop(PeekMut::pop(top)),
            }
        }
        counts.text.shrink_to_fit();
        counts
    }

    /// The pieces of a table whose first places are the numbers from 0 on.
    pub(crate) fn from_numbered(mut table: CountTable) -> Self {
        let slots = table.take_numbered();
        let mut counts = Self::with_room(slots.len(), ReadReport::default());
        for slot in &slots {
            counts.push(&table, slot);
        }
        counts
    }

    fn with_room(pieces: usize, report: ReadReport) -> Self {
        let (ends, counts) = (Vec::with_capacity(pieces), Vec::with_capacity(pieces));
        Self { text: Vec::new(), ends, counts, report }
    }

    fn push(&mut self, table: &CountTable, slot: &Slot) {
        table.write(slot, &mut self.text);
        self.ends.push(self.text.len());
        self.counts.push(slot.count);
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

    /// Piece number `index` as text, which it is unless it was cut into bytes.
    pub(crate) fn name(&self, index: usize) -> String {
        String::from_utf8_lossy(self.piece(index)).into_owned()
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
    count(stream, threads, observer, |counter, batch, monitor| {
        counter.count_batch(splitter, batch, monitor)
    })
}

/// The same for documents that `cut` cuts: it tells of each piece, and asks now and then whether to go on.
pub(crate) fn count_cut(
    stream: &mut dyn DocumentStream,
    threads: usize,
    observer: &mut dyn Observer,
    cut: impl Fn(&str, &mut dyn FnMut() -> Result<()>, &mut dyn FnMut(&str)) -> Result<()> + Sync,
) -> Result<PieceCounts> {
    count(stream, threads, observer, |counter, batch, monitor| {
        counter.count_cut_batch(&cut, batch, monitor)
    })
}

fn count(
    stream: &mut dyn DocumentStream,
    threads: usize,
    observer: &mut dyn Observer,
    work: impl Fn(&mut Counter, &Batch, &Monitor) -> Result<()> + Sync,
) -> Result<PieceCounts> {
    let counters =
        map_in_order(stream, threads, "counting pieces", observer, Counter::new, work, Ok)?;
    let (mut report, mut tables) = (ReadReport::default(), Vec::with_capacity(counters.len()));
    for counter in counters {
        report.merge(counter.report);
        tables.push(counter.table);
    }
    Ok(PieceCounts::from_tables(count_table::merge(tables, threads), report))
}

/// Pieces between two looks at the wish to stop; under a millisecond of work.
const PIECES_PER_LOOK: u32 = 1 << 14;
/// Pieces whose slots are fetched ahead; enough to hide the way to memory.
const PIECES_PER_BLOCK: usize = 64;

/// A piece on its way to the table.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    key: Key,
    hash: u64,
    start: usize,
    end: usize,
}

/// What one thread counts with.
#[derive(Debug)]
struct Counter {
    table: CountTable,
    report: ReadReport,
    block: [Met; PIECES_PER_BLOCK],
    until_look: u32,
}

impl Counter {
    fn new() -> Self {
        Self {
            table: CountTable::default(),
            report: ReadReport::default(),
            block: [Met::default(); PIECES_PER_BLOCK],
            until_look: PIECES_PER_LOOK,
        }
    }

    fn count_batch(&mut self, splitter: &Splitter, batch: &Batch, monitor: &Monitor) -> Result<()> {
        let decoded = batch.decode()?;
        self.report.add(batch, &decoded);
        let text = decoded.text.as_bytes();
        let mut waiting = 0;
        for (offset, document) in decoded.documents() {
            self.report.documents += u64::from(!document.is_empty());
            if let Cow::Owned(changed) = splitter.prepared(document) {
                let place = (batch.position + offset as u64, document.len());
                self.count_changed(splitter, &changed, place, monitor)?;
                continue;
            }
            for (start, piece) in splitter.pieces(document) {
                if piece.is_empty() {
                    continue;
                }
                let (start, end) = (offset + start, offset + start + piece.len());
                let key = Key::new(Portable, text, start, end);
                let hash = self.table.hash(key);
                self.table.prefetch(hash);
                self.block[waiting] = Met { key, hash, start, end };
                waiting += 1;
                if waiting == PIECES_PER_BLOCK {
                    self.count_block(text, batch.position, waiting, monitor)?;
                    waiting = 0;
                }
            }
        }
        self.count_block(text, batch.position, waiting, monitor)
    }

    fn count_cut_batch(
        &mut self,
        cut: impl Fn(&str, &mut dyn FnMut() -> Result<()>, &mut dyn FnMut(&str)) -> Result<()>,
        batch: &Batch,
        monitor: &Monitor,
    ) -> Result<()> {
        let decoded = batch.decode()?;
        self.report.add(batch, &decoded);
        // Pieces may be longer than what they come from, so they are numbered; a batch has room for more
        // positions than pieces.
        let mut position = batch.position;
        let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
        for (_, document) in decoded.documents() {
            self.report.documents += u64::from(!document.is_empty());
            look()?;
            cut(document, &mut look, &mut |piece| {
                if !piece.is_empty() {
                    self.table.add(piece.as_bytes(), 1, position);
                    position += 1;
                }
            })?;
        }
        Ok(())
    }

    /// Counts the pieces of a document that was changed; `position` and `length` are of the source.
    fn count_changed(
        &mut self,
        splitter: &Splitter,
        document: &str,
        (position, length): (u64, usize),
        monitor: &Monitor,
    ) -> Result<()> {
        for (start, piece) in splitter.pieces(document).filter(|(_, piece)| !piece.is_empty()) {
            // It must not seem to be in the next document.
            let first = position + start.min(length.saturating_sub(1)) as u64;
            self.table.add(piece.as_bytes(), 1, first);
            self.until_look = self.until_look.saturating_sub(1);
            if self.until_look == 0 {
                self.until_look = PIECES_PER_LOOK;
                if monitor.stopped() {
                    return Err(Error::Cancelled);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn count_block(
        &mut self,
        text: &[u8],
        position: u64,
        length: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        for &Met { key, hash, start, end } in &self.block[..length] {
            self.table.add_known(key, hash, &text[start..end], 1, position + start as u64);
        }
        self.until_look = self.until_look.saturating_sub(length as u32);
        if self.until_look == 0 {
            self.until_look = PIECES_PER_LOOK;
            if monitor.stopped() {
                return Err(Error::Cancelled);
            }
        }
        Ok(())
    }
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
        let words: Vec<String> =
            (0..20_000).map(|number| format!("w{number}{}", "x".repeat(number % 20))).collect();
        for threads in [1, 2, 3, 7] {
            let mut tables = Vec::new();
            for part in 0..threads {
                let mut table = CountTable::default();
                for (position, word) in words.iter().enumerate() {
                    let position = position * threads + threads - 1 - part;
                    table.add(word.as_bytes(), 1 + part as u64, position as u64);
                }
                tables.push(table);
            }
            let tables = count_table::merge(tables, threads);
            let counts = PieceCounts::from_tables(tables, ReadReport::default());
            let total = (threads * (threads + 1) / 2) as u64;
            assert_eq!(counts.len(), words.len());
            for (index, word) in words.iter().enumerate() {
                assert_eq!((counts.piece(index), counts.count(index)), (word.as_bytes(), total));
            }
        }
    }

    #[test]
    fn a_piece_is_not_its_beginning_nor_what_follows_it() {
        let pieces =
            ["a", "a\0", "a\0\0", "\0", "fifteen bytes!!", "sixteen bytes!!!", "sixteen bytes!!?"];
        let counts = PieceCounts::from_counts(pieces.map(|piece| (piece, 1))).unwrap();
        let listed: Vec<_> = counts.iter().map(|(piece, _)| piece).collect();
        assert_eq!(listed, pieces.map(str::as_bytes));
    }
}
