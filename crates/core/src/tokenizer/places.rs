//! Where the tokens of a text lie in it, in characters and in bytes, and which piece each is part of.

use super::Tokenizer;
use super::characters::Characters;
use super::engine::{Look, Part};
use super::general::Event;
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use crate::error::Result;

/// One entry for each token of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
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
    pub fn places(
        &self,
        text: &str,
        policy: SpecialPolicy,
        limit: Option<usize>,
        look: &mut Look<'_>,
    ) -> Result<Places> {
        let (mut ids, mut bytes, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
        let mut piece = 0;
        let mut told = |event: Event<'_>| {
            self.append_spans(&event, &mut bytes);
            pieces.resize(bytes.len(), piece);
            piece += 1;
        };
        self.with_worker(|worker| match limit {
            Some(limit) if self.general.is_none() => {
                let part = |part: Part<'_>| told(self.event(text, part));
                self.encode_parts_at_most(text, policy, limit, worker, &mut ids, look, part)
            }
            _ => self.encode_events(text, policy, worker, &mut ids, look, told),
        })?;
        if let Some(limit) = limit {
            ids.truncate(limit);
            bytes.truncate(limit);
            pieces.truncate(limit);
        }
        let in_text = Characters::new(text);
        let mut characters: Vec<_> = bytes.iter().map(|&span| in_text.span(span)).collect();
        self.trim(&ids, &mut characters);
        self.trim(&ids, &mut bytes);
        Ok(Places { characters, bytes, pieces })
    }

    /// Whether the token of this id is a special one.
    pub fn is_special_id(&self, id: u32) -> bool {
        self.vocabulary.has(id) && self.vocabulary.kind(id) == TokenKind::Special
    }
}
