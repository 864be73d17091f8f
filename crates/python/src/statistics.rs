//! Counts of tokens in a corpus.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use textgrain_core::tokenizer::SpecialPolicy;

use crate::boundary;
use crate::convert;
use crate::corpus::{Report, Source};
use crate::idfile::documents;
use crate::tokenizer::Tokenizer;

/// Counts by id, characters, bytes, words, and what was read.
type Counted<'py> = (Bound<'py, PyArray1<u64>>, u64, u64, u64, Report);

/// Encodes a corpus and counts.
#[pyfunction]
fn count_tokens<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    source: &Source,
    special: &str,
    threads: Option<Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Counted<'py>> {
    let threads = convert::threads(threads.as_ref())?;
    let opened = source.open(py)?;
    let usage = boundary::run(py, progress, |observer| {
        let policy = SpecialPolicy::parse(special)?;
        tokenizer.0.usage(documents(opened)?.as_mut(), policy, threads, observer)
    })?;
    let counts = usage.counts.into_pyarray(py);
    Ok((counts, usage.characters, usage.bytes, usage.words, usage.report.into()))
}

/// The length of each token in bytes, and its kind: 0 ordinary, 1 special, 2 unknown, 3 no token.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "two arrays")]
fn token_facts<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>) {
    let (lengths, kinds) = tokenizer.0.token_facts();
    (lengths.into_pyarray(py), kinds.into_pyarray(py))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(count_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(token_facts, module)?)
}
