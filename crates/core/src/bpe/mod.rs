//! Byte-pair encoding (Sennrich, Haddow and Birch, 2016): training and encoding.
//!
//! [`train()`] repeats one step on the pieces of a corpus: find the pair of neighboring tokens with the
//! highest total and merge it everywhere (`merge.rs`). [`encode`] applies the same merges to a new piece,
//! in the order in which they were made.

mod alphabet;
pub mod encode;
pub mod extend;
mod guide;
pub mod history;
mod initial_numbers;
mod learn;
mod lookup;
mod merge;
mod neighbors;
pub mod options;
mod pair_index;
mod pairs;
mod queue;
pub mod ranks;
pub mod settings;
mod short;
pub mod spelling;
pub mod train;

pub(crate) use alphabet::character_ids;
pub use encode::{BpeModel, Merge, Scratch, Unseen};
pub use extend::{ExtendSettings, Extended, extend};
pub use history::{MergeHistory, MergeRecord};
pub use options::BpeOptions;
pub use settings::{BpeSettings, Symbols, TieBreak};
pub use train::train;

/// Two neighboring tokens, by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The first token.
    pub left: u32,
    /// The token after it.
    pub right: u32,
}

impl Pair {
    /// The pair as one number, for hashing.
    #[inline]
    pub(crate) fn key(self) -> u64 {
        u64::from(self.left) << 32 | u64::from(self.right)
    }
}
