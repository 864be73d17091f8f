//! Pieces between white space, and pieces of letters.

use super::SplitRule;
use super::classes::{LETTER, MARK, NUMBER, OTHER, PUNCTUATION, SPACE, class_at, run_end};

const WORD: u8 = LETTER | MARK | NUMBER;
const NOT_SPACE: u8 = WORD | PUNCTUATION | OTHER;

/// The next piece of a rule that drops white space.
#[inline]
pub(super) fn next_without_spaces(
    text: &[u8],
    at: usize,
    rule: SplitRule,
) -> Option<(usize, usize)> {
    let start = run_end(text, at, SPACE);
    (start < text.len()).then(|| (start, word_end(text, start, rule)))
}

/// The end of the piece at `at` if nothing may be dropped: a word with at most one U+0020 in front of it,
/// or the white space before that.
#[inline]
pub(super) fn end_with_space_prefix(text: &[u8], at: usize, rule: SplitRule) -> usize {
    let word = run_end(text, at, SPACE);
    if word == text.len() {
        return word;
    }
    let start = if word > at && text[word - 1] == b' ' { word - 1 } else { word };
    if start > at { start } else { word_end(text, word, rule) }
}

/// The end of the word at `at`, which is not white space.
#[inline]
fn word_end(text: &[u8], at: usize, rule: SplitRule) -> usize {
    if rule == SplitRule::Whitespace {
        return run_end(text, at, NOT_SPACE);
    }
    let mut end = at;
    loop {
        end = run_end(text, end, WORD);
        if text.get(end) != Some(&b'_') {
            break;
        }
        end += 1;
    }
    if end > at { end } else { at + class_at(text, at).1 }
}
