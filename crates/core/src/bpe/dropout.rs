//! Merging with merges left out by chance (BPE-dropout; Provilkov, Emelianenko and Voita, 2020).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::encode::Unseen;
use super::lookup::NO_RANK;
use super::{BpeModel, Pair};
use crate::error::Result;

/// Merges between two looks at the wish to stop.
const MERGES_PER_LOOK: usize = 1 << 14;
/// No neighbor, or a symbol that was merged into another.
const NOWHERE: usize = usize::MAX;

#[derive(Clone, Copy)]
struct Symbol {
    id: u32,
    previous: usize,
    next: usize,
}

impl BpeModel {
    /// Appends the ids of one piece; before each merge `skip` is asked whether to leave it out.
    pub(crate) fn encode_with_dropout(
        &self,
        piece: &str,
        mut skip: impl FnMut() -> bool,
        ids: &mut Vec<u32>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Result<(), Unseen>> {
        let mut start = Vec::new();
        if let Err(unseen) = self.symbols(piece, &mut start) {
            return Ok(Err(unseen));
        }
        let last = start.len().wrapping_sub(1);
        let symbol = |(at, &id): (usize, &u32)| Symbol {
            id,
            previous: at.wrapping_sub(1),
            next: if at == last { NOWHERE } else { at + 1 },
        };
        let mut symbols: Vec<Symbol> = start.iter().enumerate().map(symbol).collect();
        let mut queue = BinaryHeap::new();
        let rank = |left: &Symbol, right: &Symbol, floor| {
            let found = self.rank(Pair { left: left.id, right: right.id }, floor);
            (found != NO_RANK).then(|| (found, self.token(found)))
        };
        for (at, two) in symbols.windows(2).enumerate() {
            queue.extend(rank(&two[0], &two[1], 0).map(|(rank, _)| Reverse((rank, at))));
        }
        let mut count = 0;
        while let Some(Reverse((at_rank, at))) = queue.pop() {
            count += 1;
            if count % MERGES_PER_LOOK == 0 {
                look()?;
            }
            let left = symbols[at];
            let Some(&right) = symbols.get(left.next) else { continue };
            // Most entries are outdated by merges next to them.
            let now = rank(&left, &right, self.floor_after(at_rank));
            let Some((_, id)) = now.filter(|&(now, _)| now == at_rank) else { continue };
            if skip() {
                continue;
            }
            symbols[left.next].next = NOWHERE;
            symbols[at] = Symbol { id, previous: left.previous, next: right.next };
            let floor = self.floor_after(at_rank);
            if let Some(after) = symbols.get_mut(right.next) {
                after.previous = at;
                let after = *after;
                queue
                    .extend(rank(&symbols[at], &after, floor).map(|(rank, _)| Reverse((rank, at))));
            }
            if let Some(before) = symbols.get(left.previous) {
                let found = rank(before, &symbols[at], floor);
                queue.extend(found.map(|(rank, _)| Reverse((rank, left.previous))));
            }
        }
        let mut at = 0;
        while let Some(symbol) = symbols.get(at) {
            ids.push(symbol.id);
            at = symbol.next;
        }
        Ok(Ok(()))
    }
}
