//! The one step of byte-pair encoding: replace a pair of neighbors by one token, everywhere.

use super::Pair;
use super::neighbors::Neighbors;
use crate::error::{Error, Result};
use crate::simd::prefetch_value;

/// Places that are looked at between two looks at the wish to stop.
const PLACES_PER_LOOK: usize = 1 << 16;
/// Cells are fetched so many places ahead, enough to hide the way to memory.
const PLACES_AHEAD: usize = 16;
/// The symbol of a cell between words.
const EDGE: u32 = u32::MAX;
/// In the symbol of a cell that is not the first of its token; of the last one, the rest is the token.
const INNER: u32 = 1 << 31;
/// The count of a cell whose word occurs more often than a cell can say.
const LARGE_COUNT: u32 = u32::MAX;

/// All distinct words of a corpus as one row of cells.
///
/// A word starts as one cell a symbol; there is an edge before each word and after the last. A position is
/// the number of a cell. A merged token stays at the position of its left part and has as many cells as its
/// parts together, so comparing positions compares places in the corpus at any time. First and last cell of a
/// token tell which one it is, so both neighbors of a token are found at once.
#[derive(Debug)]
pub(super) struct Words {
    cells: Vec<Cell>,
    /// For each token, how many cells it has.
    lengths: Vec<u32>,
    /// For each word, the position of its first cell.
    starts: Vec<u32>,
    /// For each word, how often it occurs.
    counts: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    symbol: u32,
    /// How often its word occurs.
    count: u32,
}

const EDGE_CELL: Cell = Cell { symbol: EDGE, count: 0 };

impl Words {
    /// No words yet, for tokens of these lengths.
    pub(super) fn new(lengths: Vec<u32>) -> Self {
        Self { cells: vec![EDGE_CELL], lengths, starts: Vec::new(), counts: Vec::new() }
    }

    /// Makes room.
    pub(super) fn reserve(&mut self, words: usize, symbols: usize) {
        self.cells.reserve_exact(words + symbols);
        self.starts.reserve_exact(words);
        self.counts.reserve_exact(words);
    }

    /// Appends a word; `None` for a symbol that no token may reach across.
    pub(super) fn push(
        &mut self,
        symbols: impl Iterator<Item = Option<u32>>,
        count: u64,
    ) -> Result<()> {
        let start = self.cells.len();
        let short_count = u32::try_from(count).unwrap_or(LARGE_COUNT);
        for symbol in symbols {
            let Some(token) = symbol else {
                self.cells.push(EDGE_CELL);
                continue;
            };
            self.cells.push(Cell { symbol: token, count: short_count });
            let length = self.lengths[token as usize] as usize;
            if length > 1 {
                let last = Cell { symbol: token | INNER, count: short_count };
                self.cells.resize(self.cells.len() + length - 1, last);
            }
        }
        if self.cells.len() - start < 2 {
            // No pair, no work.
            self.cells.truncate(start);
        } else {
            self.cells.push(EDGE_CELL);
        }
        if self.cells.len() >= EDGE as usize {
            return Err(Error::corpus(
                "the distinct pieces of the corpus hold 2**32 symbols or more. Train on a part of it, \
                 or choose a split rule that makes shorter pieces",
            ));
        }
        self.starts.push(start as u32);
        self.counts.push(count);
        Ok(())
    }

    /// Appends a token that is made of two others.
    pub(super) fn add_token(&mut self, token: u32, pair: Pair) {
        if token as usize == self.lengths.len() {
            let length = self.length(pair.left) + self.length(pair.right);
            self.lengths.push(length as u32);
        }
    }

    /// The number of cells of a token.
    #[inline]
    pub(super) fn length(&self, token: u32) -> usize {
        self.lengths[token as usize] as usize
    }

    /// The number of tokens.
    pub(super) fn tokens(&self) -> usize {
        self.lengths.len()
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// All pairs of neighbors with position and count, in order, from the cells of a range.
    pub(super) fn pairs(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (Pair, u32, u64)> {
        range.filter_map(|position| {
            let position = position as u32;
            self.pair_at(position).map(|pair| (pair, position, self.count_at(position)))
        })
    }

    /// The pair whose left part is at a position.
    #[inline]
    fn pair_at(&self, position: u32) -> Option<Pair> {
        let left = self.cells[position as usize].symbol;
        if left & INNER != 0 {
            return None;
        }
        let right = self.cells[position as usize + self.length(left)].symbol;
        (right != EDGE).then_some(Pair { left, right })
    }

    /// Whether the left part of this pair is at a position.
    #[inline]
    pub(super) fn is_at(&self, position: u32, pair: Pair) -> bool {
        let position = position as usize;
        self.cells[position].symbol == pair.left
            && self.cells[position + self.length(pair.left)].symbol == pair.right
    }

    /// The number of the word that holds a position.
    pub(super) fn word_at(&self, position: u32) -> u32 {
        self.starts.partition_point(|&start| start <= position) as u32 - 1
    }

    #[inline]
    fn count_at(&self, position: u32) -> u64 {
        let count = self.cells[position as usize].count;
        if count < LARGE_COUNT {
            return u64::from(count);
        }
        self.counts[self.word_at(position) as usize]
    }

    /// All positions of a pair in one word.
    pub(super) fn positions_in_word(&self, word: u32, pair: Pair) -> impl Iterator<Item = u32> {
        let start = self.starts[word as usize];
        let end = self.starts.get(word as usize + 1).map_or(self.cells.len() as u32, |end| *end);
        (start..end).filter(move |&position| self.is_at(position, pair))
    }

    /// Replaces `pair` by `token` at those of the ascending `positions` where it still is, from left to
    /// right and without overlap (`a a a` becomes `aa a`), and notes the neighbors.
    pub(super) fn merge(
        &mut self,
        pair: Pair,
        token: u32,
        positions: &[u32],
        neighbors: &mut Neighbors,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        self.add_token(token, pair);
        neighbors.clear(self.tokens());
        let (left_length, length) = (self.length(pair.left), self.length(token));
        for chunk in positions.chunks(PLACES_PER_LOOK) {
            for (place, &position) in chunk.iter().enumerate() {
                if let Some(&ahead) = chunk.get(place + PLACES_AHEAD) {
                    prefetch_value(&self.cells[ahead as usize]);
                }
                if !self.is_at(position, pair) {
                    continue;
                }
                let count = self.count_at(position);
                let start = position as usize;
                let end = start + length;
                let after = self.cells[end].symbol;
                let before = self.cells[start - 1].symbol;
                self.cells[start].symbol = token;
                self.cells[start + left_length].symbol |= INNER;
                self.cells[end - 1].symbol = token | INNER;
                if before != EDGE {
                    let left = before & !INNER;
                    neighbors.left.note(left, (start - self.length(left)) as u32, count);
                }
                if after != EDGE {
                    neighbors.right.note(after, position, count);
                }
            }
            look()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Pair = Pair { left: 1, right: 2 };

    type Noted = Vec<(u32, u64, Vec<u32>)>;

    fn merged(word: &[u32], pair: Pair) -> (Vec<u32>, Noted, Noted) {
        let mut words = Words::new(vec![1; 9]);
        words.push(word.iter().copied().map(Some), 2).unwrap();
        let positions: Vec<u32> = words.positions_in_word(0, pair).collect();
        let mut neighbors = Neighbors::default();
        words.merge(pair, 9, &positions, &mut neighbors, &mut || Ok(())).unwrap();
        let symbols = words.cells.iter().map(|cell| cell.symbol);
        let symbols = symbols.filter(|symbol| symbol & INNER == 0).collect();
        (symbols, neighbors.left.listed(), neighbors.right.listed())
    }

    #[test]
    fn a_row_of_equal_symbols_merges_from_the_left() {
        let pair = Pair { left: 1, right: 1 };
        assert_eq!(merged(&[1, 1, 1], pair), (vec![9, 1], vec![], vec![(1, 2, vec![1])]));
        let (symbols, left, right) = merged(&[1, 1, 1, 1], pair);
        assert_eq!(symbols, [9, 9]);
        assert_eq!((left, right), (vec![(9, 2, vec![1])], vec![(1, 2, vec![1])]));
    }

    #[test]
    fn neighbors_are_noted_with_their_places() {
        let (symbols, left, right) = merged(&[3, 1, 2, 4, 1, 2, 4], PAIR);
        assert_eq!(symbols, [3, 9, 4, 9, 4]);
        assert_eq!(left, [(3, 2, vec![1]), (4, 2, vec![4])]);
        assert_eq!(right, [(4, 4, vec![2, 5])]);
    }

    #[test]
    fn neighbors_of_several_cells_are_found() {
        let mut words = Words::new(vec![1, 1, 1, 3]);
        words.push([0, 3, 1, 2, 3].map(Some).into_iter(), 5).unwrap();
        words.push([Some(1), None, Some(2), Some(1)].into_iter(), u64::MAX >> 9).unwrap();
        let pairs: Vec<_> = words.pairs(0..words.len()).map(|(_, place, _)| place).collect();
        assert_eq!(pairs, [1, 2, 5, 6, 13]);
        assert_eq!(words.count_at(13), u64::MAX >> 9);
        let mut neighbors = Neighbors::default();
        words.merge(PAIR, 4, &[5], &mut neighbors, &mut || Ok(())).unwrap();
        assert_eq!(neighbors.left.listed(), [(3, 5, vec![2])]);
        assert_eq!(neighbors.right.listed(), [(3, 5, vec![5])]);
        assert_eq!((words.word_at(5), words.word_at(13)), (0, 1));
    }
}
