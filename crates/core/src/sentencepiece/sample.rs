//! Other ways to cut a text than the best.

use super::encode::{Look, Taker};
use super::merges::MergeScratch;
use super::{Cutter, SentencePiece};
use crate::error::Result;
use crate::unigram::lattice::{Lattice, Part, Way};
use crate::unigram::model::Found;

/// Ids and the sum of scores of each way.
type Ways = Vec<(Vec<u32>, f64)>;

impl SentencePiece {
    /// Ids drawn by the probability of the ways to cut a text; `None` if the model has no probabilities.
    pub(crate) fn sample(
        &self,
        text: &str,
        alpha: f64,
        uniform: impl FnMut() -> f64,
        look: &mut Look<'_>,
    ) -> Result<Option<Vec<u32>>> {
        let Cutter::Unigram(model) = &self.cutter else { return Ok(None) };
        let normalized = self.normalize(text);
        let lattice = Lattice::new(model, &[Part::Piece(&normalized)], look)?;
        let way = lattice.sample(alpha, uniform);
        Ok(Some(self.ids_of(&normalized, way.tokens)))
    }

    /// The best ways with the sums of their scores; `None` if the model has no probabilities.
    pub(crate) fn n_best(
        &self,
        text: &str,
        count: usize,
        look: &mut Look<'_>,
    ) -> Result<Option<Ways>> {
        let Cutter::Unigram(model) = &self.cutter else { return Ok(None) };
        let normalized = self.normalize(text);
        let lattice = Lattice::new(model, &[Part::Piece(&normalized)], look)?;
        let ways = lattice.best(count, look)?.into_iter();
        let ids = |Way { tokens, score }| (self.ids_of(&normalized, tokens), score);
        Ok(Some(ways.map(ids).collect()))
    }

    /// Ids with merges left out by chance; `None` if the model does not merge.
    pub(crate) fn drop_merges(
        &self,
        text: &str,
        skip: impl FnMut() -> bool,
        look: &mut Look<'_>,
    ) -> Result<Option<Vec<u32>>> {
        let Cutter::Bpe(model) = &self.cutter else { return Ok(None) };
        let normalized = self.normalize(text);
        let mut found = Vec::new();
        let take = |one| found.push(one);
        model.merge(&normalized, &mut MergeScratch::default(), look, skip, take)?;
        Ok(Some(self.ids_of(&normalized, found)))
    }

    fn ids_of(&self, normalized: &str, found: Vec<Found>) -> Vec<u32> {
        let mut ids = Vec::with_capacity(found.len());
        let mut taker = Taker::new(self, normalized, &mut ids);
        for one in found {
            taker.take(one);
        }
        ids
    }
}
