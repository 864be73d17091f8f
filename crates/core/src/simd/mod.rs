//! Vector arithmetic: the only place with processor intrinsics.
//!
//! [`Kernels`] is a table of functions for one instruction set; [`Kernels::best`] picks the widest that
//! the processor offers at run time ([`ProcessorLevel`]), so that one build is fast everywhere. Each function
//! has a scalar twin, against which it is tested. Sums are taken in an order that depends on the instruction set, so
//! results of two sets agree within rounding, not bit for bit.
#![allow(unsafe_code, reason = "intrinsics work on raw pointers; each block states what must hold")]

mod bytes;
pub(crate) mod classify;
pub(crate) mod fields;
mod fit;
mod generic;
pub(crate) mod level;
mod mean;
#[cfg(target_arch = "aarch64")]
mod neon;
mod processor;
mod scalar;
mod scan;
mod sigmoid;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use bytes::{ByteTiles, Near, RowFacts};
pub use processor::ProcessorLevel;
pub use scan::{BYTE_BLOCK, Blend, Scan};
pub use sigmoid::{Losses, Pattern};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use processor::Feature;

/// Floats in a block: rows of the weight matrices are padded to a multiple of it, and start at a
/// multiple of its size in bytes (64, one cache line).
pub const BLOCK: usize = 16;

/// Room for one row of products is a multiple of this, so that loops over it need no remainder.
pub const PRODUCT_BLOCK: usize = 8;

/// Rows that take part in a tile: inputs on one side, targets on the other.
///
/// All rows are at least `width` floats long, a number that [`Kernels::width_of`] gave, and no row appears twice.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// Rows of the input matrix.
    pub inputs: &'a [*mut f32],
    /// Rows of the output matrix.
    pub targets: &'a [*mut f32],
    /// Floats of a row that are worked on.
    pub width: usize,
    /// Floats from the products of one input to those of the next; a multiple of [`PRODUCT_BLOCK`].
    pub stride: usize,
}

impl Tile<'_> {
    /// The stride that holds the products of one input with `targets` targets.
    pub fn stride_for(targets: usize) -> usize {
        targets.next_multiple_of(PRODUCT_BLOCK)
    }

    fn check(&self, products: usize) {
        assert!(self.stride >= self.targets.len(), "a row of products holds all targets");
        assert!(products >= self.inputs.len() * self.stride, "room for all products");
    }
}

/// Asks the processor to bring a row of `width` floats near, which it may do or not.
#[inline]
pub fn prefetch(row: *const f32, width: usize) {
    #[cfg(target_arch = "x86_64")]
    for block in 0..width.div_ceil(BLOCK) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this kind has the instruction, and it never fails on any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(block * BLOCK).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, width);
}

/// A mask of the lowest `count` bits, at most 64.
#[inline]
pub(crate) fn low_bits(count: u32) -> u64 {
    u64::MAX.unbounded_shr(64 - count.min(64))
}

/// Asks the processor to bring the cache line near that starts with `first`.
#[inline]
pub(crate) fn prefetch_line(first: &u64) {
    prefetch(std::ptr::from_ref(first).cast(), BLOCK);
}

/// Asks the processor to bring the cache line near that holds a byte, if there is one at `offset`.
#[inline]
pub(crate) fn prefetch_byte(bytes: &[u8], offset: usize) {
    prefetch(bytes.as_ptr().wrapping_add(offset).cast(), BLOCK);
}

/// Asks the processor to bring the cache line near that holds the start of an item, if there is one of this number.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of loops that are compiled for a level")]
pub(crate) fn prefetch_item<T>(items: &[T], number: usize) {
    prefetch(items.as_ptr().wrapping_add(number).cast(), BLOCK);
}

/// Bytes at the start of a text that are worth asking for: by then the processor has seen where it goes.
const START_BYTES: usize = 512;

/// Asks the processor to bring the start of a text near, all at once and not line by line.
#[inline]
pub(crate) fn prefetch_start(text: &[u8]) {
    for line in (0..text.len().min(START_BYTES)).step_by(size_of::<Line>()) {
        prefetch_byte(text, line);
    }
}

/// Asks the processor to bring the cache line near that holds the start of a value.
#[inline]
pub(crate) fn prefetch_value<T>(value: &T) {
    prefetch(std::ptr::from_ref(value).cast(), BLOCK);
}

/// Floats that start at a multiple of 64 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Line(pub [f32; BLOCK]);

/// Rows of one table, for [`Kernels::fit`].
#[derive(Clone, Debug)]
pub struct Rows {
    /// A row after the other: the vector, padded with zeros to whole lines, and with adaptive steps as many
    /// lines of sums of squared gradients.
    pub lines: Vec<Line>,
    /// The bias of each row and its sum of squared gradients.
    pub biases: Vec<[f32; 2]>,
}

/// What the product of two rows and both biases should come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// A row of the first group of words.
    pub low: u16,
    /// A row of the second.
    pub high: u16,
    /// The value to come to.
    pub log: f32,
    /// How much the error counts.
    pub weight: f32,
}

/// Cells to learn from, one after the other, and the rows that they change.
#[derive(Debug)]
pub struct Fit<'a> {
    /// The cells.
    pub cells: &'a [Cell],
    /// Whether the high row of a cell is the focus, and the low one the context.
    pub swapped: bool,
    /// Rows of the focus table.
    pub focus: &'a mut Rows,
    /// Rows of the context table.
    pub context: &'a mut Rows,
    /// Lines in a vector.
    pub width: usize,
    /// Floats of a vector that are worked on; those behind are zeros. A number that [`Kernels::width_of`] gave.
    pub used: usize,
    /// The step size.
    pub rate: f32,
    /// Whether steps shrink with the sum of squared gradients (Duchi et al. 2011), or are plain.
    pub adaptive: bool,
}

/// The functions of one instruction set.
#[derive(Clone, Copy)]
pub struct Kernels {
    name: &'static str,
    /// Floats in a register.
    lanes: usize,
    dot: unsafe fn(&[f32], &[f32]) -> f32,
    add_scaled: unsafe fn(f32, &[f32], &mut [f32]),
    scale: unsafe fn(f32, &mut [f32]),
    descend: unsafe fn(Tile<'_>, &Pattern<'_>, &mut [f32], &mut Vec<f32>) -> Losses,
    descend_mean: unsafe fn(&[*mut f32], Tile<'_>, &Pattern<'_>, &mut [f32]) -> Losses,
    gather: unsafe fn(&[*mut f32], f32, usize, *mut f32),
    scatter: unsafe fn(*const f32, usize, &[*mut f32]),
    gradients: unsafe fn(&Pattern<'_>, &mut [f32]) -> Losses,
    fit: unsafe fn(Fit<'_>) -> f64,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Kernels({})", self.name)
    }
}

impl Kernels {
    /// The functions of the level in use.
    pub fn best() -> Self {
        *Self::available().last().unwrap_or(&scalar::KERNELS)
    }

    /// All functions up to the level in use, slowest first; the first are the scalar ones.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors only have the scalar functions")]
        let mut all = vec![scalar::KERNELS];
        #[cfg(target_arch = "x86_64")]
        {
            if processor::has(Feature::Avx2) {
                all.push(x86::AVX2);
            }
            if processor::has(Feature::Avx512) {
                all.push(x86::AVX512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if processor::has(Feature::Neon) {
            all.push(neon::NEON);
        }
        all
    }

    /// The name of the instruction set.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The floats that are worked on in a row of `size` numbers, which is padded with zeros to whole [`BLOCK`]s: whole
    /// registers.
    pub fn width_of(&self, size: usize) -> usize {
        size.next_multiple_of(self.lanes)
    }

    fn check_width(&self, width: usize) {
        // Not with a division: this is asked for each step, and the number of lanes is a power of two.
        assert!(width & (self.lanes - 1) == 0, "whole registers");
    }

    /// The sum of the products of two vectors.
    ///
    /// # Panics
    ///
    /// The vectors differ in length.
    pub fn dot(&self, left: &[f32], right: &[f32]) -> f32 {
        assert_eq!(left.len(), right.len(), "vectors have one length");
        // SAFETY: `available` hands out a table only where the processor has its instruction set.
        unsafe { (self.dot)(left, right) }
    }

    /// Adds `factor * source` to `destination`.
    ///
    /// # Panics
    ///
    /// The vectors differ in length.
    pub fn add_scaled(&self, factor: f32, source: &[f32], destination: &mut [f32]) {
        assert_eq!(source.len(), destination.len(), "vectors have one length");
        // SAFETY: as in `dot`.
        unsafe { (self.add_scaled)(factor, source, destination) }
    }

    /// Multiplies each element by `factor`.
    pub fn scale(&self, factor: f32, vector: &mut [f32]) {
        // SAFETY: as in `dot`.
        unsafe { (self.scale)(factor, vector) }
    }

    /// Turns products into gradients, and returns the loss; see [`Pattern`].
    ///
    /// # Panics
    ///
    /// The pattern is not padded, or there are fewer products than it stands for.
    pub fn gradients(&self, pattern: &Pattern<'_>, products: &mut [f32]) -> Losses {
        pattern.check(products.len());
        // SAFETY: as in `dot`.
        unsafe { (self.gradients)(pattern, products) }
    }

    /// Learns from cells: with the error e of a cell (product of both rows and both biases, less `log`) and
    /// its weight f, each row moves against `f e` times the other one. Returns the sum of `f e e`, each taken
    /// before the step.
    ///
    /// # Panics
    ///
    /// A cell names a row that is not there, or the rows are shorter than what is used of them.
    pub fn fit(&self, fit: Fit<'_>) -> f64 {
        self.check_width(fit.used);
        assert!(fit.used <= fit.width * BLOCK, "as much as there is");
        // SAFETY: as in `dot`; rows are taken with a check, and the two tables are borrowed apart.
        unsafe { (self.fit)(fit) }
    }

    /// One step of gradient descent on each product of an input row and a target row; returns the loss.
    ///
    /// Products, gradients and both sides of the update are computed from the rows as they were before.
    /// `room` holds a stride of finite numbers for each input; afterwards it holds the gradients.
    ///
    /// # Safety
    ///
    /// Every pointer of the tile is valid for reading and writing `width` floats, and no two rows
    /// overlap. Other threads may write the same rows at the same time only as `embed::shared` explains.
    pub unsafe fn descend(
        &self,
        tile: Tile<'_>,
        pattern: &Pattern<'_>,
        room: &mut [f32],
        scratch: &mut Vec<f32>,
    ) -> Losses {
        self.check_width(tile.width);
        tile.check(room.len());
        pattern.check(room.len());
        pattern.check_fits(&tile);
        // SAFETY: the instruction set as in `dot`, the pointers by the caller's promise.
        unsafe { (self.descend)(tile, pattern, room, scratch) }
    }

    /// One step of gradient descent on the mean of rows, which goes to the one input of the tile, and each target
    /// row; each row moves as the mean does, as often as it is listed. Returns the loss.
    ///
    /// # Safety
    ///
    /// As for [`descend`](Self::descend), and every row is valid likewise, listed once or more, and overlaps neither
    /// the input nor a target.
    ///
    /// # Panics
    ///
    /// The tile has more than one input, or none.
    pub unsafe fn descend_mean(
        &self,
        rows: &[*mut f32],
        tile: Tile<'_>,
        pattern: &Pattern<'_>,
        room: &mut [f32],
    ) -> Losses {
        assert_eq!(tile.inputs.len(), 1, "the mean is one input");
        self.check_width(tile.width);
        tile.check(room.len());
        pattern.check(room.len());
        pattern.check_fits(&tile);
        // SAFETY: the instruction set as in `dot`, the pointers by the caller's promise.
        unsafe { (self.descend_mean)(rows, tile, pattern, room) }
    }

    /// Writes `factor` times the sum of the rows to `sum`; a row may be listed more than once.
    ///
    /// # Safety
    ///
    /// Every row and `sum` are valid for `width` floats, a number that [`width_of`](Self::width_of) gave, and `sum` is
    /// none of the rows.
    pub unsafe fn gather(&self, rows: &[*mut f32], factor: f32, width: usize, sum: *mut f32) {
        self.check_width(width);
        // SAFETY: the instruction set as in `dot`, the pointers by the caller's promise.
        unsafe { (self.gather)(rows, factor, width, sum) }
    }

    /// Adds `change` to each row, as often as it is listed.
    ///
    /// # Safety
    ///
    /// As for [`gather`](Self::gather), with `change` in the place of `sum`; what other threads may do is explained
    /// in `embed::shared`.
    pub unsafe fn scatter(&self, change: *const f32, width: usize, rows: &[*mut f32]) {
        self.check_width(width);
        // SAFETY: the instruction set as in `dot`, the pointers by the caller's promise.
        unsafe { (self.scatter)(change, width, rows) }
    }
}
