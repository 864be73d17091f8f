//! Reading of `tokenizer.json`: every statement is checked before it is believed.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::stages::models;
use super::stages::node::Node;
use super::tokenizer_json::{OWN_TYPE, checksum};
use super::tokenizer_parts::Parts;
use super::{base64, byte_alphabet, sentencepiece, tokenizer_foreign};
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::bpe::{Merge, Pair, Symbols, TieBreak};
use crate::error::{Error, Place, Result};
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};
use crate::tokenizer::{AddedToken, Kind, Model, Tokenizer, TokenizerSettings};
use crate::tokenizer::{ranked, word_piece_train};

/// Reads the content of a file; `path` is for messages.
pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Tokenizer> {
    let fail = |reason: String| Error::format(path, Place::Whole, reason);
    let document = parse(bytes, path)?;
    let (parts, model) = match own_parts(document, path)? {
        Opened::Foreign(document) => return tokenizer_foreign::read(&document, bytes, path),
        Opened::Own(parts, model) => (*parts, model),
    };
    let tokenizer = read_own_tokenizer(&parts, &model, path)?;
    if parts.added.is_empty() {
        return Ok(tokenizer);
    }
    let added = parts.added.into_iter().map(AddedToken::from).collect();
    tokenizer.with_tokens_of_file(added).map_err(fail)
}

/// The tokenizer without the tokens that were added after it.
fn read_own_tokenizer(parts: &Parts, model: &Value, path: &Path) -> Result<Tokenizer> {
    let fail = |reason: String| Error::format(path, Place::Whole, reason);
    let settings =
        parts.settings().map_err(|error| fail(format!("in model.textgrain, {error}")))?;
    if let Some(ids) = &parts.ranked_special_ids {
        return read_ranked(model, &settings, ids).map_err(fail);
    }
    if settings.kind == Kind::WordPiece {
        return read_word_piece(model, settings).map_err(fail);
    }
    if settings.kind == Kind::SentencePiece {
        return read_sentencepiece(model, path);
    }
    let read = match (settings.kind, model.get("type").and_then(Value::as_str)) {
        (Kind::Bpe | Kind::CharLevel, Some("BPE")) => read_bpe(model, &settings, parts),
        (Kind::Bpe | Kind::CharLevel, Some(OWN_TYPE)) => read_own(model, &settings, parts),
        (Kind::WordLevel, Some("WordLevel")) => read_word_level(model, &settings),
        (Kind::WordLevel, Some(OWN_TYPE)) => read_own_words(model, &settings),
        (Kind::Unigram, Some("Unigram")) => read_unigram(model, &settings),
        (kind, found) => {
            Err(format!("model.type is {found:?}, which does not fit a {} tokenizer", kind.name()))
        }
    };
    let (vocabulary, model) = read.map_err(fail)?;
    let merges = match &model {
        Model::Bpe(model) => model.merges.len(),
        _ => 0,
    };
    let history =
        parts.history(merges, vocabulary.len()).map_err(|reason| fail(reason.to_owned()))?;
    Ok(Tokenizer::new(settings, vocabulary, model, history))
}

fn parse(bytes: &[u8], path: &Path) -> Result<Value> {
    if bytes.is_empty() {
        return Err(Error::format(path, Place::Whole, "the file is empty"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let cut_off = if error.is_eof() { "; the file seems to be cut off" } else { "" };
        let reason = format!("not a tokenizer.json: {error}{cut_off}");
        Error::format(path, Place::Line(error.line() as u64), reason)
    })
}

enum Opened {
    /// Our settings and history, and the model.
    Own(Box<Parts>, Value),
    /// What is all said in the terms of Hugging Face tokenizers.
    Foreign(Value),
}

/// Takes a document apart after its checksum was verified.
fn own_parts(mut document: Value, path: &Path) -> Result<Opened> {
    let fail = |reason: &str| Error::format(path, Place::Whole, reason);
    if document.get("model").is_none_or(|model| !model.is_object()) {
        return Err(fail("not a tokenizer.json: it has no model"));
    }
    let Some(textgrain) = document.pointer_mut("/model/textgrain") else {
        return Ok(Opened::Foreign(document));
    };
    let Some(checksum_place) = textgrain.get_mut("checksum") else {
        return Err(fail("model.textgrain is damaged: it has no checksum"));
    };
    let own = std::mem::replace(checksum_place, json!(""));
    let textgrain = textgrain.clone();
    if own != json!(checksum(&document)) {
        return Err(fail(
            "the checksum does not match: the file was damaged or edited after it was written",
        ));
    }
    if textgrain.get("foreign").is_some() {
        return Ok(Opened::Foreign(document));
    }
    let parts = serde_json::from_value(textgrain)
        .map_err(|error| fail(&format!("model.textgrain is damaged: {error}")))?;
    Ok(Opened::Own(Box::new(parts), document["model"].take()))
}

fn read_sentencepiece(model: &Value, path: &Path) -> Result<Tokenizer> {
    let content = model.get("sentencepiece").and_then(Value::as_str).unwrap_or_default();
    let mut bytes = Vec::new();
    if content.is_empty() || base64::decode(content.as_bytes(), &mut bytes).is_none() {
        let reason = "model.sentencepiece is missing or no base64";
        return Err(Error::format(path, Place::Whole, reason));
    }
    sentencepiece::from_bytes(&bytes, path).map(Tokenizer::from_sentencepiece)
}

type Read = Result<(Vocabulary, Model), String>;

/// The tokens of a section in the order of their ids, which must have no gap.
fn tokens_in_order(model: &Value) -> Result<Vec<&str>, String> {
    let vocab = model.get("vocab").and_then(Value::as_object).ok_or("model.vocab is missing")?;
    let mut tokens: Vec<Option<&str>> = vec![None; vocab.len()];
    for (token, id) in vocab {
        let slot = id.as_u64().and_then(|id| tokens.get_mut(id as usize));
        match slot {
            Some(slot @ None) => *slot = Some(token),
            Some(Some(other)) => {
                return Err(format!("{token:?} and {other:?} have the same id {id}"));
            }
            None => {
                let size = vocab.len();
                return Err(format!("the id of {token:?} is {id}, but there are {size} tokens"));
            }
        }
    }
    Ok(tokens.into_iter().flatten().collect())
}

/// The unknown and the special tokens on their way into a vocabulary.
struct Names<'a> {
    next: std::iter::Peekable<std::vec::IntoIter<(u32, &'a str, TokenKind)>>,
    unknown: Option<u32>,
}

impl<'a> Names<'a> {
    fn new(parts: &'a Parts, size: usize) -> Result<Self, String> {
        Ok(Self { next: parts.names(size)?.into_iter().peekable(), unknown: None })
    }

    /// Appends the name whose id is the next one of the vocabulary, if there is one.
    fn push_next(&mut self, vocabulary: &mut Vocabulary) -> Option<&'a str> {
        let (id, name, kind) = self.next.next_if(|(id, ..)| *id as usize == vocabulary.len())?;
        vocabulary.push(name.as_bytes(), kind);
        if kind == TokenKind::Unknown {
            self.unknown = Some(id);
        }
        Some(name)
    }
}

/// Checks and appends what comes after the learned tokens.
fn append_names(
    vocabulary: &mut Vocabulary,
    settings: &TokenizerSettings,
    found: Option<&[&str]>,
) -> Result<Option<u32>, String> {
    let names = settings.unknown_token.iter().chain(&settings.special_tokens);
    if let Some(found) = found
        && !names.clone().eq(found.iter())
    {
        return Err("the special tokens are not the last tokens of model.vocab".to_owned());
    }
    let unknown = settings.unknown_token.as_ref();
    let unknown = unknown.map(|name| vocabulary.push(name.as_bytes(), TokenKind::Unknown));
    for name in &settings.special_tokens {
        vocabulary.push(name.as_bytes(), TokenKind::Special);
    }
    Ok(unknown)
}

fn learned<'a>(
    tokens: &'a [&'a str],
    settings: &TokenizerSettings,
) -> Result<(&'a [&'a str], &'a [&'a str]), String> {
    let names = settings.special_tokens.len() + usize::from(settings.unknown_token.is_some());
    let learned = tokens.len().checked_sub(names).ok_or("model.vocab lacks the special tokens")?;
    Ok(tokens.split_at(learned))
}

fn read_unigram(model: &Value, settings: &TokenizerSettings) -> Read {
    let read = models::read(&Node::root(model), &mut [], Symbols::Characters);
    let models::ReadModel { mut vocabulary, model, unknown_token, .. } =
        read.map_err(|flaw| format!("in model, {flaw}"))?;
    if unknown_token != settings.unknown_token {
        return Err("model.unk_id is not that of the unknown token of the settings".to_owned());
    }
    for name in &settings.special_tokens {
        vocabulary.push(name.as_bytes(), TokenKind::Special);
    }
    Ok((vocabulary, model))
}

fn read_word_level(model: &Value, settings: &TokenizerSettings) -> Read {
    let tokens = tokens_in_order(model)?;
    let (words, names) = learned(&tokens, settings)?;
    let mut vocabulary = Vocabulary::new(None);
    for word in words {
        vocabulary.push(word.as_bytes(), TokenKind::Ordinary);
    }
    let unknown = append_names(&mut vocabulary, settings, Some(names))?;
    Ok((vocabulary, Model::WordLevel { unknown }))
}

fn read_word_piece(model: &Value, settings: TokenizerSettings) -> Result<Tokenizer, String> {
    if model.get("type").and_then(Value::as_str) != Some("WordPiece") {
        return Err("model.type does not fit a word_piece tokenizer".to_owned());
    }
    let tokens = tokens_in_order(model)?;
    let (words, names) = learned(&tokens, &settings)?;
    let mut vocabulary = Vocabulary::new(None);
    for word in words {
        vocabulary.push(word.as_bytes(), TokenKind::Ordinary);
    }
    let unknown = append_names(&mut vocabulary, &settings, Some(names))?;
    let limit = model.get("max_input_chars_per_word").and_then(Value::as_u64);
    let limit = limit.ok_or("model.max_input_chars_per_word is missing")?;
    Ok(word_piece_train::tokenizer(settings, vocabulary, unknown, limit as usize))
}

fn read_own_words(model: &Value, settings: &TokenizerSettings) -> Read {
    let words = model.get("words").and_then(Value::as_array).ok_or("model.words is missing")?;
    let mut vocabulary = Vocabulary::new(None);
    for word in words {
        let word = word.as_str().ok_or("model.words holds something that is not text")?;
        if vocabulary.find(word.as_bytes(), TokenKind::Ordinary).is_some() {
            return Err(format!("model.words holds {word:?} twice"));
        }
        vocabulary.push(word.as_bytes(), TokenKind::Ordinary);
    }
    let unknown = append_names(&mut vocabulary, settings, None)?;
    Ok((vocabulary, Model::WordLevel { unknown }))
}

fn read_bpe(model: &Value, settings: &TokenizerSettings, parts: &Parts) -> Read {
    let tokens = tokens_in_order(model)?;
    let mut names = Names::new(parts, tokens.len())?;
    let mut vocabulary = Vocabulary::new(None);
    let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
    for (id, token) in (0..).zip(&tokens) {
        if let Some(name) = names.push_next(&mut vocabulary) {
            if name != *token {
                return Err(format!("the token of id {id} is {token:?} and not {name:?}"));
            }
            continue;
        }
        let bytes = match settings.symbols {
            Symbols::Characters if token.is_empty() => {
                return Err("model.vocab holds an empty token".to_owned());
            }
            Symbols::Characters => token.as_bytes().to_vec(),
            Symbols::Bytes => token_bytes(token)?,
        };
        ids.insert(token, vocabulary.push(&bytes, TokenKind::Ordinary));
    }
    let merges = read_merges(model, &ids)?;
    let alphabet = alphabet(&vocabulary, settings)?;
    let model = BpeModel::new(alphabet, merges, None, names.unknown, merge_order(settings));
    Ok((vocabulary, Model::Bpe(Box::new(model))))
}

/// A tokenizer whose ids are the order of merging; its merges follow from them.
fn read_ranked(
    model: &Value,
    settings: &TokenizerSettings,
    special_ids: &[u32],
) -> Result<Tokenizer, String> {
    let names = &settings.special_tokens;
    if names.len() != special_ids.len() || !special_ids.is_sorted() {
        return Err("the ids of the special tokens are not one each, ascending".to_owned());
    }
    let special: Vec<_> =
        special_ids.iter().copied().zip(names.iter().map(String::as_bytes)).collect();
    let vocab = model.get("vocab").and_then(Value::as_object).ok_or("model.vocab is missing")?;
    let mut tokens = Vec::with_capacity(vocab.len());
    for (token, id) in vocab {
        let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
        let id = number.ok_or_else(|| format!("the id of {token:?} is {id}"))?;
        // The shared format lists special tokens among the others.
        if special.binary_search(&(id, token.as_bytes())).is_err() {
            tokens.push((id, token_bytes(token)?));
        }
    }
    tokens.sort_unstable();
    let tokens: Vec<_> = tokens.iter().map(|(id, bytes)| (*id, bytes.as_slice())).collect();
    let made = ranked::tokenizer(&tokens, &special, settings.splitter.clone(), &mut || Ok(()));
    made.map_err(|error| error.to_string())?.map_err(|refusal| refusal.to_string())
}

fn token_bytes(token: &str) -> Result<Vec<u8>, String> {
    let stand_ins = byte_alphabet::bytes();
    let bytes: Option<Vec<u8>> = token.chars().map(|character| stand_ins.byte(character)).collect();
    match bytes {
        None => Err(format!("the token {token:?} holds a character that stands for no byte")),
        Some(bytes) if bytes.is_empty() => Err("model.vocab holds an empty token".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

fn merge_order(settings: &TokenizerSettings) -> MergeOrder {
    match settings.tie_break {
        TieBreak::First | TieBreak::LargestText => MergeOrder::DownTheList,
        TieBreak::LowestIds => MergeOrder::LowestRank,
    }
}

fn read_merges(model: &Value, ids: &FxHashMap<&str, u32>) -> Result<Vec<Merge>, String> {
    let merges = model.get("merges").and_then(Value::as_array).ok_or("model.merges is missing")?;
    let mut read = Vec::with_capacity(merges.len());
    for (rank, merge) in merges.iter().enumerate() {
        let pair = merge.as_array().map(|pair| (pair.len(), pair));
        let Some((2, pair)) = pair else {
            return Err(format!("merge {} is not a pair", rank + 1));
        };
        let id = |token: &str| {
            let id = ids.get(token).copied();
            id.ok_or_else(|| format!("merge {} names {token:?}, which is no token", rank + 1))
        };
        let (Some(left), Some(right)) = (pair[0].as_str(), pair[1].as_str()) else {
            return Err(format!("merge {} does not name two tokens", rank + 1));
        };
        let token = id(&format!("{left}{right}"))?;
        read.push(Merge { pair: Pair { left: id(left)?, right: id(right)? }, token });
    }
    Ok(read)
}

/// The tokens of one byte or one character.
fn alphabet(vocabulary: &Vocabulary, settings: &TokenizerSettings) -> Result<Alphabet, String> {
    let find = |bytes: &[u8]| vocabulary.find(bytes, TokenKind::Ordinary);
    if settings.symbols == Symbols::Bytes {
        let mut ids = Box::new([0; 256]);
        for byte in 0..=255_u8 {
            ids[byte as usize] =
                find(&[byte]).ok_or_else(|| format!("no token stands for byte 0x{byte:02X}"))?;
        }
        return Ok(Alphabet::Bytes(ids));
    }
    let mut ids = FxHashMap::default();
    let ordinary = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    for id in ordinary {
        let token = std::str::from_utf8(vocabulary.bytes(id)).unwrap_or_default();
        let mut characters = token.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            ids.insert(character, id);
        }
    }
    Ok(Alphabet::Characters(ids))
}

fn read_own(model: &Value, settings: &TokenizerSettings, parts: &Parts) -> Read {
    let size = model.get("size").and_then(Value::as_u64).ok_or("model.size is missing")? as usize;
    let mut names = Names::new(parts, size)?;
    let mut vocabulary = Vocabulary::new(settings.end_of_word.clone());
    let alphabet = read_own_alphabet(model, settings, &mut vocabulary)?;
    let has_marker = settings.end_of_word.is_some();
    let marker = has_marker.then(|| vocabulary.push(b"", TokenKind::EndsWord));
    let merges = model.get("merges").and_then(Value::as_array).ok_or("model.merges is missing")?;
    let mut read = Vec::with_capacity(merges.len());
    for (rank, merge) in merges.iter().enumerate() {
        let numbers: Vec<u32> = serde_json::from_value(merge.clone())
            .map_err(|error| format!("merge {} is damaged: {error}", rank + 1))?;
        let [left, right, token] = numbers[..] else {
            return Err(format!("merge {} does not hold three ids", rank + 1));
        };
        let known = vocabulary.len() as u32;
        if left.max(right) >= known || vocabulary.kind(left) == TokenKind::EndsWord {
            return Err(format!("merge {} names an id that cannot be merged there", rank + 1));
        }
        while token as usize > vocabulary.len() && names.push_next(&mut vocabulary).is_some() {}
        if vocabulary.push_merged(left, right) != token {
            return Err(format!("merge {} yields another id than {token}", rank + 1));
        }
        read.push(Merge { pair: Pair { left, right }, token });
    }
    while names.push_next(&mut vocabulary).is_some() {}
    if size != vocabulary.len() {
        return Err(format!("model.size is not {}, the number of tokens", vocabulary.len()));
    }
    let model = BpeModel::new(alphabet, read, marker, names.unknown, merge_order(settings));
    Ok((vocabulary, Model::Bpe(Box::new(model))))
}

fn read_own_alphabet(
    model: &Value,
    settings: &TokenizerSettings,
    vocabulary: &mut Vocabulary,
) -> Result<Alphabet, String> {
    if settings.symbols == Symbols::Bytes {
        let mut push = |byte| vocabulary.push(&[byte as u8], TokenKind::Ordinary);
        return Ok(Alphabet::Bytes(Box::new(std::array::from_fn(&mut push))));
    }
    let alphabet = model.get("alphabet").and_then(Value::as_array);
    let alphabet = alphabet.ok_or("model.alphabet is missing")?;
    let mut ids = FxHashMap::default();
    for entry in alphabet {
        let mut characters = entry.as_str().unwrap_or_default().chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            return Err(format!("model.alphabet holds {entry}, which is not one character"));
        };
        let id = vocabulary.push(character.to_string().as_bytes(), TokenKind::Ordinary);
        if ids.insert(character, id).is_some() {
            return Err(format!("model.alphabet holds {entry} twice"));
        }
    }
    Ok(Alphabet::Characters(ids))
}
