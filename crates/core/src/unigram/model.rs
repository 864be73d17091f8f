//! The tokens of the highest score.
//!
//! One pass from left to right keeps, for each place, the best way to get there (Viterbi). Where no token
//! reaches over a place, every way leads through it: what lies before is decided and is handed out, so the
//! memory that is needed grows with the longest stretch without such a place, not with the text.

use std::ops::Range;

use super::trie::{Node, Trie};
use crate::bpe::Unseen;
use crate::error::Result;

/// What the score of a character without a token is below that of the worst token.
pub const UNKNOWN_PENALTY: f64 = 10.0;
/// Sums in 32 bits start again from zero where they get further from it, so that they stay exact enough.
const LARGEST_SUM: f64 = 100_000.0;
/// Characters between two looks at the wish to stop.
const CHARACTERS_PER_LOOK: u32 = 1 << 14;

/// Whose results come out, to the last bit of the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// Sums in 64 bits; a run of unknown characters is looked up as a whole.
    HuggingFace,
    /// Sums in 32 bits.
    SentencePiece,
}

/// Tokens with their scores, ready for search.
#[derive(Clone, Debug)]
pub struct UnigramModel {
    trie: Trie,
    /// By id; ids without a token that stands for text have a score that nobody asks for.
    scores: Vec<f64>,
    flavor: Flavor,
    unknown: Option<u32>,
    unknown_score: f64,
    /// How far a sum can get in one step.
    largest_step: f64,
    /// The tokens that stand for the bytes of unknown characters.
    bytes: Option<Box<[Option<u32>; 256]>>,
}

/// The best way to a place.
#[derive(Clone, Copy, Debug)]
struct Best {
    score: f64,
    /// The best of the ways that end with another token.
    second: f64,
    /// Where its last token begins.
    start: u32,
    id: u32,
}

const NO_START: u32 = u32::MAX;
const NOT_REACHED: Best = Best { score: 0.0, second: f64::NEG_INFINITY, start: NO_START, id: 0 };

/// A token and its place in the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The token, or nothing for an unknown character.
    pub id: Option<u32>,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Room to work in, kept from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By place after the last one that every way leads through.
    best: Vec<Best>,
    path: Vec<Found>,
}

/// Where a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The sum of all scores.
    pub score: f64,
    /// By how much the best way is ahead of the second.
    pub lead: f64,
}

impl UnigramModel {
    /// A model of the tokens that stand for text, with their ids; `scores` has one for each id.
    ///
    /// `unknown_score` is the score of a character that has no token; it becomes `unknown`, or its bytes do.
    pub fn new<'a>(
        tokens: impl IntoIterator<Item = (&'a [u8], u32)>,
        scores: Vec<f64>,
        flavor: Flavor,
        unknown: Option<u32>,
        unknown_score: f64,
        bytes: Option<Box<[Option<u32>; 256]>>,
    ) -> Self {
        let largest_step = scores.iter().fold(unknown_score.abs(), |most, one| most.max(one.abs()));
        let trie = Trie::new(tokens);
        Self { trie, scores, flavor, unknown, unknown_score, largest_step, bytes }
    }

    /// A model as Hugging Face tokenizers builds it: all tokens can be found in a text.
    pub fn hugging_face(
        tokens: &[(Vec<u8>, f64)],
        unknown: Option<u32>,
        byte_fallback: bool,
    ) -> Self {
        let numbered = tokens.iter().zip(0..);
        let entries: Vec<_> = numbered.map(|((bytes, _), id)| (bytes.as_slice(), id)).collect();
        let scores: Vec<f64> = tokens.iter().map(|(_, score)| *score).collect();
        let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let mut model = Self::new(
            entries,
            scores,
            Flavor::HuggingFace,
            unknown,
            lowest - UNKNOWN_PENALTY,
            None,
        );
        if byte_fallback {
            let name = |byte: usize| format!("<0x{byte:02X}>");
            let id = |byte| model.trie.get(name(byte).as_bytes());
            model.bytes = Some(Box::new(std::array::from_fn(id)));
        }
        model
    }

    /// Whose results come out.
    pub fn flavor(&self) -> Flavor {
        self.flavor
    }

    /// The token of characters that have none.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// The score of each id.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Whether the bytes of unknown characters become tokens.
    pub fn byte_fallback(&self) -> bool {
        self.bytes.is_some()
    }

    pub(super) fn trie(&self) -> &Trie {
        &self.trie
    }

    /// The score of a token, or of an unknown character.
    #[inline]
    pub(crate) fn score(&self, id: Option<u32>) -> f64 {
        id.map_or(self.unknown_score, |id| self.scores[id as usize])
    }

    /// The sum of two scores as the flavor keeps it.
    #[inline]
    pub(crate) fn sum(&self, one: f64, two: f64) -> f64 {
        match self.flavor {
            Flavor::HuggingFace => sum::<false>(one, two),
            Flavor::SentencePiece => sum::<true>(one, two),
        }
    }

    /// Whether a sum that starts with `score` may start again from zero within `length` characters.
    #[inline]
    pub(crate) fn may_start_again(&self, score: f64, length: usize) -> bool {
        score.abs() + length as f64 * self.largest_step >= LARGEST_SUM
    }

    /// What a sum becomes at a place that all ways lead through.
    #[inline]
    pub(crate) fn start_again(score: f64) -> f64 {
        if score.abs() > LARGEST_SUM { 0.0 } else { score }
    }

    /// Appends the ids of a text.
    pub fn encode(
        &self,
        text: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Result<(), Unseen>> {
        let mut emitter = Emitter::new(self, text);
        let mut failed = None;
        let take = |found: Found| {
            if failed.is_none() {
                failed = emitter.take(found, &mut |id, _| ids.push(id)).err();
            }
        };
        self.search(text, 0.0, scratch, look, take)?;
        if failed.is_none() {
            failed = emitter.finish(&mut |id, _| ids.push(id)).err();
        }
        Ok(failed.map_or(Ok(()), Err))
    }

    /// The places of the tokens of a text, in bytes; all tokens of one character have its place.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut emitter = Emitter::new(self, text);
        let (mut places, mut scratch) = (Vec::new(), Scratch::default());
        let mut put = |_, place| places.push(place);
        // A character without any token fails where ids are asked for.
        let take = |found| {
            let _ = emitter.take(found, &mut put);
        };
        let _ = self.search(text, 0.0, &mut scratch, &mut || Ok(()), take);
        let _ = emitter.finish(&mut put);
        places
    }

    /// Tells `take` of the tokens of the highest score, in their order; the sum starts with `score`.
    pub fn search(
        &self,
        text: &str,
        score: f64,
        scratch: &mut Scratch,
        look: &mut dyn FnMut() -> Result<()>,
        take: impl FnMut(Found),
    ) -> Result<Outcome> {
        match self.flavor {
            Flavor::HuggingFace => self.search_in::<false>(text, score, scratch, look, take),
            Flavor::SentencePiece => self.search_in::<true>(text, score, scratch, look, take),
        }
    }

    /// The same with sums in 64 bits, whatever the flavor.
    pub(crate) fn search_double(
        &self,
        text: &str,
        scratch: &mut Scratch,
        look: &mut dyn FnMut() -> Result<()>,
        take: impl FnMut(Found),
    ) -> Result<Outcome> {
        self.search_in::<false>(text, 0.0, scratch, look, take)
    }

    fn search_in<const SINGLE: bool>(
        &self,
        text: &str,
        score: f64,
        scratch: &mut Scratch,
        look: &mut dyn FnMut() -> Result<()>,
        mut take: impl FnMut(Found),
    ) -> Result<Outcome> {
        let bytes = text.as_bytes();
        let Scratch { best, path } = scratch;
        let (mut base, mut at, mut reach) = (0, 0, 0);
        let mut outcome = Outcome { score, lead: f64::INFINITY };
        let mut until_look = CHARACTERS_PER_LOOK;
        best.clear();
        best.push(Best { score, ..NOT_REACHED });
        while at < bytes.len() {
            if at == reach && at > base {
                hand_out(best, base, path, &mut outcome, &mut take);
                best.clear();
                best.push(Best { score: outcome.score, ..NOT_REACHED });
                base = at;
            }
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = CHARACTERS_PER_LOOK;
            }
            if SINGLE && best[at - base].score.abs() > LARGEST_SUM {
                start_again(&mut best[at - base..]);
            }
            let width = width(bytes[at]);
            reach = reach.max(self.extend::<SINGLE>(&bytes[at..], width, at - base, best) + at);
            at += width;
        }
        if at > base {
            hand_out(best, base, path, &mut outcome, &mut take);
        }
        Ok(outcome)
    }

    /// Looks at all tokens that begin at place `at`; returns the length of the longest.
    #[inline]
    fn extend<const SINGLE: bool>(
        &self,
        rest: &[u8],
        width: usize,
        at: usize,
        best: &mut Vec<Best>,
    ) -> usize {
        let here = best[at].score;
        let (mut longest, mut has_single) = (width, false);
        let (mut node, mut length) = (Node::ROOT, 0);
        while let Some(&byte) = rest.get(length)
            && let Some(child) = self.trie.child(node, byte)
        {
            (node, length) = (child, length + 1);
            if let Some(id) = self.trie.value(node) {
                let score = sum::<SINGLE>(here, self.scores[id as usize]);
                improve(best, at + length, score, at, id);
                has_single |= length == width;
                longest = longest.max(length);
            }
        }
        if !has_single {
            improve(best, at + width, sum::<SINGLE>(here, self.unknown_score), at, UNKNOWN);
        }
        longest
    }
}

/// Two numbers of 32 bits have the same sum in 32 bits by way of 64, so one type serves both.
#[inline]
fn sum<const SINGLE: bool>(one: f64, two: f64) -> f64 {
    if SINGLE { f64::from((one + two) as f32) } else { one + two }
}

/// Makes the sum at the first place zero, and those after it smaller by as much.
fn start_again(best: &mut [Best]) {
    let offset = best.first().map_or(0.0, |best| best.score);
    for (number, best) in best.iter_mut().enumerate() {
        if number == 0 || best.start != NO_START {
            best.score = sum::<true>(best.score, -offset);
        }
    }
}

/// Stands for the unknown token in a way, since a text may also hold a token of that id.
const UNKNOWN: u32 = u32::MAX;

/// Takes note of a way to a place; of equal ones the first stays.
#[inline]
fn improve(best: &mut Vec<Best>, to: usize, score: f64, from: usize, id: u32) {
    if best.len() <= to {
        best.resize(to + 1, NOT_REACHED);
    }
    let target = &mut best[to];
    if target.start == NO_START || score > target.score {
        let second = if target.start == NO_START { f64::NEG_INFINITY } else { target.score };
        *target = Best { score, second, start: from as u32, id };
    } else if score > target.second {
        target.second = score;
    }
}

/// Hands out the best way to the last place.
fn hand_out(
    best: &[Best],
    base: usize,
    path: &mut Vec<Found>,
    outcome: &mut Outcome,
    take: &mut impl FnMut(Found),
) {
    path.clear();
    let mut end = best.len() - 1;
    outcome.score = best[end].score;
    while end > 0 {
        let Best { score, second, start, id } = best[end];
        outcome.lead = outcome.lead.min(score - second);
        let id = (id != UNKNOWN).then_some(id);
        path.push(Found { id, start: base + start as usize, end: base + end });
        end = start as usize;
    }
    path.iter().rev().for_each(|&found| take(found));
}

/// The bytes of the character that begins with this one.
#[inline]
pub(super) fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// Turns what was found into ids: unknown characters next to each other become one token, or their bytes.
pub(crate) struct Emitter<'a> {
    model: &'a UnigramModel,
    text: &'a str,
    unknown: Option<Range<usize>>,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(model: &'a UnigramModel, text: &'a str) -> Self {
        Self { model, text, unknown: None }
    }

    /// Tells `emit` of ids with their places in the text, in bytes.
    #[inline]
    pub(crate) fn take(
        &mut self,
        found: Found,
        emit: &mut impl FnMut(u32, Range<usize>),
    ) -> Result<(), Unseen> {
        let Some(id) = found.id.filter(|id| Some(*id) != self.model.unknown) else {
            let start = self.unknown.as_ref().map_or(found.start, |run| run.start);
            self.unknown = Some(start..found.end);
            return Ok(());
        };
        self.finish(emit)?;
        emit(id, found.start..found.end);
        Ok(())
    }

    /// Tells of the last unknown characters.
    #[inline]
    pub(crate) fn finish(
        &mut self,
        emit: &mut impl FnMut(u32, Range<usize>),
    ) -> Result<(), Unseen> {
        match self.unknown.take() {
            Some(run) => self.emit_unknown(run, emit),
            None => Ok(()),
        }
    }

    #[cold]
    fn emit_unknown(
        &mut self,
        run: Range<usize>,
        emit: &mut impl FnMut(u32, Range<usize>),
    ) -> Result<(), Unseen> {
        let bytes = &self.text.as_bytes()[run.clone()];
        if self.model.flavor == Flavor::HuggingFace
            && let Some(id) = self.model.trie.get(bytes)
        {
            emit(id, run);
            return Ok(());
        }
        let ids = self.model.bytes.as_ref();
        let ids: Option<Vec<u32>> =
            ids.and_then(|ids| bytes.iter().map(|&byte| ids[byte as usize]).collect());
        if let Some(ids) = ids {
            let characters = self.text[run.clone()].char_indices();
            let mut ids = ids.into_iter();
            for (offset, character) in characters {
                let start = run.start + offset;
                let width = character.len_utf8();
                for id in ids.by_ref().take(width) {
                    emit(id, start..start + width);
                }
            }
            return Ok(());
        }
        let character = self.text[run.clone()].chars().next().unwrap_or_default();
        let unseen = Unseen { character, offset: run.start };
        emit(self.model.unknown.ok_or(unseen)?, run);
        Ok(())
    }
}
