//! The ids of a corpus in one file: written once, then read in place by whoever trains on them.
//!
//! The file is a safetensors file, so that other programs can read it too: the ids as 16-bit or 32-bit
//! numbers, and where each document begins in them. [`encode`] makes it from text; a run that was stopped
//! goes on where it was. [`IdFile`] reads it.

mod encode;
mod partial;
mod reader;
#[cfg(test)]
mod tests;

pub(crate) use encode::fingerprint_of;
pub use encode::{IdFileSettings, encode};
pub use reader::IdFile;

use crate::formats::safetensors::Kind;

/// The version of the layout; a reader refuses those that it does not know.
const VERSION: &str = "1";

/// The name under which the layout's version is found.
const VERSION_KEY: &str = "textgrain.ids";

/// Bytes kept free for the header, which can only be written when all is known.
const HEADER_BYTES: usize = 1024;

/// The names of the two tensors.
const IDS: &str = "ids";
const DOCUMENT_OFFSETS: &str = "document_offsets";

/// The smallest numbers that hold all ids of a vocabulary.
fn kind_for(vocab_size: usize) -> Kind {
    if vocab_size <= 1 << 16 { Kind::U16 } else { Kind::U32 }
}
