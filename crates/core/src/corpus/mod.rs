//! Where text comes from, and how it reaches the threads that work on it.
//!
//! A [`DocumentStream`] yields [`Batch`]es of whole documents in corpus order. [`pipeline`] hands them
//! to worker threads and gives the results back in order. Files are read by [`files::FileStream`];
//! other sources (an iterator of the caller's) implement the trait themselves.

pub mod batch;
pub mod files;
mod json_lines;
pub mod pipeline;

pub use batch::{Batch, Boundaries, Decoded, InvalidUtf8, Origin, ReadReport};
pub use files::{FileCorpus, FileStream};
pub use pipeline::map_in_order;

use crate::error::Result;

/// Bytes of text that are handed to a worker at a time: large enough to make the hand-over cheap,
/// small enough to keep all threads busy near the end and to stop within a moment.
pub const BATCH_BYTES: usize = 1 << 20;

/// How a file is cut into documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRule {
    /// One document a line; only `\n` ends a line.
    Lines,
    /// Each file is one document.
    Files,
    /// Documents end at this text, which is not part of them.
    Separator(String),
    /// Each line is a JSON object, and the text in this field of it is the document.
    JsonField(String),
}

/// Yields the documents of a corpus, in order, once.
pub trait DocumentStream {
    /// The next batch of whole documents, or `None` at the end.
    fn next_batch(&mut self) -> Result<Option<Batch>>;

    /// Bytes to read in all, in the same unit as [`bytes_read`](Self::bytes_read), where known.
    fn total_bytes(&self) -> Option<u64> {
        None
    }

    /// Bytes read so far, for progress.
    fn bytes_read(&self) -> u64;
}

/// The number of threads that a request stands for: all that the machine offers where none is named.
pub fn resolve_threads(requested: Option<usize>) -> usize {
    match requested {
        Some(threads) => threads.max(1),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    }
}
