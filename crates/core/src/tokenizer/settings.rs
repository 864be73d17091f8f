//! How a tokenizer was made.

use crate::bpe::{BpeOptions, BpeSettings, Symbols, TieBreak};
use crate::error::{Error, Result};
use crate::split::Splitter;

/// The family of a tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Byte-pair encoding.
    Bpe,
    /// One token a word.
    WordLevel,
    /// One token a character.
    CharLevel,
    /// The longest tokens that make up a word.
    WordPiece,
    /// The most probable tokens.
    Unigram,
    /// Whatever the `.model` file of SentencePiece says.
    SentencePiece,
}

impl Kind {
    /// The name in files and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bpe => "bpe",
            Self::WordLevel => "word_level",
            Self::CharLevel => "char_level",
            Self::WordPiece => "word_piece",
            Self::Unigram => "unigram",
            Self::SentencePiece => "sentencepiece",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        let all = [
            Self::Bpe,
            Self::WordLevel,
            Self::CharLevel,
            Self::WordPiece,
            Self::Unigram,
            Self::SentencePiece,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// The order of the ids of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOrder {
    /// The most frequent first; equals in order of first appearance.
    Frequency,
    /// By code points.
    Alphabetical,
}

impl WordOrder {
    /// The order of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "frequency" => Ok(Self::Frequency),
            "alphabetical" => Ok(Self::Alphabetical),
            _ => Err(Error::parameter(
                "order",
                "must be \"frequency\" or \"alphabetical\"",
                format!("{name:?}"),
            )),
        }
    }

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frequency => "frequency",
            Self::Alphabetical => "alphabetical",
        }
    }
}

/// Settings of any tokenizer; what a family does not have keeps its neutral value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct TokenizerSettings {
    pub kind: Kind,
    pub vocab_size: Option<u64>,
    pub merges: Option<u64>,
    pub splitter: Splitter,
    pub symbols: Symbols,
    pub end_of_word: Option<String>,
    pub tie_break: TieBreak,
    pub order: WordOrder,
    pub min_frequency: u64,
    pub special_tokens: Vec<String>,
    pub unknown_token: Option<String>,
    pub options: BpeOptions,
}

impl From<&BpeSettings> for TokenizerSettings {
    fn from(settings: &BpeSettings) -> Self {
        Self {
            kind: Kind::Bpe,
            vocab_size: settings.vocab_size,
            merges: settings.merges,
            splitter: settings.splitter.clone(),
            symbols: settings.symbols,
            end_of_word: settings.end_of_word.clone(),
            tie_break: settings.tie_break,
            order: WordOrder::Frequency,
            min_frequency: settings.min_frequency,
            special_tokens: settings.special_tokens.clone(),
            unknown_token: settings.unknown_token.clone(),
            options: settings.options.clone(),
        }
    }
}

/// The settings of the trainers of words and of characters.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct LevelSettings {
    pub kind: Kind,
    pub vocab_size: Option<u64>,
    pub splitter: Splitter,
    pub order: WordOrder,
    pub min_frequency: u64,
    pub special_tokens: Vec<String>,
    pub unknown_token: Option<String>,
}

impl LevelSettings {
    /// Fails if a setting is out of range or contradicts another.
    pub fn validate(&self) -> Result<()> {
        crate::bpe::settings::validate_names(&self.special_tokens, self.unknown_token.as_deref())?;
        let appended = self.appended();
        match self.vocab_size {
            Some(size) if size <= appended => {
                let rule = format!(
                    "must be at least {}, one more than the special and unknown tokens",
                    appended + 1
                );
                Err(Error::parameter("vocab_size", rule, size))
            }
            _ => Ok(()),
        }
    }

    fn appended(&self) -> u64 {
        self.special_tokens.len() as u64 + u64::from(self.unknown_token.is_some())
    }

    /// Words or characters that the vocabulary may hold.
    pub(super) fn room(&self) -> usize {
        self.vocab_size.map_or(usize::MAX, |size| (size - self.appended()) as usize)
    }
}

impl From<&LevelSettings> for TokenizerSettings {
    fn from(settings: &LevelSettings) -> Self {
        Self {
            kind: settings.kind,
            vocab_size: settings.vocab_size,
            merges: None,
            splitter: settings.splitter.clone(),
            symbols: Symbols::Characters,
            end_of_word: None,
            tie_break: TieBreak::First,
            order: settings.order,
            min_frequency: settings.min_frequency,
            special_tokens: settings.special_tokens.clone(),
            unknown_token: settings.unknown_token.clone(),
            options: BpeOptions::default(),
        }
    }
}
