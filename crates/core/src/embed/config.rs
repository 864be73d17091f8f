//! The settings of a run, their ranges, and what "auto" stands for.

use serde::Serialize;

use super::reading::WordLimits;
use crate::error::{Error, Result};

/// From this many words on, a corpus is large enough for the usual shortcuts.
pub const SMALL_CORPUS_WORDS: u64 = 1_000_000;

/// The usual threshold of frequency above which words are skipped at random.
pub const USUAL_SUBSAMPLE: f64 = 1e-3;

/// The rate at the start that does well where each word of a window predicts by itself (word2vec's own).
pub const SKIP_GRAM_RATE: f64 = 0.025;

/// The same where the words of a window predict together.
pub const CBOW_RATE: f64 = 0.05;

/// The share of the starting rate at which the learning rate stops falling (word2vec's own).
pub const LEARNING_RATE_FLOOR: f64 = 1e-4;

/// Which words predict which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// Each word of a window predicts the word in its middle.
    SkipGram,
    /// The mean of the words of a window predicts the word in its middle.
    Cbow,
}

impl Architecture {
    /// The architecture of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "skipgram" => Ok(Self::SkipGram),
            "cbow" => Ok(Self::Cbow),
            _ => {
                let rule = "must be \"skipgram\" or \"cbow\"";
                Err(Error::parameter("architecture", rule, format!("{name:?}")))
            }
        }
    }
}

/// What a predicted word is told apart from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// Noise words.
    NegativeSampling,
    /// All other words, by turns in a tree.
    HierarchicalSoftmax,
}

impl LossKind {
    /// The loss of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "negative-sampling" => Ok(Self::NegativeSampling),
            "hierarchical-softmax" => Ok(Self::HierarchicalSoftmax),
            _ => {
                let rule = "must be \"negative-sampling\" or \"hierarchical-softmax\"";
                Err(Error::parameter("loss", rule, format!("{name:?}")))
            }
        }
    }
}

/// Settings of word2vec.
///
/// Whole numbers are signed so that a negative one is refused by [`validate`](Self::validate), with its
/// name and its rule, and not by a conversion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Word2VecConfig {
    /// Which words predict which.
    pub architecture: Architecture,
    /// What a predicted word is told apart from.
    pub loss: LossKind,
    /// Numbers in a vector.
    pub vector_size: i64,
    /// Most words on each side of the focus that are its context.
    pub window: i64,
    /// Words that occur less often get no vector.
    pub min_count: i64,
    /// At most this many words get a vector, the most frequent ones.
    pub max_vocab: Option<i64>,
    /// Noise words of a prediction.
    pub negative: i64,
    /// Whether the words of a window share their noise words, or each has its own.
    pub shared_negatives: bool,
    /// Noise is drawn in proportion to `count ^ ns_exponent`.
    pub ns_exponent: f64,
    /// Words more frequent than this share are skipped at random; 0 keeps all, `None` is "auto".
    pub subsample: Option<f64>,
    /// Whether the window's size is drawn anew for each focus, from 1 to `window`; `None` is "auto".
    pub shrink_window: Option<bool>,
    /// Passes over the corpus.
    pub epochs: i64,
    /// The step size at the start; `None` is "auto", what does well with the architecture.
    pub learning_rate: Option<f64>,
    /// The step size at the end; `None` is [`LEARNING_RATE_FLOOR`] of the start.
    pub min_learning_rate: Option<f64>,
    /// Whether a noise word that happens to be the true target is kept as noise, or drawn anew.
    pub negative_may_equal_target: bool,
    /// The share of the corpus, at its end, that is not learned from; its loss is looked at after each epoch.
    pub held_out: f64,
    /// Epochs without a lower loss of what is held out, after which the run ends.
    pub patience: i64,
    /// Whether the result is the same for any number of threads.
    pub deterministic: bool,
    /// Starts the random numbers.
    pub seed: i64,
    /// Whether words are lower-cased before they are counted.
    pub lowercase: bool,
}

/// What the settings that depend on the corpus came out as.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Defaults {
    /// The threshold that was used; 0 keeps all words.
    pub subsample: f64,
    /// Whether windows shrank at random.
    pub shrink_window: bool,
    /// Whether a setting left at "auto" was chosen for a small corpus.
    pub small_corpus: bool,
}

impl Word2VecConfig {
    /// Checks every setting that can be checked without the corpus.
    pub fn validate(&self) -> Result<()> {
        let whole = [
            ("vector_size", self.vector_size, 1, 1 << 20),
            ("window", self.window, 1, 1 << 20),
            ("min_count", self.min_count, 1, i64::MAX),
            ("max_vocab", self.max_vocab.unwrap_or(2), 2, i64::from(u32::MAX - 1)),
            ("negative", self.negative, self.fewest_negatives(), 10_000),
            ("epochs", self.epochs, 1, i64::from(u32::MAX)),
            ("patience", self.patience, 1, i64::from(u32::MAX)),
            ("seed", self.seed, 0, i64::MAX),
        ];
        for (name, value, smallest, largest) in whole {
            if value < smallest {
                return Err(Error::parameter(name, format!("must be at least {smallest}"), value)
                    .with_hint(way_out(name)));
            }
            if value > largest {
                return Err(Error::parameter(name, format!("must be at most {largest}"), value));
            }
        }
        self.validate_rates()
    }

    /// Without noise words negative sampling learns nothing; the other loss draws none.
    fn fewest_negatives(&self) -> i64 {
        i64::from(self.loss == LossKind::NegativeSampling)
    }

    fn validate_rates(&self) -> Result<()> {
        let fail = |name, rule: &str, value: f64| Err(Error::parameter(name, rule, value));
        if !self.ns_exponent.is_finite() {
            return fail("ns_exponent", "must be a finite number", self.ns_exponent);
        }
        if let Some(subsample) = self.subsample
            && !(0.0..=1.0).contains(&subsample)
        {
            return fail("subsample", "must be \"auto\" or from 0 to 1", subsample);
        }
        let largest = f64::from(f32::MAX);
        let rate = self.learning_rate();
        if !(rate > 0.0 && rate <= largest) {
            return fail("learning_rate", "must be \"auto\" or a finite number above 0", rate);
        }
        check_held_out(self.held_out)?;
        if let Some(floor) = self.min_learning_rate
            && !(0.0..=rate).contains(&floor)
        {
            return Err(Error::parameter(
                "min_learning_rate",
                format!("must be from 0 to learning_rate ({rate})"),
                floor,
            )
            .with_hint("The rate falls from learning_rate to min_learning_rate during training"));
        }
        Ok(())
    }

    /// Which words get a row.
    pub(crate) fn limits(&self) -> WordLimits {
        let Self { min_count, max_vocab, lowercase, .. } = *self;
        WordLimits { min_count, max_vocab, lowercase }
    }

    /// Settles the settings that were left at "auto", for a corpus of `words` words with a vector.
    ///
    /// On a small corpus, skipping frequent words and shrinking windows at random throw away most of the
    /// little that there is to learn from; on a large one they save time and favor the near words.
    pub fn settle(&self, words: u64) -> Defaults {
        let small = words < SMALL_CORPUS_WORDS;
        let subsample = if small { 0.0 } else { USUAL_SUBSAMPLE };
        Defaults {
            subsample: self.subsample.unwrap_or(subsample),
            shrink_window: self.shrink_window.unwrap_or(!small),
            small_corpus: small && (self.subsample.is_none() || self.shrink_window.is_none()),
        }
    }

    /// The learning rate at the start of training.
    pub fn learning_rate(&self) -> f64 {
        self.learning_rate.unwrap_or(self.usual_rate())
    }

    /// A learning rate that does well.
    pub fn usual_rate(&self) -> f64 {
        match self.architecture {
            Architecture::SkipGram => SKIP_GRAM_RATE,
            Architecture::Cbow => CBOW_RATE,
        }
    }

    /// The learning rate at the end of training.
    pub fn learning_rate_floor(&self) -> f64 {
        self.min_learning_rate.unwrap_or(self.learning_rate() * LEARNING_RATE_FLOOR)
    }
}

/// Checks the share of what is there to learn from that is not learned from.
pub(crate) fn check_held_out(share: f64) -> Result<()> {
    if (0.0..=0.5).contains(&share) {
        return Ok(());
    }
    Err(Error::parameter("held_out", "must be from 0 to 0.5", share))
}

fn way_out(name: &str) -> &'static str {
    match name {
        "negative" => {
            "Without noise words every vector would become the same: 5 is usual, and \
             loss=\"hierarchical-softmax\" needs none"
        }
        "window" => "Without context there is nothing to learn from; 5 is usual",
        _ => "",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The usual settings.
    pub(in crate::embed) fn usual() -> Word2VecConfig {
        Word2VecConfig {
            architecture: Architecture::SkipGram,
            loss: LossKind::NegativeSampling,
            vector_size: 16,
            window: 2,
            min_count: 1,
            max_vocab: None,
            negative: 5,
            shared_negatives: true,
            ns_exponent: 0.75,
            subsample: None,
            shrink_window: None,
            epochs: 3,
            learning_rate: None,
            min_learning_rate: None,
            negative_may_equal_target: false,
            held_out: 0.0,
            patience: 1,
            deterministic: false,
            seed: 1,
            lowercase: false,
        }
    }

    #[test]
    fn every_range_is_checked_and_named() {
        type Change = fn(&mut Word2VecConfig);
        let cases: [(&str, Change); 15] = [
            ("vector_size", |c| c.vector_size = 0),
            ("window", |c| c.window = 0),
            ("window", |c| c.window = -3),
            ("min_count", |c| c.min_count = 0),
            ("max_vocab", |c| c.max_vocab = Some(1)),
            ("negative", |c| c.negative = 0),
            ("epochs", |c| c.epochs = 0),
            ("seed", |c| c.seed = -1),
            ("ns_exponent", |c| c.ns_exponent = f64::NAN),
            ("subsample", |c| c.subsample = Some(f64::NAN)),
            ("learning_rate", |c| c.learning_rate = Some(f64::INFINITY)),
            ("learning_rate", |c| c.learning_rate = Some(0.0)),
            ("held_out", |c| c.held_out = 0.7),
            ("patience", |c| c.patience = 0),
            ("min_learning_rate", |c| c.min_learning_rate = Some(1.0)),
        ];
        for (name, change) in cases {
            let mut config = usual();
            change(&mut config);
            let message = config.validate().unwrap_err().to_string();
            assert!(message.starts_with(&format!("`{name}` must be")), "{message}");
        }
        usual().validate().unwrap();
        let mut tree = usual();
        (tree.loss, tree.negative) = (LossKind::HierarchicalSoftmax, 0);
        tree.validate().unwrap();
        tree.negative = -1;
        assert!(tree.validate().is_err());
    }

    #[test]
    fn a_small_corpus_is_used_whole() {
        let small = usual().settle(SMALL_CORPUS_WORDS - 1);
        assert_eq!((small.subsample, small.shrink_window, small.small_corpus), (0.0, false, true));
        let large = usual().settle(SMALL_CORPUS_WORDS);
        assert_eq!((large.subsample, large.shrink_window), (USUAL_SUBSAMPLE, true));
        let mut chosen = usual();
        (chosen.subsample, chosen.shrink_window) = (Some(0.5), Some(true));
        let settled = chosen.settle(10);
        assert_eq!((settled.subsample, settled.small_corpus), (0.5, false));
    }
}
