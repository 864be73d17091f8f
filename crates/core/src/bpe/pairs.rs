//! All pairs of neighbors with their totals and places.

use rustc_hash::FxHashMap;

use super::Pair;
use super::initial_numbers::InitialNumbers;
use super::merge::Words;
use super::neighbors::Neighbors;
use super::pair_index::PairIndex;
use crate::error::Result;

/// The number of a pair in its [`PairTable`].
pub(super) type PairNumber = u32;

/// Totals below this are counted in an array, the few larger ones in a map.
const SMALL_TOTALS: usize = 1 << 16;
/// Cells between two looks at the wish to stop.
const CELLS_PER_LOOK: usize = 1 << 20;
/// Lists of places move together when a third of their memory is out of use, and at least this much.
const FEWEST_UNUSED: usize = 1 << 18;

/// A list of places of a pair: the number of the pair, or that of a further list with the highest bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct List(u32);

const FURTHER: u32 = 1 << 31;

/// Every pair that ever occurred.
#[derive(Debug)]
pub(super) struct PairTable {
    index: PairIndex,
    entries: Vec<Entry>,
    /// All lists of places; each ascends. Some places may be gone.
    places: Vec<u32>,
    /// Places that no list refers to any more.
    unused: usize,
    /// Lists of pairs that got places again after they had a list; only if lists are kept apart.
    further: Vec<(PairNumber, Range)>,
    keep_lists_apart: bool,
    /// The totals of pairs that were merged and still count; only if lists are kept apart.
    absent: FxHashMap<PairNumber, u64>,
    small_totals: Vec<u32>,
    large_totals: FxHashMap<u64, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    pair: Pair,
    total: u64,
    /// Where its list starts in [`PairTable::places`], and how long it is. Not a [`Range`], to waste no memory.
    start: usize,
    length: u32,
    state: State,
}

impl Entry {
    fn range(&self) -> Range {
        Range { start: self.start, length: self.length }
    }

    fn set_range(&mut self, range: Range) {
        (self.start, self.length) = (range.start, range.length);
    }
}

/// What places a pair has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// One list.
    Plain,
    /// A list that was merged.
    Merged,
    /// More than one list, which are kept apart.
    Several,
    /// More than one list, which joined behind the lists of younger pairs.
    Moved,
    /// Any; the pair is never merged.
    Silent,
}

/// A part of [`PairTable::places`].
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    start: usize,
    length: u32,
}

impl Range {
    fn of(self, places: &[u32]) -> &[u32] {
        &places[self.start..self.start + self.length as usize]
    }
}

impl PairTable {
    /// Counts the pairs of all words.
    pub(super) fn new(words: &Words, look: &mut dyn FnMut(usize) -> Result<()>) -> Result<Self> {
        let mut table = Self {
            index: PairIndex::default(),
            entries: Vec::new(),
            places: Vec::new(),
            unused: 0,
            further: Vec::new(),
            keep_lists_apart: false,
            absent: FxHashMap::default(),
            small_totals: vec![0; SMALL_TOTALS],
            large_totals: FxHashMap::default(),
        };
        let parts = || {
            (0..words.len())
                .step_by(CELLS_PER_LOOK)
                .map(|start| start..(start + CELLS_PER_LOOK).min(words.len()))
        };
        let mut numbers = InitialNumbers::new(words.tokens());
        for part in parts() {
            look(part.start / 2)?;
            for (pair, _, count) in words.pairs(part) {
                let number = numbers.number(pair, || table.push(pair));
                let entry = &mut table.entries[number as usize];
                entry.total += count;
                entry.length += 1;
            }
        }
        let mut start = 0;
        for entry in &mut table.entries {
            entry.start = start;
            start += std::mem::take(&mut entry.length) as usize;
        }
        // Room that is never used costs nothing; growing would leave holes.
        table.places.reserve(2 * start);
        table.entries.reserve(start / 4);
        table.places.resize(start, 0);
        for part in parts() {
            look(words.len().midpoint(part.start))?;
            for (pair, position, _) in words.pairs(part) {
                let number = numbers.number(pair, || 0);
                let entry = &mut table.entries[number as usize];
                table.places[entry.start + entry.length as usize] = position;
                entry.length += 1;
            }
        }
        for number in 0..table.entries.len() {
            table.recount(0, table.entries[number].total);
        }
        Ok(table)
    }

    /// Appends a pair that is not there yet.
    fn push(&mut self, pair: Pair) -> PairNumber {
        let number = self.entries.len() as PairNumber;
        self.entries.push(Entry { pair, total: 0, start: 0, length: 0, state: State::Plain });
        self.index.insert(number, |number| self.entries[number as usize].pair);
        number
    }

    fn find(&self, pair: Pair) -> Option<PairNumber> {
        self.index.find(pair, |number| self.entries[number as usize].pair)
    }

    /// The number of a pair, which gets one if it has none.
    pub(super) fn find_or_push(&mut self, pair: Pair) -> PairNumber {
        self.find(pair).unwrap_or_else(|| self.push(pair))
    }

    /// The number of pairs; all smaller numbers are pairs.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// From now on, places that a pair gets later form a further list instead of joining the ones it has.
    pub(super) fn keep_lists_apart(&mut self) {
        self.keep_lists_apart = true;
    }

    /// Takes a pair out of the competition for good; it is not counted among those with its total.
    pub(super) fn silence(&mut self, number: PairNumber) {
        let known = self.known(number);
        self.recount(known, 0);
        self.entries[number as usize].state = State::Silent;
        self.release(List(number));
    }

    pub(super) fn pair(&self, number: PairNumber) -> Pair {
        self.entries[number as usize].pair
    }

    /// How often the pair occurs; overlapping occurrences count, so `a a a` holds `a a` twice.
    pub(super) fn total(&self, number: PairNumber) -> u64 {
        self.entries[number as usize].total
    }

    /// The number of pairs with this total.
    pub(super) fn pairs_with_total(&self, total: u64) -> u32 {
        match self.small_totals.get(total as usize) {
            Some(pairs) => *pairs,
            None => self.large_totals.get(&total).copied().unwrap_or(0),
        }
    }

    /// The list of a pair that has had no other.
    pub(super) fn first_list(number: PairNumber) -> List {
        List(number)
    }

    /// The pair that a list belongs to.
    pub(super) fn pair_of(&self, list: List) -> PairNumber {
        if list.0 < FURTHER { list.0 } else { self.further[(list.0 - FURTHER) as usize].0 }
    }

    /// Where a pair may be first: it is nowhere before.
    pub(super) fn promised_first(&self, number: PairNumber) -> Option<u32> {
        self.entries[number as usize].range().of(&self.places).first().copied()
    }

    /// The first place where the pair still is.
    pub(super) fn first_position(&mut self, number: PairNumber, words: &Words) -> Option<u32> {
        let entry = &mut self.entries[number as usize];
        let listed = entry.range().of(&self.places);
        let gone = listed.iter().take_while(|&&place| !words.is_at(place, entry.pair)).count();
        entry.start += gone;
        entry.length -= gone as u32;
        self.unused += gone;
        listed.get(gone).copied()
    }

    /// The places of a list.
    pub(super) fn places(&self, list: List) -> &[u32] {
        let range = if list.0 < FURTHER {
            self.entries[list.0 as usize].range()
        } else {
            self.further[(list.0 - FURTHER) as usize].1
        };
        range.of(&self.places)
    }

    /// Whether a pair has had more than one list.
    pub(super) fn had_several_lists(&self, number: PairNumber) -> bool {
        self.entries[number as usize].state == State::Several
    }

    /// Notes that a list was merged. The pair occurs no more; if lists are kept apart, its total stays.
    pub(super) fn merged(&mut self, list: List) {
        let number = self.pair_of(list);
        let known = self.known(number);
        self.recount(known, 0);
        self.release(list);
        let entry = &mut self.entries[number as usize];
        if entry.state == State::Plain {
            entry.state = State::Merged;
        }
        if self.keep_lists_apart {
            self.absent.insert(number, entry.total);
        } else {
            entry.total = 0;
        }
    }

    /// Takes up what stands beside the places where `pair` became `token`, and tells `grown` of each list of
    /// places that came into being.
    pub(super) fn change(
        &mut self,
        pair: Pair,
        token: u32,
        neighbors: &mut Neighbors,
        grown: &mut Vec<List>,
    ) {
        let Neighbors { left, right } = neighbors;
        let mut start = self.places.len();
        left.write_places(&mut self.places);
        right.write_places(&mut self.places);
        let lefts = left.groups.iter().map(|group| (group, group.token, token));
        let rights = right.groups.iter().map(|group| (group, token, group.token));
        for (group, left, right) in lefts.chain(rights) {
            let range = Range { start, length: group.places };
            start += group.places as usize;
            grown.push(self.add(Pair { left, right }, group.total, range));
        }
        let lefts = left.groups.iter().map(|group| (group.token, pair.left, group.total));
        let rights = right.groups.iter().map(|group| (pair.right, group.token, group.total));
        let gone = lefts.chain(rights).map(|(left, right, total)| (Pair { left, right }, total));
        for (pair, _) in gone.clone() {
            self.index.prefetch(pair);
        }
        for (pair, total) in gone {
            self.subtract(pair, total);
        }
        self.tidy();
    }

    fn add(&mut self, pair: Pair, total: u64, places: Range) -> List {
        let Some(number) = self.find(pair) else {
            let number = self.push(pair);
            self.set_total(number, total);
            self.entries[number as usize].set_range(places);
            return List(number);
        };
        // The pair has a token that several merges yield.
        self.set_total(number, self.total(number) + total);
        let entry = &mut self.entries[number as usize];
        if entry.state == State::Silent {
            self.unused += places.length as usize;
            return List(number);
        }
        if self.keep_lists_apart {
            entry.state = State::Several;
            self.further.push((number, places));
            return List(FURTHER + self.further.len() as u32 - 1);
        }
        let mut joined = [entry.range().of(&self.places), places.of(&self.places)].concat();
        joined.sort_unstable();
        self.unused += joined.len();
        entry.set_range(Range { start: self.places.len(), length: joined.len() as u32 });
        entry.state = State::Moved;
        self.places.extend_from_slice(&joined);
        List(number)
    }

    fn subtract(&mut self, pair: Pair, total: u64) {
        let Some(number) = self.find(pair) else { return };
        self.set_total(number, self.total(number) - total);
        // A list that is kept apart may wait in the queue, and goes with its entry there.
        if self.total(number) == 0 && !self.keep_lists_apart {
            self.release(List(number));
        }
    }

    /// Gives up the places of a list.
    pub(super) fn release(&mut self, list: List) {
        let length = if list.0 < FURTHER {
            &mut self.entries[list.0 as usize].length
        } else {
            &mut self.further[(list.0 - FURTHER) as usize].1.length
        };
        self.unused += std::mem::take(length) as usize;
    }

    /// The part of a total that stands for occurrences.
    fn known(&self, number: PairNumber) -> u64 {
        let Entry { total, state, .. } = self.entries[number as usize];
        // Nearly all pairs are plain, and the map is far away.
        match state {
            State::Plain => return total,
            State::Silent => return 0,
            _ => {}
        }
        total.saturating_sub(self.absent.get(&number).copied().unwrap_or(0))
    }

    fn set_total(&mut self, number: PairNumber, total: u64) {
        let before = self.known(number);
        self.entries[number as usize].total = total;
        self.recount(before, self.known(number));
    }

    fn recount(&mut self, before: u64, after: u64) {
        for (total, by) in [(before, -1), (after, 1)] {
            if total == 0 {
                continue;
            }
            let pairs = match self.small_totals.get_mut(total as usize) {
                Some(pairs) => pairs,
                None => self.large_totals.entry(total).or_insert(0),
            };
            *pairs = pairs.wrapping_add_signed(by);
            if *pairs == 0 && total as usize >= SMALL_TOTALS {
                self.large_totals.remove(&total);
            }
        }
    }

    /// Moves lists together once a good part of their memory is out of use.
    fn tidy(&mut self) {
        if self.unused < FEWEST_UNUSED || self.unused * 3 < self.places.len() {
            return;
        }
        // But for the few that moved, the list of a pair lies behind those of all older pairs.
        let moved = self.entries.iter().filter(|entry| entry.state == State::Moved);
        let moved = moved.map(Entry::range).chain(self.further.iter().map(|(_, range)| *range));
        let moved: Vec<u32> = moved.flat_map(|range| range.of(&self.places)).copied().collect();
        let mut end = 0;
        for entry in self.entries.iter_mut().filter(|entry| entry.state != State::Moved) {
            let (start, length) = (entry.start, entry.length as usize);
            self.places.copy_within(start..start + length, end);
            entry.start = end;
            end += length;
        }
        self.places.truncate(end);
        for entry in self.entries.iter_mut().filter(|entry| entry.state == State::Moved) {
            entry.start = end;
            end += entry.length as usize;
        }
        for (_, range) in &mut self.further {
            range.start = end;
            end += range.length as usize;
        }
        self.places.extend_from_slice(&moved);
        self.unused = 0;
    }
}
