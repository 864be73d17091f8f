//! Tokenizers of SentencePiece (Kudo and Richardson, 2018): a normalizer, then one of four ways to cut the
//! normalized text, all from one `.model` file.
//!
//! A text is one whole here: spaces are characters like any other, written `▁`, and a token may in
//! principle reach over them. Where no token of a vocabulary does, a text is cut at spaces first, which
//! changes no id and lets words be remembered.

mod cache;
mod decode;
mod encode;
mod merges;
mod normalize;
mod words;

use rustc_hash::FxHashMap;

use crate::formats::precompiled::CharacterMap;
use crate::unigram::{Flavor, UnigramModel, model::UNKNOWN_PENALTY};
pub(crate) use decode::Beginning;
pub(crate) use encode::Scratch;
use merges::MergeModel;
use normalize::Normalizer;

/// What a space is written as.
pub const SPACE: &str = "\u{2581}";

/// What a piece of a `.model` file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Text.
    Normal,
    /// Text that no other piece stands for.
    Unknown,
    /// Nothing in a text.
    Control,
    /// Text that is always a token of its own, and is not normalized.
    UserDefined,
    /// Text that must not become this token.
    Unused,
    /// A byte of a character that no other piece stands for.
    Byte,
}

/// An entry of the vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// How it is written, with [`SPACE`] for a space.
    pub text: String,
    /// The logarithm of its probability, or minus its rank.
    pub score: f32,
    /// What it stands for.
    pub kind: PieceKind,
}

/// How a normalized text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Into the pieces of the highest sum of scores.
    Unigram,
    /// By merging the neighbors that form the piece of the highest score.
    Bpe,
    /// At spaces.
    Word,
    /// Into characters.
    Char,
}

impl Algorithm {
    /// The name in SentencePiece's own options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unigram => "unigram",
            Self::Bpe => "bpe",
            Self::Word => "word",
            Self::Char => "char",
        }
    }
}

/// What is done to a text before it is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalizerSettings {
    /// The name of the rules, such as `nmt_nfkc`; only a name.
    pub name: String,
    /// Replacements of characters.
    pub map: Option<CharacterMap>,
    /// Whether a space is put in front of the text.
    pub add_dummy_prefix: bool,
    /// Whether spaces at the ends, and all but one in a row, are taken away.
    pub remove_extra_whitespaces: bool,
    /// Whether a space is written as [`SPACE`].
    pub escape_whitespaces: bool,
}

/// Everything in a `.model` file that ids and texts depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How a normalized text is cut.
    pub algorithm: Algorithm,
    /// Whether characters without a piece become their bytes.
    pub byte_fallback: bool,
    /// Whether the space of [`NormalizerSettings::add_dummy_prefix`] is put behind the text instead.
    pub whitespace_as_suffix: bool,
    /// What the unknown token is decoded to.
    pub unknown_surface: String,
    /// What is done to a text before it is cut.
    pub normalizer: NormalizerSettings,
    /// What is done to a decoded text.
    pub denormalizer: Option<NormalizerSettings>,
}

/// A tokenizer of SentencePiece.
#[derive(Clone, Debug)]
pub struct SentencePiece {
    pieces: Vec<Piece>,
    settings: Settings,
    normalizer: Normalizer,
    denormalizer: Option<Normalizer>,
    cutter: Cutter,
    unknown: u32,
    /// The pieces that stand for bytes.
    bytes: Option<Box<[u32; 256]>>,
    /// Whether pieces have the sign of a space only at their beginning.
    cut_at_spaces: bool,
    /// The part of the file that holds no pieces, as it was read.
    rest: Option<Vec<u8>>,
}

/// The way to cut, with what it needs.
#[derive(Clone, Debug)]
enum Cutter {
    Unigram(Box<UnigramModel>),
    Bpe(Box<MergeModel>),
    Word(FxHashMap<Box<[u8]>, u32>),
    Char(FxHashMap<Box<[u8]>, u32>),
}

impl SentencePiece {
    /// Puts the parts together; the error says what about the pieces cannot be.
    pub fn new(pieces: Vec<Piece>, settings: Settings) -> Result<Self, String> {
        let unknown = check(&pieces)?;
        let bytes = settings.byte_fallback.then(|| byte_ids(&pieces)).transpose()?;
        let in_text = |piece: &&Piece| piece.is_text();
        let words = || {
            let used = |piece: &Piece| piece.is_text() && piece.kind != PieceKind::Unused;
            let numbered = pieces.iter().zip(0..).filter(|(piece, _)| used(piece));
            numbered.map(|(piece, id)| (piece.text.as_bytes().into(), id)).collect()
        };
        let space = if settings.normalizer.escape_whitespaces { SPACE } else { " " };
        let has_unused = pieces.iter().any(|piece| piece.kind == PieceKind::Unused);
        let cut_at_spaces = match settings.algorithm {
            Algorithm::Unigram | Algorithm::Bpe => {
                // How an unused piece is cut again depends on the whole text.
                !(has_unused && settings.algorithm == Algorithm::Bpe)
                    && pieces
                        .iter()
                        .filter(in_text)
                        .all(|piece| only_begins_with(&piece.text, space))
            }
            Algorithm::Word | Algorithm::Char => false,
        };
        let cutter = match settings.algorithm {
            Algorithm::Unigram => {
                Cutter::Unigram(Box::new(unigram(&pieces, unknown, bytes.as_deref())))
            }
            Algorithm::Bpe => Cutter::Bpe(Box::new(MergeModel::new(&pieces))),
            Algorithm::Word => Cutter::Word(words()),
            Algorithm::Char => Cutter::Char(words()),
        };
        let user_defined: Vec<&[u8]> = pieces
            .iter()
            .filter(|piece| piece.kind == PieceKind::UserDefined)
            .map(|piece| piece.text.as_bytes())
            .collect();
        let suffix = settings.whitespace_as_suffix;
        let normalizer = Normalizer::new(&settings.normalizer, suffix, &user_defined);
        let denormalizer = settings.denormalizer.as_ref();
        let denormalizer = denormalizer.map(|settings| Normalizer::new(settings, false, &[]));
        Ok(Self {
            pieces,
            settings,
            normalizer,
            denormalizer,
            cutter,
            unknown,
            bytes,
            cut_at_spaces,
            rest: None,
        })
    }

    /// The same with the part of a file that holds no pieces.
    pub(crate) fn with_rest(self, rest: Vec<u8>) -> Self {
        Self { rest: Some(rest), ..self }
    }

    /// The part of the file that holds no pieces, if the model was read.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        self.rest.as_deref()
    }

    /// The vocabulary, in the order of ids.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What ids and texts depend on.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The text as it is cut, with [`SPACE`] for spaces.
    pub fn normalize(&self, text: &str) -> String {
        let mut normalized = String::new();
        self.normalizer.normalize::<false>(text, &mut normalized, &mut Vec::new());
        normalized
    }
}

impl Piece {
    /// Whether a text can become this piece; unused ones only on the way to others.
    fn is_text(&self) -> bool {
        matches!(self.kind, PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused)
    }
}

fn only_begins_with(text: &str, space: &str) -> bool {
    !text.strip_prefix(space).unwrap_or(text).contains(space)
}

/// Finds the unknown piece; there must be one, and no piece twice.
fn check(pieces: &[Piece]) -> Result<u32, String> {
    let mut seen = FxHashMap::default();
    let mut unknown = None;
    for (piece, id) in pieces.iter().zip(0_u32..) {
        if piece.text.is_empty() {
            return Err(format!("piece {id} is empty"));
        }
        if !piece.score.is_finite() {
            return Err(format!("piece {id}, {:?}, has the score {}", piece.text, piece.score));
        }
        if let Some(first) = seen.insert((piece.text.as_str(), piece.is_text()), id) {
            return Err(format!("piece {id}, {:?}, is piece {first} too", piece.text));
        }
        if piece.kind == PieceKind::Unknown
            && let Some(first) = unknown.replace(id)
        {
            return Err(format!("pieces {first} and {id} both stand for unknown text"));
        }
    }
    unknown.ok_or_else(|| "no piece stands for unknown text".to_owned())
}

/// The text of the piece of a byte.
pub(crate) fn byte_name(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

fn byte_ids(pieces: &[Piece]) -> Result<Box<[u32; 256]>, String> {
    let bytes = pieces.iter().zip(0_u32..).filter(|(piece, _)| piece.kind == PieceKind::Byte);
    let names: FxHashMap<&str, u32> = bytes.map(|(piece, id)| (piece.text.as_str(), id)).collect();
    let mut ids = Box::new([0; 256]);
    for (id, byte) in ids.iter_mut().zip(0..=u8::MAX) {
        let name = byte_name(byte);
        let found = names.get(name.as_str());
        *id = *found
            .ok_or_else(|| format!("byte fallback needs a piece {name}, which is not there"))?;
    }
    if names.len() > 256 {
        return Err(format!("{} pieces stand for bytes, of which there are 256", names.len()));
    }
    Ok(ids)
}

fn unigram(pieces: &[Piece], unknown: u32, bytes: Option<&[u32; 256]>) -> UnigramModel {
    let normal = || pieces.iter().filter(|piece| piece.kind == PieceKind::Normal);
    let lowest = normal().map(|piece| piece.score).fold(f32::MAX, f32::min);
    // Text that is always a token of its own is better than any other.
    let score = |piece: &Piece| match piece.kind {
        PieceKind::UserDefined => f64::from((0.1 * (piece.text.len() as f64 - 1.0)) as f32),
        _ => f64::from(piece.score),
    };
    let searched = pieces
        .iter()
        .zip(0..)
        .filter(|(piece, _)| matches!(piece.kind, PieceKind::Normal | PieceKind::UserDefined));
    let bytes = bytes.map(|ids| Box::new(ids.map(Some)));
    UnigramModel::new(
        searched.map(|(piece, id)| (piece.text.as_bytes(), id)),
        pieces.iter().map(score).collect(),
        Flavor::SentencePiece,
        Some(unknown),
        f64::from(lowest - UNKNOWN_PENALTY as f32),
        bytes,
    )
}
