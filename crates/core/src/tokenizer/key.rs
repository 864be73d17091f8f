//! Pieces as the memory of known pieces knows them.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::records::MOST_BYTES;
use crate::simd::level::{Level, Task};

/// Pieces up to this many bytes are a number.
pub(super) const SHORT: usize = 15;

/// A piece as the tables know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// The bytes of a short piece with their number in the last byte.
    pub(super) halves: [u64; 2],
    /// Where it lies in its table.
    pub(super) hash: u32,
}

/// What stands for the number of bytes of a piece that is not short.
const NOT_SHORT: u64 = 0xFE << 56;
/// What stands for it if the piece is so long that it is not kept.
const NOT_KEPT: u64 = 0xFF << 56;
/// Bytes of a longer piece that are mixed at a time.
const PART: usize = 64;

impl Key {
    /// The piece between two offsets of a text.
    #[inline(always)]
    pub(super) fn new(level: impl Level, text: &[u8], start: u32, end: u32) -> Self {
        let (start, length) = (start as usize, (end - start) as usize);
        if length > SHORT {
            return Self::long(level, text, start, length);
        }
        let [low, high] = level.load16(text, start, length);
        Self::short(level, [low, high | (length as u64) << 56])
    }

    #[inline(always)]
    pub(super) fn short(level: impl Level, halves: [u64; 2]) -> Self {
        let hash = level.mix(level.mix(0, halves[0]), halves[1]) as u32;
        Self { halves, hash }
    }

    #[inline(always)]
    fn long(level: impl Level, text: &[u8], start: usize, length: usize) -> Self {
        if length > MOST_BYTES {
            return Self { halves: [0, NOT_KEPT], hash: 0 };
        }
        let mut mixed = length as u64;
        for part in (0..length).step_by(PART) {
            for word in level.load64(text, start + part, (length - part).min(PART)) {
                mixed = level.mix(mixed, word);
            }
        }
        Self { halves: [0, NOT_SHORT], hash: mixed as u32 }
    }

    /// Whether the piece is at most 15 bytes long.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.halves[1] < NOT_SHORT
    }

    #[inline]
    pub(super) fn is_kept(self) -> bool {
        self.halves[1] < NOT_KEPT
    }
}

/// Makes the key of a short piece from its bytes and their number.
pub(super) struct MakeShortKey(pub(super) [u64; 2]);

impl Task for MakeShortKey {
    type Output = Key;

    #[inline(always)]
    fn run(self, level: impl Level) -> Key {
        Key::short(level, self.0)
    }
}
