//! The settings of a run and their ranges.

use serde::Serialize;

use crate::embed::config::check_held_out;
use crate::embed::reading::WordLimits;
use crate::error::{Error, Result};

/// The widest window: distances are kept in 21 bits.
pub const LARGEST_WINDOW: i64 = 1 << 20;

/// How a step follows from a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Steps shrink with the sum of the squared gradients so far, for each number by itself, as in the
    /// original program.
    AdaGrad,
    /// Plain gradient descent.
    Sgd,
}

impl Optimizer {
    /// The optimizer of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "adagrad" => Ok(Self::AdaGrad),
            "sgd" => Ok(Self::Sgd),
            _ => Err(Error::parameter(
                "optimizer",
                "must be \"adagrad\" or \"sgd\"",
                format!("{name:?}"),
            )),
        }
    }
}

/// Settings of `GloVe`.
///
/// Whole numbers are signed so that a negative one is refused by [`validate`](Self::validate), with its
/// name and its rule, and not by a conversion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GloVeConfig {
    /// Numbers in a vector.
    pub vector_size: i64,
    /// Most words on a side of the focus that are its context.
    pub window: i64,
    /// Words that occur less often get no vector.
    pub min_count: i64,
    /// At most this many words get a vector, the most frequent ones.
    pub max_vocab: Option<i64>,
    /// Cells of at least this sum count fully.
    pub x_max: f64,
    /// Smaller ones count `(sum / x_max) ^ alpha`.
    pub alpha: f64,
    /// Passes over the cells.
    pub epochs: i64,
    /// The step size.
    pub learning_rate: f64,
    /// Whether words on both sides are context, or only those on the left.
    pub symmetric: bool,
    /// How a step follows from a gradient.
    pub optimizer: Optimizer,
    /// Whether a context at distance d adds 1/d to its cell, or 1.
    pub distance_weighting: bool,
    /// The share of the pairs of words that is not learned from; its loss is looked at after each epoch.
    pub held_out: f64,
    /// Epochs without a lower loss of what is held out, after which the run ends.
    pub patience: i64,
    /// Starts the random numbers.
    pub seed: i64,
    /// Whether words are lower-cased before they are counted.
    pub lowercase: bool,
}

impl GloVeConfig {
    /// Checks every setting.
    pub fn validate(&self) -> Result<()> {
        let whole = [
            ("vector_size", self.vector_size, 1, 1 << 20),
            ("window", self.window, 1, LARGEST_WINDOW),
            ("min_count", self.min_count, 1, i64::MAX),
            ("max_vocab", self.max_vocab.unwrap_or(2), 2, i64::from(u32::MAX - 1)),
            ("epochs", self.epochs, 1, i64::from(u32::MAX)),
            ("patience", self.patience, 1, i64::from(u32::MAX)),
            ("seed", self.seed, 0, i64::MAX),
        ];
        for (name, value, smallest, largest) in whole {
            if value < smallest {
                let rule = format!("must be at least {smallest}");
                return Err(Error::parameter(name, rule, value).with_hint(way_out(name)));
            }
            if value > largest {
                return Err(Error::parameter(name, format!("must be at most {largest}"), value));
            }
        }
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            let rule = "must be a finite number of at least 0";
            return Err(Error::parameter("alpha", rule, self.alpha));
        }
        let positive = [
            ("x_max", self.x_max, f64::MAX),
            ("learning_rate", self.learning_rate, f64::from(f32::MAX)),
        ];
        for (name, value, largest) in positive {
            if !(value > 0.0 && value <= largest) {
                return Err(Error::parameter(name, "must be a finite number above 0", value));
            }
        }
        check_held_out(self.held_out)
    }

    /// Which words get a row.
    pub(super) fn limits(&self) -> WordLimits {
        let Self { min_count, max_vocab, lowercase, .. } = *self;
        WordLimits { min_count, max_vocab, lowercase }
    }

    /// Settings that are allowed, for a run that only counts.
    pub fn for_counting() -> Self {
        Self {
            vector_size: 1,
            window: 1,
            min_count: 1,
            max_vocab: None,
            x_max: 1.0,
            alpha: 1.0,
            epochs: 1,
            learning_rate: 1.0,
            symmetric: true,
            optimizer: Optimizer::AdaGrad,
            distance_weighting: true,
            held_out: 0.0,
            patience: 1,
            seed: 0,
            lowercase: false,
        }
    }

    /// How much the error of a cell counts.
    pub fn weight(&self, sum: f64) -> f64 {
        (sum / self.x_max).powf(self.alpha).min(1.0)
    }
}

fn way_out(name: &str) -> &'static str {
    match name {
        "window" => "Without context there is nothing to learn from; 15 is usual",
        _ => "",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The usual settings, for small corpora.
    pub(in crate::glove) fn usual() -> GloVeConfig {
        GloVeConfig {
            vector_size: 16,
            window: 5,
            min_count: 1,
            max_vocab: None,
            x_max: 100.0,
            alpha: 0.75,
            epochs: 5,
            learning_rate: 0.05,
            symmetric: true,
            optimizer: Optimizer::AdaGrad,
            distance_weighting: true,
            held_out: 0.0,
            patience: 1,
            seed: 1,
            lowercase: false,
        }
    }

    #[test]
    fn every_range_is_checked_and_named() {
        type Change = fn(&mut GloVeConfig);
        let cases: [(&str, Change); 15] = [
            ("vector_size", |c| c.vector_size = 0),
            ("window", |c| c.window = 0),
            ("window", |c| c.window = LARGEST_WINDOW + 1),
            ("min_count", |c| c.min_count = 0),
            ("max_vocab", |c| c.max_vocab = Some(1)),
            ("epochs", |c| c.epochs = 0),
            ("patience", |c| c.patience = 0),
            ("held_out", |c| c.held_out = 0.7),
            ("held_out", |c| c.held_out = f64::NAN),
            ("seed", |c| c.seed = -1),
            ("alpha", |c| c.alpha = -0.5),
            ("alpha", |c| c.alpha = f64::NAN),
            ("x_max", |c| c.x_max = 0.0),
            ("learning_rate", |c| c.learning_rate = f64::INFINITY),
            ("learning_rate", |c| c.learning_rate = 0.0),
        ];
        for (name, change) in cases {
            let mut config = usual();
            change(&mut config);
            let message = config.validate().unwrap_err().to_string();
            assert!(message.starts_with(&format!("`{name}` must be")), "{message}");
        }
        usual().validate().unwrap();
        assert!(Optimizer::from_name("adam").is_err());
    }

    #[test]
    fn the_weight_of_a_cell() {
        assert!((usual().weight(6.25) - 0.125).abs() < 1e-15);
        assert!((usual().weight(250.0) - 1.0).abs() < 1e-15);
        let mut flat = usual();
        (flat.alpha, flat.x_max) = (0.0, f64::MIN_POSITIVE / 4.0);
        assert!((flat.weight(1e300) - 1.0).abs() < 1e-15);
    }
}
