//! How a split rule is said in one string: a name, or JSON in the words of Hugging Face tokenizers.

use std::path::Path;

use serde_json::{Value, json};

use super::stages::node::{Flaw, Node};
use super::stages::{normalizers, pre_tokenizers};
use crate::error::{Error, Result};
use crate::split::behavior::Behavior;
use crate::split::matcher::Pattern;
use crate::split::pre_tokenizer::PreTokenizer;
use crate::split::published::DEEPSEEK;
use crate::split::{SplitRule, Splitter};

/// Rules with a name that are put together from others.
const COMBINED: [&str; 6] =
    ["deepseek", "digits", "punctuation", "metaspace", "script", "characters"];

/// The rule of a combined name.
fn combined(name: &str) -> Result<Option<PreTokenizer>> {
    let isolated = |expression: &str| {
        PreTokenizer::split(&Pattern::Regex(expression.to_owned()), Behavior::Isolated, false)
    };
    Ok(Some(match name {
        "deepseek" => {
            PreTokenizer::Sequence(DEEPSEEK.into_iter().map(isolated).collect::<Result<_>>()?)
        }
        "digits" => PreTokenizer::Digits { individual: true },
        "punctuation" => PreTokenizer::Punctuation(Behavior::Isolated),
        "script" => PreTokenizer::Script,
        "characters" => PreTokenizer::FixedLength(1),
        // A space begins a piece; it needs no visible stand-in, so that one in a text stays what it is.
        "metaspace" => {
            let space = Pattern::Literal(" ".to_owned());
            PreTokenizer::split(&space, Behavior::MergedWithNext, false)?
        }
        _ => return Ok(None),
    }))
}

fn named(name: &str, space_prefix: bool) -> Result<Splitter> {
    if let Some(rule) = combined(name)? {
        if space_prefix {
            return Err(Error::parameter(
                "space_prefix",
                "can only be used with split=\"whitespace\" or split=\"words\"",
                format!("true with split={name:?}"),
            ));
        }
        return Ok(Splitter::custom(rule));
    }
    let Ok(rule) = SplitRule::parse(name) else {
        let known = SplitRule::NAMES.iter().map(|(name, _)| *name).chain(COMBINED);
        let known: Vec<_> = known.map(|name| format!("\"{name}\"")).collect();
        let rule = format!("must be one of {}", known.join(", "));
        return Err(Error::parameter("split", rule, format!("{name:?}")));
    };
    Splitter::new(rule, space_prefix)
}

/// A rule from one of the names, or from JSON: `{"split": NAME OR STAGE, "normalizer": STAGE}`.
pub fn parse(spec: &str, space_prefix: bool) -> Result<Splitter> {
    if !spec.starts_with('{') {
        return named(spec, space_prefix);
    }
    let refuse = |reason: String| Error::parameter("split", reason, spec);
    let document: Value = serde_json::from_str(spec)
        .map_err(|error| refuse(format!("must be valid JSON, but {error}")))?;
    let flaw = |flaw: Flaw| match flaw.into_error(&[], Path::new("")) {
        Error::Format { reason, .. } => refuse(format!("cannot be used: {reason}")),
        error => error,
    };
    let root = Node::root(&document);
    let splitter = match root.optional("split") {
        None => Splitter::whole(),
        Some(node) => {
            if let Some(name) = node.value.as_str() {
                named(name, space_prefix)?
            } else {
                let rule = read_stage(&node).map_err(flaw)?;
                check(&rule, space_prefix)?;
                Splitter::custom(rule)
            }
        }
    };
    let normalizer = root.optional("normalizer").map(|node| normalizers::read(&node));
    Ok(splitter.with_normalizer(normalizer.transpose().map_err(flaw)?))
}

/// As in files, but steps may be names.
fn read_stage(node: &Node<'_>) -> std::result::Result<PreTokenizer, Flaw> {
    if let Some(name) = node.value.as_str() {
        let known = |rule: SplitRule| match rule {
            SplitRule::Words => PreTokenizer::words(),
            rule => PreTokenizer::of_rule(rule),
        };
        let refused = |error: Error| node.fail(error.to_string());
        return match combined(name) {
            Ok(Some(rule)) => Ok(rule),
            Ok(None) => SplitRule::parse(name).and_then(known).or_else(refused),
            Err(error) => refused(error),
        };
    }
    if node.optional("type").is_some_and(|kind| kind.value == &json!("Sequence")) {
        let steps = node.field("pretokenizers")?.items()?;
        return Ok(PreTokenizer::Sequence(
            steps.iter().map(read_stage).collect::<std::result::Result<_, _>>()?,
        ));
    }
    pre_tokenizers::read(node)
}

fn check(rule: &PreTokenizer, space_prefix: bool) -> Result<()> {
    if rule.changes_text() {
        return Err(Error::parameter(
            "split",
            "must only cut, but the rule changes the text too",
            pre_tokenizers::write(rule),
        )
        .with_hint(
            "Use `normalizer` to change text, and split=\"metaspace\" to begin pieces with spaces",
        ));
    }
    if space_prefix {
        return Err(Error::parameter(
            "space_prefix",
            "can only be used with split=\"whitespace\" or split=\"words\"",
            "true with a rule that is put together",
        ));
    }
    Ok(())
}

/// The string that [`parse`] reads.
pub fn write(splitter: &Splitter) -> String {
    let split = match splitter.pre_tokenizer() {
        None => json!(splitter.rule().name()),
        Some(rule) => {
            let is_it = |name: &&&str| combined(name).ok().flatten().as_ref() == Some(rule);
            match COMBINED.iter().find(is_it) {
                Some(name) => json!(name),
                None => pre_tokenizers::write(rule),
            }
        }
    };
    match (splitter.normalizer(), split) {
        (None, Value::String(name)) => name,
        (None, split) => json!({"split": split}).to_string(),
        (Some(normalizer), split) => {
            json!({"split": split, "normalizer": normalizers::write(normalizer)}).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(spec: &str, text: &str) -> Vec<String> {
        let splitter = parse(spec, false).unwrap();
        assert_eq!(parse(&write(&splitter), false).unwrap(), splitter);
        let text = splitter.prepared(text);
        splitter.pieces(&text).map(|(_, piece)| piece.to_owned()).collect()
    }

    #[test]
    fn names_and_combinations() {
        assert_eq!(pieces("digits", "ab 12c"), ["ab ", "1", "2", "c"]);
        assert_eq!(pieces("punctuation", "a,b!"), ["a", ",", "b", "!"]);
        assert_eq!(pieces("script", "a, b; где"), ["a, b; ", "где"]);
        assert_eq!(pieces("characters", "aé\u{301} b"), ["a", "é", "\u{301}", " ", "b"]);
        assert_eq!(pieces("metaspace", " a  b\n\u{2581} c"), [" a", " ", " b\n\u{2581}", " c"]);
        assert_eq!(
            pieces("deepseek", "abc1234中文 don't\n"),
            ["abc", "123", "4", "中文", " don", "'t", "\n"]
        );
        assert_eq!(pieces("qwen2", "12 a\n "), ["1", "2", " a", "\n", " "]);
        let spec = r#"{"split": {"type": "Sequence", "pretokenizers": ["whitespace", "digits"]}}"#;
        assert_eq!(pieces(spec, "a1 b22"), ["a", "1", "b", "2", "2"]);
        let spec = r#"{"split": {"type": "Sequence", "pretokenizers": ["words", "digits"]}}"#;
        assert_eq!(pieces(spec, "a1, b"), ["a", "1", ",", "b"]);
        let spec = r#"{"split": {"type": "Sequence", "pretokenizers": ["whitespace", "script"]}}"#;
        assert_eq!(pieces(spec, "ab где, x"), ["ab", "где,", "x"]);
        let spec = r#"{"split": "whitespace", "normalizer": {"type": "Lowercase"}}"#;
        assert_eq!(pieces(spec, "A b"), ["a", "b"]);
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for (spec, reason) in [
            ("gpt5", "\"punctuation\""),
            ("{", "valid JSON"),
            (r#"{"split": {"type": "Odd"}}"#, "no known pre-tokenizer"),
            (r#"{"split": {"type": "Metaspace", "replacement": "_"}}"#, "changes the text"),
            (r#"{"normalizer": {"type": "Odd"}}"#, "no known normalizer"),
        ] {
            let error = parse(spec, false).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert!(parse("digits", true).is_err());
    }
}
