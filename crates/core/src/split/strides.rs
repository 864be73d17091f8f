//! Windows a stride apart, for text of ASCII characters: none waits for the one before it.

#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::cuts::Cuts;
use super::windows::{Pattern, starts};
use crate::simd::classify::Masks;
use crate::simd::level::Level;
use crate::simd::{low_bits, prefetch_byte};

/// Bytes from one window to the next where none waits for another.
const STRIDE: usize = 48;
/// Bytes from a window to the text that is fetched meanwhile.
const AHEAD: usize = 1024;
/// Bytes that two neighboring windows have in common: the piece that both know must start there.
const SHARED: u32 = 64 - STRIDE as u32;

/// As [`windows::cut`](super::windows::cut), where all characters are ASCII and a word ends every few bytes.
///
/// The window that follows another begins at a fixed distance, not where the last piece of the other starts, so
/// the processor works on several at once. It finds its first piece by itself.
#[inline(always)]
pub(super) fn cut(
    level: impl Level,
    text: &[u8],
    at: usize,
    pattern: Pattern,
    cuts: &mut Cuts,
) -> usize {
    let masks_at = |at: usize| level.narrow_masks(text.get(at..)?.first_chunk()?);
    let Some(mut masks) = masks_at(at) else { return at };
    let (mut start, mut next) = (at, at + STRIDE);
    while cuts.has_room()
        && let Some(next_masks) = masks_at(next)
    {
        prefetch_byte(text, next + AHEAD);
        let first = first_certain_start(&next_masks);
        if first >= SHARED {
            break;
        }
        let next_start = next + first as usize;
        let length = (next_start - start) as u32;
        let (starts, certain) = starts(&masks, &text[start..], pattern);
        // Bits before the start of the next window's first piece.
        let before = low_bits(length);
        if before & !certain != 1 {
            break;
        }
        cuts.push_ends(level, start, starts & before & !1 | 1 << length);
        (start, next, masks) = (next_start, next + STRIDE, next_masks.from(first));
    }
    start
}

/// The first place, but the first of all, where a piece starts whatever comes before and after; all characters are
/// ASCII.
///
/// No pattern lets a piece go on from a letter to anything but a letter or an apostrophe, from a number to anything
/// but a number, to white space other than line ends, or from a line end to anything but white space or a slash;
/// and a blank before anything but white space and numbers belongs to what follows it, or is a piece by itself.
#[inline(always)]
fn first_certain_start(masks: &Masks) -> u32 {
    let Masks { letter, number, white, newline, slash, quote, blank, .. } = *masks;
    let after_letter = (letter << 1) & !(letter | quote);
    let after_number = (number << 1) & !number;
    let to_white = (!white << 1) & white & !newline;
    let after_newline = (newline << 1) & !(white | slash);
    let before_solid = blank & (!(white | number) >> 1) & !1;
    (after_letter | after_number | to_white | after_newline | before_solid).trailing_zeros()
}
