//! UTF-8 to characters of one width each, as strings of Python have them.

use std::mem::MaybeUninit;

/// Bytes that are looked at in one step.
const BLOCK: usize = 16;
/// Bytes that are widened in one go: they are still in the nearest cache when they are read again.
const MOST_AT_ONCE: usize = 1 << 12;

/// The width of the characters of a string: that of the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    Two,
    Four,
}

/// The memory of one character.
pub(crate) trait Unit: Copy {
    /// The character, which fits.
    fn of(character: u32) -> Self;
}

impl Unit for u8 {
    #[inline]
    fn of(character: u32) -> Self {
        character as Self
    }
}

impl Unit for u16 {
    #[inline]
    fn of(character: u32) -> Self {
        character as Self
    }
}

impl Unit for u32 {
    #[inline]
    fn of(character: u32) -> Self {
        character
    }
}

/// The number of characters of a text that is not ASCII, and the width of the largest.
pub(crate) fn measure(text: &str) -> (usize, Width) {
    // The first byte of a character tells how large it is; all others are smaller than any first byte.
    let width = match text.bytes().max() {
        Some(..=0xC3) | None => Width::One,
        Some(..=0xEF) => Width::Two,
        _ => Width::Four,
    };
    (text.chars().count(), width)
}

/// Writes the characters of a text, which are as many as there are places and fit the width.
pub(crate) fn widen<T: Unit>(text: &str, places: &mut [MaybeUninit<T>]) {
    let (mut rest, mut filled) = (text, 0);
    while !rest.is_empty() {
        let (ascii, others) = rest.split_at(ascii_run(rest.as_bytes()));
        for (place, &byte) in places[filled..].iter_mut().zip(ascii.as_bytes()) {
            place.write(T::of(u32::from(byte)));
        }
        filled += ascii.len();
        let mut characters = others.chars();
        while characters.as_str().bytes().next().is_some_and(|byte| !byte.is_ascii())
            && let Some(character) = characters.next()
        {
            places[filled].write(T::of(u32::from(character)));
            filled += 1;
        }
        rest = characters.as_str();
    }
}

/// The number of bytes of ASCII that the text begins with, or as many as are widened at once.
fn ascii_run(bytes: &[u8]) -> usize {
    let bytes = &bytes[..bytes.len().min(MOST_AT_ONCE)];
    let blocks = bytes.as_chunks::<BLOCK>().0.iter().take_while(|block| block.is_ascii()).count();
    let start = blocks * BLOCK;
    start + bytes[start..].iter().take_while(|byte| byte.is_ascii()).count()
}
