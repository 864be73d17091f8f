//! Which part of a text a token covers.

use super::characters::Characters;
use super::engine::Look;
use super::general::Event;
use super::post_processor::PostProcessor;
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{Model, Tokenizer};
use crate::bpe::encode::Alphabet;
use crate::error::Result;
use crate::normalize::Span;

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
        let places = self.token_places(text, policy, look)?;
        let characters = Characters::new(text);
        let mut offsets: Vec<_> = places.iter().map(|place| characters.span(place.span)).collect();
        self.trim(&places, &mut offsets);
        Ok(offsets)
    }

    /// For each token of a text, where it begins and ends, in bytes.
    pub fn spans(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<Span>> {
        let places = self.token_places(text, policy, look)?;
        Ok(places.into_iter().map(|place| place.span).collect())
    }

    fn token_places(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<TokenPlace>> {
        let mut places = Vec::new();
        self.with_worker(|worker| {
            self.encode_events(text, policy, worker, &mut Vec::new(), look, |event| {
                self.append_places(&event, &mut places);
            })
        })?;
        Ok(places)
    }

    pub(super) fn append_places(&self, event: &Event<'_>, places: &mut Vec<TokenPlace>) {
        let piece = event.piece();
        if event.added {
            let is_space = |character: &char| character.is_whitespace();
            let leading = piece.chars().take_while(is_space).count();
            let trailing = piece.chars().rev().take_while(is_space).count();
            places.push(TokenPlace { span: event.span(0..piece.len()), leading, trailing });
            return;
        }
        let bare = |place| TokenPlace { span: event.span(place), leading: 0, trailing: 0 };
        if let Model::SentencePiece(model) = &self.model {
            places.extend(model.places(piece).into_iter().map(bare));
            return;
        }
        if let Model::Unigram(model) = &self.model {
            places.extend(model.places(piece).into_iter().map(bare));
            return;
        }
        let mut start = 0;
        for (number, &id) in event.ids.iter().enumerate() {
            let end = piece.len().min(start + self.length_in_piece(id, number, piece, start));
            let bytes = self.vocabulary.bytes(id);
            let is_space = |byte: &&u8| **byte == b' ';
            places.push(TokenPlace {
                span: event.span(start..end),
                leading: bytes.iter().take_while(is_space).count(),
                trailing: bytes.iter().rev().take_while(is_space).count(),
            });
            start = end;
        }
    }

    /// Leaves the white space of tokens out where the post-processor does.
    pub(super) fn trim(&self, places: &[TokenPlace], offsets: &mut [(usize, usize)]) {
        let trimming = self.pipeline.post_processor.as_ref().and_then(PostProcessor::trimming);
        if let Some(add_prefix_space) = trimming {
            trim(places, add_prefix_space, offsets);
        }
    }

    /// The bytes of a piece that its token number `number` stands for, which begins at `start`.
    fn length_in_piece(&self, id: u32, number: usize, piece: &str, start: usize) -> usize {
        let length = self.vocabulary.bytes(id).len();
        match (&self.model, self.vocabulary.kind(id)) {
            (Model::WordLevel { .. } | Model::Unigram(_) | Model::SentencePiece(_), _) => {
                piece.len()
            }
            (Model::WordPiece(model), _) if model.unknown == Some(id) => piece.len(),
            (Model::WordPiece(model), _) if number > 0 => length - model.prefix.len(),
            (Model::WordPiece(_), _) => length,
            (Model::Bpe(model), kind) => match (&model.alphabet, kind) {
                (Alphabet::Spelled(spelling), TokenKind::Unknown) => {
                    spelling.unknown_length(piece, start)
                }
                (_, TokenKind::Unknown) => piece[start..].chars().next().map_or(0, char::len_utf8),
                (Alphabet::Spelled(spelling), TokenKind::Ordinary | TokenKind::EndsWord)
                    if number > 0 =>
                {
                    let prefix = spelling.continuing_prefix.as_deref().unwrap_or_default();
                    length.saturating_sub(prefix.len())
                }
                _ => length,
            },
        }
    }
}

/// Where a token is in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenPlace {
    /// In bytes.
    pub(super) span: Span,
    /// White space that it begins with, in characters.
    leading: usize,
    /// White space that it ends with, in characters.
    trailing: usize,
}

/// Leaves the white space of tokens out, as Hugging Face tokenizers does it for byte-level models.
fn trim(places: &[TokenPlace], add_prefix_space: bool, offsets: &mut [(usize, usize)]) {
    for (number, (place, offset)) in places.iter().zip(offsets).enumerate() {
        let TokenPlace { mut leading, trailing, .. } = *place;
        if leading == 1 && add_prefix_space && (number == 0 || offset.0 == 0) {
            // It was put there and covers nothing.
            leading = 0;
        }
        if leading > 0 {
            offset.0 = (offset.0 + leading).min(offset.1);
        }
        if trailing > 0 && offset.1 >= trailing {
            offset.1 = (offset.1 - trailing).max(offset.0);
        }
    }
}
