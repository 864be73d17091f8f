//! The patterns of `DeepSeek` V3, which are applied one after the other: numbers, up to three a piece, and runs of
//! Chinese and Japanese are stretches of their own. Within each stretch, as if it were the text, pieces are
//!
//! ```text
//! [!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! ```
//!
//! where the first set stands for the punctuation and symbols of ASCII. What no alternative matches, such as
//! control characters, is a piece up to the next match.

#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::classes::{
    Classes, LETTER, MARK, NUMBER, OTHER, PUNCTUATION, SPACE, class_at, class_of, decode,
};
use super::patterns::{last_character_start, line_ends, up_to_so_many_numbers};
use super::windows::{after_last_newline, every_third, first_of_runs, flood, last_before};
use crate::simd::classify::Masks;
use crate::simd::low_bits;

const WORD: Classes = LETTER | MARK;

/// `[一-龥぀-ゟ゠-ヿ]`
fn is_ideograph(code_point: u32) -> bool {
    matches!(code_point, 0x4E00..=0x9FA5 | 0x3040..=0x30FF)
}

/// A character of a stretch: numbers, and Chinese and Japanese, are stretches of their own.
#[derive(Clone, Copy)]
struct Seen {
    class: Classes,
    length: usize,
    is_ideograph: bool,
}

impl Seen {
    fn at(text: &[u8], at: usize) -> Self {
        let (class, length) = class_at(text, at);
        let is_ideograph = length == 3 && is_ideograph(decode(text, at, text[at]).0);
        Self { class, length, is_ideograph }
    }

    /// The character at `at`, if it belongs to the stretch of this one.
    fn next(self, text: &[u8], at: usize) -> Option<Self> {
        let next = (at < text.len()).then(|| Self::at(text, at))?;
        (next.is_ideograph == self.is_ideograph && next.class != NUMBER).then_some(next)
    }

    /// The end of the run of characters of `classes` in the stretch.
    fn run(self, text: &[u8], mut at: usize, classes: Classes) -> usize {
        while let Some(next) = self.next(text, at)
            && next.class & classes != 0
        {
            at += next.length;
        }
        at
    }
}

/// The end of the piece that starts at `at`.
pub(super) fn end(text: &[u8], at: usize) -> usize {
    let seen = Seen::at(text, at);
    let after = at + seen.length;
    let next = seen.next(text, after).map_or(0, |next| next.class);
    match seen.class {
        NUMBER => up_to_so_many_numbers(text, after, 3),
        PUNCTUATION => {
            let letters = text[after..].iter().take_while(|byte| byte.is_ascii_alphabetic());
            match letters.count() {
                count if count > 0 && seen.length == 1 => after + count,
                _ => symbols_end(text, after, seen),
            }
        }
        OTHER | SPACE if next & WORD != 0 && !matches!(text[at], b'\r' | b'\n') => {
            seen.run(text, after, WORD)
        }
        OTHER => other_end(text, after, seen),
        SPACE if text[at] == b' ' && next == PUNCTUATION => symbols_end(text, after, seen),
        SPACE => space_end(text, at, after, seen),
        _ => seen.run(text, after, WORD),
    }
}

/// `[\p{P}\p{S}]*[\r\n]*`
fn symbols_end(text: &[u8], at: usize, seen: Seen) -> usize {
    let end = seen.run(text, at, PUNCTUATION);
    if seen.is_ideograph { end } else { line_ends(text, end) }
}

/// The end of what no alternative matches; its last character may begin a word.
fn other_end(text: &[u8], at: usize, seen: Seen) -> usize {
    let end = seen.run(text, at, OTHER);
    let begins_word = seen.next(text, end).is_some_and(|next| next.class & WORD != 0);
    if begins_word && end > at { last_character_start(text, end) } else { end }
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, where the stretch is the text.
fn space_end(text: &[u8], at: usize, after: usize, seen: Seen) -> usize {
    let end = seen.run(text, after, SPACE);
    match text[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(found) => at + found + 1,
        None if end > after && seen.next(text, end).is_some() => last_character_start(text, end),
        None => end,
    }
}

/// The classes that only these patterns tell apart, as in [`Masks`].
struct Kinds {
    ideograph: u64,
    symbol: u64,
    other: u64,
}

impl Kinds {
    #[inline(always)]
    fn sort(masks: &Masks, window: &[u8]) -> Self {
        let Masks { letter, mark, number, white, inner, .. } = *masks;
        let leads = (inner >> 1) & !inner;
        let mut kinds = Self {
            ideograph: 0,
            symbol: masks.valid() & !(letter | mark | number | white | inner | leads),
            other: 0,
        };
        let mut ascii = kinds.symbol;
        while ascii != 0 {
            let bit = ascii & ascii.wrapping_neg();
            ascii &= ascii - 1;
            if window[bit.trailing_zeros() as usize].is_ascii_control() {
                kinds.other |= bit;
            }
        }
        kinds.symbol &= !kinds.other;
        if leads != 0 {
            kinds.sort_wide(leads, window);
        }
        kinds
    }

    /// Adds the characters that are not ASCII.
    fn sort_wide(&mut self, mut leads: u64, window: &[u8]) {
        while leads != 0 {
            let at = leads.trailing_zeros() as usize;
            leads &= leads - 1;
            let (code_point, length) = decode(window, at, window[at]);
            let bits = low_bits(length as u32) << at;
            if is_ideograph(code_point) {
                self.ideograph |= bits;
            }
            match class_of(code_point) {
                PUNCTUATION => self.symbol |= bits,
                OTHER => self.other |= bits,
                _ => {}
            }
        }
    }
}

/// Where pieces start in a window that starts with one.
#[inline(always)]
pub(super) fn starts(masks: &Masks, window: &[u8]) -> u64 {
    let Masks { white, newline, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let Kinds { ideograph, symbol, other } = Kinds::sort(masks, window);
    let (number, word) = (masks.number, masks.letter | masks.mark);
    // Where a stretch of Chinese and Japanese begins or ends, a piece does.
    let edge = valid & (ideograph ^ (ideograph << 1));
    // A symbol at which a match begins: no symbol before it, and no blank that would belong to it.
    let free = (first_of_runs(symbol) | (symbol & edge)) & !(blank << 1);
    // Newlines right after symbols belong to these.
    let rest = white & !flood(newline & ((symbol & !ideograph) << 1), newline);
    let soft = rest & !newline;
    let after_newline = after_last_newline(soft & ((newline & rest) << 1), soft, newline);
    let mut starts = first_of_runs(word) & !((soft | other) << 1);
    starts |= free | first_of_runs(rest) | first_of_runs(other) | first_of_runs(number);
    starts |= after_newline | edge;
    // Where a stretch ends, white space before that is whole.
    starts |= last_before(soft, valid & !(white | number | ideograph), inner);
    starts |= last_before(other, word & !edge, inner);
    if number & (number << 3) != 0 {
        starts |= every_third(number, valid & !inner);
    }
    // A single symbol of ASCII takes the letters of ASCII after it.
    let wide = inner | (inner >> 1);
    let plain = masks.letter & !wide;
    let led = free & !wide & (plain >> 1);
    let taken = flood(led << 1, plain);
    (starts & !(led << 1)) | ((taken << 1) & !taken & word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::behavior::Behavior;
    use super::super::matcher::Pattern;
    use super::super::pre_tokenizer::PreTokenizer;
    use super::super::published::DEEPSEEK;
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let (mut at, mut pieces) = (0, Vec::new());
        while at < text.len() {
            let end = end(text.as_bytes(), at);
            pieces.push(&text[at..end]);
            at = end;
        }
        pieces
    }

    /// The expressions, in words that are not recognized.
    fn by_expressions() -> PreTokenizer {
        let step = |expression: &str| {
            let expression = Pattern::Regex(format!("(?:{expression})"));
            PreTokenizer::split(&expression, Behavior::Isolated, false).unwrap()
        };
        PreTokenizer::Sequence(DEEPSEEK.into_iter().map(step).collect())
    }

    #[test]
    fn pieces_of_each_kind() {
        for (text, expected) in [
            ("don't 'été !!a", vec!["don", "'t", " '", "été", " !!", "a"]),
            ("1234ab  12\t中文x", vec!["123", "4", "ab", "  ", "12", "\t", "中文", "x"]),
            ("a\0\0b \0 \0!\n\n x", vec!["a", "\0", "\0b", " ", "\0", " ", "\0", "!\n\n", " x"]),
            ("  \0a \n \n  !", vec![" ", " ", "\0a", " \n \n", " ", " !"]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let run = (
            prop::sample::select(
                "aZst'!$^_~ \n\r\t129é中文のカー゛・\u{3099}\u{9FA6}Éʰ²٣“€\u{1F4A1}\u{301}\u{A0}\u{3000}\u{85}\0\u{7F}\u{200D}\u{E000}"
                    .chars()
                    .collect::<Vec<_>>(),
            ),
            1_usize..5,
        )
            .prop_map(|(character, times)| character.to_string().repeat(times));
        prop::collection::vec(run, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn pieces_are_those_of_the_expressions(text in texts()) {
            let cuts = by_expressions().cuts(&text);
            let expected: Vec<&str> = cuts.into_iter().map(|(from, to)| &text[from..to]).collect();
            prop_assert_eq!(pieces(&text), expected);
        }
    }
}
