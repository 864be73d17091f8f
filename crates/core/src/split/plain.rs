//! The rules `whitespace` and `words`, with the spaces between the words dropped or kept.
//!
//! Kept means: a blank (U+0020) right before a word belongs to that word's piece, and what is left of a run
//! of white space is a piece of its own. The pieces joined are the text, whatever characters it holds.

use super::unicode::{self, Class};
use super::{PIECES_PER_BLOCK, Span, SplitRule};

/// Adds pieces from `at` on; returns where to go on.
pub(super) fn cut(
    text: &str,
    at: usize,
    rule: SplitRule,
    space_prefix: bool,
    spans: &mut Vec<Span>,
) -> usize {
    let mut start = at;
    while start < text.len() && spans.len() < PIECES_PER_BLOCK {
        let word = end_of_white_space(text, start);
        if word == text.len() {
            if space_prefix && start < word {
                spans.push(Span { start, end: word });
            }
            return word;
        }
        let end = end_of_word(text, word, rule);
        if space_prefix {
            let carried = if text[start..word].ends_with(' ') { word - 1 } else { word };
            if start < carried {
                spans.push(Span { start, end: carried });
            }
            spans.push(Span { start: carried, end });
        } else {
            spans.push(Span { start: word, end });
        }
        start = end;
    }
    start
}

fn end_of_white_space(text: &str, start: usize) -> usize {
    end_of_run(text, start, |class| class.is_white())
}

fn end_of_word(text: &str, start: usize, rule: SplitRule) -> usize {
    if rule == SplitRule::Whitespace {
        return end_of_run(text, start, |class| !class.is_white());
    }
    let end = end_of_run(text, start, Class::is_word);
    if end > start { end } else { start + text[start..].chars().next().map_or(0, char::len_utf8) }
}

fn end_of_run(text: &str, start: usize, within: impl Fn(Class) -> bool) -> usize {
    let classes = unicode::classes();
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        if bytes[at] < 0x80 {
            if !within(classes.of(u32::from(bytes[at]))) {
                break;
            }
            at += 1;
        } else {
            let (character, length) = unicode::decode(&bytes[at..]);
            if !within(classes.of(character)) {
                break;
            }
            at += length;
        }
    }
    at
}
