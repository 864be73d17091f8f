//! Finds the numbers of the pairs that words begin with.

use rustc_hash::FxHashMap;

use super::Pair;
use super::pairs::PairNumber;

/// Numbers of the pairs of an alphabet, which are looked up once a place.
pub(super) enum InitialNumbers {
    /// By both symbols, plus one.
    Square(usize, Vec<PairNumber>),
    Map(FxHashMap<u64, PairNumber>),
}

/// Alphabets up to this size get a square.
const LARGEST_SQUARE: usize = 1 << 10;

impl InitialNumbers {
    pub(super) fn new(symbols: usize) -> Self {
        if symbols <= LARGEST_SQUARE {
            Self::Square(symbols, vec![0; symbols * symbols])
        } else {
            Self::Map(FxHashMap::default())
        }
    }

    /// The number of a pair, made by `push` for a new one.
    #[inline]
    pub(super) fn number(&mut self, pair: Pair, push: impl FnOnce() -> PairNumber) -> PairNumber {
        match self {
            Self::Square(symbols, numbers) => {
                let number = &mut numbers[pair.left as usize * *symbols + pair.right as usize];
                if *number == 0 {
                    *number = push() + 1;
                }
                *number - 1
            }
            Self::Map(numbers) => *numbers.entry(pair.key()).or_insert_with(push),
        }
    }
}
