//! Why each merge was made.

use super::Pair;

/// One merge and the competition that it won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRecord {
    /// How often the pair occurred.
    pub total: u64,
    /// Pairs with this total, the winner included.
    pub tied_pairs: u32,
    /// The pair that would have won without this one.
    pub runner_up: Option<Pair>,
    /// How often the runner-up occurred.
    pub runner_up_total: u64,
    /// In a tie that the first place decides: the numbers in [`MergeHistory::pieces`] of the pieces in
    /// which winner and runner-up occur first.
    pub first_pieces: Option<(u32, u32)>,
}

/// The records of all merges, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeHistory {
    /// One record a merge.
    pub records: Vec<MergeRecord>,
    /// The pieces that records refer to.
    pub pieces: Vec<String>,
}
