//! Unigram language models of tokens (Kudo, 2018): each token has a score, the logarithm of its
//! probability, and a text becomes those tokens whose scores have the highest sum.
//!
//! [`model`] finds them, [`lattice`] draws others by their probability or lists the best few, [`train`]
//! learns tokens and scores.

pub mod lattice;
pub mod model;
pub mod train;
pub mod trie;

pub use model::{Flavor, Scratch, UnigramModel};
