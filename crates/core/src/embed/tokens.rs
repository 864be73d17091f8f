//! Vectors of the tokens of a tokenizer, in place of words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::config::Word2VecConfig;
use super::train::{Extras, Trained, train};
use crate::corpus::DocumentStream;
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress};
use crate::tokenizer::{SpecialPolicy, Tokenizer};

/// Trains vectors of the tokens that `tokenizer` cuts documents into, each under its name as text.
///
/// Names of special tokens in the text are ordinary text. Otherwise as [`train()`].
pub fn train_on_tokens(
    stream: &mut dyn DocumentStream,
    config: &Word2VecConfig,
    tokenizer: &Tokenizer,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    let vocabulary = tokenizer.vocabulary();
    let mut names = vec![String::new(); vocabulary.len()];
    for id in vocabulary.ids() {
        names[id as usize] = vocabulary.text(id);
    }
    let (failure, stopped) = (Mutex::new(None), AtomicBool::new(false));
    let cut = |document: &str, take: &mut dyn FnMut(&str)| {
        let mut look = || {
            if stopped.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
        };
        match tokenizer.encode(document, SpecialPolicy::Text, &mut look) {
            Ok(ids) => ids.iter().for_each(|&id| take(&names[id as usize])),
            Err(error) => {
                stopped.store(true, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    let mut watch = Watch { observer, failure: &failure, stopped: &stopped };
    let trained = train(stream, config, &cut, extras, threads, &mut watch);
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error @ (Error::Cancelled | Error::Caller(_))) => trained.and(Err(error)),
        Some(error) => Err(error),
        None => trained,
    }
}

/// Ends the run when a document could not be cut, and the cutting when the caller ends the run.
struct Watch<'a> {
    observer: &'a mut dyn Observer,
    failure: &'a Mutex<Option<Error>>,
    stopped: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, progress: &Progress) -> Result<()> {
        if self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return Err(Error::Cancelled);
        }
        let outcome = self.observer.observe(progress);
        if outcome.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        outcome
    }
}
