//! Decoders.

use serde_json::{Value, json};

use super::node::{Node, Read};
use super::normalizers::{read_pattern, write_pattern};
use super::pre_tokenizers::{read_metaspace, write_metaspace};
use crate::tokenizer::decoders::Decoder;

const KNOWN: [&str; 10] = [
    "ByteLevel",
    "WordPiece",
    "Metaspace",
    "ByteFallback",
    "Fuse",
    "Strip",
    "Replace",
    "CTC",
    "BPEDecoder",
    "Sequence",
];

pub(in crate::formats) fn read(node: &Node<'_>) -> Read<Decoder> {
    let kind = node.field("type")?;
    let text = |key: &str, default: &str| {
        let text = node.optional(key).map(|node| node.text().map(str::to_owned));
        text.unwrap_or_else(|| Ok(default.to_owned()))
    };
    Ok(match kind.text()? {
        "ByteLevel" => Decoder::ByteLevel,
        "WordPiece" => Decoder::WordPiece {
            prefix: text("prefix", "##")?,
            cleanup: node.flag("cleanup", true)?,
        },
        "Metaspace" => {
            let (replacement, prepend, split) = read_metaspace(node)?;
            Decoder::Metaspace { replacement, prepend, split }
        }
        "ByteFallback" => Decoder::ByteFallback,
        "Fuse" => Decoder::Fuse,
        "Strip" => Decoder::Strip {
            content: node.field("content")?.character()?,
            start: node.field("start")?.whole()?,
            stop: node.field("stop")?.whole()?,
        },
        "Replace" => Decoder::Replace(
            read_pattern(&node.field("pattern")?)?,
            node.field("content")?.text()?.to_owned(),
        ),
        "CTC" => Decoder::Ctc {
            pad_token: text("pad_token", "<pad>")?,
            word_delimiter_token: text("word_delimiter_token", "|")?,
            cleanup: node.flag("cleanup", true)?,
        },
        "BPEDecoder" => Decoder::Bpe { suffix: text("suffix", "</w>")? },
        "Sequence" => {
            let steps = node.field("decoders")?.items()?;
            Decoder::Sequence(steps.iter().map(read).collect::<Read<_>>()?)
        }
        _ => return kind.unknown_kind("decoder", &KNOWN),
    })
}

pub(in crate::formats) fn write(decoder: &Decoder) -> Value {
    match decoder {
        Decoder::ByteLevel => json!({
            "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true,
        }),
        Decoder::WordPiece { prefix, cleanup } => {
            json!({"type": "WordPiece", "prefix": prefix, "cleanup": cleanup})
        }
        Decoder::Metaspace { replacement, prepend, split } => {
            write_metaspace(*replacement, *prepend, *split)
        }
        Decoder::ByteFallback => json!({"type": "ByteFallback"}),
        Decoder::Fuse => json!({"type": "Fuse"}),
        Decoder::Strip { content, start, stop } => {
            json!({"type": "Strip", "content": content, "start": start, "stop": stop})
        }
        Decoder::Replace(matcher, content) => {
            json!({"type": "Replace", "pattern": write_pattern(matcher), "content": content})
        }
        Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => json!({
            "type": "CTC", "pad_token": pad_token,
            "word_delimiter_token": word_delimiter_token, "cleanup": cleanup,
        }),
        Decoder::Bpe { suffix } => json!({"type": "BPEDecoder", "suffix": suffix}),
        Decoder::Sequence(steps) => {
            json!({"type": "Sequence", "decoders": steps.iter().map(write).collect::<Value>()})
        }
    }
}
