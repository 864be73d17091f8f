//! Sums that are being counted, exactly, in bounded memory.
//!
//! Each thread owns one [`Pairs`]. A cell of two words is the same whichever of them comes first in the text; its
//! low row is that of the more frequent word, and a side tells which of the two is the focus where that
//! matters. Cells of frequent words lie in a table; those of rarer ones arrive in buckets, one for each
//! group of low rows, which are sorted and summed when they are full, and moved to a temporary file when
//! all of them together are too large.
//!
//! All sums are whole numbers (see [`Scale`]), so the result does not depend on the order of arrival, on the
//! number of threads or on what went to a file.

use std::fs::File;

use super::blocks::Blocks;
use crate::embed::ids::{read_bytes_at, temporary, write_bytes_at};
use crate::error::Result;

/// Bits of an arrival that hold its distance.
const DISTANCE_BITS: u32 = 21;

/// Arrivals in a bucket before it is sorted: at least, and at most.
const FEWEST_ARRIVALS: usize = 1 << 12;
const MOST_ARRIVALS: usize = 1 << 18;

/// Sums that are written to or read from a file at a time.
const CHUNK: usize = 1 << 16;

/// What a context at each distance adds, as a whole number.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    steps: Vec<u64>,
    unit: u64,
}

impl Scale {
    /// Weights 1/d, or 1 for each distance, for a corpus of `ids` ids.
    ///
    /// Up to a window of 22, 1/d is kept exactly, as a multiple of one over the least common multiple of all
    /// distances; beyond, it is rounded to a multiple of a power of 1/2 that is small enough for single
    /// precision and large enough that no sum overflows.
    pub(super) fn new(window: u64, weighted: bool, ids: u64) -> Self {
        if !weighted {
            return Self { steps: vec![1; window as usize + 1], unit: 1 };
        }
        // No cell is larger than all weights together: two a pair, fewer than 16 = 1 + ln(2^21) times the ids.
        let most = (u64::MAX / 64) / ids.max(1);
        let exact = (1..=window).try_fold(1_u64, |multiple, distance| {
            Some(multiple / gcd(multiple, distance) * distance)
                .filter(|&unit| unit <= most.min(1 << 32))
        });
        let unit = exact.unwrap_or_else(|| 1 << most.clamp(1, 1 << 32).ilog2());
        let step = |distance: u64| (unit + distance / 2).checked_div(distance).unwrap_or(0);
        Self { steps: (0..=window).map(step).collect(), unit }
    }

    /// The sum of weights that a whole number stands for.
    pub(super) fn sum(&self, whole: u64) -> f64 {
        whole as f64 / self.unit as f64
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Where the cells of frequent words lie.
#[derive(Clone, Debug)]
pub(super) struct DenseShape {
    /// For each low row: where its cells start, and one after its last high row.
    rows: Vec<(usize, u32)>,
    cells: usize,
    sides: usize,
}

impl DenseShape {
    /// Cells of rows whose ranks have a small product, as many as fit into `bytes`.
    pub(super) fn new(words: usize, bytes: usize, sides: usize) -> Self {
        let cells = |product: usize| {
            let limits = (0..words).map(move |low| (low, (product / (low + 1)).min(words)));
            limits.take_while(|&(low, limit)| limit > low)
        };
        let size = |product: usize| cells(product).map(|(low, limit)| limit - low).sum::<usize>();
        let mut product = 1;
        while size(2 * product) * sides * 8 <= bytes && product < words.saturating_mul(words) {
            product *= 2;
        }
        let mut rows = Vec::new();
        let mut start = 0;
        for (low, limit) in cells(product) {
            rows.push((start, limit as u32));
            start += (limit - low) * sides;
        }
        rows.resize(words, (0, 0));
        Self { rows, cells: start, sides }
    }

    /// The cells of a low row in the table `dense`: high row, side and sum.
    pub(super) fn row<'a>(
        &self,
        low: u32,
        dense: &'a [u64],
    ) -> impl Iterator<Item = (u32, u32, u64)> + use<'a> {
        let (start, limit) = self.rows[low as usize];
        let count = (limit.saturating_sub(low)) as usize * self.sides;
        let sides = self.sides as u32;
        let sums = dense[start..start + count].iter().zip(0_u32..);
        sums.map(move |(&sum, place)| (low + place / sides, place % sides, sum))
    }
}

/// The place of a cell in a bucket: low row within its group, high row, side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

impl Key {
    pub(super) fn new(low_in_group: u32, high: u32, side: u32) -> Self {
        Self(u64::from(low_in_group) << 33 | u64::from(high) << 1 | u64::from(side))
    }

    pub(super) fn low_in_group(self) -> u32 {
        (self.0 >> 33) as u32
    }

    pub(super) fn high(self) -> u32 {
        (self.0 >> 1) as u32
    }

    pub(super) fn side(self) -> u32 {
        (self.0 & 1) as u32
    }
}

/// A cell of a bucket with its sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) key: Key,
    pub(super) sum: u64,
}

/// Cells with low rows in one group.
#[derive(Debug)]
struct Bucket {
    /// Key and distance of each arrival, in one number that sorts by key.
    arrivals: Vec<u64>,
    /// Arrivals that make it worth sorting.
    room: usize,
    /// Sorted, each key once.
    sums: Vec<Sum>,
    /// Parts of the temporary file, in sums: where they start, and how many there are.
    spilled: Vec<(u64, u64)>,
}

/// The sums of one thread.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    scale: &'a Scale,
    shape: &'a DenseShape,
    blocks: &'a Blocks,
    /// 1 if the order of two words matters, and 0 if not: what a side is multiplied by.
    ordered: u32,
    dense: Vec<u64>,
    buckets: Vec<Bucket>,
    held: usize,
    limit: usize,
    file: Option<File>,
    written: u64,
}

impl<'a> Pairs<'a> {
    /// No pairs yet; buckets hold at most about `bytes` in memory.
    pub(super) fn new(
        scale: &'a Scale,
        shape: &'a DenseShape,
        blocks: &'a Blocks,
        bytes: usize,
    ) -> Self {
        let bucket = || Bucket {
            arrivals: Vec::new(),
            room: FEWEST_ARRIVALS,
            sums: Vec::new(),
            spilled: Vec::new(),
        };
        Self {
            scale,
            shape,
            blocks,
            ordered: shape.sides as u32 - 1,
            dense: vec![0; shape.cells],
            buckets: (0..blocks.len()).map(|_| bucket()).collect(),
            held: 0,
            // A bucket is copied while it grows, and has about half as much in arrivals.
            limit: bytes / (2 * size_of::<Sum>()),
            file: None,
            written: 0,
        }
    }

    /// A context at a distance of at least 1 from its focus.
    #[inline]
    pub(super) fn add(&mut self, focus: u32, context: u32, distance: usize) -> Result<()> {
        let (low, high, side) =
            if focus <= context { (focus, context, 0) } else { (context, focus, self.ordered) };
        let (start, limit) = self.shape.rows[low as usize];
        if high < limit {
            let place = start + (high - low) as usize * self.shape.sides + side as usize;
            self.dense[place] += self.scale.steps[distance];
            return Ok(());
        }
        let block = self.blocks.of(low);
        let key = Key::new(low - self.blocks.start(block), high, side);
        let bucket = &mut self.buckets[block as usize];
        bucket.arrivals.push(key.0 << DISTANCE_BITS | distance as u64);
        if bucket.arrivals.len() >= bucket.room {
            self.held += bucket.settle(self.scale);
            if self.held > self.limit {
                self.spill()?;
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile().map_err(temporary)?),
        };
        for bucket in self.buckets.iter_mut().filter(|bucket| !bucket.sums.is_empty()) {
            bucket.spilled.push((self.written, bucket.sums.len() as u64));
            for chunk in bucket.sums.chunks(CHUNK) {
                let bytes: Vec<u8> = chunk.iter().flat_map(|sum| sum.to_bytes()).collect();
                write_bytes_at(file, &bytes, 16 * self.written).map_err(temporary)?;
                self.written += chunk.len() as u64;
            }
            bucket.sums = Vec::new();
        }
        self.held = 0;
        Ok(())
    }

    /// Sums all that has arrived; no more may follow.
    pub(super) fn finish(&mut self) {
        for bucket in &mut self.buckets {
            bucket.settle(self.scale);
            bucket.arrivals = Vec::new();
        }
    }

    /// Whether any sums are in a file.
    #[cfg(test)]
    pub(super) fn spilled(&self) -> bool {
        self.file.is_some()
    }

    /// Takes the sums of a bucket out of memory and file, in parts that are sorted.
    fn take(&self, block: u32, all: &mut Vec<Sum>) -> Result<()> {
        let bucket = &self.buckets[block as usize];
        all.extend_from_slice(&bucket.sums);
        let Some(file) = &self.file else { return Ok(()) };
        for &(start, count) in &bucket.spilled {
            let end = start + count;
            for first in (start..end).step_by(CHUNK) {
                let mut bytes = vec![0; 16 * (end - first).min(CHUNK as u64) as usize];
                read_bytes_at(file, &mut bytes, 16 * first).map_err(temporary)?;
                all.extend(bytes.as_chunks::<16>().0.iter().map(Sum::from_bytes));
            }
        }
        Ok(())
    }
}

/// The sums of a bucket over all threads, sorted, each key once and none of them 0.
pub(super) fn collect(parts: &[Pairs<'_>], block: u32) -> Result<Vec<Sum>> {
    let mut all = Vec::new();
    for part in parts {
        part.take(block, &mut all)?;
        let start = part.blocks.start(block);
        for low in part.blocks.rows(block) {
            let cells = part.shape.row(low, &part.dense).filter(|&(_, _, sum)| sum > 0);
            all.extend(
                cells.map(|(high, side, sum)| Sum { key: Key::new(low - start, high, side), sum }),
            );
        }
    }
    // Made of sorted parts, which this sort makes use of.
    all.sort_by_key(|sum| sum.key);
    all.dedup_by(|next, sum| {
        let same = next.key == sum.key;
        if same {
            sum.sum += next.sum;
        }
        same
    });
    Ok(all)
}

impl Bucket {
    /// Adds the arrivals to the sums; returns by how many sums the bucket has grown.
    fn settle(&mut self, scale: &Scale) -> usize {
        if self.arrivals.is_empty() {
            return 0;
        }
        self.arrivals.sort_unstable();
        let before = self.sums.len();
        let mut merged = Vec::with_capacity(before + self.arrivals.len() / 2);
        let mut old = self.sums.iter().copied().peekable();
        let mut arrivals = self.arrivals.iter().peekable();
        while let Some(&first) = arrivals.next() {
            let key = Key(first >> DISTANCE_BITS);
            let step = |arrival: u64| scale.steps[(arrival & ((1 << DISTANCE_BITS) - 1)) as usize];
            let mut sum = step(first);
            while let Some(&&next) = arrivals.peek()
                && next >> DISTANCE_BITS == key.0
            {
                sum += step(next);
                arrivals.next();
            }
            while let Some(&smaller) = old.peek()
                && smaller.key <= key
            {
                old.next();
                if smaller.key == key {
                    sum += smaller.sum;
                } else {
                    merged.push(smaller);
                }
            }
            merged.push(Sum { key, sum });
        }
        merged.extend(old);
        self.sums = merged;
        self.arrivals.clear();
        self.room = self.sums.len().clamp(FEWEST_ARRIVALS, MOST_ARRIVALS);
        self.sums.len() - before
    }
}

impl Sum {
    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.key.0) | u128::from(self.sum) << 64).to_le_bytes()
    }

    fn from_bytes(bytes: &[u8; 16]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self { key: Key(both as u64), sum: (both >> 64) as u64 }
    }
}
