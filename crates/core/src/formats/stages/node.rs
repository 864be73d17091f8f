//! A place in a JSON document that knows how to say where it is.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use crate::error::{Error, Place};

/// The way to a value: a key, or a number in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// A value and the way to it.
#[derive(Clone, Debug)]
pub(in crate::formats) struct Node<'a> {
    pub(in crate::formats) value: &'a Value,
    way: Vec<Step>,
}

/// What is wrong, and where.
#[derive(Debug)]
pub(in crate::formats) struct Flaw {
    way: Vec<Step>,
    reason: String,
}

pub(in crate::formats) type Read<T> = std::result::Result<T, Flaw>;

impl Flaw {
    /// The error for users, with the line of the file.
    pub(in crate::formats) fn into_error(self, bytes: &[u8], path: &Path) -> Error {
        let place = locate(bytes, &self.way).map_or(Place::Whole, |byte| {
            let lines = memchr::memchr_iter(b'\n', &bytes[..byte]).count();
            Place::Line(lines as u64 + 1)
        });
        Error::format(path, place, self.to_string())
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.way.iter().enumerate() {
            match step {
                Step::Key(key) if number == 0 => write!(formatter, "{key}")?,
                Step::Key(key) => write!(formatter, ".{key}")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        let space = if self.way.is_empty() { "" } else { " " };
        write!(formatter, "{space}{}", self.reason)
    }
}

impl<'a> Node<'a> {
    pub(in crate::formats) fn root(value: &'a Value) -> Self {
        Self { value, way: Vec::new() }
    }

    /// What is wrong here, as the rest of a sentence that begins with the name of the place.
    pub(in crate::formats) fn fail<T>(&self, reason: impl Into<String>) -> Read<T> {
        Err(Flaw { way: self.way.clone(), reason: reason.into() })
    }

    /// A short form of the value, for messages.
    fn shown(&self) -> String {
        let text = self.value.to_string();
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        }
    }

    /// The value of a key, unless it is missing or null.
    pub(in crate::formats) fn optional(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let mut way = self.way.clone();
        way.push(Step::Key(key.to_owned()));
        Some(Self { value, way })
    }

    pub(in crate::formats) fn field(&self, key: &str) -> Read<Self> {
        match self.optional(key) {
            Some(node) => Ok(node),
            None => self.fail(format!("lacks \"{key}\"")),
        }
    }

    pub(in crate::formats) fn object(&self) -> Read<&'a Map<String, Value>> {
        self.value.as_object().map_or_else(|| self.fail("must be an object"), Ok)
    }

    pub(in crate::formats) fn items(&self) -> Read<Vec<Self>> {
        let Some(items) = self.value.as_array() else { return self.fail("must be a list") };
        let item = |(index, value)| {
            let mut way = self.way.clone();
            way.push(Step::Index(index));
            Self { value, way }
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(in crate::formats) fn text(&self) -> Read<&'a str> {
        let shown = || self.fail(format!("must be a string, got {}", self.shown()));
        self.value.as_str().map_or_else(shown, Ok)
    }

    pub(in crate::formats) fn boolean(&self) -> Read<bool> {
        let shown = || self.fail(format!("must be true or false, got {}", self.shown()));
        self.value.as_bool().map_or_else(shown, Ok)
    }

    pub(in crate::formats) fn whole(&self) -> Read<usize> {
        let number = self.value.as_u64().and_then(|number| usize::try_from(number).ok());
        let shown = || self.fail(format!("must be a whole number, got {}", self.shown()));
        number.map_or_else(shown, Ok)
    }

    pub(in crate::formats) fn id(&self) -> Read<u32> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        let shown = || self.fail(format!("must be an id, got {}", self.shown()));
        number.map_or_else(shown, Ok)
    }

    pub(in crate::formats) fn character(&self) -> Read<char> {
        let mut characters = self.text()?.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => self.fail(format!("must be one character, got {}", self.shown())),
        }
    }

    /// A flag that has a default.
    pub(in crate::formats) fn flag(&self, key: &str, default: bool) -> Read<bool> {
        self.optional(key).map_or(Ok(default), |node| node.boolean())
    }

    /// One of several names.
    pub(in crate::formats) fn one_of<T: Copy>(&self, names: &[(&'static str, T)]) -> Read<T> {
        let name = self.text()?;
        let found = names.iter().find(|(known, _)| *known == name);
        found.map_or_else(
            || {
                let known: Vec<_> = names.iter().map(|(known, _)| format!("\"{known}\"")).collect();
                self.fail(format!("must be one of {}, got {}", known.join(", "), self.shown()))
            },
            |(_, value)| Ok(*value),
        )
    }

    /// Fails if there is a key that nobody here knows: it could mean other ids.
    pub(in crate::formats) fn only(&self, known: &[&str]) -> Read<()> {
        match self.object()?.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => self.fail(format!(
                "has the unknown key {key:?}; the file is damaged or of a newer version, known are {}",
                known.join(", ")
            )),
            None => Ok(()),
        }
    }

    /// A kind that nobody here knows.
    pub(in crate::formats) fn unknown_kind<T>(&self, what: &str, known: &[&str]) -> Read<T> {
        let shown = self.shown();
        self.fail(format!("is {shown}, which is no known {what}; known are {}", known.join(", ")))
    }
}

/// Where the value at the end of the way begins, or the last part of the way that exists.
fn locate(bytes: &[u8], way: &[Step]) -> Option<usize> {
    let mut scanner = Scanner { bytes, at: 0 };
    scanner.space();
    let mut found = scanner.at;
    for step in way {
        let inside = match step {
            Step::Key(key) => scanner.enter_key(key),
            Step::Index(index) => scanner.enter_index(*index),
        };
        if inside.is_none() {
            break;
        }
        found = scanner.at;
    }
    (found < bytes.len()).then_some(found)
}

/// Walks over valid JSON without reading it.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<&[u8]> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(&self.bytes[start..self.at])
    }

    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => {
                    let stops = b",:]}\" \t\r\n[{";
                    while self.peek().is_some_and(|byte| !stops.contains(&byte)) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
            self.space();
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        (self.peek()? == bracket).then(|| self.at += 1)?;
        self.space();
        Some(())
    }

    fn next_item(&mut self) -> Option<()> {
        self.space();
        (self.peek()? == b',').then(|| self.at += 1)?;
        self.space();
        Some(())
    }

    fn enter_key(&mut self, key: &str) -> Option<()> {
        self.open(b'{')?;
        loop {
            let name: String = serde_json::from_slice(self.string()?).ok()?;
            self.space();
            self.at += 1;
            self.space();
            if name == key {
                return Some(());
            }
            self.value()?;
            self.next_item()?;
        }
    }

    fn enter_index(&mut self, index: usize) -> Option<()> {
        self.open(b'[')?;
        for _ in 0..index {
            self.value()?;
            self.next_item()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_names_field_and_line() {
        let bytes =
            b"{\n \"a\\\"\": [1, {\"x\": \"}\"}],\n \"list\": [\n  [2],\n  {\"type\": 7}\n ]}";
        let document: Value = serde_json::from_slice(bytes).unwrap();
        let list = Node::root(&document).field("list").unwrap().items().unwrap();
        let error = |flaw: Flaw| flaw.into_error(bytes, Path::new("a.json")).to_string();
        let flaw = list[1].field("type").unwrap().text().unwrap_err();
        assert_eq!(error(flaw), "a.json, line 5: list[1].type must be a string, got 7");
        let flaw = list[1].field("kind").unwrap_err();
        assert_eq!(error(flaw), "a.json, line 5: list[1] lacks \"kind\"");
        let flaw = Node::root(&document).field("none").unwrap_err();
        assert_eq!(error(flaw), "a.json, line 1: lacks \"none\"");
    }
}
