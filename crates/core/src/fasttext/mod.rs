//! Word vectors that are made of n-grams (Bojanowski et al. 2017, arXiv:1607.04606).
//!
//! A word is its own row and the rows of its n-grams, so that rare words learn from all that are spelled alike,
//! and unseen words have a vector too. The loop over the corpus, the windows and the losses are those of
//! [`embed`](crate::embed); what is different is where the vector of a word comes from (`rows`, which rows
//! it has) and where a step goes (`method`).

pub mod config;
mod method;
mod rows;
mod train;

pub use config::{FastTextConfig, NgramKind};
pub use train::train;
