//! Ids to text.

use super::vocabulary::TokenKind;
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
        let drops_spaces = !self.settings.splitter.lossless();
        let each_is_word = self.settings.kind == Kind::WordLevel && drops_spaces;
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let mut word_ended = false;
        for &id in ids {
            self.check_id(id)?;
            if word_ended {
                bytes.push(b' ');
            }
            bytes.extend_from_slice(self.vocabulary.bytes(id));
            word_ended =
                each_is_word || (drops_spaces && self.vocabulary.kind(id) == TokenKind::EndsWord);
        }
        Ok(Decoded(bytes))
    }
}
