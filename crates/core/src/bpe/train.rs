//! Learning merges from the pieces of a corpus.

use rustc_hash::{FxHashMap, FxHashSet};

use super::encode::{Alphabet, BpeModel, Merge, MergeOrder};
use super::history::{MergeHistory, MergeRecord};
use super::merge::Words;
use super::pairs::PairTable;
use super::queue::{Candidate, FirstQueue, LowestIdsQueue, Queue};
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
    let mut learner = Learner {
        table: PairTable::new(&words),
        words,
        vocabulary: start.vocabulary,
        merges: Vec::new(),
        history: HistoryBuilder::default(),
        pacer,
    };
    let limits = Limits {
        tokens: tokens_to_learn.map(|tokens| tokens as usize + alphabet_size),
        merges: settings.merges.map(|merges| merges as usize),
        min_frequency: settings.min_frequency.max(1),
    };
    let order = match settings.tie_break {
        TieBreak::First => {
            learner.learn(FirstQueue::default(), &limits)?;
            MergeOrder::DownTheList
        }
        TieBreak::LowestIds => {
            let order = alphabet_order(settings.symbols, alphabet_size);
            learner.learn(LowestIdsQueue::new(order), &limits)?;
            MergeOrder::LowestRank
        }
    };
    let Learner { mut vocabulary, merges, history, .. } = learner;
    let unknown = settings.unknown_token.as_ref();
    let unknown = unknown.map(|name| vocabulary.push(name.as_bytes(), TokenKind::Unknown));
    for name in &settings.special_tokens {
        vocabulary.push(name.as_bytes(), TokenKind::Special);
    }
    Ok(Trained {
        model: BpeModel::new(start.alphabet, merges, start.marker, unknown, order),
        vocabulary,
        history: history.finish(pieces),
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
        let mut words = Words::default();
        let marker = self.marker.into_iter();
        for (number, (piece, count)) in pieces.iter().enumerate() {
            if number % PIECES_PER_LOOK == 0 {
                let (done, total) = (number as u64, pieces.len() as u64);
                pacer.tick(|| Progress::new("preparing pieces", done, Some(total), "pieces"))?;
            }
            match &self.alphabet {
                Alphabet::Bytes(ids) => {
                    let symbols = piece.iter().map(|&byte| ids[byte as usize]);
                    words.push(symbols.chain(marker.clone()), count)?;
                }
                Alphabet::Characters(ids) => {
                    let symbols = text(piece).chars().map(|character| ids[&character]);
                    words.push(symbols.chain(marker.clone()), count)?;
                }
                Alphabet::Spelled(spelling) => {
                    let mut symbols = Vec::new();
                    // What has no token cannot be merged.
                    if spelling.symbols(text(piece), None, &mut symbols).is_ok() {
                        words.push(symbols.into_iter().chain(marker.clone()), count)?;
                    }
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
}

impl Limits {
    fn reached(&self, tokens: usize, merges: usize) -> bool {
        self.tokens.is_some_and(|limit| tokens >= limit)
            || self.merges.is_some_and(|limit| merges >= limit)
    }

    fn progress(&self, tokens_at_start: usize, merges: usize) -> Progress {
        let total = self.merges.or_else(|| self.tokens.map(|tokens| tokens - tokens_at_start));
        let total = total.map(|total| total as u64);
        Progress::new("learning merges", merges as u64, total, "merges")
    }
}

struct Learner<'a> {
    words: Words,
    table: PairTable,
    vocabulary: Vocabulary,
    merges: Vec<Merge>,
    history: HistoryBuilder,
    pacer: Pacer<'a>,
}

impl Learner<'_> {
    fn learn(&mut self, mut queue: impl Queue, limits: &Limits) -> Result<()> {
        let tokens_at_start = self.vocabulary.len();
        queue.settle(&mut self.table, &self.words);
        while !limits.reached(self.vocabulary.len(), self.merges.len()) {
            let Some(winner) = queue.pop(&mut self.table, &self.words) else { break };
            if winner.total < limits.min_frequency {
                break;
            }
            self.record(&mut queue, &winner);
            self.merge(&mut queue, &winner);
            let merges = self.merges.len();
            self.pacer.tick(|| limits.progress(tokens_at_start, merges))?;
        }
        let mut last = limits.progress(tokens_at_start, self.merges.len());
        last.total = Some(last.done);
        self.pacer.report(&last)
    }

    fn record(&mut self, queue: &mut impl Queue, winner: &Candidate) {
        let runner_up = queue.runner_up(winner, &mut self.table, &self.words);
        let is_tie = runner_up.is_some_and(|other| other.total == winner.total);
        let first_words = match (winner.first, runner_up.and_then(|other| other.first)) {
            (Some(first), Some(other)) if is_tie => {
                Some((self.words.word_at(first), self.words.word_at(other)))
            }
            _ => None,
        };
        let record = MergeRecord {
            total: winner.total,
            tied_pairs: self.table.pairs_with_total(winner.total).max(1),
            runner_up: runner_up.map(|other| self.table.pair(other.number)),
            runner_up_total: runner_up.map_or(0, |other| other.total),
            first_pieces: None,
        };
        self.history.push(record, first_words);
    }

    fn merge(&mut self, queue: &mut impl Queue, winner: &Candidate) {
        let pair = self.table.pair(winner.number);
        let token = self.vocabulary.push_merged(pair.left, pair.right);
        self.merges.push(Merge { pair, token });
        let positions = queue.positions(winner, &mut self.table, &self.words);
        let table = &mut self.table;
        self.words.merge(pair, token, &positions, |pair, position, change| {
            table.change(pair, position, change);
        });
        queue.merged(winner, table);
        queue.settle(table, &self.words);
    }
}

#[derive(Default)]
struct HistoryBuilder {
    history: MergeHistory,
    /// The number in the history of each word of the corpus that it mentions.
    numbers: FxHashMap<u32, u32>,
    mentioned: Vec<u32>,
}

impl HistoryBuilder {
    fn push(&mut self, mut record: MergeRecord, first_words: Option<(u32, u32)>) {
        record.first_pieces =
            first_words.map(|(winner, other)| (self.number(winner), self.number(other)));
        self.history.records.push(record);
    }

    fn number(&mut self, word: u32) -> u32 {
        *self.numbers.entry(word).or_insert_with(|| {
            self.mentioned.push(word);
            self.mentioned.len() as u32 - 1
        })
    }

    fn finish(mut self, pieces: &PieceCounts) -> MergeHistory {
        let words = self.mentioned.iter();
        self.history.pieces =
            words.map(|&word| text(pieces.piece(word as usize)).to_owned()).collect();
        self.history
    }
}
