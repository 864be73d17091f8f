//! How much more often than by chance two words stand together.

use crate::error::{Error, Result};

/// A measure of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// `(count - min_count) * words / (first * second)` (Mikolov et al. 2013, as their program computes it).
    Word2Vec,
    /// Pointwise mutual information in natural logarithms.
    Pmi,
    /// The same divided by `-ln` of the share of the pair: from -1 to 1 (Bouma 2009).
    Npmi,
}

impl Scoring {
    /// The measure of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "word2vec" => Ok(Self::Word2Vec),
            "pmi" => Ok(Self::Pmi),
            "npmi" => Ok(Self::Npmi),
            _ => {
                let rule = "must be \"npmi\", \"pmi\" or \"word2vec\"";
                Err(Error::parameter("scoring", rule, format!("{name:?}")))
            }
        }
    }

    /// A threshold that does well.
    pub(super) fn usual_threshold(self) -> f64 {
        match self {
            Self::Word2Vec => 100.0,
            Self::Pmi => 5.0,
            Self::Npmi => 0.5,
        }
    }

    /// The score of a pair that occurs `count` times, of two words with these counts, among `words` words.
    pub(super) fn score(
        self,
        count: u64,
        [first, second]: [u64; 2],
        words: u64,
        least: u64,
    ) -> f64 {
        let (count, words) = (count as f64, words as f64);
        let product = first as f64 * second as f64;
        match self {
            Self::Word2Vec => (count - least as f64) * words / product,
            Self::Pmi => (count * words / product).ln(),
            Self::Npmi => {
                let most = -(count / words).ln();
                // A pair that is the whole corpus cannot be more than always together.
                if most <= 0.0 { 1.0 } else { (count * words / product).ln() / most }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_formulas() {
        let score = |scoring: Scoring| scoring.score(20, [40, 50], 10_000, 5);
        assert!((score(Scoring::Word2Vec) - 75.0).abs() < 1e-12);
        assert!((score(Scoring::Pmi) - 100_f64.ln()).abs() < 1e-12);
        assert!((score(Scoring::Npmi) - 100_f64.ln() / 500_f64.ln()).abs() < 1e-12);
        // Always together.
        assert!((Scoring::Npmi.score(7, [7, 7], 1000, 1) - 1.0).abs() < 1e-12);
        assert!((Scoring::Npmi.score(1, [1, 1], 1, 1) - 1.0).abs() < 1e-12);
        assert!(Scoring::from_name("default").is_err());
    }
}
