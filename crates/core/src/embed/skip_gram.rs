//! Skip-gram with negative sampling: one window against its target and noise.
//!
//! Each word of a window predicts the word in its middle, and `negative` noise words drawn once for the
//! whole window are what it must tell that word apart from. For an input row v, a target row u with
//! label y (1 for the true word, 0 for noise) and the learning rate a:
//!
//! ```text
//! g = a (y - s(u v))      u += g v      v += g u      loss = -ln s(u v)  or  -ln s(-u v)
//! ```
//!
//! with s the logistic function. All rows of a window are updated from their old values, as in a batch.
//! Sharing the noise within a window (Ji et al. 2016, arXiv:1604.04661) leaves the expected gradient as
//! it is and lets every row that is loaded serve many products.

use super::method::{Method, Tally, Window};
use super::negative::NoiseTable;
use super::random::Random;
use super::shared::{Rows, Weights};
use crate::simd::{Pattern, Tile};

/// What every step needs.
#[derive(Debug)]
pub(super) struct SkipGram<'a> {
    pub(super) weights: &'a Weights,
    pub(super) noise: NoiseTable,
    /// Noise words a window.
    pub(super) negative: usize,
    /// Whether noise that equals the true target stays, or is drawn anew.
    pub(super) negative_may_equal_target: bool,
}

/// The rows of one window, each once, with how often it occurs.
#[derive(Debug, Default)]
struct Step {
    rows: Rows,
    input_weights: Vec<f32>,
    positives: Vec<f32>,
    draws: Vec<f32>,
    pairs: u64,
    rate: f32,
}

/// The window to learn from, and the one after it, whose rows are on their way from memory meanwhile.
///
/// Each thread owns one. Windows are learned from in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Steps {
    waiting: Step,
    coming: Step,
    /// Whether `waiting` holds a window.
    full: bool,
}

impl Method for SkipGram<'_> {
    type Worker = Steps;

    fn worker(&self) -> Steps {
        Steps::default()
    }

    /// Takes a window and learns from the one before it.
    fn learn(
        &self,
        window: Window<'_>,
        rate: f32,
        random: &mut Random,
        steps: &mut Steps,
    ) -> Tally {
        self.prepare(window, rate, random, &mut steps.coming);
        self.weights.prefetch(&steps.coming.rows);
        let tally = self.finish(steps);
        std::mem::swap(&mut steps.waiting, &mut steps.coming);
        steps.full = true;
        tally
    }

    fn finish(&self, steps: &mut Steps) -> Tally {
        if !std::mem::take(&mut steps.full) {
            return Tally::default();
        }
        let Step { rows, input_weights, positives, draws, pairs, rate } = &mut steps.waiting;
        let pattern = Pattern { input_weights, positives, draws, step: *rate };
        Tally { loss: self.weights.descend(rows, &pattern), predictions: *pairs }
    }
}

impl SkipGram<'_> {
    fn prepare(&self, window: Window<'_>, rate: f32, random: &mut Random, step: &mut Step) {
        let Step { rows, input_weights, positives, draws, .. } = step;
        // A word that occurs twice has one row, whose two equal gradients must both count.
        rows.inputs.clear();
        input_weights.clear();
        for word in window.around() {
            count_once(word, &mut rows.inputs, input_weights);
        }
        rows.targets.clear();
        draws.clear();
        count_once(window.middle, &mut rows.targets, draws);
        for _ in 0..self.negative {
            count_once(self.draw_noise(window.middle, random), &mut rows.targets, draws);
        }
        let stride = Tile::stride_for(rows.targets.len());
        draws.resize(stride, 0.0);
        positives.clear();
        positives.resize(stride, 0.0);
        positives[0] = 1.0;
        (step.pairs, step.rate) = (window.len() as u64, rate);
    }

    fn draw_noise(&self, target: u32, random: &mut Random) -> u32 {
        // With two words or more each draw ends; the bound only guards against a distribution in which
        // the target is nearly all there is.
        for _ in 0..1000 {
            let word = self.noise.draw(random);
            if word != target || self.negative_may_equal_target {
                return word;
            }
        }
        u32::from(target == 0)
    }
}

fn count_once(word: u32, words: &mut Vec<u32>, counts: &mut Vec<f32>) {
    if let Some(place) = words.iter().position(|&other| other == word) {
        counts[place] += 1.0;
    } else {
        words.push(word);
        counts.push(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula, word by word, on plain vectors.
    fn twin(
        input: &mut [Vec<f64>],
        output: &mut [Vec<f64>],
        window: &[usize],
        targets: &[(usize, f64)],
        rate: f64,
    ) -> f64 {
        let (old_input, old_output) = (input.to_vec(), output.to_vec());
        let mut loss = 0.0;
        for &word in window {
            for &(target, label) in targets {
                let (v, u) = (&old_input[word], &old_output[target]);
                let product: f64 = v.iter().zip(u).map(|(a, b)| a * b).sum();
                let sigmoid = 1.0 / (1.0 + (-product).exp());
                loss -= if label > 0.0 { sigmoid.ln() } else { (1.0 - sigmoid).ln() };
                let gradient = rate * (label - sigmoid);
                for at in 0..v.len() {
                    output[target][at] += gradient * v[at];
                    input[word][at] += gradient * u[at];
                }
            }
        }
        loss
    }

    #[test]
    fn many_steps_equal_the_formula_with_repeated_words_and_noise() {
        let (words, size) = (5, 10);
        let mut start = Random::new(3, 3);
        let mut input: Vec<Vec<f64>> =
            (0..words).map(|_| (0..size).map(|_| f64::from(start.centered())).collect()).collect();
        let mut output = vec![vec![0.0; size]; words];
        let mut flat = input.clone().into_iter().flatten();
        let weights =
            Weights::new(words, size, || flat.next().unwrap_or(0.0) as f32, &mut |_| Ok(()))
                .unwrap();
        for may_equal in [true, false] {
            let learner = SkipGram {
                weights: &weights,
                noise: NoiseTable::new(&[5, 4, 3, 2, 1], 0.75),
                negative: 4,
                negative_may_equal_target: may_equal,
            };
            let (mut random, mut steps) = (Random::new(1, 1), Steps::default());
            for round in 0..200_u32 {
                let target = round % 5;
                let window = [(round + 1) % 5, 2, 2, round % 3];
                let mut same = random.clone();
                let mut targets = vec![(target as usize, 1.0)];
                targets
                    .extend((0..4).map(|_| (learner.draw_noise(target, &mut same) as usize, 0.0)));
                let (left, right) = window.split_at(1);
                let taken = Window { middle: target, left, right };
                let mut tally = learner.learn(taken, 0.1, &mut random, &mut steps);
                tally += learner.finish(&mut steps);
                assert_eq!(tally.predictions, 4);
                let loss = tally.loss;
                let window = window.map(|word| word as usize);
                let expected = twin(&mut input, &mut output, &window, &targets, f64::from(0.1_f32));
                assert!((loss - expected).abs() < 1e-4, "{loss} {expected} in {round}");
                if !may_equal {
                    assert!(targets[1..].iter().all(|&(noise, _)| noise != target as usize));
                }
            }
        }
        let vectors = weights.into_vectors(&mut |_| Ok(())).unwrap();
        for (found, expected) in vectors.iter().zip(input.iter().flatten()) {
            assert!((f64::from(*found) - expected).abs() < 1e-4);
        }
    }
}
