//! The engine of textgrain: text in, tokens, ids and vectors out.
//!
//! This crate knows no Python, prints nothing, reads no environment, and owns no globals but what it found out
//! about the processor. The parts, in the order in which text passes through them:
//!
//! - [`corpus`]: where text comes from, cut into documents;
//! - [`normalize`]: documents changed before they are cut, if that is asked for;
//! - [`split`]: documents cut into pieces;
//! - [`bpe`]: pieces cut into tokens, and the training of the cuts;
//! - [`tokenizer`]: text to ids and back, with any of the cuts;
//! - [`idfile`]: the ids of a corpus in a file;
//! - [`embed`]: word vectors are trained;
//! - [`fasttext`]: word vectors are trained that are made of n-grams;
//! - [`glove`]: word vectors are fitted to counts of words near each other;
//! - [`phrases`]: words that belong together are joined before vectors are trained;
//! - [`subword`]: words are cut into n-grams, so that unseen words have vectors;
//! - [`vectors`]: word vectors are searched, saved and loaded;
//! - [`documents`]: documents get vectors from those of their words;
//!
//! and beside them [`formats`], the layouts of files, [`files`], how files are written, [`simd`], loops for
//! the processor, [`observe`], what a long run asks its caller, and [`error`], the one error type.

pub mod bpe;
pub mod corpus;
pub mod documents;
pub mod embed;
pub mod error;
pub mod fasttext;
pub mod files;
pub mod formats;
pub mod glove;
pub mod idfile;
mod memory;
pub mod normalize;
pub mod observe;
pub mod phrases;
pub mod sentencepiece;
pub mod simd;
pub mod split;
pub mod subword;
mod threads;
pub mod tokenizer;
pub mod unigram;
pub mod vectors;

pub use error::{Error, Place, Result};
