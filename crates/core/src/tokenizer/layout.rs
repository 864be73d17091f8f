//! Where the tokens of a text lie in it, in characters and in bytes, and which piece each is part of.

use super::encode::{Look, Part};
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{Model, Tokenizer};
use crate::error::Result;

/// One entry for each token of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Where it begins and ends, in characters: all of which it holds a byte.
    pub characters: Vec<(usize, usize)>,
    /// Where it begins and ends, in bytes.
    pub bytes: Vec<(usize, usize)>,
    /// The piece that it is part of, counted from 0; a special token is a piece of its own.
    pub pieces: Vec<u32>,
}

impl Tokenizer {
    /// Where the tokens of a text lie; no more of them than `limit`, where one is given.
    ///
    /// All tokens of one character cover that character. A token that only marks the end of a word covers
    /// nothing, at that end.
    pub fn layout(
        &self,
        text: &str,
        policy: SpecialPolicy,
        limit: Option<usize>,
        look: &mut Look<'_>,
    ) -> Result<Layout> {
        let mut layout = Layout::default();
        let mut cursor = Cursor { text: text.as_bytes(), byte: 0, characters: 0 };
        let mut piece = 0;
        let told = |part: Part<'_>| {
            let mut byte = part.start;
            for &id in part.ids {
                let length = self.length_in_text(id, &text.as_bytes()[byte..part.end]);
                layout.characters.push(cursor.span(byte, byte + length));
                layout.bytes.push((byte, byte + length));
                layout.pieces.push(piece);
                byte += length;
            }
            piece += 1;
        };
        let mut ids = Vec::new();
        self.with_worker(|worker| match limit {
            None => self.encode_parts(text, policy, worker, &mut ids, look, told),
            Some(limit) => {
                self.encode_parts_at_most(text, policy, limit, worker, &mut ids, look, told)
            }
        })?;
        if let Some(limit) = limit {
            layout.characters.truncate(limit);
            layout.bytes.truncate(limit);
            layout.pieces.truncate(limit);
        }
        Ok(layout)
    }

    /// Whether the token of this id is a special one.
    pub fn is_special_id(&self, id: u32) -> bool {
        self.vocabulary.has(id) && self.vocabulary.kind(id) == TokenKind::Special
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
