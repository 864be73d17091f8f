//! Parts of words: their runs of characters, and the row that each has in a table.
//!
//! A word is put between two marks, so that a beginning differs from a middle and from an end, and cut into
//! all its runs of `min_n` to `max_n` characters (Bojanowski et al. 2017, arXiv:1607.04606). [`ngrams`] cuts,
//! [`hash`] numbers the runs as fastText, floret and finalfusion do, [`Table`] knows the rows of a model.
//!
//! No module here knows what the rows hold.

pub mod hash;
pub mod ngrams;
mod scheme;
mod table;

pub use scheme::{Combine, LONGEST_NGRAM, Naming, Scheme};
pub use table::{Index, Part, Parts, Table};
