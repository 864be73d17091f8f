//! Ids to text while they come, and which part of the text each id became.

use super::decode::to_text;
use super::decode_steps::{Part, Steps};
use super::vocabulary::TokenKind;
use super::{Kind, Model, Tokenizer};
use crate::error::Result;
use crate::sentencepiece::Beginning;

/// Text that is decoded id by id; the parts that it hands out, joined, are the text of all ids.
///
/// Half a character is held back until its other half comes, or something that cannot be it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodeStream {
    /// What the tokenizer does between ids and bytes; `None` before the first id.
    joiner: Option<Joiner>,
    /// The beginning of a character.
    held: Vec<u8>,
}

impl DecodeStream {
    /// The text that is ready after these ids. Nothing has happened if one of them does not exist.
    pub fn push(&mut self, tokenizer: &Tokenizer, ids: &[u32]) -> Result<String> {
        ids.iter().try_for_each(|&id| tokenizer.check_id(id))?;
        let joiner = self.joiner.get_or_insert_with(|| Joiner::new(tokenizer));
        for &id in ids {
            joiner.push(tokenizer, id, &mut |_, bytes| self.held.extend_from_slice(bytes));
        }
        let ready = self.held.len() - begun_character(&self.held);
        let rest = self.held.split_off(ready);
        Ok(to_text(&std::mem::replace(&mut self.held, rest)).into_owned())
    }

    /// What is left at the end: mostly nothing, or U+FFFD for a character that is not whole. Starts anew.
    pub fn finish(&mut self, tokenizer: &Tokenizer) -> String {
        let Self { joiner, mut held } = std::mem::take(self);
        if let Some(joiner) = joiner {
            joiner.finish(tokenizer, &mut |_, bytes| held.extend_from_slice(bytes));
        }
        to_text(&held).into_owned()
    }
}

/// Takes bytes of the text, and the number of the id that they come from, if they come from one.
type Take<'a> = dyn FnMut(Option<usize>, &[u8]) + 'a;

/// What stands between ids and the bytes of a text: the same that `decode` does, one id at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Joiner {
    /// Ids that came.
    count: usize,
    way: Way,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// The bytes of tokens, with a space after an id that ends a word.
    Words { word_ended: bool },
    /// The tokens with spaces between them.
    Spaced,
    /// The steps of a decoder, on tokens as bytes or as files write them.
    Steps { steps: Steps, as_bytes: bool },
    /// That of SentencePiece.
    Pieces(Beginning),
    /// The same, where the whole text is changed at the end; until then it is held back.
    WholePieces(Vec<u32>),
}

impl Joiner {
    fn new(tokenizer: &Tokenizer) -> Self {
        let way = match (&tokenizer.model, &tokenizer.pipeline.decoder) {
            (Model::SentencePiece(model), _) if model.denormalizes() => {
                Way::WholePieces(Vec::new())
            }
            (Model::SentencePiece(_), _) => Way::Pieces(Beginning::default()),
            (_, Some(decoder)) => {
                let as_bytes = tokenizer.has_byte_symbols() && decoder.begins_with_bytes();
                Way::Steps { steps: Steps::new(decoder, as_bytes), as_bytes }
            }
            _ if tokenizer.pipeline.foreign => Way::Spaced,
            _ => Way::Words { word_ended: false },
        };
        Self { count: 0, way }
    }

    /// Takes an id that exists.
    fn push(&mut self, tokenizer: &Tokenizer, id: u32, take: &mut Take<'_>) {
        let number = self.count;
        self.count += 1;
        match &mut self.way {
            Way::Words { word_ended } => {
                if *word_ended {
                    take(None, b" ");
                }
                take(Some(number), tokenizer.vocabulary.bytes(id));
                *word_ended = !tokenizer.settings.splitter.lossless()
                    && (tokenizer.settings.kind == Kind::WordLevel
                        || tokenizer.vocabulary.kind(id) == TokenKind::EndsWord);
            }
            Way::Spaced => {
                if number > 0 {
                    take(None, b" ");
                }
                take(Some(number), &tokenizer.file_form(id));
            }
            Way::Pieces(beginning) => {
                let mut bytes = Vec::new();
                if let Model::SentencePiece(model) = &tokenizer.model {
                    model.append(id, beginning, &mut bytes);
                }
                take(Some(number), &bytes);
            }
            Way::WholePieces(ids) => ids.push(id),
            Way::Steps { steps, as_bytes } => {
                let bytes = if *as_bytes {
                    tokenizer.vocabulary.bytes(id).to_vec()
                } else {
                    tokenizer.file_form(id)
                };
                let mut ready = Vec::new();
                steps.push(Part { id: number, bytes }, &mut ready);
                for part in &ready {
                    take(Some(part.id), &part.bytes);
                }
            }
        }
    }

    fn finish(self, tokenizer: &Tokenizer, take: &mut Take<'_>) {
        match (self.way, &tokenizer.model) {
            (Way::Steps { steps, .. }, _) => {
                let mut ready = Vec::new();
                steps.finish(&mut ready);
                for part in &ready {
                    take(Some(part.id), &part.bytes);
                }
            }
            (Way::WholePieces(ids), Model::SentencePiece(model)) => {
                take(Some(0), &model.decode(&ids));
            }
            _ => {}
        }
    }
}

/// How many bytes at the end are the beginning of a character that further bytes may complete.
fn begun_character(bytes: &[u8]) -> usize {
    // A character has at most four bytes, so that one that is not whole has at most three.
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let start = tail.iter().rposition(|&byte| byte & 0xC0 != 0x80);
    start.map_or(0, |start| match std::str::from_utf8(&tail[start..]) {
        Err(error) if error.error_len().is_none() => tail.len() - start,
        _ => 0,
    })
}

impl Tokenizer {
    /// The text of ids, and where in it each of them begins and ends, in characters.
    ///
    /// All ids of one character cover it. Bytes that are no text become U+FFFD, as when all is decoded.
    pub fn decode_with_offsets(&self, ids: &[u32]) -> Result<(String, Vec<(usize, usize)>)> {
        ids.iter().try_for_each(|&id| self.check_id(id))?;
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let mut spans: Vec<Option<(usize, usize)>> = vec![None; ids.len()];
        let mut take = |number: Option<usize>, part: &[u8]| {
            let start = bytes.len();
            bytes.extend_from_slice(part);
            if let Some(span) = number.and_then(|number| spans.get_mut(number)) {
                *span = Some((span.map_or(start, |(start, _)| start), bytes.len()));
            }
        };
        let mut joiner = Joiner::new(self);
        for &id in ids {
            joiner.push(self, id, &mut take);
        }
        joiner.finish(self, &mut take);
        let spans = {
            let mut characters = Characters::new(&bytes);
            let mut end = 0;
            let placed = spans.into_iter().map(|span| {
                // An id that a step has dropped stands for nothing, after the one before it.
                let span = span.unwrap_or((end, end));
                end = span.1;
                characters.span(span.0, span.1)
            });
            placed.collect()
        };
        Ok((to_text(&bytes).into_owned(), spans))
    }
}

/// Counts the characters of bytes on the way through them; what is not UTF-8 counts as U+FFFD.
struct Characters<'a> {
    /// The length of each character, in bytes.
    lengths: Box<dyn Iterator<Item = usize> + 'a>,
    /// The first character that ends after the place looked for last: its number, start and end.
    number: usize,
    start: usize,
    end: usize,
}

impl<'a> Characters<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let lengths = bytes.utf8_chunks().flat_map(|chunk| {
            let invalid = chunk.invalid().len();
            chunk.valid().chars().map(char::len_utf8).chain((invalid > 0).then_some(invalid))
        });
        let mut lengths: Box<dyn Iterator<Item = usize> + 'a> = Box::new(lengths);
        let end = lengths.next().unwrap_or(0);
        Self { lengths, number: 0, start: 0, end }
    }

    /// The characters of which any byte lies between two places; both must not go back.
    fn span(&mut self, start: usize, end: usize) -> (usize, usize) {
        let first = self.at(start);
        if start == end {
            return (first, first);
        }
        (first, self.at(end - 1) + 1)
    }

    /// The number of the character that holds a byte.
    fn at(&mut self, byte: usize) -> usize {
        while byte >= self.end {
            let Some(length) = self.lengths.next() else {
                // Past the last byte; only an id without bytes asks for it.
                return self.number + usize::from(self.end > self.start);
            };
            self.number += 1;
            (self.start, self.end) = (self.end, self.end + length);
        }
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_become_a_character_is_held_back() {
        for (bytes, held) in [
            (&b"a"[..], 0),
            (b"a\xC3", 1),
            (b"\xE2\xAD", 2),
            (b"\xF0\x9F\x98", 3),
            (b"\xF0\x9F\x98\x80", 0),
            (b"\xC3\xA9", 0),
            // None of these can be the start of a character.
            (b"\xFF", 0),
            (b"\xE0\x80", 0),
            (b"\xED\xA0", 0),
            (b"\x80\x80\x80", 0),
            (b"", 0),
        ] {
            assert_eq!(begun_character(bytes), held, "{bytes:?}");
        }
    }

    #[test]
    fn characters_hold_their_bytes() {
        let mut characters = Characters::new(b"a\xC3\xA9\xFF\xE2\x82b");
        assert_eq!(characters.span(0, 0), (0, 0));
        assert_eq!(characters.span(0, 2), (0, 2));
        assert_eq!(characters.span(2, 3), (1, 2));
        assert_eq!(characters.span(3, 5), (2, 4));
        assert_eq!(characters.span(5, 7), (3, 5));
        assert_eq!(characters.span(7, 7), (5, 5));
        assert_eq!(Characters::new(b"").span(0, 0), (0, 0));
    }
}
