//! The one error type: each variant is a cause that the caller can act on.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::vectors::WordVectors;

/// Shorthand for a result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in this crate.
///
/// A message names the thing, the rule and the value, and then the way out where there is one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is outside its allowed range, or two settings contradict each other.
    #[error("`{name}` {rule}, got {value}{}", hint_suffix(.hint))]
    Parameter {
        /// The setting as the user writes it.
        name: &'static str,
        /// What must hold, as the end of a sentence: "must be at least 1".
        rule: String,
        /// The value that was given.
        value: String,
        /// The way out, a full sentence without its final period; may be empty.
        hint: String,
    },

    /// The corpus holds nothing that can be trained on.
    #[error("{reason}")]
    Corpus {
        /// What was found, and what would help.
        reason: String,
    },

    /// A file does not hold what it should hold.
    #[error("{}{}: {reason}", path.display(), place_suffix(*.place))]
    Format {
        /// The file.
        path: PathBuf,
        /// Where in the file, if that is known.
        place: Place,
        /// What was found and what was expected.
        reason: String,
    },

    /// The operating system refused a file operation.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },

    /// A word or token that is not in the vocabulary was asked for.
    #[error("{message}")]
    UnknownToken {
        /// The word, what was looked up, and the way out.
        message: String,
    },

    /// An id that the vocabulary does not have.
    #[error(
        "id {id} is not in the vocabulary, whose ids run from 0 to {largest}{}",
        if id <= largest { " with gaps" } else { "" }
    )]
    UnknownId {
        /// The id that was given.
        id: u64,
        /// The largest id that exists.
        largest: u64,
    },

    /// Training left the range of finite numbers.
    #[error("{reason}")]
    Diverged {
        /// The first sign of it, and which setting to lower.
        reason: String,
        /// The vectors as they were after the last epoch before that; none if it was the first that diverged.
        vectors: Option<Box<WordVectors>>,
    },

    /// The caller asked for the work to stop; nothing was kept.
    #[error("stopped by the caller")]
    Cancelled,

    /// The caller's own code failed while it was asked for text or told of progress.
    #[error("the caller failed: {0}")]
    Caller(Box<dyn std::error::Error + Send + Sync>),
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A distance from the start, in bytes.
    Byte(u64),
    /// A line, counted from 1.
    Line(u64),
}

impl Error {
    /// A setting that breaks `rule`.
    #[allow(clippy::needless_pass_by_value, reason = "callers pass literals and temporaries")]
    pub fn parameter(
        name: &'static str,
        rule: impl Into<String>,
        value: impl fmt::Display,
    ) -> Self {
        Self::Parameter { name, rule: rule.into(), value: value.to_string(), hint: String::new() }
    }

    /// The same error with a sentence that says the way out.
    #[must_use]
    pub fn with_hint(mut self, sentence: impl Into<String>) -> Self {
        if let Self::Parameter { hint, .. } = &mut self {
            *hint = sentence.into();
        }
        self
    }

    /// A run that diverged with nothing to keep.
    pub(crate) fn diverged(reason: impl Into<String>) -> Self {
        Self::Diverged { reason: reason.into(), vectors: None }
    }

    /// The same error with the vectors as they were after the last good epoch, if it is one of a run that diverged.
    #[must_use]
    pub(crate) fn with_last_good(self, last_good: impl FnOnce() -> Option<WordVectors>) -> Self {
        let Self::Diverged { mut reason, vectors: None } = self else { return self };
        let vectors = last_good().map(Box::new);
        if let Some(vectors) = &vectors {
            let epochs = vectors.history().len();
            reason = format!("{reason}. The vectors after epoch {epochs} are kept with this error");
        }
        Self::Diverged { reason, vectors }
    }

    /// Nothing to train on.
    pub fn corpus(reason: impl Into<String>) -> Self {
        Self::Corpus { reason: reason.into() }
    }

    /// A damaged or foreign file.
    pub fn format(path: &Path, place: Place, reason: impl Into<String>) -> Self {
        Self::Format { path: path.to_owned(), place, reason: reason.into() }
    }

    /// A refused file operation.
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

fn hint_suffix(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!(". {hint}") }
}

fn place_suffix(place: Place) -> String {
    match place {
        Place::Whole => String::new(),
        Place::Byte(offset) => format!(", byte {offset}"),
        Place::Line(line) => format!(", line {line}"),
    }
}
