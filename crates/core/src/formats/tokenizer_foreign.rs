//! `tokenizer.json` files of Hugging Face tokenizers.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::stages::node::{Node, Read};
use super::stages::{decoders, models, normalizers, post_processors, pre_tokenizers, surroundings};
use crate::bpe::{BpeOptions, Symbols, TieBreak};
use crate::error::Result;
use crate::split::Splitter;
use crate::split::pre_tokenizer::PreTokenizer;
use crate::tokenizer::pipeline::Pipeline;
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{Tokenizer, TokenizerSettings, WordOrder};

/// Reads a document; `bytes` and `path` are for messages.
pub(super) fn read(document: &Value, bytes: &[u8], path: &Path) -> Result<Tokenizer> {
    read_document(&Node::root(document)).map_err(|flaw| flaw.into_error(bytes, path))
}

fn read_document(document: &Node<'_>) -> Read<Tokenizer> {
    let model = document.field("model")?;
    let stage = |key: &str| document.optional(key);
    let normalizer = stage("normalizer").map(|node| normalizers::read(&node)).transpose()?;
    let pre_tokenizer = match stage("pre_tokenizer") {
        Some(node) => Some((pre_tokenizers::read(&node)?, node)),
        None => None,
    };
    let symbols = match &pre_tokenizer {
        Some((rule, node)) if models::kind(&model)? == "BPE" => symbols(rule, node)?,
        Some((rule, node)) if has_byte_level(rule) => {
            return node.fail("turns text into bytes, which only a BPE model can take");
        }
        _ => Symbols::Characters,
    };
    let mut added = surroundings::read_added(document)?;
    let read = models::read(&model, &mut added, symbols)?;
    let size = read.vocabulary.len();
    let post_processor =
        stage("post_processor").map(|node| post_processors::read(&node, size)).transpose()?;
    let decoder = stage("decoder").map(|node| decoders::read(&node)).transpose()?;
    let special =
        read.vocabulary.ids().filter(|&id| read.vocabulary.kind(id) == TokenKind::Special);
    let name = |id| String::from_utf8_lossy(read.vocabulary.bytes(id)).into_owned();
    let pre_tokenizer = pre_tokenizer.map(|(rule, _)| rule);
    let splitter = pre_tokenizer.clone().map(Splitter::custom);
    let settings = TokenizerSettings {
        kind: read.kind,
        vocab_size: None,
        merges: None,
        splitter: splitter.unwrap_or_else(Splitter::whole),
        symbols,
        end_of_word: None,
        tie_break: TieBreak::LowestIds,
        order: WordOrder::Frequency,
        min_frequency: 0,
        special_tokens: special.map(name).collect(),
        unknown_token: read.unknown_token,
        options: BpeOptions::default(),
    };
    let pipeline = Pipeline {
        added,
        normalizer,
        pre_tokenizer,
        post_processor,
        decoder,
        truncation: surroundings::read_truncation(document)?,
        padding: surroundings::read_padding(document)?,
        foreign: true,
    };
    Ok(Tokenizer::with_pipeline(settings, read.vocabulary, read.model, None, pipeline))
}

fn has_byte_level(rule: &PreTokenizer) -> bool {
    match rule {
        PreTokenizer::ByteLevel { .. } => true,
        PreTokenizer::Sequence(steps) => steps.iter().any(has_byte_level),
        _ => false,
    }
}

/// Whether pieces come to the model as bytes, which is so if the last step says it.
fn symbols(rule: &PreTokenizer, node: &Node<'_>) -> Read<Symbols> {
    let steps = match rule {
        PreTokenizer::Sequence(steps) => steps.as_slice(),
        rule => std::slice::from_ref(rule),
    };
    let Some((last, before)) = steps.split_last() else { return Ok(Symbols::Characters) };
    if before.iter().any(has_byte_level) {
        return node.fail("has a step after \"ByteLevel\", which would see bytes and not text");
    }
    Ok(if has_byte_level(last) { Symbols::Bytes } else { Symbols::Characters })
}

/// The document of a tokenizer that came from such a file.
pub(super) fn write(tokenizer: &Tokenizer, own: Value) -> Value {
    let pipeline = tokenizer.pipeline();
    let stage = |value: Option<Value>| value.unwrap_or(Value::Null);
    let mut model = models::write(tokenizer);
    model.insert("textgrain".to_owned(), own);
    let mut document = Map::new();
    let mut put = |key: &str, value| document.insert(key.to_owned(), value);
    put("version", json!("1.0"));
    put("truncation", surroundings::write_truncation(pipeline.truncation.as_ref()));
    put("padding", surroundings::write_padding(pipeline.padding.as_ref()));
    put("added_tokens", surroundings::write_added(&pipeline.added));
    put("normalizer", stage(pipeline.normalizer.as_ref().map(normalizers::write)));
    put("pre_tokenizer", stage(pipeline.pre_tokenizer.as_ref().map(pre_tokenizers::write)));
    put("post_processor", stage(pipeline.post_processor.as_ref().map(post_processors::write)));
    put("decoder", stage(pipeline.decoder.as_ref().map(decoders::write)));
    put("model", Value::Object(model));
    Value::Object(document)
}
