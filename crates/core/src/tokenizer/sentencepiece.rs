//! Tokenizers that SentencePiece made: normalizer and search belong together and see the whole text.

use super::encode::{Look, Part};
use super::settings::{Kind, TokenizerSettings, WordOrder};
use super::vocabulary::{TokenKind, Vocabulary};
use super::{Model, Tokenizer};
use crate::bpe::{Symbols, TieBreak};
use crate::error::Result;
use crate::sentencepiece::{PieceKind, Scratch, SentencePiece};
use crate::split::{SplitRule, Splitter};

impl Tokenizer {
    /// A tokenizer that gives the ids that SentencePiece gives.
    pub fn from_sentencepiece(model: SentencePiece) -> Result<Self> {
        let mut vocabulary = Vocabulary::new(None);
        let (mut special_tokens, mut unknown_token) = (Vec::new(), None);
        for piece in model.pieces() {
            let kind = match piece.kind {
                PieceKind::Control => {
                    special_tokens.push(piece.text.clone());
                    TokenKind::Special
                }
                PieceKind::Unknown => {
                    unknown_token = Some(piece.text.clone());
                    TokenKind::Unknown
                }
                _ => TokenKind::Ordinary,
            };
            vocabulary.push(piece.text.as_bytes(), kind);
        }
        let settings = TokenizerSettings {
            kind: Kind::SentencePiece,
            vocab_size: None,
            merges: None,
            splitter: Splitter::new(SplitRule::None, false)?,
            symbols: Symbols::Characters,
            end_of_word: None,
            tie_break: TieBreak::First,
            order: WordOrder::Frequency,
            min_frequency: 0,
            special_tokens,
            unknown_token,
        };
        Ok(Self::new(settings, vocabulary, Model::SentencePiece(Box::new(model)), None))
    }

    /// A text as it is cut, after all replacements of characters.
    pub fn normalize(&self, text: &str) -> String {
        match &self.model {
            Model::SentencePiece(model) => model.normalize(text),
            Model::Bpe(_) | Model::WordLevel { .. } => text.to_owned(),
        }
    }

    /// The bytes of a part of a text that each of its tokens stands for, as places in the whole text.
    pub(super) fn places_in_part(
        &self,
        model: &SentencePiece,
        text: &str,
        part: Part<'_>,
        scratch: &mut Scratch,
        look: &mut Look<'_>,
    ) -> Result<Vec<(usize, usize)>> {
        if let [id] = part.ids
            && self.vocabulary.kind(*id) == TokenKind::Special
        {
            return Ok(vec![(part.start, part.end)]);
        }
        let mut ids = Vec::new();
        let part_text = &text[part.start..part.end];
        let places = model.encode_with_places(part_text, scratch, &mut ids, look)?;
        let whole =
            |place: std::ops::Range<usize>| (part.start + place.start, part.start + place.end);
        Ok(places.into_iter().map(whole).collect())
    }
}
