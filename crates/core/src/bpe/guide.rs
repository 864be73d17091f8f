//! Which pairs must be merged, and which must not.

use rustc_hash::FxHashSet;

use super::alphabet::text;
use super::encode::{Alphabet, BpeModel, Merge, Scratch};
use super::merge::Words;
use super::{BpeOptions, Pair};
use crate::error::{Error, Result};
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};

/// What the caller knows better than counts do.
#[derive(Debug, Default)]
pub(super) struct Guide {
    /// Pairs that are merged before all others, as text.
    pub(super) seeds: Vec<(String, String)>,
    forbidden: FxHashSet<(String, String)>,
    /// The most symbols of the alphabet in a token.
    longest: usize,
    proof: Option<Proof>,
}

/// Whether a new token of a model that exists would be formed wherever it should be.
#[derive(Debug)]
pub(super) struct Proof {
    /// With the new merges so far.
    model: BpeModel,
    scratch: Scratch,
    ids: Vec<u32>,
}

impl Proof {
    pub(super) fn new(model: BpeModel) -> Self {
        Self { model, scratch: Scratch::default(), ids: Vec::new() }
    }

    /// A pair must make a new token of text. Where a piece that is a token is taken as it is, or any pair that
    /// spells a token forms it, the model must also cut the text of the token into this pair.
    fn holds(
        &mut self,
        pair: Pair,
        vocabulary: &Vocabulary,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        let (bytes, kind) = vocabulary.merged(pair.left, pair.right);
        let is_text = vocabulary.kind(pair.left) == TokenKind::Ordinary
            && matches!(kind, TokenKind::Ordinary | TokenKind::EndsWord);
        if !is_text || vocabulary.find(&bytes, kind).is_some() {
            return Ok(false);
        }
        if !self.model.takes_whole() {
            return Ok(true);
        }
        if matches!(self.model.alphabet, Alphabet::Bytes(_)) {
            let cut = self.model.merged_bytes(&bytes, &mut self.scratch, look)?;
            return Ok(cut == [pair.left, pair.right]);
        }
        self.ids.clear();
        let known =
            self.model.encode_piece(text(&bytes), &mut self.scratch, &mut self.ids, look)?;
        Ok(known.is_ok() && self.ids == [pair.left, pair.right])
    }
}

impl Guide {
    pub(super) fn new(options: &BpeOptions) -> Self {
        Self {
            seeds: options.seed_merges.clone(),
            forbidden: options.forbidden_merges.iter().cloned().collect(),
            longest: options.max_token_length.map_or(usize::MAX, |length| length as usize),
            proof: None,
        }
    }

    /// The same for a model that exists.
    pub(super) fn proving(mut self, proof: Proof) -> Self {
        self.proof = Some(proof);
        self
    }

    /// Whether the pair that has won may be merged.
    pub(super) fn confirms(
        &mut self,
        pair: Pair,
        vocabulary: &Vocabulary,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        self.proof.as_mut().map_or(Ok(true), |proof| proof.holds(pair, vocabulary, look))
    }

    /// Takes note of a merge.
    pub(super) fn note(&mut self, merge: Merge) {
        if let Some(proof) = &mut self.proof {
            proof.model.push(merge);
        }
    }

    /// Whether a pair may be merged.
    #[inline]
    pub(super) fn allows(&self, pair: Pair, words: &Words, vocabulary: &Vocabulary) -> bool {
        if self.longest < usize::MAX
            && words.length(pair.left) + words.length(pair.right) > self.longest
        {
            return false;
        }
        self.forbidden.is_empty()
            || !self.forbidden.contains(&(vocabulary.text(pair.left), vocabulary.text(pair.right)))
    }

    /// The pair of the seed merge at a place of the list; all before it were made.
    pub(super) fn seed(
        &self,
        place: usize,
        words: &Words,
        vocabulary: &Vocabulary,
    ) -> Result<Pair> {
        let (left_text, right_text) = &self.seeds[place];
        let refuse = |rule: String| {
            let pair = format!("({left_text:?}, {right_text:?})");
            Err(Error::parameter("seed_merges", rule, pair))
        };
        let find =
            |text: &str| vocabulary.id_of_text(text).filter(|&id| (id as usize) < words.tokens());
        let (Some(left), Some(right)) = (find(left_text), find(right_text)) else {
            let unknown = if find(left_text).is_none() { left_text } else { right_text };
            return refuse(format!(
                "must name symbols of the alphabet or tokens of earlier seed merges, and {unknown:?} is neither"
            ));
        };
        if vocabulary.kind(left) == TokenKind::EndsWord {
            return refuse(format!(
                "must not go on after the end of a word, as {left_text:?} does"
            ));
        }
        let length = words.length(left) + words.length(right);
        if length > self.longest {
            let longest = self.longest;
            return refuse(format!(
                "must not make a token longer than `max_token_length`, which is {longest}; this one has {length}"
            ));
        }
        Ok(Pair { left, right })
    }
}
