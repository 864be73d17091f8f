//! The weights, which all threads read and write without locks.
//!
//! This is Hogwild (Niu et al. 2011, arXiv:1106.5730): two threads that change the same row at the same
//! time may lose a part of one change, which the next steps make good. Rows are only touched through
//! raw pointers, a register at a time, and no reference to a row exists while threads run; a register
//! read beside a write holds old or new floats, never anything else, on every processor that the kernels
//! are written for.
#![allow(unsafe_code, reason = "shared mutable rows; each block states what must hold")]

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::simd::{BLOCK, Kernels, Pattern, Tile, prefetch};

/// A matrix whose rows start at multiples of 64 bytes and are padded with zeros to whole blocks.
#[derive(Debug)]
pub(crate) struct SharedMatrix {
    /// Owns the memory; only [`fill`](Self::fill) and dropping use it, the rest goes by `start`.
    memory: MmapMut,
    start: *mut f32,
    rows: usize,
    width: usize,
}

// SAFETY: the memory belongs to this value alone and is not bound to a thread; what concurrent access
// means is explained at the top of this file.
unsafe impl Send for SharedMatrix {}
// SAFETY: as above.
unsafe impl Sync for SharedMatrix {}

impl SharedMatrix {
    /// A matrix of zeros, whose memory costs nothing until it is used.
    pub(crate) fn new(rows: usize, size: usize) -> Result<Self> {
        let width = size.next_multiple_of(BLOCK);
        let too_large = |source: &dyn std::fmt::Display| {
            Error::parameter(
                "vector_size",
                format!("times {rows} words must fit into memory ({source})"),
                size,
            )
            .with_hint("Lower it, or keep fewer words with min_count or max_vocab")
        };
        let bytes = rows
            .checked_mul(width)
            .and_then(|floats| floats.checked_mul(4))
            .ok_or_else(|| too_large(&"more bytes than an address can count"))?;
        // A mapping starts on a page, so rows are aligned, and its zeros cost nothing until used.
        let mut memory = MmapMut::map_anon(bytes.max(1)).map_err(|source| too_large(&source))?;
        // Rows are visited at random: without large pages each visit costs a walk through page tables.
        // A system without them ignores the advice.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        #[allow(clippy::cast_ptr_alignment, reason = "a mapping starts on a page")]
        let start = memory.as_mut_ptr().cast::<f32>();
        Ok(Self { memory, start, rows, width })
    }

    /// Where a row starts.
    ///
    /// # Panics
    ///
    /// There is no such row.
    pub(crate) fn row(&self, row: u32) -> *mut f32 {
        let row = row as usize;
        assert!(row < self.rows, "a row of the matrix");
        // SAFETY: the row is inside the mapping, by the assertion and the size chosen in `new`.
        unsafe { self.start.add(row * self.width) }
    }

    /// Sets the first `size` floats of each row, in order.
    pub(crate) fn fill(
        &mut self,
        size: usize,
        mut next: impl FnMut() -> f32,
        look: &mut Look<'_>,
    ) -> Result<()> {
        for (number, row) in self.memory.chunks_exact_mut(4 * self.width).enumerate() {
            look_now_and_then(number, look)?;
            for float in row.as_chunks_mut::<4>().0.iter_mut().take(size) {
                *float = next().to_ne_bytes();
            }
        }
        Ok(())
    }

    /// The rows without their padding, one after the other.
    pub(crate) fn take(self, size: usize, look: &mut Look<'_>) -> Result<Vec<f32>> {
        let mut floats = Vec::with_capacity(self.rows * size);
        for (number, row) in self.memory.chunks_exact(4 * self.width).take(self.rows).enumerate() {
            look_now_and_then(number, look)?;
            floats.extend(row.as_chunks::<4>().0.iter().take(size).map(|&f| f32::from_ne_bytes(f)));
        }
        Ok(floats)
    }
}

/// Asked with the number of rows done; an error ends the work.
pub(crate) type Look<'a> = dyn FnMut(u64) -> Result<()> + 'a;

/// Rows between two looks at the wish to stop: a millisecond or two of work.
const ROWS_PER_LOOK: usize = 1 << 12;

fn look_now_and_then(row: usize, look: &mut Look<'_>) -> Result<()> {
    if row.is_multiple_of(ROWS_PER_LOOK) { look(row as u64) } else { Ok(()) }
}

/// The two matrices that training changes.
#[derive(Debug)]
pub(super) struct Weights {
    input: SharedMatrix,
    output: SharedMatrix,
    size: usize,
    kernels: Kernels,
}

/// The rows of one step and room to work in; each thread owns one.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Rows of the input matrix, each once.
    pub(super) inputs: Vec<u32>,
    /// Rows of the output matrix, each once.
    pub(super) targets: Vec<u32>,
    products: Vec<f32>,
    input_pointers: Vec<*mut f32>,
    target_pointers: Vec<*mut f32>,
    scratch: Vec<f32>,
}

// SAFETY: the pointers are made anew at the start of each step and never read after its end.
unsafe impl Send for Rows {}

impl Weights {
    /// Input rows from `next`, output rows zero.
    pub(super) fn new(
        rows: usize,
        size: usize,
        next: impl FnMut() -> f32,
        look: &mut Look<'_>,
    ) -> Result<Self> {
        let mut input = SharedMatrix::new(rows, size)?;
        input.fill(size, next, look)?;
        let output = SharedMatrix::new(rows, size)?;
        Ok(Self { input, output, size, kernels: Kernels::best() })
    }

    /// Asks for rows that the step after the present one will need.
    pub(super) fn prefetch(&self, rows: &Rows) {
        for &target in &rows.targets {
            prefetch(self.output.row(target), self.output.width);
        }
        // The other inputs were those of the window before.
        if let Some(&newest) = rows.inputs.last() {
            prefetch(self.input.row(newest), self.input.width);
        }
    }

    /// One step of gradient descent on all pairs of an input and a target row; returns their loss.
    ///
    /// Products, gradients and both sides of the update are computed from the rows as they were before.
    pub(super) fn descend(&self, rows: &mut Rows, pattern: &Pattern<'_>) -> f64 {
        let Rows { inputs, targets, products, input_pointers, target_pointers, scratch } = rows;
        input_pointers.clear();
        input_pointers.extend(inputs.iter().map(|&row| self.input.row(row)));
        target_pointers.clear();
        target_pointers.extend(targets.iter().map(|&row| self.output.row(row)));
        let stride = Tile::stride_for(targets.len());
        products.clear();
        products.resize(inputs.len() * stride, 0.0);
        let tile = Tile {
            inputs: input_pointers,
            targets: target_pointers,
            width: self.input.width,
            stride,
        };
        // SAFETY: the pointers were just made from rows of matrices of this width, which live as long as
        // `self`; rows of different numbers and of the two matrices do not overlap.
        unsafe { self.kernels.products(tile, products) };
        let loss = self.kernels.gradients(pattern, products);
        // SAFETY: as above; no reference to a row exists.
        unsafe { self.kernels.update(tile, products, scratch) };
        loss
    }

    /// The input rows, one after the other.
    pub(super) fn into_vectors(self, look: &mut Look<'_>) -> Result<Vec<f32>> {
        self.input.take(self.size, look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned_padded_and_come_back_without_padding() {
        let mut next = 0.0;
        let count_up = || {
            next += 1.0;
            next
        };
        let weights = Weights::new(3, 18, count_up, &mut |_| Ok(())).unwrap();
        for row in 0..3 {
            assert_eq!(weights.input.row(row).align_offset(64), 0);
        }
        let expected: Vec<f32> = (1..=54).map(|number| number as f32).collect();
        assert_eq!(weights.into_vectors(&mut |_| Ok(())).unwrap(), expected);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        let message = SharedMatrix::new(usize::MAX / 64, 1 << 20).unwrap_err().to_string();
        assert!(message.contains("`vector_size`"), "{message}");
    }
}
