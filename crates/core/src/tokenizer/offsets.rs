//! Which characters of a text a token covers.

use super::engine::{Look, Part, Parts};
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{Model, Tokenizer};
use crate::error::Result;

impl Tokenizer {
    /// For each token of a text, where it begins and ends, in characters.
    ///
    /// All tokens of one character cover that character. A token that only marks the end of a word covers
    /// nothing, at that end.
    pub fn offsets(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<(usize, usize)>> {
        let mut offsets = Vec::new();
        let mut ids = Vec::new();
        let mut cursor = Cursor { text: text.as_bytes(), byte: 0, characters: 0 };
        self.with_worker(|worker| {
            let mut parts = Parts(|part: Part<'_>| {
                let mut byte = part.start;
                for &id in part.ids {
                    let length = self.length_in_text(id, &text.as_bytes()[byte..part.end]);
                    offsets.push(cursor.span(byte, byte + length));
                    byte += length;
                }
            });
            self.encode_parts(text, policy, worker, &mut ids, look, &mut parts)
        })?;
        Ok(offsets)
    }

    /// The bytes that a token stands for at the beginning of `rest`.
    pub(super) fn length_in_text(&self, id: u32, rest: &[u8]) -> usize {
        match (self.vocabulary.kind(id), &self.model) {
            (TokenKind::Unknown, Model::Bpe(_)) => rest
                .utf8_chunks()
                .next()
                .and_then(|chunk| chunk.valid().chars().next())
                .map_or(0, char::len_utf8),
            (TokenKind::Unknown, Model::WordLevel { .. }) => rest.len(),
            _ => self.vocabulary.bytes(id).len(),
        }
    }
}

/// Counts characters on the way through a text.
struct Cursor<'a> {
    text: &'a [u8],
    byte: usize,
    /// Characters that begin before `byte`.
    characters: usize,
}

impl Cursor<'_> {
    /// The characters of which any byte lies between two offsets; `start` never falls back by more than
    /// the call before it went on.
    fn span(&mut self, start: usize, end: usize) -> (usize, usize) {
        let first = self.characters_before(start);
        let is_inside = self.text.get(start).is_some_and(|byte| byte & 0xC0 == 0x80);
        let after = self.characters_before(end);
        (if is_inside && start < end { first - 1 } else { first }, after)
    }

    fn characters_before(&mut self, byte: usize) -> usize {
        let passed = &self.text[self.byte..byte];
        self.characters += passed.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        self.byte = byte;
        self.characters
    }
}
