//! Vectors of the tokens of a tokenizer, in place of words: of a text, or of a file of ids.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::counting::CutWords;
use super::encoded;
use super::reading::{Reading, WordLimits};
use crate::error::{Error, Result};
use crate::idfile::{IdFile, fingerprint_of};
use crate::observe::{Observer, Progress};
use crate::threads::lock;
use crate::tokenizer::{SpecialPolicy, Tokenizer};
use crate::vectors::WordVectors;

/// Calls `read` with what cuts documents into the tokens of `tokenizer`.
pub fn with_cut<Output>(
    tokenizer: &Tokenizer,
    observer: &mut dyn Observer,
    read: impl FnOnce(&dyn CutWords, &mut dyn Observer) -> Result<Output>,
) -> Result<Output> {
    let names = names(tokenizer);
    let (failure, stopped) = (Mutex::new(None), AtomicBool::new(false));
    let cut = Tokens { tokenizer, names: &names, failure: &failure, stopped: &stopped };
    let mut watch = Watch { observer, failure: &failure, stopped: &stopped };
    let outcome = read(&cut, &mut watch);
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error @ (Error::Cancelled | Error::Caller(_))) => outcome.and(Err(error)),
        Some(error) => Err(error),
        None => outcome,
    }
}

/// Reads a file of ids in the place of the text that `tokenizer` made it of.
pub(super) fn read_ids(
    file: &IdFile,
    tokenizer: &Tokenizer,
    limits: WordLimits,
    known: Option<&WordVectors>,
    observer: &mut dyn Observer,
) -> Result<Reading> {
    let made_by = fingerprint_of(tokenizer);
    if file.fingerprint() != made_by {
        let rule = format!(
            "must be the tokenizer that made the file of ids, whose fingerprint is {}",
            file.fingerprint()
        );
        return Err(Error::parameter("split", rule, made_by));
    }
    if limits.lowercase {
        let rule = "must be False with a file of ids, whose text was cut as it was";
        return Err(Error::parameter("lowercase", rule, "True")
            .with_hint("Encode lower-cased text instead: give the tokenizer a normalizer"));
    }
    encoded::read(file, &names(tokenizer), limits, known, observer)
}

/// The tokens as text, by id.
fn names(tokenizer: &Tokenizer) -> Vec<String> {
    let vocabulary = tokenizer.vocabulary();
    let mut names = vec![String::new(); vocabulary.len()];
    for id in vocabulary.ids() {
        names[id as usize] = vocabulary.text(id);
    }
    names
}

/// Cuts documents into tokens.
struct Tokens<'a> {
    tokenizer: &'a Tokenizer,
    names: &'a [String],
    failure: &'a Mutex<Option<Error>>,
    stopped: &'a AtomicBool,
}

impl CutWords for Tokens<'_> {
    fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
        let mut look = || {
            if self.stopped.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
        };
        match self.tokenizer.encode(document, SpecialPolicy::Text, &mut look) {
            Ok(ids) => ids.iter().for_each(|&id| take(&self.names[id as usize])),
            Err(error) => {
                self.stopped.store(true, Ordering::Relaxed);
                lock(self.failure).get_or_insert(error);
            }
        }
    }
}

/// Ends the reading when a document could not be cut, and the cutting when the caller ends the run.
struct Watch<'a> {
    observer: &'a mut dyn Observer,
    failure: &'a Mutex<Option<Error>>,
    stopped: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, progress: &Progress) -> Result<()> {
        if lock(self.failure).is_some() {
            return Err(Error::Cancelled);
        }
        let outcome = self.observer.observe(progress);
        if outcome.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        outcome
    }
}
