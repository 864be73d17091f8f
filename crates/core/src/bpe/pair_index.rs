//! Finds the number of a pair.

use super::Pair;
use super::pairs::PairNumber;
use crate::simd::prefetch_value;

/// A hash table of numbers only: the pairs themselves are where the numbers lead.
#[derive(Debug)]
pub(super) struct PairIndex {
    /// Numbers of pairs; a power of two.
    slots: Vec<PairNumber>,
    used: usize,
}

const FREE: PairNumber = PairNumber::MAX;
const FEWEST_SLOTS: usize = 1 << 10;

impl Default for PairIndex {
    fn default() -> Self {
        Self { slots: vec![FREE; FEWEST_SLOTS], used: 0 }
    }
}

impl PairIndex {
    #[inline]
    fn home(&self, pair: Pair) -> usize {
        let hash = pair.key().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize
            & (self.slots.len() - 1)
    }

    /// Has the slot of a pair fetched.
    #[inline]
    pub(super) fn prefetch(&self, pair: Pair) {
        prefetch_value(&self.slots[self.home(pair)]);
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn find(
        &self,
        pair: Pair,
        pair_of: impl Fn(PairNumber) -> Pair,
    ) -> Option<PairNumber> {
        let mut slot = self.home(pair);
        loop {
            let number = self.slots[slot];
            if number == FREE {
                return None;
            }
            if pair_of(number) == pair {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Takes up a pair that has no number yet.
    pub(super) fn insert(&mut self, number: PairNumber, pair_of: impl Fn(PairNumber) -> Pair) {
        if self.used * 8 >= self.slots.len() * 5 {
            let length = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![FREE; length]);
            for number in old.into_iter().filter(|&number| number != FREE) {
                self.place(number, pair_of(number));
            }
        }
        self.place(number, pair_of(number));
        self.used += 1;
    }

    fn place(&mut self, number: PairNumber, pair: Pair) {
        let mut slot = self.home(pair);
        while self.slots[slot] != FREE {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_found_again() {
        let pair_of = |number: u32| Pair { left: number % 300, right: number / 300 };
        let mut index = PairIndex::default();
        for number in 0..50_000 {
            assert_eq!(index.find(pair_of(number), pair_of), None);
            index.insert(number, pair_of);
        }
        for number in 0..50_000 {
            assert_eq!(index.find(pair_of(number), pair_of), Some(number));
        }
    }
}
