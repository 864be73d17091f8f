//! Lines of JSON, each an object with a text in one of its fields.

use std::fmt;
use std::iter::repeat_n;

use memchr::memchr;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::batch::{Batch, Boundaries, Decoded, InvalidUtf8};
use crate::error::{Error, Place, Result};

/// The texts in `field` of the lines of a batch, which was decoded as lines; `first_line` counts from 1.
///
/// Blank lines hold nothing; any other line without a text there is an error, which names it.
pub(super) fn extract<'a>(
    batch: &Batch,
    lines: &Decoded<'_>,
    field: &str,
    first_line: u64,
) -> Result<Decoded<'a>> {
    let mut texts = Texts { field, text: String::with_capacity(lines.text.len()), surrogates: 0 };
    let (mut ends, mut replaced) = (Vec::new(), lines.replaced.clone());
    let (mut rest, mut offset) = (&*lines.text, 0);
    for line in first_line.. {
        if rest.is_empty() {
            break;
        }
        let length = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |found| found + 1);
        let (row, after) = rest.split_at(length);
        if !row.trim_ascii().is_empty() {
            texts.take(row).map_err(|error| flaw(batch, line, field, &error))?;
            ends.push(texts.text.len());
        }
        if texts.surrogates > 0 {
            if batch.invalid == InvalidUtf8::Strict {
                let reason = "holds half a surrogate pair, which is no character. Use \
                              errors=\"replace\", which puts U+FFFD in its place and counts it";
                return Err(Error::format(&batch.origin.file(), Place::Line(line), reason));
            }
            let place = batch.origin.offset + offset as u64;
            replaced.extend(repeat_n(place, std::mem::take(&mut texts.surrogates)));
        }
        (rest, offset) = (after, offset + length);
    }
    replaced.sort_unstable();
    Ok(Decoded { text: texts.text.into(), boundaries: Boundaries::Ends(ends).owned(), replaced })
}

fn flaw(batch: &Batch, line: u64, field: &str, error: &serde_json::Error) -> Error {
    // The place that the parser adds counts lines of what it was given, which is one.
    let text = error.to_string();
    let cause = text.rsplit_once(" at line ").map_or(text.as_str(), |(cause, _)| cause);
    let column = if error.column() > 0 {
        format!(" at byte {} of the line", error.column())
    } else {
        String::new()
    };
    let reason =
        format!("is not a JSON object with a text in the field {field:?}: {cause}{column}");
    Error::format(&batch.origin.file(), Place::Line(line), reason)
}

/// Collects the texts of objects.
struct Texts<'a> {
    field: &'a str,
    text: String,
    /// How many halves of surrogate pairs the last text holds.
    surrogates: usize,
}

impl Texts<'_> {
    fn take(&mut self, row: &str) -> serde_json::Result<()> {
        let mut parser = serde_json::Deserializer::from_str(row);
        parser.deserialize_map(Object(self))?;
        parser.end()
    }
}

/// Looks for the field in an object.
struct Object<'a, 'b>(&'a mut Texts<'b>);

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<Map: MapAccess<'de>>(self, mut map: Map) -> Result<(), Map::Error> {
        let before = self.0.text.len();
        let mut is_found = false;
        while let Some(is_field) = map.next_key_seed(Key(self.0.field))? {
            if is_field {
                // As most readers do, the last of several fields of one name counts.
                self.0.text.truncate(before);
                self.0.surrogates = 0;
                map.next_value_seed(Content(self.0))?;
                is_found = true;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if is_found { Ok(()) } else { Err(Map::Error::custom("it has no such field")) }
    }
}

/// Whether a name is that of the field.
struct Key<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<bool, E> {
        Ok(bytes == self.0.as_bytes())
    }
}

/// Appends a text.
struct Content<'a, 'b>(&'a mut Texts<'b>);

impl<'de> DeserializeSeed<'de> for Content<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        // As bytes, since the parser takes half a surrogate pair for an error in a text.
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Content<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<(), E> {
        let Texts { text, surrogates, .. } = self.0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if chunk.invalid().is_empty() {
                continue;
            }
            // The three bytes of half a pair are three chunks; the first of them begins with 0xED.
            if chunk.invalid()[0] == 0xED {
                text.push(char::REPLACEMENT_CHARACTER);
                *surrogates += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::corpus::Origin;

    fn batch(bytes: &[u8], invalid: InvalidUtf8) -> Batch {
        let origin = Origin { path: Some(Arc::new(PathBuf::from("a.jsonl"))), offset: 100 };
        let boundaries = Boundaries::Field { name: "text".into(), first_line: 7 };
        Batch { bytes: bytes.to_vec(), boundaries, sequence: 0, position: 0, origin, invalid }
    }

    fn texts(bytes: &[u8]) -> Result<Vec<String>> {
        let batch = batch(bytes, InvalidUtf8::Strict);
        let decoded = batch.decode()?;
        Ok(decoded.documents().map(|(_, text)| text.to_owned()).collect())
    }

    #[test]
    fn the_field_of_each_line_is_a_document() {
        let lines = "{\"text\": \"one\\ntwo \\u00e9\\ud83d\\ude00\"}\r\n\n  \n\
                     {\"id\": [1, {\"text\": 2}], \"text\": \"\", \"x\": null}\n{\"\\u0074ext\":\"last\"}";
        assert_eq!(texts(lines.as_bytes()).unwrap(), ["one\ntwo é\u{1F600}", "", "last"]);
        assert_eq!(texts(br#"{"text": "a", "text": "b"}"#).unwrap(), ["b"]);
        assert!(texts(b"").unwrap().is_empty());
    }

    #[test]
    fn other_lines_are_named() {
        for (line, cause) in [
            ("{\"text\": 5}", "invalid type: integer `5`, expected a text"),
            ("{\"text\": null}", "invalid type: null, expected a text"),
            ("{\"text\": [\"a\"]}", "invalid type: sequence, expected a text"),
            ("{\"body\": \"a\"}", "it has no such field"),
            ("[\"text\"]", "invalid type: sequence, expected an object"),
            ("{\"text\": \"a\"} x", "trailing characters at byte 15 of the line"),
            ("{\"text\": \"a", "EOF while parsing a string"),
            ("text", "expected ident"),
            ("{\"text\": \"\\x\"}", "invalid escape"),
        ] {
            let all = format!("{{\"text\": \"fine\"}}\n{line}\n");
            let message = texts(all.as_bytes()).unwrap_err().to_string();
            let start = "a.jsonl, line 8: is not a JSON object with a text in the field \"text\": ";
            assert!(message.starts_with(start), "{message}");
            assert!(message.contains(cause), "{message}");
        }
    }

    #[test]
    fn deep_nesting_is_passed_over() {
        let deep = format!("{{\"x\": {}{}, \"text\": \"a\"}}", "[".repeat(90), "]".repeat(90));
        assert_eq!(texts(deep.as_bytes()).unwrap(), ["a"]);
        let deeper = format!("{{\"x\": {}", "[".repeat(1_000_000));
        assert!(texts(deeper.as_bytes()).is_err());
    }

    #[test]
    fn what_is_no_text_is_replaced_and_counted() {
        let lines = b"{\"text\": \"\\ud800a\\udc00\\ud800\"}\n{\"text\": \"\xFFb\"}\n";
        let replacing = batch(lines, InvalidUtf8::Replace);
        let decoded = replacing.decode().unwrap();
        assert_eq!(decoded.text, "\u{FFFD}a\u{FFFD}\u{FFFD}\u{FFFD}b");
        assert_eq!(decoded.replaced, [100, 100, 100, 142]);
        let strict = batch(&lines[..32], InvalidUtf8::Strict);
        let message = strict.decode().unwrap_err().to_string();
        assert!(message.starts_with("a.jsonl, line 7: holds half a surrogate pair"), "{message}");
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(rows in prop::collection::vec((".{0,20}", ".{0,9}"), 0..9)) {
            let lines: Vec<String> =
                rows.iter().map(|(text, other)| json!({"a": other, "text": text, "z": [other]}).to_string()).collect();
            let expected: Vec<&str> = rows.iter().map(|(text, _)| text.as_str()).collect();
            prop_assert_eq!(texts(lines.join("\n").as_bytes()).unwrap(), expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = batch(&bytes, InvalidUtf8::Replace).decode();
            let _ = batch(&bytes, InvalidUtf8::Strict).decode();
        }
    }
}
