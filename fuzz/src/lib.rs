//! What must hold for any bytes, one function a target.
//!
//! Each function takes bytes that mean nothing in particular and panics if something that textgrain promises
//! does not hold. Two drivers call them: `tests/smoke.rs`, which damages good inputs in a fixed random order
//! and runs with all other tests, and the programs in `libfuzzer/`, which let coverage guide the damage and
//! run for as long as one likes (`make fuzz`).

#![allow(
    clippy::missing_panics_doc,
    reason = "to panic is how each function here says that a promise is broken"
)]

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use tempfile::NamedTempFile;
use textgrain_core::corpus::{DocumentRule, DocumentStream, FileCorpus, InvalidUtf8};
use textgrain_core::formats::{
    bert, gpt2, subword_nmt, tiktoken, tokenizer_format, tokenizer_json,
};
use textgrain_core::observe::Silent;
use textgrain_core::split::{SplitRule, Splitter};
use textgrain_core::tokenizer::{SpecialPolicy, Tokenizer};
use textgrain_core::vectors::{Opening, WordVectors};

/// Takes any bytes and panics if a promise does not hold.
pub type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 7] = [
    ("tokenizer_file", tokenizer_file),
    ("rank_file", rank_file),
    ("text_format", text_format),
    ("vectors_file", vectors_file),
    ("corpus_file", corpus_file),
    ("split", split),
    ("encode", encode),
];

thread_local! {
    /// One file a thread, written anew for each input.
    static INPUT: RefCell<NamedTempFile> =
        RefCell::new(NamedTempFile::new().expect("a temporary file can be made"));
}

/// Calls with the path of a file of these bytes.
fn with_file<T>(bytes: &[u8], call: impl FnOnce(&Path) -> T) -> T {
    INPUT.with_borrow_mut(|input| {
        let file = input.as_file_mut();
        file.set_len(0).expect("a temporary file can be emptied");
        std::io::Seek::rewind(file).expect("a temporary file can be rewound");
        file.write_all(bytes).expect("a temporary file can be written");
        call(input.path())
    })
}

/// A tokenizer.json is refused, or says what it says: it can encode, and is the same after it was saved.
pub fn tokenizer_file(bytes: &[u8]) {
    let Ok(tokenizer) = with_file(bytes, tokenizer_json::load) else { return };
    let saved = tokenizer_json::to_bytes(&tokenizer);
    let again = with_file(&saved, tokenizer_json::load).expect("what was saved can be loaded");
    assert_eq!(saved, tokenizer_json::to_bytes(&again), "a second save differs from the first");
    for text in ["", "a the ▁x é\u{301} 😀", "\0\r\n \u{FEFF}"] {
        let ids = tokenizer.encode(text, SpecialPolicy::Allow, &mut || Ok(()));
        let same = again.encode(text, SpecialPolicy::Allow, &mut || Ok(()));
        assert_eq!(ids.as_ref().ok(), same.as_ref().ok(), "{text:?} has other ids after loading");
        if let Ok(ids) = ids {
            tokenizer.decode(&ids).expect("ids of the vocabulary can be decoded");
        }
    }
}

/// A rank file is refused, or every byte string comes back from its ids.
pub fn rank_file(bytes: &[u8]) {
    let splitter = plain(SplitRule::Gpt4);
    let load = |path: &Path| tiktoken::load(path, &splitter, &[], &mut || Ok(()));
    let Ok(tokenizer) = with_file(bytes, load) else { return };
    check_round_trip(&tokenizer, "It's 2026: ça va? 東京 \u{1F600}\r\n\n  x");
}

/// A file of lines is refused, or what is read from it can encode and be saved as what it was.
pub fn text_format(bytes: &[u8]) {
    let names = subword_nmt::Names { unknown: Some("<unk>"), special: &[] };
    let read = with_file(bytes, |path| {
        let _ = tokenizer_format::recognize(path);
        let tokenizers = [
            bert::load(path, None),
            subword_nmt::load(path, None, names),
            subword_nmt::load(path, Some(path), names),
            gpt2::load(path, path, &[]),
        ];
        tokenizers.into_iter().flatten().collect::<Vec<_>>()
    });
    for tokenizer in read {
        let text = "a the ▁x é\u{301} 😀\n";
        if let Ok(ids) = tokenizer.encode(text, SpecialPolicy::Allow, &mut || Ok(())) {
            tokenizer.decode(&ids).expect("ids of the vocabulary can be decoded");
        }
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("saved");
        let _ = bert::save(&tokenizer, &path);
        if subword_nmt::save(&tokenizer, &path, None).is_ok() {
            subword_nmt::load(&path, None, names).expect("codes that were saved can be loaded");
        }
    }
}

/// A file of vectors is refused, or has as many rows as words and answers a search.
pub fn vectors_file(bytes: &[u8]) {
    for lenient in [false, true] {
        let opening = Opening { lenient, threads: 1, verify: !lenient };
        let open = |path: &Path| WordVectors::open(path, opening, &mut Silent);
        let Ok((vectors, _)) = with_file(bytes, open) else { continue };
        assert_eq!(vectors.matrix().len(), vectors.len() * vectors.size());
        assert_eq!(vectors.words().len(), vectors.len());
    }
}

/// A text file is refused, or its documents are text, whatever it is compressed with.
pub fn corpus_file(bytes: &[u8]) {
    for invalid in [InvalidUtf8::Strict, InvalidUtf8::Replace] {
        let separator = DocumentRule::Separator("\n\n".to_owned());
        let field = DocumentRule::JsonField("text".to_owned());
        for documents in [DocumentRule::Lines, separator, field] {
            with_file(bytes, |path| {
                let corpus = FileCorpus::from_patterns(&[path.to_owned()], documents, invalid);
                let Ok(mut stream) = corpus.and_then(|corpus| corpus.open()) else { return };
                while let Ok(Some(batch)) = stream.next_batch() {
                    let Ok(decoded) = batch.decode() else { return };
                    let total: usize =
                        decoded.documents().map(|(_, document)| document.len()).sum();
                    assert!(total <= decoded.text.len(), "documents hold more than their batch");
                }
            });
        }
    }
}

/// The pieces of a text lie one after the other, are not empty, and cover it if the rule loses nothing.
pub fn split(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (name, rule) in SplitRule::NAMES {
        for space_prefix in [false, true] {
            let Ok(splitter) = Splitter::new(rule, space_prefix) else { continue };
            let (mut end, mut covered) = (0, 0);
            for (start, piece) in splitter.pieces(&text) {
                assert!(start >= end && !piece.is_empty(), "{name}: {start} {piece:?} after {end}");
                assert_eq!(&text[start..start + piece.len()], piece, "{name}");
                end = start + piece.len();
                covered += piece.len();
            }
            assert!(!splitter.lossless() || covered == text.len(), "{name} loses text");
        }
    }
}

/// A text comes back from its ids, alone and among others, with any tokenizer that loses nothing.
pub fn encode(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for tokenizer in tokenizers() {
        check_round_trip(tokenizer, &text);
        let ids = tokenizer.encode(&text, SpecialPolicy::Text, &mut || Ok(())).ok();
        let texts = [&*text, "between", &*text];
        let batch = tokenizer.encode_batch(&texts, 2, SpecialPolicy::Text, &mut Silent).ok();
        let (batch, offsets) = batch.expect("a tokenizer of bytes encodes every text");
        let last = &batch[offsets[2] as usize..offsets[3] as usize];
        assert_eq!(ids.as_deref(), Some(last), "other ids among others");
    }
}

fn check_round_trip(tokenizer: &Tokenizer, text: &str) {
    let Ok(ids) = tokenizer.encode(text, SpecialPolicy::Text, &mut || Ok(())) else { return };
    let decoded = tokenizer.decode(&ids).expect("ids of the vocabulary can be decoded");
    assert_eq!(decoded, text.as_bytes(), "the text does not come back");
}

fn plain(rule: SplitRule) -> Splitter {
    Splitter::new(rule, false).expect("every rule can do without")
}

/// Small tokenizers of bytes, one for each pattern.
fn tokenizers() -> &'static [Tokenizer] {
    static MADE: OnceLock<Vec<Tokenizer>> = OnceLock::new();
    MADE.get_or_init(|| {
        let rules = [SplitRule::Gpt2, SplitRule::Gpt4, SplitRule::O200k, SplitRule::None];
        let ranks = ranks();
        let load = |rule| {
            let splitter = plain(rule);
            let load = |path: &Path| tiktoken::load(path, &splitter, &[], &mut || Ok(()));
            with_file(ranks.as_bytes(), load).expect("the ranks are well formed")
        };
        rules.into_iter().map(load).collect()
    })
}

/// A rank file of all bytes and a few tokens of several bytes.
pub fn ranks() -> String {
    let longer: [&[u8]; 12] = [
        b"th",
        b"the",
        b" t",
        b" the",
        b"aa",
        b"aaa",
        b"aaaa",
        b"\xC3\xA9",
        b"  ",
        b"\r\n",
        b"12",
        b"'s",
    ];
    let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
    let tokens = bytes.iter().map(|byte| &byte[..]).chain(longer);
    let lines = tokens.enumerate().map(|(rank, token)| format!("{} {rank}", base64(token)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Three bytes or fewer become four letters.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let number =
            (0..3).fold(0, |number, at| number << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let letter = |at: usize| char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]);
        let letters = (0..4).map(|at| if at <= group.len() { letter(at) } else { '=' });
        letters.collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
