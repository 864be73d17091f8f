//! What a method of learning is to the loop over the corpus: a step for each window.

use super::random::Random;
use crate::error::Error;

/// A word and the words around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    /// The row of the word in the middle.
    pub(crate) middle: u32,
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// In natural logarithms.
    pub(crate) loss: f64,
    /// How many words were predicted.
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
/// The loop over the corpus knows nothing of weights, and a method nothing of epochs, rates and threads.
pub(crate) trait Method: Sync {
    /// What a thread keeps from window to window: the rows it works on and room to work in.
    type Worker: Send;

    /// A worker for one more thread.
    fn worker(&self) -> Self::Worker;

    /// Learns from a window, at once or when the next one comes; returns the loss of what was learned.
    fn learn(
        &self,
        window: Window<'_>,
        rate: f32,
        random: &mut Random,
        worker: &mut Self::Worker,
    ) -> Tally;

    /// Learns from what waits; called when a thread has come to the end of a part of the corpus.
    fn finish(&self, worker: &mut Self::Worker) -> Tally;
}

/// The error of a run whose numbers left the finite ones; `usual` is a rate at which they do not.
pub(crate) fn diverged(learning_rate: f64, usual: f64, what: &str) -> Error {
    Error::Diverged {
        reason: format!(
            "training diverged: {what} is not a finite number. Lower learning_rate, which is \
             {learning_rate}; {usual} is usual"
        ),
    }
}
