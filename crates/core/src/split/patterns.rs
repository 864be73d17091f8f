//! The published split patterns, as scanners: each finds the end of the piece that starts at `at`.
//!
//! An alternative of a pattern is tried only where an earlier one cannot match, so the order of the
//! cases below is the order of the alternatives.

use super::classes::{
    CASELESS, LETTER, LOWER, MARK, NUMBER, OTHER, PUNCTUATION, SPACE, UPPER, class_at, run_end,
};

/// What the patterns write as `[^\s\p{L}\p{N}]`.
const SYMBOL: u8 = MARK | PUNCTUATION | OTHER;
/// What `o200k_base` counts among upper-case and among lower-case letters.
const EITHER_CASE: u8 = CASELESS | MARK;

/// `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
#[inline]
pub(super) fn gpt2_end(text: &[u8], at: usize) -> usize {
    let (class, length) = class_at(text, at);
    if class == SPACE {
        if text[at] == b' ' && at + 1 < text.len() {
            let (next, next_length) = class_at(text, at + 1);
            if next != SPACE {
                return run_end(text, at + 1 + next_length, family(next));
            }
        }
        return space_end(text, at, length);
    }
    if text[at] == b'\''
        && let Some(end) = lowercase_contraction_end(text, at)
    {
        return end;
    }
    run_end(text, at + length, family(class))
}

/// ```text
/// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
/// |\s+$|\s*[\r\n]|\s+(?!\S)|\s
/// ```
#[inline]
pub(super) fn gpt4_end(text: &[u8], at: usize) -> usize {
    match gpt4_word_end(text, at, 3) {
        Ok(end) => end,
        Err(length) => space_end_at_line(text, at, length),
    }
}

/// As GPT-4, but a run of white space at the end of a text is cut after its last line end too, and a number
/// is cut after `numbers` characters, three for Llama 3 and one for Qwen 2.
///
/// ```text
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
/// |\s*[\r\n]+|\s+(?!\S)|\s+
/// ```
#[inline]
pub(super) fn llama3_end(text: &[u8], at: usize, numbers: u32) -> usize {
    match gpt4_word_end(text, at, numbers) {
        Ok(end) => end,
        Err(length) => space_end_at_any_line(text, at, length),
    }
}

/// The end of what is not only white space; the length of the first character if it is.
#[inline]
fn gpt4_word_end(text: &[u8], at: usize, numbers: u32) -> Result<usize, usize> {
    let (class, length) = class_at(text, at);
    if class & LETTER != 0 {
        return Ok(run_end(text, at + length, LETTER));
    }
    if class == NUMBER {
        return Ok(up_to_so_many_numbers(text, at + length, numbers));
    }
    let first = text[at];
    if first == b'\''
        && let Some(end) = contraction_end(text, at)
    {
        return Ok(end);
    }
    let follower = (at + length < text.len()).then(|| class_at(text, at + length));
    if let Some((next, next_length)) = follower
        && next & LETTER != 0
        && !matches!(first, b'\r' | b'\n')
    {
        return Ok(run_end(text, at + length + next_length, LETTER));
    }
    if class != SPACE {
        return Ok(line_ends(text, run_end(text, at + length, SYMBOL)));
    }
    match follower {
        Some((next, next_length)) if first == b' ' && next & SYMBOL != 0 => {
            Ok(line_ends(text, run_end(text, at + 1 + next_length, SYMBOL)))
        }
        _ => Err(length),
    }
}

/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
/// ```
#[inline]
pub(super) fn o200k_end(text: &[u8], at: usize) -> usize {
    let (class, length) = class_at(text, at);
    if class == NUMBER {
        return up_to_so_many_numbers(text, at + length, 3);
    }
    if let Some(end) = cased_word_end(text, at, class, length) {
        return match text.get(end) {
            Some(b'\'') => contraction_end(text, end).unwrap_or(end),
            _ => end,
        };
    }
    if class != SPACE {
        return line_ends_and_slashes(text, run_end(text, at + length, SYMBOL));
    }
    if text[at] == b' ' && at + 1 < text.len() {
        let (next, next_length) = class_at(text, at + 1);
        if next & SYMBOL != 0 {
            return line_ends_and_slashes(text, run_end(text, at + 1 + next_length, SYMBOL));
        }
    }
    space_end_at_any_line(text, at, length)
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
fn space_end_at_any_line(text: &[u8], at: usize, first_length: usize) -> usize {
    let end = run_end(text, at + first_length, SPACE);
    match text[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(found) => at + found + 1,
        None if end == text.len() || end == at + first_length => end,
        None => last_character_start(text, end),
    }
}

/// The end of the first two alternatives of `o200k_base`, without the contraction: a run of upper-case
/// letters, then one of lower-case letters.
///
/// Letters without case and marks count as both. Where no lower-case letter follows the upper-case run,
/// the last of these in it takes that part; without one, the upper-case run stands alone.
#[inline]
fn cased_word_end(text: &[u8], at: usize, class: u8, length: usize) -> Option<usize> {
    let mut end = at;
    if class & LETTER == 0 {
        if matches!(text[at], b'\r' | b'\n') {
            return None;
        }
        end += length;
    }
    let first = end;
    let mut either_case_end = None;
    while end < text.len() {
        let (class, length) = class_at(text, end);
        if class == LOWER {
            return Some(run_end(text, end + length, LOWER | EITHER_CASE));
        }
        if class & (UPPER | EITHER_CASE) == 0 {
            break;
        }
        end += length;
        if class != UPPER {
            either_case_end = Some(end);
        }
    }
    // A mark in front of the word is a word itself before the upper-case run may stand alone.
    let mark_end = (class == MARK).then_some(first);
    either_case_end.or(mark_end).or((end > first).then_some(end))
}

/// The classes that continue a run that began with `class`.
#[inline]
fn family(class: u8) -> u8 {
    match class {
        MARK | PUNCTUATION | OTHER => SYMBOL,
        NUMBER | SPACE => class,
        _ => LETTER,
    }
}

/// `\s+(?!\S)|\s+`: all of the run at the end of the text, else all but its last character, which the
/// next piece may want; a run of one character is taken whole.
#[inline]
fn space_end(text: &[u8], at: usize, first_length: usize) -> usize {
    let end = run_end(text, at + first_length, SPACE);
    if end == text.len() || end == at + first_length {
        return end;
    }
    last_character_start(text, end)
}

/// As [`space_end`], but a run that holds a line end, and more than white space after it, ends there.
fn space_end_at_line(text: &[u8], at: usize, first_length: usize) -> usize {
    let end = run_end(text, at + first_length, SPACE);
    if end == text.len() {
        return end;
    }
    let line_end = text[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match line_end {
        Some(found) => at + found + 1,
        None if end == at + first_length => end,
        None => last_character_start(text, end),
    }
}

pub(super) fn last_character_start(text: &[u8], end: usize) -> usize {
    let mut start = end - 1;
    while text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    start
}

/// `\p{N}{1,3}` after its first number.
#[inline]
pub(super) fn up_to_so_many_numbers(text: &[u8], mut at: usize, numbers: u32) -> usize {
    for _ in 1..numbers {
        if at == text.len() {
            break;
        }
        let (class, length) = class_at(text, at);
        if class != NUMBER {
            break;
        }
        at += length;
    }
    at
}

#[inline]
pub(super) fn line_ends(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && matches!(text[at], b'\r' | b'\n') {
        at += 1;
    }
    at
}

#[inline]
fn line_ends_and_slashes(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && matches!(text[at], b'\r' | b'\n' | b'/') {
        at += 1;
    }
    at
}

#[inline]
pub(super) fn lowercase_contraction_end(text: &[u8], at: usize) -> Option<usize> {
    match &text[at + 1..] {
        [b's' | b'd' | b'm' | b't', ..] => Some(at + 2),
        [b'l', b'l', ..] | [b'v' | b'r', b'e', ..] => Some(at + 3),
        _ => None,
    }
}

#[inline]
pub(super) fn contraction_end(text: &[u8], at: usize) -> Option<usize> {
    match &text[at + 1..] {
        [b's' | b'd' | b'm' | b't' | b'S' | b'D' | b'M' | b'T', ..] => Some(at + 2),
        // U+017F, the long s, is a lower-case form of S to a regular expression that ignores case.
        [0xC5, 0xBF, ..]
        | [b'l' | b'L', b'l' | b'L', ..]
        | [b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..] => Some(at + 3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use flate2::Crc;
    use serde_json::Value;

    use super::super::{SplitRule, Splitter};

    /// The golden file is written by `tests/golden/make_split_pieces.py`.
    #[test]
    fn pieces_around_every_code_point_are_those_of_tiktoken() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/split_pieces.json");
        let golden: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let block_length = golden["block"].as_u64().unwrap() as u32;
        let templates: Vec<_> = golden["templates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap())
            .collect();
        for rule in [SplitRule::Gpt2, SplitRule::Gpt4, SplitRule::O200k] {
            let splitter = Splitter::new(rule, false).unwrap();
            for (block, expected) in golden[rule.name()].as_object().unwrap() {
                let first = block.parse::<u32>().unwrap() * block_length;
                let mut checksum = Crc::new();
                for character in (first..first + block_length).filter_map(char::from_u32) {
                    for template in &templates {
                        let text = template.replace("{}", character.encode_utf8(&mut [0; 4]));
                        for (_, piece) in splitter.pieces(&text) {
                            checksum.update(piece.as_bytes());
                            checksum.update(&[0xFF]);
                        }
                    }
                }
                let name = rule.name();
                assert_eq!(
                    u64::from(checksum.sum()),
                    expected.as_u64().unwrap(),
                    "{name}, from U+{first:04X}"
                );
            }
        }
    }
}
