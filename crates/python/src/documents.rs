//! Documents: their vectors, their words, their texts.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyString;
use textgrain_core::Result;
use textgrain_core::corpus::DocumentStream;
use textgrain_core::documents::{Composed, Weighing, means, texts};

use crate::boundary;
use crate::convert;
use crate::corpus::{Opened, Report, Source};
use crate::embed::Split;
use crate::vectors::WordVectors;

/// Vectors, known words and words of each document, and what was read.
type Means<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Report);

/// The documents of a source that are looked at one by one.
fn documents(opened: Opened) -> Result<Box<dyn DocumentStream + Send>> {
    opened.documents("which holds no documents. Use Corpus.from_files or Corpus.from_iterable")
}

/// A weighted mean of the vectors of its words for each document.
#[pyfunction]
#[pyo3(signature = (vectors, source, weights, *, from_ngrams, unit, split, lowercase, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the call in Python")]
fn document_means<'py>(
    py: Python<'py>,
    vectors: &WordVectors,
    source: &Source,
    weights: PyReadonlyArray1<'py, f64>,
    from_ngrams: bool,
    unit: bool,
    split: Split,
    lowercase: bool,
    threads: Option<Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Means<'py>> {
    let threads = convert::threads(threads.as_ref())?;
    let cutting = split.cutting().map_err(|error| boundary::to_python(py, error))?;
    let (opened, weights) = (source.open(py)?, weights.as_slice()?.to_vec());
    let vectors = &vectors.0;
    let composed = match (from_ngrams, unit) {
        (false, _) => Composed::Not,
        (true, false) => Composed::Whole,
        (true, true) => Composed::Unit,
    };
    let found = boundary::run(py, progress, |observer| {
        let mut stream = documents(opened)?;
        let weighing = Weighing { vectors, weights: &weights, composed, lowercase };
        cutting.with(observer, |cut, observer| {
            means(stream.as_mut(), weighing, cut, threads, observer)
        })
    })?;
    let shape = [found.known.len(), vectors.size()];
    let matrix = PyArray1::from_vec(py, found.numbers).reshape(shape)?;
    Ok((matrix, found.known.into_pyarray(py), found.words.into_pyarray(py), found.report.into()))
}

/// The texts of the documents with these numbers, which rise.
#[pyfunction]
fn document_texts(
    py: Python<'_>,
    source: &Source,
    numbers: Vec<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let opened = source.open(py)?;
    boundary::run(py, progress, |observer| texts(documents(opened)?.as_mut(), &numbers, observer))
}

/// The words of a text, as trainers of vectors cut it.
#[pyfunction]
fn cut_words(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
    split: Split,
    lowercase: bool,
) -> PyResult<Vec<String>> {
    let cutting = split.cutting().map_err(|error| boundary::to_python(py, error))?;
    let text = convert::text(text)?;
    boundary::run(py, None, |observer| {
        cutting.with(observer, |cut, _| {
            let mut words = Vec::new();
            let mut take = |word: &str| words.push(word.to_owned());
            cut.cut_as(&text, lowercase, &mut take);
            Ok(words)
        })
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(document_means, module)?)?;
    module.add_function(wrap_pyfunction!(document_texts, module)?)?;
    module.add_function(wrap_pyfunction!(cut_words, module)?)
}
