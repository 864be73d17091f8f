//! A batch of documents on its way to a worker, and what became of bytes that are not text.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use memchr::{memchr, memmem};
use serde::{Deserialize, Serialize};

use super::json_lines;
use crate::error::{Error, Place, Result};

/// What to do with bytes that are not valid UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidUtf8 {
    /// Put U+FFFD in their place, and count.
    Replace,
    /// Stop with an error that names the file and the byte.
    Strict,
}

/// Where a batch came from, so that a complaint can name the place.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file; `None` for text that the caller holds in memory.
    pub path: Option<Arc<PathBuf>>,
    /// Where in the (decompressed) file the batch starts, in bytes.
    pub offset: u64,
}

impl Origin {
    /// The file, for messages.
    pub(super) fn file(&self) -> PathBuf {
        self.path.as_ref().map_or_else(|| PathBuf::from("<text>"), |path| path.as_ref().clone())
    }
}

/// How the bytes of a batch fall into documents.
#[derive(Clone, Debug)]
pub enum Boundaries {
    /// At each `\n`.
    Lines,
    /// At each occurrence of these bytes.
    Separator(Arc<[u8]>),
    /// At these offsets; the last one is the length of the batch.
    Ends(Vec<usize>),
    /// Each line is a JSON object with a document in one of its fields.
    Field {
        /// The name of the field.
        name: Arc<str>,
        /// The number of the first line in its file, counted from 1.
        first_line: u64,
    },
}

impl Boundaries {
    /// As a part of decoded text that does not borrow.
    pub(super) fn owned<'a>(self) -> Cow<'a, Self> {
        Cow::Owned(self)
    }
}

/// Some whole documents, as bytes.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The documents, one after the other.
    pub bytes: Vec<u8>,
    /// Where one document ends and the next begins.
    pub boundaries: Boundaries,
    /// Number of this batch in its stream, from 0.
    pub sequence: u64,
    /// Orders all places of a corpus: larger than any place of an earlier batch, with room for the
    /// growth that replacing invalid bytes brings.
    pub position: u64,
    /// Where the bytes were read.
    pub origin: Origin,
    /// The rule for bytes that are not text.
    pub invalid: InvalidUtf8,
}

impl Batch {
    /// The position that follows a batch of `length` bytes: a replaced byte becomes three.
    pub fn position_after(position: u64, length: usize) -> u64 {
        position + 3 * length as u64 + 1
    }

    /// The batch as text, with what had to be replaced.
    pub fn decode(&self) -> Result<Decoded<'_>> {
        let decoded = self.decode_bytes()?;
        match &self.boundaries {
            Boundaries::Field { name, first_line } => {
                json_lines::extract(self, &decoded, name, *first_line)
            }
            _ => Ok(decoded),
        }
    }

    fn decode_bytes(&self) -> Result<Decoded<'_>> {
        match simdutf8::basic::from_utf8(&self.bytes) {
            Ok(text) => Ok(Decoded {
                text: Cow::Borrowed(text),
                boundaries: Cow::Borrowed(&self.boundaries),
                replaced: Vec::new(),
            }),
            Err(_) => self.decode_invalid(),
        }
    }

    fn decode_invalid(&self) -> Result<Decoded<'_>> {
        let mut text = String::with_capacity(self.bytes.len() + 64);
        let mut replaced = Vec::new();
        // Explicit ends move when a byte becomes three.
        let mut ends = match &self.boundaries {
            Boundaries::Ends(ends) => {
                Some((ends.iter().copied().peekable(), Vec::with_capacity(ends.len())))
            }
            _ => None,
        };
        let mut offset = 0;
        for chunk in self.bytes.utf8_chunks() {
            let start = text.len();
            text.push_str(chunk.valid());
            if let Some((old, new)) = &mut ends {
                while let Some(end) = old.next_if(|&end| end <= offset + chunk.valid().len()) {
                    new.push(start + (end - offset));
                }
            }
            offset += chunk.valid().len();
            if chunk.invalid().is_empty() {
                continue;
            }
            if self.invalid == InvalidUtf8::Strict {
                return Err(self.invalid_utf8(offset));
            }
            replaced.push(self.origin.offset + offset as u64);
            text.push(char::REPLACEMENT_CHARACTER);
            offset += chunk.invalid().len();
        }
        let boundaries = match ends {
            Some((_, mut new)) => {
                if let Boundaries::Ends(old) = &self.boundaries {
                    new.resize(old.len(), text.len());
                }
                Cow::Owned(Boundaries::Ends(new))
            }
            None => Cow::Borrowed(&self.boundaries),
        };
        Ok(Decoded { text: Cow::Owned(text), boundaries, replaced })
    }

    fn invalid_utf8(&self, offset: usize) -> Error {
        Error::Format {
            path: self.origin.file(),
            place: Place::Byte(self.origin.offset + offset as u64),
            reason: format!(
                "not valid UTF-8 (found byte 0x{:02X}). Convert the file to UTF-8, or use errors=\"replace\", \
                 which puts U+FFFD in its place and counts it",
                self.bytes[offset]
            ),
        }
    }
}

/// The text of a batch.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The documents, one after the other.
    pub text: Cow<'a, str>,
    pub(super) boundaries: Cow<'a, Boundaries>,
    /// File offsets of the bytes that were replaced.
    pub replaced: Vec<u64>,
}

impl Decoded<'_> {
    /// The documents with the offset of each in [`text`](Self::text); empty ones included.
    pub fn documents(&self) -> Documents<'_> {
        Documents { text: &self.text, boundaries: &self.boundaries, start: 0, next_end: 0 }
    }
}

/// Iterates over `(offset, document)`.
#[derive(Debug)]
pub struct Documents<'a> {
    text: &'a str,
    boundaries: &'a Boundaries,
    start: usize,
    next_end: usize,
}

impl<'a> Iterator for Documents<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (end, skip) = match self.boundaries {
            Boundaries::Ends(ends) => {
                let end = *ends.get(self.next_end)?;
                self.next_end += 1;
                (end, 0)
            }
            _ if self.start >= self.text.len() => return None,
            // Lines of JSON have become ends by now.
            Boundaries::Lines | Boundaries::Field { .. } => {
                delimited(self.text, self.start, 1, |rest| memchr(b'\n', rest))
            }
            Boundaries::Separator(separator) => {
                delimited(self.text, self.start, separator.len(), |rest| {
                    memmem::find(rest, separator)
                })
            }
        };
        let start = self.start;
        self.start = end + skip;
        Some((start, &self.text[start..end]))
    }
}

/// Where the document from `start` ends, and how long the delimiter after it is.
fn delimited(
    text: &str,
    start: usize,
    length: usize,
    find: impl FnOnce(&[u8]) -> Option<usize>,
) -> (usize, usize) {
    find(&text.as_bytes()[start..]).map_or((text.len(), 0), |found| (start + found, length))
}

/// How many of the first replaced bytes are kept with their place.
const PLACES_KEPT: usize = 10;

/// What was read, for the caller to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadReport {
    /// Documents that held at least one character.
    pub documents: u64,
    /// Bytes of text, after decompression.
    pub bytes: u64,
    /// Places where invalid bytes were replaced.
    pub replaced: u64,
    /// The first few of them: position in the corpus order, file, and byte in the file.
    pub first_replaced: Vec<(u64, PathBuf, u64)>,
}

impl ReadReport {
    /// Adds what a batch held.
    pub fn add(&mut self, batch: &Batch, decoded: &Decoded<'_>) {
        self.bytes += decoded.text.len() as u64;
        self.replaced += decoded.replaced.len() as u64;
        for &offset in decoded.replaced.iter().take(PLACES_KEPT) {
            let path =
                batch.origin.path.as_ref().map(|path| path.as_ref().clone()).unwrap_or_default();
            self.first_replaced.push((batch.position, path, offset));
        }
        self.keep_first();
    }

    /// Adds what another thread read.
    pub fn merge(&mut self, other: Self) {
        self.documents += other.documents;
        self.bytes += other.bytes;
        self.replaced += other.replaced;
        self.first_replaced.extend(other.first_replaced);
        self.keep_first();
    }

    fn keep_first(&mut self) {
        self.first_replaced.sort();
        self.first_replaced.truncate(PLACES_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(bytes: &[u8], boundaries: Boundaries, invalid: InvalidUtf8) -> Batch {
        let origin = Origin { path: Some(Arc::new(PathBuf::from("a.txt"))), offset: 100 };
        Batch { bytes: bytes.to_vec(), boundaries, sequence: 0, position: 0, origin, invalid }
    }

    fn texts(batch: &Batch) -> Vec<String> {
        batch.decode().unwrap().documents().map(|(_, text)| text.to_owned()).collect()
    }

    #[test]
    fn only_line_feed_ends_a_line() {
        let text = "a\u{2028}b\r\n\u{85}c\n\nlast";
        let lines = batch(text.as_bytes(), Boundaries::Lines, InvalidUtf8::Strict);
        assert_eq!(texts(&lines), ["a\u{2028}b\r", "\u{85}c", "", "last"]);
    }

    #[test]
    fn separators_and_ends() {
        let separated = batch(
            b"one--two--",
            Boundaries::Separator(b"--".as_slice().into()),
            InvalidUtf8::Strict,
        );
        assert_eq!(texts(&separated), ["one", "two"]);
        let ended = batch(b"onetwo", Boundaries::Ends(vec![3, 3, 6]), InvalidUtf8::Strict);
        assert_eq!(texts(&ended), ["one", "", "two"]);
    }

    #[test]
    fn invalid_bytes_are_replaced_and_counted_with_their_place() {
        let bad = batch(b"ab\xFF\xFEc\nd\xE2\x82", Boundaries::Lines, InvalidUtf8::Replace);
        let decoded = bad.decode().unwrap();
        assert_eq!(decoded.replaced, [102, 103, 107]);
        assert_eq!(decoded.text, "ab\u{FFFD}\u{FFFD}c\nd\u{FFFD}");
    }

    #[test]
    fn ends_move_with_replacements() {
        let bad = batch(b"a\xFFbc", Boundaries::Ends(vec![2, 3, 4]), InvalidUtf8::Replace);
        assert_eq!(texts(&bad), ["a\u{FFFD}", "b", "c"]);
        let last = batch(b"a\xFF", Boundaries::Ends(vec![1, 2]), InvalidUtf8::Replace);
        assert_eq!(texts(&last), ["a", "\u{FFFD}"]);
    }

    #[test]
    fn strict_names_file_and_byte() {
        let bad = batch(b"ab\xFF", Boundaries::Lines, InvalidUtf8::Strict);
        let message = bad.decode().unwrap_err().to_string();
        assert!(
            message.starts_with("a.txt, byte 102: not valid UTF-8 (found byte 0xFF)"),
            "{message}"
        );
    }
}
