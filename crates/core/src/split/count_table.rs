//! A hash table from pieces to counts and first places.
//!
//! Counting is looking up: nearly all pieces of a text are short and were met before. So a piece of up to 15
//! bytes is the key itself, key and count lie side by side, and the line of the processor's cache that holds
//! them can be fetched ahead. Only longer pieces keep their bytes elsewhere.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use std::hash::Hasher;
use std::thread;

use rustc_hash::FxHasher;

use crate::simd::level::{Level, Portable};
use crate::simd::prefetch_value;

/// Pieces up to this many bytes are kept inside their slot.
const SHORT: usize = 15;
/// In the highest byte of a key, where short pieces have their length and one: the piece lies in the arena.
const LONG: u64 = 0xFF << 56;
/// A table starts with this many slots.
const FEWEST_SLOTS: usize = 1 << 10;

/// A piece as a number: its bytes and its length, or for a long one its hash and its place in the arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    low: u64,
    high: u64,
}

impl Key {
    /// A whole piece.
    #[inline]
    pub(crate) fn of(piece: &[u8]) -> Self {
        Self::new(Portable, piece, 0, piece.len())
    }

    /// The piece between two offsets of a text.
    #[inline(always)]
    pub(crate) fn new(level: impl Level, text: &[u8], start: usize, end: usize) -> Self {
        let length = end - start;
        if length > SHORT {
            return Self { low: hash(&text[start..end]), high: LONG };
        }
        let [low, high] = level.load16(text, start, length);
        Self { low, high: high | (length as u64 + 1) << 56 }
    }

    /// The first byte of a short piece.
    #[inline]
    pub(crate) fn first_byte(self) -> Option<u8> {
        (!self.is_long()).then_some(self.low as u8)
    }

    #[inline]
    fn is_long(self) -> bool {
        self.high >= LONG
    }

    /// Well mixed, above all in the highest bits.
    #[inline]
    fn hash(self) -> u64 {
        if self.is_long() {
            return self.low;
        }
        let product = u128::from(self.low ^ 0x9E37_79B9_7F4A_7C15)
            * u128::from(self.high ^ 0xD6E8_FEB8_6659_FD93);
        product as u64 ^ (product >> 64) as u64
    }
}

/// The same on every machine.
fn hash(piece: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(piece);
    // The highest bits choose the slot.
    hasher.finish().wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A piece with what is known of it; free if the key is zero, which no piece has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    key: Key,
    pub(crate) count: u64,
    pub(crate) first: u64,
}

/// Grows with the number of distinct pieces, and with nothing else.
#[derive(Debug)]
pub(crate) struct CountTable {
    slots: Vec<Slot>,
    /// The slot of a hash is what is left of its product with `spread` after so many bits.
    shift: u32,
    /// Odd. Tables must not take up the pieces of another in the order of their own slots, which would pile up.
    spread: u64,
    used: usize,
    /// The bytes of long pieces, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for CountTable {
    fn default() -> Self {
        Self::with_room(0, 1)
    }
}

impl CountTable {
    fn with_room(pieces: usize, spread: u64) -> Self {
        let slots = (pieces * 4 / 3 + 1).next_power_of_two().max(FEWEST_SLOTS);
        Self {
            slots: vec![Slot::default(); slots],
            shift: 64 - slots.trailing_zeros(),
            spread,
            used: 0,
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// What the slot of a piece is chosen by.
    #[inline]
    pub(crate) fn hash(&self, key: Key) -> u64 {
        key.hash().wrapping_mul(self.spread)
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// Has the slot of a piece with this hash fetched.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(self.home(hash)) {
            prefetch_value(slot);
        }
    }

    /// Counts a piece, and returns where it occurred first.
    #[inline]
    pub(crate) fn add(&mut self, piece: &[u8], count: u64, first: u64) -> u64 {
        let key = Key::of(piece);
        self.add_known(key, self.hash(key), piece, count, first)
    }

    /// The same with the key of the piece and its hash.
    #[inline]
    pub(crate) fn add_known(
        &mut self,
        key: Key,
        hash: u64,
        piece: &[u8],
        count: u64,
        first: u64,
    ) -> u64 {
        let mask = self.slots.len() - 1;
        let mut at = self.home(hash) & mask;
        loop {
            let slot = self.slots[at];
            if slot.key.high == 0 {
                self.insert(at, key, piece, count, first);
                return first;
            }
            let is_same = slot.key == key
                || (key.is_long()
                    && slot.key.is_long()
                    && slot.key.low == key.low
                    && self.bytes_of(&slot) == Some(piece));
            if is_same {
                let slot = &mut self.slots[at];
                slot.count += count;
                slot.first = slot.first.min(first);
                return slot.first;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, at: usize, mut key: Key, piece: &[u8], count: u64, first: u64) {
        if key.is_long() {
            // Zero would be the key of no piece yet, which is compared before the bytes are.
            key.high = LONG | (self.ends.len() as u64 + 1);
            self.text.extend_from_slice(piece);
            self.ends.push(self.text.len());
        }
        self.slots[at] = Slot { key, count, first };
        self.used += 1;
        if self.used * 4 > self.slots.len() * 3 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        self.shift -= 1;
        for slot in old.into_iter().filter(|slot| slot.key.high != 0) {
            let mut at = self.home(self.hash(slot.key));
            while self.slots[at].key.high != 0 {
                at = (at + 1) & (length - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// The bytes of a long piece of this table.
    fn bytes_of(&self, slot: &Slot) -> Option<&[u8]> {
        let number = (slot.key.high & !LONG) as usize;
        let end = *self.ends.get(number.checked_sub(1)?)?;
        let start = if number == 1 { 0 } else { self.ends[number - 2] };
        Some(&self.text[start..end])
    }

    /// Appends the bytes of a piece of this table.
    pub(crate) fn write(&self, slot: &Slot, text: &mut Vec<u8>) {
        if slot.key.is_long() {
            text.extend_from_slice(self.bytes_of(slot).unwrap_or_default());
        } else {
            let number = u128::from(slot.key.low) | u128::from(slot.key.high) << 64;
            text.extend_from_slice(&number.to_le_bytes()[..(slot.key.high >> 56) as usize - 1]);
        }
    }

    /// Takes the pieces out, in order of first appearance; those that stay can still be [written](Self::write).
    pub(crate) fn take_sorted(&mut self) -> Vec<Slot> {
        let mut slots = std::mem::take(&mut self.slots);
        slots.retain(|slot| slot.key.high != 0);
        // Pieces of a text that was changed may share their place in the source.
        slots.sort_unstable_by_key(|slot| (slot.first, slot.key.high, slot.key.low));
        slots
    }

    /// Counts a piece of another table, and returns where it occurred first.
    pub(crate) fn add_slot(&mut self, other: &Self, slot: &Slot, first: u64) -> u64 {
        let piece = if slot.key.is_long() { other.bytes_of(slot) } else { None };
        let key = if piece.is_some() { Key { high: LONG, ..slot.key } } else { slot.key };
        self.add_known(key, self.hash(key), piece.unwrap_or_default(), slot.count, first)
    }

    /// Takes the pieces out whose first places are the numbers from 0 on, in that order.
    pub(crate) fn take_numbered(&mut self) -> Vec<Slot> {
        let mut numbered = vec![Slot::default(); self.used];
        for slot in std::mem::take(&mut self.slots).into_iter().filter(|slot| slot.key.high != 0) {
            if let Some(place) = numbered.get_mut(slot.first as usize) {
                *place = slot;
            }
        }
        numbered
    }

    /// Adds the pieces of another table whose hashes are in share number `share` of `shares` equal ones.
    fn add_share(&mut self, other: &Self, share: usize, shares: usize) {
        let length = other.slots.len();
        let end = (length * (share + 1)).div_ceil(shares);
        for place in length * share / shares.. {
            let slot = &other.slots[place & (length - 1)];
            if slot.key.high == 0 {
                // Pieces of this share may lie after its end, but not after a gap.
                if place >= end {
                    return;
                }
                continue;
            }
            if (u128::from(slot.key.hash()) * shares as u128) >> 64 == share as u128 {
                self.add_slot(other, slot, slot.first);
            }
        }
    }
}

/// Adds tables up, each thread a share of the hashes; the tables of the result have no piece in common.
pub(super) fn merge(tables: Vec<CountTable>, threads: usize) -> Vec<CountTable> {
    if tables.len() < 2 {
        return tables;
    }
    // Each share has at least as many pieces as that of the largest table. The room is made here: a thread
    // that ends may keep memory that it gave back.
    let room = tables.iter().map(|table| table.used).max().unwrap_or(0) / threads;
    let with_room = |_| CountTable::with_room(room, 0xD6E8_FEB8_6659_FD93);
    let mut shares: Vec<_> = (0..threads).map(with_room).collect();
    thread::scope(|scope| {
        for (number, share) in shares.iter_mut().enumerate() {
            let tables = &tables;
            scope.spawn(move || {
                for table in tables {
                    share.add_share(table, number, threads);
                }
            });
        }
    });
    shares
}
