//! The part of a `tokenizer.json` that is our own: settings and history.

use serde::{Deserialize, Serialize};

use super::split_spec;
use crate::bpe::encode::MergeOrder;
use crate::bpe::{BpeOptions, MergeHistory, MergeRecord, Pair, Symbols, TieBreak};
use crate::error::{Error, Result};
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{AddedToken, Kind, Model, Tokenizer, TokenizerSettings, WordOrder};

/// The version that this code writes, and the newest that it reads.
pub(super) const FORMAT: u32 = 1;

/// What other programs do not ask for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    format: u32,
    kind: String,
    vocab_size: Option<u64>,
    merges: Option<u64>,
    split: String,
    space_prefix: bool,
    symbols: String,
    end_of_word: Option<String>,
    tie_break: String,
    order: String,
    min_frequency: u64,
    special_tokens: Vec<String>,
    unknown_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
    /// The ids of the special tokens where the order of ids is the order of merging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ranked_special_ids: Option<Vec<u32>>,
    /// Tokens that are found by rules, in order; without it the special tokens are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) added: Vec<Added>,
    /// The ids of the unknown and the special tokens where they are not the last ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name_ids: Option<Vec<u32>>,
    /// Why Hugging Face tokenizers cannot load the file.
    hugging_face: Option<String>,
    history: Option<History>,
    pub(super) checksum: String,
}

/// A token that is found in a text before it is cut.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "one for each rule")]
pub(super) struct Added {
    id: u32,
    content: String,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
    special: bool,
    /// The model lists it too; otherwise it comes after all tokens of the model.
    in_model: bool,
}

/// What a trainer of byte-pair encoding was told beyond its main settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    limit_alphabet: Option<u64>,
    initial_alphabet: Vec<String>,
    max_token_length: Option<u64>,
    seed_merges: Vec<(String, String)>,
    forbidden_merges: Vec<(String, String)>,
}

/// One array a column; a pair takes two places, which are -1 where there is none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    totals: Vec<u64>,
    tied_pairs: Vec<u32>,
    runners_up: Vec<i64>,
    runner_up_totals: Vec<u64>,
    first_pieces: Vec<i64>,
    pieces: Vec<String>,
}

/// Whether the ids alone say what is merged.
fn is_ranked(tokenizer: &Tokenizer) -> bool {
    matches!(tokenizer.model(), Model::Bpe(model) if model.order() == MergeOrder::LowestToken)
}

/// How many tokens the model has, without those that were added after it.
pub(super) fn model_size(tokenizer: &Tokenizer) -> usize {
    let outside = tokenizer.pipeline().added.iter().filter(|token| !token.in_model);
    tokenizer.vocabulary().len() - outside.count()
}

/// The ids of the special tokens that the model lists.
fn special_ids(tokenizer: &Tokenizer) -> impl Iterator<Item = u32> + '_ {
    let size = model_size(tokenizer);
    tokenizer.special_ids().take_while(move |&id| (id as usize) < size)
}

/// The ids of the unknown and the special tokens, `None` if they are the last ones.
fn name_ids(tokenizer: &Tokenizer) -> Option<Vec<u32>> {
    let Model::Bpe(model) = tokenizer.model() else { return None };
    let size = model_size(tokenizer);
    let ids: Vec<u32> = model.unknown.into_iter().chain(special_ids(tokenizer)).collect();
    let are_last = ids.iter().copied().eq((size - ids.len()) as u32..size as u32);
    (!are_last && !is_ranked(tokenizer)).then_some(ids)
}

impl Parts {
    /// The unknown and the special tokens of a vocabulary of this size, with their ids, ascending.
    pub(super) fn names(&self, size: usize) -> Result<Vec<(u32, &str, TokenKind)>, String> {
        let unknown = self.unknown_token.iter().map(|name| (name, TokenKind::Unknown));
        let special = self.special_tokens.iter().map(|name| (name, TokenKind::Special));
        let names: Vec<_> = unknown.chain(special).collect();
        let Some(first) = size.checked_sub(names.len()) else {
            return Err("model.vocab lacks the special tokens".to_owned());
        };
        let last: Vec<u32> = (first as u32..size as u32).collect();
        let ids = self.name_ids.as_ref().unwrap_or(&last);
        let are_fine = ids.len() == names.len()
            && ids.windows(2).all(|two| two[0] < two[1])
            && ids.last().is_none_or(|&id| (id as usize) < size);
        if !are_fine {
            return Err("the ids of the special tokens are not one each, ascending".to_owned());
        }
        let named = ids.iter().zip(names).map(|(&id, (name, kind))| (id, name.as_str(), kind));
        let added = self.added.iter().filter(|token| token.in_model && !token.special);
        let added = added.map(|token| (token.id, token.content.as_str(), TokenKind::Added));
        let mut named: Vec<_> = named.chain(added).collect();
        named.sort_unstable_by_key(|(id, ..)| *id);
        Ok(named)
    }

    pub(super) fn of(tokenizer: &Tokenizer, hugging_face: Option<String>) -> Self {
        let mut settings = tokenizer.settings().clone();
        settings.special_tokens.truncate(special_ids(tokenizer).count());
        Self {
            format: FORMAT,
            kind: settings.kind.name().to_owned(),
            vocab_size: settings.vocab_size,
            merges: settings.merges,
            split: split_spec::write(&settings.splitter),
            space_prefix: settings.splitter.space_prefix(),
            symbols: settings.symbols.name().to_owned(),
            end_of_word: settings.end_of_word,
            tie_break: settings.tie_break.name().to_owned(),
            order: settings.order.name().to_owned(),
            min_frequency: settings.min_frequency,
            special_tokens: settings.special_tokens,
            unknown_token: settings.unknown_token,
            options: Options::of(settings.options),
            ranked_special_ids: is_ranked(tokenizer).then(|| special_ids(tokenizer).collect()),
            added: tokenizer.pipeline().added.iter().cloned().map(Added::from).collect(),
            name_ids: name_ids(tokenizer),
            hugging_face,
            history: tokenizer.history().map(History::from),
            checksum: String::new(),
        }
    }

    pub(super) fn settings(&self) -> Result<TokenizerSettings> {
        if self.format > FORMAT {
            let rule = format!("must be at most {FORMAT}, the newest that this version reads");
            return Err(Error::parameter("format", rule, self.format)
                .with_hint("A newer textgrain wrote the file"));
        }
        let kind = Kind::parse(&self.kind).ok_or_else(|| {
            Error::parameter("kind", "must be a known family", format!("{:?}", self.kind))
        })?;
        crate::bpe::settings::validate_names(&self.special_tokens, self.unknown_token.as_deref())?;
        Ok(TokenizerSettings {
            kind,
            vocab_size: self.vocab_size,
            merges: self.merges,
            splitter: split_spec::parse(&self.split, self.space_prefix)?,
            symbols: Symbols::parse(&self.symbols)?,
            end_of_word: self.end_of_word.clone(),
            tie_break: TieBreak::parse(&self.tie_break)?,
            order: WordOrder::parse(&self.order)?,
            min_frequency: self.min_frequency,
            special_tokens: self.special_tokens.clone(),
            unknown_token: self.unknown_token.clone(),
            options: self.options.clone().map(BpeOptions::from).unwrap_or_default(),
        })
    }

    /// The history, if all columns have one entry a merge and name only what exists.
    pub(super) fn history(
        &self,
        merges: usize,
        vocabulary: usize,
    ) -> Result<Option<MergeHistory>, &'static str> {
        let Some(history) = &self.history else { return Ok(None) };
        let lengths = [
            history.totals.len(),
            history.tied_pairs.len(),
            history.runner_up_totals.len(),
            history.runners_up.len() / 2,
            history.first_pieces.len() / 2,
        ];
        if lengths != [merges; 5] {
            return Err("the history does not have one entry for each merge");
        }
        let two = |numbers: &[i64], index: usize, limit: usize| match numbers[2 * index..][..2] {
            [-1, -1] => Ok(None),
            [one, two] if one.min(two) >= 0 && (one.max(two) as usize) < limit => {
                Ok(Some((one as u32, two as u32)))
            }
            _ => Err("the history names a token or piece that does not exist"),
        };
        let record = |index| -> Result<MergeRecord, &'static str> {
            let runner_up = two(&history.runners_up, index, vocabulary)?;
            Ok(MergeRecord {
                total: history.totals[index],
                tied_pairs: history.tied_pairs[index],
                runner_up: runner_up.map(|(left, right)| Pair { left, right }),
                runner_up_total: history.runner_up_totals[index],
                first_pieces: two(&history.first_pieces, index, history.pieces.len())?,
            })
        };
        let records = (0..merges).map(record).collect::<Result<_, _>>()?;
        Ok(Some(MergeHistory { records, pieces: history.pieces.clone() }))
    }
}

impl From<AddedToken> for Added {
    fn from(token: AddedToken) -> Self {
        let AddedToken { id, content, single_word, lstrip, rstrip, normalized, special, in_model } =
            token;
        Self { id, content, single_word, lstrip, rstrip, normalized, special, in_model }
    }
}

impl From<Added> for AddedToken {
    fn from(token: Added) -> Self {
        let Added { id, content, single_word, lstrip, rstrip, normalized, special, in_model } =
            token;
        Self { id, content, single_word, lstrip, rstrip, normalized, special, in_model }
    }
}

impl Options {
    /// `None` where nothing was asked for.
    fn of(options: BpeOptions) -> Option<Self> {
        (options != BpeOptions::default()).then_some(Self {
            limit_alphabet: options.limit_alphabet,
            initial_alphabet: options.initial_alphabet,
            max_token_length: options.max_token_length,
            seed_merges: options.seed_merges,
            forbidden_merges: options.forbidden_merges,
        })
    }
}

impl From<Options> for BpeOptions {
    fn from(options: Options) -> Self {
        Self {
            limit_alphabet: options.limit_alphabet,
            initial_alphabet: options.initial_alphabet,
            max_token_length: options.max_token_length,
            seed_merges: options.seed_merges,
            forbidden_merges: options.forbidden_merges,
        }
    }
}

impl From<&MergeHistory> for History {
    fn from(history: &MergeHistory) -> Self {
        let two = |numbers: Option<(u32, u32)>| {
            numbers.map_or([-1, -1], |(one, two)| [i64::from(one), i64::from(two)])
        };
        let records = &history.records;
        Self {
            totals: records.iter().map(|record| record.total).collect(),
            tied_pairs: records.iter().map(|record| record.tied_pairs).collect(),
            runners_up: records
                .iter()
                .flat_map(|record| two(record.runner_up.map(|pair| (pair.left, pair.right))))
                .collect(),
            runner_up_totals: records.iter().map(|record| record.runner_up_total).collect(),
            first_pieces: records.iter().flat_map(|record| two(record.first_pieces)).collect(),
            pieces: history.pieces.clone(),
        }
    }
}
