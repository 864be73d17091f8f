//! A `.model` file of SentencePiece for a unigram model, merges of characters, or characters, that were trained here.
//!
//! That program merges whatever neighbors form a token, where we merge the pair that was learned. Where each token
//! is what its own text becomes, and is learned after its parts, no other neighbors that form it ever meet: in
//! between them some pair would be left that had to be merged before. So the two are the same.
//!
//! That program looks at a whole text where we look at its pieces, which is the same if no token reaches across
//! the border of two pieces. Spaces are kept as they are, so that a literal `▁` stays apart from them.

use std::path::Path;

use super::sentencepiece::normalizer_defaults;
use super::text_files;
use crate::bpe::encode::{Alphabet, BpeModel};
use crate::error::{Error, Result};
use crate::sentencepiece::{
    Algorithm, NormalizerSettings, Piece, PieceKind, SentencePiece, Settings, byte_name,
};
use crate::split::SplitRule;
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{Kind, Model, SpecialPolicy, Tokenizer};

const FORMAT: &str = "a SentencePiece model";

/// What the unknown token is called where the tokenizer has none.
const UNKNOWN: &str = "<unk>";

const CHARACTERS: &str =
    "Train with symbols=\"characters\", split=\"metaspace\" and no `end_of_word`";

const UNKNOWN_RUNS: &str =
    "with an unknown token, of which SentencePiece makes one for several characters in a row";

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

/// What the tokens of a tokenizer are to that program.
struct Scored {
    algorithm: Algorithm,
    /// By id; tokens beyond have none.
    scores: Vec<f32>,
    byte_fallback: bool,
}

/// The model that gives the ids of a tokenizer, or the reason why none does.
pub(super) fn model(tokenizer: &Tokenizer) -> Result<SentencePiece> {
    let refuse = |reason: &str, hint: &str| text_files::refusal(FORMAT, reason).with_hint(hint);
    let save = "`save` keeps everything in one tokenizer.json";
    let scored = match (tokenizer.model(), tokenizer.settings().kind) {
        (Model::Unigram(model), Kind::Unigram) => Scored {
            algorithm: Algorithm::Unigram,
            scores: model.scores().iter().map(|&score| score as f32).collect(),
            byte_fallback: model.byte_fallback(),
        },
        (Model::Bpe(model), Kind::Bpe | Kind::CharLevel) => match &model.alphabet {
            Alphabet::Characters(_) => scored_merges(tokenizer, model, &refuse)?,
            _ => {
                return Err(refuse(
                    "whose merges start from other symbols than characters",
                    CHARACTERS,
                ));
            }
        },
        (_, kind) => return Err(refuse(&format!("of kind {}", kind.name()), save)),
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
    let mut pieces = pieces(tokenizer, &scored)
        .map_err(|token| refuse(&format!("whose token {token:?} holds U+0000"), save))?;
    complete(&mut pieces, scored.byte_fallback);
    let normalizer = NormalizerSettings {
        name: "identity".to_owned(),
        add_dummy_prefix: false,
        remove_extra_whitespaces: false,
        escape_whitespaces: false,
        ..normalizer_defaults()
    };
    let settings = Settings {
        algorithm: scored.algorithm,
        byte_fallback: scored.byte_fallback,
        whitespace_as_suffix: false,
        unknown_surface: super::sentencepiece::UNKNOWN_SURFACE.to_owned(),
        normalizer,
        denormalizer: None,
    };
    SentencePiece::new(pieces, settings)
        .map_err(|reason| Error::parameter("tokenizer", "must make a SentencePiece model", reason))
}

/// Scores that fall with the rank, if any neighbors that form a token are those that were learned for it.
fn scored_merges(
    tokenizer: &Tokenizer,
    model: &BpeModel,
    refuse: &dyn Fn(&str, &str) -> Error,
) -> Result<Scored> {
    if model.marker.is_some() {
        return Err(refuse("whose words end in a token of their own", CHARACTERS));
    }
    if model.unknown.is_some() {
        return Err(refuse(UNKNOWN_RUNS, "Train with unknown_token=None"));
    }
    let vocabulary = tokenizer.vocabulary();
    // Of characters the score does not matter, as nothing is merged into one.
    let mut scores = vec![0.0; vocabulary.len()];
    let mut is_learned = vec![true; vocabulary.len()];
    model.merges.iter().for_each(|merge| is_learned[merge.token as usize] = false);
    let other = |token: u32| {
        let reason = format!(
            "whose token {:?} SentencePiece would form from other parts",
            vocabulary.text(token)
        );
        refuse(&reason, "Train without `seed_merges` and without a limit on tokens")
    };
    for (rank, merge) in model.merges.iter().enumerate() {
        let (token, parts) = (merge.token, [merge.pair.left, merge.pair.right]);
        if is_learned[token as usize] || parts.iter().any(|&part| !is_learned[part as usize]) {
            return Err(other(token));
        }
        is_learned[token as usize] = true;
        scores[token as usize] = -(rank as f32);
        let text = vocabulary.text(token);
        if tokenizer.encode(&text, SpecialPolicy::Text, &mut || Ok(()))? != [token] {
            return Err(other(token));
        }
    }
    let is_merged = tokenizer.settings().kind == Kind::Bpe;
    let algorithm = if is_merged { Algorithm::Bpe } else { Algorithm::Char };
    Ok(Scored { algorithm, scores, byte_fallback: false })
}

fn borders(tokenizer: &Tokenizer) -> Option<Borders> {
    if tokenizer.settings().kind == Kind::CharLevel {
        return Some(Borders::None);
    }
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
fn pieces(tokenizer: &Tokenizer, scored: &Scored) -> Result<Vec<Piece>, String> {
    let vocabulary = tokenizer.vocabulary();
    let piece = |id: u32| {
        let text = vocabulary.text(id);
        let score = scored.scores.get(id as usize).copied().unwrap_or_default();
        let kind = match vocabulary.kind(id) {
            TokenKind::Ordinary if text == "\0" && scored.byte_fallback => {
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
