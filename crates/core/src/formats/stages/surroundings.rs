//! What stands beside the stages: added tokens, truncation, padding.

use serde_json::{Value, json};

use super::node::{Node, Read};
use crate::tokenizer::added::AddedToken;
use crate::tokenizer::pipeline::{Padding, Truncation};

/// The added tokens with the ids that the file gives them.
pub(in crate::formats) fn read_added(document: &Node<'_>) -> Read<Vec<AddedToken>> {
    let Some(list) = document.optional("added_tokens") else { return Ok(Vec::new()) };
    let read = |node: &Node<'_>| {
        let special = node.flag("special", false)?;
        Ok(AddedToken {
            id: node.field("id")?.id()?,
            content: node.field("content")?.text()?.to_owned(),
            single_word: node.flag("single_word", false)?,
            lstrip: node.flag("lstrip", false)?,
            rstrip: node.flag("rstrip", false)?,
            normalized: node.flag("normalized", !special)?,
            special,
            in_model: false,
        })
    };
    list.items()?.iter().map(read).collect()
}

pub(in crate::formats) fn write_added(added: &[AddedToken]) -> Value {
    let write = |token: &AddedToken| {
        json!({
            "id": token.id, "content": token.content, "single_word": token.single_word,
            "lstrip": token.lstrip, "rstrip": token.rstrip, "normalized": token.normalized,
            "special": token.special,
        })
    };
    added.iter().map(write).collect()
}

const DIRECTIONS: [(&str, &str); 2] = [("Left", "Left"), ("Right", "Right")];
const STRATEGIES: [(&str, &str); 3] =
    [("LongestFirst", "LongestFirst"), ("OnlyFirst", "OnlyFirst"), ("OnlySecond", "OnlySecond")];

fn direction(node: &Node<'_>) -> Read<String> {
    let direction = node.optional("direction");
    Ok(direction.map_or(Ok("Right"), |node| node.one_of(&DIRECTIONS))?.to_owned())
}

pub(in crate::formats) fn read_truncation(document: &Node<'_>) -> Read<Option<Truncation>> {
    let Some(node) = document.optional("truncation") else { return Ok(None) };
    Ok(Some(Truncation {
        max_length: node.field("max_length")?.whole()?,
        strategy: node.field("strategy")?.one_of(&STRATEGIES)?.to_owned(),
        stride: node.field("stride")?.whole()?,
        direction: direction(&node)?,
    }))
}

pub(in crate::formats) fn write_truncation(truncation: Option<&Truncation>) -> Value {
    truncation.map_or(Value::Null, |truncation| {
        json!({
            "direction": truncation.direction, "max_length": truncation.max_length,
            "strategy": truncation.strategy, "stride": truncation.stride,
        })
    })
}

pub(in crate::formats) fn read_padding(document: &Node<'_>) -> Read<Option<Padding>> {
    let Some(node) = document.optional("padding") else { return Ok(None) };
    let strategy = node.field("strategy")?;
    let length = strategy.optional("Fixed").map(|length| length.whole()).transpose()?;
    if length.is_none() {
        strategy.one_of(&[("BatchLongest", ())])?;
    }
    Ok(Some(Padding {
        length,
        direction: direction(&node)?,
        multiple_of: node.optional("pad_to_multiple_of").map(|node| node.whole()).transpose()?,
        pad_id: node.field("pad_id")?.id()?,
        pad_type_id: node.field("pad_type_id")?.id()?,
        pad_token: node.field("pad_token")?.text()?.to_owned(),
    }))
}

pub(in crate::formats) fn write_padding(padding: Option<&Padding>) -> Value {
    padding.map_or(Value::Null, |padding| {
        let strategy = match padding.length {
            Some(length) => json!({"Fixed": length}),
            None => json!("BatchLongest"),
        };
        json!({
            "strategy": strategy, "direction": padding.direction,
            "pad_to_multiple_of": padding.multiple_of, "pad_id": padding.pad_id,
            "pad_type_id": padding.pad_type_id, "pad_token": padding.pad_token,
        })
    })
}
