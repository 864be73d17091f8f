//! The ranks of pairs, for encoding.
//!
//! A piece that was not met before asks for a rank about twice a byte, nearly always in vain, so both
//! answers must be quick: pairs of the first 256 tokens, which bytes are, have a table of all such pairs;
//! other pairs are found in a flat table in which key and rank are one number.

use rustc_hash::FxHashMap;

use super::Pair;

/// What stands for no rank.
pub(super) const NO_RANK: u32 = u32::MAX;

/// Both ids below this: the pair is in the grid.
const GRID: u32 = 256;
/// Bits of an id in a key of the flat table.
const ID_BITS: u32 = 20;
/// Bits of a rank there.
const RANK_BITS: u32 = 24;
/// Ids from here on do not fit.
const MOST_ID: u32 = (1 << ID_BITS) - 1;
/// The rank is too high for the flat table.
const WIDE_RANK: u32 = (1 << RANK_BITS) - 1;
/// Bits of [`PairRanks::begun`] for each slot.
const PARTS: usize = 8;
/// The fewest slots.
const FEWEST: usize = 64;
/// No key is like this, since no id is [`MOST_ID`].
const FREE: u64 = u64::MAX;

/// A map from pairs to ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct PairRanks {
    /// Ranks of all pairs of ids below [`GRID`]; empty if there is none.
    grid: Vec<u32>,
    /// Key and rank, with linear probing; at least a fifth of it is free: that it stays near the processor counts for
    /// more than fewer steps would.
    slots: Vec<u64>,
    /// A bit for each eighth of a slot, set if the search for some key begins there: small enough to stay
    /// near the processor, where the slots are not.
    begun: Vec<u64>,
    used: usize,
    /// Pairs that do not fit.
    wide: FxHashMap<u64, u32>,
}

/// The fewest slots for this many pairs.
fn least_slots(pairs: usize) -> usize {
    (pairs + pairs / 4).next_power_of_two().max(FEWEST)
}

fn key(pair: Pair) -> u64 {
    u64::from(pair.left) << ID_BITS | u64::from(pair.right)
}

impl PairRanks {
    /// Makes room for this many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        let length = least_slots(self.used + pairs);
        if length > self.slots.len() {
            self.grow(length);
        }
    }

    /// The rank of a pair, or [`NO_RANK`].
    #[inline]
    pub(super) fn get(&self, pair: Pair) -> u32 {
        let either = pair.left | pair.right;
        if either < GRID {
            let place = pair.left as usize * GRID as usize + pair.right as usize;
            return self.grid.get(place).copied().unwrap_or(NO_RANK);
        }
        if either >= MOST_ID {
            return self.get_wide(pair);
        }
        let key = key(pair);
        let Some(mask) = self.slots.len().checked_sub(1) else { return NO_RANK };
        let home = self.home(key);
        if (self.begun[(home / 64) & (mask / (64 / PARTS))] >> (home % 64)) & 1 == 0 {
            return NO_RANK;
        }
        let mut at = home / PARTS;
        loop {
            let slot = self.slots[at & mask];
            if slot >> RANK_BITS == key {
                let rank = slot as u32 & WIDE_RANK;
                return if rank == WIDE_RANK { self.get_wide(pair) } else { rank };
            }
            if slot == FREE {
                return NO_RANK;
            }
            at += 1;
        }
    }

    #[cold]
    fn get_wide(&self, pair: Pair) -> u32 {
        self.wide.get(&pair.key()).copied().unwrap_or(NO_RANK)
    }

    /// Gives a pair its rank.
    pub(super) fn insert(&mut self, pair: Pair, rank: u32) {
        let either = pair.left | pair.right;
        if either < GRID {
            self.grid.resize((GRID * GRID) as usize, NO_RANK);
            self.grid[(pair.left * GRID + pair.right) as usize] = rank;
            return;
        }
        if either >= MOST_ID || rank >= WIDE_RANK {
            self.wide.insert(pair.key(), rank);
        }
        if either < MOST_ID {
            if self.slots.len() < least_slots(self.used + 1) {
                self.grow(2 * least_slots(self.used + 1));
            }
            self.used += usize::from(self.place(key(pair), rank.min(WIDE_RANK)));
        }
    }

    /// Whether the key is new.
    fn place(&mut self, key: u64, rank: u32) -> bool {
        let mask = self.slots.len() - 1;
        let home = self.home(key);
        self.begun[home / 64] |= 1 << (home % 64);
        let mut at = (home / PARTS) & mask;
        while self.slots[at] != FREE && self.slots[at] >> RANK_BITS != key {
            at = (at + 1) & mask;
        }
        let is_new = self.slots[at] == FREE;
        self.slots[at] = key << RANK_BITS | u64::from(rank);
        is_new
    }

    fn grow(&mut self, length: usize) {
        let old = std::mem::replace(&mut self.slots, vec![FREE; length]);
        self.begun = vec![0; length / 64 * PARTS];
        for slot in old.into_iter().filter(|&slot| slot != FREE) {
            self.place(slot >> RANK_BITS, slot as u32 & WIDE_RANK);
        }
    }

    /// Where the search for a key begins, in eighths of a slot.
    #[inline]
    fn home(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - (self.slots.len() * PARTS).trailing_zeros())) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_last_rank() {
        let ids = [0, 1, 255, 256, 257, 70_000, MOST_ID - 1, MOST_ID, 1 << 20, u32::MAX];
        let pairs = || ids.iter().flat_map(|&left| ids.map(|right| Pair { left, right }));
        let mut ranks = PairRanks::default();
        for pair in pairs() {
            assert_eq!(ranks.get(pair), NO_RANK);
        }
        for round in 0..3_u32 {
            for (number, pair) in pairs().enumerate().filter(|(number, _)| number % 3 != 0) {
                let rank = [5, WIDE_RANK - 1, WIDE_RANK + 7][(number + round as usize) % 3];
                ranks.insert(pair, rank + number as u32 * round);
                assert_eq!(ranks.get(pair), rank + number as u32 * round);
            }
            for pair in pairs().step_by(3) {
                assert_eq!(ranks.get(pair), NO_RANK);
            }
        }
    }

    #[test]
    fn many_pairs_are_all_found() {
        let mut ranks = PairRanks::default();
        ranks.reserve(10);
        let pair = |number: u32| Pair { left: number % 1000, right: number / 7 };
        for number in 0..100_000 {
            ranks.insert(pair(number), number);
        }
        assert!((least_slots(ranks.used)..=4 * ranks.used).contains(&ranks.slots.len()));
        let mut last = FxHashMap::default();
        last.extend((0..100_000).map(|number| (pair(number).key(), number)));
        for number in 0..100_000 {
            assert_eq!(ranks.get(pair(number)), last[&pair(number).key()]);
            assert_eq!(ranks.get(Pair { left: 2000, right: number }), NO_RANK);
        }
    }
}
