//! Tables whose entries are lines of the processor's cache.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::simd::prefetch_item;

/// Bytes in a line.
const LINE_BYTES: usize = 64;

/// Eight bytes of a table.
pub(super) type Word = [u8; 8];

/// Words in a line.
pub(super) const LINE: usize = LINE_BYTES / size_of::<Word>();

/// An entry.
pub(super) type Line = [Word; LINE];

/// What stands for a line that is not there.
const EMPTY: Line = [[0; 8]; LINE];

/// A table of a power of two of lines, zero at first. Memory that was never touched costs nothing, so that it may grow
/// in place.
#[derive(Debug)]
pub(super) struct Lines {
    /// A mapping starts on a page, and so on a line.
    memory: MmapMut,
    mask: usize,
}

/// Bytes at the start of a table that get small pages: a short text touches few of them, and a large page takes
/// milliseconds where the host of a virtual machine has to find it first.
#[cfg(target_os = "linux")]
const SMALL_PAGES: usize = 1 << 21;

impl Lines {
    /// A table of `lines` that may grow to `most`; both must be powers of two.
    pub(super) fn new(lines: usize, most: usize) -> Result<Self> {
        let length = most * LINE_BYTES;
        let memory = MmapMut::map_anon(length)
            .map_err(|source| Error::Io { path: "<memory>".into(), source })?;
        // Without large pages each visit to a line of a large table costs a walk through page tables. A system
        // without them ignores the advice.
        #[cfg(target_os = "linux")]
        if length > SMALL_PAGES {
            let further = length - SMALL_PAGES;
            let _ = memory.advise_range(memmap2::Advice::HugePage, SMALL_PAGES, further);
        }
        Ok(Self { memory, mask: lines - 1 })
    }

    /// Doubles the number of lines, if it may be larger; those that are added are zero.
    pub(super) fn double(&mut self) {
        if 2 * self.len() * LINE_BYTES <= self.memory.len() {
            self.mask = 2 * self.mask + 1;
        }
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.mask + 1
    }

    /// Has the line of this number, or of the remainder that is one, fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, line: usize) {
        prefetch_item(self.all(), line & self.mask);
    }

    /// Has the lines of this word and those after it fetched, as many as most records take.
    #[inline(always)]
    pub(super) fn prefetch_word(&self, word: usize) {
        prefetch_item(self.words(), word);
        prefetch_item(self.words(), word + LINE);
    }

    /// All words, line after line.
    #[inline(always)]
    pub(super) fn words(&self) -> &[Word] {
        self.memory.as_chunks().0
    }

    /// The same, to be written to.
    pub(super) fn words_mut(&mut self) -> &mut [Word] {
        self.memory.as_chunks_mut().0
    }

    /// All lines, a power of two of them.
    #[inline(always)]
    pub(super) fn all(&self) -> &[Line] {
        &self.words().as_chunks().0[..self.len()]
    }

    /// The line of this number, or of the remainder that is one.
    #[inline(always)]
    pub(super) fn get(&self, line: usize) -> &Line {
        self.all().get(line & self.mask).unwrap_or(&EMPTY)
    }

    /// The same, to be written to.
    #[inline]
    pub(super) fn get_mut(&mut self, line: usize, words: usize) -> &mut [Word] {
        let line = (line & self.mask) * LINE_BYTES;
        &mut self.memory[line..].as_chunks_mut().0[..words]
    }
}
