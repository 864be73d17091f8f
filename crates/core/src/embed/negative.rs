//! Noise words, drawn in proportion to a power of their counts.

use super::random::Random;

/// An alias table (Vose 1991): one random number, one look, for any distribution.
#[derive(Clone, Debug)]
pub(crate) struct NoiseTable {
    /// For each column, the share of it that belongs to its own id, in 2^-32, and the id of the rest.
    columns: Vec<(u32, u32)>,
}

impl NoiseTable {
    /// A table of `count ^ exponent`; a word with a count of 0 is never drawn.
    pub(crate) fn new(counts: &[u64], exponent: f64) -> Self {
        // Relative to the largest, so that no exponent overflows.
        let largest = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
        let smallest = counts.iter().copied().filter(|&count| count > 0).min().unwrap_or(1) as f64;
        let unit = if exponent < 0.0 { smallest } else { largest };
        let weight = |&count: &u64| match count {
            0 => 0.0,
            _ => (count as f64 / unit).powf(exponent),
        };
        let weights: Vec<f64> = counts.iter().map(weight).collect();
        let scale = counts.len() as f64 / weights.iter().sum::<f64>();
        let mut shares: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut columns: Vec<(u32, u32)> =
            (0..counts.len()).map(|id| (u32::MAX, id as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..counts.len()).partition(|&id| shares[id] < 1.0);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            columns[poor] = ((shares[poor] * 4_294_967_296.0) as u32, rich as u32);
            shares[rich] -= 1.0 - shares[poor];
            if shares[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { columns }
    }

    #[inline]
    pub(crate) fn draw(&self, random: &mut Random) -> u32 {
        let number = random.next_u64();
        let column = ((number >> 32) * self.columns.len() as u64) >> 32;
        let (share, other) = self.columns[column as usize];
        // Which of the two is as good as a coin, so a branch would be guessed wrong half of the time.
        std::hint::select_unpredictable((number as u32) < share, column as u32, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_distribution() {
        let counts = [1000, 300, 50, 50, 1, 0];
        for exponent in [0.75, 0.0, 1.0, -0.5] {
            let table = NoiseTable::new(&counts, exponent);
            let mut random = Random::new(1, 0);
            let mut drawn = [0_u32; 6];
            for _ in 0..400_000 {
                drawn[table.draw(&mut random) as usize] += 1;
            }
            let power = |count: u64| if count == 0 { 0.0 } else { (count as f64).powf(exponent) };
            let weights = counts.map(power);
            let total: f64 = weights.iter().sum();
            for (weight, drawn) in weights.iter().zip(drawn) {
                let expected = weight / total;
                assert!((f64::from(drawn) / 400_000.0 - expected).abs() < 0.004, "{exponent}");
            }
        }
    }
}
