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

/// Replaces symbols by what the merges make of them; there are at most [`MOST_SYMBOLS`].
pub(super) struct MergeShort<'a> {
    pub(super) model: &'a BpeModel,
    pub(super) symbols: &'a mut Vec<u32>,
    pub(super) few: &'a mut Few,
}

impl Task for MergeShort<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { model, symbols: listed, few: Few { symbols, pairs } } = self;
        let count = listed.len();
        symbols[..count].copy_from_slice(listed);
        let lanes = count.next_multiple_of(LANES);
        pairs[..lanes].fill(NO_PAIR);
        for place in 1..count {
            pairs[place - 1] = number(model, symbols[place - 1], symbols[place], 0, place - 1);
        }
        // Bit i: symbol i is not part of the one before it.
        let mut alive = low_bits(count as u32);
        loop {
            let lowest = lowest(&pairs[..lanes]);
            if lowest == NO_PAIR {
                break;
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
        listed.clear();
        while alive != 0 {
            listed.push(symbols[alive.trailing_zeros() as usize]);
            alive &= alive - 1;
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

#[inline(always)]
fn lowest(pairs: &[u32]) -> u32 {
    let mut lanes = [NO_PAIR; LANES];
    for block in pairs.as_chunks::<LANES>().0 {
        for (lane, &pair) in lanes.iter_mut().zip(block) {
            *lane = pair.min(*lane);
        }
    }
    lanes.into_iter().fold(NO_PAIR, u32::min)
}
