//! The weights, which all threads read and write without locks.
//!
//! This is Hogwild (Niu et al. 2011, arXiv:1106.5730): two threads that change the same row at the same
//! time may lose a part of one change, which the next steps make good. Rows are only touched through
//! raw pointers, a register at a time, and no reference to a row exists while threads run; a register
//! read beside a write holds old or new floats, never anything else, on every processor that the kernels
//! are written for.
#![allow(unsafe_code, reason = "shared mutable rows; each block states what must hold")]

mod board;
mod desk;
mod view;

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::simd::BLOCK;

pub(crate) use board::Board;
pub(crate) use desk::Desk;

/// A matrix whose rows start at multiples of 64 bytes and are padded with zeros to whole blocks.
#[derive(Debug)]
pub(crate) struct SharedMatrix {
    /// Owns the memory; only [`fill`](Self::fill) and dropping use it, the rest goes by `start`.
    memory: MmapMut,
    start: *mut f32,
    rows: usize,
    /// Numbers in a row, without what it is padded with.
    size: usize,
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
        Ok(Self { memory, start, rows, size, width })
    }

    /// Where a row starts.
    ///
    /// # Panics
    ///
    /// There is no such row.
    #[inline]
    pub(crate) fn row(&self, row: u32) -> *mut f32 {
        let row = row as usize;
        assert!(row < self.rows, "a row of the matrix");
        // SAFETY: the row is inside the mapping, by the assertion and the size chosen in `new`.
        unsafe { self.start.add(row * self.width) }
    }

    /// Rows of the matrix.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// All floats, padding included, as bytes; only while no thread works on rows.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory
    }

    /// The same to be written to.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    /// Sets the first `size` floats of each row to those that `set` writes.
    pub(crate) fn fill(
        &mut self,
        size: usize,
        mut set: impl FnMut(usize, &mut [f32]),
        look: &mut Look<'_>,
    ) -> Result<()> {
        let mut floats = vec![0.0; size];
        for (number, row) in self.memory.chunks_exact_mut(4 * self.width).enumerate() {
            look_now_and_then(number, look)?;
            set(number, &mut floats);
            for (to, from) in row.as_chunks_mut::<4>().0.iter_mut().zip(&floats) {
                *to = from.to_ne_bytes();
            }
        }
        Ok(())
    }

    /// The first `size` floats of all rows, one row after the other.
    ///
    /// While threads run, a row may hold old and new floats side by side.
    pub(crate) fn copy(&self, size: usize, look: &mut Look<'_>) -> Result<Vec<f32>> {
        let mut floats = Vec::with_capacity(self.rows * size);
        for number in 0..self.rows {
            look_now_and_then(number, look)?;
            let row = self.row(number as u32);
            // SAFETY: `size` is at most the width, and each float is read by itself.
            floats.extend((0..size.min(self.width)).map(|at| unsafe { row.add(at).read() }));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned_padded_and_come_back_without_padding() {
        let mut matrix = SharedMatrix::new(3, 18).unwrap();
        let set = |row: usize, floats: &mut [f32]| {
            for (at, float) in floats.iter_mut().enumerate() {
                *float = (18 * row + at) as f32;
            }
        };
        matrix.fill(18, set, &mut |_| Ok(())).unwrap();
        for row in 0..3 {
            assert_eq!(matrix.row(row).align_offset(64), 0);
        }
        let expected: Vec<f32> = (0..54).map(|number| number as f32).collect();
        assert_eq!(matrix.copy(18, &mut |_| Ok(())).unwrap(), expected);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        let message = SharedMatrix::new(usize::MAX / 64, 1 << 20).unwrap_err().to_string();
        assert!(message.contains("`vector_size`"), "{message}");
    }
}
