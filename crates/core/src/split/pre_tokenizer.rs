//! Cutting by rules that can be combined, in the vocabulary of Hugging Face tokenizers.
//!
//! A rule either cuts, or changes the text and cuts. Rules that only cut can stand in a
//! [`Splitter`], for training and for encoding; the others need a [`Draft`].

use super::behavior::{Behavior, Cut, cut_at_characters, cut_at_matches};
use super::matcher::{Matcher, Pattern};
use super::scripts;
use super::{SplitRule, Splitter};
use crate::error::Result;
use crate::normalize::{Aligned, is_punctuation};

/// When a metaspace is put in front of a text that does not begin with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepend {
    /// In front of the whole text only, not after a special token.
    First,
    /// Never.
    Never,
    /// In front of each stretch of text.
    Always,
}

impl Prepend {
    /// All of them, as Hugging Face tokenizers writes them.
    pub const NAMES: [(&'static str, Self); 3] =
        [("first", Self::First), ("never", Self::Never), ("always", Self::Always)];

    /// The name in files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// A rule, or several that are applied one after the other, each to the pieces of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreTokenizer {
    /// For models that begin with bytes.
    ByteLevel {
        /// Puts a space in front of what does not begin with one.
        add_prefix_space: bool,
        /// Has no influence here; the step after the model has its own.
        trim_offsets: bool,
        /// Cuts by the pattern of GPT-2.
        use_regex: bool,
    },
    /// Runs of `\w`, and runs of what is neither that nor white space.
    Whitespace(Matcher),
    /// Runs of what is no white space.
    WhitespaceSplit,
    /// White space is dropped, punctuation stands alone.
    Bert,
    /// Cuts at the matches of a pattern.
    Split {
        /// The pattern.
        matcher: Matcher,
        /// The rule that does the same faster.
        rule: Option<SplitRule>,
        /// Where the matches go.
        behavior: Behavior,
        /// Whether matches and the rest change places.
        invert: bool,
    },
    /// Cuts at a character, which is dropped.
    Delimiter(char),
    /// Cuts at punctuation.
    Punctuation(Behavior),
    /// Cuts at numbers.
    Digits {
        /// Each one alone, not each run.
        individual: bool,
    },
    /// Spaces become a visible character, before each of which a piece begins.
    Metaspace {
        /// The visible character.
        replacement: char,
        /// When one is put in front.
        prepend: Prepend,
        /// Whether pieces are cut.
        split: bool,
    },
    /// So many characters a piece.
    FixedLength(usize),
    /// Cuts where the script changes; Hugging Face tokenizers has no such rule.
    Script,
    /// One after the other.
    Sequence(Vec<PreTokenizer>),
}

impl PreTokenizer {
    /// What Hugging Face tokenizers calls `Whitespace`.
    pub fn whitespace() -> Result<Self> {
        // That library uses another engine for it, one whose words are those of the Unicode standard.
        Matcher::standard(r"\w+|[^\w\s]+").map(Self::Whitespace)
    }

    /// Cuts at the matches of a pattern; a published one is recognized.
    pub fn split(pattern: &Pattern, behavior: Behavior, invert: bool) -> Result<Self> {
        let matcher = match pattern {
            Pattern::Literal(text) => Matcher::literal(text),
            Pattern::Regex(expression) => Matcher::regex(expression)?,
        };
        let rule = match pattern {
            // Such a pattern leaves nothing between its matches.
            Pattern::Regex(expression)
                if (behavior == Behavior::Isolated && !invert)
                    || (behavior == Behavior::Removed && invert) =>
            {
                SplitRule::of_pattern(expression)
            }
            _ => None,
        };
        Ok(Self::Split { matcher, rule, behavior, invert })
    }

    /// One of our rules as a step among others.
    pub fn of_rule(rule: SplitRule) -> Result<Self> {
        use super::published::{GPT4, LLAMA3, O200K, QWEN2};
        let pattern = match rule {
            SplitRule::Whitespace => return Ok(Self::WhitespaceSplit),
            SplitRule::Words => return Self::words(),
            SplitRule::Gpt4 => GPT4,
            SplitRule::O200k => O200K,
            SplitRule::Llama3 => LLAMA3,
            SplitRule::Qwen2 => QWEN2,
            SplitRule::Gpt2 => super::published::GPT2,
            SplitRule::None | SplitRule::Custom => return Ok(Self::Sequence(Vec::new())),
        };
        Self::split(&Pattern::Regex(pattern.to_owned()), Behavior::Isolated, false)
    }

    /// Words, and other characters alone; white space is dropped.
    pub fn words() -> Result<Self> {
        let pattern = Pattern::Regex(super::published::WORDS.to_owned());
        Self::split(&pattern, Behavior::Removed, true)
    }

    /// The rule of ours that cuts as this does, if there is one and nothing is changed.
    pub fn rule(&self) -> Option<SplitRule> {
        match self {
            Self::ByteLevel { add_prefix_space: false, use_regex, .. } => {
                Some(if *use_regex { SplitRule::Gpt2 } else { SplitRule::None })
            }
            Self::WhitespaceSplit => Some(SplitRule::Whitespace),
            Self::Split { rule, .. } => *rule,
            Self::Sequence(steps) => {
                let mut rules = steps.iter().map(Self::rule);
                let cutting = |rule: &Option<SplitRule>| *rule != Some(SplitRule::None);
                let rule = rules.by_ref().find(cutting).unwrap_or(Some(SplitRule::None))?;
                rules.all(|rule| rule == Some(SplitRule::None)).then_some(rule)
            }
            _ => None,
        }
    }

    /// Whether it changes the text, not only cuts it.
    pub fn changes_text(&self) -> bool {
        match self {
            Self::ByteLevel { add_prefix_space, .. } => *add_prefix_space,
            Self::Metaspace { .. } => true,
            Self::Sequence(steps) => steps.iter().any(Self::changes_text),
            _ => false,
        }
    }

    /// Whether it must be known where in the source a text begins.
    pub fn needs_places(&self) -> bool {
        match self {
            Self::Metaspace { prepend, .. } => *prepend == Prepend::First,
            Self::Sequence(steps) => steps.iter().any(Self::needs_places),
            _ => false,
        }
    }

    /// Whether every character of a text is in some piece.
    pub fn lossless(&self) -> bool {
        match self {
            Self::Whitespace(_) | Self::WhitespaceSplit | Self::Bert | Self::Delimiter(_) => false,
            Self::Split { rule: Some(rule), .. } => !rule.drops_spaces(),
            Self::Split { behavior, .. } | Self::Punctuation(behavior) => {
                *behavior != Behavior::Removed
            }
            Self::Sequence(steps) => steps.iter().all(Self::lossless),
            Self::ByteLevel { .. }
            | Self::Digits { .. }
            | Self::Metaspace { .. }
            | Self::FixedLength(_)
            | Self::Script => true,
        }
    }

    /// Whether it holds a rule that Hugging Face tokenizers does not have.
    pub fn is_own(&self) -> bool {
        match self {
            Self::Script => true,
            Self::Sequence(steps) => steps.iter().any(Self::is_own),
            _ => false,
        }
    }

    /// The pieces of a text under a rule that changes nothing.
    pub fn cuts(&self, text: &str) -> Vec<Cut> {
        let mut cuts = Vec::new();
        self.cut(text, 0, &mut cuts);
        cuts
    }

    /// Appends the pieces of the stretch that begins at `start`.
    fn cut(&self, text: &str, start: usize, cuts: &mut Vec<Cut>) {
        if text.is_empty() {
            return;
        }
        if let Self::Sequence(steps) = self {
            let mut pieces = vec![(start, start + text.len())];
            for step in steps {
                let mut finer = Vec::with_capacity(pieces.len());
                for (from, to) in pieces {
                    step.cut(&text[from - start..to - start], from, &mut finer);
                }
                pieces = finer;
            }
            cuts.append(&mut pieces);
        } else if let Some(rule) = self.rule() {
            let pieces = Splitter::plain(rule);
            let pieces = pieces.pieces(text);
            cuts.extend(pieces.map(|(at, piece)| (start + at, start + at + piece.len())));
        } else {
            self.cut_once(text, start, cuts);
        }
    }

    fn cut_once(&self, text: &str, start: usize, cuts: &mut Vec<Cut>) {
        let stretch = (text, start);
        match self {
            Self::Whitespace(matcher) => {
                cut_at_matches(matcher, true, Behavior::Removed, stretch, cuts);
            }
            Self::Bert => {
                for (at, word) in Splitter::plain(SplitRule::Whitespace).pieces(text) {
                    let word = (word, start + at);
                    cut_at_characters(is_punctuation, Behavior::Isolated, word, cuts);
                }
            }
            Self::Split { matcher, behavior, invert, .. } => {
                cut_at_matches(matcher, *invert, *behavior, stretch, cuts);
            }
            Self::Delimiter(delimiter) => {
                let is_it = |character| character == *delimiter;
                cut_at_characters(is_it, Behavior::Removed, stretch, cuts);
            }
            Self::Punctuation(behavior) => {
                cut_at_characters(is_punctuation, *behavior, stretch, cuts);
            }
            Self::Digits { individual } => {
                let behavior = if *individual { Behavior::Isolated } else { Behavior::Contiguous };
                cut_at_characters(char::is_numeric, behavior, stretch, cuts);
            }
            Self::Metaspace { replacement, split: true, .. } => {
                let is_it = |character| character == *replacement;
                cut_at_characters(is_it, Behavior::MergedWithNext, stretch, cuts);
            }
            Self::FixedLength(length) => {
                let mut places = text.char_indices().map(|(at, _)| at).step_by((*length).max(1));
                let mut from = places.next().unwrap_or(0);
                for at in places.chain([text.len()]) {
                    cuts.push((start + from, start + at));
                    from = at;
                }
            }
            Self::Script => scripts::cut(text, start, cuts),
            Self::ByteLevel { use_regex: true, .. } => {
                let pieces = Splitter::plain(SplitRule::Gpt2);
                let pieces = pieces.pieces(text);
                cuts.extend(pieces.map(|(at, piece)| (start + at, start + at + piece.len())));
            }
            _ => cuts.push((start, start + text.len())),
        }
    }
}

/// A text on its way to the model, with the pieces that it was cut into so far.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text.
    pub text: Aligned,
    /// Its pieces.
    pub cuts: Vec<Cut>,
    /// Whether the first piece is the start of the whole text.
    at_start: bool,
}

impl Draft {
    /// A text in one piece.
    pub fn new(text: Aligned, at_start: bool) -> Self {
        let cuts = vec![(0, text.text().len())];
        Self { text, cuts, at_start }
    }

    /// Cuts, and changes what has to be changed.
    pub fn apply(&mut self, rule: &PreTokenizer) {
        match rule {
            PreTokenizer::Sequence(steps) => {
                for step in steps {
                    self.apply(step);
                }
                return;
            }
            PreTokenizer::ByteLevel { add_prefix_space: true, .. } => self.prefix(' ', |_| true),
            PreTokenizer::Metaspace { replacement, prepend, .. } => {
                self.show_spaces(*replacement);
                let at_start = self.at_start;
                match prepend {
                    Prepend::Always => self.prefix(*replacement, |_| true),
                    Prepend::First => self.prefix(*replacement, |from| from == 0 && at_start),
                    Prepend::Never => {}
                }
            }
            _ => {}
        }
        let mut cuts = Vec::with_capacity(self.cuts.len());
        for &(start, end) in &self.cuts {
            let piece = &self.text.text()[start..end];
            if rule.changes_text() {
                rule.cut_once(piece, start, &mut cuts);
            } else {
                rule.cut(piece, start, &mut cuts);
            }
        }
        self.cuts = cuts;
    }

    /// Puts a character in front of each piece that does not begin with it.
    fn prefix(&mut self, character: char, wanted: impl Fn(usize) -> bool) {
        let old = std::mem::take(&mut self.cuts);
        let mut cuts = Vec::with_capacity(old.len());
        self.text.rewrite(|text, rewriter| {
            for (from, to) in old {
                let start = rewriter.len();
                if from < to && wanted(from) && !text[from..to].starts_with(character) {
                    rewriter.put(character, from);
                }
                rewriter.keep(from..to);
                cuts.push((start, rewriter.len()));
            }
        });
        self.cuts = cuts;
    }

    fn show_spaces(&mut self, replacement: char) {
        let old = std::mem::take(&mut self.cuts);
        let mut cuts = Vec::with_capacity(old.len());
        self.text.rewrite(|text, rewriter| {
            for (from, to) in old {
                let start = rewriter.len();
                let mut kept = from;
                for space in memchr::memchr_iter(b' ', &text.as_bytes()[from..to]) {
                    rewriter.keep(kept..from + space);
                    rewriter.put(replacement, from + space);
                    kept = from + space + 1;
                }
                rewriter.keep(kept..to);
                cuts.push((start, rewriter.len()));
            }
        });
        self.cuts = cuts;
    }
}
