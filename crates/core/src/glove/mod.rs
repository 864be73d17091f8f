//! Word vectors by `GloVe` (Pennington, Socher and Manning 2014): count how often words stand near each
//! other, then fit vectors to the logarithms of the counts.
//!
//! In the order in which a run uses them: [`config`] (settings and their ranges), `blocks` (words in
//! groups whose rows fit the cache), `pairs` (sums of weights that are being counted), `cooccurrence`
//! (one pass over the ids in all threads), `held_out` (which pairs are not learned from), `cells` (the finished sums,
//! by tile of two blocks), `weights` (the vectors while they change), `order` (which tile comes when), `epochs` (the
//! loop over the tiles) and [`train()`], which puts them together.
//!
//! Vocabulary, cutting, ids and what happens between epochs are those of [`embed`](crate::embed).

mod blocks;
mod cells;
pub mod config;
mod cooccurrence;
mod epochs;
mod held_out;
mod order;
mod pairs;
#[cfg(test)]
mod tests;
mod train;
mod weights;

pub use cells::Table;
pub use config::{GloVeConfig, Optimizer};
pub use train::{Counted, Trained, count, train};
