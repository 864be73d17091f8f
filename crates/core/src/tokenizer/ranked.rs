//! Tokenizers of tiktoken's kind: the order of the tokens is all that is known of the merges.

use super::engine::Look;
use super::settings::{Kind, TokenizerSettings, WordOrder};
use super::vocabulary::{MOST_ABSENT, TokenKind, Vocabulary};
use super::{Model, Tokenizer};
use crate::bpe::{BpeOptions, Symbols, TieBreak, ranks};
use crate::error::Result;
use crate::split::Splitter;

/// A token, or the name of a special token, with its id.
pub type Numbered<'a> = (u32, &'a [u8]);

/// Why a tokenizer cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Two tokens or names have this id.
    SameId(u32),
    /// Too many ids below this one have no token.
    TooManyAbsent(u32),
    /// No token stands for this byte.
    NoByte(u8),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SameId(id) => write!(formatter, "the id {id} is given to two tokens"),
            Self::TooManyAbsent(id) => write!(
                formatter,
                "more than {MOST_ABSENT} ids below {id} have no token; the ids seem to be damaged"
            ),
            Self::NoByte(byte) => write!(
                formatter,
                "no token stands for byte 0x{byte:02X}, and without all 256 of them some texts have no ids"
            ),
        }
    }
}

/// A tokenizer that joins the neighbors whose token has the lowest id, as long as any form one.
///
/// The tokens, and the special tokens, must be in the order of their ids.
pub fn tokenizer(
    tokens: &[Numbered<'_>],
    special: &[Numbered<'_>],
    splitter: Splitter,
    look: &mut Look<'_>,
) -> Result<Result<Tokenizer, Refusal>> {
    let vocabulary = match vocabulary(tokens, special) {
        Ok(vocabulary) => vocabulary,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let model = match ranks::model(&vocabulary, look)? {
        Ok(model) => Model::Bpe(Box::new(model)),
        Err(byte) => return Ok(Err(Refusal::NoByte(byte))),
    };
    let names = special.iter().map(|(_, name)| String::from_utf8_lossy(name).into_owned());
    let settings = TokenizerSettings {
        kind: Kind::Bpe,
        vocab_size: None,
        merges: None,
        splitter,
        symbols: Symbols::Bytes,
        end_of_word: None,
        tie_break: TieBreak::First,
        order: WordOrder::Frequency,
        min_frequency: 0,
        special_tokens: names.collect(),
        unknown_token: None,
        options: BpeOptions::default(),
    };
    Ok(Ok(Tokenizer::new(settings, vocabulary, model, None)))
}

fn vocabulary(
    tokens: &[Numbered<'_>],
    special: &[Numbered<'_>],
) -> std::result::Result<Vocabulary, Refusal> {
    let mut vocabulary = Vocabulary::new(None);
    let (mut tokens, mut special) = (tokens.iter().peekable(), special.iter().peekable());
    loop {
        let special_first = match (tokens.peek(), special.peek()) {
            (Some((token, _)), Some((special, _))) => special < token,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let (next, kind) = if special_first {
            (special.next(), TokenKind::Special)
        } else {
            (tokens.next(), TokenKind::Ordinary)
        };
        let Some(&(id, bytes)) = next else { return Ok(vocabulary) };
        if !vocabulary.skip_to(id) {
            let same = (id as usize) < vocabulary.len();
            return Err(if same { Refusal::SameId(id) } else { Refusal::TooManyAbsent(id) });
        }
        vocabulary.push(bytes, kind);
    }
}
