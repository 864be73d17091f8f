//! Slots of short pieces: two in a line of the processor's cache, and what is pushed out goes to the line beside.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::key::Key;
use super::lines::{LINE, Line, Lines, Word};
use crate::simd::level::{Level, Task};
use crate::simd::prefetch_item;

/// A slot for a short piece: its number of 128 bits, then as many bits of ids, the highest byte of which holds how
/// many there are; or where the record is.
pub(super) const SLOT: usize = 4;
/// The second half of a slot.
pub(super) type Ids = [u8; 16];

/// The slots of short pieces, by line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots<'a> {
    pub(super) lines: &'a [Line],
    /// Whether slots are often pushed out of their line into the one beside.
    pub(super) is_crowded: bool,
}

impl<'a> Slots<'a> {
    #[inline(always)]
    fn number(self, key: Key) -> usize {
        key.hash as usize & self.lines.len().wrapping_sub(1)
    }

    /// Has the slots of a short piece fetched.
    #[inline(always)]
    pub(super) fn prefetch(self, key: Key) {
        let number = self.number(key);
        prefetch_item(self.lines, number);
        if self.is_crowded {
            prefetch_item(self.lines, number ^ 1);
        }
    }

    /// The second half of the slot of a piece.
    #[inline(always)]
    pub(super) fn get(self, key: Key) -> Option<&'a Ids> {
        match self.lines.get(self.number(key)) {
            Some(line) => find(line, key),
            None => None,
        }
    }
}

/// The second half of the slot of a piece, if that is in this line.
#[inline(always)]
fn find(line: &Line, key: Key) -> Option<&Ids> {
    // No slot holds the halves of a longer piece. Which of the two it is cannot be foreseen, so nothing branches on
    // it. The newer one comes first.
    let slot = usize::from(difference(line, 0, key) != 0) * SLOT;
    if difference(line, slot, key) != 0 {
        return None;
    }
    line[slot + 2..].as_flattened().first_chunk()
}

/// Zero if the key is the one of a slot.
#[inline(always)]
fn difference(line: &Line, slot: usize, key: Key) -> u64 {
    (u64::from_le_bytes(line[slot]) ^ key.halves[0])
        | (u64::from_le_bytes(line[slot + 1]) ^ key.halves[1])
}

pub(super) fn take(line: &[Word], place: usize) -> [Word; SLOT] {
    let mut slot = [[0; 8]; SLOT];
    slot.copy_from_slice(&line[place..place + SLOT]);
    slot
}

/// Puts a slot in front of the other one of its line; returns the one that had the last place.
#[inline]
pub(super) fn put_first(line: &mut [Word], slot: [Word; SLOT]) -> [Word; SLOT] {
    let out = take(line, SLOT);
    line.copy_within(..SLOT, SLOT);
    line[..SLOT].copy_from_slice(&slot);
    out
}

/// Puts a slot first in its line; what that pushes out takes the last place of the line beside, and what was
/// there comes back.
#[inline]
pub(super) fn put(table: &mut Lines, hash: u32, slot: [Word; SLOT]) -> Option<[Word; SLOT]> {
    let mut out = put_first(table.get_mut(hash as usize, LINE), slot);
    if out[1] != [0; 8] {
        let beside = table.get_mut((hash ^ 1) as usize, LINE);
        let place = if beside[1] == [0; 8] { 0 } else { SLOT };
        beside[place..place + SLOT].swap_with_slice(&mut out);
    }
    (out[1] != [0; 8]).then_some(out)
}

/// Spreads the slots of the lines before a number over all lines, of which there are twice as many now.
pub(super) struct Spread<'a> {
    pub(super) table: &'a mut Lines,
    pub(super) before: usize,
}

impl Task for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, level: impl Level) {
        let Self { table, before } = self;
        // Slots of two neighboring lines go to these and to two further ones, where all find room.
        let mut line = 0;
        while line < before {
            let pair = table.get_mut(line, 2 * LINE);
            let mut slots = [[[0; 8]; SLOT]; 4];
            slots.as_flattened_mut().copy_from_slice(pair);
            pair.fill([0; 8]);
            // The newer slot of a line comes first in it, so it is put there last.
            for slot in [slots[1], slots[0], slots[3], slots[2]] {
                let halves = [u64::from_le_bytes(slot[0]), u64::from_le_bytes(slot[1])];
                if halves[1] != 0 {
                    put(table, Key::short(level, halves).hash, slot);
                }
            }
            line += 2;
        }
    }
}
