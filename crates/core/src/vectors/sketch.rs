//! A copy of the matrix with a byte for each number, which tells which rows a query need not look at.
//!
//! A row divided by its length is `scale * bytes + rest`. The product of a query of length 1 with the rest is
//! at most the length of the rest, so the cosine is known within that much from the bytes alone: a quarter of
//! the memory is read. Rows that may be among the best are then scored in full, so that the answer is that
//! of a search without the copy.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::WordVectors;
use super::best::Best;
use super::metric::{Metric, Neighbor, Query};
use super::search::Search;
use crate::error::Result;
use crate::observe::{Monitor, Observer, Progress};
use crate::simd::{BYTE_BLOCK, Scan};
use crate::threads::in_threads;

/// Numbers in a matrix that is searched as it is, however often.
const SMALL: usize = 1 << 22;

/// Queries after which the copy is made; making it takes the time of about as many.
const QUERIES_BEFORE: usize = 8;

/// The copy takes no more memory than this.
const LARGEST: usize = 1 << 31;

/// Rows that a thread makes the copy of between two looks at the wish to stop.
const ROWS_PER_TURN: usize = 1 << 10;

/// Added to a small number, it leaves the nearest whole number in the last bits.
const ROUNDER: f32 = 12_582_912.0;

/// Rows whose products are taken at once.
const BLOCK_ROWS: usize = 128;

/// Rows of bytes, each with the number that its unit is worth and the length of what it leaves out.
#[derive(Debug)]
pub(super) struct Sketch {
    bytes: Vec<i8>,
    width: usize,
    scales: Vec<f32>,
    rests: Vec<f32>,
    scan: Scan,
}

impl WordVectors {
    /// The copy, made once enough queries were asked; none where it would not help.
    pub(super) fn sketch_if_worth_it(
        &self,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<&Sketch>> {
        let numbers = self.len() * self.size.next_multiple_of(BYTE_BLOCK);
        if !(SMALL..=LARGEST).contains(&numbers) {
            return Ok(None);
        }
        if let Some(sketch) = self.sketch.get() {
            return Ok(Some(sketch));
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) < QUERIES_BEFORE {
            return Ok(None);
        }
        let sketch = Sketch::new(self, threads, observer)?;
        Ok(Some(self.sketch.get_or_init(|| sketch)))
    }
}

impl Sketch {
    pub(super) fn new(
        vectors: &WordVectors,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let (rows, width) = (vectors.len(), vectors.size.next_multiple_of(BYTE_BLOCK));
        let (mut bytes, mut scales, mut rests) =
            (vec![0; rows * width], vec![0.0; rows], vec![0.0; rows]);
        let parts = bytes.chunks_mut(ROWS_PER_TURN * width);
        let parts =
            parts.zip(scales.chunks_mut(ROWS_PER_TURN).zip(rests.chunks_mut(ROWS_PER_TURN)));
        let parts = Mutex::new(parts.enumerate());
        let take = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let monitor = Monitor::default();
        in_threads(
            0..threads.max(1),
            &monitor,
            |_| {
                while let Some((turn, (bytes, (scales, rests)))) = take() {
                    if monitor.stopped() {
                        break;
                    }
                    let numbers = scales.iter_mut().zip(rests);
                    for (index, (bytes, (scale, rest))) in
                        bytes.chunks_exact_mut(width).zip(numbers).enumerate()
                    {
                        let row = turn * ROWS_PER_TURN + index;
                        (*scale, *rest) = round_row(vectors.row(row), vectors.norms[row], bytes);
                    }
                    monitor.advance(scales.len() as u64);
                }
                Ok(())
            },
            |done| Progress::new("preparing the search", done, Some(rows as u64), "words"),
            observer,
        )?;
        Ok(Self { bytes, width, scales, rests, scan: Scan::best() })
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
        let mut products = [0; BLOCK_ROWS];
        for start in rows.clone().step_by(BLOCK_ROWS) {
            if monitor.stopped() {
                break;
            }
            let block = start..rows.end.min(start + BLOCK_ROWS);
            let products = &mut products[..block.len()];
            let bytes = &self.bytes[block.start * self.width..block.end * self.width];
            self.scan.byte_products(&whole.numbers, bytes, products);
            for (row, &product) in block.zip(&*products) {
                let cosine = product as f32 * (self.scales[row] * whole.unit);
                let most = cosine + self.rests[row] + (1.0 + self.rests[row]) * whole.rest;
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

/// Writes a row of length 1 as bytes; returns what a unit is worth, and the length of what is left out.
fn round_row(row: &[f32], norm: f32, bytes: &mut [i8]) -> (f32, f32) {
    let inverse = 1.0 / norm;
    let largest = row.iter().fold(0.0_f32, |most, number| most.max(number.abs())) * inverse;
    let scale = largest / f32::from(i8::MAX);
    if !(scale.is_normal() && inverse.is_finite()) {
        // No direction, or one that single precision cannot tell: every query has to look.
        let rest = if norm == 0.0 && largest.is_nan() { 0.0 } else { f32::INFINITY };
        return (0.0, rest);
    }
    let factor = inverse / scale;
    let mut squares = 0.0;
    for (&number, byte) in row.iter().zip(bytes) {
        *byte = (number * factor + ROUNDER).to_bits() as i8;
        let rest = number * inverse - f32::from(*byte) * scale;
        squares += rest * rest;
    }
    // Rounding in these few steps is far below a thousandth of the length.
    (scale, squares.sqrt() * 1.001 + 1e-6)
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
