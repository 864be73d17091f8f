//! The GPT patterns, 64 bytes at a time.
//!
//! A window starts where a piece starts, so nothing has to be remembered from the window before. The bytes
//! are sorted into classes ([`Masks`]: one bit a byte, each byte of a character in the character's class);
//! then a few shifts tell where pieces start. What depends on text after the window (the end of a run of
//! white space, a contraction that may go on) is left to the next window, which begins at the last certain
//! start. A piece that fills a window is measured by its twin in `patterns.rs`, character by character;
//! tests hold the two to the same pieces.

#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::cuts::{Cuts, Receiver};
use super::{deepseek, patterns, strides};
use crate::simd::classify::Masks;
use crate::simd::level::{self, Level, Task};
use crate::simd::low_bits;

/// The patterns that share this mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Gpt2,
    Gpt4,
    O200k,
    Llama3,
    Qwen2,
    DeepSeek,
}

impl Pattern {
    /// Whether white space at the end of a text is one piece, whatever line ends it holds.
    fn joins_last_spaces(self) -> bool {
        matches!(self, Self::Gpt2 | Self::Gpt4)
    }
}

/// The longest contraction, such as an apostrophe and a long s, in bytes.
const CONTRACTION: u32 = 3;

/// Starts of pieces that are found but not handed out yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Windows {
    base: usize,
    starts: u64,
}

impl Windows {
    /// The end of the piece that starts at `at`, where the piece before ended.
    #[inline]
    pub(super) fn next_end(&mut self, text: &[u8], at: usize, pattern: Pattern) -> usize {
        if self.starts == 0 {
            let window = level::run(Look { rest: &text[at..], pattern });
            if window.starts == 0 {
                return if window.complete { text.len() } else { long_piece(text, at, pattern) };
            }
            (self.base, self.starts) = (at, window.starts);
        }
        let end = self.base + self.starts.trailing_zeros() as usize;
        self.starts &= self.starts - 1;
        end
    }
}

/// One window of a text.
struct Look<'a> {
    rest: &'a [u8],
    pattern: Pattern,
}

impl Task for Look<'_> {
    type Output = Window;

    #[inline(always)]
    fn run(self, level: impl Level) -> Window {
        window(level, self.rest, self.pattern)
    }
}

/// Adds the pieces from `at` on to `cuts`, as many as fit, and tells `receiver` after each window; returns where
/// the next one starts.
///
/// Inlined with a pattern that is known, what the other patterns ask about a window is not computed.
#[inline(always)]
pub(super) fn cut(
    level: impl Level,
    text: &[u8],
    mut at: usize,
    pattern: Pattern,
    cuts: &mut Cuts,
    receiver: &mut impl Receiver,
) -> usize {
    while at < text.len() && cuts.has_room() {
        at = strides::cut(level, text, at, pattern, cuts);
        if cuts.has_room() {
            at = cut_window(level, text, at, pattern, cuts);
        }
        receiver.met(level, cuts);
    }
    at
}

/// Adds the pieces of one window, or one piece that is longer; returns where the next one starts.
#[inline(always)]
fn cut_window(
    level: impl Level,
    text: &[u8],
    mut at: usize,
    pattern: Pattern,
    cuts: &mut Cuts,
) -> usize {
    let window = window(level, &text[at..], pattern);
    if window.starts != 0 {
        cuts.push_ends(level, at, window.starts);
        at += 63 - window.starts.leading_zeros() as usize;
    }
    if window.complete || window.starts == 0 {
        let end = if window.complete { text.len() } else { long_piece(text, at, pattern) };
        cuts.push(at, end);
        at = end;
    }
    at
}

#[cold]
fn long_piece(text: &[u8], at: usize, pattern: Pattern) -> usize {
    match pattern {
        Pattern::Gpt2 => patterns::gpt2_end(text, at),
        Pattern::Gpt4 => patterns::gpt4_end(text, at),
        Pattern::O200k => patterns::o200k_end(text, at),
        Pattern::Llama3 => patterns::llama3_end(text, at, 3),
        Pattern::Qwen2 => patterns::llama3_end(text, at, 1),
        Pattern::DeepSeek => deepseek::end(text, at),
    }
}

/// What the first bytes of a text tell about its pieces.
struct Window {
    /// The starts of further pieces, without the first, that no text after the window can change.
    starts: u64,
    /// Whether the last of these pieces ends with the text.
    complete: bool,
}

#[inline(always)]
fn window(level: impl Level, rest: &[u8], pattern: Pattern) -> Window {
    let masks = level.masks(rest);
    #[cfg(test)]
    super::classes::work::add(masks.length as usize);
    let (starts, certain) = starts(&masks, rest, pattern);
    // White space at the end of the text is one piece, but not where line ends end pieces.
    let mut complete = masks.length as usize == rest.len()
        && (trailing_white(&masks) == 0 || pattern.joins_last_spaces());
    if pattern == Pattern::O200k {
        complete &= before_mixed_word(&masks) == u64::MAX;
    }
    Window { starts: starts & certain, complete }
}

/// The white space that touches the end of a window.
#[inline(always)]
fn trailing_white(masks: &Masks) -> u64 {
    let valid = masks.valid();
    let solid = valid & !masks.white;
    if solid == 0 { valid } else { valid & !(u64::MAX >> solid.leading_zeros()) }
}

/// Where pieces start in a window, the first of which starts with it, and which bits of that are certain, be
/// the window the end of the text or not. The first bit is not.
#[inline(always)]
pub(super) fn starts(masks: &Masks, rest: &[u8], pattern: Pattern) -> (u64, u64) {
    let starts = match pattern {
        Pattern::Gpt2 => starts_gpt2(masks, rest),
        Pattern::Gpt4 | Pattern::Llama3 => starts_gpt4(masks, rest, false),
        Pattern::Qwen2 => starts_gpt4(masks, rest, true),
        Pattern::O200k => starts_o200k(masks, rest),
        Pattern::DeepSeek => deepseek::starts(masks, rest),
    };
    let mut certain = masks.valid() & !masks.inner & !1;
    // Of the white space that touches the end only the first start is sure.
    let in_trailing = (starts | 1) & trailing_white(masks);
    certain &= !(in_trailing & in_trailing.wrapping_sub(1));
    if pattern == Pattern::O200k {
        certain &= before_mixed_word(masks);
    }
    if masks.length as usize != rest.len() && pattern != Pattern::DeepSeek {
        let near_end = masks.quote & !low_bits(masks.length.saturating_sub(CONTRACTION + 1));
        if near_end != 0 {
            // The apostrophe itself may belong to the word before it.
            let itself = u32::from(pattern != Pattern::O200k);
            certain &= low_bits(near_end.trailing_zeros() + itself);
        }
    }
    (starts, certain)
}

#[inline(always)]
fn starts_gpt2(masks: &Masks, window: &[u8]) -> u64 {
    let Masks { letter, number, white, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let symbol = valid & !(letter | number | white);
    let after_blank = blank << 1;
    let words = first_of_runs(letter) | first_of_runs(number) | first_of_runs(symbol);
    let mut starts =
        (words & !after_blank) | first_of_runs(white) | last_before(white, valid & !white, inner);
    let mut quotes = masks.quote & !(symbol << 1) & !after_blank & (letter >> 1);
    while quotes != 0 {
        let quote = quotes.trailing_zeros();
        quotes &= quotes - 1;
        if let Some(end) =
            patterns::lowercase_contraction_end(&window[..masks.length as usize], quote as usize)
        {
            // Here the letters belong to the apostrophe, and what follows them is a piece of its own.
            starts &= !(1 << (quote + 1));
            starts |= start_at(letter, end);
        }
    }
    starts
}

#[inline(always)]
fn starts_gpt4(masks: &Masks, window: &[u8], numbers_alone: bool) -> u64 {
    let Masks { letter, number, white, newline, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let symbol = valid & !(letter | number | white);
    // A symbol at which a match begins: no symbol before it, and no blank that would belong to it.
    let free = first_of_runs(symbol) & !(blank << 1);
    // All bytes of that character: right before letters it belongs to them.
    let mut prefix = free;
    if inner != 0 {
        for _ in 0..3 {
            prefix |= (prefix << 1) & inner;
        }
    }
    // Newlines right after symbols belong to these.
    let rest = white & !flood(newline & (symbol << 1), newline);
    let soft = rest & !newline;
    let after_newline = after_last_newline(soft & ((newline & rest) << 1), soft, newline);
    let mut starts = first_of_runs(letter) & !((soft | prefix) << 1);
    starts |= first_of_runs(number) | free | first_of_runs(rest) | after_newline;
    starts |= last_before(soft, valid & !white, inner);
    if numbers_alone {
        starts |= number & !inner;
    } else if number & (number << 3) != 0 {
        starts |= every_third(number, valid & !inner);
    }
    let mut quotes = masks.quote & free & (letter >> 1);
    while quotes != 0 {
        let quote = quotes.trailing_zeros();
        quotes &= quotes - 1;
        if let Some(end) =
            patterns::contraction_end(&window[..masks.length as usize], quote as usize)
        {
            starts |= start_at(letter, end);
        }
    }
    starts
}

/// Right where [`before_mixed_word`] says so.
#[inline(always)]
fn starts_o200k(masks: &Masks, window: &[u8]) -> u64 {
    let Masks { letter, mark, number, white, newline, blank, inner, .. } = *masks;
    let valid = masks.valid();
    let word = letter | mark;
    let symbol = valid & !(word | number | white);
    // Newlines and slashes right after symbols belong to these.
    let absorbed = flood(newline & (symbol << 1), newline | masks.slash);
    let symbol = symbol & !absorbed;
    // A symbol at which a match begins: no symbol before it, and no blank that would belong to it.
    let free = first_of_runs(symbol) & !(blank << 1);
    // All bytes of that character: right before a word it belongs to it.
    let mut prefix = free;
    if inner != 0 {
        for _ in 0..3 {
            prefix |= (prefix << 1) & inner;
        }
    }
    let rest = white & !absorbed;
    let soft = rest & !newline;
    let after_newline = after_last_newline(soft & ((newline & rest) << 1), soft, newline);
    let mut starts = first_of_runs(word) & !((soft | prefix) << 1);
    starts |= masks.upper & (masks.lower << 1);
    starts |= first_of_runs(number) | free | first_of_runs(rest) | after_newline;
    starts |= last_before(soft, valid & !white, inner);
    if number & (number << 3) != 0 {
        starts |= every_third(number, valid & !inner);
    }
    let mut quotes = masks.quote & (word << 1) & (letter >> 1);
    let mut last_end = 0;
    while quotes != 0 {
        let quote = quotes.trailing_zeros() as usize;
        quotes &= quotes - 1;
        // What follows a contraction is a piece of its own, be it another apostrophe.
        if quote != last_end
            && let Some(end) = patterns::contraction_end(&window[..masks.length as usize], quote)
        {
            starts &= !(low_bits((end - quote) as u32) << quote);
            starts |= start_at(word, end);
            last_end = end;
        }
    }
    starts
}

/// All bits before the first word of which case and neighbors do not tell where it ends: one with an
/// upper-case letter beside a letter without case or a mark, or one that begins with a mark.
#[inline(always)]
fn before_mixed_word(masks: &Masks) -> u64 {
    let Masks { letter, upper, lower, mark, .. } = *masks;
    let either = (letter & !upper & !lower) | mark;
    let mixed = (upper & (either << 1)) | (either & (upper << 1));
    let mixed = mixed | (mark & !((letter | mark) << 1));
    if mixed == 0 {
        return u64::MAX;
    }
    let before = low_bits(mixed.trailing_zeros());
    let not_word = before & !(letter | mark);
    low_bits(64 - not_word.leading_zeros())
}

#[inline(always)]
pub(super) fn first_of_runs(class: u64) -> u64 {
    class & !(class << 1)
}

/// The first byte of the last character of each run that is followed by `next`.
#[inline(always)]
pub(super) fn last_before(run: u64, next: u64, inner: u64) -> u64 {
    let mut last = run & (next >> 1);
    if last & inner != 0 {
        for _ in 0..3 {
            let middle = last & inner;
            last = (last & !inner) | (middle >> 1);
        }
    }
    last
}

/// The seeds, which are bits of `through`, and the bits of `through` above each without a gap.
#[inline(always)]
pub(super) fn flood(seeds: u64, through: u64) -> u64 {
    // A carry that starts at a seed clears all bits up to the end of the run, but for other seeds of that run.
    (through & !through.wrapping_add(seeds)) | seeds
}

/// Of the starts after a newline, each the first of a run of `soft`, those whose run of white space holds no further
/// newline.
#[inline(always)]
pub(super) fn after_last_newline(starts: u64, soft: u64, newline: u64) -> u64 {
    // The carry stops at the first byte after the soft run.
    let ends = soft.wrapping_add(starts) & !soft;
    if ends & newline == 0 { starts } else { but_before_newline(starts, soft, newline) }
}

/// The same where some run ends at a newline: a line of nothing but white space.
#[cold]
fn but_before_newline(mut starts: u64, soft: u64, newline: u64) -> u64 {
    let mut kept = 0;
    while starts != 0 {
        let start = starts & starts.wrapping_neg();
        starts &= starts - 1;
        if soft.wrapping_add(start) & !soft & newline == 0 {
            kept |= start;
        }
    }
    kept
}

/// The first, fourth, seventh... number of each run.
pub(super) fn every_third(number: u64, first_bytes: u64) -> u64 {
    let mut left = number & first_bytes;
    let (mut starts, mut place_in_run) = (0, 0);
    while left != 0 {
        let one = left & left.wrapping_neg();
        left &= left - 1;
        if number & (one >> 1) == 0 {
            place_in_run = 0;
        }
        if place_in_run % 3 == 0 {
            starts |= one;
        }
        place_in_run += 1;
    }
    starts
}

/// A start at `place` if a letter is there; what else follows a contraction starts a piece anyway.
#[inline(always)]
fn start_at(letter: u64, place: usize) -> u64 {
    letter & 1_u64.checked_shl(place as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Pattern; 6] = [
        Pattern::Gpt2,
        Pattern::Gpt4,
        Pattern::O200k,
        Pattern::Llama3,
        Pattern::Qwen2,
        Pattern::DeepSeek,
    ];

    fn ends_by_windows(text: &[u8], pattern: Pattern) -> Vec<usize> {
        let (mut windows, mut at, mut ends) = (Windows::default(), 0, Vec::new());
        while at < text.len() {
            at = windows.next_end(text, at, pattern);
            ends.push(at);
        }
        ends
    }

    struct Nobody;

    impl Receiver for Nobody {
        fn met(&mut self, _: impl Level, _: &Cuts) {}
    }

    struct CutAll<'a>(&'a [u8], Pattern);

    impl Task for CutAll<'_> {
        type Output = Vec<usize>;

        fn run(self, level: impl Level) -> Vec<usize> {
            let Self(text, pattern) = self;
            let (mut at, mut ends, mut cuts) = (0, Vec::new(), Cuts::default());
            while at < text.len() {
                cuts.clear();
                cuts.go_on(at);
                let next = cut(level, text, at, pattern, &mut cuts, &mut Nobody);
                let mut start = 0;
                for piece in (0..cuts.len()).map(|number| cuts.piece(number)) {
                    assert_eq!(piece.0, start, "no gaps");
                    start = piece.1;
                    ends.push(at + start as usize);
                }
                at = next;
                assert_eq!(ends.last(), Some(&at));
            }
            ends
        }
    }

    fn ends_by_characters(text: &[u8], pattern: Pattern) -> Vec<usize> {
        let (mut at, mut ends) = (0, Vec::new());
        while at < text.len() {
            at = long_piece(text, at, pattern);
            ends.push(at);
        }
        ends
    }

    /// Texts in which rare characters, contractions and long runs are frequent.
    fn texts() -> impl Strategy<Value = String> {
        let run = (
            prop::sample::select(
                "aZsSdtmlvre'' \n\r\t1239!.-/é中の゛ÉжǅʰA²٣ſ“\0\u{7F}\u{200D}\u{1F4A1}\u{301}\u{A0}\u{3000}\u{85}"
                    .chars()
                    .collect::<Vec<_>>(),
            ),
            1_usize..4,
        )
            .prop_map(|(character, times)| character.to_string().repeat(times));
        let long =
            (prop::sample::select(vec!['a', 'A', '1', ' ', '\n', '!', '/', '中']), 1_usize..150)
                .prop_map(|(character, times)| character.to_string().repeat(times));
        let word =
            "(don't|IT'S|we'll|x'RE|'tis|a's'll've|aB'Sx|XMLFile| the |\r\n|\\.\n\n|//\n/|  \n  )";
        let mixed = prop::collection::vec(prop_oneof![6 => run, 1 => long, 3 => word], 0..60);
        let plain = prop::sample::select(vec![
            " the", " a", "word", " don't", "'ll ", " x'", ", ", ".\n", " 12", "34567", "\n\n",
            "  ", "\t", " (", "AbCd", "//", " 'tis", "/\n", "!", "\r\n", "--",
        ]);
        let plain = prop::collection::vec(plain.prop_map(str::to_owned), 0..200);
        let either = prop_oneof![2 => mixed, 2 => plain.clone(), 1 => (plain, "[^a]{0,3}").prop_map(
            |(mut parts, end)| { parts.push(end); parts }
        )];
        either.prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn windows_cut_as_the_patterns_do(text in texts()) {
            for pattern in ALL {
                let expected = ends_by_characters(text.as_bytes(), pattern);
                prop_assert_eq!(&ends_by_windows(text.as_bytes(), pattern), &expected, "{:?}", pattern);
                prop_assert_eq!(&level::run(CutAll(text.as_bytes(), pattern)), &expected, "{:?}", pattern);
                let portable = CutAll(text.as_bytes(), pattern).run(level::Portable);
                prop_assert_eq!(portable, expected, "{:?}", pattern);
            }
        }
    }
}
