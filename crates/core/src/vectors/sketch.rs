//! A copy of the matrix with a byte for each number, which tells which rows a query need not look at.
//!
//! A row divided by its length is `scale * bytes + rest`. The product of a query of length 1 with the rest is
//! at most the length of the rest, so the cosine is known within that much from the bytes alone: a quarter of
//! the memory is read. Rows that may be among the best are then scored in full, so that the answer is that
//! of a search without the copy.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::WordVectors;
use super::best::Best;
use super::mapped::Store;
use super::metric::{Metric, Neighbor, Query};
use super::rounding::{Rounding, round_rows};
use super::search::Search;
use crate::error::Result;
use crate::memory::prefer_large_pages;
use crate::observe::{Monitor, Observer, Progress};
use crate::simd::{BYTE_BLOCK, RowFacts, Scan};
use crate::threads::{in_threads, lock};

/// Numbers in a matrix that is searched as it is, however often.
const SMALL: usize = 1 << 22;

/// Queries after which the copy is made; making it takes the time of about as many.
const QUERIES_BEFORE: usize = 8;

/// The copy takes no more memory than this.
const LARGEST: usize = 1 << 31;

/// Rows that a thread makes the copy of between two looks at the wish to stop.
const ROWS_PER_TURN: usize = 1 << 10;

/// More than the length of what rounding to single precision in a few steps leaves out of a row of length 1.
const ROUNDED: f32 = 2e-6;

/// Rows whose products are taken at once.
const BLOCK_ROWS: usize = 128;

/// Rows of bytes, each with its numbers.
#[derive(Debug)]
pub(super) struct Sketch {
    /// None where the vectors themselves are stored as bytes.
    bytes: Option<Store<i8>>,
    pub(super) width: usize,
    pub(super) facts: Vec<RowFacts>,
    scan: Scan,
}

impl WordVectors {
    /// The copy, made once enough queries were asked; none where it would not help.
    pub(super) fn sketch_if_worth_it(
        &self,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<&Sketch>> {
        let enough = self.asked.fetch_add(1, Ordering::Relaxed) >= QUERIES_BEFORE;
        self.sketch_for(enough, threads, observer)
    }

    /// The copy, where it helps and is there already, or enough is asked to make it.
    pub(super) fn sketch_for(
        &self,
        enough: bool,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<&Sketch>> {
        if let Some(sketch) = self.sketch.get() {
            return Ok(Some(sketch));
        }
        let numbers = self.len() * self.size.next_multiple_of(BYTE_BLOCK);
        if numbers < SMALL {
            return Ok(None);
        }
        if self.rows.packed().is_some() {
            // Other numbers with few bits are not copied: the copy would take as much memory again.
            let Some(sketch) = Sketch::in_place(self) else { return Ok(None) };
            return Ok(Some(self.sketch.get_or_init(|| sketch)));
        }
        if !enough || numbers > LARGEST {
            return Ok(None);
        }
        self.sketch_to_keep(threads, observer).map(Some)
    }

    /// The copy, whether it is worth it or not; the vectors are floats.
    pub(super) fn sketch_to_keep(
        &self,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<&Sketch> {
        if let Some(sketch) = self.sketch.get() {
            return Ok(sketch);
        }
        let sketch = Sketch::new(self, threads, observer)?;
        Ok(self.sketch.get_or_init(|| sketch))
    }
}

impl Sketch {
    pub(super) fn new(
        vectors: &WordVectors,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let (rows, width) = (vectors.len(), vectors.size.next_multiple_of(BYTE_BLOCK));
        let (mut bytes, mut facts) = (vec![0; rows * width], vec![RowFacts::default(); rows]);
        prefer_large_pages(&mut bytes);
        let parts = bytes.chunks_mut(ROWS_PER_TURN * width).zip(facts.chunks_mut(ROWS_PER_TURN));
        let parts = Mutex::new(parts.enumerate());
        let take = || lock(&parts).next();
        let monitor = Monitor::default();
        in_threads(
            0..threads.max(1),
            &monitor,
            |_| {
                while let Some((turn, (bytes, facts))) = take() {
                    if monitor.stopped() {
                        break;
                    }
                    let part = turn * ROWS_PER_TURN..turn * ROWS_PER_TURN + facts.len();
                    let mut reader = vectors.rows.reader();
                    let rows = reader.range(part.clone());
                    let norms = &vectors.norms[part];
                    round_rows(Rounding { rows, norms, size: vectors.size, width, bytes, facts });
                    monitor.advance(facts.len() as u64);
                }
                Ok(())
            },
            |done| Progress::new("preparing the search", done, Some(rows as u64), "words"),
            observer,
        )?;
        Ok(Self::of_file(Store::Owned(bytes), width, facts))
    }

    /// A copy that is there already.
    pub(super) fn of_file(bytes: Store<i8>, width: usize, facts: Vec<RowFacts>) -> Self {
        Self { bytes: Some(bytes), width, facts, scan: Scan::best() }
    }

    /// The same over vectors that are stored as bytes, which need no copy.
    pub(super) fn in_place(vectors: &WordVectors) -> Option<Self> {
        let (bytes, scales) = vectors.rows.packed()?.as_bytes()?;
        let rows = bytes.chunks_exact(vectors.size).zip(scales).zip(&vectors.norms);
        let facts = rows.map(|((bytes, &scale), &norm)| {
            let sum = bytes.iter().copied().map(i32::from).sum();
            let scale = scale / norm;
            if norm == 0.0 && bytes.iter().all(|&byte| byte == 0) {
                RowFacts::default()
            } else if scale.is_normal() && norm.is_normal() {
                // Nothing is left out but what single precision rounds.
                RowFacts { scale, rest: ROUNDED, sum }
            } else {
                RowFacts { scale: 0.0, rest: f32::INFINITY, sum }
            }
        });
        let (facts, width) = (facts.collect(), vectors.size);
        Some(Self { bytes: None, width, facts, scan: Scan::best() })
    }

    /// The bytes of all rows.
    pub(super) fn bytes<'a>(&'a self, vectors: &'a WordVectors) -> &'a [i8] {
        let in_place = || vectors.rows.packed()?.as_bytes().map(|(bytes, _)| bytes);
        self.bytes.as_ref().map(Store::numbers).or_else(in_place).unwrap_or_default()
    }

    /// The same as they lie in a file.
    pub(super) fn stored(&self) -> Cow<'_, [u8]> {
        self.bytes.as_ref().map(Store::bytes).unwrap_or_default()
    }

    /// The best of some rows.
    pub(super) fn scan(
        &self,
        vectors: &WordVectors,
        query: Query<'_>,
        search: Search<'_>,
        rows: Range<usize>,
        monitor: &Monitor,
    ) -> Vec<Neighbor> {
        let whole = WholeNumbers::new(query, self.width);
        let margin = query.margin(vectors.longest);
        let mut best = Best::new(vectors, query, search.n, search.exclude, margin);
        let (mut products, all) = ([0; BLOCK_ROWS], self.bytes(vectors));
        for start in rows.clone().step_by(BLOCK_ROWS) {
            if monitor.stopped() {
                break;
            }
            let block = start..rows.end.min(start + BLOCK_ROWS);
            let products = &mut products[..block.len()];
            let bytes = &all[block.start * self.width..block.end * self.width];
            self.scan.byte_products(&whole.numbers, bytes, products);
            for (row, &product) in block.zip(&*products) {
                let RowFacts { scale, rest, .. } = self.facts[row];
                let most = product as f32 * (scale * whole.unit) + rest + (1.0 + rest) * whole.rest;
                let key = key_of_cosine(query, most, vectors.norms[row]);
                best.offer_with_key(row, key);
            }
        }
        best.finish()
    }
}

/// The key of a row at this cosine from the query.
fn key_of_cosine(query: Query<'_>, cosine: f32, row_norm: f32) -> f32 {
    match query.metric {
        Metric::Cosine => cosine * query.norm(),
        Metric::Dot => cosine * query.norm() * row_norm,
        Metric::Euclidean => cosine * query.norm() * row_norm - 0.5 * row_norm * row_norm,
    }
}

/// A query of length 1 in whole numbers.
struct WholeNumbers {
    numbers: Vec<i16>,
    /// What one of them is worth.
    unit: f32,
    /// The length of what they leave out.
    rest: f32,
}

impl WholeNumbers {
    fn new(query: Query<'_>, width: usize) -> Self {
        // The sum of all products with bytes must stay within 31 bits.
        let limit = (i32::MAX as usize / (128 * width)).min(i16::MAX as usize) as f32;
        let norm = query.norm();
        let largest =
            query.vector.iter().fold(0.0_f32, |most, number| most.max(number.abs())) / norm;
        let unit = largest / limit;
        let mut numbers = vec![0; width];
        if limit < 1.0 || !unit.is_normal() {
            return Self { numbers, unit: 0.0, rest: f32::INFINITY };
        }
        let mut squares = 0.0;
        for (whole, &number) in numbers.iter_mut().zip(query.vector) {
            let exact = number / norm;
            *whole = (exact / unit).round_ties_even() as i16;
            let rest = exact - f32::from(*whole) * unit;
            squares += rest * rest;
        }
        Self { numbers, unit, rest: squares.sqrt() * 1.001 + 1e-6 }
    }
}
