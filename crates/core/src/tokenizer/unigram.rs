//! Tokenizers of the most probable tokens, trained here.

use super::settings::{Kind, TokenizerSettings, WordOrder};
use super::vocabulary::{TokenKind, Vocabulary};
use super::{Model, Tokenizer};
use crate::bpe::{BpeOptions, Symbols, TieBreak};
use crate::error::Result;
use crate::observe::Observer;
use crate::split::PieceCounts;
use crate::unigram::UnigramModel;
use crate::unigram::train::settings::UnigramSettings;
use crate::unigram::train::{self, Learned, Scored};

impl Tokenizer {
    /// Trains a unigram model; the result does not depend on the number of threads.
    ///
    /// The second value is the mean loss of a piece, in nats, after each time that scores were fitted.
    pub fn train_unigram(
        pieces: &PieceCounts,
        settings: &UnigramSettings,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Vec<f64>)> {
        let Learned { tokens, losses } = train::train(pieces, settings, threads, observer)?;
        let mut listed = listed(tokens, settings);
        let lowest = listed.iter().map(|(_, _, score)| *score).fold(0.0, f64::min);
        if let Some(name) = &settings.unknown_token {
            listed.push((name.as_bytes().into(), TokenKind::Unknown, f64::NAN));
        }
        let mut vocabulary = Vocabulary::new(None);
        let mut scored = Vec::with_capacity(listed.len());
        for (text, kind, score) in listed {
            let id = vocabulary.push(&text, kind);
            let name = vocabulary.shown(id);
            let score = if score.is_nan() { score_of_name(&name, lowest) } else { score };
            scored.push((name, score));
        }
        let named = |kind| vocabulary.ids().find(|&id| vocabulary.kind(id) == kind);
        // Hugging Face tokenizers needs an unknown token, even if its bytes stand for everything unknown.
        let unknown = named(TokenKind::Unknown).or_else(|| named(TokenKind::Byte));
        let model = UnigramModel::hugging_face(&scored, unknown, settings.byte_fallback);
        for name in &settings.special_tokens {
            vocabulary.push(name.as_bytes(), TokenKind::Special);
        }
        let model = Model::Unigram(Box::new(model));
        Ok((Self::new(settings.into(), vocabulary, model, None), losses))
    }
}

/// A name, such as that of a byte, which a text may hold too, but which is not to be found there: it is
/// worse than its characters one by one.
fn score_of_name(name: &[u8], lowest: f64) -> f64 {
    lowest * (name.len() as f64 + 1.0) - 1.0
}

/// Scores have few enough digits for every program to read the same number.
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

/// The tokens in the order of their ids; a score that is not a number is given later.
fn listed(tokens: Vec<Scored>, settings: &UnigramSettings) -> Vec<(Box<[u8]>, TokenKind, f64)> {
    let lowest = tokens.iter().map(|token| token.score).fold(0.0, f64::min);
    let mut listed: Vec<(Box<[u8]>, TokenKind, f64)> = Vec::with_capacity(tokens.len() + 256);
    if settings.byte_fallback {
        // Characters of one byte that the corpus does not have are tokens all the same.
        for byte in 0..0x80_u8 {
            listed.push(([byte].into(), TokenKind::Ordinary, rounded(lowest)));
        }
        for byte in 0x80..=0xFF_u8 {
            listed.push(([byte].into(), TokenKind::Byte, f64::NAN));
        }
    }
    for token in tokens {
        match *token.text {
            [byte] if settings.byte_fallback => listed[byte as usize].2 = rounded(token.score),
            _ => listed.push((token.text, TokenKind::Ordinary, rounded(token.score))),
        }
    }
    listed
}

impl From<&UnigramSettings> for TokenizerSettings {
    fn from(settings: &UnigramSettings) -> Self {
        Self {
            kind: Kind::Unigram,
            vocab_size: Some(settings.vocab_size),
            merges: None,
            splitter: settings.splitter.clone(),
            symbols: Symbols::Characters,
            end_of_word: None,
            tie_break: TieBreak::First,
            order: WordOrder::Frequency,
            min_frequency: 1,
            special_tokens: settings.special_tokens.clone(),
            unknown_token: settings.unknown_token.clone(),
            options: BpeOptions::default(),
        }
    }
}
