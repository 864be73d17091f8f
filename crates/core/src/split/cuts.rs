//! Pieces by the hundred: what the splitter hands to encoding at a time.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use crate::simd::level::Level;

/// Pieces in one hand-over: enough to hide the way to memory for each of them.
const ENOUGH: usize = 256;
/// A window has at most as many starts as bytes.
pub(crate) const MOST_CUTS: usize = ENOUGH + 64;
/// Offsets are kept in 32 bits; a hand-over that reaches further is over.
const FURTHEST: usize = 1 << 30;

/// Gets the pieces while more of them are cut.
pub(crate) trait Receiver {
    /// Some pieces were added. Must be inlined.
    fn met(&mut self, level: impl Level, cuts: &Cuts);
}

/// Where pieces start and end: neighbors in a text, counted from where the text was gone on with.
///
/// An end that does not fit 32 bits, which only the last one can be, is cut at the highest number.
#[derive(Debug)]
pub(crate) struct Cuts {
    base: usize,
    count: usize,
    starts: [u32; MOST_CUTS + 1],
    ends: [u32; MOST_CUTS],
}

impl Default for Cuts {
    fn default() -> Self {
        Self { base: 0, count: 0, starts: [0; MOST_CUTS + 1], ends: [0; MOST_CUTS] }
    }
}

impl Cuts {
    /// Forgets all pieces.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// The next pieces are counted from `base`, be it in the same text or in another one.
    #[inline]
    pub(super) fn go_on(&mut self, base: usize) {
        self.base = base;
    }

    /// The number of pieces.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Start and end of one piece.
    #[inline(always)]
    pub(crate) fn piece(&self, number: usize) -> (u32, u32) {
        (self.starts[number], self.ends[number])
    }

    /// Starts and ends of all pieces, with others after them.
    #[inline(always)]
    pub(crate) fn places(&self) -> (&[u32; MOST_CUTS + 1], &[u32; MOST_CUTS]) {
        (&self.starts, &self.ends)
    }

    /// Whether all starts of one more window fit.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.count <= ENOUGH && (self.count == 0 || (self.ends[self.count - 1] as usize) < FURTHEST)
    }

    /// Adds one piece.
    #[inline]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        let offset = |at: usize| u32::try_from(at - self.base).unwrap_or(u32::MAX);
        (self.starts[self.count], self.ends[self.count]) = (offset(start), offset(end));
        self.count += 1;
    }

    /// Adds the pieces between neighboring starts: the first one at `at`, the others where `starts` has a bit.
    #[inline(always)]
    pub(super) fn push_ends(&mut self, level: impl Level, at: usize, starts: u64) {
        let offset = (at - self.base) as u32;
        let (first, rest) = self.starts[self.count..].split_at_mut(1);
        first[0] = offset;
        let ends = self.ends[self.count..].first_chunk_mut();
        if let (Some(rest), Some(ends)) = (rest.first_chunk_mut(), ends) {
            level.positions(starts, offset, ends);
            *rest = *ends;
            self.count += starts.count_ones() as usize;
        }
    }
}
