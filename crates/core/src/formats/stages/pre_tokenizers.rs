//! Pre-tokenizers.

use serde_json::{Value, json};

use super::node::{Node, Read};
use super::normalizers::{pattern, write_pattern};
use crate::split::behavior::Behavior;
use crate::split::pre_tokenizer::{PreTokenizer, Prepend};

const KNOWN: [&str; 12] = [
    "ByteLevel",
    "Whitespace",
    "WhitespaceSplit",
    "BertPreTokenizer",
    "Split",
    "CharDelimiterSplit",
    "Punctuation",
    "Digits",
    "Metaspace",
    "FixedLength",
    "Script",
    "Sequence",
];

pub(in crate::formats) fn read(node: &Node<'_>) -> Read<PreTokenizer> {
    let kind = node.field("type")?;
    Ok(match kind.text()? {
        "ByteLevel" => PreTokenizer::ByteLevel {
            add_prefix_space: node.field("add_prefix_space")?.boolean()?,
            trim_offsets: node.flag("trim_offsets", true)?,
            use_regex: node.flag("use_regex", true)?,
        },
        "Whitespace" => PreTokenizer::whitespace().or_else(|error| node.fail(error.to_string()))?,
        "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
        "BertPreTokenizer" => PreTokenizer::Bert,
        "Split" => {
            let pattern_node = node.field("pattern")?;
            let behavior = node.field("behavior")?.one_of(&Behavior::NAMES)?;
            let invert = node.flag("invert", false)?;
            let refused = |error| pattern_node.fail(format!("cannot be used: {error}"));
            PreTokenizer::split(&pattern(&pattern_node)?, behavior, invert).or_else(refused)?
        }
        "CharDelimiterSplit" => PreTokenizer::Delimiter(node.field("delimiter")?.character()?),
        "Punctuation" => PreTokenizer::Punctuation(match node.optional("behavior") {
            Some(behavior) => behavior.one_of(&Behavior::NAMES)?,
            None => Behavior::Isolated,
        }),
        "Digits" => {
            PreTokenizer::Digits { individual: node.field("individual_digits")?.boolean()? }
        }
        "Metaspace" => {
            let (replacement, prepend, split) = read_metaspace(node)?;
            PreTokenizer::Metaspace { replacement, prepend, split }
        }
        "FixedLength" => match node.optional("length").map_or(Ok(5), |node| node.whole())? {
            0 => return node.field("length")?.fail("must be at least 1, got 0"),
            length => PreTokenizer::FixedLength(length),
        },
        // A rule of ours.
        "Script" => PreTokenizer::Script,
        "Sequence" => {
            let steps = node.field("pretokenizers")?.items()?;
            PreTokenizer::Sequence(steps.iter().map(read).collect::<Read<_>>()?)
        }
        _ => return kind.unknown_kind("pre-tokenizer", &KNOWN),
    })
}

/// Both the pre-tokenizer and the decoder; old files say `add_prefix_space`.
pub(in crate::formats) fn read_metaspace(node: &Node<'_>) -> Read<(char, Prepend, bool)> {
    let replacement = node.field("replacement")?.character()?;
    let prepend = match (node.optional("prepend_scheme"), node.optional("add_prefix_space")) {
        (Some(scheme), _) => scheme.one_of(&Prepend::NAMES)?,
        (None, Some(add)) if !add.boolean()? => Prepend::Never,
        (None, _) => Prepend::Always,
    };
    Ok((replacement, prepend, node.flag("split", true)?))
}

pub(in crate::formats) fn write_metaspace(
    replacement: char,
    prepend: Prepend,
    split: bool,
) -> Value {
    json!({
        "type": "Metaspace", "replacement": replacement,
        "prepend_scheme": prepend.name(), "split": split,
    })
}

pub(in crate::formats) fn write(rule: &PreTokenizer) -> Value {
    match rule {
        PreTokenizer::ByteLevel { add_prefix_space, trim_offsets, use_regex } => json!({
            "type": "ByteLevel", "add_prefix_space": add_prefix_space,
            "trim_offsets": trim_offsets, "use_regex": use_regex,
        }),
        PreTokenizer::Whitespace(_) => json!({"type": "Whitespace"}),
        PreTokenizer::WhitespaceSplit => json!({"type": "WhitespaceSplit"}),
        PreTokenizer::Bert => json!({"type": "BertPreTokenizer"}),
        PreTokenizer::Split { matcher, behavior, invert, .. } => json!({
            "type": "Split", "pattern": write_pattern(matcher),
            "behavior": behavior.name(), "invert": invert,
        }),
        PreTokenizer::Delimiter(delimiter) => {
            json!({"type": "CharDelimiterSplit", "delimiter": delimiter})
        }
        PreTokenizer::Punctuation(behavior) => {
            json!({"type": "Punctuation", "behavior": behavior.name()})
        }
        PreTokenizer::Digits { individual } => {
            json!({"type": "Digits", "individual_digits": individual})
        }
        PreTokenizer::Metaspace { replacement, prepend, split } => {
            write_metaspace(*replacement, *prepend, *split)
        }
        PreTokenizer::FixedLength(length) => json!({"type": "FixedLength", "length": length}),
        PreTokenizer::Script => json!({"type": "Script"}),
        PreTokenizer::Sequence(steps) => {
            json!({"type": "Sequence", "pretokenizers": steps.iter().map(write).collect::<Value>()})
        }
    }
}
