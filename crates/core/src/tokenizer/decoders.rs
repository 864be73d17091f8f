//! From tokens back to text, in the vocabulary of Hugging Face tokenizers.
//!
//! A step looks at the tokens of a text as a list of strings of bytes. They are bytes, not text, so that a
//! character that is spread over several byte tokens comes back, and half a character is not lost.

use memchr::memmem;

use super::Tokenizer;
use super::vocabulary::TokenKind;
use crate::error::Result;
use crate::formats::byte_alphabet;
use crate::split::matcher::{Matcher, Pattern};
use crate::split::pre_tokenizer::Prepend;

/// One step, or several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// The stand-ins of bytes become these bytes; joins everything.
    ByteLevel,
    /// Tokens with the prefix go on with the word before them, others begin a word.
    WordPiece {
        /// The prefix.
        prefix: String,
        /// Whether spaces before punctuation and in contractions of English are dropped.
        cleanup: bool,
    },
    /// The visible character becomes a space again.
    Metaspace {
        /// The visible character.
        replacement: char,
        /// Unless it is never, the first one was put there by the tokenizer.
        prepend: Prepend,
        /// Has no influence here.
        split: bool,
    },
    /// Tokens such as `<0x41>` become these bytes.
    ByteFallback,
    /// Joins everything.
    Fuse,
    /// Drops a character at the ends.
    Strip {
        /// The character.
        content: char,
        /// As many at the start of each string.
        start: usize,
        /// As many at its end.
        stop: usize,
    },
    /// Each match becomes the text.
    Replace(Matcher, String),
    /// For models that give a token for each moment of a sound.
    Ctc {
        /// It stands between equal letters.
        pad_token: String,
        /// It stands between words.
        word_delimiter_token: String,
        /// As for [`Decoder::WordPiece`].
        cleanup: bool,
    },
    /// The suffix becomes a space, except at the end.
    Bpe {
        /// The suffix.
        suffix: String,
    },
    /// One after the other.
    Sequence(Vec<Decoder>),
}

pub(super) type Tokens = Vec<Vec<u8>>;

impl Decoder {
    /// Whether the first step takes bytes as they are.
    pub(super) fn begins_with_bytes(&self) -> bool {
        match self {
            Self::ByteLevel => true,
            Self::Sequence(steps) => steps.first().is_some_and(Self::begins_with_bytes),
            _ => false,
        }
    }

    pub(super) fn apply(&self, tokens: Tokens) -> Tokens {
        match self {
            Self::ByteLevel => {
                vec![tokens.iter().flat_map(|token| from_stand_ins(token)).collect()]
            }
            Self::WordPiece { prefix, cleanup } => word_pieces(tokens, prefix, *cleanup),
            Self::Metaspace { replacement, prepend, .. } => {
                let space_first = *prepend == Prepend::Never;
                metaspace(&tokens, *replacement, space_first)
            }
            Self::ByteFallback => byte_fallback(tokens),
            Self::Fuse => vec![tokens.concat()],
            Self::Strip { content, start, stop } => {
                tokens.into_iter().map(|token| strip(token, *content, *start, *stop)).collect()
            }
            Self::Replace(matcher, content) => {
                tokens.iter().map(|token| replace_matches(token, matcher, content)).collect()
            }
            Self::Ctc { pad_token, word_delimiter_token, cleanup } => {
                ctc(tokens, pad_token, word_delimiter_token, *cleanup)
            }
            Self::Bpe { suffix } => {
                let last = tokens.len().saturating_sub(1);
                let to = |index| if index == last { "" } else { " " };
                let tokens = tokens.iter().enumerate();
                tokens.map(|(index, token)| replace(token, suffix, to(index))).collect()
            }
            Self::Sequence(steps) => steps.iter().fold(tokens, |tokens, step| step.apply(tokens)),
        }
    }
}

/// A token that is not all stand-ins stands for itself.
fn from_stand_ins(token: &[u8]) -> Vec<u8> {
    let bytes = byte_alphabet::bytes();
    let text = std::str::from_utf8(token).ok();
    let found = text.and_then(|text| text.chars().map(|character| bytes.byte(character)).collect());
    found.unwrap_or_else(|| token.to_vec())
}

fn replace(token: &[u8], from: &str, to: &str) -> Vec<u8> {
    if from.is_empty() {
        return token.to_vec();
    }
    let mut replaced = Vec::with_capacity(token.len());
    let mut at = 0;
    for place in memmem::find_iter(token, from) {
        replaced.extend_from_slice(&token[at..place]);
        replaced.extend_from_slice(to.as_bytes());
        at = place + from.len();
    }
    replaced.extend_from_slice(&token[at..]);
    replaced
}

fn replace_matches(token: &[u8], matcher: &Matcher, content: &str) -> Vec<u8> {
    if let Pattern::Literal(from) = matcher.pattern() {
        return replace(token, from, content);
    }
    let mut replaced = Vec::with_capacity(token.len());
    for chunk in token.utf8_chunks() {
        let (text, mut from) = (chunk.valid(), 0);
        while let Some((start, end)) = matcher.next(text, from) {
            replaced.extend_from_slice(&text.as_bytes()[from..start]);
            replaced.extend_from_slice(content.as_bytes());
            from = end;
        }
        replaced.extend_from_slice(&text.as_bytes()[from..]);
        replaced.extend_from_slice(chunk.invalid());
    }
    replaced
}

/// The replacements that undo spaces before punctuation, in order.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

fn clean(token: Vec<u8>) -> Vec<u8> {
    CLEANUP.iter().fold(token, |token, (from, to)| replace(&token, from, to))
}

fn word_pieces(tokens: Tokens, prefix: &str, cleanup: bool) -> Tokens {
    let join = |(index, token): (usize, Vec<u8>)| {
        let token = match token.strip_prefix(prefix.as_bytes()) {
            _ if index == 0 => token,
            Some(rest) => rest.to_vec(),
            None => [b" ", token.as_slice()].concat(),
        };
        if cleanup { clean(token) } else { token }
    };
    tokens.into_iter().enumerate().map(join).collect()
}

fn metaspace(tokens: &Tokens, replacement: char, space_first: bool) -> Tokens {
    let mark = replacement.to_string();
    let tokens = tokens.iter().enumerate().map(|(index, token)| {
        if index > 0 || space_first {
            return replace(token, &mark, " ");
        }
        // Those of the first token are taken for what the tokenizer put there.
        replace(token, &mark, "")
    });
    tokens.collect()
}

fn byte_fallback(tokens: Tokens) -> Tokens {
    let mut joined: Tokens = Vec::with_capacity(tokens.len());
    let mut after_byte = false;
    for token in tokens {
        let byte = byte_of_name(&token);
        match (byte, joined.last_mut()) {
            (Some(byte), Some(bytes)) if after_byte => bytes.push(byte),
            (Some(byte), _) => joined.push(vec![byte]),
            (None, _) => joined.push(token),
        }
        after_byte = byte.is_some();
    }
    joined
}

/// The byte that a token such as `<0x41>` names.
pub(crate) fn byte_of_name(token: &[u8]) -> Option<u8> {
    let [b'<', b'0', b'x', digits @ .., b'>'] = token else { return None };
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 2)?;
    let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
}

fn strip(mut token: Vec<u8>, content: char, start: usize, stop: usize) -> Vec<u8> {
    let mut buffer = [0; 4];
    let content = content.encode_utf8(&mut buffer).as_bytes();
    let mut rest = token.as_slice();
    for _ in 0..start {
        let Some(shorter) = rest.strip_prefix(content) else { break };
        rest = shorter;
    }
    for _ in 0..stop {
        let Some(shorter) = rest.strip_suffix(content) else { break };
        rest = shorter;
    }
    if rest.len() < token.len() {
        token = rest.to_vec();
    }
    token
}

fn ctc(mut tokens: Tokens, pad: &str, delimiter: &str, cleanup: bool) -> Tokens {
    tokens.dedup();
    let read = |token: Vec<u8>| {
        let token = replace(&token, pad, "");
        if cleanup { replace(&clean(token), delimiter, " ") } else { token }
    };
    tokens.into_iter().map(read).filter(|token| !token.is_empty()).collect()
}

impl Tokenizer {
    /// The bytes that the steps make of ids.
    pub(super) fn decode_by(&self, decoder: &Decoder, ids: &[u32]) -> Result<Vec<u8>> {
        for &id in ids {
            self.check_id(id)?;
        }
        let as_bytes = self.has_byte_symbols();
        if as_bytes && *decoder == Decoder::ByteLevel {
            return Ok(ids.iter().flat_map(|&id| self.vocabulary.bytes(id)).copied().collect());
        }
        if as_bytes && decoder.begins_with_bytes() {
            let joined = ids.iter().flat_map(|&id| self.vocabulary.bytes(id)).copied().collect();
            let rest = match decoder {
                Decoder::Sequence(steps) => &steps[1..],
                _ => &[],
            };
            let tokens = rest.iter().fold(vec![joined], |tokens, step| step.apply(tokens));
            return Ok(tokens.concat());
        }
        let tokens = ids.iter().map(|&id| self.file_form(id)).collect();
        Ok(decoder.apply(tokens).concat())
    }

    /// The tokens with spaces between them, for files that do not say how to join them.
    pub(super) fn decode_spaced(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let mut tokens = Vec::with_capacity(ids.len());
        for &id in ids {
            self.check_id(id)?;
            tokens.push(self.file_form(id));
        }
        Ok(tokens.join(&b' '))
    }

    /// A token as files of Hugging Face tokenizers write it.
    pub fn file_form(&self, id: u32) -> Vec<u8> {
        match self.vocabulary.kind(id) {
            TokenKind::Ordinary if self.has_byte_symbols() => {
                let bytes = self.vocabulary.bytes(id).iter();
                bytes.map(|&byte| byte_alphabet::stand_in(byte)).collect::<String>().into_bytes()
            }
            _ => self.vocabulary.shown(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(decoder: &Decoder, tokens: &[&str]) -> String {
        let tokens = tokens.iter().map(|token| token.as_bytes().to_vec()).collect();
        String::from_utf8_lossy(&decoder.apply(tokens).concat()).into_owned()
    }

    #[test]
    fn word_pieces_and_contractions() {
        let decoder = Decoder::WordPiece { prefix: "##".to_owned(), cleanup: true };
        assert_eq!(
            run(&decoder, &["##uel", "Ara", "##új", "##o", ",", "do", "n't", "!"]),
            "##uel Araújo, don't!"
        );
    }

    #[test]
    fn bytes_of_sentence_pieces() {
        let decoder = Decoder::Sequence(vec![
            Decoder::Replace(Matcher::literal("\u{2581}"), " ".to_owned()),
            Decoder::ByteFallback,
            Decoder::Fuse,
            Decoder::Strip { content: ' ', start: 1, stop: 0 },
        ]);
        assert_eq!(
            run(&decoder, &["\u{2581}\u{2581}a", "<0xE5>", "<0x8F>", "<0xab>", "<0x41>"]),
            " a叫A"
        );
        assert_eq!(run(&decoder, &["<0xE5>", "b", "<0xZZ>", "<0x+1>"]), "\u{FFFD}b<0xZZ><0x+1>");
    }

    #[test]
    fn spaces() {
        let metaspace =
            Decoder::Metaspace { replacement: '_', prepend: Prepend::Always, split: true };
        assert_eq!(run(&metaspace, &["_Hey", "_you_", "x"]), "Hey you x");
        let never = Decoder::Metaspace { replacement: '_', prepend: Prepend::Never, split: true };
        assert_eq!(run(&never, &["_Hey", "_you"]), " Hey you");
        let suffix = Decoder::Bpe { suffix: "</w>".to_owned() };
        assert_eq!(run(&suffix, &["low", "er</w>", "new</w>"]), "lower new");
        assert_eq!(run(&suffix, &[]), "");
        let stripping = Decoder::Strip { content: 'H', start: 1, stop: 1 };
        assert_eq!(run(&stripping, &["Hey", "HHH", "H"]), "eyH");
    }

    #[test]
    fn sounds() {
        let decoder = Decoder::Ctc {
            pad_token: "<pad>".to_owned(),
            word_delimiter_token: "|".to_owned(),
            cleanup: true,
        };
        let tokens = "<pad> h e e l l <pad> l o o <pad> | | w".split(' ').collect::<Vec<_>>();
        assert_eq!(run(&decoder, &tokens), "hello w");
    }

    #[test]
    fn stand_ins_of_bytes() {
        assert_eq!(run(&Decoder::ByteLevel, &["Ġå", "ı", "«", "中"]), " 叫中");
    }
}
