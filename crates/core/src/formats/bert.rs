//! The `vocab.txt` of BERT: a token a line, whose number, from 0, is its id.
//!
//! How text is changed and cut, and which tokens are put around it, is BERT's own by agreement. Whether letters
//! become lower case is not said, but it shows: such a vocabulary has no upper case.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{text_files, tokenizer_json};
use crate::error::{Error, Place, Result};
use crate::tokenizer::Tokenizer;
use crate::tokenizer::vocabulary::MOST_ABSENT;

const FORMAT: &str = "vocab.txt";

/// The special tokens by their names, if they are there.
const SPECIAL: [&str; 5] = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"];
const UNKNOWN: &str = "[UNK]";

/// Longer words are unknown.
const MOST_CHARACTERS: u64 = 100;

/// Reads a file; without `lowercase` the vocabulary tells whether letters become lower case.
pub fn load(path: &Path, lowercase: Option<bool>) -> Result<Tokenizer> {
    let text = text_files::read(path)?;
    let ids = read_ids(&text, path)?;
    if !ids.contains_key(UNKNOWN) {
        let reason = format!("the vocabulary has no {UNKNOWN}, the token of words that it lacks");
        return Err(Error::format(path, Place::Whole, reason));
    }
    let lowercase = lowercase.unwrap_or_else(|| !has_upper_case(ids.keys().copied()));
    let special = SPECIAL.iter().filter_map(|name| Some((*name, *ids.get(name)?)));
    let special = special.map(|(name, id)| text_files::special_token(id, name)).collect();
    let around = match (ids.get("[SEP]"), ids.get("[CLS]")) {
        (Some(sep), Some(cls)) => {
            json!({"type": "BertProcessing", "sep": ["[SEP]", sep], "cls": ["[CLS]", cls]})
        }
        _ => Value::Null,
    };
    let vocab: Map<String, Value> =
        ids.iter().map(|(&token, id)| (token.to_owned(), json!(id))).collect();
    text_files::tokenizer(
        json!({
            "type": "WordPiece", "unk_token": UNKNOWN, "continuing_subword_prefix": "##",
            "max_input_chars_per_word": MOST_CHARACTERS, "vocab": vocab,
        }),
        special,
        [
            ("normalizer", normalizer(lowercase)),
            ("pre_tokenizer", json!({"type": "BertPreTokenizer"})),
            ("post_processor", around),
            ("decoder", json!({"type": "WordPiece", "prefix": "##", "cleanup": true})),
        ],
        path,
    )
}

fn normalizer(lowercase: bool) -> Value {
    json!({
        "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
        "strip_accents": null, "lowercase": lowercase,
    })
}

fn read_ids<'a>(text: &'a str, path: &Path) -> Result<FxHashMap<&'a str, u32>> {
    let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
    let mut empty = 0;
    for (line, token) in text_files::lines(text) {
        // An empty line has an id like any other, but nothing becomes it.
        if token.is_empty() {
            empty += 1;
            continue;
        }
        let id = u32::try_from(line - 1).ok().filter(|_| empty <= MOST_ABSENT);
        let place = Place::Line(line);
        let id = id.ok_or_else(|| Error::format(path, place, "too many lines, or empty ones"))?;
        if let Some(first) = ids.insert(token, id) {
            let reason = format!("the token {token:?} is on line {} already", u64::from(first) + 1);
            return Err(Error::format(path, place, reason));
        }
    }
    Ok(ids)
}

/// Whether a token has upper case; names of special tokens do not count.
fn has_upper_case<'a>(mut tokens: impl Iterator<Item = &'a str>) -> bool {
    let is_name = |token: &str| token.starts_with('[') && token.ends_with(']');
    // A letter without a lower case, such as "ℝ", tells nothing.
    let changes = |letter: char| !letter.to_lowercase().eq([letter]);
    tokens.any(|token| !is_name(token) && token.chars().any(changes))
}

/// Writes the file, from which BERT's programs give the same ids.
pub fn save(tokenizer: &Tokenizer, path: &Path) -> Result<()> {
    let document = tokenizer_json::document(tokenizer);
    if let Some((reason, hint)) = reason(&document) {
        return Err(text_files::refusal(FORMAT, reason).with_hint(hint));
    }
    let mut text = String::new();
    let mut next = 0;
    for (id, token) in text_files::tokens_by_id(&document) {
        if token.is_empty() || token.contains(['\n', '\r']) {
            let reason = format!("with the token {token:?}, which cannot stand on a line");
            return Err(text_files::refusal(FORMAT, reason));
        }
        // Ids without a token are empty lines.
        text.extend((next..id).map(|_| '\n'));
        text.extend([token, "\n"]);
        next = id + 1;
    }
    text_files::write(path, &text)
}

/// What the file cannot say, and the way out.
fn reason(document: &Value) -> Option<(String, &'static str)> {
    let save = "`save` keeps everything in one tokenizer.json";
    let train = "Train with normalizer=\"bert\", split={\"type\": \"BertPreTokenizer\"} and \
                 unknown_token=\"[UNK]\"";
    let model = &document["model"];
    let kind = model["type"].as_str().unwrap_or_default();
    if kind != "WordPiece" {
        return Some((format!("of type {kind}"), save));
    }
    if ![true, false].map(normalizer).contains(&document["normalizer"]) {
        return Some(("that changes texts in another way than BERT".to_owned(), train));
    }
    if document["pre_tokenizer"]["type"] != "BertPreTokenizer" {
        return Some(("that splits text in another way than BERT".to_owned(), train));
    }
    let expected = [
        ("unk_token", json!(UNKNOWN)),
        ("continuing_subword_prefix", json!("##")),
        ("max_input_chars_per_word", json!(MOST_CHARACTERS)),
    ];
    for (key, value) in expected {
        if model[key] != value {
            return Some((format!("whose {key} is {}, not {value}", model[key]), save));
        }
    }
    if !model["vocab"].as_object().is_some_and(|vocab| vocab.contains_key(UNKNOWN)) {
        return Some((format!("without the token {UNKNOWN}"), train));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::SpecialPolicy;

    fn load_text(text: &str) -> Result<Tokenizer> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vocab.txt");
        std::fs::write(&path, text).unwrap();
        load(&path, None)
    }

    fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
        tokenizer.encode(text, SpecialPolicy::Text, &mut || Ok(())).unwrap()
    }

    #[test]
    fn case_follows_from_the_vocabulary() {
        let lower = load_text("[PAD]\n[UNK]\n\nhug\n##s\nele\n").unwrap();
        assert_eq!(ids(&lower, "HUGS élé hum"), [3, 4, 5, 1]);
        let without_lower_case = load_text("[UNK]\nhug\n\u{211d}\n").unwrap();
        assert_eq!(ids(&without_lower_case, "HUG \u{211d}"), [1, 2]);
        let cased = load_text("[UNK]\r\nHug\r\nhug\r\n").unwrap();
        assert_eq!(ids(&cased, "Hug hug HUG"), [1, 2, 0]);
    }

    #[test]
    fn ids_come_back_with_their_gaps() {
        let text = "[PAD]\n[UNK]\n\nhug\n##s\n";
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("again.txt");
        save(&load_text(text).unwrap(), &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn damage_is_found_with_its_line() {
        for (text, reason) in [
            ("hug\n", "no [UNK]"),
            ("", "no [UNK]"),
            ("[UNK]\nhug\npug\nhug\n", "line 4: the token \"hug\" is on line 2 already"),
        ] {
            let error = load_text(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
