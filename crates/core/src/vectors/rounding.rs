//! Rows of length 1 as bytes.
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use crate::simd::RowFacts;
use crate::simd::level::{Level, Task, run};
use crate::simd::prefetch;

/// Added to a small number, it leaves the nearest whole number in the last bits.
const ROUNDER: f32 = 12_582_912.0;

/// A row is asked for so many rows before it is read.
const ROWS_AHEAD: usize = 8;

/// Sums that run side by side, so that compilers use wide registers.
const LANES: usize = 16;

/// The bits of a float without its sign rise with its size; those of what is not a number are the largest.
const SIZE: u32 = 0x7FFF_FFFF;

/// Rows of floats and the room for their bytes, `width` for each row, of which the last stay as they are.
pub(super) struct Rounding<'a> {
    pub(super) rows: &'a [f32],
    pub(super) norms: &'a [f32],
    pub(super) size: usize,
    pub(super) width: usize,
    pub(super) bytes: &'a mut [i8],
    pub(super) facts: &'a mut [RowFacts],
}

/// Writes the rows as bytes, with what a unit is worth, the length of what is left out, and their sums.
pub(super) fn round_rows(rounding: Rounding<'_>) {
    run(rounding);
}

impl Task for Rounding<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let rows = self.rows.chunks_exact(self.size).zip(self.norms);
        let room = self.bytes.chunks_exact_mut(self.width).zip(self.facts);
        let mut ahead = ROWS_AHEAD * self.size;
        for ((row, &norm), (bytes, facts)) in rows.zip(room) {
            if let Some(later) = self.rows.get(ahead..ahead + self.size) {
                prefetch(later.as_ptr(), later.len());
            }
            ahead += self.size;
            *facts = round_row(row, norm, &mut bytes[..row.len()]);
        }
    }
}

#[inline(always)]
fn round_row(row: &[f32], norm: f32, bytes: &mut [i8]) -> RowFacts {
    let inverse = 1.0 / norm;
    let largest = f32::from_bits(largest_bits(row)) * inverse;
    let scale = largest / f32::from(i8::MAX);
    if !(scale.is_normal() && inverse.is_finite()) {
        // No direction, or one that single precision cannot tell: every query has to look.
        let rest = if norm == 0.0 && largest.is_nan() { 0.0 } else { f32::INFINITY };
        return RowFacts { scale: 0.0, rest, sum: 0 };
    }
    let factor = inverse / scale;
    let (mut squares, mut sums) = ([0.0; LANES], [0; LANES]);
    let (lines, last) = row.as_chunks::<LANES>();
    let (places, last_places) = bytes.as_chunks_mut::<LANES>();
    for (line, places) in lines.iter().zip(places) {
        // Values of their own: with references, sums would lie in memory in case these overlap.
        let (line, mut wholes) = (*line, [0; LANES]);
        for lane in 0..LANES {
            let whole = (line[lane] * factor + ROUNDER).to_bits().cast_signed() << 24 >> 24;
            let rest = line[lane] * inverse - whole as f32 * scale;
            wholes[lane] = whole as i8;
            squares[lane] += rest * rest;
            sums[lane] += whole;
        }
        *places = wholes;
    }
    let (mut last_squares, mut last_sum) = (0.0, 0);
    for (&number, place) in last.iter().zip(last_places) {
        let whole = (number * factor + ROUNDER).to_bits().cast_signed() << 24 >> 24;
        let rest = number * inverse - whole as f32 * scale;
        *place = whole as i8;
        last_squares += rest * rest;
        last_sum += whole;
    }
    // Rounding in these few steps is far below a thousandth of the length.
    let mut width = LANES / 2;
    while width > 0 {
        let mut lane = 0;
        while lane < width {
            squares[lane] += squares[lane + width];
            sums[lane] += sums[lane + width];
            lane += 1;
        }
        width /= 2;
    }
    let rest = (squares[0] + last_squares).sqrt() * 1.001 + 1e-6;
    RowFacts { scale, rest, sum: sums[0] + last_sum }
}

#[inline(always)]
fn largest_bits(row: &[f32]) -> u32 {
    let (lines, last) = row.as_chunks::<LANES>();
    let mut largest = [0; LANES];
    for line in lines {
        for lane in 0..LANES {
            largest[lane] = largest[lane].max(line[lane].to_bits() & SIZE);
        }
    }
    let last = last.iter().map(|number| number.to_bits() & SIZE);
    largest.into_iter().chain(last).max().unwrap_or(0)
}
