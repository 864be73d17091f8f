//! A text that remembers which part of its source each of its bytes came from.

use std::ops::Range;

/// A place in the source: where it begins and ends, in bytes.
pub type Span = (usize, usize);

/// A changed text. The spans of its bytes are kept only where they are asked for, because they take sixteen
/// times the room of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aligned {
    text: String,
    /// One for each byte of the text, or none at all.
    spans: Vec<Span>,
    tracked: bool,
}

impl Aligned {
    /// The part of `source` at `range`, not changed yet.
    pub fn new(source: &str, range: Range<usize>, tracked: bool) -> Self {
        let text = source[range.clone()].to_owned();
        let mut spans = Vec::new();
        if tracked {
            spans.reserve_exact(text.len());
            for (start, character) in text.char_indices() {
                let start = range.start + start;
                let length = character.len_utf8();
                spans.resize(spans.len() + length, (start, start + length));
            }
        }
        Self { text, spans, tracked }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part of the source that some bytes of the text came from; `None` if that was not kept.
    pub fn span(&self, bytes: Range<usize>) -> Option<Span> {
        if bytes.is_empty() {
            let place = match self.spans.get(bytes.start) {
                Some(&(start, _)) => start,
                None => self.spans.last()?.1,
            };
            return Some((place, place));
        }
        Some((self.spans.get(bytes.start)?.0, self.spans.get(bytes.end - 1)?.1))
    }

    /// Part of the text.
    #[must_use]
    pub fn part(&self, bytes: Range<usize>) -> Self {
        let spans = self.spans.get(bytes.clone()).unwrap_or_default().to_vec();
        Self { text: self.text[bytes].to_owned(), spans, tracked: self.tracked }
    }

    /// Writes the text anew.
    pub fn rewrite(&mut self, write: impl FnOnce(&str, &mut Rewriter<'_>)) {
        let mut rewriter = Rewriter {
            source: &self.text,
            text: String::with_capacity(self.text.len() + 8),
            spans: Vec::with_capacity(self.spans.len()),
            old: self.tracked.then_some(&self.spans),
        };
        write(&self.text, &mut rewriter);
        let Rewriter { text, spans, .. } = rewriter;
        self.text = text;
        self.spans = spans;
    }

    /// Applies the changes of a normalization form: for each new character, how many old ones it takes the
    /// place of, less one; a character that was not there before is 1.
    pub fn transform(&mut self, changes: impl FnOnce(&str, &mut dyn FnMut(char, isize))) {
        self.rewrite(|text, rewriter| {
            let mut at = 0_usize;
            let length = |at: usize| text[at..].chars().next().map_or(0, char::len_utf8);
            changes(text, &mut |character, change| {
                if change > 0 {
                    rewriter.put(character, at.saturating_sub(1));
                    return;
                }
                rewriter.put(character, at);
                for _ in 0..=change.unsigned_abs() {
                    at += length(at);
                }
            });
        });
    }
}

/// Takes down the new text.
#[derive(Debug)]
pub struct Rewriter<'a> {
    source: &'a str,
    text: String,
    spans: Vec<Span>,
    old: Option<&'a Vec<Span>>,
}

impl Rewriter<'_> {
    /// Appends a character that stands for byte `at` of the old text.
    pub fn put(&mut self, character: char, at: usize) {
        self.text.push(character);
        if let Some(old) = self.old {
            let span = old.get(at).or(old.last()).copied().unwrap_or_default();
            self.spans.resize(self.spans.len() + character.len_utf8(), span);
        }
    }

    /// Appends part of the old text.
    pub fn keep(&mut self, bytes: Range<usize>) {
        self.text.push_str(&self.source[bytes.clone()]);
        if let Some(old) = self.old {
            self.spans.extend_from_slice(&old[bytes]);
        }
    }

    /// The bytes that were written so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_know_the_characters_they_came_from() {
        let source = "xéa";
        let mut aligned = Aligned::new(source, 1..4, true);
        aligned.transform(|_, put| {
            put('e', 0);
            put('\u{301}', 1);
            put('a', 0);
        });
        assert_eq!(aligned.text(), "e\u{301}a");
        assert_eq!(aligned.span(0..1), Some((1, 3)));
        assert_eq!(aligned.span(1..4), Some((1, 4)));
        assert_eq!(aligned.span(3..4), Some((3, 4)));
        assert_eq!(aligned.span(4..4), Some((4, 4)));
        assert_eq!(Aligned::new(source, 0..1, false).span(0..1), None);
    }

    #[test]
    fn what_is_joined_stands_for_its_first_part_and_what_is_dropped_for_nothing() {
        let mut aligned = Aligned::new("e\u{301}!", 0..4, true);
        aligned.transform(|_, put| {
            put('é', -1);
            put('!', 0);
        });
        assert_eq!((aligned.span(0..2), aligned.span(2..3)), (Some((0, 1)), Some((3, 4))));
        aligned.rewrite(|_, rewriter| rewriter.keep(2..3));
        assert_eq!((aligned.text(), aligned.span(0..1)), ("!", Some((3, 4))));
    }
}
