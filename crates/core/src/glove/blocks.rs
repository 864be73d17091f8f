//! Words in groups: the rows of two groups fit the second-level cache together.
//!
//! The cells of two groups are a tile. While one is learned from, all rows that it needs stay near the
//! processor, and tiles without a group in common can be learned from at the same time.

/// Bytes of rows that a tile may touch; what cores of the last ten years have as their own cache is from
/// 512 KiB to 2 MiB. A constant, so that results are the same everywhere.
const CACHE: usize = 768 << 10;

/// Most words in a group: places inside it need ten bits.
const MOST_WORDS: usize = 1 << 10;

/// The fewest, even if their rows are larger than the cache.
const FEWEST_WORDS: usize = 16;

/// Cells that a tile should have on average.
const CELLS_IN_TILE: f64 = 1024.0;

/// More groups than this are only made when words are too many for them.
const MOST_BY_DEGREE: f64 = 128.0;

/// Consecutive rows in groups.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    starts: Vec<u32>,
    of_row: Vec<u32>,
}

impl Blocks {
    /// Groups for words with these counts (in row order, most frequent first).
    ///
    /// Each group is closed when its rows fill their share of the cache, or when its words have their share
    /// of all cells, so that a group of frequent words is small and no tile holds much more than the others.
    pub(super) fn new(counts: &[u64], window: u64, row_bytes: usize) -> Self {
        let most = (CACHE / (2 * row_bytes.max(1))).clamp(FEWEST_WORDS, MOST_WORDS);
        let degree = |count: u64| {
            // Distinct words near a word grow about like the 3/4 power of the words near it. Roots are the
            // same on every machine, powers are not.
            let near = 2.0 * window as f64 * count as f64;
            (near.sqrt() * near.sqrt().sqrt()).min(counts.len() as f64)
        };
        let total: f64 = counts.iter().map(|&count| degree(count)).sum();
        let groups = (total / CELLS_IN_TILE).sqrt().clamp(1.0, MOST_BY_DEGREE);
        let (mut starts, mut of_row) = (vec![0], Vec::with_capacity(counts.len()));
        let mut held = 0.0;
        for (row, &count) in counts.iter().enumerate() {
            let words = row - starts[starts.len() - 1] as usize;
            if words > 0 && (words >= most || held >= total / groups) {
                starts.push(row as u32);
                held = 0.0;
            }
            held += degree(count);
            of_row.push(starts.len() as u32 - 1);
        }
        starts.push(counts.len() as u32);
        Self { starts, of_row }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The group of a row.
    pub(super) fn of(&self, row: u32) -> u32 {
        self.of_row[row as usize]
    }

    /// The first row of a group.
    pub(super) fn start(&self, block: u32) -> u32 {
        self.starts[block as usize]
    }

    /// The rows of a group.
    pub(super) fn rows(&self, block: u32) -> std::ops::Range<u32> {
        self.starts[block as usize]..self.starts[block as usize + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_all_rows_and_are_small_for_frequent_words() {
        let counts: Vec<u64> = (1..=20_000_u64).map(|rank| 1_000_000 / rank).collect();
        let blocks = Blocks::new(&counts, 10, 1024);
        let mut row = 0;
        for block in 0..blocks.len() as u32 {
            assert_eq!(blocks.rows(block).start, row);
            let words = blocks.rows(block).len();
            assert!((1..=384).contains(&words), "{words}");
            assert!(blocks.rows(block).all(|row| blocks.of(row) == block));
            row = blocks.rows(block).end;
        }
        assert_eq!(row, 20_000);
        assert!(blocks.rows(0).len() < 100, "{:?}", blocks.rows(0));
        assert_eq!(Blocks::new(&[9, 8, 7], 5, 1024).len(), 1);
        assert_eq!(Blocks::new(&[1; 100], 1, usize::MAX / 4).len(), 7);
    }
}
