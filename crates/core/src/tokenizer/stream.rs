//! Ids to text while they come, and which part of the text each id became.

use super::decode::Decoded;
use super::vocabulary::TokenKind;
use super::{Kind, Tokenizer};
use crate::error::Result;

/// Text that is decoded id by id; the parts that it hands out, joined, are the text of all ids.
///
/// Half a character is held back until its other half comes, or something that cannot be it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodeStream {
    word_ended: bool,
    /// The beginning of a character.
    held: Vec<u8>,
}

impl DecodeStream {
    /// The text that is ready after these ids. Nothing has happened if one of them does not exist.
    pub fn push(&mut self, tokenizer: &Tokenizer, ids: &[u32]) -> Result<String> {
        ids.iter().try_for_each(|&id| tokenizer.check_id(id))?;
        for &id in ids {
            tokenizer.append(id, &mut self.word_ended, &mut self.held);
        }
        let ready = self.held.len() - begun_character(&self.held);
        let rest = self.held.split_off(ready);
        Ok(Decoded(std::mem::replace(&mut self.held, rest)).into_text())
    }

    /// What is left at the end: nothing, or U+FFFD for a character that is not whole. Starts anew.
    pub fn finish(&mut self) -> String {
        Decoded(std::mem::take(self).held).into_text()
    }
}

/// How many bytes at the end are the beginning of a character that further bytes may complete.
fn begun_character(bytes: &[u8]) -> usize {
    // A character has at most four bytes, so that one that is not whole has at most three.
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let start = tail.iter().rposition(|&byte| byte & 0xC0 != 0x80);
    start.map_or(0, |start| match std::str::from_utf8(&tail[start..]) {
        Err(error) if error.error_len().is_none() => tail.len() - start,
        _ => 0,
    })
}

impl Tokenizer {
    /// Appends the bytes of an id that exists, after a space if the id before it ended a word.
    fn append(&self, id: u32, word_ended: &mut bool, bytes: &mut Vec<u8>) {
        if *word_ended {
            bytes.push(b' ');
        }
        bytes.extend_from_slice(self.vocabulary.bytes(id));
        *word_ended = !self.settings.splitter.lossless()
            && (self.settings.kind == Kind::WordLevel
                || self.vocabulary.kind(id) == TokenKind::EndsWord);
    }

    /// The text of ids, and where in it each of them begins and ends, in characters.
    ///
    /// All ids of one character cover it. Bytes that are no text become U+FFFD, as when all is decoded.
    pub fn decode_with_offsets(&self, ids: &[u32]) -> Result<(String, Vec<(usize, usize)>)> {
        let (mut bytes, mut word_ended) = (Vec::with_capacity(ids.len() * 5), false);
        let mut spans = Vec::with_capacity(ids.len());
        for &id in ids {
            self.check_id(id)?;
            self.append(id, &mut word_ended, &mut bytes);
            spans.push((bytes.len() - self.vocabulary.bytes(id).len(), bytes.len()));
        }
        let spans = {
            let mut characters = Characters::new(&bytes);
            spans.into_iter().map(|(start, end)| characters.span(start, end)).collect()
        };
        Ok((Decoded(bytes).into_text(), spans))
    }
}

/// Counts the characters of bytes on the way through them; what is not UTF-8 counts as U+FFFD.
struct Characters<'a> {
    /// The length of each character, in bytes.
    lengths: Box<dyn Iterator<Item = usize> + 'a>,
    /// The first character that ends after the place looked for last: its number, start and end.
    number: usize,
    start: usize,
    end: usize,
}

impl<'a> Characters<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let lengths = bytes.utf8_chunks().flat_map(|chunk| {
            let invalid = chunk.invalid().len();
            chunk.valid().chars().map(char::len_utf8).chain((invalid > 0).then_some(invalid))
        });
        let mut lengths: Box<dyn Iterator<Item = usize> + 'a> = Box::new(lengths);
        let end = lengths.next().unwrap_or(0);
        Self { lengths, number: 0, start: 0, end }
    }

    /// The characters of which any byte lies between two places; both must not go back.
    fn span(&mut self, start: usize, end: usize) -> (usize, usize) {
        let first = self.at(start);
        if start == end {
            return (first, first);
        }
        (first, self.at(end - 1) + 1)
    }

    /// The number of the character that holds a byte.
    fn at(&mut self, byte: usize) -> usize {
        while byte >= self.end {
            let Some(length) = self.lengths.next() else {
                // Past the last byte; only an id without bytes asks for it.
                return self.number + usize::from(self.end > self.start);
            };
            self.number += 1;
            (self.start, self.end) = (self.end, self.end + length);
        }
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_become_a_character_is_held_back() {
        for (bytes, held) in [
            (&b"a"[..], 0),
            (b"a\xC3", 1),
            (b"\xE2\xAD", 2),
            (b"\xF0\x9F\x98", 3),
            (b"\xF0\x9F\x98\x80", 0),
            (b"\xC3\xA9", 0),
            // None of these can be the start of a character.
            (b"\xFF", 0),
            (b"\xE0\x80", 0),
            (b"\xED\xA0", 0),
            (b"\x80\x80\x80", 0),
            (b"", 0),
        ] {
            assert_eq!(begun_character(bytes), held, "{bytes:?}");
        }
    }

    #[test]
    fn characters_hold_their_bytes() {
        let mut characters = Characters::new(b"a\xC3\xA9\xFF\xE2\x82b");
        assert_eq!(characters.span(0, 0), (0, 0));
        assert_eq!(characters.span(0, 2), (0, 2));
        assert_eq!(characters.span(2, 3), (1, 2));
        assert_eq!(characters.span(3, 5), (2, 4));
        assert_eq!(characters.span(5, 7), (3, 5));
        assert_eq!(characters.span(7, 7), (5, 5));
        assert_eq!(Characters::new(b"").span(0, 0), (0, 0));
    }
}
