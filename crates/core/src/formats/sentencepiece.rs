//! The `.model` files of SentencePiece.
//!
//! A file is one message: all pieces, what the trainer was told, the normalizer. What we do not need of it
//! is kept and written back.

use std::io::Write;
use std::path::Path;

use super::precompiled::CharacterMap;
use super::protobuf::{Damage, Field, Reader, Writer};
use super::sentencepiece_write;
use crate::error::{Error, Place, Result};
use crate::files;
use crate::sentencepiece::{
    Algorithm, NormalizerSettings, Piece, PieceKind, SentencePiece, Settings,
};
use crate::tokenizer::{Model, Tokenizer};

/// Numbers of the fields of the file.
mod field {
    pub(super) const PIECE: u32 = 1;
    pub(super) const TRAINER: u32 = 2;
    pub(super) const NORMALIZER: u32 = 3;
    pub(super) const DENORMALIZER: u32 = 5;
}

/// Numbers of the fields of what the trainer was told.
mod trainer {
    pub(super) const ALGORITHM: u32 = 3;
    pub(super) const VOCAB_SIZE: u32 = 4;
    pub(super) const WHITESPACE_AS_SUFFIX: u32 = 24;
    pub(super) const BYTE_FALLBACK: u32 = 35;
    pub(super) const UNKNOWN_ID: u32 = 40;
    pub(super) const BEGIN_ID: u32 = 41;
    pub(super) const END_ID: u32 = 42;
    pub(super) const PADDING_ID: u32 = 43;
    pub(super) const UNKNOWN_SURFACE: u32 = 44;
    pub(super) const UNKNOWN_PIECE: u32 = 45;
}

/// What the unknown token is decoded to where the file does not say.
pub(super) const UNKNOWN_SURFACE: &str = " \u{2047} ";

/// Reads a file.
pub fn load(path: &Path) -> Result<SentencePiece> {
    let content = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    from_bytes(&content, path)
}

/// Whether this looks like the beginning of a `.model` file: a piece that is text.
pub fn is_model_file(content: &[u8]) -> bool {
    // Later pieces may be cut off.
    let Some(Ok(first)) = Reader::new(content).next() else { return false };
    first.number == field::PIECE && read_piece(&first).is_ok()
}

/// Reads the content of a file; `path` is for messages.
pub fn from_bytes(content: &[u8], path: &Path) -> Result<SentencePiece> {
    let damaged =
        |damage: Damage| Error::format(path, Place::Byte(damage.place as u64), damage.reason);
    let (pieces, settings, rest) = read(content).map_err(damaged)?;
    if pieces.is_empty() {
        return Err(Error::format(path, Place::Whole, "the file holds no pieces"));
    }
    let model = SentencePiece::new(pieces, settings);
    let model = model.map_err(|reason| Error::format(path, Place::Whole, reason))?;
    Ok(model.with_rest(rest))
}

/// Writes the file of a tokenizer that was read from one, or of one that such a file can say.
pub fn save_tokenizer(tokenizer: &Tokenizer, path: &Path) -> Result<()> {
    if let Model::SentencePiece(model) = tokenizer.model() {
        return save(model, path);
    }
    sentencepiece_write::save(tokenizer, path)
}

/// Writes a file.
pub fn save(model: &SentencePiece, path: &Path) -> Result<()> {
    let content = to_bytes(model);
    files::write_atomically(path, |writer| writer.write_all(&content))
}

/// The content of the file; what was read is written back as it was.
pub fn to_bytes(model: &SentencePiece) -> Vec<u8> {
    let mut writer = Writer::default();
    for piece in model.pieces() {
        let mut message = Writer::default();
        message.bytes(1, piece.text.as_bytes());
        message.float(2, piece.score);
        if piece.kind != PieceKind::Normal {
            message.varint(3, kind_number(piece.kind));
        }
        writer.bytes(field::PIECE, &message.message);
    }
    match model.rest() {
        Some(rest) => writer.message.extend_from_slice(rest),
        None => write_settings(model, &mut writer),
    }
    writer.message
}

fn kind_number(kind: PieceKind) -> u64 {
    match kind {
        PieceKind::Normal => 1,
        PieceKind::Unknown => 2,
        PieceKind::Control => 3,
        PieceKind::UserDefined => 4,
        PieceKind::Unused => 5,
        PieceKind::Byte => 6,
    }
}

/// Pieces, settings, and all fields that are not pieces as they stand in the file.
fn read(content: &[u8]) -> Result<(Vec<Piece>, Settings, Vec<u8>), Damage> {
    let mut pieces = Vec::new();
    let mut settings = Settings {
        algorithm: Algorithm::Unigram,
        byte_fallback: false,
        whitespace_as_suffix: false,
        unknown_surface: UNKNOWN_SURFACE.to_owned(),
        normalizer: normalizer_defaults(),
        denormalizer: None,
    };
    let mut rest = Writer::default();
    for field in Reader::new(content) {
        let field = field?;
        match field.number {
            field::PIECE => {
                pieces.push(read_piece(&field)?);
                continue;
            }
            field::TRAINER => read_trainer(&field, &mut settings)?,
            field::NORMALIZER => read_normalizer(&field, &mut settings.normalizer)?,
            field::DENORMALIZER => {
                let mut denormalizer = normalizer_defaults();
                read_normalizer(&field, &mut denormalizer)?;
                settings.denormalizer = denormalizer.map.is_some().then_some(denormalizer);
            }
            _ => {}
        }
        rest.field(&field);
    }
    Ok((pieces, settings, rest.message))
}

pub(super) fn normalizer_defaults() -> NormalizerSettings {
    NormalizerSettings {
        name: String::new(),
        map: None,
        add_dummy_prefix: true,
        remove_extra_whitespaces: true,
        escape_whitespaces: true,
    }
}

fn read_piece(message: &Field<'_>) -> Result<Piece, Damage> {
    let mut piece = Piece { text: String::new(), score: 0.0, kind: PieceKind::Normal };
    for field in message.message()? {
        let field = field?;
        match field.number {
            1 => field.text()?.clone_into(&mut piece.text),
            2 => piece.score = field.float()?,
            3 => {
                piece.kind = match field.varint()? {
                    1 => PieceKind::Normal,
                    2 => PieceKind::Unknown,
                    3 => PieceKind::Control,
                    4 => PieceKind::UserDefined,
                    5 => PieceKind::Unused,
                    6 => PieceKind::Byte,
                    other => {
                        let reason = format!("a piece is of kind {other}; kinds run from 1 to 6");
                        return Err(Damage::new(field.place, reason));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(piece)
}

fn read_trainer(message: &Field<'_>, settings: &mut Settings) -> Result<(), Damage> {
    for field in message.message()? {
        let field = field?;
        match field.number {
            trainer::ALGORITHM => {
                settings.algorithm = match field.varint()? {
                    1 => Algorithm::Unigram,
                    2 => Algorithm::Bpe,
                    3 => Algorithm::Word,
                    4 => Algorithm::Char,
                    other => {
                        let reason = format!("the model is of type {other}; types run from 1 to 4");
                        return Err(Damage::new(field.place, reason));
                    }
                }
            }
            trainer::WHITESPACE_AS_SUFFIX => settings.whitespace_as_suffix = field.flag()?,
            trainer::BYTE_FALLBACK => settings.byte_fallback = field.flag()?,
            trainer::UNKNOWN_SURFACE => {
                field.text()?.clone_into(&mut settings.unknown_surface);
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_normalizer(message: &Field<'_>, settings: &mut NormalizerSettings) -> Result<(), Damage> {
    for field in message.message()? {
        let field = field?;
        match field.number {
            1 => field.text()?.clone_into(&mut settings.name),
            2 if !field.bytes()?.is_empty() => {
                let map = CharacterMap::new(field.bytes()?);
                settings.map = Some(map.map_err(|reason| Damage::new(field.place, reason))?);
            }
            3 => settings.add_dummy_prefix = field.flag()?,
            4 => settings.remove_extra_whitespaces = field.flag()?,
            5 => settings.escape_whitespaces = field.flag()?,
            _ => {}
        }
    }
    Ok(())
}

/// Writes the settings of a model that comes from no file.
fn write_settings(model: &SentencePiece, writer: &mut Writer) {
    let settings = model.settings();
    let mut message = Writer::default();
    let algorithm = match settings.algorithm {
        Algorithm::Unigram => 1,
        Algorithm::Bpe => 2,
        Algorithm::Word => 3,
        Algorithm::Char => 4,
    };
    message.varint(trainer::ALGORITHM, algorithm);
    message.varint(trainer::VOCAB_SIZE, model.pieces().len() as u64);
    message.varint(trainer::WHITESPACE_AS_SUFFIX, u64::from(settings.whitespace_as_suffix));
    message.varint(trainer::BYTE_FALLBACK, u64::from(settings.byte_fallback));
    let id = |name: &str, kind| {
        let is_it = |piece: &Piece| piece.text == name && piece.kind == kind;
        // Minus one, as whole numbers of any sign are written, stands for none.
        model.pieces().iter().position(is_it).map_or(u64::MAX, |id| id as u64)
    };
    let unknown = model.pieces().iter().position(|piece| piece.kind == PieceKind::Unknown);
    message.varint(trainer::UNKNOWN_ID, unknown.map_or(u64::MAX, |id| id as u64));
    message.varint(trainer::BEGIN_ID, id("<s>", PieceKind::Control));
    message.varint(trainer::END_ID, id("</s>", PieceKind::Control));
    message.varint(trainer::PADDING_ID, id("<pad>", PieceKind::Control));
    message.bytes(trainer::UNKNOWN_SURFACE, settings.unknown_surface.as_bytes());
    if let Some(piece) = unknown.and_then(|id| model.pieces().get(id)) {
        message.bytes(trainer::UNKNOWN_PIECE, piece.text.as_bytes());
    }
    writer.bytes(field::TRAINER, &message.message);
    writer.bytes(field::NORMALIZER, &normalizer_message(&settings.normalizer));
    if let Some(denormalizer) = &settings.denormalizer {
        writer.bytes(field::DENORMALIZER, &normalizer_message(denormalizer));
    }
}

fn normalizer_message(settings: &NormalizerSettings) -> Vec<u8> {
    let mut message = Writer::default();
    message.bytes(1, settings.name.as_bytes());
    message.bytes(2, settings.map.as_ref().map_or(&[][..], CharacterMap::content));
    message.varint(3, u64::from(settings.add_dummy_prefix));
    message.varint(4, u64::from(settings.remove_extra_whitespaces));
    message.varint(5, u64::from(settings.escape_whitespaces));
    message.message
}
