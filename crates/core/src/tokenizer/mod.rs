//! A trained tokenizer: text to ids and back.
//!
//! A tokenizer never changes. What it keeps between calls is only a memory of pieces that it met, which
//! has no influence on any result.

mod cache;
mod decode;
mod documents;
mod encode;
mod explain;
mod layout;
pub mod levels;
mod limit;
pub mod ranked;
pub mod settings;
mod special;
mod statistics;
mod stream;
pub mod vocabulary;

use std::sync::{Mutex, MutexGuard, TryLockError};

pub use decode::Decoded;
pub use documents::Frame;
pub use explain::{ExplainedPiece, Step};
pub use layout::Layout;
pub use settings::{Kind, LevelSettings, TokenizerSettings, WordOrder};
pub use special::SpecialPolicy;
pub use statistics::Usage;
pub use stream::DecodeStream;

use crate::bpe::{self, BpeModel, BpeSettings, MergeHistory};
use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::split::PieceCounts;
pub use encode::Look;
use encode::Worker;
use special::SpecialFinder;
use vocabulary::{TokenKind, Vocabulary};

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
}

/// Cuts text into tokens and gives each its id.
#[derive(Debug)]
pub struct Tokenizer {
    settings: TokenizerSettings,
    vocabulary: Vocabulary,
    model: Model,
    history: Option<MergeHistory>,
    special: SpecialFinder,
    /// Room to work in and memories of pieces, one for each call at a time.
    workers: Mutex<Vec<Worker>>,
}

impl Tokenizer {
    /// Puts the parts together; ids in `model` must be ids of `vocabulary`.
    pub fn new(
        settings: TokenizerSettings,
        vocabulary: Vocabulary,
        model: Model,
        history: Option<MergeHistory>,
    ) -> Self {
        let special = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Special);
        let special = SpecialFinder::new(special.map(|id| (id, vocabulary.bytes(id))));
        Self { settings, vocabulary, model, history, special, workers: Mutex::default() }
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

    /// Why each merge was made, if the tokenizer was trained by merges here.
    pub fn history(&self) -> Option<&MergeHistory> {
        self.history.as_ref()
    }

    /// Whether decoding gives back every text that can be encoded.
    pub fn lossless(&self) -> bool {
        self.settings.splitter.lossless() && self.settings.unknown_token.is_none()
    }

    /// The ids of the special tokens, ascending; each has the name at the same place of the settings.
    pub fn special_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.special.ids()
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

    fn with_worker<T>(&self, call: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = self.idle_workers().and_then(|mut workers| workers.pop());
        let mut worker = idle.unwrap_or_default();
        let result = call(&mut worker);
        if let Some(mut workers) = self.idle_workers() {
            workers.push(worker);
        }
        result
    }

    /// The workers that no call uses, unless another thread is at them just now.
    ///
    /// Nobody waits here: in a process that was forked while another thread held the lock, that thread is
    /// gone and the lock would never be free again.
    fn idle_workers(&self) -> Option<MutexGuard<'_, Vec<Worker>>> {
        match self.workers.try_lock() {
            Ok(workers) => Some(workers),
            // A panic in another call leaves no worker behind, so a poisoned lock holds nothing bad.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Clone for Tokenizer {
    fn clone(&self) -> Self {
        Self::new(
            self.settings.clone(),
            self.vocabulary.clone(),
            self.model.clone(),
            self.history.clone(),
        )
    }
}
