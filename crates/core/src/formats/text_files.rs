//! What formats of plain text share: reading a file as text, and taking a `tokenizer.json` apart.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::tokenizer_foreign;
use crate::error::{Error, Place, Result};
use crate::files;
use crate::tokenizer::Tokenizer;

/// The text of a file, without a byte order mark.
pub(super) fn read(path: &Path) -> Result<String> {
    let mut bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.utf8_error().valid_up_to() as u64);
        Error::format(path, place, "the file is not UTF-8")
    })
}

/// Lines with their numbers; `\r` before an end of line is none of it.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    (1..).zip(text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)))
}

/// Writes a file whole or not at all.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    files::write_atomically(path, |writer| writer.write_all(text.as_bytes()))
}

/// The tokenizer that a document of Hugging Face's form stands for; `path` is for messages.
///
/// Stages that are not among `stages` do nothing.
pub(super) fn tokenizer(
    model: Value,
    added: Vec<Value>,
    stages: [(&str, Value); 4],
    path: &Path,
) -> Result<Tokenizer> {
    let mut document = Map::new();
    document.insert("version".to_owned(), json!("1.0"));
    document.insert("added_tokens".to_owned(), Value::Array(added));
    document.extend(stages.map(|(key, stage)| (key.to_owned(), stage)));
    document.insert("model".to_owned(), model);
    tokenizer_foreign::read(&Value::Object(document), &[], path)
}

/// An entry of the list of added tokens.
pub(super) fn special_token(id: u32, name: &str) -> Value {
    json!({
        "id": id, "content": name, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true,
    })
}

/// The refusal of a tokenizer that a format cannot say.
pub(super) fn refusal(format: &str, reason: impl AsRef<str>) -> Error {
    let rule = format!("must be one that {format} can say");
    Error::parameter("tokenizer", rule, format!("one {}", reason.as_ref()))
}

/// Tokens by id, in the order of their ids; of the model and those that were added.
pub(super) fn tokens_by_id(document: &Value) -> Vec<(u64, &str)> {
    let model = document["model"]["vocab"].as_object().into_iter().flatten();
    let model = model.filter_map(|(token, id)| Some((id.as_u64()?, token.as_str())));
    let added = document["added_tokens"].as_array().into_iter().flatten();
    let added = added.filter_map(|token| Some((token["id"].as_u64()?, token["content"].as_str()?)));
    let mut tokens: Vec<(u64, &str)> = model.chain(added).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The merges of a document, each as two tokens.
pub(super) fn merges(document: &Value) -> impl Iterator<Item = (&str, &str)> {
    let merges = document["model"]["merges"].as_array().into_iter().flatten();
    merges.filter_map(|merge| match merge {
        Value::String(merge) => merge.split_once(' '),
        merge => Some((merge[0].as_str()?, merge[1].as_str()?)),
    })
}
