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
        let mut ids = Vec::new();
        let spans = self.spans_of(text, policy, &mut ids, look)?;
        let characters = Characters::new(text);
        let mut offsets: Vec<_> = spans.into_iter().map(|span| characters.span(span)).collect();
        self.trim(&ids, &mut offsets);
        Ok(offsets)
    }

    /// For each token of a text, where it begins and ends, in bytes.
    pub fn spans(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<Span>> {
        self.spans_of(text, policy, &mut Vec::new(), look)
    }

    fn spans_of(
        &self,
        text: &str,
        policy: SpecialPolicy,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<Vec<Span>> {
        let mut spans = Vec::new();
        self.with_worker(|worker| {
            self.encode_events(text, policy, worker, ids, look, |event| {
                self.append_spans(&event, &mut spans);
            })
        })?;
        Ok(spans)
    }

    pub(super) fn append_spans(&self, event: &Event<'_>, spans: &mut Vec<Span>) {
        let piece = event.piece();
        if event.added {
            spans.push(event.span(0..piece.len()));
            return;
        }
        if let Model::SentencePiece(model) = &self.model {
            spans.extend(model.places(piece).into_iter().map(|place| event.span(place)));
            return;
        }
        if let Model::Unigram(model) = &self.model {
            spans.extend(model.places(piece).into_iter().map(|place| event.span(place)));
            return;
        }
        let mut start = 0;
        for (number, &id) in event.ids.iter().enumerate() {
            let end = piece.len().min(start + self.length_in_piece(id, number, piece, start));
            spans.push(event.span(start..end));
            start = end;
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

    /// Leaves the white space of tokens out where the post-processor does, as Hugging Face tokenizers does it
    /// for byte-level models.
    pub(super) fn trim(&self, ids: &[u32], offsets: &mut [(usize, usize)]) {
        let trimming = self.pipeline.post_processor.as_ref().and_then(PostProcessor::trimming);
        let Some(add_prefix_space) = trimming else { return };
        for (number, (&id, offset)) in ids.iter().zip(offsets).enumerate() {
            let bytes = self.vocabulary.bytes(id);
            let is_space = |byte: &&u8| **byte == b' ';
            let mut leading = bytes.iter().take_while(is_space).count();
            let trailing = bytes.iter().rev().take_while(is_space).count();
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
}
