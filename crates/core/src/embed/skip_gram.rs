//! Skip-gram: each word of a window predicts the word in its middle.
//!
//! By default the targets of a window are drawn once and shared by its words (Ji et al. 2016,
//! arXiv:1604.04661): that leaves the expected gradient as it is, and every row that is loaded serves many
//! products. All rows of a window are then updated from their old values, as in a batch. Otherwise each
//! word has targets of its own, one word after the other, as word2vec does it.

use super::loss::{Loss, Targets, count_once};
use super::method::{Ahead, Method, Tally, Window};
use super::random::Random;
use super::shared::{Desk, SharedMatrix};
use crate::error::Result;

/// What every step needs.
#[derive(Debug)]
pub(crate) struct SkipGram<'m, L> {
    pub(crate) input: &'m SharedMatrix,
    pub(crate) output: &'m SharedMatrix,
    pub(crate) loss: L,
    /// Whether the words of a window share its targets.
    pub(crate) shared: bool,
}

/// One window, ready to be learned from.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// The words of the window, each once if they share targets.
    inputs: Vec<u32>,
    /// How often each occurs.
    input_weights: Vec<f32>,
    /// One for all, or one for each word; there may be more from earlier windows.
    targets: Vec<Targets>,
    predictions: u64,
    rate: f32,
}

impl<'m, L: Loss> Method<'m> for SkipGram<'m, L> {
    type Worker = (Desk<'m>, Ahead<Step>);

    fn worker(&self, copies: bool) -> Result<Self::Worker> {
        Ok((Desk::new(self.input, self.output, copies)?, Ahead::default()))
    }

    fn desk<'w>(&self, worker: &'w mut Self::Worker) -> &'w mut Desk<'m> {
        &mut worker.0
    }

    fn learn(
        &self,
        window: Window<'_>,
        rate: f32,
        random: &mut Random,
        (desk, ahead): &mut Self::Worker,
    ) {
        self.prepare(window, rate, random, ahead.coming());
        let step = ahead.coming();
        for targets in &step.targets[..self.groups(step)] {
            desk.prefetch_targets(&targets.rows);
        }
        // The other inputs were those of the window before.
        if let Some(&newest) = step.inputs.last() {
            desk.prefetch_input(newest);
        }
        if let Some(step) = ahead.advance() {
            self.descend(step, desk);
        }
    }

    fn finish(&self, (desk, ahead): &mut Self::Worker) -> Tally {
        if let Some(step) = ahead.last() {
            self.descend(step, desk);
        }
        desk.take_tally()
    }
}

impl<L: Loss> SkipGram<'_, L> {
    /// Targets that a step uses.
    fn groups(&self, step: &Step) -> usize {
        if self.shared { 1 } else { step.inputs.len() }
    }

    fn prepare(&self, window: Window<'_>, rate: f32, random: &mut Random, step: &mut Step) {
        (step.predictions, step.rate) = (window.len() as u64, rate);
        step.inputs.clear();
        step.input_weights.clear();
        if self.shared {
            // A word that occurs twice has one row, whose two equal gradients must both count.
            for word in window.around() {
                count_once(word, &mut step.inputs, &mut step.input_weights);
            }
        } else {
            step.inputs.extend(window.around());
            step.input_weights.push(1.0);
        }
        let groups = self.groups(step);
        if step.targets.len() < groups {
            step.targets.resize_with(groups, Targets::default);
        }
        for targets in &mut step.targets[..groups] {
            self.loss.targets(window.middle, random, targets);
        }
    }

    fn descend(&self, step: &Step, desk: &mut Desk<'_>) {
        let Step { inputs, input_weights, targets, predictions, rate } = step;
        desk.count(*predictions);
        if self.shared {
            let pattern = targets[0].pattern(input_weights, *rate);
            desk.descend(inputs, &targets[0].rows, &pattern);
        } else {
            for (input, targets) in inputs.chunks(1).zip(targets) {
                let pattern = targets.pattern(input_weights, *rate);
                desk.descend(input, &targets.rows, &pattern);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::loss::{HierarchicalSoftmax, NegativeSampling};
    use crate::embed::negative::NoiseTable;
    use crate::embed::twins::{Twin, matrices};

    fn check<L: Loss>(loss: L, shared: bool) {
        let (words, size) = (5, 10);
        let (input, output) = matrices(words, size);
        let mut twin = Twin::of(&input, &output, size);
        let learner = SkipGram { input: &input, output: &output, loss, shared };
        let mut worker = learner.worker(false).unwrap();
        let mut random = Random::new(1, 1);
        for round in 0..200_u32 {
            let middle = round % 5;
            let around = [(round + 1) % 5, 2, 2, round % 3];
            let (left, right) = around.split_at(1);
            let mut same = random.clone();
            learner.learn(Window { middle, place: 0, left, right }, 0.1, &mut random, &mut worker);
            let tally = learner.finish(&mut worker);
            let mut targets = Targets::default();
            let groups: Vec<&[u32]> =
                if shared { vec![&around] } else { around.chunks(1).collect() };
            let mut expected = 0.0;
            for inputs in groups {
                learner.loss.targets(middle, &mut same, &mut targets);
                expected += twin.skip_gram(inputs, &targets.listed(), f64::from(0.1_f32));
            }
            assert_eq!(tally.predictions, 4);
            assert!((tally.loss - expected).abs() < 1e-4, "{} {expected} {round}", tally.loss);
        }
        twin.check(&input, &output, size);
    }

    #[test]
    fn many_steps_equal_the_formula_with_repeated_words_and_noise() {
        for shared in [true, false] {
            for negative_may_equal_target in [true, false] {
                let noise = NoiseTable::new(&[5, 4, 3, 2, 1], 0.75);
                check(NegativeSampling { noise, negative: 4, negative_may_equal_target }, shared);
            }
            check(HierarchicalSoftmax::new(&[50, 4, 3, 2, 1]), shared);
        }
    }
}
