//! Patterns that users and files give: literal text or a regular expression.
//!
//! Expressions mean what they mean to Oniguruma, the engine of Hugging Face tokenizers: `^` and `$` match at
//! each line. They are run by an engine whose time is linear in the text. The one use of looking ahead that
//! nearly all published patterns share, `\s+(?!\S)|\s+` as the last alternatives, is said to it in other
//! words; what else looks around goes to an engine that backtracks.

use memchr::memmem::Finder;

use crate::error::{Error, Result};

/// The last alternatives of published patterns, longest first.
const SPACE_TAILS: [&str; 2] = [r"|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s"];
/// How far an expression that backtracks looks at most, in bytes, where it would otherwise give up.
const WINDOW: usize = 1 << 16;

/// What is looked for in a text.
#[derive(Clone, Debug)]
pub struct Matcher {
    pattern: Pattern,
    engine: Engine,
}

/// How a pattern is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Text that stands for itself.
    Literal(String),
    /// A regular expression.
    Regex(String),
}

#[derive(Clone, Debug)]
enum Engine {
    Literal(Box<Finder<'static>>),
    Linear(regex::Regex),
    /// With `\s+` as first group in place of [`SPACE_TAILS`].
    LinearThenSpaces(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Matcher {}

impl Matcher {
    /// Looks for the text itself.
    pub fn literal(text: &str) -> Self {
        let finder = Finder::new(text.as_bytes()).into_owned();
        Self {
            pattern: Pattern::Literal(text.to_owned()),
            engine: Engine::Literal(Box::new(finder)),
        }
    }

    /// Looks for matches of a regular expression.
    pub fn regex(expression: &str) -> Result<Self> {
        let refuse = |reason: String| {
            let rule = format!("must be a regular expression, but {reason}");
            Error::parameter("split", rule, format!("{expression:?}"))
        };
        let translated = translated(expression);
        let engine = match linear(&translated) {
            Ok(engine) => engine,
            Err(linear_error) => match backtracking(&translated) {
                Some(regex) => Engine::Backtracking(Box::new(regex)),
                // What both engines refuse is explained better by the first.
                None => return Err(refuse(one_line(&linear_error))),
            },
        };
        Ok(Self { pattern: Pattern::Regex(expression.to_owned()), engine })
    }

    /// Looks for matches of a regular expression whose classes are those of the Unicode standard.
    pub(crate) fn standard(expression: &str) -> Result<Self> {
        let engine = linear(expression).map_err(|error| {
            Error::parameter("split", one_line(&error), format!("{expression:?}"))
        })?;
        Ok(Self { pattern: Pattern::Regex(expression.to_owned()), engine })
    }

    /// What is looked for.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The next match that begins at `from` or later and is not empty.
    pub fn next(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        loop {
            let (start, end) = self.find(text, at)?;
            if end > start {
                return Some((start, end));
            }
            at = end + text[end..].chars().next()?.len_utf8();
        }
    }

    fn find(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::Literal(finder) => {
                let start = from + finder.find(&text.as_bytes()[from..])?;
                Some((start, start + finder.needle().len()))
            }
            Engine::Linear(regex) => {
                regex.find_at(text, from).map(|found| (found.start(), found.end()))
            }
            Engine::LinearThenSpaces(regex) => {
                // Most matches are not of white space, and finding groups costs more than finding matches.
                let found = regex.find_at(text, from)?;
                let range = (found.start(), found.end());
                let is_space = |character: char| character.is_whitespace();
                if !found.as_str().starts_with(is_space) || !found.as_str().ends_with(is_space) {
                    return Some(range);
                }
                let groups = regex.captures_at(text, from)?;
                Some(if groups.get(1).is_some() { space_match(text, range) } else { range })
            }
            Engine::Backtracking(regex) => backtrack(regex, text, from),
        }
    }
}

/// `\s+(?!\S)|\s+`, where `range` is all of a run of white space.
fn space_match(text: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let last = text[start..end].chars().next_back().map_or(0, char::len_utf8);
    if end == text.len() || end - last == start { (start, end) } else { (start, end - last) }
}

/// `\w` as Oniguruma has it: without joiners, with the numbers of Latin-1 that are no digits.
const WORD: &str = r"\w\u{B2}\u{B3}\u{B9}\u{BC}-\u{BE}--[\u{200C}\u{200D}]";
/// What Oniguruma's names of classes in brackets stand for.
const CLASSES: [(&str, &str); 8] = [
    ("[:alnum:]", r"\p{Alphabetic}\p{Nd}"),
    ("[:alpha:]", r"\p{Alphabetic}"),
    ("[:digit:]", r"\p{Nd}"),
    ("[:lower:]", r"\p{Lowercase}"),
    ("[:punct:]", r"\p{P}\p{S}"),
    ("[:space:]", r"\s"),
    ("[:upper:]", r"\p{Uppercase}"),
    ("[:word:]", r"\w"),
];

/// The expression in words that mean to our engines what it means to Oniguruma.
fn translated(expression: &str) -> String {
    let mut text = String::with_capacity(expression.len());
    let mut rest = expression;
    // How many brackets are open: in a class, `\b` is a character.
    let mut depth = 0_usize;
    while let Some(character) = rest.chars().next() {
        let class = CLASSES.iter().find(|(name, _)| rest.starts_with(name));
        if let Some((name, meaning)) = class {
            text.push_str(meaning);
            rest = &rest[name.len()..];
            continue;
        }
        let escape = if character == '\\' { rest.chars().nth(1) } else { None };
        let length = character.len_utf8() + escape.map_or(0, char::len_utf8);
        match (character, escape) {
            ('[', _) => depth += 1,
            (']', _) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match escape {
            Some('b') if depth == 0 => text.push_str(&boundary(true)),
            Some('B') if depth == 0 => text.push_str(&boundary(false)),
            Some('w') => text.extend(["[", WORD, "]"]),
            Some('W') => text.extend(["[^", WORD, "]"]),
            Some('h') => text.push_str("[0-9a-fA-F]"),
            Some('H') => text.push_str("[^0-9a-fA-F]"),
            _ => text.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    text
}

/// `\b`, or `\B`, where a word is what Oniguruma takes for one.
fn boundary(is_edge: bool) -> String {
    let (one, other) = if is_edge { ("?!", "?=") } else { ("?=", "?!") };
    format!("(?:(?<=[{WORD}])({one}[{WORD}])|(?<![{WORD}])({other}[{WORD}]))")
}

fn linear(expression: &str) -> std::result::Result<Engine, regex::Error> {
    let build = |expression: &str| {
        regex::RegexBuilder::new(expression).multi_line(true).size_limit(1 << 26).build()
    };
    for tail in SPACE_TAILS {
        if let Some(head) = expression.strip_suffix(tail) {
            let whole = format!(r"(?:{head})|(\s+)");
            return build(&whole).and_then(|regex| {
                // Groups of the expression itself would shift the number of ours.
                if regex.captures_len() == 2 {
                    Ok(Engine::LinearThenSpaces(regex))
                } else {
                    Err(regex::Error::Syntax("it has groups of its own".to_owned()))
                }
            });
        }
    }
    build(expression).map(Engine::Linear)
}

fn backtracking(expression: &str) -> Option<fancy_regex::Regex> {
    let expression = format!("(?m:{expression})");
    fancy_regex::RegexBuilder::new(&expression).backtrack_limit(1 << 24).build().ok()
}

fn backtrack(regex: &fancy_regex::Regex, text: &str, from: usize) -> Option<(usize, usize)> {
    if let Ok(found) = regex.find_from_pos(text, from) {
        return found.map(|found| (found.start(), found.end()));
    }
    let mut end = (from + WINDOW).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let found = regex.find_from_pos(&text[..end], from).ok().flatten();
    found.map(|found| (found.start(), found.end()))
}

/// The reason of an error that is drawn over several lines, which is in its last one.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(matcher: &Matcher, text: &str) -> Vec<String> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some((start, end)) = matcher.next(text, at) {
            found.push(text[start..end].to_owned());
            at = end;
        }
        found
    }

    #[test]
    fn spaces_before_a_word_are_said_without_looking_ahead() {
        let expression = r"\p{L}+|\p{N}|\s+(?!\S)|\s+";
        let matcher = Matcher::regex(expression).unwrap();
        assert!(matches!(matcher.engine, Engine::LinearThenSpaces(_)));
        let plain = Matcher {
            pattern: matcher.pattern.clone(),
            engine: Engine::Backtracking(Box::new(backtracking(expression).unwrap())),
        };
        for text in ["a   b", "a \n", "  ", " 1 \u{3000}\u{3000}x", "", "a\u{85} \tb1  "] {
            assert_eq!(all(&matcher, text), all(&plain, text), "{text:?}");
        }
        assert_eq!(all(&matcher, "a   b"), ["a", "  ", " ", "b"]);
    }

    #[test]
    fn other_expressions_and_literals() {
        assert_eq!(all(&Matcher::literal("aa"), "aaaab"), ["aa", "aa"]);
        assert_eq!(all(&Matcher::regex("x*").unwrap(), "axxbx"), ["xx", "x"]);
        assert_eq!(all(&Matcher::regex("(?<=a)b").unwrap(), "abbab"), ["b", "b"]);
        assert_eq!(all(&Matcher::regex("^.$").unwrap(), "a\nb\ncd"), ["a", "b"]);
        assert_eq!(all(&Matcher::regex(r"[^\W_]+").unwrap(), "a\u{200D}¼_Ⅻ"), ["a", "¼", "Ⅻ"]);
        assert_eq!(all(&Matcher::regex(r"[[:punct:]\h]+").unwrap(), "g€+f"), ["€+f"]);
        assert_eq!(all(&Matcher::regex(r"\\w(?=\w)").unwrap(), r"x\wa"), [r"\w"]);
        let error = Matcher::regex("a(").unwrap_err().to_string();
        assert!(error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn giving_up_is_not_an_end() {
        let matcher = Matcher::regex(r"(?:\s|x)+(?!\S)y?").unwrap();
        let text = " ".repeat(3_000_000);
        let found = all(&matcher, &text);
        assert_eq!(found.concat(), text);
    }
}
