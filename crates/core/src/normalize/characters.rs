//! Changes that look at one character at a time.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::char::is_combining_mark;

use super::Aligned;

/// Writes each character anew; `None` drops it.
fn map(aligned: &mut Aligned, change: impl Fn(char) -> Option<char>) {
    aligned.rewrite(|text, rewriter| {
        for (at, character) in text.char_indices() {
            if let Some(character) = change(character) {
                rewriter.put(character, at);
            }
        }
    });
}

/// A letter may become several, as İ does.
pub(super) fn lowercase(aligned: &mut Aligned) {
    aligned.rewrite(|text, rewriter| {
        for (at, character) in text.char_indices() {
            for lower in character.to_lowercase() {
                rewriter.put(lower, at);
            }
        }
    });
}

pub(super) fn strip_accents(aligned: &mut Aligned) {
    map(aligned, |character| (!is_combining_mark(character)).then_some(character));
}

/// General category Mn.
fn is_nonspacing_mark(character: char) -> bool {
    !character.is_ascii() && character.is_mark_nonspacing()
}

/// What is punctuation to ASCII or to Unicode.
pub(crate) fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || (!character.is_ascii() && character.is_punctuation())
}

pub(super) fn drop_nonspacing(aligned: &mut Aligned) {
    map(aligned, |character| (!is_nonspacing_mark(character)).then_some(character));
}

/// Drops what is no text; tab and line ends are white space, not control characters.
pub(super) fn clean(aligned: &mut Aligned) {
    map(aligned, |character| match character {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{FFFD}' => None,
        ' '..='~' => Some(character),
        _ if character.is_other() => None,
        _ if character.is_whitespace() => Some(' '),
        _ => Some(character),
    });
}

pub(super) fn space_chinese(aligned: &mut Aligned) {
    if !aligned.text().contains(is_chinese) {
        return;
    }
    aligned.rewrite(|text, rewriter| {
        for (at, character) in text.char_indices() {
            if is_chinese(character) {
                rewriter.put(' ', at);
                rewriter.put(character, at);
                rewriter.put(' ', at);
            } else {
                rewriter.put(character, at);
            }
        }
    });
}

/// The blocks that BERT calls Chinese.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}

pub(super) fn nmt(aligned: &mut Aligned) {
    map(aligned, |character| match u32::from(character) {
        0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F => None,
        0x09
        | 0x0A
        | 0x0C
        | 0x0D
        | 0x1680
        | 0x200B..=0x200F
        | 0x2028
        | 0x2029
        | 0x2581
        | 0xFEFF
        | 0xFFFD => Some(' '),
        _ => Some(character),
    });
}
