//! Text to normalized text: replacements of characters, then what is done with spaces.

use super::{NormalizerSettings, SPACE};
use crate::formats::precompiled::CharacterMap;
use crate::unigram::trie::Trie;

/// The rules, with what is needed to apply them fast.
#[derive(Clone, Debug)]
pub(super) struct Normalizer {
    settings: NormalizerSettings,
    space_at_end: bool,
    /// Text that is left as it is.
    kept: Trie,
    /// Bytes that are copied if another byte of ASCII, or nothing, follows.
    plain: [bool; 256],
}

impl Normalizer {
    pub(super) fn new(settings: &NormalizerSettings, space_at_end: bool, kept: &[&[u8]]) -> Self {
        let map = settings.map.as_ref();
        let is_plain = |byte: u8| {
            byte.is_ascii()
                && map.is_none_or(|map| map.is_plain(byte))
                && kept.iter().all(|text| text.first() != Some(&byte))
        };
        Self {
            settings: settings.clone(),
            space_at_end,
            kept: Trie::new(kept.iter().map(|&text| (text, 0))),
            plain: std::array::from_fn(|byte| is_plain(byte as u8)),
        }
    }

    fn map(&self) -> Option<&CharacterMap> {
        self.settings.map.as_ref()
    }

    /// The length of the text that is left as it is at the beginning of `text`.
    #[inline]
    pub(super) fn kept(&self, text: &str) -> Option<usize> {
        self.kept.prefixes(text.as_bytes()).last().map(|(length, _)| length)
    }

    /// What the beginning of a text becomes, and how many bytes it has.
    #[inline]
    fn first<'a>(&'a self, text: &'a str) -> (&'a str, usize) {
        if let Some(length) = self.kept(text) {
            return (&text[..length], length);
        }
        if let Some(replaced) = self.map().and_then(|map| map.longest(text)) {
            return (replaced.text, replaced.length);
        }
        let length = text.chars().next().map_or(0, char::len_utf8);
        (&text[..length], length)
    }

    /// Whether the byte at a place is copied as it is.
    #[inline]
    fn is_plain_at(&self, bytes: &[u8], at: usize) -> bool {
        self.plain[bytes[at] as usize] && bytes.get(at + 1).is_none_or(u8::is_ascii)
    }

    /// The end of the bytes from `at` that are copied as they are and are no spaces.
    #[inline]
    fn plain_end(&self, bytes: &[u8], at: usize) -> usize {
        let is_plain = |&&byte: &&u8| self.plain[byte as usize] && byte != b' ';
        let end = at + bytes[at..].iter().take_while(is_plain).count();
        // The last one may be changed together with what follows.
        if end > at && bytes.get(end).is_some_and(|next| !next.is_ascii()) { end - 1 } else { end }
    }

    /// Appends the normalized text, and with `ALIGN` the place in `text` of each of its bytes and of its
    /// end.
    pub(super) fn normalize<const ALIGN: bool>(
        &self,
        text: &str,
        normalized: &mut String,
        places: &mut Vec<usize>,
    ) {
        let settings = &self.settings;
        let mut at = 0;
        if settings.remove_extra_whitespaces {
            while at < text.len()
                && let (" ", length) = self.first(&text[at..])
            {
                at += length;
            }
        }
        if at == text.len() {
            return;
        }
        normalized.reserve(text.len() + text.len() / 4 + SPACE.len());
        let mut output =
            Output::<ALIGN> { normalized, places, escape: settings.escape_whitespaces };
        let start = output.normalized.len();
        if settings.add_dummy_prefix && !self.space_at_end {
            output.space(at);
        }
        let end = self.copy(text, at, &mut output);
        let end = if settings.remove_extra_whitespaces { output.trim(start, end) } else { end };
        if settings.add_dummy_prefix && self.space_at_end {
            output.space(end);
        }
        if ALIGN {
            output.places.push(end);
        }
    }

    /// Appends all from a place on; returns where it ended.
    fn copy<const ALIGN: bool>(
        &self,
        text: &str,
        mut at: usize,
        output: &mut Output<'_, ALIGN>,
    ) -> usize {
        let bytes = text.as_bytes();
        let mut after_space = self.settings.remove_extra_whitespaces;
        while at < bytes.len() {
            let end = self.plain_end(bytes, at);
            if end > at {
                output.run(&text[at..end], at);
                (at, after_space) = (end, false);
                continue;
            }
            let (mut replaced, length) = if bytes[at] == b' ' && self.is_plain_at(bytes, at) {
                (" ", 1)
            } else {
                self.first(&text[at..])
            };
            if after_space {
                replaced = replaced.trim_start_matches(' ');
            }
            if !replaced.is_empty() {
                output.replaced(replaced, at);
                after_space = self.settings.remove_extra_whitespaces && replaced.ends_with(' ');
            }
            at += length;
        }
        at
    }
}

/// The normalized text so far, and the place in the text of each byte of it.
struct Output<'a, const ALIGN: bool> {
    normalized: &'a mut String,
    places: &'a mut Vec<usize>,
    escape: bool,
}

impl<const ALIGN: bool> Output<'_, ALIGN> {
    fn push(&mut self, text: &str, place: usize) {
        self.normalized.push_str(text);
        if ALIGN {
            self.places.resize(self.places.len() + text.len(), place);
        }
    }

    fn space(&mut self, place: usize) {
        self.push(if self.escape { SPACE } else { " " }, place);
    }

    /// Text without spaces that stays as it is.
    fn run(&mut self, text: &str, place: usize) {
        self.normalized.push_str(text);
        if ALIGN {
            self.places.extend(place..place + text.len());
        }
    }

    fn replaced(&mut self, text: &str, place: usize) {
        if !self.escape {
            return self.push(text, place);
        }
        for (number, part) in text.split(' ').enumerate() {
            if number > 0 {
                self.space(place);
            }
            self.push(part, place);
        }
    }

    /// Takes spaces away from the end; returns where the rest ended in the text.
    fn trim(&mut self, start: usize, mut end: usize) -> usize {
        let space = if self.escape { SPACE } else { " " };
        while self.normalized[start..].ends_with(space) {
            self.normalized.truncate(self.normalized.len() - space.len());
            if ALIGN {
                let length = self.places.len() - space.len();
                end = self.places[length];
                self.places.truncate(length);
            }
        }
        end
    }
}
