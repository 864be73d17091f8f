//! Special tokens in a text.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use crate::error::{Error, Result};

/// What happens to the name of a special token in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialPolicy {
    /// It is text like any other.
    Text,
    /// It becomes the special token.
    Allow,
    /// It is refused.
    Error,
}

impl SpecialPolicy {
    /// The policy of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "text" => Ok(Self::Text),
            "allow" => Ok(Self::Allow),
            "error" => Ok(Self::Error),
            _ => Err(Error::parameter(
                "special",
                "must be \"text\", \"allow\" or \"error\"",
                format!("{name:?}"),
            )),
        }
    }
}

/// Finds the names of special tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct SpecialFinder {
    ids: Vec<u32>,
    automaton: Option<AhoCorasick>,
}

/// A special token in a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: u32,
}

impl SpecialFinder {
    pub(super) fn new<'a>(names: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let (ids, names): (Vec<u32>, Vec<&[u8]>) =
            names.filter(|(_, name)| !name.is_empty()).unzip();
        // Fails only beyond 2^31 names.
        let automaton =
            AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(names).ok();
        Self { automaton: automaton.filter(|_| !ids.is_empty()), ids }
    }

    /// All special tokens of a text from left to right; where several begin, the longest.
    pub(super) fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Found> + 'a {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_iter(text));
        found.map(|found| Found {
            start: found.start(),
            end: found.end(),
            id: self.ids[found.pattern().as_usize()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_wins() {
        let names: [&[u8]; 3] = [b"<a>", b"<a><b>", b"b>"];
        let finder = SpecialFinder::new((0..3).zip(names));
        let found: Vec<_> =
            finder.find(b"x<a><b>b><a>").map(|found| (found.start, found.id)).collect();
        assert_eq!(found, [(1, 1), (7, 2), (9, 0)]);
        assert_eq!(SpecialFinder::default().find(b"x").count(), 0);
    }
}
