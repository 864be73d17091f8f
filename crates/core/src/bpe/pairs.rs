//! All pairs of neighbors with their totals and places.

use rustc_hash::FxHashMap;

use super::Pair;
use super::merge::{Change, Words};

/// The number of a pair in its [`PairTable`].
pub(super) type PairNumber = u32;

/// Totals up to this are counted in an array, the few larger ones in a map.
const SMALL_TOTALS: usize = 1 << 16;

/// Every pair that ever occurred.
#[derive(Debug)]
pub(super) struct PairTable {
    numbers: FxHashMap<u64, PairNumber>,
    entries: Vec<Entry>,
    /// Pairs whose total changed since the last [`settle`](Self::settle).
    touched: Vec<PairNumber>,
    small_totals: Vec<u32>,
    large_totals: FxHashMap<u64, u32>,
}

#[derive(Debug)]
struct Entry {
    pair: Pair,
    total: u64,
    /// Part of the total that stands for no occurrence; only [`keep_total`](PairTable::keep_total) sets it.
    absent: u64,
    /// The occurrences that the histogram of totals knows.
    settled: u64,
    /// Ascending; some may be gone, all before `head` are.
    positions: Vec<u32>,
    head: usize,
    touched: bool,
    grown: bool,
}

impl PairTable {
    /// Counts the pairs of all words.
    pub(super) fn new(words: &Words) -> Self {
        let mut table = Self {
            numbers: FxHashMap::default(),
            entries: Vec::new(),
            touched: Vec::new(),
            small_totals: vec![0; SMALL_TOTALS],
            large_totals: FxHashMap::default(),
        };
        for (pair, position, count) in words.pairs() {
            table.change(pair, position, Change::New(count));
        }
        table
    }

    pub(super) fn pair(&self, number: PairNumber) -> Pair {
        self.entries[number as usize].pair
    }

    /// How often the pair occurs; overlapping occurrences count, so `a a a` holds `a a` twice.
    pub(super) fn total(&self, number: PairNumber) -> u64 {
        self.entries[number as usize].total
    }

    /// The number of pairs with this total.
    pub(super) fn pairs_with_total(&self, total: u64) -> u32 {
        match self.small_totals.get(total as usize) {
            Some(pairs) => *pairs,
            None => self.large_totals.get(&total).copied().unwrap_or(0),
        }
    }

    /// Notes one occurrence that came or went.
    #[inline]
    pub(super) fn change(&mut self, pair: Pair, position: u32, change: Change) {
        let number = *self.numbers.entry(pair.key()).or_insert_with(|| {
            self.entries.push(Entry {
                pair,
                total: 0,
                absent: 0,
                settled: 0,
                positions: Vec::new(),
                head: 0,
                touched: false,
                grown: false,
            });
            self.entries.len() as PairNumber - 1
        });
        let entry = &mut self.entries[number as usize];
        match change {
            Change::New(count) => {
                entry.total += count;
                entry.positions.push(position);
                entry.grown = true;
            }
            Change::Gone(count) => entry.total -= count,
        }
        if !entry.touched {
            entry.touched = true;
            self.touched.push(number);
        }
    }

    /// The first place where the pair still is.
    pub(super) fn first_position(&mut self, number: PairNumber, words: &Words) -> Option<u32> {
        let entry = &mut self.entries[number as usize];
        while let Some(&position) = entry.positions.get(entry.head) {
            if words.pair_at(position) == Some(entry.pair) {
                return Some(position);
            }
            entry.head += 1;
        }
        None
    }

    /// Hands out the places of a pair; those that are noted later start a new list.
    pub(super) fn take_positions(&mut self, number: PairNumber) -> Vec<u32> {
        let entry = &mut self.entries[number as usize];
        let head = std::mem::take(&mut entry.head);
        let mut positions = std::mem::take(&mut entry.positions);
        if head > 0 {
            positions.drain(..head);
        }
        positions
    }

    /// After all places of a pair were merged: it occurs no more.
    pub(super) fn clear_total(&mut self, number: PairNumber) {
        self.entries[number as usize].total = 0;
        self.touch(number);
    }

    /// After all places of a pair were merged: it occurs no more, but its total stays.
    pub(super) fn keep_total(&mut self, number: PairNumber) {
        let entry = &mut self.entries[number as usize];
        entry.absent = entry.total;
        self.touch(number);
    }

    fn touch(&mut self, number: PairNumber) {
        let entry = &mut self.entries[number as usize];
        if !entry.touched {
            entry.touched = true;
            self.touched.push(number);
        }
    }

    /// Ends a step: brings the histogram of totals up to date and tells `grown` of each pair that has
    /// new places, in the order in which the pairs were touched.
    pub(super) fn settle(&mut self, mut grown: impl FnMut(&mut Self, PairNumber)) {
        let touched = std::mem::take(&mut self.touched);
        for &number in &touched {
            let entry = &mut self.entries[number as usize];
            entry.touched = false;
            let has_grown = std::mem::take(&mut entry.grown);
            let (old, new) = (entry.settled, entry.total.saturating_sub(entry.absent));
            entry.settled = new;
            if entry.total == 0 {
                entry.positions = Vec::new();
                entry.head = 0;
            } else if has_grown && !entry.positions.is_sorted() {
                // Only a pair of a token that several merges yield gets places before older ones.
                entry.positions.sort_unstable();
                entry.head = 0;
            }
            self.recount(old, -1);
            self.recount(new, 1);
            if has_grown {
                grown(self, number);
            }
        }
        // The allocation serves the next step.
        self.touched = touched;
        self.touched.clear();
    }

    fn recount(&mut self, total: u64, by: i32) {
        if total == 0 {
            return;
        }
        let pairs = match self.small_totals.get_mut(total as usize) {
            Some(pairs) => pairs,
            None => self.large_totals.entry(total).or_insert(0),
        };
        *pairs = pairs.wrapping_add_signed(by);
        if *pairs == 0 && total as usize >= SMALL_TOTALS {
            self.large_totals.remove(&total);
        }
    }
}
