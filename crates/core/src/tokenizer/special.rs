//! Special tokens in a text.

use std::cell::RefCell;

use memchr::memmem::Finder;

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
    names: Vec<(u32, Finder<'static>)>,
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
        Self { names: names.map(|(id, name)| (id, Finder::new(name).into_owned())).collect() }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.names.iter().map(|(id, _)| *id)
    }

    /// All special tokens of a text from left to right; where several begin, the longest.
    pub(super) fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Found> + 'a {
        // For each name, its next place at or after the end of the last one found.
        let next: RefCell<Vec<Option<usize>>> =
            RefCell::new(self.names.iter().map(|(_, finder)| finder.find(text)).collect());
        let mut from = 0;
        std::iter::from_fn(move || {
            let mut next = next.borrow_mut();
            for (place, (_, finder)) in next.iter_mut().zip(&self.names) {
                if place.is_some_and(|place| place < from) {
                    *place = finder.find(&text[from..]).map(|found| from + found);
                }
            }
            let places = next.iter().zip(&self.names).filter_map(|(place, (id, finder))| {
                let start = (*place)?;
                Some(Found { start, end: start + finder.needle().len(), id: *id })
            });
            let found = places.min_by_key(|found| (found.start, usize::MAX - found.end))?;
            from = found.end;
            Some(found)
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
