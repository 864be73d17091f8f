//! What a method of learning is to the loop over the corpus: a step for each window.

use serde::{Deserialize, Serialize};

use super::random::Random;
use super::shared::Desk;
use crate::error::{Error, Result};

/// A word and the words around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    /// The row of the word in the middle.
    pub(crate) middle: u32,
    /// Where the middle stands among the words of its document that were not skipped; in a document this rises
    /// by one from window to window.
    pub(crate) place: usize,
    /// The rows of the words before it.
    pub(crate) left: &'a [u32],
    /// The rows of the words after it.
    pub(crate) right: &'a [u32],
}

impl Window<'_> {
    /// The rows around the middle, in reading order.
    pub(crate) fn around(&self) -> impl Iterator<Item = u32> {
        self.left.iter().chain(self.right).copied()
    }

    /// Words around the middle.
    pub(crate) fn len(&self) -> usize {
        self.left.len() + self.right.len()
    }
}

/// The sum of the losses of some predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// In natural logarithms, or in squares of them.
    pub(crate) loss: f64,
    /// How many words, or cells, were predicted.
    pub(crate) predictions: u64,
}

impl Tally {
    pub(crate) fn mean(self) -> f64 {
        if self.predictions == 0 { 0.0 } else { self.loss / self.predictions as f64 }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.loss += other.loss;
        self.predictions += other.predictions;
    }
}

/// Learns from windows; shared by all threads.
///
/// The loop over the corpus knows nothing of what a method learns, and a method nothing of epochs, rates and
/// threads.
pub(crate) trait Method<'m>: Sync {
    /// What a thread keeps from window to window: its desk and what waits on it.
    type Worker: Send;

    /// A worker for one more thread, which works on the rows themselves or on copies.
    fn worker(&self, copies: bool) -> Result<Self::Worker>;

    /// The desk of a worker.
    fn desk<'w>(&self, worker: &'w mut Self::Worker) -> &'w mut Desk<'m>;

    /// Learns from a window, at once or when the next one comes.
    fn learn(&self, window: Window<'_>, rate: f32, random: &mut Random, worker: &mut Self::Worker);

    /// Learns from what waits; called when a thread has come to the end of a part of the corpus. Returns the
    /// loss of all that was learned since the last call.
    fn finish(&self, worker: &mut Self::Worker) -> Tally;
}

/// The step to learn from, and the one after it, whose rows are on their way from memory meanwhile.
///
/// Steps are learned from in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Ahead<Step> {
    waiting: Step,
    coming: Step,
    /// Whether `waiting` holds a step.
    full: bool,
}

impl<Step> Ahead<Step> {
    /// The step that comes; set it, then [`advance`](Self::advance).
    pub(crate) fn coming(&mut self) -> &mut Step {
        &mut self.coming
    }

    /// The step that was waiting, if there was one; the one that came waits now.
    pub(crate) fn advance(&mut self) -> Option<&Step> {
        std::mem::swap(&mut self.waiting, &mut self.coming);
        let was_full = std::mem::replace(&mut self.full, true);
        was_full.then_some(&self.coming)
    }

    /// The step that waits, if there is one, which is then gone.
    pub(crate) fn last(&mut self) -> Option<&Step> {
        std::mem::take(&mut self.full).then_some(&self.waiting)
    }
}

/// The error of a run whose numbers left the finite ones; `usual` is a rate at which they do not.
pub(crate) fn diverged(learning_rate: f64, usual: f64, what: &str) -> Error {
    Error::diverged(format!(
        "training diverged: {what} is not a finite number. Lower learning_rate, which is {learning_rate}; \
         {usual} is usual"
    ))
}
