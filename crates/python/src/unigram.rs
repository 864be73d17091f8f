//! Training of unigram models.

use pyo3::prelude::*;
use textgrain_core::formats::split_spec;
use textgrain_core::unigram::train::settings::UnigramSettings;

use crate::boundary;
use crate::convert::{self, required};
use crate::corpus::{Report, Source};
use crate::counts::PieceSource;
use crate::tokenizer::Tokenizer;

#[pyfunction]
#[pyo3(signature = (source, *, vocab_size, split, space_prefix, byte_fallback, character_coverage,
    max_token_length, seed_size, shrink_factor, iterations, special_tokens, unknown_token, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "one for each setting, all named by the caller")]
fn train_unigram(
    py: Python<'_>,
    source: &Source,
    vocab_size: Bound<'_, PyAny>,
    split: &str,
    space_prefix: bool,
    byte_fallback: bool,
    character_coverage: f64,
    max_token_length: Bound<'_, PyAny>,
    seed_size: Bound<'_, PyAny>,
    shrink_factor: f64,
    iterations: Bound<'_, PyAny>,
    special_tokens: Vec<String>,
    unknown_token: Option<String>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Tokenizer, Report)> {
    let threads = convert::threads(threads.as_ref())?;
    let vocab_size = required("vocab_size", &vocab_size, 1)?;
    let max_token_length = required("max_token_length", &max_token_length, 1)?;
    let seed_size = required("seed_size", &seed_size, 1)?;
    let iterations = required("iterations", &iterations, 1)?;
    let settings = || {
        let settings = UnigramSettings {
            vocab_size,
            splitter: split_spec::parse(split, space_prefix)?,
            byte_fallback,
            character_coverage,
            max_token_length,
            seed_size,
            shrink_factor,
            iterations,
            special_tokens,
            unknown_token,
        };
        settings.validate().map(|()| settings)
    };
    let settings = settings().map_err(|error| boundary::to_python(py, error))?;
    let opened = PieceSource::open(py, source, &settings.splitter)?;
    boundary::run(py, progress, |observer| {
        let pieces = opened.count(&settings.splitter, threads, observer)?;
        let pieces = pieces.as_ref();
        let report = pieces.report.clone();
        let train = textgrain_core::tokenizer::Tokenizer::train_unigram;
        let (tokenizer, _) = train(pieces, &settings, threads, observer)?;
        Ok((Tokenizer::from(tokenizer), Report::from(report)))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_unigram, module)?)
}
