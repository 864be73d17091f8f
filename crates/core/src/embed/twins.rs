//! The formulas of the methods, word by word in 64 bits, on plain vectors; what the tests compare with.

use super::random::Random;
use super::shared::SharedMatrix;

/// The rows of both matrices.
pub(crate) struct Twin {
    input: Vec<Vec<f64>>,
    output: Vec<Vec<f64>>,
}

/// Two matrices of small random numbers.
pub(crate) fn matrices(rows: usize, size: usize) -> (SharedMatrix, SharedMatrix) {
    let mut random = Random::new(3, 3);
    let [input, output] = [(); 2].map(|()| {
        let mut matrix = SharedMatrix::new(rows, size).unwrap();
        let set = |_, floats: &mut [f32]| floats.fill_with(|| random.centered());
        matrix.fill(size, set, &mut |_| Ok(())).unwrap();
        matrix
    });
    (input, output)
}

impl Twin {
    pub(crate) fn of(input: &SharedMatrix, output: &SharedMatrix, size: usize) -> Self {
        let [input, output] = [input, output].map(|matrix| {
            let floats = matrix.copy(size, &mut |_| Ok(())).unwrap();
            floats.chunks(size).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        });
        Self { input, output }
    }

    pub(crate) fn check(&self, input: &SharedMatrix, output: &SharedMatrix, size: usize) {
        for (matrix, rows) in [(input, &self.input), (output, &self.output)] {
            let found = matrix.copy(size, &mut |_| Ok(())).unwrap();
            for (found, expected) in found.iter().zip(rows.iter().flatten()) {
                assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }

    /// Each of `inputs` against each of `targets` with its label, all from the old rows; returns the loss.
    pub(crate) fn skip_gram(&mut self, inputs: &[u32], targets: &[(u32, f64)], rate: f64) -> f64 {
        let old = self.input.clone();
        let changes = inputs.iter().map(|&word| (word, old[word as usize].clone()));
        let (loss, gradients) = self.descend(&changes.collect::<Vec<_>>(), targets, rate);
        for (&word, gradient) in inputs.iter().zip(gradients) {
            add(&mut self.input[word as usize], 1.0, &gradient);
        }
        loss
    }

    /// The mean of `inputs` against each of `targets`; each input takes the whole gradient.
    pub(crate) fn cbow(&mut self, inputs: &[u32], targets: &[(u32, f64)], rate: f64) -> f64 {
        self.weighted(inputs, &vec![1.0; inputs.len()], targets, rate)
    }

    /// The same with a mean in which each input has a weight.
    pub(crate) fn weighted(
        &mut self,
        inputs: &[u32],
        weights: &[f64],
        targets: &[(u32, f64)],
        rate: f64,
    ) -> f64 {
        let mut mean = vec![0.0; self.input[0].len()];
        let total: f64 = weights.iter().sum();
        for (&word, weight) in inputs.iter().zip(weights) {
            add(&mut mean, weight / total, &self.input[word as usize]);
        }
        let (loss, gradients) = self.descend(&[(0, mean)], targets, rate);
        for &word in inputs {
            add(&mut self.input[word as usize], 1.0, &gradients[0]);
        }
        loss
    }

    /// Steps the targets; returns the loss and what each input has to be changed by.
    fn descend(
        &mut self,
        inputs: &[(u32, Vec<f64>)],
        targets: &[(u32, f64)],
        rate: f64,
    ) -> (f64, Vec<Vec<f64>>) {
        let old = self.output.clone();
        let mut loss = 0.0;
        let mut gradients = vec![vec![0.0; old[0].len()]; inputs.len()];
        for ((_, input), gradient) in inputs.iter().zip(&mut gradients) {
            for &(target, label) in targets {
                let row = &old[target as usize];
                let product: f64 = input.iter().zip(row).map(|(a, b)| a * b).sum();
                let sigmoid = 1.0 / (1.0 + (-product).exp());
                loss -= if label > 0.0 { sigmoid.ln() } else { (1.0 - sigmoid).ln() };
                add(&mut self.output[target as usize], rate * (label - sigmoid), input);
                add(gradient, rate * (label - sigmoid), row);
            }
        }
        (loss, gradients)
    }
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}
