//! Merging by score: of all neighbors that form a piece, those that form the one of the highest score are
//! joined first, and of equals the leftmost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::{Piece, PieceKind};
use crate::bpe::Pair;
use crate::error::Result;
use crate::unigram::model::Found;
use crate::unigram::trie::Trie;

/// Merges between two looks at the wish to stop.
const MERGES_PER_LOOK: u32 = 1 << 14;
/// A character that is part of no piece.
const NO_SYMBOL: u32 = u32::MAX;
/// No symbol before or after, or one that was merged into another.
const NOWHERE: u32 = u32::MAX;

/// Pieces, ready to be formed.
#[derive(Clone, Debug)]
pub(super) struct MergeModel {
    /// The symbols of single characters: their pieces, or numbers of their own behind all pieces.
    characters: FxHashMap<char, u32>,
    /// For two symbols, the rank of the piece that they form, and the piece.
    pairs: FxHashMap<u64, (u32, u32)>,
    /// Text that is never merged, with its pieces.
    frozen: Trie,
    /// Whether a piece must be cut again, by id; empty if none must.
    unused: Vec<bool>,
    /// The bytes of each piece.
    lengths: Vec<u32>,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct MergeScratch {
    symbols: Vec<Symbol>,
    queue: BinaryHeap<Reverse<u64>>,
    /// What a piece that must be cut again was formed of last.
    parts: FxHashMap<u32, (u32, u32)>,
    stack: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    id: u32,
    start: u32,
    end: u32,
    previous: u32,
    next: u32,
    frozen: bool,
}

impl MergeModel {
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let text = || pieces.iter().zip(0_u32..).filter(|(piece, _)| piece.is_text());
        let mut symbols: FxHashMap<&str, u32> =
            text().map(|(one, id)| (one.text.as_str(), id)).collect();
        let mut characters = FxHashMap::default();
        let mut next = pieces.len() as u32;
        for (piece, _) in text() {
            for (place, character) in piece.text.char_indices() {
                let written = &piece.text[place..place + character.len_utf8()];
                let symbol = *symbols.entry(written).or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                characters.insert(character, symbol);
            }
        }
        let mut order: Vec<(&Piece, u32)> = text().collect();
        order.sort_by(|(one, _), (two, _)| two.score.total_cmp(&one.score));
        let mut pairs = FxHashMap::default();
        let mut rank = 0;
        for (place, &(piece, id)) in order.iter().enumerate() {
            if place > 0 && order[place - 1].0.score > piece.score {
                rank = place as u32;
            }
            for (cut, _) in piece.text.char_indices().skip(1) {
                let (left, right) = piece.text.split_at(cut);
                if let (Some(&left), Some(&right)) = (symbols.get(left), symbols.get(right)) {
                    pairs.insert(Pair { left, right }.key(), (rank, id));
                }
            }
        }
        let frozen = text().filter(|(piece, _)| piece.kind == PieceKind::UserDefined);
        let mut unused: Vec<bool> =
            pieces.iter().map(|one| one.kind == PieceKind::Unused).collect();
        if !unused.contains(&true) {
            unused.clear();
        }
        Self {
            characters,
            pairs,
            frozen: Trie::new(frozen.map(|(piece, id)| (piece.text.as_bytes(), id))),
            unused,
            lengths: pieces.iter().map(|piece| piece.text.len() as u32).collect(),
        }
    }

    fn split(&self, text: &str, scratch: &mut MergeScratch) {
        let symbols = &mut scratch.symbols;
        symbols.clear();
        let mut at = 0;
        while let Some(character) = text[at..].chars().next() {
            let kept = self.frozen.prefixes(&text.as_bytes()[at..]).last();
            let (length, id) = kept.unwrap_or_else(|| {
                let id = self.characters.get(&character).copied().unwrap_or(NO_SYMBOL);
                (character.len_utf8(), id)
            });
            let number = symbols.len() as u32;
            symbols.push(Symbol {
                id,
                start: at as u32,
                end: (at + length) as u32,
                previous: number.wrapping_sub(1),
                next: number + 1,
                frozen: kept.is_some(),
            });
            at += length;
        }
        if let Some(last) = symbols.last_mut() {
            last.next = NOWHERE;
        }
    }

    fn rank(&self, left: &Symbol, right: &Symbol) -> Option<(u32, u32)> {
        if left.frozen || right.frozen {
            return None;
        }
        self.pairs.get(&Pair { left: left.id, right: right.id }.key()).copied()
    }

    /// Queues what two neighbors form.
    fn queue(&self, left: u32, right: u32, scratch: &mut MergeScratch) {
        let (one, two) = (scratch.symbols[left as usize], scratch.symbols[right as usize]);
        if let Some((rank, id)) = self.rank(&one, &two) {
            scratch.queue.push(Reverse(u64::from(rank) << 32 | u64::from(left)));
            if self.unused.get(id as usize) == Some(&true) {
                scratch.parts.insert(id, (one.id, two.id));
            }
        }
    }

    /// Tells `take` of the pieces that a text becomes; `skip` is asked before each merge whether to leave
    /// it out.
    pub(super) fn merge(
        &self,
        text: &str,
        scratch: &mut MergeScratch,
        look: &mut dyn FnMut() -> Result<()>,
        mut skip: impl FnMut() -> bool,
        mut take: impl FnMut(Found),
    ) -> Result<()> {
        self.split(text, scratch);
        scratch.queue.clear();
        scratch.parts.clear();
        for number in 1..scratch.symbols.len() as u32 {
            self.queue(number - 1, number, scratch);
        }
        let mut until_look = MERGES_PER_LOOK;
        while let Some(Reverse(entry)) = scratch.queue.pop() {
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = MERGES_PER_LOOK;
            }
            let (rank, left) = ((entry >> 32) as u32, entry as u32);
            let one = scratch.symbols[left as usize];
            // Most entries are outdated by merges next to them.
            let Some(&two) = scratch.symbols.get(one.next as usize) else { continue };
            let Some((_, id)) = self.rank(&one, &two).filter(|&(now, _)| now == rank) else {
                continue;
            };
            if skip() {
                continue;
            }
            scratch.symbols[one.next as usize].next = NOWHERE;
            scratch.symbols[left as usize] = Symbol { id, end: two.end, next: two.next, ..one };
            if let Some(after) = scratch.symbols.get_mut(two.next as usize) {
                after.previous = left;
                self.queue(left, two.next, scratch);
            }
            if one.previous != NOWHERE {
                self.queue(one.previous, left, scratch);
            }
        }
        let mut at = if scratch.symbols.is_empty() { NOWHERE } else { 0 };
        while let Some(&symbol) = scratch.symbols.get(at as usize) {
            self.hand_out(text, &symbol, scratch, &mut take);
            at = symbol.next;
        }
        Ok(())
    }

    fn hand_out(
        &self,
        text: &str,
        symbol: &Symbol,
        scratch: &mut MergeScratch,
        take: &mut impl FnMut(Found),
    ) {
        let (start, end) = (symbol.start as usize, symbol.end as usize);
        let known = |id: u32| ((id as usize) < self.lengths.len()).then_some(id);
        if self.unused.is_empty() {
            return take(Found { id: known(symbol.id), start, end });
        }
        // The parts of a piece that must be cut again may have to be cut again themselves.
        let mut start = start;
        scratch.stack.push(symbol.id);
        while let Some(id) = scratch.stack.pop() {
            let is_unused = self.unused.get(id as usize) == Some(&true);
            let parts = scratch.parts.get(&id).filter(|_| is_unused);
            if let Some(&(left, right)) = parts {
                scratch.stack.extend([right, left]);
                continue;
            }
            let width = || text[start..].chars().next().map_or(0, char::len_utf8);
            let length =
                self.lengths.get(id as usize).map_or_else(width, |&length| length as usize);
            let end = if scratch.stack.is_empty() { end } else { start + length };
            take(Found { id: known(id).filter(|_| !is_unused), start, end });
            start = end;
        }
    }
}
