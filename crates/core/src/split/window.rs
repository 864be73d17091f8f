//! The GPT rules, 64 bytes at a time.
//!
//! A window starts where a piece starts, so nothing has to be remembered from the window before. The bytes
//! are sorted into classes ([`Masks`], one bit a byte, each byte of a character in the character's class);
//! then a few shifts tell where pieces start. What depends on text after the window (the end of a run of
//! white space, a cut contraction) is left to the next window, which begins at the last certain start. A
//! piece that fills a window is measured character by character in [`long_piece`].
//!
//! The patterns, as regular expressions:
//!
//! - GPT-2: `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
//! - GPT-4: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|`
//!   `\s*[\r\n]+|\s+(?!\S)|\s+`

use super::unicode::{self, LETTER, NUMBER, WHITE};
use super::{PIECES_PER_BLOCK, Span};
use crate::simd::classify::{self, Masks, low_bits};

/// Patterns that share one mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Gpt2,
    Gpt4,
}

/// The longest contraction, an apostrophe and a long s, is three bytes; one that could go on after the
/// window is left to the next.
const CONTRACTION: u32 = 3;

/// Adds pieces from `at` on, where a piece starts; returns where to go on.
pub(super) fn cut(text: &str, at: usize, family: Family, spans: &mut Vec<Span>) -> usize {
    let bytes = text.as_bytes();
    let mut start = at;
    while start < bytes.len() && spans.len() < PIECES_PER_BLOCK {
        let rest = &bytes[start..];
        let masks = classify::masks(rest);
        let is_end = masks.length as usize == rest.len();
        let mut starts = match family {
            Family::Gpt2 => starts_gpt2(&masks, rest),
            Family::Gpt4 => starts_gpt4(&masks, rest),
        };
        if !is_end {
            starts &= certain(&masks, starts);
        }
        // The first start is that of the window; each further one ends a piece.
        starts &= starts - 1;
        let mut previous = start;
        while starts != 0 {
            let end = start + starts.trailing_zeros() as usize;
            spans.push(Span { start: previous, end });
            previous = end;
            starts &= starts - 1;
        }
        if is_end {
            spans.push(Span { start: previous, end: bytes.len() });
            return bytes.len();
        }
        if previous == start {
            let end = start + long_piece(rest, family);
            spans.push(Span { start, end });
            previous = end;
        }
        start = previous;
    }
    start
}

/// Starts of pieces by the GPT-2 pattern; bit 0 is set.
fn starts_gpt2(masks: &Masks, bytes: &[u8]) -> u64 {
    let Masks { letter, number, white, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let other = valid & !(letter | number | white);
    let after_blank = blank << 1;
    let runs = first_of_runs(letter) | first_of_runs(number) | first_of_runs(other);
    let mut starts =
        (runs & !after_blank) | first_of_runs(white) | last_before(white, valid & !white, inner);
    let mut quotes = masks.quote & !(other << 1) & !after_blank & (letter >> 1);
    while quotes != 0 {
        let quote = quotes.trailing_zeros();
        quotes &= quotes - 1;
        let length = contraction(&bytes[quote as usize..masks.length as usize]);
        if length != 0 {
            // Here the letters belong to the apostrophe, and what follows them is a piece of its own.
            starts &= !(1 << (quote + 1));
            starts |= start_if(letter, quote + length);
        }
    }
    (starts & valid & !inner) | 1
}

/// Starts of pieces by the GPT-4 pattern; bit 0 is set.
fn starts_gpt4(masks: &Masks, bytes: &[u8]) -> u64 {
    let Masks { letter, number, white, newline, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let other = valid & !(letter | number | white);
    // A symbol at which a match begins: no other symbol before it, and no blank that would belong to it.
    let free = first_of_runs(other) & !(blank << 1);
    // Its bytes, if the character has several: right before letters it belongs to them.
    let mut prefix = free;
    if inner != 0 {
        for _ in 0..3 {
            prefix |= (prefix << 1) & inner;
        }
    }
    // Newlines right after symbols belong to these.
    let glued = flood(newline & (other << 1), newline);
    let rest = white & !glued;
    let soft = rest & !newline;
    let mut after_newline = soft & ((newline & rest) << 1);
    if after_newline != 0 {
        after_newline = after_last_newline(after_newline, soft, newline);
    }
    let mut starts = first_of_runs(letter) & !((soft | prefix) << 1);
    starts |= first_of_runs(number) | free | first_of_runs(rest);
    starts |= last_before(soft, valid & !white, inner) | after_newline;
    if number & (number << 3) != 0 {
        starts |= every_third(number, valid & !inner);
    }
    let mut quotes = masks.quote & free & (letter >> 1);
    while quotes != 0 {
        let quote = quotes.trailing_zeros();
        quotes &= quotes - 1;
        let length = contraction_of_any_case(&bytes[quote as usize..masks.length as usize]);
        if length != 0 {
            starts |= start_if(letter, quote + length);
        }
    }
    (starts & valid & !inner) | 1
}

/// The starts among `starts` that no text after the window can change.
fn certain(masks: &Masks, starts: u64) -> u64 {
    let valid = masks.valid();
    let mut keep = valid;
    let solid = valid & !masks.white;
    let trailing = if solid == 0 { valid } else { valid & !(u64::MAX >> solid.leading_zeros()) };
    // Of the white space that touches the end only the first start is sure.
    let uncertain = starts & trailing;
    keep &= !(uncertain & uncertain.wrapping_sub(1));
    let near_end = masks.quote & !low_bits(masks.length.saturating_sub(CONTRACTION + 1));
    if near_end != 0 {
        keep &= low_bits(near_end.trailing_zeros() + 1);
    }
    keep
}

fn first_of_runs(class: u64) -> u64 {
    class & !(class << 1)
}

/// The first byte of the last character of each run that is followed by `next`.
fn last_before(run: u64, next: u64, inner: u64) -> u64 {
    let mut last = run & (next >> 1);
    if last & inner != 0 {
        for _ in 0..3 {
            let middle = last & inner;
            last = (last & !inner) | (middle >> 1);
        }
    }
    last
}

/// The seeds, and the bits of `through` above each without a gap.
fn flood(seeds: u64, through: u64) -> u64 {
    let mut reached = seeds;
    loop {
        let further = reached | ((reached << 1) & through);
        if further == reached {
            return reached;
        }
        reached = further;
    }
}

/// Of the starts after a newline, those whose run of white space holds no further newline.
fn after_last_newline(mut starts: u64, soft: u64, newline: u64) -> u64 {
    let mut kept = 0;
    while starts != 0 {
        let start = starts & starts.wrapping_neg();
        starts &= starts - 1;
        // The carry stops at the first byte after the soft run.
        let end = soft.wrapping_add(start) & !soft & !(start - 1);
        if end & end.wrapping_neg() & newline == 0 {
            kept |= start;
        }
    }
    kept
}

/// The first, fourth, seventh... digit of each run.
fn every_third(number: u64, first_bytes: u64) -> u64 {
    let mut digits = number & first_bytes;
    let (mut starts, mut in_run) = (0, 0);
    while digits != 0 {
        let digit = digits & digits.wrapping_neg();
        digits &= digits - 1;
        in_run = if number & (digit >> 1) == 0 { 0 } else { in_run };
        if in_run % 3 == 0 {
            starts |= digit;
        }
        in_run += 1;
    }
    starts
}

fn start_if(letter: u64, place: u32) -> u64 {
    letter & 1_u64.checked_shl(place).unwrap_or(0)
}

/// The length of the contraction at an apostrophe, or 0.
fn contraction(bytes: &[u8]) -> u32 {
    match bytes.get(1..) {
        Some([b's' | b'd' | b'm' | b't', ..]) => 2,
        Some([b'l', b'l', ..] | [b'v' | b'r', b'e', ..]) => 3,
        _ => 0,
    }
}

/// The same in either case, where a long s is an s too.
fn contraction_of_any_case(bytes: &[u8]) -> u32 {
    match bytes.get(1..) {
        Some([b's' | b'd' | b'm' | b't' | b'S' | b'D' | b'M' | b'T', ..]) => 2,
        Some(
            [b'l' | b'L', b'l' | b'L', ..]
            | [b'v' | b'r' | b'V' | b'R', b'e' | b'E', ..]
            | [0xC5, 0xBF, ..],
        ) => 3,
        _ => 0,
    }
}

/// The length of the piece at the start of `bytes`, by the pattern, character by character.
fn long_piece(bytes: &[u8], family: Family) -> usize {
    match family {
        Family::Gpt2 => long_piece_gpt2(bytes),
        Family::Gpt4 => long_piece_gpt4(bytes),
    }
}

fn long_piece_gpt2(bytes: &[u8]) -> usize {
    let short = contraction(bytes) as usize;
    if bytes[0] == b'\'' && short != 0 {
        return short;
    }
    let word =
        usize::from(bytes[0] == b' ' && bytes.len() > 1 && class_at(bytes, 1).0 & WHITE == 0);
    let (class, _) = class_at(bytes, word);
    if class & WHITE != 0 {
        white_space(bytes)
    } else {
        end_of_run(bytes, word, |other| other == class)
    }
}

fn long_piece_gpt4(bytes: &[u8]) -> usize {
    let short = contraction_of_any_case(bytes) as usize;
    if bytes[0] == b'\'' && short != 0 {
        return short;
    }
    let (class, length) = class_at(bytes, 0);
    let is_newline = matches!(bytes[0], b'\n' | b'\r');
    let is_prefix = class & (LETTER | NUMBER) == 0 && !is_newline && length < bytes.len();
    if class & LETTER != 0 || (is_prefix && class_at(bytes, length).0 & LETTER != 0) {
        return end_of_run(bytes, length, |class| class & LETTER != 0);
    }
    if class & NUMBER != 0 {
        let mut end = 0;
        for _ in 0..3 {
            if end < bytes.len() && class_at(bytes, end).0 & NUMBER != 0 {
                end += class_at(bytes, end).1;
            }
        }
        return end;
    }
    let symbol = usize::from(bytes[0] == b' ' && bytes.len() > 1 && class_at(bytes, 1).0 == 0);
    if class_at(bytes, symbol).0 == 0 {
        let end = end_of_run(bytes, symbol, |class| class == 0);
        return end + bytes[end..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    }
    let end = end_of_run(bytes, 0, |class| class & WHITE != 0);
    let newline = bytes[..end].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    newline.map_or_else(|| white_space(bytes), |place| place + 1)
}

/// White space up to the last character before a word, or all of it at the end of the text.
fn white_space(bytes: &[u8]) -> usize {
    let end = end_of_run(bytes, 0, |class| class & WHITE != 0);
    if end == bytes.len() {
        return end;
    }
    let last = bytes[..end].iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
    if last == 0 { end } else { last }
}

fn end_of_run(bytes: &[u8], start: usize, within: impl Fn(u8) -> bool) -> usize {
    let mut at = start;
    while at < bytes.len() {
        let (class, length) = class_at(bytes, at);
        if !within(class) {
            break;
        }
        at += length;
    }
    at
}

/// Letter, number, white space or none of them, and the length of the character.
fn class_at(bytes: &[u8], at: usize) -> (u8, usize) {
    let (character, length) =
        if bytes[at] < 0x80 { (u32::from(bytes[at]), 1) } else { unicode::decode(&bytes[at..]) };
    (unicode::classes().of(character).0 & (LETTER | NUMBER | WHITE), length)
}
