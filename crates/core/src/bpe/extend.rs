//! Further merges for a model that exists.
//!
//! New merges come after all old ones, and each makes a new token. So a text is cut as before, and then the new
//! merges are applied to what that left: its ids stay as they are unless a new merge applies.

use super::alphabet::text;
use super::encode::{Alphabet, BpeModel, MergeOrder, Scratch};
use super::guide::{Guide, Proof};
use super::history::MergeHistory;
use super::learn::{Learned, Learner, Limits};
use super::merge::Words;
use super::queue::{First, LargestText, LowestIds};
use super::{BpeOptions, TieBreak, ranks};
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::split::PieceCounts;
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};
use crate::tokenizer::{Model, Tokenizer};

/// Pieces between two looks at the wish to stop.
const PIECES_PER_LOOK: usize = 1 << 12;

/// How a model is extended; the Python method documents the settings.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct ExtendSettings {
    pub vocab_size: Option<u64>,
    pub merges: Option<u64>,
    pub min_frequency: u64,
    pub max_token_length: Option<u64>,
    pub tie_break: TieBreak,
}

/// What extending yields.
#[derive(Debug)]
pub struct Extended {
    /// Old and new merges.
    pub model: BpeModel,
    /// Old tokens with their ids, then new ones.
    pub vocabulary: Vocabulary,
    /// Why each new merge was made.
    pub history: MergeHistory,
}

/// Learns merges from pieces as the model is given them.
pub fn extend(
    model: &BpeModel,
    vocabulary: &Vocabulary,
    pieces: &PieceCounts,
    settings: &ExtendSettings,
    observer: &mut dyn Observer,
) -> Result<Extended> {
    check_model(model)?;
    let limits = settings.limits(vocabulary.len())?;
    pieces.check_not_empty()?;
    let mut pacer = Pacer::new(observer);
    let words = words(model, vocabulary, pieces, &mut pacer)?;
    let options =
        BpeOptions { max_token_length: settings.max_token_length, ..BpeOptions::default() };
    let guide = Guide::new(&options).proving(Proof::new(model.clone()));
    let learner = Learner::new(words, vocabulary.clone(), limits, guide, pacer);
    let Learned { vocabulary, merges, history } = match settings.tie_break {
        TieBreak::First => learner.learn(First)?,
        TieBreak::LargestText => learner.learn(LargestText::default())?,
        TieBreak::LowestIds => learner.learn(LowestIds { alphabet_order: Vec::new() })?,
    };
    let extended = if model.order() == MergeOrder::LowestToken {
        ranks::model(&vocabulary, &mut || Ok(()))?.unwrap_or_else(|_| model.clone())
    } else {
        let all = model.merges.iter().copied().chain(merges).collect();
        let alphabet = model.alphabet.clone();
        let extended = BpeModel::new(alphabet, all, model.marker, model.unknown, model.order());
        if model.takes_whole() { extended.taking_whole() } else { extended }
    };
    Ok(Extended { model: extended, vocabulary, history: history.name_pieces(pieces) })
}

impl ExtendSettings {
    /// Fails if a setting is out of range or the tokenizer cannot be extended.
    pub fn validate(&self, tokenizer: &Tokenizer) -> Result<()> {
        let Model::Bpe(model) = tokenizer.model() else {
            return Err(Error::parameter(
                "tokenizer",
                "must be one of byte-pair encoding to be extended",
                tokenizer.settings().kind.name(),
            )
            .with_hint("Train a new tokenizer on old and new text"));
        };
        check_model(model)?;
        self.limits(tokenizer.vocabulary().len()).map(drop)
    }

    fn limits(&self, size: usize) -> Result<Limits> {
        match (self.vocab_size, self.merges) {
            (Some(wanted), None) if wanted < size as u64 => {
                let rule = format!("must be at least {size}, the size that the vocabulary has");
                return Err(Error::parameter("vocab_size", rule, wanted));
            }
            (Some(_), Some(_)) | (None, None) => {
                let found = if self.merges.is_some() { "both" } else { "neither" };
                return Err(Error::parameter(
                    "vocab_size",
                    "or `merges` must be set, not both",
                    found,
                ));
            }
            _ => {}
        }
        Ok(Limits {
            tokens: self.vocab_size.map(|wanted| wanted as usize),
            merges: self.merges.map(|merges| merges as usize),
            min_frequency: self.min_frequency.max(1),
            tokens_at_start: size,
        })
    }
}

fn check_model(model: &BpeModel) -> Result<()> {
    let refuse = |reason: &str| {
        Err(Error::parameter("tokenizer", "must be one that can be extended", reason))
    };
    if model.shares_ranks() {
        return refuse("one in which several pairs of one rank form a token");
    }
    match &model.alphabet {
        Alphabet::Spelled(spelling) if spelling.continuing_prefix.is_some() => {
            refuse("one that writes a prefix in front of tokens that do not begin a word")
        }
        _ => Ok(()),
    }
}

/// The pieces as the model cuts them.
fn words(
    model: &BpeModel,
    vocabulary: &Vocabulary,
    pieces: &PieceCounts,
    pacer: &mut Pacer<'_>,
) -> Result<Words> {
    let mut words = Words::new(lengths(model, vocabulary));
    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    for (number, (piece, count)) in pieces.iter().enumerate() {
        let mut look = || {
            let (done, total) = (number as u64, pieces.len() as u64);
            pacer.tick(|| Progress::new("preparing pieces", done, Some(total), "pieces"))
        };
        if number % PIECES_PER_LOOK == 0 {
            look()?;
        }
        ids.clear();
        let whole = vocabulary.find(piece, TokenKind::Ordinary).filter(|_| model.takes_whole());
        if let Some(id) = whole {
            ids.push(id);
        } else if model.encode_piece(text(piece), &mut scratch, &mut ids, &mut look)?.is_err() {
            // What has no ids has nothing to merge.
            ids.clear();
        }
        words.push(ids.iter().map(|&id| Some(id).filter(|_| Some(id) != model.unknown)), count)?;
    }
    Ok(words)
}

/// The symbols of the alphabet in each token.
fn lengths(model: &BpeModel, vocabulary: &Vocabulary) -> Vec<u32> {
    let in_bytes = matches!(model.alphabet, Alphabet::Bytes(_));
    let length = |id: u32| {
        let bytes = vocabulary.bytes(id);
        let marker =
            usize::from(model.marker.is_some() && vocabulary.kind(id) == TokenKind::EndsWord);
        let symbols = match std::str::from_utf8(bytes) {
            Ok(text) if !in_bytes => text.chars().count(),
            _ => bytes.len(),
        };
        (symbols + marker).max(1) as u32
    };
    (0..vocabulary.len() as u32).map(length).collect()
}
