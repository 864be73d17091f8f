//! Which pair is merged next.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::Pair;
use super::merge::Words;
use super::pairs::{List, PairNumber, PairTable};
use crate::error::Result;
use crate::tokenizer::vocabulary::Vocabulary;

/// Pairs with totals below this wait in buckets, one for each total.
const BUCKETS: usize = 1 << 14;
/// Pairs that are put in order between two looks at the wish to stop.
const PAIRS_PER_LOOK: usize = 1 << 16;

/// The pair to merge, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) number: PairNumber,
    pub(super) total: u64,
    /// The places that belong to it.
    pub(super) list: List,
}

/// What a rule may look at.
pub(super) struct View<'a> {
    pub(super) table: &'a mut PairTable,
    pub(super) words: &'a Words,
    pub(super) vocabulary: &'a Vocabulary,
}

/// Which of several pairs with the same total comes first: the one with the smallest key.
pub(super) trait Rule {
    type Key: Ord;

    /// Whether the places that a pair gets after its first ones are merged on their own.
    const KEEPS_LISTS_APART: bool;

    /// No more than [`key`](Self::key), and found faster.
    fn promised_key(&self, number: PairNumber, view: &mut View<'_>) -> Option<Self::Key> {
        self.key(number, view)
    }

    /// The first place of a pair, if the rule looks at places.
    fn first(_: PairNumber, _: &mut View<'_>) -> Option<u32> {
        None
    }

    /// May grow while a pair waits, but does not shrink unless the pair gets new places. `None` for a pair
    /// that is nowhere.
    fn key(&self, number: PairNumber, view: &mut View<'_>) -> Option<Self::Key>;
}

/// The pair that occurs first in the current segmentation of the corpus.
#[derive(Debug)]
pub(super) struct First;

impl Rule for First {
    type Key = u32;
    const KEEPS_LISTS_APART: bool = false;

    fn promised_key(&self, number: PairNumber, view: &mut View<'_>) -> Option<u32> {
        view.table.promised_first(number)
    }

    fn key(&self, number: PairNumber, view: &mut View<'_>) -> Option<u32> {
        view.table.first_position(number, view.words)
    }

    fn first(number: PairNumber, view: &mut View<'_>) -> Option<u32> {
        view.table.first_position(number, view.words)
    }
}

/// The pair with the smallest left id, then the smallest right id, as Hugging Face tokenizers has it.
///
/// Its corner cases are part of the rule. A pair that was merged keeps its total. If it forms anew, which
/// takes a token that two merges yield, it waits again with that total, but only the words in which it
/// formed anew are merged.
#[derive(Debug)]
pub(super) struct LowestIds {
    /// The place of each symbol of the alphabet in the order of ids that the rule compares.
    pub(super) alphabet_order: Vec<u32>,
}

impl Rule for LowestIds {
    type Key = (u32, u32);
    const KEEPS_LISTS_APART: bool = true;

    fn key(&self, number: PairNumber, view: &mut View<'_>) -> Option<(u32, u32)> {
        let order = |id: u32| self.alphabet_order.get(id as usize).copied().unwrap_or(id);
        let Pair { left, right } = view.table.pair(number);
        Some((order(left), order(right)))
    }
}

/// The pair with the largest left text, then the largest right text, by code points, as subword-nmt has it.
#[derive(Debug, Default)]
pub(super) struct LargestText {
    /// The texts of tokens as they are shown, as far as they were asked for; keys share them.
    texts: RefCell<Vec<Rc<[u8]>>>,
}

impl LargestText {
    fn text(&self, id: u32, vocabulary: &Vocabulary) -> Rc<[u8]> {
        let mut texts = self.texts.borrow_mut();
        while texts.len() <= id as usize {
            let next = texts.len() as u32;
            texts.push(vocabulary.shown(next).into());
        }
        Rc::clone(&texts[id as usize])
    }
}

impl Rule for LargestText {
    type Key = Reverse<(Rc<[u8]>, Rc<[u8]>)>;
    const KEEPS_LISTS_APART: bool = false;

    fn key(&self, number: PairNumber, view: &mut View<'_>) -> Option<Self::Key> {
        let Pair { left, right } = view.table.pair(number);
        Some(Reverse((self.text(left, view.vocabulary), self.text(right, view.vocabulary))))
    }
}

/// Pairs in the order of their totals, then of the keys of a rule.
///
/// Totals only fall and keys only grow while a pair waits, except for pairs that get new places, which are
/// pushed again. So what a pair waits with promises no less than the truth; it is compared with the truth
/// when its turn comes, and goes back if it promised too much. Most pairs have small totals and never have
/// their turn. They wait in a bucket for their total, without order and without a key.
#[derive(Debug)]
pub(super) struct Queue<R: Rule> {
    rule: R,
    large: BinaryHeap<Large<R::Key>>,
    buckets: Vec<Bucket<R::Key>>,
    /// All buckets above this one are empty.
    top: usize,
}

/// A total, and what decides among equal ones.
type Large<Key> = (u64, Reverse<(Key, List)>);

/// Pairs that had one total when they came.
#[derive(Debug)]
enum Bucket<Key> {
    Waiting(Vec<List>),
    Ordered(BinaryHeap<Reverse<(Key, List)>>),
}

impl<Key: Ord> Bucket<Key> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Waiting(lists) => lists.is_empty(),
            Self::Ordered(heap) => heap.is_empty(),
        }
    }
}

impl<R: Rule> Queue<R> {
    /// An empty queue.
    pub(super) fn new(rule: R) -> Self {
        let buckets = (0..BUCKETS).map(|_| Bucket::Waiting(Vec::new())).collect();
        Self { rule, large: BinaryHeap::new(), buckets, top: 0 }
    }

    /// Takes up a pair that has new places.
    pub(super) fn push(&mut self, list: List, view: &mut View<'_>) {
        let number = view.table.pair_of(list);
        let total = view.table.total(number);
        if total == 0 {
            view.table.release(list);
        } else if let Some(bucket) = self.buckets.get_mut(total as usize) {
            match bucket {
                Bucket::Waiting(lists) => lists.push(list),
                Bucket::Ordered(heap) => {
                    let Some(key) = self.rule.promised_key(number, view) else { return };
                    heap.push(Reverse((key, list)));
                }
            }
            self.top = self.top.max(total as usize);
        } else if let Some(key) = self.rule.promised_key(number, view) {
            self.large.push((total, Reverse((key, list))));
        }
    }

    /// The best pair.
    pub(super) fn pop(
        &mut self,
        view: &mut View<'_>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<Candidate>> {
        loop {
            let (promised, promised_key, list) = match self.large.pop() {
                Some((total, Reverse((key, list)))) => (total, key, list),
                None => match self.pop_small(view, look)? {
                    Some(entry) => entry,
                    None => return Ok(None),
                },
            };
            let number = view.table.pair_of(list);
            let total = view.table.total(number);
            if total != promised || self.rule.key(number, view) != Some(promised_key) {
                self.push(list, view);
                continue;
            }
            return Ok(Some(Candidate { number, total, list }));
        }
    }

    fn pop_small(
        &mut self,
        view: &mut View<'_>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<(u64, R::Key, List)>> {
        loop {
            while self.buckets[self.top].is_empty() {
                if self.top == 0 {
                    return Ok(None);
                }
                self.buckets[self.top] = Bucket::Waiting(Vec::new());
                self.top -= 1;
            }
            let top = self.top;
            match &mut self.buckets[top] {
                Bucket::Ordered(heap) => {
                    if let Some(Reverse((key, list))) = heap.pop() {
                        return Ok(Some((top as u64, key, list)));
                    }
                }
                Bucket::Waiting(lists) => {
                    let lists = std::mem::take(lists);
                    self.put_in_order(top, &lists, view, look)?;
                }
            }
        }
    }

    fn put_in_order(
        &mut self,
        total: usize,
        lists: &[List],
        view: &mut View<'_>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut ordered = Vec::new();
        for (place, &list) in lists.iter().enumerate() {
            if place % PAIRS_PER_LOOK == 0 {
                look()?;
            }
            let number = view.table.pair_of(list);
            if view.table.total(number) != total as u64 {
                self.push(list, view);
            } else if let Some(key) = self.rule.promised_key(number, view) {
                ordered.push(Reverse((key, list)));
            }
        }
        self.buckets[total] = Bucket::Ordered(ordered.into());
        Ok(())
    }

    /// The best pair other than the one just popped; it stays.
    pub(super) fn runner_up(
        &mut self,
        winner: &Candidate,
        view: &mut View<'_>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<Candidate>> {
        let mut same_pair = Vec::new();
        let found = loop {
            match self.pop(view, look)? {
                Some(candidate) if candidate.number == winner.number => {
                    same_pair.push(candidate.list);
                }
                other => break other,
            }
        };
        for list in found.iter().map(|candidate| candidate.list).chain(same_pair) {
            self.push(list, view);
        }
        Ok(found)
    }
}
