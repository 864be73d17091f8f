//! Training of `WordPiece` by likelihood (Schuster and Nakajima, 2012).
//!
//! Of all neighboring tokens those two are joined that raise the likelihood of the corpus under a model of
//! single tokens the most for each time they meet: the pair of the highest `count / (count of the first ×
//! count of the second)`. What is called `WordPiece` in Hugging Face's trainer joins the most frequent pair, as
//! byte-pair encoding does.

use rustc_hash::FxHashMap;

use super::decoders::Decoder;
use super::pipeline::Pipeline;
use super::settings::{LevelSettings, TokenizerSettings};
use super::vocabulary::{TokenKind, Vocabulary};
use super::word_piece::WordPieceModel;
use super::{Model, Tokenizer};
use crate::bpe::Pair;
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::split::matcher::Matcher;
use crate::split::{PieceCounts, Splitter};

/// What stands in front of tokens that go on with a word.
pub const PREFIX: &str = "##";
/// A word of more characters is unknown as a whole, as with BERT.
pub const MOST_CHARACTERS: usize = 100;
/// Words between two looks at the wish to stop.
const WORDS_PER_LOOK: usize = 1 << 12;

/// Learns the tokens of a corpus.
pub fn train_word_piece(
    pieces: &PieceCounts,
    settings: &LevelSettings,
    observer: &mut dyn Observer,
) -> Result<Tokenizer> {
    settings.validate()?;
    pieces.check_not_empty()?;
    let mut pacer = Pacer::new(observer);
    let mut state = State::new(pieces);
    let alphabet = state.tokens.len();
    if alphabet > settings.room() {
        let needed = alphabet + state_names(settings);
        let rule = format!("must be at least {needed} to hold the alphabet of {alphabet} symbols");
        let size = settings.vocab_size.unwrap_or_default();
        return Err(Error::parameter("vocab_size", rule, size).with_hint(
            "Each character counts twice if it begins some word and goes on with another",
        ));
    }
    while state.tokens.len() < settings.room() {
        let (done, total) = (state.tokens.len() as u64, settings.vocab_size);
        pacer.tick(|| Progress::new("joining pairs", done, total, "tokens"))?;
        let Some(best) = state.best(settings.min_frequency.max(1)) else { break };
        state.join(best, &mut pacer)?;
    }
    let mut vocabulary = Vocabulary::new(None);
    for token in &state.tokens {
        vocabulary.push(token.as_bytes(), TokenKind::Ordinary);
    }
    let unknown = super::levels::append_names(&mut vocabulary, settings);
    Ok(tokenizer(settings.into(), vocabulary, unknown, MOST_CHARACTERS))
}

fn state_names(settings: &LevelSettings) -> usize {
    settings.special_tokens.len() + usize::from(settings.unknown_token.is_some())
}

/// A `WordPiece` tokenizer of ours, whose decoder follows from how it cuts.
pub fn tokenizer(
    settings: TokenizerSettings,
    vocabulary: Vocabulary,
    unknown: Option<u32>,
    max_characters: usize,
) -> Tokenizer {
    let tokens = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    let tokens = tokens.map(|id| (id, vocabulary.bytes(id)));
    let model = WordPieceModel::new(tokens, PREFIX, max_characters, unknown);
    let pipeline = Pipeline {
        normalizer: settings.splitter.normalizer().cloned(),
        decoder: Some(decoder(&settings.splitter)),
        ..Pipeline::default()
    };
    Tokenizer::with_pipeline(
        settings,
        vocabulary,
        Model::WordPiece(Box::new(model)),
        None,
        pipeline,
    )
}

/// Words get their spaces back only if they lost them.
fn decoder(splitter: &Splitter) -> Decoder {
    let plain = Decoder::WordPiece { prefix: PREFIX.to_owned(), cleanup: false };
    match Matcher::regex(r"\A##") {
        Ok(prefix) if splitter.lossless() => {
            Decoder::Sequence(vec![Decoder::Replace(prefix, String::new()), Decoder::Fuse])
        }
        _ => plain,
    }
}

/// A pair, how often it occurs, and words in which it was seen.
struct Candidate {
    pair: Pair,
    count: u64,
    words: Vec<u32>,
}

/// The corpus as it is cut so far.
struct State {
    tokens: Vec<String>,
    ids: FxHashMap<String, u32>,
    counts: Vec<u64>,
    words: Vec<(Vec<u32>, u64)>,
    candidates: Vec<Candidate>,
    places: FxHashMap<u64, usize>,
}

impl State {
    fn new(pieces: &PieceCounts) -> Self {
        let mut spelled: Vec<(Vec<String>, u64)> = Vec::with_capacity(pieces.len());
        let mut alphabet: Vec<String> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        for (piece, count) in pieces.iter() {
            let text = std::str::from_utf8(piece).unwrap_or_default();
            let symbols: Vec<String> = text
                .chars()
                .enumerate()
                .map(|(place, character)| {
                    format!("{}{character}", if place == 0 { "" } else { PREFIX })
                })
                .collect();
            for symbol in &symbols {
                if known.insert(symbol.clone()) {
                    alphabet.push(symbol.clone());
                }
            }
            spelled.push((symbols, count));
        }
        // Characters that begin words come first, then those inside, each by code point.
        alphabet.sort_unstable_by(|one, two| {
            let inside = |symbol: &str| symbol.chars().count() > 1;
            (inside(one), one).cmp(&(inside(two), two))
        });
        let mut state = Self {
            ids: FxHashMap::default(),
            counts: Vec::new(),
            tokens: Vec::new(),
            words: Vec::with_capacity(spelled.len()),
            candidates: Vec::new(),
            places: FxHashMap::default(),
        };
        for symbol in alphabet {
            state.id(symbol);
        }
        for (symbols, count) in spelled {
            let ids: Vec<u32> = symbols.iter().map(|symbol| state.ids[symbol]).collect();
            let number = state.words.len() as u32;
            state.words.push((ids, count));
            state.count_word(number, true);
        }
        state
    }

    /// The id of a token, which may be new.
    fn id(&mut self, token: String) -> u32 {
        if let Some(&id) = self.ids.get(&token) {
            return id;
        }
        let id = self.tokens.len() as u32;
        self.tokens.push(token.clone());
        self.ids.insert(token, id);
        self.counts.push(0);
        id
    }

    /// Adds what a word holds to the counts, or takes it away.
    fn count_word(&mut self, number: u32, adds: bool) {
        let (ids, count) = self.words[number as usize].clone();
        let change = |total: &mut u64| {
            *total = if adds { *total + count } else { *total - count };
        };
        for &id in &ids {
            change(&mut self.counts[id as usize]);
        }
        for two in ids.windows(2) {
            let pair = Pair { left: two[0], right: two[1] };
            let place = *self.places.entry(pair.key()).or_insert_with(|| {
                self.candidates.push(Candidate { pair, count: 0, words: Vec::new() });
                self.candidates.len() - 1
            });
            let candidate = &mut self.candidates[place];
            change(&mut candidate.count);
            if adds && candidate.words.last() != Some(&number) {
                candidate.words.push(number);
            }
        }
    }

    /// The pair of the highest score; among equals the more frequent one, then the one of smaller ids.
    fn best(&self, min_frequency: u64) -> Option<Pair> {
        let mut best: Option<(f64, &Candidate)> = None;
        for candidate in &self.candidates {
            if candidate.count < min_frequency {
                continue;
            }
            let Pair { left, right } = candidate.pair;
            let alone = self.counts[left as usize] as f64 * self.counts[right as usize] as f64;
            let score = candidate.count as f64 / alone;
            let wins = best.is_none_or(|(highest, other)| {
                score > highest
                    || (score >= highest
                        && (candidate.count > other.count
                            || (candidate.count == other.count && candidate.pair < other.pair)))
            });
            if wins {
                best = Some((score, candidate));
            }
        }
        best.map(|(_, candidate)| candidate.pair)
    }

    /// Joins a pair wherever it stands, from left to right.
    fn join(&mut self, pair: Pair, pacer: &mut Pacer<'_>) -> Result<()> {
        let Pair { left, right } = pair;
        let rest = self.tokens[right as usize].strip_prefix(PREFIX).unwrap_or_default();
        let token = format!("{}{rest}", self.tokens[left as usize]);
        let id = self.id(token);
        let place = self.places[&pair.key()];
        let mut words = std::mem::take(&mut self.candidates[place].words);
        words.sort_unstable();
        words.dedup();
        for (index, number) in words.into_iter().enumerate() {
            if index % WORDS_PER_LOOK == 0 {
                let done = self.tokens.len() as u64;
                pacer.tick(|| Progress::new("joining pairs", done, None, "tokens"))?;
            }
            let ids = &self.words[number as usize].0;
            if !ids.windows(2).any(|two| two == [left, right]) {
                continue;
            }
            self.count_word(number, false);
            let ids = &mut self.words[number as usize].0;
            let mut joined = Vec::with_capacity(ids.len());
            let mut at = 0;
            while at < ids.len() {
                let here = ids[at..].starts_with(&[left, right]);
                joined.push(if here { id } else { ids[at] });
                at += if here { 2 } else { 1 };
            }
            *ids = joined;
            self.count_word(number, true);
        }
        Ok(())
    }
}
