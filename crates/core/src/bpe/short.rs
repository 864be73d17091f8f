//! Merging a short piece: one number a pair, of which the lowest is found in a few instructions.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::Pair;
use super::encode::BpeModel;
use super::lookup::NO_RANK;
use crate::simd::level::{Level, Task};
use crate::simd::low_bits;

/// Longer pieces keep their pairs in a heap.
pub(super) const MOST_SYMBOLS: usize = 64;
/// Bits for the place of a pair in the number that holds rank and place.
const PLACE_BITS: u32 = 6;
/// Ranks from here on leave no room for the place.
pub(super) const MOST_RANK: usize = 1 << (u32::BITS - PLACE_BITS);
/// Numbers that are compared at a time.
const LANES: usize = 16;
/// The number of a place at which no pair starts, higher than that of any pair.
const NO_PAIR: u32 = u32::MAX;

/// Room to work in.
#[derive(Debug)]
pub(super) struct Few {
    symbols: [u32; MOST_SYMBOLS],
    /// For each symbol, the rank and the place of the pair that it starts.
    pairs: [u32; MOST_SYMBOLS],
}

impl Default for Few {
    fn default() -> Self {
        Self { symbols: [0; MOST_SYMBOLS], pairs: [NO_PAIR; MOST_SYMBOLS] }
    }
}

/// Appends what the merges make of symbols; there are at most [`MOST_SYMBOLS`].
///
/// Loops are plain: what an adapter of the standard library calls is not compiled for the level.
pub(super) struct MergeShort<'a> {
    pub(super) model: &'a BpeModel,
    pub(super) symbols: Symbols<'a>,
    pub(super) few: &'a mut Few,
    pub(super) ids: &'a mut Vec<u32>,
}

/// What a piece starts as.
pub(super) enum Symbols<'a> {
    /// The symbols themselves.
    Listed(&'a [u32]),
    /// Bytes, and the symbol of each.
    Bytes(&'a [u8], &'a [u32; 256]),
}

impl Symbols<'_> {
    /// Writes them to `room` and returns their number.
    #[inline(always)]
    fn write(self, room: &mut [u32; MOST_SYMBOLS]) -> usize {
        match self {
            Self::Listed(listed) => {
                room[..listed.len()].copy_from_slice(listed);
                listed.len()
            }
            Self::Bytes(bytes, ids) => {
                let mut place = 0;
                while place < bytes.len() && place < MOST_SYMBOLS {
                    room[place] = ids[bytes[place] as usize];
                    place += 1;
                }
                place
            }
        }
    }
}

impl Task for MergeShort<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { model, symbols, few, ids } = self;
        let Few { symbols: room, pairs } = few;
        let count = symbols.write(room);
        // Nearly all pieces fit one step of the search, of a size that is known here.
        let alive = if count <= LANES {
            merge(model, room, pairs, count, 1)
        } else {
            merge(model, room, pairs, count, MOST_SYMBOLS / LANES)
        };
        ids.reserve(count);
        let mut left = alive;
        while left != 0 {
            ids.push(room[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }
}

/// Merges the first `count` symbols; returns a bit for each that is not part of the one before it.
#[inline(always)]
fn merge(
    model: &BpeModel,
    symbols: &mut [u32; MOST_SYMBOLS],
    pairs: &mut [u32; MOST_SYMBOLS],
    count: usize,
    blocks: usize,
) -> u64 {
    *pairs = [NO_PAIR; MOST_SYMBOLS];
    let mut place = 1;
    while place < count {
        pairs[place - 1] = number(model, symbols[place - 1], symbols[place], 0, place - 1);
        place += 1;
    }
    let mut alive = low_bits(count as u32);
    loop {
        let lowest = lowest(pairs, blocks);
        if lowest == NO_PAIR {
            return alive;
        }
        let (rank, left) = (lowest >> PLACE_BITS, lowest as usize % MOST_SYMBOLS);
        let floor = model.floor_after(rank);
        let token = model.token(rank);
        symbols[left] = token;
        let right = after(alive, left) % MOST_SYMBOLS;
        alive &= !(1 << right);
        pairs[right] = NO_PAIR;
        let next = after(alive, left);
        pairs[left] = if next < MOST_SYMBOLS {
            number(model, token, symbols[next], floor, left)
        } else {
            NO_PAIR
        };
        let before = alive & low_bits(left as u32);
        if before != 0 {
            let previous = 63 - before.leading_zeros() as usize;
            pairs[previous] = number(model, symbols[previous], token, floor, previous);
        }
    }
}

/// The place of the first set bit above `place`, 64 or more if there is none.
#[inline(always)]
fn after(alive: u64, place: usize) -> usize {
    let above = alive >> place >> 1;
    place + 1 + above.trailing_zeros() as usize
}

#[inline(always)]
fn number(model: &BpeModel, left: u32, right: u32, floor: u32, place: usize) -> u32 {
    let rank = model.rank(Pair { left, right }, floor);
    if rank == NO_RANK { NO_PAIR } else { rank << PLACE_BITS | place as u32 }
}

/// The lowest number of the first blocks.
#[inline(always)]
fn lowest(pairs: &[u32; MOST_SYMBOLS], blocks: usize) -> u32 {
    let mut lanes = [NO_PAIR; LANES];
    let mut start = 0;
    while start < blocks * LANES {
        let mut lane = 0;
        while lane < LANES {
            lanes[lane] = lanes[lane].min(pairs[start + lane]);
            lane += 1;
        }
        start += LANES;
    }
    // Half with half, so that few steps wait for others.
    let mut width = LANES / 2;
    while width > 0 {
        let mut lane = 0;
        while lane < width {
            lanes[lane] = lanes[lane].min(lanes[lane + width]);
            lane += 1;
        }
        width /= 2;
    }
    lanes[0]
}
