//! Which program wrote a file of a tokenizer, as its content tells; the name does not matter.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{gpt2, sentencepiece, tiktoken};
use crate::error::{Error, Place, Result};

/// So much of a file tells what it is.
const HEAD: u64 = 1 << 16;

/// A format of tokenizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenizerFormat {
    /// A `tokenizer.json`, ours or of Hugging Face tokenizers.
    Json,
    /// Ranks of tiktoken.
    Tiktoken,
    /// `vocab.json`, which needs its `merges.txt`.
    Gpt2Vocabulary,
    /// `merges.txt`, which needs its `vocab.json`.
    Gpt2Merges,
    /// The `vocab.txt` of BERT.
    Bert,
    /// Codes of subword-nmt.
    SubwordNmt,
    /// A `.model` of SentencePiece.
    SentencePiece,
}

impl TokenizerFormat {
    /// The name by which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Tiktoken => "tiktoken",
            Self::Gpt2Vocabulary => "gpt2-vocabulary",
            Self::Gpt2Merges => "gpt2-merges",
            Self::Bert => "bert",
            Self::SubwordNmt => "subword-nmt",
            Self::SentencePiece => "sentencepiece",
        }
    }
}

/// Looks at the beginning of a file.
pub fn recognize(path: &Path) -> Result<TokenizerFormat> {
    let fail = |source| Error::io(path, source);
    let mut head = Vec::new();
    File::open(path).map_err(fail)?.take(HEAD).read_to_end(&mut head).map_err(fail)?;
    format_of(&head).ok_or_else(|| {
        let reason = if head.is_empty() {
            "the file is empty"
        } else {
            "not a tokenizer.json, and not a file of another program that is known here: .tiktoken, \
             vocab.json with merges.txt, vocab.txt of BERT, codes of subword-nmt, .model of SentencePiece"
        };
        Error::format(path, Place::Whole, reason)
    })
}

/// The format of a file that begins like this.
fn format_of(head: &[u8]) -> Option<TokenizerFormat> {
    if sentencepiece::is_model_file(head) {
        return Some(TokenizerFormat::SentencePiece);
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let start = text.trim_ascii_start();
    // The length of a header, as safetensors files begin, may look like a brace, but is followed by zeros.
    if start.starts_with(b"{") && !start[..start.len().min(8)].contains(&0) {
        let is_vocabulary = first_value(&start[1..]).is_some_and(is_number);
        return Some(if is_vocabulary {
            TokenizerFormat::Gpt2Vocabulary
        } else {
            TokenizerFormat::Json
        });
    }
    // The last line may be cut off, in the middle of a character.
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let whole = if lines.len() > 1 { &lines[..lines.len() - 1] } else { &lines[..] };
    let first = *whole.first()?;
    // The header of a file of vectors, "1000 300", may stand for a token and its rank too, but rows follow.
    if whole.iter().take(3).all(|line| tiktoken::is_rank_file(line.as_bytes())) {
        return Some(TokenizerFormat::Tiktoken);
    }
    let has_marker = lines.iter().any(|line| line.ends_with("</w>"));
    if first.starts_with("#version:") {
        return Some(if has_marker {
            TokenizerFormat::SubwordNmt
        } else {
            TokenizerFormat::Gpt2Merges
        });
    }
    if has_marker && whole.iter().all(|line| gpt2::pair(line).is_some()) {
        return Some(TokenizerFormat::SubwordNmt);
    }
    let are_tokens = whole.iter().all(|line| !line.contains(' '));
    (are_tokens && lines.contains(&"[UNK]")).then_some(TokenizerFormat::Bert)
}

/// What begins with the first value of an object that was opened; `None` if that is a model.
fn first_value(object: &[u8]) -> Option<&[u8]> {
    if object.trim_ascii_start().starts_with(b"\"model\"") {
        return None;
    }
    let mut rest = object.trim_ascii_start().strip_prefix(b"\"")?.iter();
    loop {
        match rest.next()? {
            b'\\' => drop(rest.next()?),
            b'"' => break,
            _ => {}
        }
    }
    let value = rest.as_slice().trim_ascii_start().strip_prefix(b":")?;
    Some(value.trim_ascii_start())
}

/// Whether a value is a whole number, of which the object may have more.
fn is_number(value: &[u8]) -> bool {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = value[digits..].trim_ascii_start().first();
    digits > 0 && matches!(next, None | Some(b',' | b'}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        use TokenizerFormat::{Bert, Gpt2Merges, Gpt2Vocabulary, Json, SubwordNmt, Tiktoken};
        for (head, expected) in [
            ("{\"version\": \"1.0\"", Some(Json)),
            ("\u{feff} {\n  \"model\": {", Some(Json)),
            ("{", Some(Json)),
            ("{\"a\\\"\": 0, ", Some(Gpt2Vocabulary)),
            ("{\"a\": 17 }", Some(Gpt2Vocabulary)),
            ("{\"version\": 71.0\"", Some(Json)),
            ("YQ== 0\nYg== 1\n", Some(Tiktoken)),
            ("#version: 0.2\nt h\nth e</w>\n", Some(SubwordNmt)),
            ("t h\nth e\ne </w>\n", Some(SubwordNmt)),
            ("#version: 0.2\n\u{120} t\nh e", Some(Gpt2Merges)),
            ("[PAD]\r\n[UNK]\r\na\r\n##b", Some(Bert)),
            ("", None),
            ("a text like\nany other\n", None),
            ("one\nword\na line", None),
            ("1000 300\nthe 0.5 1 2\nof 1 2 3\n", None),
            ("the 0.5\nof 1\n", None),
            ("{\0\0\0\0\0\0\0{\"a\": 1", None),
        ] {
            assert_eq!(format_of(head.as_bytes()), expected, "{head:?}");
        }
    }
}
