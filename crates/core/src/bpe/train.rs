//! Learning merges from the pieces of a corpus.

use super::alphabet::{self, text};
use super::encode::{Alphabet, BpeModel, MergeOrder};
use super::guide::Guide;
use super::history::MergeHistory;
use super::learn::{Learned, Learner, Limits};
use super::merge::Words;
use super::queue::{First, LargestText, LowestIds};
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
    let tokens_to_learn =
        settings.tokens_to_learn(alphabet_size, Some(start.most_merges(pieces)))?;
    let words = start.words(pieces, &mut pacer)?;
    let limits = Limits {
        tokens: tokens_to_learn.map(|tokens| tokens as usize + alphabet_size),
        merges: settings.merges.map(|merges| merges as usize),
        min_frequency: settings.min_frequency.max(1),
        tokens_at_start: alphabet_size,
    };
    let guide = Guide::new(&settings.options);
    let learner = Learner::new(words, start.vocabulary, limits, guide, pacer);
    let (learned, order) = match settings.tie_break {
        TieBreak::First => (learner.learn(First)?, MergeOrder::DownTheList),
        TieBreak::LargestText => (learner.learn(LargestText::default())?, MergeOrder::DownTheList),
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
                let characters = alphabet::chosen(pieces, &settings.options);
                Alphabet::Characters(alphabet::character_ids(&characters, &mut vocabulary))
            }
        };
        let has_marker = settings.end_of_word.is_some();
        let marker = has_marker.then(|| vocabulary.push(b"", TokenKind::EndsWord));
        Self { alphabet, vocabulary, marker }
    }

    /// No corpus has merges for more tokens than this: each takes a symbol away from some piece.
    fn most_merges(&self, pieces: &PieceCounts) -> u64 {
        let symbols: usize = match &self.alphabet {
            Alphabet::Bytes(_) => pieces.distinct_bytes(),
            Alphabet::Characters(_) | Alphabet::Spelled(_) => {
                pieces.iter().map(|(piece, _)| text(piece).chars().count()).sum()
            }
        };
        (symbols - pieces.len() + self.marker.map_or(0, |_| pieces.len())) as u64
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
                    let symbols = text(piece).chars().map(|character| ids.get(&character).copied());
                    words.push(symbols.chain(marker.clone().map(Some)), count)?;
                }
                Alphabet::Spelled(spelling) => {
                    let mut symbols = Vec::new();
                    // What has no token cannot be merged.
                    if spelling.symbols(text(piece), None, &mut symbols).is_err() {
                        symbols.clear();
                    }
                    words.push(symbols.into_iter().chain(marker.clone()).map(Some), count)?;
                }
            }
        }
        Ok(words)
    }
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
