//! What happens to the matches of a pattern that cuts a text.

use crate::split::matcher::Matcher;

/// A part of a text, in bytes.
pub type Cut = (usize, usize);

/// Where a match goes; what lies between matches is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// It is dropped.
    Removed,
    /// It is a piece.
    Isolated,
    /// It belongs to the piece before it.
    MergedWithPrevious,
    /// It belongs to the piece after it.
    MergedWithNext,
    /// It is a piece together with the matches that touch it.
    Contiguous,
}

impl Behavior {
    /// All of them, as Hugging Face tokenizers writes them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("Removed", Self::Removed),
        ("Isolated", Self::Isolated),
        ("MergedWithPrevious", Self::MergedWithPrevious),
        ("MergedWithNext", Self::MergedWithNext),
        ("Contiguous", Self::Contiguous),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// Collects the pieces of one stretch of text.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    behavior: Behavior,
    cuts: &'a mut Vec<Cut>,
    /// The pieces before this one belong to other stretches.
    first: usize,
    previous_match: bool,
    /// A match that waits for what comes after it.
    pending: Option<usize>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(behavior: Behavior, cuts: &'a mut Vec<Cut>) -> Self {
        let first = cuts.len();
        Self { behavior, cuts, first, previous_match: false, pending: None }
    }

    /// Takes the next segment; segments touch each other.
    pub(super) fn take(&mut self, start: usize, end: usize, is_match: bool) {
        if start == end {
            return;
        }
        let previous_match = std::mem::replace(&mut self.previous_match, is_match);
        let extends = match self.behavior {
            Behavior::Removed => {
                if !is_match {
                    self.cuts.push((start, end));
                }
                return;
            }
            Behavior::MergedWithNext => {
                let from = self.pending.take();
                if is_match {
                    self.cuts.extend(from.map(|from| (from, start)));
                    self.pending = Some(start);
                } else {
                    self.cuts.push((from.unwrap_or(start), end));
                }
                return;
            }
            Behavior::Isolated => false,
            Behavior::MergedWithPrevious => is_match && !previous_match,
            Behavior::Contiguous => is_match == previous_match,
        };
        match self.cuts[self.first..].last_mut() {
            Some(last) if extends => last.1 = end,
            _ => self.cuts.push((start, end)),
        }
    }

    /// Ends the stretch.
    pub(super) fn finish(self, end: usize) {
        self.cuts.extend(self.pending.map(|from| (from, end)));
    }
}

/// Cuts the stretch at the matches, or, if `invert`, at what lies between them.
pub(super) fn cut_at_matches(
    matcher: &Matcher,
    invert: bool,
    behavior: Behavior,
    (text, start): (&str, usize),
    cuts: &mut Vec<Cut>,
) {
    let mut collector = Collector::new(behavior, cuts);
    let mut from = 0;
    while let Some((at, end)) = matcher.next(text, from) {
        collector.take(start + from, start + at, invert);
        collector.take(start + at, start + end, !invert);
        from = end;
    }
    collector.take(start + from, start + text.len(), invert);
    collector.finish(start + text.len());
}

/// Cuts the stretch at each character of a class.
pub(super) fn cut_at_characters(
    is_match: impl Fn(char) -> bool,
    behavior: Behavior,
    (text, start): (&str, usize),
    cuts: &mut Vec<Cut>,
) {
    let mut collector = Collector::new(behavior, cuts);
    let mut from = 0;
    for (at, character) in text.char_indices().filter(|&(_, character)| is_match(character)) {
        let end = at + character.len_utf8();
        collector.take(start + from, start + at, false);
        collector.take(start + at, start + end, true);
        from = end;
    }
    collector.take(start + from, start + text.len(), false);
    collector.finish(start + text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(behavior: Behavior, text: &str) -> Vec<&str> {
        let mut cuts = Vec::new();
        cut_at_matches(&Matcher::literal("-"), false, behavior, (text, 0), &mut cuts);
        let mut by_class = Vec::new();
        cut_at_characters(|character| character == '-', behavior, (text, 0), &mut by_class);
        assert_eq!(cuts, by_class);
        cuts.into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn each_behavior() {
        let text = "The-final--countdown";
        let cases: [(Behavior, &[&str]); 5] = [
            (Behavior::Removed, &["The", "final", "countdown"]),
            (Behavior::Isolated, &["The", "-", "final", "-", "-", "countdown"]),
            (Behavior::MergedWithPrevious, &["The-", "final-", "-", "countdown"]),
            (Behavior::MergedWithNext, &["The", "-final", "-", "-countdown"]),
            (Behavior::Contiguous, &["The", "-", "final", "--", "countdown"]),
        ];
        for (behavior, expected) in cases {
            assert_eq!(pieces(behavior, text), expected, "{behavior:?}");
        }
        assert_eq!(pieces(Behavior::MergedWithNext, "--a-"), ["-", "-a", "-"]);
        assert_eq!(pieces(Behavior::MergedWithPrevious, "--a-"), ["-", "-", "a-"]);
    }

    #[test]
    fn a_match_can_be_what_is_kept() {
        let mut cuts = Vec::new();
        let matcher = Matcher::regex(r"\w+").unwrap();
        cut_at_matches(&matcher, true, Behavior::Removed, (" ab, c", 10), &mut cuts);
        assert_eq!(cuts, [(11, 13), (15, 16)]);
    }
}
