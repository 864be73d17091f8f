//! Training of word vectors.

use pyo3::prelude::*;
use textgrain_core::embed::{self, Word2VecConfig, WordRule};
use textgrain_core::{Error, Result};

use crate::boundary;
use crate::convert;
use crate::corpus::{Opened, Report, Source};
use crate::vectors::WordVectors;

/// Vectors, what was read, and `(small_corpus, words)`: whether "auto" chose for a small corpus, and the
/// words with a vector over the whole corpus.
type Trained = (WordVectors, Report, bool, u64);

/// Trains word vectors; every setting is checked by the core.
#[pyfunction]
#[pyo3(signature = (source, *, vector_size, window, min_count, max_vocab, negative, ns_exponent, subsample,
    shrink_window, epochs, learning_rate, min_learning_rate, negative_may_equal_target, seed, split, lowercase,
    threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
#[allow(clippy::fn_params_excessive_bools, reason = "they are keywords in Python")]
fn train_word2vec(
    py: Python<'_>,
    source: &Source,
    vector_size: i64,
    window: i64,
    min_count: i64,
    max_vocab: Option<i64>,
    negative: i64,
    ns_exponent: f64,
    subsample: Option<f64>,
    shrink_window: Option<bool>,
    epochs: i64,
    learning_rate: f64,
    min_learning_rate: Option<f64>,
    negative_may_equal_target: bool,
    seed: i64,
    split: &str,
    lowercase: bool,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Trained> {
    let config = Word2VecConfig {
        vector_size,
        window,
        min_count,
        max_vocab,
        negative,
        ns_exponent,
        subsample,
        shrink_window,
        epochs,
        learning_rate,
        min_learning_rate,
        negative_may_equal_target,
        seed,
        lowercase,
    };
    let rule = config
        .validate()
        .and_then(|()| WordRule::from_name(split))
        .map_err(|error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let opened = source.open(py)?;
    let trained =
        boundary::run(py, progress, |observer| train(opened, &config, rule, threads, observer))?;
    let embed::Trained { vectors, report, settled, words } = trained;
    Ok((vectors.into(), report.into(), settled.small_corpus, words))
}

fn train(
    opened: Opened,
    config: &Word2VecConfig,
    rule: WordRule,
    threads: usize,
    observer: &mut dyn textgrain_core::observe::Observer,
) -> Result<embed::Trained> {
    let mut stream = match opened {
        Opened::Documents(stream) => stream,
        Opened::Counts(counts) => {
            return Err(Error::corpus(format!(
                "the corpus is a table of {} word counts, which have no order, so no word has a context to \
                 learn from. Train vectors on text: Corpus.from_files or Corpus.from_iterable",
                counts.len()
            )));
        }
    };
    let cut = |document: &str, take: &mut dyn FnMut(&str)| rule.cut(document, take);
    embed::train(stream.as_mut(), config, &cut, threads, observer)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_word2vec, module)?)
}
