//! Models with their vocabulary.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::node::{Node, Read};
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::bpe::spelling::Spelling;
use crate::bpe::{Merge, Pair, Symbols};
use crate::formats::byte_alphabet;
use crate::tokenizer::added::AddedToken;
use crate::tokenizer::decoders::byte_of_name;
use crate::tokenizer::vocabulary::{MOST_ABSENT, TokenKind, Vocabulary};
use crate::tokenizer::word_piece::WordPieceModel;
use crate::tokenizer::{Kind, Model, Tokenizer};
use crate::unigram::UnigramModel;

/// A model with all tokens, those that were added too.
pub(in crate::formats) struct ReadModel {
    pub(in crate::formats) kind: Kind,
    pub(in crate::formats) vocabulary: Vocabulary,
    pub(in crate::formats) model: Model,
    pub(in crate::formats) unknown_token: Option<String>,
}

/// All keys that models have.
const KEYS: [&str; 14] = [
    "type",
    "vocab",
    "merges",
    "unk_token",
    "unk_id",
    "dropout",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
    "max_input_chars_per_word",
    "cache_capacity",
    "textgrain",
];

/// The names of the tokens of a model, as the file writes them.
type Ids<'a> = FxHashMap<&'a str, u32>;

/// `added` gets the ids that its tokens really have; `symbols` tells whether pieces come as bytes.
pub(in crate::formats) fn read(
    node: &Node<'_>,
    added: &mut [AddedToken],
    symbols: Symbols,
) -> Read<ReadModel> {
    node.only(&KEYS)?;
    match kind(node)? {
        "BPE" => read_bpe(node, added, symbols),
        "WordPiece" => read_word_piece(node, added),
        "WordLevel" => read_word_level(node, added),
        "Unigram" => read_unigram(node, added),
        _ => {
            let known = ["BPE", "WordPiece", "WordLevel", "Unigram"];
            node.field("type")?.unknown_kind("model", &known)
        }
    }
}

/// The kind of a model; old files leave it to the reader to find out.
pub(in crate::formats) fn kind<'a>(node: &Node<'a>) -> Read<&'a str> {
    let has = |key| node.optional(key).is_some();
    Ok(match node.optional("type") {
        Some(kind) => kind.text()?,
        None if has("merges") => "BPE",
        None if has("max_input_chars_per_word") => "WordPiece",
        None if has("unk_id") => "Unigram",
        None => "WordLevel",
    })
}

fn ids<'a>(node: &Node<'a>) -> Read<Ids<'a>> {
    let vocab = node.field("vocab")?;
    let entries = vocab.object()?;
    if entries.is_empty() {
        return vocab.fail("holds no token");
    }
    let mut ids = Ids::default();
    ids.reserve(entries.len());
    for (token, id) in entries {
        let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
        let Some(id) = number else {
            return vocab.field(token)?.fail("must be an id");
        };
        ids.insert(token, id);
    }
    Ok(ids)
}

/// How the tokens of a model are written.
struct Spelt<'a> {
    symbols: Symbols,
    suffix: Option<&'a str>,
    byte_fallback: bool,
    unknown: Option<&'a str>,
}

impl Spelt<'_> {
    /// What a token of the model stands for.
    fn token(&self, name: &str) -> (Vec<u8>, TokenKind) {
        let literal = || name.as_bytes().to_vec();
        if self.unknown == Some(name) {
            return (literal(), TokenKind::Unknown);
        }
        if self.symbols == Symbols::Bytes {
            let bytes = byte_alphabet::bytes();
            let bytes: Option<Vec<u8>> =
                name.chars().map(|character| bytes.byte(character)).collect();
            // A name that is not all stand-ins cannot be met.
            return bytes.map_or_else(
                || (literal(), TokenKind::Added),
                |bytes| (bytes, TokenKind::Ordinary),
            );
        }
        if let Some(byte) = byte_of_name(name.as_bytes()).filter(|_| self.byte_fallback)
            && name == format!("<0x{byte:02X}>")
        {
            return (vec![byte], TokenKind::Byte);
        }
        match self.suffix.and_then(|suffix| name.strip_suffix(suffix)) {
            Some(inner) => (inner.as_bytes().to_vec(), TokenKind::EndsWord),
            None => (literal(), TokenKind::Ordinary),
        }
    }
}

/// All tokens in the order of their ids.
fn vocabulary(
    node: &Node<'_>,
    ids: &Ids<'_>,
    spelt: &Spelt<'_>,
    added: &mut [AddedToken],
) -> Read<Vocabulary> {
    let mut entries: Vec<(u32, Vec<u8>, TokenKind)> = Vec::with_capacity(ids.len() + added.len());
    let mut special: FxHashMap<&str, bool> = FxHashMap::default();
    for token in added.iter_mut() {
        if let Some(&id) = ids.get(token.content.as_str()) {
            // Where file and model disagree, the library that owns the format believes the model.
            (token.id, token.in_model) = (id, true);
        } else {
            let kind = if token.special { TokenKind::Special } else { TokenKind::Added };
            entries.push((token.id, token.content.clone().into_bytes(), kind));
        }
    }
    for token in added.iter() {
        special.insert(&token.content, token.special);
    }
    for (&name, &id) in ids {
        let (bytes, kind) = match special.get(name) {
            Some(true) if spelt.unknown != Some(name) => {
                (name.as_bytes().to_vec(), TokenKind::Special)
            }
            _ => spelt.token(name),
        };
        entries.push((id, bytes, kind));
    }
    entries.sort_unstable_by(|one, two| (one.0, &one.1).cmp(&(two.0, &two.1)));
    let mut vocabulary = Vocabulary::new(spelt.suffix.map(str::to_owned));
    for (id, bytes, kind) in &entries {
        if !vocabulary.skip_to(*id) {
            let name = String::from_utf8_lossy(bytes);
            return node.fail(if (*id as usize) < vocabulary.len() {
                format!("and added_tokens give the id {id} to two tokens, one of them {name:?}")
            } else {
                format!("leaves out more than {MOST_ABSENT} ids below {id}, that of {name:?}")
            });
        }
        vocabulary.push(bytes, *kind);
    }
    Ok(vocabulary)
}

fn text<'a>(node: &Node<'a>, key: &str) -> Read<Option<&'a str>> {
    node.optional(key).map(|node| node.text()).transpose()
}

fn read_bpe(node: &Node<'_>, added: &mut [AddedToken], symbols: Symbols) -> Read<ReadModel> {
    let ids = ids(node)?;
    if let Some(dropout) = node.optional("dropout")
        && dropout.value.as_f64() != Some(0.0)
    {
        return dropout.fail(
            "would give other ids at each call; set it to null, and ask for dropout where you encode",
        );
    }
    let affix = |key| text(node, key).map(|affix| affix.filter(|affix| !affix.is_empty()));
    let (prefix, suffix) = (affix("continuing_subword_prefix")?, affix("end_of_word_suffix")?);
    let byte_fallback = node.flag("byte_fallback", false)?;
    let fuse_unknown = node.flag("fuse_unk", false)?;
    let unknown_name = text(node, "unk_token")?;
    let unknown = unknown_name.and_then(|name| ids.get(name).copied());
    let merges = read_merges(node, &ids, prefix.unwrap_or_default())?;
    let spelt = Spelt { symbols, suffix, byte_fallback, unknown: unknown_name };
    let vocabulary = vocabulary(node, &ids, &spelt, added)?;
    let plain = prefix.is_none() && suffix.is_none() && !byte_fallback && !fuse_unknown;
    let alphabet = if symbols == Symbols::Bytes {
        byte_alphabet_of(node, &ids)?
    } else if plain {
        Alphabet::Characters(characters(&ids))
    } else {
        let tokens = ids.iter().map(|(&name, &id)| (id, name));
        let owned = |affix: Option<&str>| affix.map(str::to_owned);
        let spelling =
            Spelling::new(tokens, owned(prefix), owned(suffix), fuse_unknown, byte_fallback);
        Alphabet::Spelled(Box::new(spelling))
    };
    let mut model = BpeModel::new(alphabet, merges, None, unknown, MergeOrder::LowestRank);
    if node.flag("ignore_merges", false)? {
        model = model.taking_whole();
    }
    Ok(ReadModel {
        kind: Kind::Bpe,
        vocabulary,
        model: Model::Bpe(Box::new(model)),
        unknown_token: unknown.and(unknown_name).map(str::to_owned),
    })
}

fn byte_alphabet_of(node: &Node<'_>, ids: &Ids<'_>) -> Read<Alphabet> {
    let mut alphabet = Box::new([0; 256]);
    for byte in 0..=255_u8 {
        let name = byte_alphabet::stand_in(byte).to_string();
        match ids.get(name.as_str()) {
            Some(&id) => alphabet[byte as usize] = id,
            None => {
                return node.field("vocab")?.fail(format!(
                    "holds no token for byte 0x{byte:02X} ({name:?}), so that some texts would lose \
                     characters; add the 256 tokens for single bytes"
                ));
            }
        }
    }
    Ok(Alphabet::Bytes(alphabet))
}

fn characters(ids: &Ids<'_>) -> FxHashMap<char, u32> {
    let single = ids.iter().filter_map(|(name, &id)| {
        let mut characters = name.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Some((character, id)),
            _ => None,
        }
    });
    single.collect()
}

/// Old files write a merge as one string with a space, newer ones as a list.
fn read_merges(node: &Node<'_>, ids: &Ids<'_>, prefix: &str) -> Read<Vec<Merge>> {
    let list = node.field("merges")?;
    let Some(entries) = list.value.as_array() else { return list.fail("must be a list") };
    let mut merges = Vec::with_capacity(entries.len());
    let mut joined = String::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = || list.items().map(|mut items| items.swap_remove(index));
        let pair = match entry {
            Value::String(pair) => pair.split_once(' '),
            Value::Array(pair) => match pair.as_slice() {
                [Value::String(left), Value::String(right)] => {
                    Some((left.as_str(), right.as_str()))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((left, right)) = pair else {
            return at()?.fail("must be two tokens, as \"a b\" or as [\"a\", \"b\"]");
        };
        joined.clear();
        joined.push_str(left);
        joined.push_str(right.strip_prefix(prefix).unwrap_or(right));
        let mut found = [0; 3];
        for (id, name) in found.iter_mut().zip([left, right, &joined]) {
            match ids.get(name) {
                Some(&known) => *id = known,
                None => return at()?.fail(format!("names {name:?}, which is no token of vocab")),
            }
        }
        let [left, right, token] = found;
        merges.push(Merge { pair: Pair { left, right }, token });
    }
    Ok(merges)
}

fn read_word_piece(node: &Node<'_>, added: &mut [AddedToken]) -> Read<ReadModel> {
    let ids = ids(node)?;
    let name = text(node, "unk_token")?.unwrap_or("[UNK]");
    let unknown = ids.get(name).copied();
    let spelt = Spelt {
        symbols: Symbols::Characters,
        suffix: None,
        byte_fallback: false,
        unknown: Some(name),
    };
    let vocabulary = vocabulary(node, &ids, &spelt, added)?;
    let prefix = text(node, "continuing_subword_prefix")?.unwrap_or("##");
    let limit = node.optional("max_input_chars_per_word").map_or(Ok(100), |node| node.whole())?;
    let tokens = ids.iter().map(|(name, &id)| (id, name.as_bytes()));
    let model = WordPieceModel::new(tokens, prefix, limit, unknown);
    Ok(ReadModel {
        kind: Kind::WordPiece,
        vocabulary,
        model: Model::WordPiece(Box::new(model)),
        unknown_token: unknown.map(|_| name.to_owned()),
    })
}

fn read_word_level(node: &Node<'_>, added: &mut [AddedToken]) -> Read<ReadModel> {
    let ids = ids(node)?;
    let name = text(node, "unk_token")?.unwrap_or("<unk>");
    let unknown = ids.get(name).copied();
    let spelt = Spelt {
        symbols: Symbols::Characters,
        suffix: None,
        byte_fallback: false,
        unknown: Some(name),
    };
    let vocabulary = vocabulary(node, &ids, &spelt, added)?;
    Ok(ReadModel {
        kind: Kind::WordLevel,
        vocabulary,
        model: Model::WordLevel { unknown },
        unknown_token: unknown.map(|_| name.to_owned()),
    })
}

fn read_unigram(node: &Node<'_>, added: &mut [AddedToken]) -> Read<ReadModel> {
    let list = node.field("vocab")?;
    let mut tokens = Vec::new();
    let mut ids = Ids::default();
    for (id, entry) in list.items()?.into_iter().enumerate() {
        let pair = entry.value.as_array().map(Vec::as_slice);
        let Some([Value::String(name), score]) = pair else {
            return entry.fail("must be a token and its score");
        };
        let Some(score) = score.as_f64() else {
            return entry.fail("must have a number for a score");
        };
        if ids.insert(name, id as u32).is_some() {
            return entry.fail(format!("holds the token {name:?} for the second time"));
        }
        tokens.push((name.as_bytes().to_vec(), score));
    }
    if tokens.is_empty() {
        return list.fail("holds no token");
    }
    let byte_fallback = node.flag("byte_fallback", false)?;
    let unknown =
        node.optional("unk_id").map(|node| node.whole().map(|id| (id, node))).transpose()?;
    let unknown = match unknown {
        Some((id, node)) if id >= tokens.len() => {
            return node.fail(format!("is {id}, but there are only {} tokens", tokens.len()));
        }
        unknown => unknown.map(|(id, _)| id as u32),
    };
    let name = unknown.map(|id| String::from_utf8_lossy(&tokens[id as usize].0).into_owned());
    // The unknown token may be one for a byte, which stands for nothing else then.
    let name = name.filter(|name| !byte_fallback || byte_of_name(name.as_bytes()).is_none());
    let spelt = Spelt {
        symbols: Symbols::Characters,
        suffix: None,
        byte_fallback,
        unknown: name.as_deref(),
    };
    let vocabulary = vocabulary(node, &ids, &spelt, added)?;
    let model = UnigramModel::hugging_face(&tokens, unknown, byte_fallback);
    Ok(ReadModel {
        kind: Kind::Unigram,
        vocabulary,
        model: Model::Unigram(Box::new(model)),
        unknown_token: name,
    })
}

/// Tokens with their scores, in the order of their ids; our own special tokens are not among them.
fn write_scores(tokenizer: &Tokenizer, model: &UnigramModel) -> Value {
    let scores = model.scores().iter().zip(0..);
    scores.map(|(score, id)| json!([lossy(tokenizer.file_form(id)), score])).collect()
}

/// The section of a model that was read from such a file.
pub(in crate::formats) fn write(tokenizer: &Tokenizer) -> Map<String, Value> {
    let unknown = tokenizer.settings().unknown_token.as_deref();
    let section = match tokenizer.model() {
        Model::Bpe(model) => {
            let spelling = match &model.alphabet {
                Alphabet::Spelled(spelling) => Some(spelling),
                Alphabet::Bytes(_) | Alphabet::Characters(_) => None,
            };
            let prefix = spelling.and_then(|spelling| spelling.continuing_prefix.as_deref());
            let suffix = spelling.and_then(|spelling| spelling.end_suffix.as_deref());
            json!({
                "type": "BPE", "dropout": null, "unk_token": unknown,
                "continuing_subword_prefix": prefix, "end_of_word_suffix": suffix,
                "fuse_unk": spelling.is_some_and(|spelling| spelling.fuse_unknown),
                "byte_fallback": spelling.is_some_and(|spelling| spelling.byte_fallback()),
                "ignore_merges": model.takes_whole(), "vocab": write_vocab(tokenizer),
                "merges": write_merges(tokenizer, &model.merges),
            })
        }
        Model::WordPiece(model) => json!({
            "type": "WordPiece", "unk_token": unknown.unwrap_or("[UNK]"),
            "continuing_subword_prefix": model.prefix,
            "max_input_chars_per_word": model.max_characters, "vocab": write_vocab(tokenizer),
        }),
        Model::Unigram(model) => json!({
            "type": "Unigram", "unk_id": model.unknown(), "vocab": write_scores(tokenizer, model),
            "byte_fallback": model.byte_fallback(),
        }),
        // Its file is not said in these terms.
        Model::SentencePiece(_) => Value::Null,
        Model::WordLevel { .. } => json!({
            "type": "WordLevel", "vocab": write_vocab(tokenizer),
            "unk_token": unknown.unwrap_or("<unk>"),
        }),
    };
    match section {
        Value::Object(section) => section,
        _ => Map::new(),
    }
}

fn write_vocab(tokenizer: &Tokenizer) -> Value {
    let outside: Vec<u32> = {
        let added = tokenizer.pipeline().added.iter();
        let mut ids: Vec<u32> =
            added.filter(|token| !token.in_model).map(|token| token.id).collect();
        ids.sort_unstable();
        ids
    };
    let ids = tokenizer.vocabulary().ids().filter(|id| outside.binary_search(id).is_err());
    let entry = |id| (lossy(tokenizer.file_form(id)), json!(id));
    ids.map(entry).collect::<Map<_, _>>().into()
}

/// In the old form, which all versions read, unless tokens hold spaces.
pub(in crate::formats) fn write_merges(tokenizer: &Tokenizer, merges: &[Merge]) -> Value {
    let pairs: Vec<(String, String)> = merges
        .iter()
        .map(|merge| {
            let form = |id| lossy(tokenizer.file_form(id));
            (form(merge.pair.left), form(merge.pair.right))
        })
        .collect();
    if pairs.iter().any(|(left, right)| left.contains(' ') || right.contains(' ')) {
        return json!(pairs);
    }
    pairs.into_iter().map(|(left, right)| Value::String(left + " " + &right)).collect()
}

/// File forms are text.
fn lossy(form: Vec<u8>) -> String {
    String::from_utf8(form)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
