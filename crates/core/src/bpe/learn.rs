//! Merging the best pair, again and again.

use rustc_hash::FxHashMap;

use super::Pair;
use super::alphabet::text;
use super::encode::Merge;
use super::guide::Guide;
use super::history::{MergeHistory, MergeRecord};
use super::merge::Words;
use super::neighbors::Neighbors;
use super::pairs::{List, PairNumber, PairTable};
use super::queue::{Candidate, Queue, Rule, View};
use crate::error::Result;
use crate::observe::{Pacer, Progress};
use crate::split::PieceCounts;
use crate::tokenizer::vocabulary::Vocabulary;

/// When to stop.
pub(super) struct Limits {
    /// Size of the vocabulary at which to stop.
    pub(super) tokens: Option<usize>,
    /// Number of merges at which to stop.
    pub(super) merges: Option<usize>,
    pub(super) min_frequency: u64,
    pub(super) tokens_at_start: usize,
}

impl Limits {
    fn reached(&self, tokens: usize, merges: usize) -> bool {
        self.tokens.is_some_and(|limit| tokens >= limit)
            || self.merges.is_some_and(|limit| merges >= limit)
    }

    fn progress(&self, merges: usize) -> Progress {
        let total = self.merges.or_else(|| self.tokens.map(|tokens| tokens - self.tokens_at_start));
        let total = total.map(|total| total as u64);
        Progress::new("learning merges", merges as u64, total, "merges")
    }
}

/// Makes merges.
pub(super) struct Learner<'a> {
    words: Words,
    vocabulary: Vocabulary,
    limits: Limits,
    guide: Guide,
    pacer: Pacer<'a>,
    merges: Vec<Merge>,
    history: HistoryBuilder,
    neighbors: Neighbors,
    grown: Vec<List>,
}

/// What was learned.
pub(super) struct Learned {
    pub(super) vocabulary: Vocabulary,
    pub(super) merges: Vec<Merge>,
    pub(super) history: PlacedHistory,
}

impl<'a> Learner<'a> {
    pub(super) fn new(
        words: Words,
        vocabulary: Vocabulary,
        limits: Limits,
        guide: Guide,
        pacer: Pacer<'a>,
    ) -> Self {
        Self {
            words,
            vocabulary,
            limits,
            guide,
            pacer,
            merges: Vec::new(),
            history: HistoryBuilder::default(),
            neighbors: Neighbors::default(),
            grown: Vec::new(),
        }
    }

    /// Makes the seed merges, then merges the best pair until a limit is reached or no pair is left.
    pub(super) fn learn<R: Rule>(mut self, rule: R) -> Result<Learned> {
        let cells = self.words.len() as u64;
        let mut table = PairTable::new(&self.words, &mut |done| {
            self.pacer.tick(|| Progress::new("counting pairs", done as u64, Some(cells), "symbols"))
        })?;
        self.make_seed_merges(&mut table)?;
        if R::KEEPS_LISTS_APART {
            table.keep_lists_apart();
        }
        let mut queue = Queue::new(rule);
        self.grown.extend((0..table.len() as PairNumber).map(PairTable::first_list));
        self.take_up(&mut queue, &mut table);
        while !self.limits.reached(self.vocabulary.len(), self.merges.len()) {
            let Some(winner) = self.next(&mut queue, &mut table)? else { break };
            self.merge(winner.list, &mut table)?;
            self.take_up(&mut queue, &mut table);
            let merges = self.merges.len();
            self.pacer.tick(|| self.limits.progress(merges))?;
        }
        let mut last = self.limits.progress(self.merges.len());
        last.total = Some(last.done);
        self.pacer.report(&last)?;
        let history = self.history.place(&self.words);
        Ok(Learned { vocabulary: self.vocabulary, merges: self.merges, history })
    }

    fn make_seed_merges(&mut self, table: &mut PairTable) -> Result<()> {
        for place in 0..self.guide.seeds.len() {
            let pair = self.guide.seed(place, &self.words, &self.vocabulary)?;
            let number = table.find_or_push(pair);
            let record = MergeRecord {
                total: table.total(number),
                tied_pairs: 1,
                runner_up: None,
                runner_up_total: 0,
                first_pieces: None,
            };
            self.history.push(record, None);
            self.merge(PairTable::first_list(number), table)?;
            self.grown.clear();
        }
        Ok(())
    }

    /// Takes the best pair out of the queue if it is frequent enough, and records how it won.
    fn next<R: Rule>(
        &mut self,
        queue: &mut Queue<R>,
        table: &mut PairTable,
    ) -> Result<Option<Candidate>> {
        let (merges, limits, pacer) = (self.merges.len(), &self.limits, &mut self.pacer);
        let mut look = || pacer.tick(|| limits.progress(merges));
        let view = &mut View { table, words: &self.words, vocabulary: &self.vocabulary };
        let winner = loop {
            let winner = queue.pop(view, &mut look)?;
            let Some(winner) = winner.filter(|winner| winner.total >= limits.min_frequency) else {
                return Ok(None);
            };
            let pair = view.table.pair(winner.number);
            if self.guide.confirms(pair, &self.vocabulary, &mut look)? {
                break winner;
            }
            view.table.silence(winner.number);
        };
        let runner_up = queue.runner_up(&winner, view, &mut look)?;
        let firsts = match runner_up {
            Some(other) if other.total == winner.total => {
                R::first(winner.number, view).zip(R::first(other.number, view))
            }
            _ => None,
        };
        let record = MergeRecord {
            total: winner.total,
            tied_pairs: table.pairs_with_total(winner.total).max(1),
            runner_up: runner_up.map(|other| table.pair(other.number)),
            runner_up_total: runner_up.map_or(0, |other| other.total),
            first_pieces: None,
        };
        self.history.push(record, firsts);
        Ok(Some(winner))
    }

    fn merge(&mut self, list: List, table: &mut PairTable) -> Result<()> {
        let number = table.pair_of(list);
        let pair = table.pair(number);
        let token = self.vocabulary.push_merged(pair.left, pair.right);
        self.merges.push(Merge { pair, token });
        self.guide.note(Merge { pair, token });
        let (merges, limits, pacer) = (self.merges.len(), &self.limits, &mut self.pacer);
        let mut look = || pacer.tick(|| limits.progress(merges));
        let in_whole_words;
        let places = if table.had_several_lists(number) {
            in_whole_words = places_in_words(table.places(list), pair, &self.words);
            &in_whole_words
        } else {
            table.places(list)
        };
        self.words.merge(pair, token, places, &mut self.neighbors, &mut look)?;
        table.change(pair, token, &mut self.neighbors, &mut self.grown);
        table.merged(list);
        Ok(())
    }

    /// Lets the pairs that have new places compete.
    fn take_up<R: Rule>(&mut self, queue: &mut Queue<R>, table: &mut PairTable) {
        let view = &mut View { table, words: &self.words, vocabulary: &self.vocabulary };
        for list in self.grown.drain(..) {
            let number = view.table.pair_of(list);
            if self.guide.allows(view.table.pair(number), &self.words, &self.vocabulary) {
                queue.push(list, view);
            } else {
                view.table.silence(number);
            }
        }
    }
}

/// All places of a pair in the words that hold one of these places.
fn places_in_words(places: &[u32], pair: Pair, words: &Words) -> Vec<u32> {
    let mut numbers: Vec<u32> = places.iter().map(|&place| words.word_at(place)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().flat_map(|word| words.positions_in_word(word, pair)).collect()
}

/// Records of merges, and the first places of winner and runner-up.
#[derive(Default)]
struct HistoryBuilder {
    records: Vec<MergeRecord>,
    firsts: Vec<Option<(u32, u32)>>,
}

impl HistoryBuilder {
    fn push(&mut self, record: MergeRecord, firsts: Option<(u32, u32)>) {
        self.records.push(record);
        self.firsts.push(firsts);
    }

    /// Tells which words the places are in.
    fn place(self, words: &Words) -> PlacedHistory {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut mentioned = Vec::new();
        let mut number = |place: u32| {
            let word = words.word_at(place);
            *numbers.entry(word).or_insert_with(|| {
                mentioned.push(word);
                mentioned.len() as u32 - 1
            })
        };
        let mut records = self.records;
        for (record, firsts) in records.iter_mut().zip(self.firsts) {
            record.first_pieces = firsts.map(|(winner, other)| (number(winner), number(other)));
        }
        PlacedHistory { records, mentioned }
    }
}

/// Records of merges, and the numbers of the words that they mention.
pub(super) struct PlacedHistory {
    records: Vec<MergeRecord>,
    mentioned: Vec<u32>,
}

impl PlacedHistory {
    /// Names the words.
    pub(super) fn name_pieces(self, pieces: &PieceCounts) -> MergeHistory {
        let name = |word: u32| text(pieces.piece(word as usize)).to_owned();
        MergeHistory {
            records: self.records,
            pieces: self.mentioned.into_iter().map(name).collect(),
        }
    }
}
