//! The one step of byte-pair encoding: replace a pair of neighbors by one token, everywhere.

use super::Pair;
use crate::error::{Error, Result};

/// No position: before the first symbol of a word or after its last one.
pub(super) const NOWHERE: u32 = u32::MAX;
/// The symbol of a position that a merge to its left has swallowed.
const SWALLOWED: u32 = u32::MAX;

/// All distinct words of a corpus as one row of symbols.
///
/// Positions number the symbols of all words, in order of first appearance. A merged token stays at the
/// position of its left part, so comparing positions compares places in the corpus at any time.
#[derive(Debug, Default)]
pub(super) struct Words {
    symbols: Vec<u32>,
    previous: Vec<u32>,
    next: Vec<u32>,
    word: Vec<u32>,
    /// For each word, its first position.
    starts: Vec<u32>,
    /// For each word, how often it occurs.
    counts: Vec<u64>,
}

impl Words {
    /// Appends a word.
    pub(super) fn push(&mut self, symbols: impl Iterator<Item = u32>, count: u64) -> Result<()> {
        let start = self.symbols.len();
        self.symbols.extend(symbols);
        let end = self.symbols.len();
        if end >= NOWHERE as usize {
            return Err(Error::corpus(
                "the distinct pieces of the corpus hold 2**32 symbols or more. Train on a part of it, \
                 or choose a split rule that makes shorter pieces",
            ));
        }
        self.starts.push(start as u32);
        for position in start..end {
            let before = if position == start { NOWHERE } else { position as u32 - 1 };
            let after = if position + 1 == end { NOWHERE } else { position as u32 + 1 };
            self.previous.push(before);
            self.next.push(after);
            self.word.push(self.counts.len() as u32);
        }
        self.counts.push(count);
        Ok(())
    }

    /// All pairs of neighbors with position and count, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Pair, u32, u64)> {
        (0..self.symbols.len() as u32).filter_map(|position| {
            self.pair_at(position).map(|pair| (pair, position, self.count_at(position)))
        })
    }

    /// The pair whose left part is at a position.
    #[inline]
    pub(super) fn pair_at(&self, position: u32) -> Option<Pair> {
        let next = self.next[position as usize];
        if next == NOWHERE {
            return None;
        }
        let (left, right) = (self.symbols[position as usize], self.symbols[next as usize]);
        (left != SWALLOWED).then_some(Pair { left, right })
    }

    /// The number of the word that holds a position.
    #[inline]
    pub(super) fn word_at(&self, position: u32) -> u32 {
        self.word[position as usize]
    }

    #[inline]
    fn count_at(&self, position: u32) -> u64 {
        self.counts[self.word_at(position) as usize]
    }

    /// All positions of a pair in one word.
    pub(super) fn positions_in_word(&self, word: u32, pair: Pair) -> impl Iterator<Item = u32> {
        let mut position = self.starts[word as usize];
        std::iter::from_fn(move || {
            while position != NOWHERE {
                let current = position;
                position = self.next[current as usize];
                if self.pair_at(current) == Some(pair) {
                    return Some(current);
                }
            }
            None
        })
    }

    /// Replaces `pair` by `token` at those of the ascending `positions` where it still is, from left to
    /// right and without overlap (`a a a` becomes `aa a`).
    ///
    /// Tells `changed` of each neighboring pair that goes and comes: the pair, its position, and the
    /// count of its word, negative if the pair is gone. Of the merged pair itself, only occurrences that
    /// overlap a merged one are told.
    pub(super) fn merge(
        &mut self,
        pair: Pair,
        token: u32,
        positions: &[u32],
        mut changed: impl FnMut(Pair, u32, Change),
    ) {
        for &position in positions {
            if self.pair_at(position) != Some(pair) {
                continue;
            }
            let count = self.count_at(position);
            let second = self.next[position as usize];
            let before = self.previous[position as usize];
            let after = self.next[second as usize];
            self.symbols[position as usize] = token;
            self.symbols[second as usize] = SWALLOWED;
            self.next[position as usize] = after;
            if before != NOWHERE {
                let left = self.symbols[before as usize];
                changed(Pair { left, right: pair.left }, before, Change::Gone(count));
                changed(Pair { left, right: token }, before, Change::New(count));
            }
            if after != NOWHERE {
                self.previous[after as usize] = position;
                let right = self.symbols[after as usize];
                changed(Pair { left: pair.right, right }, second, Change::Gone(count));
                changed(Pair { left: token, right }, position, Change::New(count));
            }
        }
    }
}

/// What happened to one occurrence of a pair; the number is the count of its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Gone(u64),
    New(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(word: &[u32], pair: Pair) -> (Vec<u32>, Vec<(Pair, Change)>) {
        let mut words = Words::default();
        words.push(word.iter().copied(), 2).unwrap();
        let positions: Vec<u32> = words.positions_in_word(0, pair).collect();
        let mut changes = Vec::new();
        words.merge(pair, 9, &positions, |pair, _, change| changes.push((pair, change)));
        let mut symbols = words.symbols.clone();
        symbols.retain(|&symbol| symbol != SWALLOWED);
        (symbols, changes)
    }

    #[test]
    fn a_row_of_equal_symbols_merges_from_the_left() {
        let pair = Pair { left: 1, right: 1 };
        let (symbols, changes) = merged(&[1, 1, 1], pair);
        assert_eq!(symbols, [9, 1]);
        assert_eq!(
            changes,
            [(pair, Change::Gone(2)), (Pair { left: 9, right: 1 }, Change::New(2))]
        );
        assert_eq!(merged(&[1, 1, 1, 1], pair).0, [9, 9]);
    }

    #[test]
    fn neighbors_are_told() {
        let (symbols, changes) = merged(&[3, 1, 2, 4], Pair { left: 1, right: 2 });
        assert_eq!(symbols, [3, 9, 4]);
        let told = |left, right| Pair { left, right };
        assert_eq!(
            changes,
            [
                (told(3, 1), Change::Gone(2)),
                (told(3, 9), Change::New(2)),
                (told(2, 4), Change::Gone(2)),
                (told(9, 4), Change::New(2)),
            ]
        );
    }
}
