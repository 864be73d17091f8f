//! A `.model` file of SentencePiece for a unigram model that was trained here.
//!
//! That program looks at a whole text where we look at its pieces, which is the same if no token reaches across
//! the border of two pieces. Spaces are kept as they are, so that a literal `▁` stays apart from them.

use std::path::Path;

use super::sentencepiece::normalizer_defaults;
use super::text_files;
use crate::error::{Error, Result};
use crate::sentencepiece::{
    Algorithm, NormalizerSettings, Piece, PieceKind, SentencePiece, Settings, byte_name,
};
use crate::split::SplitRule;
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{Kind, Model, Tokenizer};
use crate::unigram::UnigramModel;

const FORMAT: &str = "a SentencePiece model";

/// What the unknown token is called where the tokenizer has none, as it has bytes for everything.
const UNKNOWN: &str = "<unk>";

/// How pieces begin and end, as far as spaces tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Borders {
    /// There are none.
    None,
    /// Before each space.
    AtSpaces,
    /// Between white space and what is not, but for a space before a word.
    AroundWords,
}

/// The model that gives the ids of a tokenizer, or the reason why none does.
pub(super) fn model(tokenizer: &Tokenizer) -> Result<SentencePiece> {
    let refuse = |reason: &str, hint: &str| text_files::refusal(FORMAT, reason).with_hint(hint);
    let save = "`save` keeps everything in one tokenizer.json";
    let unigram = match tokenizer.model() {
        Model::Unigram(model) if tokenizer.settings().kind == Kind::Unigram => model,
        _ => {
            let kind = tokenizer.settings().kind.name();
            return Err(refuse(&format!("of kind {kind}"), save));
        }
    };
    let pipeline = tokenizer.pipeline();
    if pipeline.foreign {
        return Err(refuse("that was read from a file of another program", save));
    }
    if pipeline.normalizer.is_some() {
        return Err(refuse("that changes texts", save));
    }
    if let Some(added) = pipeline.added.iter().find(|token| !token.special) {
        return Err(refuse(&format!("with the added token {:?}", added.content), save));
    }
    let train = "Train with split=\"metaspace\", whose pieces are those of SentencePiece";
    let borders = borders(tokenizer)
        .ok_or_else(|| refuse("that splits text where SentencePiece does not", train))?;
    if let Some(token) = crossing(tokenizer, borders) {
        let reason = format!("whose token {token:?} would reach across pieces there");
        return Err(refuse(&reason, train));
    }
    let mut pieces = pieces(tokenizer, unigram)
        .map_err(|token| refuse(&format!("whose token {token:?} holds U+0000"), save))?;
    complete(&mut pieces, unigram.byte_fallback());
    let normalizer = NormalizerSettings {
        name: "identity".to_owned(),
        add_dummy_prefix: false,
        remove_extra_whitespaces: false,
        escape_whitespaces: false,
        ..normalizer_defaults()
    };
    let settings = Settings {
        algorithm: Algorithm::Unigram,
        byte_fallback: unigram.byte_fallback(),
        whitespace_as_suffix: false,
        unknown_surface: super::sentencepiece::UNKNOWN_SURFACE.to_owned(),
        normalizer,
        denormalizer: None,
    };
    SentencePiece::new(pieces, settings)
        .map_err(|reason| Error::parameter("tokenizer", "must make a SentencePiece model", reason))
}

fn borders(tokenizer: &Tokenizer) -> Option<Borders> {
    let splitter = &tokenizer.settings().splitter;
    match splitter.rule() {
        SplitRule::None => Some(Borders::None),
        SplitRule::Whitespace if splitter.space_prefix() => Some(Borders::AroundWords),
        SplitRule::Custom => {
            let metaspace = super::split_spec::parse("metaspace", false).ok()?;
            (splitter.pre_tokenizer() == metaspace.pre_tokenizer()).then_some(Borders::AtSpaces)
        }
        _ => None,
    }
}

/// A token that could lie in two pieces.
fn crossing(tokenizer: &Tokenizer, borders: Borders) -> Option<String> {
    let vocabulary = tokenizer.vocabulary();
    let crosses = |text: &str| {
        let mut characters = text.chars();
        let first = characters.next();
        match borders {
            Borders::None => false,
            Borders::AtSpaces => characters.any(|character| character == ' '),
            Borders::AroundWords => {
                let rest = characters.as_str();
                rest.contains(char::is_whitespace)
                    || (first.is_some_and(|one| one.is_whitespace() && one != ' ')
                        && !rest.is_empty())
            }
        }
    };
    let mut ordinary = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    ordinary
        .find(|&id| crosses(&String::from_utf8_lossy(vocabulary.bytes(id))))
        .map(|id| vocabulary.text(id))
}

/// The tokens as that program has them, under their ids; the error is a token that it cannot hold.
fn pieces(tokenizer: &Tokenizer, model: &UnigramModel) -> Result<Vec<Piece>, String> {
    let vocabulary = tokenizer.vocabulary();
    let piece = |id: u32| {
        let text = vocabulary.text(id);
        let score = model.scores().get(id as usize).map_or(0.0, |&score| score as f32);
        let kind = match vocabulary.kind(id) {
            TokenKind::Ordinary if text == "\0" => {
                // What stands in no token is spelled in bytes, which gives the same id.
                return Ok(Piece { text: byte_name(0), score: 0.0, kind: PieceKind::Byte });
            }
            TokenKind::Ordinary if text.contains('\0') => return Err(text),
            TokenKind::Ordinary => return Ok(Piece { text, score, kind: PieceKind::Normal }),
            TokenKind::Unknown => PieceKind::Unknown,
            TokenKind::Byte => PieceKind::Byte,
            _ => PieceKind::Control,
        };
        Ok(Piece { text, score: 0.0, kind })
    };
    (0..vocabulary.len() as u32).map(piece).collect()
}

/// Appends what that program wants to be there, after all ids that are used.
fn complete(pieces: &mut Vec<Piece>, byte_fallback: bool) {
    let mut append = |text: String, kind| {
        if !pieces.iter().any(|piece| piece.kind == kind && piece.text == text) {
            pieces.push(Piece { text, score: 0.0, kind });
        }
    };
    if byte_fallback {
        (0..=u8::MAX).for_each(|byte| append(byte_name(byte), PieceKind::Byte));
    }
    if !pieces.iter().any(|piece| piece.kind == PieceKind::Unknown) {
        pieces.push(Piece { text: UNKNOWN.to_owned(), score: 0.0, kind: PieceKind::Unknown });
    }
}

/// Writes the file.
pub(super) fn save(tokenizer: &Tokenizer, path: &Path) -> Result<()> {
    super::sentencepiece::save(&model(tokenizer)?, path)
}
