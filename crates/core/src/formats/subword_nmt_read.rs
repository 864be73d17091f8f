//! Reading of the codes of subword-nmt.

use std::collections::BTreeSet;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value, json};

use super::gpt2::pair;
use super::subword_nmt::{BETWEEN, MARKER, Names, SEPARATOR, at_line, splitter};
use super::text_files;
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::bpe::{BpeOptions, Merge, Pair, Symbols, TieBreak};
use crate::error::{Error, Place, Result};
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};
use crate::tokenizer::{Kind, Model, Tokenizer, TokenizerSettings, WordOrder};

/// Where the mark of the end of a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// A symbol of its own.
    MarkerApart,
    /// Part of the last character.
    MarkerInside,
}

impl Version {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::MarkerApart => "0.1",
            Self::MarkerInside => "0.2",
        }
    }
}

/// Merges with their lines, each pair once.
pub(super) struct Codes<'a> {
    pub(super) version: Version,
    merges: Vec<(u64, &'a str, &'a str)>,
}

impl<'a> Codes<'a> {
    pub(super) fn parse(text: &'a str, path: &Path) -> Result<Self> {
        let mut version = Version::MarkerApart;
        let mut merges = Vec::new();
        let mut seen = FxHashSet::default();
        for (line, content) in text_files::lines(text) {
            if let Some(name) = content.strip_prefix("#version:").filter(|_| line == 1) {
                version = match name.trim() {
                    "0.1" => Version::MarkerApart,
                    "0.2" => Version::MarkerInside,
                    other => {
                        let reason = format!("version {other:?} is not known; 0.1 and 0.2 are");
                        return Err(at_line(path, line, reason));
                    }
                };
                continue;
            }
            let merge = content.trim_matches(['\r', ' ']);
            if merge.is_empty() && merges.is_empty() {
                continue;
            }
            let (left, right) = pair(merge).ok_or_else(|| {
                let rule = "a merge must be two tokens with a space between";
                at_line(path, line, format!("{rule}, got {merge:?}"))
            })?;
            // Of a pair that stands there twice the first place counts.
            if seen.insert((left, right)) {
                merges.push((line, left, right));
            }
        }
        if merges.is_empty() {
            return Err(Error::format(path, Place::Whole, "the file holds no merges"));
        }
        Ok(Self { version, merges })
    }

    /// All characters, without the mark.
    fn characters(&self) -> BTreeSet<char> {
        let tokens = self.merges.iter().flat_map(|&(_, left, right)| [left, right]);
        tokens.flat_map(|token| token.strip_suffix(MARKER).unwrap_or(token).chars()).collect()
    }

    /// A tokenizer whose first ids are those of `names`.
    pub(super) fn with_marker_inside(
        &self,
        names: Vec<String>,
        outside: Names<'_>,
        path: &Path,
    ) -> Result<Tokenizer> {
        let characters = self.characters();
        let inner = characters.iter().map(char::to_string);
        let last = characters.iter().map(|character| format!("{character}{MARKER}"));
        let merged = self.merges.iter().flat_map(|&(_, left, right)| {
            [left.to_owned(), right.to_owned(), format!("{left}{right}")]
        });
        let listed: FxHashSet<String> = names.iter().cloned().collect();
        let outside_names = outside.unknown.into_iter().map(str::to_owned);
        let outside_names = outside_names.chain(outside.special.iter().cloned());
        let mut tokens = Tokens::default();
        names.into_iter().chain(inner).chain(last).chain(merged).for_each(|name| tokens.add(name));
        for name in outside_names {
            if tokens.ids.contains_key(&name) && !listed.contains(&name) {
                let rule = "must not name a token that the codes make";
                return Err(Error::parameter("special_tokens", rule, format!("{name:?}")));
            }
            tokens.add(name);
        }
        let special = outside.special.iter().map(|name| (tokens.ids[name], name));
        let mut special: Vec<(u32, &String)> = special.collect();
        special.sort_unstable();
        let added = special.into_iter().map(|(id, name)| text_files::special_token(id, name));
        let merges: Value =
            self.merges.iter().map(|(_, left, right)| json!([left, right])).collect();
        let vocab: Map<String, Value> =
            tokens.ids.iter().map(|(token, id)| (token.clone(), json!(id))).collect();
        let split = json!({
            "type": "Split", "pattern": {"Regex": BETWEEN}, "behavior": "Removed", "invert": false,
        });
        text_files::tokenizer(
            json!({
                "type": "BPE", "unk_token": outside.unknown, "end_of_word_suffix": MARKER,
                "vocab": vocab, "merges": merges,
            }),
            added.collect(),
            [
                ("normalizer", Value::Null),
                ("pre_tokenizer", split),
                ("post_processor", Value::Null),
                ("decoder", json!({"type": "BPEDecoder", "suffix": MARKER})),
            ],
            path,
        )
    }

    /// A tokenizer of the kind that is trained here with a marker.
    pub(super) fn with_marker_apart(&self, names: Names<'_>, path: &Path) -> Result<Tokenizer> {
        let mut vocabulary = Vocabulary::new(Some(MARKER.to_owned()));
        let mut alphabet = FxHashMap::default();
        for character in self.characters() {
            let text = character.to_string();
            alphabet.insert(character, vocabulary.push(text.as_bytes(), TokenKind::Ordinary));
        }
        let marker = vocabulary.push(b"", TokenKind::EndsWord);
        let mut merges = Vec::with_capacity(self.merges.len());
        for &(line, left, right) in &self.merges {
            let find = |token: &str| match token.strip_suffix(MARKER) {
                Some(inner) => vocabulary.find(inner.as_bytes(), TokenKind::EndsWord),
                None => vocabulary.find(token.as_bytes(), TokenKind::Ordinary),
            };
            let known = |token: &str| {
                let reason = || format!("no merge before it makes {token:?}");
                find(token).ok_or_else(|| at_line(path, line, reason()))
            };
            if left.ends_with(MARKER) {
                let reason = format!("{left:?} ends a word, so that nothing can follow it");
                return Err(at_line(path, line, reason));
            }
            let (left, right) = (known(left)?, known(right)?);
            let token = vocabulary.push_merged(left, right);
            merges.push(Merge { pair: Pair { left, right }, token });
        }
        let unknown = names.unknown;
        let unknown = unknown.map(|name| vocabulary.push(name.as_bytes(), TokenKind::Unknown));
        for name in names.special {
            vocabulary.push(name.as_bytes(), TokenKind::Special);
        }
        let settings = TokenizerSettings {
            kind: Kind::Bpe,
            vocab_size: None,
            merges: Some(merges.len() as u64),
            splitter: splitter()?,
            symbols: Symbols::Characters,
            end_of_word: Some(MARKER.to_owned()),
            tie_break: TieBreak::LowestIds,
            order: WordOrder::Frequency,
            min_frequency: 0,
            special_tokens: names.special.to_vec(),
            unknown_token: names.unknown.map(str::to_owned),
            options: BpeOptions::default(),
        };
        let alphabet = Alphabet::Characters(alphabet);
        let order = MergeOrder::LowestRank;
        let model = BpeModel::new(alphabet, merges, Some(marker), unknown, order);
        Ok(Tokenizer::new(settings, vocabulary, Model::Bpe(Box::new(model)), None))
    }
}

/// Tokens in the order of their ids.
#[derive(Default)]
struct Tokens {
    ids: FxHashMap<String, u32>,
}

impl Tokens {
    fn add(&mut self, name: String) {
        let next = self.ids.len() as u32;
        self.ids.entry(name).or_insert(next);
    }
}

/// The tokens of a vocabulary as the codes write them, in its order.
pub(super) fn read_names(text: &str, outside: Names<'_>, path: &Path) -> Result<Vec<String>> {
    let mut first: FxHashMap<&str, u64> = FxHashMap::default();
    let mut names = Vec::new();
    for (line, content) in text_files::lines(text) {
        let entry = content.trim_matches(['\r', ' ']);
        let count = |count: &&str| count.parse::<i64>().is_ok();
        let token = pair(entry).filter(|(_, number)| count(number)).map(|(token, _)| token);
        let token = token.ok_or_else(|| {
            let rule = "a token and its count are needed, with a space between";
            at_line(path, line, format!("{rule}, got {entry:?}"))
        })?;
        if let Some(before) = first.insert(token, line) {
            let reason = format!("the token {token:?} is on line {before} already");
            return Err(at_line(path, line, reason));
        }
        let is_outside =
            outside.unknown == Some(token) || outside.special.iter().any(|name| name == token);
        names.push(match token.strip_suffix(SEPARATOR) {
            _ if is_outside => token.to_owned(),
            Some(inner) => inner.to_owned(),
            None => format!("{token}{MARKER}"),
        });
    }
    Ok(names)
}
