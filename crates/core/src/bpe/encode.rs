//! Applying merges to a piece.
//!
//! The rule is "down the merge list once": merge 1 everywhere, from left to right, then merge 2, and so
//! on, never back up. Taking the pair of lowest rank, among those not below the last rank applied, again
//! and again gives the same: a merge yields a token longer than both its parts, so it cannot form its own
//! pair anew, and pairs of a higher rank that it forms are met later in either order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::Pair;
use super::lookup::{NO_RANK, PairRanks};
use super::short::{Few, MOST_RANK, MOST_SYMBOLS, MergeShort, Symbols};
use super::spelling::Spelling;
use crate::error::Result;
use crate::simd::level;

/// Merges of a long piece between two looks at the wish to stop.
const MERGES_PER_LOOK: usize = 1 << 16;

/// A pair and the token that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// What is merged.
    pub pair: Pair,
    /// The id of the token that takes its place.
    pub token: u32,
}

/// What a piece starts as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// The id of each byte.
    Bytes(Box<[u32; 256]>),
    /// The id of each character.
    Characters(FxHashMap<char, u32>),
    /// By further rules.
    Spelled(Box<Spelling>),
}

/// The merges of a tokenizer, ready to be looked up.
#[derive(Clone, Debug)]
pub struct BpeModel {
    /// What a piece starts as.
    pub alphabet: Alphabet,
    /// In order of rank, from 0.
    pub merges: Vec<Merge>,
    /// The symbol that is put at the end of each piece.
    pub marker: Option<u32>,
    /// What a character becomes that the alphabet does not have.
    pub unknown: Option<u32>,
    order: MergeOrder,
    /// Whether a piece that is a token is taken as it is.
    takes_whole: bool,
    /// Whether several pairs share a rank.
    shared_ranks: bool,
    /// The token of the first merge, if those of the others follow it one by one.
    first_token: Option<u32>,
    /// Whether the bytes of each token are merged into it.
    reaches_all_tokens: bool,
    /// The rank of each pair, the first one if there are several.
    ranks: PairRanks,
    /// All ranks of pairs that are merged more than once, ascending.
    several: FxHashMap<u64, Vec<u32>>,
}

/// How ranks decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeOrder {
    /// Down the merge list once.
    DownTheList,
    /// Always the lowest rank that is left, as Hugging Face tokenizers does it; of several ranks of one
    /// pair the last counts. The same as the other unless two merges yield the same token.
    LowestRank,
    /// Always the pair that forms the token of the lowest id, as tiktoken does it, which also takes a piece
    /// that is a token as it is. The merges are in the order of their tokens; all pairs of one token have
    /// the rank of the first.
    LowestToken,
}

/// A character that the alphabet does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The character.
    pub character: char,
    /// Its place in the piece, in bytes.
    pub offset: usize,
}

/// Room to work in, kept from piece to piece.
#[derive(Debug, Default)]
pub struct Scratch {
    symbols: Vec<u32>,
    merged: Vec<u32>,
    few: Few,
    previous: Vec<u32>,
    next: Vec<u32>,
    heap: BinaryHeap<Reverse<u64>>,
}

const NOWHERE: u32 = u32::MAX;

impl BpeModel {
    /// Prepares the merges for lookup.
    pub fn new(
        alphabet: Alphabet,
        merges: Vec<Merge>,
        marker: Option<u32>,
        unknown: Option<u32>,
        order: MergeOrder,
    ) -> Self {
        let mut ranks = PairRanks::default();
        let mut several: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        ranks.reserve(merges.len());
        let (mut shared_ranks, mut rank) = (false, 0);
        for (place, merge) in merges.iter().enumerate() {
            if order == MergeOrder::LowestToken && place > 0 && merges[rank].token == merge.token {
                shared_ranks = true;
            } else {
                rank = place;
            }
            match (ranks.get(merge.pair), order) {
                (NO_RANK, _) | (_, MergeOrder::LowestRank | MergeOrder::LowestToken) => {
                    ranks.insert(merge.pair, rank as u32);
                }
                (first, MergeOrder::DownTheList) => {
                    let all = several.entry(merge.pair.key()).or_insert_with(|| vec![first]);
                    all.push(rank as u32);
                }
            }
        }
        let mut model = Self {
            alphabet,
            merges: Vec::new(),
            marker,
            unknown,
            order,
            takes_whole: order == MergeOrder::LowestToken,
            shared_ranks,
            first_token: None,
            reaches_all_tokens: false,
            ranks,
            several,
        };
        model.first_token = merges.first().map(|merge| merge.token);
        if merges.iter().enumerate().any(|(rank, merge)| !model.follows(rank, merge.token)) {
            model.first_token = None;
        }
        model.merges = merges;
        model
    }

    /// The same, but a piece that is a token is taken as it is.
    #[must_use]
    pub fn taking_whole(mut self) -> Self {
        self.takes_whole = true;
        self
    }

    /// Whether a piece that is a token is taken as it is, whatever merges would make of it.
    pub fn takes_whole(&self) -> bool {
        self.takes_whole
    }

    /// How ranks decide.
    pub fn order(&self) -> MergeOrder {
        self.order
    }

    /// Whether some token is formed by several pairs of one rank.
    pub fn shares_ranks(&self) -> bool {
        self.shared_ranks
    }

    /// Whether it is known that the bytes of each token are merged into that token, so that nobody need look
    /// whether a piece is one.
    pub(crate) fn reaches_all_tokens(&self) -> bool {
        self.reaches_all_tokens
    }

    pub(super) fn set_reaches_all_tokens(&mut self) {
        self.reaches_all_tokens = true;
    }

    pub(super) fn reserve(&mut self, merges: usize) {
        self.merges.reserve(merges);
        self.ranks.reserve(merges);
    }

    /// Whether the tokens up to this rank follow each other.
    fn follows(&self, rank: usize, token: u32) -> bool {
        self.first_token.is_some_and(|first| first.checked_add(rank as u32) == Some(token))
    }

    /// The token that a merge yields.
    #[inline]
    pub(super) fn token(&self, rank: u32) -> u32 {
        match self.first_token {
            Some(first) => first + rank,
            None => self.merges[rank as usize].token,
        }
    }

    /// Appends a merge of a new pair into a new token.
    pub(super) fn push(&mut self, merge: Merge) {
        let rank = self.merges.len();
        if rank == 0 {
            self.first_token = Some(merge.token);
        } else if !self.follows(rank, merge.token) {
            self.first_token = None;
        }
        self.ranks.insert(merge.pair, self.merges.len() as u32);
        self.merges.push(merge);
    }

    /// Appends the ids of one piece; `look` is asked now and then whether to go on.
    pub fn encode_piece(
        &self,
        piece: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Result<(), Unseen>> {
        if let Alphabet::Bytes(symbols) = &self.alphabet
            && self.marker.is_none()
            && piece.len() <= MOST_SYMBOLS
            && self.merges.len() <= MOST_RANK
        {
            let symbols = Symbols::Bytes(piece.as_bytes(), symbols);
            level::run(MergeShort { model: self, symbols, few: &mut scratch.few, ids });
            return Ok(Ok(()));
        }
        scratch.symbols.clear();
        if let Err(unseen) = self.symbols(piece, &mut scratch.symbols) {
            return Ok(Err(unseen));
        }
        self.merge(scratch, look)?;
        ids.extend_from_slice(&scratch.symbols);
        Ok(Ok(()))
    }

    /// What the merges make of bytes; the alphabet must be one of bytes.
    pub(super) fn merged_bytes<'a>(
        &self,
        bytes: &[u8],
        scratch: &'a mut Scratch,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<&'a [u32]> {
        scratch.symbols.clear();
        if let Alphabet::Bytes(ids) = &self.alphabet {
            scratch.symbols.extend(bytes.iter().map(|&byte| ids[byte as usize]));
        }
        self.merge(scratch, look)?;
        Ok(&scratch.symbols)
    }

    fn merge(&self, scratch: &mut Scratch, look: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Scratch { symbols: listed, few, merged, .. } = scratch;
        if listed.len() <= MOST_SYMBOLS && self.merges.len() <= MOST_RANK {
            merged.clear();
            let symbols = Symbols::Listed(listed);
            level::run(MergeShort { model: self, symbols, few, ids: merged });
            std::mem::swap(listed, merged);
            return Ok(());
        }
        self.merge_long(scratch, look)
    }

    /// Appends what a piece starts as.
    pub fn symbols(&self, piece: &str, symbols: &mut Vec<u32>) -> Result<(), Unseen> {
        match &self.alphabet {
            Alphabet::Bytes(ids) => {
                symbols.extend(piece.as_bytes().iter().map(|&byte| ids[byte as usize]));
            }
            Alphabet::Characters(ids) => {
                for (offset, character) in piece.char_indices() {
                    let id = ids.get(&character).copied().or(self.unknown);
                    symbols.push(id.ok_or(Unseen { character, offset })?);
                }
            }
            Alphabet::Spelled(spelling) => spelling.symbols(piece, self.unknown, symbols)?,
        }
        symbols.extend(self.marker);
        Ok(())
    }

    /// The steps from what a piece starts as to its tokens: each rank that is applied, and the symbols
    /// after it.
    pub fn steps(&self, mut symbols: Vec<u32>) -> Vec<(u32, Vec<u32>)> {
        let mut steps = Vec::new();
        let mut floor = 0;
        loop {
            let pairs = symbols.windows(2).map(|two| self.rank(pair(two[0], two[1]), floor));
            let Some(rank) = pairs.min().filter(|&rank| rank != NO_RANK) else { return steps };
            let token = self.merges[rank as usize].token;
            let is_merged = |left, right| self.rank(pair(left, right), floor) == rank;
            merge_once(&mut symbols, is_merged, token);
            steps.push((rank, symbols.clone()));
            floor = self.floor_after(rank);
        }
    }

    #[inline]
    pub(super) fn floor_after(&self, rank: u32) -> u32 {
        if self.order == MergeOrder::DownTheList { rank } else { 0 }
    }

    /// The lowest rank of a pair that is not below `floor`, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&self, pair: Pair, floor: u32) -> u32 {
        let rank = self.ranks.get(pair);
        if rank >= floor { rank } else { self.later_rank(pair, floor) }
    }

    #[cold]
    fn later_rank(&self, pair: Pair, floor: u32) -> u32 {
        let ranks = self.several.get(&pair.key()).into_iter().flatten();
        ranks.copied().find(|&rank| rank >= floor).unwrap_or(NO_RANK)
    }

    fn merge_long(
        &self,
        scratch: &mut Scratch,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let Scratch { symbols, previous, next, heap, .. } = scratch;
        let length = symbols.len() as u32;
        previous.clear();
        previous.extend((0..length).map(|index| index.wrapping_sub(1)));
        next.clear();
        next.extend(1..length);
        next.push(NOWHERE);
        heap.clear();
        for index in 0..length - 1 {
            let index = index as usize;
            let rank = self.rank(pair(symbols[index], symbols[index + 1]), 0);
            if rank != NO_RANK {
                heap.push(Reverse(u64::from(rank) << 32 | index as u64));
            }
        }
        let mut until_look = MERGES_PER_LOOK;
        while let Some(Reverse(entry)) = heap.pop() {
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = MERGES_PER_LOOK;
            }
            let (rank, at) = ((entry >> 32) as u32, entry as u32);
            let merge = self.merges[rank as usize];
            let second = next[at as usize];
            // Most entries are outdated by merges next to them.
            if second == NOWHERE {
                continue;
            }
            let found = pair(symbols[at as usize], symbols[second as usize]);
            let same_rank = || self.shared_ranks && self.rank(found, 0) == rank;
            if found != merge.pair && !same_rank() {
                continue;
            }
            let after = next[second as usize];
            symbols[at as usize] = merge.token;
            symbols[second as usize] = NOWHERE;
            next[second as usize] = NOWHERE;
            next[at as usize] = after;
            let floor = self.floor_after(rank);
            let mut push = |left: u32, right: u32| {
                let found = pair(symbols[left as usize], symbols[right as usize]);
                let rank = self.rank(found, floor);
                if rank != NO_RANK {
                    heap.push(Reverse(u64::from(rank) << 32 | u64::from(left)));
                }
            };
            if after != NOWHERE {
                previous[after as usize] = at;
                push(at, after);
            }
            if previous[at as usize] != NOWHERE {
                push(previous[at as usize], at);
            }
        }
        symbols.retain(|&symbol| symbol != NOWHERE);
        Ok(())
    }
}

fn pair(left: u32, right: u32) -> Pair {
    Pair { left, right }
}

/// Replaces pairs from left to right, without overlap.
fn merge_once(symbols: &mut Vec<u32>, is_merged: impl Fn(u32, u32) -> bool, token: u32) {
    let mut kept = 0;
    let mut read = 0;
    while read < symbols.len() {
        let next = symbols.get(read + 1);
        let is_pair = next.is_some_and(|&next| is_merged(symbols[read], next));
        symbols[kept] = if is_pair { token } else { symbols[read] };
        kept += 1;
        read += 1 + usize::from(is_pair);
    }
    symbols.truncate(kept);
}
