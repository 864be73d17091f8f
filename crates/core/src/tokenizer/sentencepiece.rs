//! Tokenizers that SentencePiece made: normalizer and search belong together and see the whole text.

use super::settings::{Kind, TokenizerSettings, WordOrder};
use super::vocabulary::{TokenKind, Vocabulary};
use super::{Model, Tokenizer};
use crate::bpe::{BpeOptions, Symbols, TieBreak};
use crate::sentencepiece::{PieceKind, SentencePiece};
use crate::split::Splitter;

impl Tokenizer {
    /// A tokenizer that gives the ids that SentencePiece gives.
    pub fn from_sentencepiece(model: SentencePiece) -> Self {
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
            splitter: Splitter::whole(),
            symbols: Symbols::Characters,
            end_of_word: None,
            tie_break: TieBreak::First,
            order: WordOrder::Frequency,
            min_frequency: 0,
            special_tokens,
            unknown_token,
            options: BpeOptions::default(),
        };
        Self::new(settings, vocabulary, Model::SentencePiece(Box::new(model)), None)
    }

    /// A text as it is cut, after all replacements of characters.
    pub fn normalize(&self, text: &str) -> String {
        match &self.model {
            Model::SentencePiece(model) => model.normalize(text),
            _ => match &self.pipeline.normalizer {
                Some(normalizer) => normalizer.normalized(text),
                None => text.to_owned(),
            },
        }
    }
}
