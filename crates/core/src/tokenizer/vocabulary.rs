//! Tokens and their ids.

use std::fmt::Write;

use rustc_hash::FxHashMap;

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Its bytes, which are part of a text.
    Ordinary,
    /// Its bytes, which may be none, and the end of a word after them.
    EndsWord,
    /// A byte of a character that has no token; shown as `<0xNN>`.
    Byte,
    /// Its bytes, which are part of a text where they are found before it is cut; no model forms it.
    Added,
    /// Text that has no token; its bytes are only a name.
    Unknown,
    /// Nothing in a text; its bytes are only a name.
    Special,
    /// Nothing at all: an id that vocabularies with gaps leave out.
    Absent,
}

/// The most ids that a vocabulary may leave out; bounds the memory that a file of few tokens can ask for.
pub const MOST_ABSENT: usize = 1 << 20;

/// All tokens in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    text: Vec<u8>,
    ends: Vec<usize>,
    kinds: Vec<TokenKind>,
    absent: usize,
    marker: Option<String>,
    /// Ids of tokens that stand for text, by their bytes.
    ordinary: FxHashMap<Box<[u8]>, u32>,
    ends_word: FxHashMap<Box<[u8]>, u32>,
    named: FxHashMap<Box<[u8]>, u32>,
}

impl Vocabulary {
    /// No tokens yet; `marker` is shown for the end of a word.
    pub fn new(marker: Option<String>) -> Self {
        Self { marker, ..Self::default() }
    }

    /// The number of ids, which run from 0 to one less; those that are left out count too.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether a token has this id.
    #[inline]
    pub fn has(&self, id: u32) -> bool {
        self.kinds.get(id as usize).is_some_and(|&kind| kind != TokenKind::Absent)
    }

    /// The ids of all tokens.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&id| self.kind(id) != TokenKind::Absent)
    }

    /// Leaves ids out, so that the next token gets this one. `false` and no change if there is a token of
    /// this id already, or too many ids would be left out.
    #[must_use]
    pub fn skip_to(&mut self, id: u32) -> bool {
        let gap = (id as usize).checked_sub(self.len());
        let Some(gap) = gap.filter(|gap| self.absent + gap <= MOST_ABSENT) else { return false };
        self.absent += gap;
        self.ends.resize(self.ends.len() + gap, self.text.len());
        self.kinds.resize(self.kinds.len() + gap, TokenKind::Absent);
        true
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What is shown for the end of a word.
    pub fn marker(&self) -> Option<&str> {
        self.marker.as_deref()
    }

    /// Appends a token and returns its id.
    pub fn push(&mut self, bytes: &[u8], kind: TokenKind) -> u32 {
        let id = self.len() as u32;
        self.text.extend_from_slice(bytes);
        self.ends.push(self.text.len());
        self.kinds.push(kind);
        let name: Box<[u8]> =
            if kind == TokenKind::Byte { self.shown(id).into() } else { bytes.into() };
        let ids = match kind {
            TokenKind::Ordinary => &mut self.ordinary,
            TokenKind::EndsWord => &mut self.ends_word,
            _ => &mut self.named,
        };
        ids.entry(name).or_insert(id);
        id
    }

    /// The id of the token that two tokens form; it is new unless another pair formed the same before.
    pub fn push_merged(&mut self, left: u32, right: u32) -> u32 {
        let (bytes, kind) = self.merged(left, right);
        self.find(&bytes, kind).unwrap_or_else(|| self.push(&bytes, kind))
    }

    /// What two tokens form.
    pub fn merged(&self, left: u32, right: u32) -> (Vec<u8>, TokenKind) {
        ([self.bytes(left), self.bytes(right)].concat(), self.kind(right))
    }

    /// The id of a token of this kind.
    pub fn find(&self, bytes: &[u8], kind: TokenKind) -> Option<u32> {
        let ids = match kind {
            TokenKind::Ordinary => &self.ordinary,
            TokenKind::EndsWord => &self.ends_word,
            _ => &self.named,
        };
        ids.get(bytes).copied()
    }

    /// The bytes of a token, without a marker.
    #[inline]
    pub fn bytes(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start..self.ends[id]]
    }

    /// What a token stands for.
    #[inline]
    pub fn kind(&self, id: u32) -> TokenKind {
        self.kinds[id as usize]
    }

    /// The bytes of a token as it is shown: with its marker.
    pub fn shown(&self, id: u32) -> Vec<u8> {
        if self.kind(id) == TokenKind::Byte {
            return format!("<0x{:02X}>", self.bytes(id)[0]).into_bytes();
        }
        let mut shown = self.bytes(id).to_vec();
        if self.kind(id) == TokenKind::EndsWord {
            shown.extend_from_slice(self.marker.as_deref().unwrap_or_default().as_bytes());
        }
        shown
    }

    /// The id of a token as it is shown. Where several look the same, special and unknown tokens come
    /// first, then ordinary ones.
    pub fn id_of(&self, shown: &[u8]) -> Option<u32> {
        let named = self.named.get(shown).or_else(|| self.ordinary.get(shown));
        named.copied().or_else(|| {
            let bytes = shown.strip_suffix(self.marker.as_deref()?.as_bytes())?;
            self.ends_word.get(bytes).copied()
        })
    }

    /// A token as text; bytes that are no text on their own are written `\\xNN`.
    pub fn text(&self, id: u32) -> String {
        let shown = self.shown(id);
        let mut text = String::with_capacity(shown.len());
        for chunk in shown.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                // Writing to memory does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        text
    }

    /// The id of a token as [`text`](Self::text) writes it.
    pub fn id_of_text(&self, text: &str) -> Option<u32> {
        self.id_of(text.as_bytes()).or_else(|| self.id_of(&unescape(text)?))
    }
}

/// Turns `\\xNN` into bytes; `None` if there is none.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(place) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..place]);
        let digits = rest.get(place + 2..place + 4)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[place + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes.len() < text.len()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_written_as_numbers() {
        let mut vocabulary = Vocabulary::new(Some("</w>".to_owned()));
        for token in [b"a".as_slice(), b"\xC3", b" \xE2\x82"] {
            vocabulary.push(token, TokenKind::Ordinary);
        }
        let end = vocabulary.push(b"a", TokenKind::EndsWord);
        assert_eq!(vocabulary.text(2), " \\xe2\\x82");
        assert_eq!(vocabulary.text(end), "a</w>");
        for id in 0..4 {
            assert_eq!(vocabulary.id_of_text(&vocabulary.text(id)), Some(id));
        }
        assert_eq!(vocabulary.id_of_text("\\xZ"), None);
    }

    #[test]
    fn ids_can_be_left_out_but_not_without_end() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.skip_to(2));
        assert_eq!(vocabulary.push(b"a", TokenKind::Ordinary), 2);
        assert!(vocabulary.skip_to(3));
        assert!(!vocabulary.skip_to(2));
        assert!(!vocabulary.skip_to(u32::MAX));
        assert_eq!(vocabulary.push(b"<s>", TokenKind::Special), 3);
        assert_eq!(vocabulary.ids().collect::<Vec<_>>(), [2, 3]);
        assert!(!vocabulary.has(1) && vocabulary.has(2) && !vocabulary.has(4));
        assert_eq!((vocabulary.bytes(1), vocabulary.bytes(2)), (&b""[..], &b"a"[..]));
        assert_eq!(vocabulary.id_of(b""), None);
    }
}
