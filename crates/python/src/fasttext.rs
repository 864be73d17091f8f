//! Training of word vectors with n-grams.

use std::path::PathBuf;

use pyo3::prelude::*;
use textgrain_core::embed::{Architecture, LossKind, Word2VecConfig};
use textgrain_core::fasttext::{self, FastTextConfig, NgramKind};

use crate::boundary;
use crate::convert;
use crate::embed::{Given, Going, Split, Trained, checkpoint_of, to_python};
use crate::vectors::WordVectors;

/// Trains word vectors with n-grams; every setting is checked by the core.
#[pyfunction]
#[pyo3(signature = (source, *, architecture, loss, ngrams, min_n, max_n, buckets, vector_size, window, min_count, max_vocab, negative,
    shared_negatives, ns_exponent, subsample, shrink_window, epochs, learning_rate, min_learning_rate,
    negative_may_equal_target, held_out, patience, deterministic, seed, split, lowercase, init_from, checkpoint,
    checkpoint_seconds, on_epoch, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
#[allow(clippy::fn_params_excessive_bools, reason = "they are keywords in Python")]
fn train_fasttext(
    py: Python<'_>,
    source: Given,
    architecture: &str,
    loss: &str,
    ngrams: &str,
    min_n: i64,
    max_n: i64,
    buckets: i64,
    vector_size: i64,
    window: i64,
    min_count: i64,
    max_vocab: Option<i64>,
    negative: i64,
    shared_negatives: bool,
    ns_exponent: f64,
    subsample: Option<f64>,
    shrink_window: Option<bool>,
    epochs: i64,
    learning_rate: Option<f64>,
    min_learning_rate: Option<f64>,
    negative_may_equal_target: bool,
    held_out: f64,
    patience: i64,
    deterministic: bool,
    seed: i64,
    split: Split,
    lowercase: bool,
    init_from: Option<Py<WordVectors>>,
    checkpoint: Option<PathBuf>,
    checkpoint_seconds: f64,
    on_epoch: Option<Py<PyAny>>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Trained> {
    let check = || {
        let words = Word2VecConfig {
            architecture: Architecture::from_name(architecture)?,
            loss: LossKind::from_name(loss)?,
            vector_size,
            window,
            min_count,
            max_vocab,
            negative,
            shared_negatives,
            ns_exponent,
            subsample,
            shrink_window,
            epochs,
            learning_rate,
            min_learning_rate,
            negative_may_equal_target,
            held_out,
            patience,
            deterministic,
            seed,
            lowercase,
        };
        let ngrams = NgramKind::from_name(ngrams)?;
        let config = FastTextConfig { words, ngrams, min_n, max_n, buckets };
        config.validate()?;
        let checkpoint = checkpoint_of(checkpoint, checkpoint_seconds)?;
        Ok((config, split.cutting()?, checkpoint))
    };
    let (config, cutting, checkpoint) = check().map_err(|error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let going = Going { init_from, checkpoint, on_epoch };
    let trained = going.run(py, source, &cutting, progress, |input, extras, observer| {
        fasttext::train(input, &config, extras, threads, observer)
    });
    trained.map(to_python)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_fasttext, module)?)
}
