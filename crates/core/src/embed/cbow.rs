//! Continuous bag of words: the mean of the words of a window predicts the word in its middle.
//!
//! As in word2vec each word of the window takes the whole gradient of the mean, not its share: so a word learns as
//! fast beside many others as beside few.

use super::loss::{Loss, Targets};
use super::method::{Ahead, Method, Tally, Window};
use super::random::Random;
use super::shared::{Desk, SharedMatrix};
use crate::error::Result;

/// What every step needs.
#[derive(Debug)]
pub(crate) struct Cbow<'m, L> {
    pub(crate) input: &'m SharedMatrix,
    pub(crate) output: &'m SharedMatrix,
    pub(crate) loss: L,
}

/// One window, ready to be learned from.
#[derive(Debug, Default)]
pub(crate) struct Step {
    inputs: Vec<u32>,
    targets: Targets,
    rate: f32,
}

impl<'m, L: Loss> Method<'m> for Cbow<'m, L> {
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
        let step = ahead.coming();
        step.rate = rate;
        step.inputs.clear();
        step.inputs.extend_from_slice(window.left);
        step.inputs.extend_from_slice(window.right);
        self.loss.targets(window.middle, random, &mut step.targets);
        desk.prefetch_targets(&step.targets.rows);
        // The other inputs were those of the window before.
        if let Some(&newest) = step.inputs.last() {
            desk.prefetch_input(newest);
        }
        if let Some(step) = ahead.advance() {
            descend(step, desk);
        }
    }

    fn finish(&self, (desk, ahead): &mut Self::Worker) -> Tally {
        if let Some(step) = ahead.last() {
            descend(step, desk);
        }
        desk.take_tally()
    }
}

fn descend(step: &Step, desk: &mut Desk<'_>) {
    let Step { inputs, targets, rate } = step;
    desk.descend_mean(inputs, &targets.rows, &targets.pattern(&[1.0], *rate));
    desk.count(1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::loss::{HierarchicalSoftmax, NegativeSampling};
    use crate::embed::negative::NoiseTable;
    use crate::embed::twins::{Twin, matrices};

    fn check<L: Loss>(loss: L) {
        let (words, size) = (5, 10);
        let (input, output) = matrices(words, size);
        let mut twin = Twin::of(&input, &output, size);
        let learner = Cbow { input: &input, output: &output, loss };
        let mut worker = learner.worker(false).unwrap();
        let mut random = Random::new(1, 1);
        for round in 0..200_u32 {
            let middle = round % 5;
            let around = [(round + 1) % 5, 2, 2, round % 3];
            let (left, right) = around.split_at(1);
            let mut targets = Targets::default();
            learner.loss.targets(middle, &mut random.clone(), &mut targets);
            learner.learn(Window { middle, place: 0, left, right }, 0.1, &mut random, &mut worker);
            let tally = learner.finish(&mut worker);
            let expected = twin.cbow(&around, &targets.listed(), f64::from(0.1_f32));
            assert_eq!(tally.predictions, 1);
            assert!((tally.loss - expected).abs() < 1e-4, "{} {expected} {round}", tally.loss);
        }
        twin.check(&input, &output, size);
    }

    #[test]
    fn many_steps_equal_the_formula_with_repeated_words_and_noise() {
        let noise = NoiseTable::new(&[5, 4, 3, 2, 1], 0.75);
        check(NegativeSampling { noise, negative: 4, negative_may_equal_target: false });
        check(HierarchicalSoftmax::new(&[50, 4, 3, 2, 1]));
    }
}
