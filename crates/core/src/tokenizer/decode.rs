//! Ids to text.

use std::borrow::Cow;
use std::cell::Cell;

use super::vocabulary::{TokenKind, Vocabulary};
use super::{Kind, Model, Tokenizer};
use crate::error::{Error, Result};

/// Bytes that ids stand for as text; what is not UTF-8 becomes U+FFFD.
pub fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The same bytes as text, or an error that says where they are none.
pub fn to_text_strict(bytes: &[u8]) -> Result<&str> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let place = error.valid_up_to();
        let rule = "must stand for valid UTF-8";
        let value = format!("byte 0x{:02X} at byte {place}", bytes[place]);
        Error::parameter("ids", rule, value).with_hint(
            "Use errors=\"replace\" to put U+FFFD in its place, or decode_bytes for the bytes",
        )
    })
}

/// A slot: up to 15 bytes of a token, then their number.
const SLOT: usize = 16;
/// Bytes of a token that fit.
const MOST_BYTES: usize = SLOT - 1;
/// The bits of the last byte of a slot that are the number of bytes.
const LENGTH: u8 = 0x0F;
/// The bit of tokens that do not fit, and of ids without a token.
const ELSEWHERE: u8 = 0x40;
/// The bit of tokens that are not ASCII.
const NOT_ASCII: u8 = 0x80;
/// Ids whose bytes are put together in memory that is kept for it, up to 64 KB a thread.
const FEW: usize = 1 << 12;

thread_local! {
    /// Room for the bytes of a few ids.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

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
            if !bytes.is_ascii() {
                slot[MOST_BYTES] |= NOT_ASCII;
            }
            slot
        };
        Self((0..vocabulary.len() as u32).map(slot).collect())
    }
}

/// What [`copy_slots`] did.
struct Copied {
    ids: usize,
    bytes: usize,
    /// The last bytes of all slots.
    bits: u8,
}

/// Copies the slots of ids to the room, one behind the other, up to the first id whose bytes are elsewhere.
///
/// A function of its own, so that all it needs stays in registers.
fn copy_slots(slots: &[[u8; SLOT]], ids: &[u32], room: &mut [u8]) -> Copied {
    let mut copied = Copied { ids: 0, bytes: 0, bits: 0 };
    for &id in ids {
        let Some(slot) = slots.get(id as usize) else { break };
        let end = slot[MOST_BYTES];
        if end & ELSEWHERE != 0 {
            break;
        }
        // All of the slot, since a copy of the exact length takes several times as long.
        let Some(place) = room[copied.bytes..].first_chunk_mut() else { break };
        *place = *slot;
        copied.bytes += (end & LENGTH) as usize;
        copied.bits |= end;
        copied.ids += 1;
    }
    copied
}

impl Tokenizer {
    /// The bytes that ids stand for; special and unknown tokens stand for their names.
    ///
    /// Where the split rule dropped white space, one space is put between words, if the tokens tell where
    /// words end.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>> {
        if let Model::SentencePiece(model) = &self.model {
            ids.iter().try_for_each(|&id| self.check_id(id))?;
            return Ok(model.decode(ids));
        }
        if let Some(decoder) = &self.pipeline.decoder {
            return self.decode_by(decoder, ids);
        }
        if self.pipeline.foreign {
            return self.decode_spaced(ids);
        }
        if self.decodes_by_joining() { self.join(ids) } else { self.join_words(ids) }
    }

    /// Calls a function with the bytes that ids stand for, which need no memory of their own if they are few,
    /// and with whether they are ASCII.
    pub fn decode_with<T>(&self, ids: &[u32], call: impl FnOnce(&[u8], bool) -> T) -> Result<T> {
        if ids.len() > FEW || !self.decodes_by_joining() {
            return self.decode(ids).map(|bytes| call(&bytes, bytes.is_ascii()));
        }
        // Taken, since the function may come to decode something itself.
        let mut room = ROOM.take();
        let joined = self.join_few(ids, &mut room);
        let result = joined.map(|(length, is_ascii)| call(&room[..length], is_ascii));
        if room.len() <= (FEW + 1) * SLOT {
            ROOM.set(room);
        }
        result
    }

    /// Whether the text of ids is that of its tokens, one behind the other.
    fn decodes_by_joining(&self) -> bool {
        let is_own = self.pipeline.decoder.is_none() && !self.pipeline.foreign;
        is_own
            && self.settings.splitter.lossless()
            && !matches!(self.model, Model::SentencePiece(_))
    }

    /// Joins the bytes of tokens.
    fn join(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let (mut bytes, mut room) = (Vec::with_capacity(ids.len() * 5), Vec::new());
        for few in ids.chunks(FEW) {
            let (length, _) = self.join_few(few, &mut room)?;
            bytes.extend_from_slice(&room[..length]);
        }
        Ok(bytes)
    }

    /// Puts the bytes of tokens at the start of the room, which grows if it must, and returns their number and
    /// whether all are ASCII.
    fn join_few(&self, ids: &[u32], room: &mut Vec<u8>) -> Result<(usize, bool)> {
        let TokenBytes(slots) = self.token_bytes.get_or_init(|| TokenBytes::new(&self.vocabulary));
        let needed = (ids.len() + 1) * SLOT;
        if room.len() < needed {
            room.resize(needed, 0);
        }
        let (mut filled, mut bits, mut rest) = (0, 0, ids);
        loop {
            let copied = copy_slots(slots, rest, &mut room[filled..]);
            (filled, bits) = (filled + copied.bytes, bits | copied.bits);
            let [id, later @ ..] = &rest[copied.ids..] else { break };
            self.check_id(*id)?;
            let bytes = self.vocabulary.bytes(*id);
            bits |= if bytes.is_ascii() { 0 } else { NOT_ASCII };
            let needed = filled + bytes.len() + (later.len() + 1) * SLOT;
            if room.len() < needed {
                room.resize(needed, 0);
            }
            room[filled..filled + bytes.len()].copy_from_slice(bytes);
            (filled, rest) = (filled + bytes.len(), later);
        }
        Ok((filled, bits & NOT_ASCII == 0))
    }

    fn join_words(&self, ids: &[u32]) -> Result<Vec<u8>> {
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
        Ok(bytes)
    }
}
