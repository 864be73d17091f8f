//! Learning merges from the pieces of a corpus.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Pair;
use super::encode::{Alphabet, BpeModel, Merge, MergeOrder};
use super::history::{MergeHistory, MergeRecord};
use super::merge::Words;
use super::neighbors::Neighbors;
use super::pairs::{List, PairTable};
use super::queue::{Candidate, First, LowestIds, Queue, Rule, View};
use super::settings::{BpeSettings, Symbols, TieBreak};
use crate::error::Result;
use crate::formats::byte_alphabet;
use crate::observe::{Observer, Pacer, Progress};
use crate::split::PieceCounts;
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};

/// Pieces between two looks at the wish to stop.
const PIECES_PER_LOOK: usize = 1 << 14;

/// What training yields.
#[derive(Debug)]
pub struct Trained {
    /// The merges.
    pub model: BpeModel,
    /// Alphabet, merged tokens, unknown token, special tokens.
    pub vocabulary: Vocabulary,
    /// Why each merge was made.
    pub history: MergeHistory,
}

/// Learns merges until the vocabulary is full, the merges are made, or no pair is frequent enough.
pub fn train(
    pieces: &PieceCounts,
    settings: &BpeSettings,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    settings.validate()?;
    pieces.check_not_empty()?;
    let mut pacer = Pacer::new(observer);
    let start = Start::new(pieces, settings);
    let alphabet_size = start.vocabulary.len();
    let tokens_to_learn = settings.tokens_to_learn(alphabet_size)?;
    let words = start.words(pieces, &mut pacer)?;
    let limits = Limits {
        tokens: tokens_to_learn.map(|tokens| tokens as usize + alphabet_size),
        merges: settings.merges.map(|merges| merges as usize),
        min_frequency: settings.min_frequency.max(1),
        tokens_at_start: alphabet_size,
    };
    let learner = Learner::new(words, start.vocabulary, limits, pacer);
    let (learned, order) = match settings.tie_break {
        TieBreak::First => (learner.learn(First)?, MergeOrder::DownTheList),
        TieBreak::LowestIds => {
            let alphabet_order = alphabet_order(settings.symbols, alphabet_size);
            (learner.learn(LowestIds { alphabet_order })?, MergeOrder::LowestRank)
        }
    };
    let Learned { mut vocabulary, merges, history } = learned;
    let unknown = settings.unknown_token.as_ref();
    let unknown = unknown.map(|name| vocabulary.push(name.as_bytes(), TokenKind::Unknown));
    for name in &settings.special_tokens {
        vocabulary.push(name.as_bytes(), TokenKind::Special);
    }
    Ok(Trained {
        model: BpeModel::new(start.alphabet, merges, start.marker, unknown, order),
        vocabulary,
        history: history.name_pieces(pieces),
    })
}

/// What all pieces start as.
struct Start {
    alphabet: Alphabet,
    vocabulary: Vocabulary,
    marker: Option<u32>,
}

impl Start {
    fn new(pieces: &PieceCounts, settings: &BpeSettings) -> Self {
        let mut vocabulary = Vocabulary::new(settings.end_of_word.clone());
        let alphabet = match settings.symbols {
            Symbols::Bytes => Alphabet::Bytes(Box::new(std::array::from_fn(|byte| {
                vocabulary.push(&[byte as u8], TokenKind::Ordinary)
            }))),
            Symbols::Characters => {
                let characters = characters(pieces);
                Alphabet::Characters(character_ids(&characters, &mut vocabulary))
            }
        };
        let has_marker = settings.end_of_word.is_some();
        let marker = has_marker.then(|| vocabulary.push(b"", TokenKind::EndsWord));
        Self { alphabet, vocabulary, marker }
    }

    fn words(&self, pieces: &PieceCounts, pacer: &mut Pacer<'_>) -> Result<Words> {
        let mut words = Words::new(vec![1; self.vocabulary.len()]);
        words.reserve(
            pieces.len(),
            pieces.distinct_bytes() + self.marker.map_or(0, |_| pieces.len()),
        );
        let marker = self.marker.into_iter();
        for (number, (piece, count)) in pieces.iter().enumerate() {
            if number % PIECES_PER_LOOK == 0 {
                let (done, total) = (number as u64, pieces.len() as u64);
                pacer.tick(|| Progress::new("preparing pieces", done, Some(total), "pieces"))?;
            }
            match &self.alphabet {
                Alphabet::Bytes(ids) => {
                    let symbols = piece.iter().map(|&byte| ids[byte as usize]);
                    words.push(symbols.chain(marker.clone()).map(Some), count)?;
                }
                Alphabet::Characters(ids) => {
                    let symbols = text(piece).chars().map(|character| ids[&character]);
                    words.push(symbols.chain(marker.clone()).map(Some), count)?;
                }
            }
        }
        Ok(words)
    }
}

/// Pieces are parts of texts, so they are texts.
fn text(piece: &[u8]) -> &str {
    std::str::from_utf8(piece).unwrap_or_default()
}

/// All characters of a corpus, in the order of their code points.
pub(crate) fn characters(pieces: &PieceCounts) -> Vec<char> {
    let mut seen: FxHashSet<char> = FxHashSet::default();
    for (piece, _) in pieces.iter() {
        seen.extend(text(piece).chars());
    }
    let mut characters: Vec<char> = seen.into_iter().collect();
    characters.sort_unstable();
    characters
}

/// Appends characters to a vocabulary.
pub(crate) fn character_ids(
    characters: &[char],
    vocabulary: &mut Vocabulary,
) -> FxHashMap<char, u32> {
    let push = |&character: &char| {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        (character, vocabulary.push(bytes, TokenKind::Ordinary))
    };
    characters.iter().map(push).collect()
}

/// The place of each symbol where ids are compared: bytes stand in the order of their printable
/// stand-ins, as in Hugging Face tokenizers.
fn alphabet_order(symbols: Symbols, size: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..size as u32).collect();
    if symbols == Symbols::Bytes {
        let mut bytes: Vec<u8> = (0..=255).collect();
        bytes.sort_unstable_by_key(|&byte| byte_alphabet::stand_in(byte));
        for (place, byte) in bytes.into_iter().enumerate() {
            order[byte as usize] = place as u32;
        }
    }
    order
}

struct Limits {
    /// Size of the vocabulary at which to stop.
    tokens: Option<usize>,
    /// Number of merges at which to stop.
    merges: Option<usize>,
    min_frequency: u64,
    tokens_at_start: usize,
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

struct Learner<'a> {
    words: Words,
    vocabulary: Vocabulary,
    limits: Limits,
    pacer: Pacer<'a>,
    merges: Vec<Merge>,
    history: HistoryBuilder,
    neighbors: Neighbors,
    grown: Vec<List>,
}

struct Learned {
    vocabulary: Vocabulary,
    merges: Vec<Merge>,
    history: PlacedHistory,
}

impl<'a> Learner<'a> {
    fn new(words: Words, vocabulary: Vocabulary, limits: Limits, pacer: Pacer<'a>) -> Self {
        Self {
            words,
            vocabulary,
            limits,
            pacer,
            merges: Vec::new(),
            history: HistoryBuilder::default(),
            neighbors: Neighbors::default(),
            grown: Vec::new(),
        }
    }

    fn learn<R: Rule>(mut self, rule: R) -> Result<Learned> {
        let cells = self.words.len() as u64;
        let mut table = PairTable::new(&self.words, R::KEEPS_LISTS_APART, &mut |done| {
            self.pacer.tick(|| Progress::new("counting pairs", done as u64, Some(cells), "symbols"))
        })?;
        let words = &self.words;
        let mut queue = Queue::new(rule, &mut View { table: &mut table, words });
        while !self.limits.reached(self.vocabulary.len(), self.merges.len()) {
            let Some(winner) = self.next(&mut queue, &mut table)? else { break };
            self.merge(&winner, &mut queue, &mut table)?;
            let merges = self.merges.len();
            self.pacer.tick(|| self.limits.progress(merges))?;
        }
        let mut last = self.limits.progress(self.merges.len());
        last.total = Some(last.done);
        self.pacer.report(&last)?;
        let history = self.history.place(&self.words);
        Ok(Learned { vocabulary: self.vocabulary, merges: self.merges, history })
    }

    /// Takes the best pair out of the queue if it is frequent enough, and records how it won.
    fn next<R: Rule>(
        &mut self,
        queue: &mut Queue<R>,
        table: &mut PairTable,
    ) -> Result<Option<Candidate>> {
        let (merges, limits, pacer) = (self.merges.len(), &self.limits, &mut self.pacer);
        let mut look = || pacer.tick(|| limits.progress(merges));
        let view = &mut View { table, words: &self.words };
        let winner = queue.pop(view, &mut look)?;
        let Some(winner) = winner.filter(|winner| winner.total >= limits.min_frequency) else {
            return Ok(None);
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

    fn merge<R: Rule>(
        &mut self,
        winner: &Candidate,
        queue: &mut Queue<R>,
        table: &mut PairTable,
    ) -> Result<()> {
        let pair = table.pair(winner.number);
        let token = self.vocabulary.push_merged(pair.left, pair.right);
        self.merges.push(Merge { pair, token });
        let (merges, limits, pacer) = (self.merges.len(), &self.limits, &mut self.pacer);
        let mut look = || pacer.tick(|| limits.progress(merges));
        let in_whole_words;
        let places = if table.had_several_lists(winner.number) {
            in_whole_words = places_in_words(table.places(winner.list), pair, &self.words);
            &in_whole_words
        } else {
            table.places(winner.list)
        };
        self.words.merge(pair, token, places, &mut self.neighbors, &mut look)?;
        table.change(pair, token, &mut self.neighbors, &mut self.grown);
        table.merged(winner.list);
        let view = &mut View { table, words: &self.words };
        for list in self.grown.drain(..) {
            queue.push(list, view);
        }
        Ok(())
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
struct PlacedHistory {
    records: Vec<MergeRecord>,
    mentioned: Vec<u32>,
}

impl PlacedHistory {
    fn name_pieces(self, pieces: &PieceCounts) -> MergeHistory {
        let name = |word: u32| text(pieces.piece(word as usize)).to_owned();
        MergeHistory {
            records: self.records,
            pieces: self.mentioned.into_iter().map(name).collect(),
        }
    }
}
