//! How long vectors are: taken once, and kept in files.
//!
//! Sums are added up in one order on every processor, so that a file that keeps lengths has the same bytes
//! wherever it is written.
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use std::ops::Range;
use std::path::Path;

use super::file::Source;
use super::rows::{Owned, Rows};
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{Header, Kind};
use crate::simd::level::{Level, Task, run};

/// The name of their tensor.
const TENSOR: &str = "norms";

/// Numbers whose squares are added side by side, so that compilers use wide registers.
const LANES: usize = 16;

/// Rows that are measured at once.
const BLOCK_ROWS: usize = 64;

/// The Euclidean length of a vector.
pub(super) fn norm_of(vector: &[f32]) -> f32 {
    let mut norm = [0.0];
    if !vector.is_empty() {
        run(Measuring { rows: vector, size: vector.len(), norms: &mut norm });
    }
    norm[0]
}

/// The length of some rows.
pub(super) fn norms_of(rows: &Rows, range: Range<usize>) -> Vec<f32> {
    let mut norms = vec![0.0; range.len()];
    measure(rows, range, &mut norms);
    norms
}

/// Writes the length of some rows.
pub(super) fn measure(rows: &Rows, range: Range<usize>, norms: &mut [f32]) {
    let (mut reader, size) = (rows.reader(), rows.size());
    // Rows with fewer bits become floats a few at a time.
    for (part, norms) in norms.chunks_mut(BLOCK_ROWS).enumerate() {
        let start = range.start + part * BLOCK_ROWS;
        run(Measuring { rows: reader.range(start..start + norms.len()), size, norms });
    }
}

/// Rows of `size` numbers and the room for their lengths.
struct Measuring<'a> {
    rows: &'a [f32],
    size: usize,
    norms: &'a mut [f32],
}

impl Task for Measuring<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        for (row, norm) in self.rows.chunks_exact(self.size).zip(self.norms) {
            *norm = sum_of_squares(row).sqrt();
        }
    }
}

#[inline(always)]
fn sum_of_squares(row: &[f32]) -> f32 {
    let (mut a, mut b, mut c, mut d) = ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let (parts, rest) = row.as_chunks::<LANES>();
    let (lines, few) = parts.as_chunks::<4>();
    for line in lines {
        add_squares(&line[0], &mut a);
        add_squares(&line[1], &mut b);
        add_squares(&line[2], &mut c);
        add_squares(&line[3], &mut d);
    }
    if let Some(part) = few.first() {
        add_squares(part, &mut a);
    }
    if let Some(part) = few.get(1) {
        add_squares(part, &mut b);
    }
    if let Some(part) = few.get(2) {
        add_squares(part, &mut c);
    }
    if !rest.is_empty() {
        add_squares(&end_of(row, rest), &mut d);
    }
    let (mut sixteen, mut eight, mut four) = ([0.0; LANES], [0.0; 8], [0.0; 4]);
    for lane in 0..LANES {
        sixteen[lane] = (a[lane] + c[lane]) + (b[lane] + d[lane]);
    }
    for lane in 0..8 {
        eight[lane] = sixteen[lane] + sixteen[lane + 8];
    }
    for lane in 0..4 {
        four[lane] = eight[lane] + eight[lane + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

#[inline(always)]
fn add_squares(part: &[f32; LANES], sums: &mut [f32; LANES]) {
    for lane in 0..LANES {
        sums[lane] += part[lane] * part[lane];
    }
}

/// The last numbers of a row, behind zeros.
#[inline(always)]
fn end_of(row: &[f32], rest: &[f32]) -> [f32; LANES] {
    let (zeros, mut end) = (LANES - rest.len(), [0.0; LANES]);
    if let Some(last) = row.last_chunk::<LANES>() {
        // Numbers that were added already become zeros: a copy of the others alone would have to wait.
        for lane in 0..LANES {
            end[lane] = if lane < zeros { 0.0 } else { last[lane] };
        }
    } else {
        end[zeros..].copy_from_slice(rest);
    }
    end
}

/// The tensor of a file; none where a length is beyond the range of floats, which a reader finds out by itself.
pub(super) fn tensor(norms: &[f32]) -> Option<Owned<'_>> {
    let is_kept = norms.iter().all(|norm| norm.is_finite());
    let bytes = || bytes_of(norms.iter().map(|norm| norm.to_le_bytes()));
    is_kept.then(|| (TENSOR.to_owned(), Kind::F32, vec![norms.len()], bytes().into()))
}

/// The lengths that a file keeps; files of earlier versions keep none.
pub(super) fn read(
    path: &Path,
    header: &Header,
    source: &Source<'_>,
    rows: usize,
) -> Result<Option<Vec<f32>>> {
    if !header.has(TENSOR) {
        return Ok(None);
    }
    let (shape, range) = header.tensor(path, TENSOR, Kind::F32, 1)?;
    if shape[0] != rows {
        let reason = format!("tensor {TENSOR:?} must have {rows} numbers, it has {}", shape[0]);
        return Err(Error::format(path, Place::Byte(8), reason));
    }
    let (bytes, _) = source.bytes()[range.clone()].as_chunks::<4>();
    let norms: Vec<f32> = bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let is_length = |norm: &f32| norm.is_finite() && *norm >= 0.0;
    if let Some(row) = norms.iter().position(|norm| !is_length(norm)) {
        let reason =
            format!("row {row} of tensor {TENSOR:?} must be a length, it is {}", norms[row]);
        return Err(Error::format(path, Place::Byte((range.start + 4 * row) as u64), reason));
    }
    Ok(Some(norms))
}

#[cfg(test)]
mod tests {
    use super::super::mapped::Store;
    use super::*;
    use crate::simd::level::Portable;

    #[test]
    fn the_same_bits_on_every_processor_and_near_the_exact_length() {
        for size in [1, 2, 15, 16, 63, 64, 65, 100, 300, 1000] {
            let numbers: Vec<f32> =
                (0..3 * size).map(|place| ((place * place % 97) as f32 - 48.0) / 7.0).collect();
            let rows = Rows::of_floats(Store::Owned(numbers.clone()), size);
            let norms = norms_of(&rows, 0..3);
            let mut portable = vec![0.0; 3];
            Measuring { rows: &numbers, size, norms: &mut portable }.run(Portable);
            assert_eq!(norms, portable, "{size}");
            for (row, &norm) in numbers.chunks_exact(size).zip(&norms) {
                let exact = row.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
                assert!((f64::from(norm) - exact).abs() <= 1e-6 * exact, "{size}: {norm} {exact}");
                assert_eq!(norm.to_bits(), norm_of(row).to_bits());
            }
        }
        assert_eq!([norm_of(&[]), norm_of(&[-0.0, 0.0])].map(f32::to_bits), [0, 0]);
    }

    #[test]
    fn lengths_beyond_the_range_of_floats_are_not_kept() {
        assert!(tensor(&[1.0, 0.0]).is_some());
        assert!(tensor(&[1.0, f32::INFINITY]).is_none());
        assert!(tensor(&[f32::NAN]).is_none());
    }
}
