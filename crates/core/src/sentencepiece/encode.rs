//! Text to ids.

use std::ops::Range;

use super::cache::PADDING;
use super::words::Parts;
use super::{Cutter, SPACE, SentencePiece};
use crate::error::Result;
use crate::unigram::model::Found;

/// Asked now and then whether to go on.
pub(super) type Look<'a> = dyn FnMut() -> Result<()> + 'a;

/// Room to work in and a memory of words, kept from text to text of one tokenizer.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    normalized: String,
    parts: Parts,
}

/// Takes tokens as they are found.
pub(super) struct Taker<'a> {
    pub(super) tokenizer: &'a SentencePiece,
    /// The normalized text.
    pub(super) text: &'a str,
    ids: &'a mut Vec<u32>,
    /// The places of tokens in the normalized text, if they are wanted.
    places: Option<Vec<Range<usize>>>,
    after_unknown: bool,
}

impl Taker<'_> {
    fn push(&mut self, id: u32, place: Range<usize>) {
        self.ids.push(id);
        if let Some(places) = &mut self.places {
            places.push(place);
        }
    }

    /// Takes a token. Unknown characters next to each other become one token, or each becomes its bytes.
    pub(super) fn take(&mut self, found: Found) {
        let place = found.start..found.end;
        let id = found.id.unwrap_or(self.tokenizer.unknown);
        let is_unknown = id == self.tokenizer.unknown;
        match &self.tokenizer.bytes {
            Some(bytes) if is_unknown => {
                for &byte in &self.text.as_bytes()[place.clone()] {
                    self.push(bytes[byte as usize], place.clone());
                }
            }
            _ if is_unknown && self.after_unknown => {
                if let Some(last) = self.places.as_mut().and_then(|places| places.last_mut()) {
                    last.end = place.end;
                }
            }
            _ => self.push(id, place),
        }
        self.after_unknown = is_unknown;
    }

    /// Takes tokens of which none is unknown; only where places are not wanted.
    #[inline]
    pub(super) fn take_known(&mut self, ids: &[u32]) {
        self.ids.extend_from_slice(ids);
        self.after_unknown = false;
    }

    /// Whether it must be known where tokens are.
    pub(super) fn wants_places(&self) -> bool {
        self.places.is_some()
    }
}

impl SentencePiece {
    /// Appends the ids of a text.
    pub(crate) fn encode(
        &self,
        text: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let Scratch { normalized, parts } = scratch;
        normalized.clear();
        self.normalizer.normalize::<false>(text, normalized, &mut Vec::new());
        self.cut(normalized, parts, ids, None, look).map(drop)
    }

    /// The bytes of the text that each of its ids stands for; all tokens of one character have its place.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let (mut normalized, mut places) = (String::new(), Vec::new());
        self.normalizer.normalize::<true>(text, &mut normalized, &mut places);
        let (mut parts, mut ids) = (Parts::default(), Vec::new());
        // Only the caller's wish to stop can end this early, and nobody is asked.
        let found =
            self.cut(&mut normalized, &mut parts, &mut ids, Some(Vec::new()), &mut || Ok(()));
        let found = found.ok().flatten().unwrap_or_default();
        let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
        // A token that ends inside what one character became covers that character.
        let end_of = |end: usize| {
            let last = place(end.saturating_sub(1));
            let next = places[end.min(places.len())..].iter().find(|&&place| place > last);
            next.copied().unwrap_or(text.len())
        };
        found.into_iter().map(|one| place(one.start)..end_of(one.end)).collect()
    }

    fn cut(
        &self,
        normalized: &mut String,
        parts: &mut Parts,
        ids: &mut Vec<u32>,
        places: Option<Vec<Range<usize>>>,
        look: &mut Look<'_>,
    ) -> Result<Option<Vec<Range<usize>>>> {
        let length = normalized.len();
        normalized.extend(std::iter::repeat_n('\0', PADDING));
        let text = &normalized[..length];
        let mut taker = Taker { tokenizer: self, text, ids, places, after_unknown: false };
        match &self.cutter {
            Cutter::Unigram(model) if self.cut_at_spaces => {
                parts.cut_words(model.as_ref(), normalized, &mut taker, look)?;
            }
            Cutter::Bpe(model) if self.cut_at_spaces => {
                parts.cut_words(model.as_ref(), normalized, &mut taker, look)?;
            }
            Cutter::Unigram(model) => {
                model.search(text, 0.0, &mut parts.unigram, look, |found| taker.take(found))?;
            }
            Cutter::Bpe(model) => {
                model.merge(text, &mut parts.merges, look, || false, |found| taker.take(found))?;
            }
            Cutter::Word(words) => cut_with(text, look, &mut taker, |rest| {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let end = rest[first..].find(SPACE).map_or(rest.len(), |next| first + next);
                (end, words.get(&rest.as_bytes()[..end]).copied())
            })?,
            Cutter::Char(characters) => cut_with(text, look, &mut taker, |rest| {
                let first = || rest.chars().next().map_or(0, char::len_utf8);
                let end = self.normalizer.kept(rest).unwrap_or_else(first);
                (end, characters.get(&rest.as_bytes()[..end]).copied())
            })?,
        }
        Ok(taker.places)
    }
}

/// Tokens between two looks at the wish to stop.
const TOKENS_PER_LOOK: usize = 1 << 14;

/// Cuts with a rule that gives the length and the id of the next token.
fn cut_with(
    text: &str,
    look: &mut Look<'_>,
    taker: &mut Taker<'_>,
    next: impl Fn(&str) -> (usize, Option<u32>),
) -> Result<()> {
    let (mut start, mut count) = (0, 0);
    while start < text.len() {
        let (length, id) = next(&text[start..]);
        taker.take(Found { id, start, end: start + length });
        start += length;
        count += 1;
        if count % TOKENS_PER_LOOK == 0 {
            look()?;
        }
    }
    Ok(())
}
