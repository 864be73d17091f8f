//! The two files of GPT-2, `vocab.json` and `merges.txt`: a `tokenizer.json` that was taken apart.
//!
//! They hold the vocabulary and the merges, and say nothing of how text is cut, of special tokens and of what
//! is done to a text: all of that is GPT-2's own by agreement.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{text_files, tokenizer_json};
use crate::error::{Error, Place, Result};
use crate::files;
use crate::tokenizer::{Model, Tokenizer};

const FORMAT: &str = "vocab.json and merges.txt";

/// The ids of tokens, as the file writes them.
type Vocabulary = FxHashMap<String, u32>;

/// Reads the two files; the names must be tokens of the vocabulary.
pub fn load(vocabulary: &Path, merges: &Path, special_tokens: &[String]) -> Result<Tokenizer> {
    let tokens = read_vocabulary(vocabulary)?;
    let pairs = read_merges(merges)?;
    check_merges(&pairs, &tokens, (vocabulary, merges))?;
    let mut added = Vec::new();
    for name in special_tokens {
        let Some(&id) = tokens.get(name) else {
            let rule = format!("must be tokens of {}", vocabulary.display());
            return Err(Error::parameter("special_tokens", rule, format!("{name:?}")));
        };
        added.push((id, text_files::special_token(id, name)));
    }
    added.sort_unstable_by_key(|(id, _)| *id);
    let pairs: Value = pairs.iter().map(|(_, left, right)| json!([left, right])).collect();
    let tokens: Map<String, Value> =
        tokens.into_iter().map(|(token, id)| (token, json!(id))).collect();
    let byte_level = json!({
        "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true,
    });
    text_files::tokenizer(
        json!({"type": "BPE", "vocab": tokens, "merges": pairs}),
        added.into_iter().map(|(_, token)| token).collect(),
        [
            ("normalizer", Value::Null),
            ("pre_tokenizer", byte_level.clone()),
            ("post_processor", Value::Null),
            ("decoder", byte_level),
        ],
        vocabulary,
    )
}

fn read_vocabulary(path: &Path) -> Result<Vocabulary> {
    let whole = |reason: String| Error::format(path, Place::Whole, reason);
    let text = text_files::read(path)?;
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        Error::format(path, place, format!("not a vocabulary in JSON: {error}"))
    })?;
    let Value::Object(entries) = document else {
        return Err(whole("must be an object of tokens and their ids".to_owned()));
    };
    if entries.is_empty() {
        return Err(whole("must be an object of tokens and their ids, and holds none".to_owned()));
    }
    let entry = |(token, id): (String, Value)| {
        let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
        let reason = || whole(format!("the id of {token:?} must be a whole number, got {id}"));
        Ok((token.clone(), number.ok_or_else(reason)?))
    };
    entries.into_iter().map(entry).collect()
}

/// Merges with their lines.
fn read_merges(path: &Path) -> Result<Vec<(u64, String, String)>> {
    let text = text_files::read(path)?;
    let mut merges = Vec::new();
    for (line, merge) in text_files::lines(&text) {
        // Only the first line may be a comment: "#" is a token too.
        if merge.is_empty() || (line == 1 && merge.starts_with("#version")) {
            continue;
        }
        let (left, right) = pair(merge).ok_or_else(|| {
            let reason = format!("a merge must be two tokens with a space between, got {merge:?}");
            Error::format(path, Place::Line(line), reason)
        })?;
        merges.push((line, left.to_owned(), right.to_owned()));
    }
    Ok(merges)
}

/// Two tokens with one space between.
pub(super) fn pair(line: &str) -> Option<(&str, &str)> {
    let pair = line.split_once(' ')?;
    (!pair.0.is_empty() && !pair.1.is_empty() && !pair.1.contains(' ')).then_some(pair)
}

fn check_merges(
    merges: &[(u64, String, String)],
    tokens: &Vocabulary,
    (vocabulary, path): (&Path, &Path),
) -> Result<()> {
    for (line, left, right) in merges {
        let joined = format!("{left}{right}");
        for token in [left, right, &joined] {
            if !tokens.contains_key(token) {
                let reason = format!(
                    "the merge of {left:?} and {right:?} needs {token:?}, which {} lacks",
                    vocabulary.display()
                );
                return Err(Error::format(path, Place::Line(*line), reason));
            }
        }
    }
    Ok(())
}

/// Writes the two files, from which the programs of GPT-2 give the same ids.
pub fn save(tokenizer: &Tokenizer, vocabulary: &Path, merges: &Path) -> Result<()> {
    let document = tokenizer_json::document(tokenizer);
    if let Some((reason, hint)) = reason(tokenizer, &document) {
        return Err(text_files::refusal(FORMAT, reason).with_hint(hint));
    }
    // Neither file is written where the other could not be.
    files::check_writable(merges)?;
    let tokens = text_files::tokens_by_id(&document);
    let tokens: Map<String, Value> =
        tokens.into_iter().map(|(id, token)| (token.to_owned(), json!(id))).collect();
    let mut lines = "#version: 0.2\n".to_owned();
    for (left, right) in text_files::merges(&document) {
        lines.extend([left, " ", right, "\n"]);
    }
    text_files::write(vocabulary, &Value::Object(tokens).to_string())?;
    text_files::write(merges, &lines)
}

/// What the files cannot say, and the way out.
fn reason(tokenizer: &Tokenizer, document: &Value) -> Option<(String, &'static str)> {
    let save = "`save` keeps everything in one tokenizer.json";
    let model = &document["model"];
    let kind = model["type"].as_str().unwrap_or_default();
    if kind != "BPE" {
        return Some((format!("of type {kind}"), save));
    }
    let splitting = &document["pre_tokenizer"];
    if splitting["type"] != "ByteLevel" || splitting["use_regex"] == false {
        let reason = "that does not split text as GPT-2 does".to_owned();
        return Some((reason, "Train with split=\"gpt2\""));
    }
    if splitting["add_prefix_space"] == true || !document["normalizer"].is_null() {
        return Some(("that changes texts".to_owned(), save));
    }
    // Where merges form each token from its bytes, a whole word that is a token becomes it anyway.
    let reaches_all = matches!(tokenizer.model(), Model::Bpe(model) if model.reaches_all_tokens());
    if model["ignore_merges"] == true && !reaches_all {
        let reason = "that takes whole words as tokens, whatever merges would make of them";
        return Some((reason.to_owned(), save));
    }
    let added = document["added_tokens"].as_array().into_iter().flatten();
    let mut ordinary = added.filter(|token| token["special"] == false);
    let name = ordinary.next().map(|token| &token["content"]);
    name.map(|name| (format!("with the added token {name}, which no merges form"), save))
}
