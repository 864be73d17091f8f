//! Training of word vectors by `GloVe`.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use textgrain_core::Result;
use textgrain_core::embed::Checkpoint;
use textgrain_core::glove::{self, GloVeConfig, Optimizer};

use crate::boundary;
use crate::convert;
use crate::corpus::Report;
use crate::embed::{Cutting, Given, Going, Split, checkpoint_of, with_input};
use crate::vectors::WordVectors;

/// The words, the rows of the focus and the context of each cell, its weight, and what was read.
type Cooccurrence<'py> = (
    Vec<String>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Report,
);

/// Trains word vectors; every setting is checked by the core.
#[pyfunction]
#[pyo3(signature = (source, *, vector_size, window, min_count, max_vocab, x_max, alpha, epochs, learning_rate,
    symmetric, optimizer, distance_weighting, held_out, patience, seed, split, lowercase, init_from,
    checkpoint, checkpoint_seconds, on_epoch, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
#[allow(clippy::fn_params_excessive_bools, reason = "they are keywords in Python")]
fn train_glove(
    py: Python<'_>,
    source: Given,
    vector_size: i64,
    window: i64,
    min_count: i64,
    max_vocab: Option<i64>,
    x_max: f64,
    alpha: f64,
    epochs: i64,
    learning_rate: f64,
    symmetric: bool,
    optimizer: &str,
    distance_weighting: bool,
    held_out: f64,
    patience: i64,
    seed: i64,
    split: Split,
    lowercase: bool,
    init_from: Option<Py<WordVectors>>,
    checkpoint: Option<PathBuf>,
    checkpoint_seconds: f64,
    on_epoch: Option<Py<PyAny>>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(WordVectors, Report)> {
    let checked = || -> Result<(GloVeConfig, Cutting, Option<Checkpoint>)> {
        let config = GloVeConfig {
            vector_size,
            window,
            min_count,
            max_vocab,
            x_max,
            alpha,
            epochs,
            learning_rate,
            symmetric,
            optimizer: Optimizer::from_name(optimizer)?,
            distance_weighting,
            held_out,
            patience,
            seed,
            lowercase,
        };
        config.validate()?;
        let checkpoint = checkpoint_of(checkpoint, checkpoint_seconds)?;
        Ok((config, split.cutting()?, checkpoint))
    };
    let (config, cutting, checkpoint) =
        checked().map_err(|error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let going = Going { init_from, checkpoint, on_epoch };
    let trained = going.run(py, source, &cutting, progress, |input, extras, observer| {
        glove::train(input, &config, extras, threads, observer)
    })?;
    let glove::Trained { vectors, report } = trained;
    Ok((vectors.into(), report.into()))
}

/// Counts how often words stand near each other, as training does first.
#[pyfunction]
#[pyo3(signature = (source, *, window, min_count, max_vocab, symmetric, distance_weighting, split, lowercase,
    threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
#[allow(clippy::fn_params_excessive_bools, reason = "they are keywords in Python")]
fn count_cooccurrence<'py>(
    py: Python<'py>,
    source: Given,
    window: i64,
    min_count: i64,
    max_vocab: Option<i64>,
    symmetric: bool,
    distance_weighting: bool,
    split: Split,
    lowercase: bool,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Cooccurrence<'py>> {
    let config = GloVeConfig {
        window,
        min_count,
        max_vocab,
        symmetric,
        distance_weighting,
        lowercase,
        ..GloVeConfig::for_counting()
    };
    let cutting = config
        .validate()
        .and_then(|()| split.cutting())
        .map_err(|error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let counted = with_input(py, source, &cutting, progress, |input, observer| {
        glove::count(input, &config, threads, observer)
    })?;
    let glove::Counted { words, table, report } = counted;
    Ok((
        words,
        table.focus.into_pyarray(py),
        table.context.into_pyarray(py),
        table.weight.into_pyarray(py),
        report.into(),
    ))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_glove, module)?)?;
    module.add_function(wrap_pyfunction!(count_cooccurrence, module)?)
}
