//! Normalizers.

use serde_json::{Value, json};

use super::node::{Node, Read};
use crate::formats::base64;
use crate::formats::precompiled::CharacterMap;
use crate::normalize::{BertRules, Form, Normalizer};
use crate::split::matcher::{Matcher, Pattern};

const KNOWN: [&str; 13] = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Lowercase",
    "StripAccents",
    "BertNormalizer",
    "Replace",
    "Prepend",
    "Strip",
    "Nmt",
    "Precompiled",
    "Sequence",
];

pub(in crate::formats) fn read(node: &Node<'_>) -> Read<Normalizer> {
    let kind = node.field("type")?;
    Ok(match kind.text()? {
        "NFC" => Normalizer::Form(Form::Nfc),
        "NFD" => Normalizer::Form(Form::Nfd),
        "NFKC" => Normalizer::Form(Form::Nfkc),
        "NFKD" => Normalizer::Form(Form::Nfkd),
        "Lowercase" => Normalizer::Lowercase,
        "StripAccents" => Normalizer::StripAccents,
        "BertNormalizer" => Normalizer::Bert(BertRules {
            clean_text: node.field("clean_text")?.boolean()?,
            handle_chinese_chars: node.field("handle_chinese_chars")?.boolean()?,
            strip_accents: node.optional("strip_accents").map(|node| node.boolean()).transpose()?,
            lowercase: node.field("lowercase")?.boolean()?,
        }),
        "Replace" => Normalizer::Replace(
            read_pattern(&node.field("pattern")?)?,
            node.field("content")?.text()?.to_owned(),
        ),
        "Prepend" => Normalizer::Prepend(node.field("prepend")?.text()?.to_owned()),
        "Strip" => Normalizer::Strip {
            left: node.field("strip_left")?.boolean()?,
            right: node.field("strip_right")?.boolean()?,
        },
        "Nmt" => Normalizer::Nmt,
        "Precompiled" => {
            let content = node.field("precompiled_charsmap")?;
            let mut bytes = Vec::new();
            if base64::decode(content.text()?.as_bytes(), &mut bytes).is_none() {
                return content.fail("must be base64");
            }
            let map = CharacterMap::new(&bytes);
            let map = map.or_else(|reason| content.fail(format!("is damaged: {reason}")))?;
            Normalizer::Precompiled(Box::new(map))
        }
        "Sequence" => {
            let steps = node.field("normalizers")?.items()?;
            Normalizer::Sequence(steps.iter().map(read).collect::<Read<_>>()?)
        }
        _ => return kind.unknown_kind("normalizer", &KNOWN),
    })
}

pub(in crate::formats) fn write(normalizer: &Normalizer) -> Value {
    match normalizer {
        Normalizer::Form(form) => json!({"type": match form {
            Form::Nfc => "NFC",
            Form::Nfd => "NFD",
            Form::Nfkc => "NFKC",
            Form::Nfkd => "NFKD",
        }}),
        Normalizer::Lowercase => json!({"type": "Lowercase"}),
        Normalizer::StripAccents => json!({"type": "StripAccents"}),
        Normalizer::Bert(rules) => json!({
            "type": "BertNormalizer", "clean_text": rules.clean_text,
            "handle_chinese_chars": rules.handle_chinese_chars,
            "strip_accents": rules.strip_accents, "lowercase": rules.lowercase,
        }),
        Normalizer::Replace(matcher, content) => {
            json!({"type": "Replace", "pattern": write_pattern(matcher), "content": content})
        }
        Normalizer::Prepend(content) => json!({"type": "Prepend", "prepend": content}),
        Normalizer::Strip { left, right } => {
            json!({"type": "Strip", "strip_left": left, "strip_right": right})
        }
        Normalizer::Nmt => json!({"type": "Nmt"}),
        Normalizer::Precompiled(map) => {
            let mut content = Vec::new();
            base64::encode(map.content(), &mut content);
            let content = String::from_utf8_lossy(&content);
            json!({"type": "Precompiled", "precompiled_charsmap": content})
        }
        Normalizer::Sequence(steps) => {
            json!({"type": "Sequence", "normalizers": steps.iter().map(write).collect::<Value>()})
        }
    }
}

/// `{"String": ...}` or `{"Regex": ...}`.
pub(in crate::formats) fn read_pattern(node: &Node<'_>) -> Read<Matcher> {
    let pattern = pattern(node)?;
    match &pattern {
        Pattern::Literal(text) => Ok(Matcher::literal(text)),
        Pattern::Regex(expression) => {
            let refused = |error: crate::Error| node.fail(format!("cannot be used: {error}"));
            Matcher::regex(expression).or_else(refused)
        }
    }
}

pub(in crate::formats) fn pattern(node: &Node<'_>) -> Read<Pattern> {
    match (node.optional("String"), node.optional("Regex")) {
        (Some(text), None) => Ok(Pattern::Literal(text.text()?.to_owned())),
        (None, Some(expression)) => Ok(Pattern::Regex(expression.text()?.to_owned())),
        _ => node.fail("must be {\"String\": ...} or {\"Regex\": ...}"),
    }
}

pub(in crate::formats) fn write_pattern(matcher: &Matcher) -> Value {
    match matcher.pattern() {
        Pattern::Literal(text) => json!({"String": text}),
        Pattern::Regex(expression) => json!({"Regex": expression}),
    }
}
