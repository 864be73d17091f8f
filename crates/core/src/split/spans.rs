//! Where the words of a text lie, 64 bytes at a time, for rules that drop what is between words.
//!
//! A window is one bit mask: which of its bytes are part of a word. Windows follow each other at fixed distances, and
//! of one window the next only needs whether a word goes on. So the processor works on several at once.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use std::ops::Range;

use super::SplitRule;
use super::classes::decode;
use crate::error::Result;
use crate::simd::level::Level;
use crate::simd::low_bits;

/// Words that are handed over at a time, at least: enough to hide the way to memory for each of them.
const ENOUGH: usize = 192;
/// A window has at most half as many words as bytes, and a document may have one more.
pub(crate) const MOST_SPANS: usize = ENOUGH + 64;
/// What writes the starts of a window writes 64 numbers in any case.
const ROOM: usize = MOST_SPANS + 64;

/// Gets words as they are found.
pub(crate) trait Taker {
    /// All words of which the end is known, by start and end. Must be inlined.
    fn take(&mut self, level: impl Level, starts: &[u32], ends: &[u32]) -> Result<()>;
}

/// Words that were found and not handed over yet. Offsets are those in the whole text.
#[derive(Debug)]
pub(crate) struct Spans {
    starts: [u32; ROOM],
    ends: [u32; ROOM],
    started: usize,
    ended: usize,
}

impl Default for Spans {
    fn default() -> Self {
        Self { starts: [0; ROOM], ends: [0; ROOM], started: 0, ended: 0 }
    }
}

impl Spans {
    /// Finds the words of a document, which lies in a text of less than 4 GiB.
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        level: impl Level,
        text: &[u8],
        document: Range<usize>,
        rule: SplitRule,
        taker: &mut impl Taker,
    ) -> Result<()> {
        let (mut at, end) = (document.start, document.end);
        // The lowest bit says whether a word goes on.
        let mut open = 0;
        while at < end {
            let Window { word, length, alone } = window(level, &text[at..], rule);
            let length = length.min((end - at).min(64) as u32);
            if alone {
                if open != 0 {
                    self.push_end(at);
                }
                self.push_start(at);
                self.push_end(at + length as usize);
                open = 0;
            } else {
                let (word, before) = (word & low_bits(length), word << 1 | open);
                self.push(level, at, word & !before, before & !word & low_bits(length));
                open = word >> (length - 1) & 1;
            }
            at += length as usize;
            if self.started >= ENOUGH {
                self.hand_over(level, taker)?;
            }
        }
        if open != 0 {
            self.push_end(end);
        }
        Ok(())
    }

    /// Marks the end of a document by a word without bytes.
    #[inline(always)]
    pub(crate) fn end_document(
        &mut self,
        level: impl Level,
        at: usize,
        taker: &mut impl Taker,
    ) -> Result<()> {
        self.push_start(at);
        self.push_end(at);
        if self.started >= ENOUGH { self.hand_over(level, taker) } else { Ok(()) }
    }

    /// Hands all words over whose end is known.
    #[inline(always)]
    pub(crate) fn hand_over(&mut self, level: impl Level, taker: &mut impl Taker) -> Result<()> {
        let (count, started) = (self.ended.min(MOST_SPANS), self.started);
        let taken = taker.take(level, &self.starts[..count], &self.ends[..count]);
        // At most one has no end yet.
        self.starts.copy_within(count..started, 0);
        (self.started, self.ended) = (started - count, 0);
        taken
    }

    #[inline(always)]
    fn push(&mut self, level: impl Level, at: usize, starts: u64, ends: u64) {
        if let Some(room) = self.starts[self.started..].first_chunk_mut() {
            level.positions(starts, at as u32, room);
            self.started += starts.count_ones() as usize;
        }
        if let Some(room) = self.ends[self.ended..].first_chunk_mut() {
            level.positions(ends, at as u32, room);
            self.ended += ends.count_ones() as usize;
        }
    }

    #[inline(always)]
    fn push_start(&mut self, at: usize) {
        self.starts[self.started] = at as u32;
        self.started += 1;
    }

    #[inline(always)]
    fn push_end(&mut self, at: usize) {
        self.ends[self.ended] = at as u32;
        self.ended += 1;
    }
}

/// What the first bytes of a text are.
struct Window {
    /// A bit for each byte that is part of a word.
    word: u64,
    /// How many bytes are covered: whole characters only.
    length: u32,
    /// Whether they are a word by themselves.
    alone: bool,
}

#[inline(always)]
fn window(level: impl Level, rest: &[u8], rule: SplitRule) -> Window {
    if let Some(bytes) = rest.first_chunk()
        && let Some(masks) = level.narrow_masks(bytes)
    {
        let word = match rule {
            SplitRule::Whitespace => !masks.white,
            _ => masks.letter | masks.number | level.equals(bytes, b'_'),
        };
        return Window { word, length: 64, alone: false };
    }
    let masks = level.masks(rest);
    let mut length = masks.length;
    if rule == SplitRule::Whitespace {
        return Window { word: masks.valid() & !masks.white, length, alone: false };
    }
    let underscore = match rest.first_chunk() {
        Some(bytes) => level.equals(bytes, b'_') & masks.valid(),
        None => underscores(rest),
    };
    let word = masks.letter | masks.mark | masks.number | underscore;
    // The first byte of each character of several bytes that is part of no word and no space.
    let mut symbols = (masks.inner >> 1) & !masks.inner & !word & !masks.white;
    while symbols != 0 {
        let place = symbols.trailing_zeros();
        symbols &= symbols - 1;
        if let Some(bytes) = alphabetic_symbol(&rest[place as usize..]) {
            if place == 0 {
                return Window { word: 0, length: bytes, alone: true };
            }
            length = place;
            break;
        }
    }
    Window { word, length, alone: false }
}

fn underscores(rest: &[u8]) -> u64 {
    let window = &rest[..rest.len().min(64)];
    window.iter().enumerate().fold(0, |bits, (at, &byte)| bits | u64::from(byte == b'_') << at)
}

/// The length of the symbol at the start of a text if it is one of those that count as letters, such as Ⓐ.
fn alphabetic_symbol(text: &[u8]) -> Option<u32> {
    let (code_point, length) = decode(text, 0, *text.first()?);
    let is_letter = char::from_u32(code_point).is_some_and(char::is_alphanumeric);
    is_letter.then_some(length as u32)
}
