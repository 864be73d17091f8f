//! Post-processors.

use serde_json::{Map, Value, json};

use super::node::{Node, Read};
use crate::tokenizer::post_processor::{Named, PostProcessor, TemplatePart, TemplateTokens, Which};

const KNOWN: [&str; 5] =
    ["TemplateProcessing", "ByteLevel", "BertProcessing", "RobertaProcessing", "Sequence"];
const TEXTS: [(&str, Which); 2] = [("A", Which::First), ("B", Which::Second)];

/// `size` is the number of ids that there are.
pub(in crate::formats) fn read(node: &Node<'_>, size: usize) -> Read<PostProcessor> {
    let kind = node.field("type")?;
    let named = |key: &str| read_named(&node.field(key)?, size);
    Ok(match kind.text()? {
        "TemplateProcessing" => read_template(node, size)?,
        "ByteLevel" => PostProcessor::ByteLevel {
            add_prefix_space: node.flag("add_prefix_space", true)?,
            trim_offsets: node.flag("trim_offsets", true)?,
            use_regex: node.flag("use_regex", true)?,
        },
        "BertProcessing" => PostProcessor::Bert { sep: named("sep")?, cls: named("cls")? },
        "RobertaProcessing" => PostProcessor::Roberta {
            sep: named("sep")?,
            cls: named("cls")?,
            trim_offsets: node.flag("trim_offsets", true)?,
            add_prefix_space: node.flag("add_prefix_space", true)?,
        },
        "Sequence" => {
            let steps = node.field("processors")?.items()?;
            PostProcessor::Sequence(steps.iter().map(|step| read(step, size)).collect::<Read<_>>()?)
        }
        _ => return kind.unknown_kind("post-processor", &KNOWN),
    })
}

fn checked_id(node: &Node<'_>, size: usize) -> Read<u32> {
    let id = node.id()?;
    if id as usize >= size {
        return node.fail(format!("is {id}, but there are only {size} ids"));
    }
    Ok(id)
}

/// `["[SEP]", 102]`.
fn read_named(node: &Node<'_>, size: usize) -> Read<Named> {
    match node.items()?.as_slice() {
        [name, id] => Ok((name.text()?.to_owned(), checked_id(id, size)?)),
        _ => node.fail("must be a list of a name and an id"),
    }
}

fn read_template(node: &Node<'_>, size: usize) -> Read<PostProcessor> {
    let tokens = node.field("special_tokens")?;
    let mut special = Vec::new();
    for name in tokens.object()?.keys() {
        let entry = tokens.field(name)?;
        let ids = entry.field("ids")?.items()?;
        let written = entry.field("tokens")?.items()?;
        special.push(TemplateTokens {
            name: name.clone(),
            ids: ids.iter().map(|id| checked_id(id, size)).collect::<Read<_>>()?,
            tokens: written
                .iter()
                .map(|token| token.text().map(str::to_owned))
                .collect::<Read<_>>()?,
        });
    }
    let parts = |key: &str| -> Read<Vec<TemplatePart>> {
        node.field(key)?.items()?.iter().map(|part| read_part(part, &special)).collect()
    };
    Ok(PostProcessor::Template { single: parts("single")?, pair: parts("pair")?, special })
}

fn read_part(node: &Node<'_>, special: &[TemplateTokens]) -> Read<TemplatePart> {
    let type_id = |node: &Node<'_>| node.optional("type_id").map_or(Ok(0), |node| node.id());
    match (node.optional("Sequence"), node.optional("SpecialToken")) {
        (Some(text), None) => Ok(TemplatePart::Text {
            which: text.field("id")?.one_of(&TEXTS)?,
            type_id: type_id(&text)?,
        }),
        (None, Some(token)) => {
            let id = token.field("id")?;
            let name = id.text()?.to_owned();
            if special.iter().all(|entry| entry.name != name) {
                return id.fail(format!("is {name:?}, which special_tokens does not hold"));
            }
            Ok(TemplatePart::Special { name, type_id: type_id(&token)? })
        }
        _ => node.fail("must be a \"Sequence\" or a \"SpecialToken\""),
    }
}

pub(in crate::formats) fn write(step: &PostProcessor) -> Value {
    match step {
        PostProcessor::Template { single, pair, special } => {
            let tokens = special.iter().map(|entry| {
                let value = json!({"id": entry.name, "ids": entry.ids, "tokens": entry.tokens});
                (entry.name.clone(), value)
            });
            json!({
                "type": "TemplateProcessing", "single": write_parts(single),
                "pair": write_parts(pair), "special_tokens": tokens.collect::<Map<_, _>>(),
            })
        }
        PostProcessor::ByteLevel { add_prefix_space, trim_offsets, use_regex } => json!({
            "type": "ByteLevel", "add_prefix_space": add_prefix_space,
            "trim_offsets": trim_offsets, "use_regex": use_regex,
        }),
        PostProcessor::Bert { sep, cls } => {
            json!({"type": "BertProcessing", "sep": sep, "cls": cls})
        }
        PostProcessor::Roberta { sep, cls, trim_offsets, add_prefix_space } => json!({
            "type": "RobertaProcessing", "sep": sep, "cls": cls,
            "trim_offsets": trim_offsets, "add_prefix_space": add_prefix_space,
        }),
        PostProcessor::Sequence(steps) => {
            json!({"type": "Sequence", "processors": steps.iter().map(write).collect::<Value>()})
        }
    }
}

fn write_parts(parts: &[TemplatePart]) -> Value {
    let write = |part: &TemplatePart| match part {
        TemplatePart::Text { which, type_id } => {
            json!({"Sequence": {"id": TEXTS[*which as usize].0, "type_id": type_id}})
        }
        TemplatePart::Special { name, type_id } => {
            json!({"SpecialToken": {"id": name, "type_id": type_id}})
        }
    };
    parts.iter().map(write).collect()
}
