//! A trained tokenizer: text to ids and back.
//!
//! A tokenizer never changes. What it keeps between calls is only a memory of pieces that it met, which
//! has no influence on any result.

pub mod added;
mod batch;
mod cache;
mod characters;
mod decode;
mod decode_steps;
pub mod decoders;
mod documents;
mod encode;
mod engine;
mod explain;
mod extend;
mod general;
mod key;
pub mod levels;
mod limit;
mod lines;
mod offsets;
pub mod pipeline;
mod places;
pub mod post_processor;
pub mod ranked;
mod records;
pub mod sample;
mod sentencepiece;
pub mod settings;
mod slots;
mod special;
mod statistics;
mod stream;
mod unigram;
pub mod vocabulary;
pub mod word_piece;
pub mod word_piece_train;

use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};

pub use added::AddedToken;
use decode::TokenBytes;
pub use decode::{to_text, to_text_strict};
pub(crate) use documents::DocumentIds;
pub use documents::Frame;
pub use explain::{ExplainedPiece, Step};
pub use places::Places;
pub use settings::{Kind, LevelSettings, TokenizerSettings, WordOrder};
pub use special::SpecialPolicy;
pub use statistics::Usage;
pub use stream::DecodeStream;

use crate::bpe::{self, BpeModel, BpeSettings, MergeHistory};
use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::sentencepiece::SentencePiece;
use crate::split::PieceCounts;
use crate::unigram::UnigramModel;
pub use engine::Look;
use engine::Worker;
use pipeline::{General, Pipeline};
use special::SpecialFinder;
use vocabulary::{TokenKind, Vocabulary};
use word_piece::WordPieceModel;

/// How a piece becomes tokens.
#[derive(Clone, Debug)]
pub enum Model {
    /// By merges.
    Bpe(Box<BpeModel>),
    /// The piece is the token.
    WordLevel {
        /// What a word becomes that the vocabulary does not have.
        unknown: Option<u32>,
    },
    /// Into the tokens of the highest sum of scores.
    Unigram(Box<UnigramModel>),
    /// As SentencePiece does it, normalizer included; the whole text is one piece.
    SentencePiece(Box<SentencePiece>),
    /// By the longest token, again and again.
    WordPiece(Box<WordPieceModel>),
}

/// Room to work in and memories of pieces, one for each call at a time.
///
/// Nobody waits for one: in a process that was forked while another thread held a lock, that thread is gone and the
/// lock would never be free again.
#[derive(Debug, Default)]
struct Workers {
    /// Locked during a call, so that one call after the other needs one lock.
    first: Mutex<Option<Box<Worker>>>,
    /// Those of calls at the same time, while no call uses them.
    #[allow(clippy::vec_box, reason = "a pointer goes in and out, not its fields")]
    others: Mutex<Vec<Box<Worker>>>,
}

/// A lock that is free just now. A panic in another call leaves no worker behind, so a poisoned one holds nothing bad.
fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Cuts text into tokens and gives each its id.
#[derive(Debug)]
pub struct Tokenizer {
    settings: TokenizerSettings,
    vocabulary: Vocabulary,
    model: Model,
    history: Option<MergeHistory>,
    special: SpecialFinder,
    /// For decoding, made when it is first needed.
    token_bytes: OnceLock<TokenBytes>,
    pipeline: Pipeline,
    general: Option<Box<General>>,
    workers: Workers,
}

impl Tokenizer {
    /// Puts the parts together; ids in `model` must be ids of `vocabulary`.
    pub fn new(
        settings: TokenizerSettings,
        vocabulary: Vocabulary,
        model: Model,
        history: Option<MergeHistory>,
    ) -> Self {
        let normalizer = settings.splitter.normalizer().cloned();
        let pipeline = Pipeline { normalizer, ..Pipeline::default() };
        Self::with_pipeline(settings, vocabulary, model, history, pipeline)
    }

    /// As [`new`](Self::new), with stages around the model; they must name ids of `vocabulary`.
    pub fn with_pipeline(
        settings: TokenizerSettings,
        vocabulary: Vocabulary,
        model: Model,
        history: Option<MergeHistory>,
        pipeline: Pipeline,
    ) -> Self {
        let special = if pipeline.added.is_empty() {
            let special = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Special);
            SpecialFinder::new(special.map(|id| (id, vocabulary.bytes(id))))
        } else {
            let special = pipeline.added.iter().filter(|token| token.special);
            SpecialFinder::new(special.map(|token| (token.id, token.content.as_bytes())))
        };
        let general = General::new(&pipeline);
        let (token_bytes, workers) = (OnceLock::new(), Workers::default());
        Self {
            settings,
            vocabulary,
            model,
            history,
            special,
            token_bytes,
            pipeline,
            general,
            workers,
        }
    }

    /// Trains byte-pair encoding.
    pub fn train_bpe(
        pieces: &PieceCounts,
        settings: &BpeSettings,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let trained = bpe::train(pieces, settings, observer)?;
        let model = Model::Bpe(Box::new(trained.model));
        Ok(Self::new(settings.into(), trained.vocabulary, model, Some(trained.history)))
    }

    /// How the tokenizer was made.
    pub fn settings(&self) -> &TokenizerSettings {
        &self.settings
    }

    /// All tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// How pieces become tokens.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the model begins with the bytes of a text.
    pub fn has_byte_symbols(&self) -> bool {
        matches!(&self.model, Model::Bpe(_)) && self.settings.symbols == bpe::Symbols::Bytes
    }

    /// Why each merge was made, if the tokenizer was trained by merges here.
    pub fn history(&self) -> Option<&MergeHistory> {
        self.history.as_ref()
    }

    /// Whether decoding gives back every text that can be encoded.
    pub fn lossless(&self) -> bool {
        self.settings.splitter.lossless()
            && self.settings.unknown_token.is_none()
            && self.pipeline.normalizer.is_none()
    }

    /// The ids of the special tokens, ascending; each has the name at the same place of the settings.
    pub fn special_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.vocabulary.ids().filter(|&id| self.vocabulary.kind(id) == TokenKind::Special)
    }

    /// Fails if an id is not in the vocabulary.
    #[inline]
    pub fn check_id(&self, id: u32) -> Result<()> {
        if self.vocabulary.has(id) {
            return Ok(());
        }
        let largest = (self.vocabulary.len() as u64).saturating_sub(1);
        Err(Error::UnknownId { id: id.into(), largest })
    }

    fn with_worker<T>(&self, call: impl FnOnce(&mut Worker) -> Result<T>) -> Result<T> {
        let new = || Worker::new(self.vocabulary.len()).map(Box::new);
        let mut first = try_lock(&self.workers.first);
        let idle = match &mut first {
            Some(first) => first.take(),
            None => try_lock(&self.workers.others).and_then(|mut others| others.pop()),
        };
        let mut worker = idle.map_or_else(new, Ok)?;
        // In one place, so that it becomes part of the caller.
        let result = call(&mut worker);
        if let Some(first) = &mut first {
            **first = Some(worker);
        } else if let Some(mut others) = try_lock(&self.workers.others) {
            others.push(worker);
        }
        result
    }
}

impl Clone for Tokenizer {
    fn clone(&self) -> Self {
        Self::with_pipeline(
            self.settings.clone(),
            self.vocabulary.clone(),
            self.model.clone(),
            self.history.clone(),
            self.pipeline.clone(),
        )
    }
}
