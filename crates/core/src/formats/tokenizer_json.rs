//! `tokenizer.json`: one self-contained file, which Hugging Face tokenizers loads too where it can give
//! equal ids.
//!
//! What only we know rides in `model.textgrain`. A tokenizer that the other library could not reproduce
//! gets a model type of its own, so that it is refused there instead of giving wrong ids.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::stages::{models, normalizers, surroundings};
use super::tokenizer_parts::{FORMAT, Parts, model_size};
pub use super::tokenizer_read::from_bytes;
use super::{base64, byte_alphabet, hugging_face, sentencepiece, tokenizer_foreign};
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::bpe::{Merge, Symbols};
use crate::error::{Error, Result};
use crate::files;
use crate::sentencepiece::SentencePiece;
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{Model, Tokenizer};

/// The model type of what only we can load.
pub(super) const OWN_TYPE: &str = "TextgrainBPE";

/// Why Hugging Face tokenizers could not give equal ids; `None` if it can load the file.
pub fn hugging_face_reason(tokenizer: &Tokenizer) -> Option<String> {
    hugging_face::reason(tokenizer)
}

/// What stands beside the stages, as JSON: truncation, padding and added tokens, and the ids of those that are
/// not listed by the model.
pub fn surroundings(tokenizer: &Tokenizer) -> String {
    let pipeline = tokenizer.pipeline();
    let (added, outside): (Value, Vec<u32>) = if pipeline.foreign || !pipeline.added.is_empty() {
        let outside = pipeline.added.iter().filter(|token| !token.in_model);
        (surroundings::write_added(&pipeline.added), outside.map(|token| token.id).collect())
    } else {
        let is_listed = !matches!(tokenizer.model(), Model::Unigram(_) | Model::SentencePiece(_));
        let outside = tokenizer.special_ids().filter(|_| !is_listed).collect();
        (hugging_face::added_tokens(tokenizer), outside)
    };
    json!({
        "truncation": surroundings::write_truncation(pipeline.truncation.as_ref()),
        "padding": surroundings::write_padding(pipeline.padding.as_ref()),
        "added_tokens": added, "outside": outside,
    })
    .to_string()
}

/// Writes a tokenizer; the same tokenizer always gives the same bytes.
pub fn save(tokenizer: &Tokenizer, path: &Path) -> Result<()> {
    let bytes = to_bytes(tokenizer);
    files::write_atomically(path, |writer| writer.write_all(&bytes))
}

/// Reads a tokenizer.
pub fn load(path: &Path) -> Result<Tokenizer> {
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    from_bytes(&bytes, path)
}

/// The content of the file.
pub fn to_bytes(tokenizer: &Tokenizer) -> Vec<u8> {
    signed(document(tokenizer))
}

/// What the file says, with an empty checksum.
pub(super) fn document(tokenizer: &Tokenizer) -> Value {
    if tokenizer.pipeline().foreign {
        let own = json!({"format": FORMAT, "foreign": true, "checksum": ""});
        return tokenizer_foreign::write(tokenizer, own);
    }
    let reason = hugging_face::reason(tokenizer);
    let mut model = match (tokenizer.model(), &reason) {
        (Model::Bpe(model), None) => bpe_section(tokenizer, model),
        (Model::Bpe(model), Some(_)) => own_section(tokenizer, model),
        (Model::WordPiece(_) | Model::Unigram(_), _) => models::write(tokenizer),
        (Model::WordLevel { .. }, None) => word_level_section(tokenizer),
        (Model::WordLevel { .. }, Some(_)) => own_words_section(tokenizer),
        (Model::SentencePiece(model), _) => sentencepiece_section(model),
    };
    let parts = Parts::of(tokenizer, reason);
    model.insert("textgrain".to_owned(), json!(parts));
    let [pre_tokenizer, decoder] = hugging_face::pipeline(tokenizer);
    let mut document = Map::new();
    document.insert("version".to_owned(), json!("1.0"));
    for key in ["truncation", "padding"] {
        document.insert(key.to_owned(), Value::Null);
    }
    document.insert("added_tokens".to_owned(), hugging_face::added_tokens(tokenizer));
    let normalizer = tokenizer.pipeline().normalizer.as_ref().map(normalizers::write);
    document.insert("normalizer".to_owned(), normalizer.unwrap_or(Value::Null));
    document.insert(pre_tokenizer.0.to_owned(), pre_tokenizer.1);
    document.insert("post_processor".to_owned(), Value::Null);
    document.insert(decoder.0.to_owned(), decoder.1);
    document.insert("model".to_owned(), Value::Object(model));
    Value::Object(document)
}

/// Puts the checksum in.
fn signed(mut document: Value) -> Vec<u8> {
    let checksum = checksum(&document);
    document["model"]["textgrain"]["checksum"] = json!(checksum);
    render(&document)
}

/// A value renders to memory and has only text for keys, so rendering cannot fail.
fn render(document: &Value) -> Vec<u8> {
    serde_json::to_vec(document).unwrap_or_default()
}

/// Of the document with an empty checksum; layout and white space do not matter.
pub(super) fn checksum(document: &Value) -> String {
    format!("{:016x}", xxh3_64(&render(document)))
}

fn file_token(bytes: &[u8], symbols: Symbols) -> String {
    match symbols {
        Symbols::Bytes => bytes.iter().map(|&byte| byte_alphabet::stand_in(byte)).collect(),
        Symbols::Characters => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn vocabulary_section(tokenizer: &Tokenizer, symbols: Symbols) -> Value {
    let vocabulary = tokenizer.vocabulary();
    let entry = |id| {
        let symbols = match vocabulary.kind(id) {
            TokenKind::Ordinary | TokenKind::EndsWord => symbols,
            _ => Symbols::Characters,
        };
        (file_token(vocabulary.bytes(id), symbols), json!(id))
    };
    let size = model_size(tokenizer) as u32;
    vocabulary.ids().take_while(|&id| id < size).map(entry).collect::<Map<_, _>>().into()
}

fn section(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(section) => section,
        _ => Map::new(),
    }
}

fn bpe_section(tokenizer: &Tokenizer, model: &BpeModel) -> Map<String, Value> {
    let settings = tokenizer.settings();
    let vocabulary = tokenizer.vocabulary();
    let token = |id| file_token(vocabulary.bytes(id), settings.symbols);
    let merges =
        model.merges.iter().map(|merge| json!([token(merge.pair.left), token(merge.pair.right)]));
    section(json!({
        "type": "BPE", "dropout": null, "unk_token": settings.unknown_token,
        "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
        "byte_fallback": false, "ignore_merges": model.order() == MergeOrder::LowestToken,
        "vocab": vocabulary_section(tokenizer, settings.symbols),
        "merges": merges.collect::<Vec<_>>(),
    }))
}

fn word_level_section(tokenizer: &Tokenizer) -> Map<String, Value> {
    let unknown = tokenizer.settings().unknown_token.as_deref().unwrap_or("<unk>");
    let vocab = vocabulary_section(tokenizer, Symbols::Characters);
    section(json!({"type": "WordLevel", "vocab": vocab, "unk_token": unknown}))
}

/// The tokens that stand for text, by id: all that there is to know where ids are the order of merging.
fn ranked_section(tokenizer: &Tokenizer) -> Map<String, Value> {
    let vocabulary = tokenizer.vocabulary();
    let ordinary = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    let entry = |id| (file_token(vocabulary.bytes(id), Symbols::Bytes), json!(id));
    section(json!({"type": OWN_TYPE, "vocab": ordinary.map(entry).collect::<Map<_, _>>()}))
}

/// Merges by id: pairs of ids, then the id that they become.
fn own_section(tokenizer: &Tokenizer, model: &BpeModel) -> Map<String, Value> {
    if model.order() == MergeOrder::LowestToken {
        return ranked_section(tokenizer);
    }
    let alphabet: Vec<String> = match &model.alphabet {
        Alphabet::Bytes(_) | Alphabet::Spelled(_) => Vec::new(),
        Alphabet::Characters(ids) => {
            let mut sorted: Vec<(u32, char)> = ids.iter().map(|(&one, &id)| (id, one)).collect();
            sorted.sort_unstable();
            sorted.into_iter().map(|(_, character)| character.to_string()).collect()
        }
    };
    let merge = |merge: &Merge| json!([merge.pair.left, merge.pair.right, merge.token]);
    let merges: Vec<Value> = model.merges.iter().map(merge).collect();
    let size = model_size(tokenizer);
    section(json!({"type": OWN_TYPE, "alphabet": alphabet, "merges": merges, "size": size}))
}

/// The whole `.model` file, which is the only exact description.
fn sentencepiece_section(model: &SentencePiece) -> Map<String, Value> {
    let mut content = Vec::new();
    base64::encode(&sentencepiece::to_bytes(model), &mut content);
    let content = String::from_utf8_lossy(&content);
    section(json!({"type": OWN_TYPE, "sentencepiece": content}))
}

fn own_words_section(tokenizer: &Tokenizer) -> Map<String, Value> {
    let vocabulary = tokenizer.vocabulary();
    let ids = 0..vocabulary.len() as u32;
    let words = ids.filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    let words: Vec<String> =
        words.map(|id| file_token(vocabulary.bytes(id), Symbols::Characters)).collect();
    section(json!({"type": OWN_TYPE, "words": words}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpe::{BpeOptions, BpeSettings, TieBreak};
    use crate::observe::Silent;
    use crate::split::{PieceCounts, SplitRule, Splitter};
    use crate::tokenizer::AddedToken;

    /// What the complaint says, and the change that is complained of.
    type Case = (&'static str, fn(&mut Value));

    fn trained(symbols: Symbols, end_of_word: Option<&str>) -> Tokenizer {
        let settings = BpeSettings {
            vocab_size: None,
            merges: Some(5),
            splitter: Splitter::new(SplitRule::Words, false).unwrap(),
            symbols,
            end_of_word: end_of_word.map(str::to_owned),
            tie_break: TieBreak::First,
            min_frequency: 1,
            special_tokens: vec!["<s>".to_owned()],
            unknown_token: Some("<unk>".to_owned()),
            options: BpeOptions::default(),
        };
        let pieces = PieceCounts::from_counts([("low", 5), ("lower", 2), ("newest", 6)]).unwrap();
        Tokenizer::train_bpe(&pieces, &settings, &mut Silent).unwrap()
    }

    fn document(tokenizer: &Tokenizer) -> Value {
        serde_json::from_slice(&to_bytes(tokenizer)).unwrap()
    }

    /// Reads a changed document whose checksum was made right again.
    fn read_changed(mut document: Value, change: impl FnOnce(&mut Value)) -> Result<Tokenizer> {
        change(&mut document["model"]);
        document["model"]["textgrain"]["checksum"] = json!("");
        document["model"]["textgrain"]["checksum"] = json!(checksum(&document));
        from_bytes(&render(&document), Path::new("a.json"))
    }

    fn complaint(document: &Value, change: impl FnOnce(&mut Value)) -> String {
        let error = read_changed(document.clone(), change).unwrap_err();
        assert!(matches!(error, Error::Format { .. }), "{error:?}");
        error.to_string()
    }

    #[test]
    fn all_forms_come_back_as_they_were() {
        for symbols in [Symbols::Bytes, Symbols::Characters] {
            for end_of_word in [None, Some("</w>")] {
                let tokenizer = trained(symbols, end_of_word);
                let bytes = to_bytes(&tokenizer);
                let read = from_bytes(&bytes, Path::new("a.json")).unwrap();
                assert_eq!(to_bytes(&read), bytes);
                assert_eq!(read.settings(), tokenizer.settings());
                assert_eq!(read.history(), tokenizer.history());
            }
        }
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let bytes = document(&trained(Symbols::Bytes, None));
        let cases: [Case; 9] = [
            ("which is no token", |model| model["merges"][0] = json!(["x", "nothing"])),
            ("is not a pair", |model| model["merges"][0] = json!(["x"])),
            ("does not name two tokens", |model| model["merges"][0] = json!([1, 2])),
            ("have the same id", |model| model["vocab"]["a"] = json!(3)),
            ("but there are", |model| model["vocab"]["a"] = json!(9999)),
            ("but there are", |model| model["vocab"]["a"] = json!(-1)),
            ("model.vocab is missing", |model| model["vocab"] = json!([])),
            ("model.merges is missing", |model| model["merges"] = Value::Null),
            ("does not fit", |model| model["type"] = json!("WordLevel")),
        ];
        for (expected, change) in cases {
            let message = complaint(&bytes, change);
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn settings_and_history_are_checked() {
        let bytes = document(&trained(Symbols::Bytes, None));
        let cases: [Case; 6] = [
            ("`split` must be one of", |own| own["split"] = json!("other")),
            ("`format` must be at most", |own| own["format"] = json!(99)),
            ("and not \"<other>\"", |own| own["special_tokens"] = json!(["<other>"])),
            ("one entry for each merge", |own| own["history"]["totals"] = json!([1])),
            ("does not exist", |own| own["history"]["runners_up"][0] = json!(99_999)),
            ("does not exist", |own| own["history"]["first_pieces"][0] = json!(7)),
        ];
        for (expected, change) in cases {
            let message = complaint(&bytes, |model| change(&mut model["textgrain"]));
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn added_tokens_are_checked() {
        let ecg = AddedToken { special: false, normalized: true, ..AddedToken::special(0, "ECG") };
        let later = AddedToken { content: "<later>".to_owned(), ..ecg.clone() };
        for end_of_word in [None, Some("</w>")] {
            let tokenizer = trained(Symbols::Characters, end_of_word);
            let tokenizer = tokenizer.with_added_tokens(std::slice::from_ref(&ecg)).unwrap();
            let tokenizer = tokenizer.with_special_tokens(&["<sep>".to_owned()]).unwrap();
            let tokenizer = tokenizer.with_added_tokens(std::slice::from_ref(&later)).unwrap();
            let bytes = to_bytes(&tokenizer);
            let read = from_bytes(&bytes, Path::new("a.json")).unwrap();
            assert_eq!(to_bytes(&read), bytes);
            assert_eq!(read.settings(), tokenizer.settings());
            let document = document(&tokenizer);
            let cases: [Case; 5] = [
                ("has not the next id", |added| added[1]["id"] = json!(3)),
                ("is not that of id", |added| added[0]["id"] = json!(3)),
                ("is not that of id", |added| added[0]["id"] = json!(99_999)),
                ("there already", |added| added[1]["content"] = json!("<s>")),
                ("is damaged", |added| added[1]["id"] = json!(-1)),
            ];
            for (expected, change) in cases {
                let message =
                    complaint(&document, |model| change(&mut model["textgrain"]["added"]));
                assert!(message.contains(expected), "{message}");
            }
        }
    }

    #[test]
    fn our_own_form_is_checked() {
        let own = document(&trained(Symbols::Characters, Some("_")));
        assert_eq!(own["model"]["type"], OWN_TYPE);
        let cases: [Case; 6] = [
            ("cannot be merged", |model| model["merges"][0] = json!([0, 9999, 9])),
            ("yields another id", |model| model["merges"][0][2] = json!(0)),
            ("three ids", |model| model["merges"][0] = json!([1, 2])),
            ("is damaged", |model| model["merges"][0] = json!([-1, 2, 3])),
            ("twice", |model| model["alphabet"][1] = model["alphabet"][0].clone()),
            ("not one character", |model| model["alphabet"][1] = json!("ab")),
        ];
        for (expected, change) in cases {
            let message = complaint(&own, change);
            assert!(message.contains(expected), "{message}");
        }
    }
}
