//! The stages of a `tokenizer.json`, read and written in the vocabulary of Hugging Face tokenizers.
//!
//! One file a stage; each knows how its kinds are written, in one function for each direction.

pub(super) mod decoders;
pub(super) mod models;
pub(super) mod node;
pub(super) mod normalizers;
pub(super) mod post_processors;
pub(super) mod pre_tokenizers;
pub(super) mod surroundings;
