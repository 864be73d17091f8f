//! What a piece starts as in vocabularies that write characters in several ways, or spell them in bytes.

use rustc_hash::FxHashMap;

use super::Unseen;

/// No token.
const NONE: u32 = u32::MAX;

/// The tokens that a piece starts as, for vocabularies with more rules than one token a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// What is written in front of tokens that do not begin a piece.
    pub continuing_prefix: Option<String>,
    /// What is written after tokens that end a piece.
    pub end_suffix: Option<String>,
    /// Whether unknown characters next to each other are one unknown token.
    pub fuse_unknown: bool,
    /// The id of each byte, for characters that have no token; empty if there are none.
    bytes: Box<[u32]>,
    /// Characters inside a piece, at its start, at its end, and alone.
    characters: [FxHashMap<char, u32>; 4],
}

impl Spelling {
    /// The spelling of a vocabulary whose tokens are given as files write them.
    pub fn new<'a>(
        tokens: impl Iterator<Item = (u32, &'a str)>,
        continuing_prefix: Option<String>,
        end_suffix: Option<String>,
        fuse_unknown: bool,
        byte_fallback: bool,
    ) -> Self {
        let mut spelling = Self {
            continuing_prefix: continuing_prefix.filter(|prefix| !prefix.is_empty()),
            end_suffix: end_suffix.filter(|suffix| !suffix.is_empty()),
            fuse_unknown,
            bytes: vec![NONE; if byte_fallback { 256 } else { 0 }].into(),
            characters: Default::default(),
        };
        for (id, token) in tokens {
            spelling.add(id, token, byte_fallback);
        }
        spelling
    }

    fn add(&mut self, id: u32, token: &str, byte_fallback: bool) {
        let byte = crate::tokenizer::decoders::byte_of_name(token.as_bytes());
        if let Some(byte) = byte.filter(|byte| byte_fallback && token == format!("<0x{byte:02X}>"))
        {
            self.bytes[byte as usize] = id;
        }
        for place in 0..4 {
            let prefix = self.continuing_prefix.as_deref().filter(|_| place & 1 == 0);
            let suffix = self.end_suffix.as_deref().filter(|_| place & 2 != 0);
            let inner = token.strip_prefix(prefix.unwrap_or_default());
            let inner = inner.and_then(|inner| inner.strip_suffix(suffix.unwrap_or_default()));
            let mut characters = inner.unwrap_or_default().chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                self.characters[place].insert(character, id);
            }
        }
    }

    /// Whether characters without a token are spelled in bytes.
    pub fn byte_fallback(&self) -> bool {
        !self.bytes.is_empty()
    }

    fn character(&self, character: char, is_first: bool, is_last: bool) -> Option<u32> {
        let place = usize::from(is_first) | usize::from(is_last) << 1;
        self.characters[place].get(&character).copied()
    }

    /// Appends the bytes of a character, with the suffix if it is the last; `false` if one has no token.
    fn spell(
        &self,
        character: char,
        is_first: bool,
        is_last: bool,
        symbols: &mut Vec<u32>,
    ) -> bool {
        if self.bytes.is_empty() {
            return false;
        }
        let before = symbols.len();
        let affix = |affix: &Option<String>, is_used: bool| {
            affix.clone().filter(|_| is_used).unwrap_or_default()
        };
        let text = affix(&self.continuing_prefix, !is_first)
            + character.encode_utf8(&mut [0; 4])
            + &affix(&self.end_suffix, is_last);
        symbols.extend(text.bytes().map(|byte| self.bytes[byte as usize]));
        if symbols[before..].contains(&NONE) {
            symbols.truncate(before);
            return false;
        }
        true
    }

    /// Appends what a piece starts as.
    pub(super) fn symbols(
        &self,
        piece: &str,
        unknown: Option<u32>,
        symbols: &mut Vec<u32>,
    ) -> Result<(), Unseen> {
        let mut after_unknown = false;
        for (offset, character) in piece.char_indices() {
            let is_first = offset == 0;
            let is_last = offset + character.len_utf8() == piece.len();
            if let Some(id) = self.character(character, is_first, is_last) {
                symbols.push(id);
                after_unknown = false;
            } else if self.spell(character, is_first, is_last, symbols) {
                after_unknown = false;
            } else {
                let id = unknown.ok_or(Unseen { character, offset })?;
                if !(after_unknown && self.fuse_unknown) {
                    symbols.push(id);
                }
                after_unknown = true;
            }
        }
        Ok(())
    }

    /// The bytes that the unknown token at `at` in a piece stands for.
    pub fn unknown_length(&self, piece: &str, at: usize) -> usize {
        let mut end = at;
        for (offset, character) in piece[at..].char_indices() {
            let length = character.len_utf8();
            let is_last = at + offset + length == piece.len();
            let is_known = self.character(character, at + offset == 0, is_last).is_some()
                || self.spell(character, at + offset == 0, is_last, &mut Vec::new());
            if offset > 0 && (is_known || !self.fuse_unknown) {
                break;
            }
            end += length;
        }
        end - at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(spelling: &Spelling, piece: &str) -> Vec<u32> {
        let mut symbols = Vec::new();
        spelling.symbols(piece, Some(99), &mut symbols).unwrap();
        symbols
    }

    #[test]
    fn where_a_character_stands_decides() {
        let tokens = ["a", "##a", "a</w>", "##a</w>", "b"];
        let tokens = || tokens.into_iter().zip(0..).map(|(token, id)| (id, token));
        let (prefix, suffix) = (Some("##".to_owned()), Some("</w>".to_owned()));
        let spelling = Spelling::new(tokens(), prefix, suffix.clone(), true, false);
        assert_eq!(symbols(&spelling, "aaa"), [0, 1, 3]);
        assert_eq!(symbols(&spelling, "a"), [2]);
        assert_eq!(symbols(&spelling, "bxya"), [4, 99, 3]);
        assert_eq!(spelling.unknown_length("bxya", 1), 2);
        let spelling = Spelling::new(tokens(), None, suffix, false, false);
        assert_eq!(symbols(&spelling, "xyaa"), [99, 99, 0, 2]);
        assert_eq!(spelling.unknown_length("xyaa", 0), 1);
    }

    #[test]
    fn bytes_take_the_place_of_characters() {
        let tokens = ["a", "<0xC3>", "<0xA9>", "<0xc4>"];
        let tokens = tokens.into_iter().zip(0..).map(|(token, id)| (id, token));
        let spelling = Spelling::new(tokens, None, None, false, true);
        assert_eq!(symbols(&spelling, "aéĀ"), [0, 1, 2, 99]);
        assert!(spelling.symbols("Ā", None, &mut Vec::new()).is_err());
    }
}
