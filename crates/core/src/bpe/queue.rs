//! Which pair is merged next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Pair;
use super::merge::Words;
use super::pairs::{PairNumber, PairTable};

/// The pair to merge, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) number: PairNumber,
    pub(super) total: u64,
    /// Its first place, where the rule looks at places.
    pub(super) first: Option<u32>,
    /// Which list of places belongs to it, where a pair can have several.
    list: usize,
}

/// An order of pairs that change while they wait.
pub(super) trait Queue {
    /// Takes up all pairs that have new places, and those whose totals changed.
    fn settle(&mut self, table: &mut PairTable, words: &Words);

    /// The best pair.
    fn pop(&mut self, table: &mut PairTable, words: &Words) -> Option<Candidate>;

    /// The best pair other than the one just popped; it stays.
    fn runner_up(
        &mut self,
        winner: &Candidate,
        table: &mut PairTable,
        words: &Words,
    ) -> Option<Candidate>;

    /// The places at which the popped pair is to be merged, ascending.
    fn positions(&mut self, winner: &Candidate, table: &mut PairTable, words: &Words) -> Vec<u32>;

    /// Notes that the popped pair was merged at all its places.
    fn merged(&mut self, winner: &Candidate, table: &mut PairTable);
}

/// Highest total first, then the pair whose first place is earliest.
///
/// Totals only fall and first places only move back while an entry waits, except for pairs that get new
/// places, which are pushed again. So the entry on top promises no less than the truth; it is compared
/// with the truth when it is popped, and goes back if it promised too much.
#[derive(Debug, Default)]
pub(super) struct FirstQueue {
    heap: BinaryHeap<(u64, Reverse<u32>, Reverse<PairNumber>)>,
}

impl FirstQueue {
    fn push(&mut self, candidate: &Candidate) {
        let first = candidate.first.unwrap_or(u32::MAX);
        self.heap.push((candidate.total, Reverse(first), Reverse(candidate.number)));
    }
}

impl Queue for FirstQueue {
    fn settle(&mut self, table: &mut PairTable, words: &Words) {
        table.settle(|table, number| {
            if let Some(first) = table.first_position(number, words) {
                self.heap.push((table.total(number), Reverse(first), Reverse(number)));
            }
        });
    }

    fn pop(&mut self, table: &mut PairTable, words: &Words) -> Option<Candidate> {
        while let Some((promised, Reverse(promised_first), Reverse(number))) = self.heap.pop() {
            let total = table.total(number);
            let Some(first) = table.first_position(number, words) else { continue };
            let candidate = Candidate { number, total, first: Some(first), list: 0 };
            if (promised, promised_first) == (total, first) {
                return Some(candidate);
            }
            self.push(&candidate);
        }
        None
    }

    fn runner_up(
        &mut self,
        winner: &Candidate,
        table: &mut PairTable,
        words: &Words,
    ) -> Option<Candidate> {
        while let Some(candidate) = self.pop(table, words) {
            // Another entry of the winner is of no use: after its merge it occurs no more.
            if candidate.number != winner.number {
                self.push(&candidate);
                return Some(candidate);
            }
        }
        None
    }

    fn positions(&mut self, winner: &Candidate, table: &mut PairTable, _: &Words) -> Vec<u32> {
        table.take_positions(winner.number)
    }

    fn merged(&mut self, winner: &Candidate, table: &mut PairTable) {
        table.clear_total(winner.number);
    }
}

/// Total, order of both ids, number of the list of places.
type LowestIdsEntry = (u64, Reverse<(u32, u32)>, Reverse<usize>);

/// Highest total first, then smallest left id, then smallest right id, as Hugging Face tokenizers does it.
///
/// Its corner cases are part of the rule. A pair that was merged keeps its total. If it forms anew, which
/// takes a token that two merges yield, it waits again with that total, but only the words in which it
/// formed anew are merged. So each entry owns a list of places.
#[derive(Debug)]
pub(super) struct LowestIdsQueue {
    heap: BinaryHeap<LowestIdsEntry>,
    /// The pair and the places of each entry, by number of list.
    lists: Vec<(PairNumber, Vec<u32>)>,
    /// The place of each symbol of the alphabet in the order of ids that the rule compares.
    alphabet_order: Vec<u32>,
    /// How many lists a pair has had, counted up to two.
    lists_of_pair: Vec<u8>,
}

impl LowestIdsQueue {
    pub(super) fn new(alphabet_order: Vec<u32>) -> Self {
        Self {
            heap: BinaryHeap::new(),
            lists: Vec::new(),
            alphabet_order,
            lists_of_pair: Vec::new(),
        }
    }

    fn order(&self, pair: Pair) -> (u32, u32) {
        let order = |id: u32| self.alphabet_order.get(id as usize).copied().unwrap_or(id);
        (order(pair.left), order(pair.right))
    }

    fn push(&mut self, candidate: &Candidate, table: &PairTable) {
        let order = self.order(table.pair(candidate.number));
        self.heap.push((candidate.total, Reverse(order), Reverse(candidate.list)));
    }
}

impl Queue for LowestIdsQueue {
    fn settle(&mut self, table: &mut PairTable, _: &Words) {
        table.settle(|table, number| {
            let positions = table.take_positions(number);
            let total = table.total(number);
            if total == 0 {
                return;
            }
            let list = self.lists.len();
            self.lists.push((number, positions));
            if self.lists_of_pair.len() <= number as usize {
                self.lists_of_pair.resize(number as usize + 1, 0);
            }
            let lists = &mut self.lists_of_pair[number as usize];
            *lists = (*lists + 1).min(2);
            self.push(&Candidate { number, total, first: None, list }, table);
        });
    }

    fn pop(&mut self, table: &mut PairTable, _: &Words) -> Option<Candidate> {
        while let Some((promised, _, Reverse(list))) = self.heap.pop() {
            let number = self.lists[list].0;
            let candidate = Candidate { number, total: table.total(number), first: None, list };
            if promised == candidate.total {
                return Some(candidate);
            }
            if candidate.total > 0 {
                self.push(&candidate, table);
            }
        }
        None
    }

    fn runner_up(
        &mut self,
        winner: &Candidate,
        table: &mut PairTable,
        words: &Words,
    ) -> Option<Candidate> {
        let mut same_pair = Vec::new();
        let found = loop {
            match self.pop(table, words) {
                Some(candidate) if candidate.number == winner.number => same_pair.push(candidate),
                other => break other,
            }
        };
        for candidate in found.iter().chain(&same_pair) {
            self.push(candidate, table);
        }
        found
    }

    fn positions(&mut self, winner: &Candidate, table: &mut PairTable, words: &Words) -> Vec<u32> {
        let positions = std::mem::take(&mut self.lists[winner.list].1);
        if self.lists_of_pair[winner.number as usize] < 2 {
            return positions;
        }
        // Whole words are merged, whichever list brought them here.
        let pair = table.pair(winner.number);
        let mut in_words: Vec<u32> = positions.iter().map(|&place| words.word_at(place)).collect();
        in_words.sort_unstable();
        in_words.dedup();
        in_words.into_iter().flat_map(|word| words.positions_in_word(word, pair)).collect()
    }

    fn merged(&mut self, winner: &Candidate, table: &mut PairTable) {
        table.keep_total(winner.number);
    }
}
