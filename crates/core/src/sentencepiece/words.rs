//! Cutting a text at its spaces, and remembering what its words become.

use super::SPACE;
use super::cache::{Key, WordCache};
use super::encode::{Look, Taker};
use super::merges::{MergeModel, MergeScratch};
use crate::error::Result;
use crate::unigram::model::{Found, UnigramModel};
use crate::unigram::{self};

/// Words whose slots in the memory are brought near together.
const WORDS_PER_BLOCK: usize = 32;
/// Blocks of words between two looks at the wish to stop.
const BLOCKS_PER_LOOK: u32 = 1 << 7;

/// What is needed to cut words, kept from text to text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    cache: WordCache,
    pub(super) unigram: unigram::Scratch,
    pub(super) merges: MergeScratch,
    found: Vec<Found>,
    known: Vec<u32>,
}

/// A word of the normalized text.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    text: &'a str,
    /// Its place in the normalized text.
    start: usize,
    key: Option<Key>,
}

/// A way to cut words.
pub(super) trait CutWord {
    /// Cuts one word; `score` is the sum of the scores before it.
    fn cut(
        &self,
        word: Word<'_>,
        score: &mut f64,
        parts: &mut Parts,
        taker: &mut Taker<'_>,
        look: &mut Look<'_>,
    ) -> Result<()>;
}

impl Parts {
    /// Cuts all words of a text, each with the sign of a space at its beginning; `padded` is the normalized
    /// text with room behind it.
    pub(super) fn cut_words(
        &mut self,
        cutter: &impl CutWord,
        padded: &str,
        taker: &mut Taker<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let escape = taker.tokenizer.settings.normalizer.escape_whitespaces;
        let space = if escape { SPACE } else { " " };
        let finder = memchr::memmem::Finder::new(space);
        let text = taker.text;
        let ends = finder.find_iter(text.as_bytes()).chain([text.len()]);
        let mut ends = ends.filter(|&end| end > 0);
        let (mut start, mut score) = (0, 0.0);
        let mut block = [Word { text: "", start: 0, key: None }; WORDS_PER_BLOCK];
        let mut until_look = BLOCKS_PER_LOOK;
        loop {
            let mut count = 0;
            for (word, end) in block.iter_mut().zip(&mut ends) {
                // What is remembered of a word does not say where its tokens are.
                let key = if taker.wants_places() {
                    None
                } else {
                    Key::new(padded.as_bytes(), start, end - start)
                };
                if let Some(key) = key {
                    self.cache.prefetch(key);
                }
                *word = Word { text: &text[start..end], start, key };
                start = end;
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            for &word in &block[..count] {
                cutter.cut(word, &mut score, self, taker, look)?;
            }
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = BLOCKS_PER_LOOK;
            }
        }
    }

    /// Remembers the last word, unless it holds unknown characters.
    fn remember(&mut self, word: Word<'_>, lead: f32) {
        let Some(key) = word.key else { return };
        self.known.clear();
        self.known.extend(self.found.iter().filter_map(|found| found.id));
        if self.known.len() == self.found.len() {
            self.cache.insert(key, lead, &self.known);
        }
    }

    fn hand_over(&self, word: Word<'_>, taker: &mut Taker<'_>) {
        for &Found { id, start, end } in &self.found {
            taker.take(Found { id, start: word.start + start, end: word.start + end });
        }
    }
}

impl CutWord for MergeModel {
    #[inline]
    fn cut(
        &self,
        word: Word<'_>,
        _score: &mut f64,
        parts: &mut Parts,
        taker: &mut Taker<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        if let Some(slot) = word.key.and_then(|key| parts.cache.get(key)) {
            taker.take_known(slot.ids());
            return Ok(());
        }
        let Parts { merges, found, .. } = parts;
        found.clear();
        self.merge(word.text, merges, look, || false, |one| found.push(one))?;
        parts.remember(word, f32::INFINITY);
        parts.hand_over(word, taker);
        Ok(())
    }
}

/// What sums in 32 bits may lose in a word, given the sums before and after it. Each step of a way rounds
/// once, by at most half a unit of the larger sum, and no way has more steps than the word has bytes; ways
/// of which the sums are much larger are far behind anyway. Twice that is allowed for.
#[inline]
fn coarseness(before: f64, after: f64, length: usize) -> f64 {
    let largest = before.abs() + 4.0 * (after - before).abs();
    largest * (length + 4) as f64 * f64::from(f32::EPSILON)
}

impl CutWord for UnigramModel {
    /// The best way through a word does not depend on what is before it, except where sums in 32 bits are
    /// too coarse to tell two ways apart. So what is remembered, or found with sums in 64 bits, only counts
    /// if it is ahead of all other ways by more than that.
    #[inline]
    fn cut(
        &self,
        word: Word<'_>,
        score: &mut f64,
        parts: &mut Parts,
        taker: &mut Taker<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let length = word.text.len();
        *score = Self::start_again(*score);
        if self.may_start_again(*score, length) {
            return search(self, word, score, parts, taker, look);
        }
        if let Some(slot) = word.key.and_then(|key| parts.cache.get(key)) {
            let add = |sum, &id: &u32| self.sum(self.score(Some(id)), sum);
            let after = slot.ids().iter().fold(*score, add);
            if f64::from(slot.lead) > coarseness(*score, after, length) {
                *score = after;
                taker.take_known(slot.ids());
                return Ok(());
            }
        } else if word.key.is_some() {
            let Parts { unigram, found, .. } = &mut *parts;
            found.clear();
            let outcome = self.search_double(word.text, unigram, look, |one| found.push(one))?;
            let add = |sum, one: &Found| self.sum(self.score(one.id), sum);
            let after = found.iter().fold(*score, add);
            // Rounded down, so that the memory never promises more than there is.
            let lead = (outcome.lead as f32).next_down();
            parts.remember(word, lead);
            if f64::from(lead) > coarseness(*score, after, length) {
                *score = after;
                parts.hand_over(word, taker);
                return Ok(());
            }
        }
        search(self, word, score, parts, taker, look)
    }
}

/// Cuts a word with sums that go on from those before it.
#[cold]
fn search(
    model: &UnigramModel,
    word: Word<'_>,
    score: &mut f64,
    parts: &mut Parts,
    taker: &mut Taker<'_>,
    look: &mut Look<'_>,
) -> Result<()> {
    let Parts { unigram, found, .. } = &mut *parts;
    found.clear();
    let outcome = model.search(word.text, *score, unigram, look, |one| found.push(one))?;
    *score = outcome.score;
    parts.hand_over(word, taker);
    Ok(())
}
