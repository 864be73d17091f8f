//! How a tokenizer is said in the terms of Hugging Face tokenizers, and whether it can be.

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::stages::{decoders, pre_tokenizers, surroundings};
use crate::bpe::encode::MergeOrder;
use crate::bpe::{Symbols, TieBreak};
use crate::split::pre_tokenizer::PreTokenizer;
use crate::split::published::{DEEPSEEK, GPT2, GPT4, LLAMA3, O200K, QWEN2, WORDS};
use crate::split::{SplitRule, Splitter};
use crate::tokenizer::{AddedToken, Kind, Model, Tokenizer};

const WORDS_WITH_SPACE: &str = r"\s+(?= \S)| ?(?:[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_])|\s+";
const RUNS_WITH_SPACE: &str = r"\s+(?= \S)| ?\S+|\s+";

/// Why that library could not give equal ids; `None` if it can.
pub(super) fn reason(tokenizer: &Tokenizer) -> Option<String> {
    let vocabulary = tokenizer.vocabulary();
    if let Model::SentencePiece(_) = tokenizer.model() {
        return Some(
            "it was read from a SentencePiece model, which treats spaces and the whole text in ways of its own"
                .to_owned(),
        );
    }
    if tokenizer.settings().end_of_word.is_some() {
        return Some(
            "the end-of-word marker is a symbol of its own, which Hugging Face tokenizers does not have"
                .to_owned(),
        );
    }
    if tokenizer.settings().splitter.pre_tokenizer().is_some_and(PreTokenizer::is_own) {
        return Some(
            "it cuts where the script changes, for which Hugging Face tokenizers has no rule"
                .to_owned(),
        );
    }
    let mut seen = FxHashSet::default();
    for id in vocabulary.ids() {
        let name = tokenizer.file_form(id);
        if !seen.insert(name.clone()) {
            let name = String::from_utf8_lossy(&name);
            return Some(format!("two tokens are both written {name:?}"));
        }
    }
    let Model::Bpe(model) = tokenizer.model() else { return None };
    if model.order() == MergeOrder::LowestToken {
        return model.shares_ranks().then(|| {
            "some tokens are formed by several pairs of one rank, which Hugging Face tokenizers does not have"
                .to_owned()
        });
    }
    let all_new = model.merges.windows(2).all(|two| two[0].token < two[1].token);
    if !all_new && tokenizer.settings().tie_break != TieBreak::LowestIds {
        return Some(
            "two merges yield the same token, which Hugging Face tokenizers would apply in another order"
                .to_owned(),
        );
    }
    None
}

/// The file's sections outside the model.
pub(super) fn pipeline(tokenizer: &Tokenizer) -> [(&'static str, Value); 2] {
    let settings = tokenizer.settings();
    let bytes = settings.kind == Kind::Bpe && settings.symbols == Symbols::Bytes;
    let splitter = &settings.splitter;
    let pre_tokenizer = match (split_section(splitter), bytes) {
        (_, true) if splitter.rule() == SplitRule::Gpt2 => byte_level(true),
        (None, true) => byte_level(false),
        (Some(split), true) => {
            json!({"type": "Sequence", "pretokenizers": [split, byte_level(false)]})
        }
        (split, false) => split.unwrap_or(Value::Null),
    };
    let decoder = match settings.kind {
        _ if tokenizer.pipeline().decoder.is_some() => {
            tokenizer.pipeline().decoder.as_ref().map_or(Value::Null, decoders::write)
        }
        Kind::Bpe if bytes => byte_level(true),
        Kind::Bpe | Kind::CharLevel => json!({"type": "Fuse"}),
        Kind::Unigram => json!({
            "type": "Sequence",
            "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}],
        }),
        Kind::WordLevel | Kind::WordPiece | Kind::SentencePiece => Value::Null,
    };
    [("pre_tokenizer", pre_tokenizer), ("decoder", decoder)]
}

fn split_section(splitter: &Splitter) -> Option<Value> {
    let isolated = |pattern: &str| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
    Some(match (splitter.rule(), splitter.space_prefix()) {
        (SplitRule::Whitespace, false) => json!({"type": "WhitespaceSplit"}),
        (SplitRule::Whitespace, true) => isolated(RUNS_WITH_SPACE),
        // Removes what lies between the words.
        (SplitRule::Words, false) => {
            json!({"type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Removed", "invert": true})
        }
        (SplitRule::Words, true) => isolated(WORDS_WITH_SPACE),
        (SplitRule::Gpt2, _) => isolated(GPT2),
        (SplitRule::Gpt4, _) => isolated(GPT4),
        (SplitRule::O200k, _) => isolated(O200K),
        (SplitRule::Llama3, _) => isolated(LLAMA3),
        (SplitRule::Qwen2, _) => isolated(QWEN2),
        (SplitRule::DeepSeek, _) => {
            let steps: Vec<Value> = DEEPSEEK.into_iter().map(isolated).collect();
            json!({"type": "Sequence", "pretokenizers": steps})
        }
        (SplitRule::Custom, _) => return splitter.pre_tokenizer().map(pre_tokenizers::write),
        (SplitRule::None, _) => return None,
    })
}

fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": use_regex})
}

/// Special and added tokens as that library lists them.
pub(super) fn added_tokens(tokenizer: &Tokenizer) -> Value {
    let added = &tokenizer.pipeline().added;
    if !added.is_empty() {
        return surroundings::write_added(added);
    }
    let named = tokenizer.special_ids().zip(&tokenizer.settings().special_tokens);
    let special: Vec<_> = named.map(|(id, name)| AddedToken::special(id, name)).collect();
    surroundings::write_added(&special)
}
