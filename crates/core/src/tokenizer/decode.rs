//! Ids to text.

use super::vocabulary::{TokenKind, Vocabulary};
use super::{Kind, Model, Tokenizer};
use crate::error::{Error, Result};

/// Bytes that ids stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded(pub Vec<u8>);

impl Decoded {
    /// The bytes as text; what is not UTF-8 becomes U+FFFD.
    pub fn into_text(self) -> String {
        String::from_utf8(self.0)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The bytes as text, or an error that says where they are none.
    pub fn into_text_strict(self) -> Result<String> {
        String::from_utf8(self.0).map_err(|error| {
            let place = error.utf8_error().valid_up_to();
            let rule = "must stand for valid UTF-8";
            let value = format!("byte 0x{:02X} at byte {place}", error.as_bytes()[place]);
            Error::parameter("ids", rule, value).with_hint(
                "Use errors=\"replace\" to put U+FFFD in its place, or decode_bytes for the bytes",
            )
        })
    }
}

/// A slot: up to 15 bytes of a token, then their number.
const SLOT: usize = 16;
/// Bytes of a token that fit.
const MOST_BYTES: usize = SLOT - 1;
/// The number of bytes of tokens that do not fit, and of ids without a token.
const ELSEWHERE: u8 = u8::MAX;
/// Slots that are copied before their bytes are appended.
const BLOCK: usize = 256;

/// The bytes of tokens, so that a token is one copy of fixed size.
#[derive(Debug)]
pub(super) struct TokenBytes(Vec<[u8; SLOT]>);

impl TokenBytes {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let slot = |id: u32| {
            let (mut slot, bytes) = ([0; SLOT], vocabulary.bytes(id));
            slot[MOST_BYTES] = if bytes.len() <= MOST_BYTES && vocabulary.has(id) {
                slot[..bytes.len()].copy_from_slice(bytes);
                bytes.len() as u8
            } else {
                ELSEWHERE
            };
            slot
        };
        Self((0..vocabulary.len() as u32).map(slot).collect())
    }
}

impl Tokenizer {
    /// The bytes that ids stand for; special and unknown tokens stand for their names.
    ///
    /// Where the split rule dropped white space, one space is put between words, if the tokens tell where
    /// words end.
    pub fn decode(&self, ids: &[u32]) -> Result<Decoded> {
        if let Model::SentencePiece(model) = &self.model {
            ids.iter().try_for_each(|&id| self.check_id(id))?;
            return Ok(Decoded(model.decode(ids)));
        }
        if let Some(decoder) = &self.pipeline.decoder {
            return self.decode_by(decoder, ids).map(Decoded);
        }
        if self.pipeline.foreign {
            return self.decode_spaced(ids).map(Decoded);
        }
        if self.settings.splitter.lossless() { self.join(ids) } else { self.join_words(ids) }
    }

    /// Joins the bytes of tokens.
    fn join(&self, ids: &[u32]) -> Result<Decoded> {
        let TokenBytes(slots) = self.token_bytes.get_or_init(|| TokenBytes::new(&self.vocabulary));
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let mut block = [0; (BLOCK + 1) * SLOT];
        for some in ids.chunks(BLOCK) {
            let mut filled = 0;
            for &id in some {
                let slot = slots.get(id as usize).unwrap_or(&[ELSEWHERE; SLOT]);
                if slot[MOST_BYTES] == ELSEWHERE {
                    self.check_id(id)?;
                    bytes.extend_from_slice(&block[..filled]);
                    filled = 0;
                    bytes.extend_from_slice(self.vocabulary.bytes(id));
                    continue;
                }
                // All of the slot, since a copy of the exact length takes several times as long.
                block[filled..filled + SLOT].copy_from_slice(slot);
                filled += slot[MOST_BYTES] as usize;
            }
            bytes.extend_from_slice(&block[..filled]);
        }
        Ok(Decoded(bytes))
    }

    fn join_words(&self, ids: &[u32]) -> Result<Decoded> {
        let each_is_word = self.settings.kind == Kind::WordLevel;
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let mut word_ended = false;
        for &id in ids {
            self.check_id(id)?;
            if word_ended {
                bytes.push(b' ');
            }
            bytes.extend_from_slice(self.vocabulary.bytes(id));
            word_ended = each_is_word || self.vocabulary.kind(id) == TokenKind::EndsWord;
        }
        Ok(Decoded(bytes))
    }
}
