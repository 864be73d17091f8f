//! A book of vectors, and which of them is nearest to a point.
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use crate::simd::level::{Level, Task, run};

/// Vectors that are compared side by side, so that compilers use wide registers.
const LANES: usize = 16;

/// The vectors of a book, number by number.
///
/// The nearest vector is the one with the largest product with the point, less half its own square. Products
/// are added up number by number in single precision, on every processor in one order, so that all find the
/// same.
pub(super) struct Book {
    /// Sixteen vectors after the other: for each of their numbers a line.
    lines: Vec<[f32; LANES]>,
    /// Half the square of each vector, negative; without end where there is no vector.
    offsets: Vec<[f32; LANES]>,
    width: usize,
}

impl Book {
    /// Of vectors of `width` numbers, one after the other.
    pub(super) fn new(vectors: &[f32], width: usize) -> Self {
        let blocks = (vectors.len() / width).div_ceil(LANES);
        let mut lines = vec![[0.0; LANES]; blocks * width];
        let mut offsets = vec![[f32::NEG_INFINITY; LANES]; blocks];
        for (entry, vector) in vectors.chunks_exact(width).enumerate() {
            let (block, lane, mut square) = (entry / LANES, entry % LANES, 0.0);
            for (place, &number) in vector.iter().enumerate() {
                lines[block * width + place][lane] = number;
                square += number * number;
            }
            offsets[block][lane] = -0.5 * square;
        }
        Self { lines, offsets, width }
    }

    /// Writes the number of the nearest vector to each point, the first of those that are equally near; points
    /// are `width` numbers at `offset` of lines of `stride`.
    pub(super) fn nearest(
        &self,
        lines: &[f32],
        (offset, stride): (usize, usize),
        found: &mut [u8],
    ) {
        run(Nearest { book: self, lines, offset, stride, found });
    }
}

struct Nearest<'a> {
    book: &'a Book,
    lines: &'a [f32],
    offset: usize,
    stride: usize,
    found: &'a mut [u8],
}

impl Task for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { book, lines, offset, stride, found } = self;
        for (line, found) in found.iter_mut().enumerate() {
            *found = nearest(book, &lines[line * stride + offset..][..book.width]);
        }
    }
}

#[inline(always)]
fn nearest(book: &Book, point: &[f32]) -> u8 {
    let (mut best, mut blocks) = ([f32::NEG_INFINITY; LANES], [0_u32; LANES]);
    for block in 0..book.offsets.len() {
        let mut scores = book.offsets[block];
        let lines = &book.lines[block * point.len()..][..point.len()];
        for place in 0..point.len() {
            let (number, line) = (point[place], &lines[place]);
            for lane in 0..LANES {
                scores[lane] += number * line[lane];
            }
        }
        for lane in 0..LANES {
            let is_nearer = scores[lane] > best[lane];
            best[lane] = if is_nearer { scores[lane] } else { best[lane] };
            blocks[lane] = if is_nearer { block as u32 } else { blocks[lane] };
        }
    }
    let mut highest = f32::NEG_INFINITY;
    for score in best {
        highest = if score > highest { score } else { highest };
    }
    let mut first = u32::MAX;
    for lane in 0..LANES {
        let entry = blocks[lane] * LANES as u32 + lane as u32;
        first = if best[lane] >= highest && entry < first { entry } else { first };
    }
    first as u8
}
