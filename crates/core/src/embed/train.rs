//! A run: read, count, then epochs of windows over all threads.

use super::config::{Defaults, Word2VecConfig};
use super::counting::Cut;
use super::epochs::Course;
use super::negative::NoiseTable;
use super::random::Random;
use super::reading::{Reading, WordLimits};
use super::schedule::Schedule;
use super::shared::Weights;
use super::skip_gram::SkipGram;
use super::vocab::Vocabulary;
use super::windows::WindowRule;
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::Result;
use crate::observe::{Observer, Pacer, Progress};
use crate::vectors::WordVectors;

/// A step size that does well.
const USUAL_RATE: f64 = 0.025;

/// What a run returns.
#[derive(Debug)]
pub struct Trained {
    /// The vectors.
    pub vectors: WordVectors,
    /// What was read.
    pub report: ReadReport,
    /// What the settings left at "auto" came out as.
    pub settled: Defaults,
    /// Words with a vector, over the whole corpus.
    pub words: u64,
}

/// Trains word vectors on the documents of `stream`, which `cut` cuts into words.
///
/// With one thread the same settings and corpus give the same bytes. With more, threads change shared
/// rows without locks, and two runs differ a little.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &Word2VecConfig,
    cut: &Cut<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let limits = WordLimits {
        min_count: config.min_count,
        max_vocab: config.max_vocab,
        lowercase: config.lowercase,
    };
    let Reading { vocabulary, ids, report } = Reading::new(stream, limits, cut, threads, observer)?;
    let words = vocabulary.total();
    let settled = config.settle(words);
    let counts = &vocabulary.counts;
    let total = words.saturating_mul(config.epochs as u64);
    let course = Course {
        ids: &ids,
        windows: WindowRule::new(
            config.window as u32,
            settled.shrink_window,
            settled.subsample,
            counts,
        ),
        words,
        epochs: config.epochs as u64,
        schedule: Schedule::new(config.learning_rate, config.learning_rate_floor(), total),
        usual_rate: USUAL_RATE,
        min_count: config.min_count,
        seed: config.seed as u64,
    };
    let weights = start_weights(config, counts.len(), observer)?;
    let method = SkipGram {
        weights: &weights,
        noise: NoiseTable::new(counts, config.ns_exponent),
        negative: config.negative as usize,
        negative_may_equal_target: config.negative_may_equal_target,
    };
    let history = course.train(&method, threads, observer)?;
    let settings = settings_of(config, settled);
    let vectors = finish(weights, vocabulary, &course, settings, history, observer)?;
    Ok(Trained { vectors, report, settled, words })
}

/// Input rows of small random numbers, output rows of zeros.
fn start_weights(
    config: &Word2VecConfig,
    rows: usize,
    observer: &mut dyn Observer,
) -> Result<Weights> {
    let size = config.vector_size as usize;
    let mut random = Random::new(config.seed as u64, u64::MAX);
    // word2vec starts at random numbers of at most half of one, divided by the size.
    let scale = 1.0 / size as f32;
    let mut pacer = Pacer::new(observer);
    Weights::new(rows, size, || random.centered() * scale, &mut |row| {
        pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "vectors"))
    })
}

fn finish(
    weights: Weights,
    vocabulary: Vocabulary,
    course: &Course<'_>,
    settings: serde_json::Value,
    history: Vec<f64>,
    observer: &mut dyn Observer,
) -> Result<WordVectors> {
    let Vocabulary { words, counts } = vocabulary;
    let rows = words.len() as u64;
    let mut pacer = Pacer::new(observer);
    let matrix = weights.into_vectors(&mut |row| {
        pacer.tick(|| Progress::new("finishing", row, Some(rows), "vectors"))
    })?;
    let size = matrix.len() / words.len();
    if let Some(bad) = matrix.iter().position(|number| !number.is_finite()) {
        return Err(course.diverged(&format!("the vector of {:?}", words[bad / size])));
    }
    WordVectors::new(words.iter().map(String::as_str), matrix, size, counts, settings, history)
}

fn settings_of(config: &Word2VecConfig, settled: Defaults) -> serde_json::Value {
    let mut settings = serde_json::json!({ "trainer": "word2vec" });
    for part in [serde_json::to_value(config), serde_json::to_value(settled)] {
        if let (Some(all), Ok(serde_json::Value::Object(part))) = (settings.as_object_mut(), part) {
            all.extend(part);
        }
    }
    settings["min_learning_rate"] = config.learning_rate_floor().into();
    settings
}
