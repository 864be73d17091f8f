//! N-grams of word vectors: their rows, and vectors of words that have none of their own.

use std::borrow::Cow;

use numpy::ndarray::ArrayView2;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyString;
use textgrain_core::subword::{Index, Scheme, Table};
use textgrain_core::{Error, vectors};

use crate::boundary;
use crate::convert;
use crate::vectors::{WordVectors, read_only};

/// The n-grams of word vectors, which it keeps alive; wrapped by `textgrain.Subwords`.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct Ngrams(Py<WordVectors>);

impl Ngrams {
    fn get(&self) -> &vectors::Ngrams {
        self.0.get().0.ngrams().expect("made only where there are n-grams")
    }
}

#[pymethods]
impl Ngrams {
    /// How words are cut, as a JSON object.
    #[getter]
    fn scheme(&self) -> String {
        serde_json::json!(self.get().table().scheme()).to_string()
    }

    /// The vectors of all rows, as a view that keeps this object alive.
    #[getter]
    #[allow(unsafe_code, reason = "an array over memory that another object owns")]
    fn matrix<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let ngrams = this.get().get();
        let view = ArrayView2::from_shape((ngrams.rows(), ngrams.size()), ngrams.matrix())
            .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
        // SAFETY: the n-grams are immutable and live as long as the vectors, of which this object, and
        // through it the array, holds a reference; it is made read-only before anyone sees it.
        let array = unsafe { PyArray2::borrow_from_array(&view, this.clone().into_any()) };
        Ok(read_only(array))
    }

    /// A copy of the vectors in some rows.
    fn rows<'py>(&self, py: Python<'py>, rows: Vec<u32>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let ngrams = self.get();
        let mut numbers = Vec::with_capacity(rows.len() * ngrams.size());
        for &row in &rows {
            if row as usize >= ngrams.rows() {
                return Err(pyo3::exceptions::PyIndexError::new_err(row));
            }
            numbers.extend_from_slice(&ngrams.row(row));
        }
        PyArray1::from_vec(py, numbers).reshape([rows.len(), ngrams.size()])
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.get().rows()
    }

    /// The buckets that have a row, rising; `None` where each has one or n-grams are kept by their text.
    #[getter]
    fn buckets<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        match self.get().table().index() {
            Index::Some { buckets, .. } => Some(read_only(PyArray1::from_slice(py, buckets))),
            _ => None,
        }
    }

    /// Whether n-grams without a row are left out of a mean instead of counting as zeros.
    #[getter]
    fn dropped(&self) -> bool {
        matches!(self.get().table().index(), Index::Some { dropped: true, .. })
    }

    /// The n-grams that are kept by their text, and the row of each.
    #[getter]
    fn texts(&self) -> Option<(Vec<&str>, Vec<u32>)> {
        let Index::Text { ngrams, rows } = self.get().table().index() else { return None };
        let rows = rows.clone().unwrap_or_else(|| (0..ngrams.len() as u32).collect());
        Some((ngrams.iter().collect(), rows))
    }

    /// The n-grams of a word, each with its rows.
    fn parts(&self, word: &Bound<'_, PyString>) -> PyResult<Vec<(String, Vec<u32>)>> {
        let parts = self.get().parts(&convert::text(word)?);
        Ok(parts.into_iter().map(|part| (part.ngram, part.rows)).collect())
    }

    /// The vector of a word by its n-grams alone.
    fn vector<'py>(
        &self,
        py: Python<'py>,
        word: &Bound<'_, PyString>,
    ) -> PyResult<Option<Bound<'py, PyArray1<f32>>>> {
        let vector = self.get().vector(&convert::text(word)?);
        Ok(vector.map(|vector| read_only(PyArray1::from_vec(py, vector))))
    }
}

/// The n-grams of word vectors, if they have any.
#[pyfunction]
fn ngrams_of(vectors: Bound<'_, WordVectors>) -> Option<Ngrams> {
    vectors.get().0.ngrams().is_some().then(|| Ngrams(vectors.unbind()))
}

/// A copy of word vectors with n-grams; `scheme` is the JSON object that says how words are cut.
///
/// Either `buckets` or `texts` names the rows, or neither where each bucket has one.
#[pyfunction]
#[pyo3(signature = (vectors, scheme, matrix, *, buckets, dropped, texts))]
fn with_ngrams(
    py: Python<'_>,
    vectors: &WordVectors,
    scheme: &str,
    matrix: PyReadonlyArray2<'_, f32>,
    buckets: Option<Vec<u32>>,
    dropped: bool,
    texts: Option<(Vec<Bound<'_, PyString>>, Vec<u32>)>,
) -> PyResult<WordVectors> {
    let texts = texts
        .map(|(texts, rows)| {
            let owned = |text: &Bound<'_, PyString>| convert::text(text).map(Cow::into_owned);
            Ok::<_, PyErr>((texts.iter().map(owned).collect::<PyResult<Vec<_>>>()?, rows))
        })
        .transpose()?;
    let (rows, size) = (matrix.as_array().nrows(), matrix.as_array().ncols());
    let numbers: Vec<f32> = matrix.as_array().iter().copied().collect();
    boundary::run(py, None, |_| {
        let wrong = |reason: String| Error::parameter("ngrams", "must fit together", reason);
        let scheme: Scheme =
            serde_json::from_str(scheme).map_err(|error| wrong(error.to_string()))?;
        let index = match (buckets, texts) {
            (None, None) => Index::All,
            (Some(buckets), _) => Index::Some { buckets, dropped },
            (None, Some((texts, rows))) => Index::Text {
                ngrams: vectors::Words::new(texts.iter().map(String::as_str))
                    .map_err(|ngram| wrong(format!("{ngram:?} occurs twice")))?,
                // Where each n-gram has the row of its own place, that need not be said.
                rows: (0..).zip(&rows).any(|(place, &row)| place != row).then_some(rows),
            },
        };
        let table = Table::new(scheme, index, rows).map_err(wrong)?;
        let old = &vectors.0;
        let (matrix, counts) = (old.matrix().to_vec(), old.counts().to_vec());
        let (settings, history) = (old.settings().clone(), old.history().to_vec());
        vectors::WordVectors::new(
            old.words().iter(),
            matrix,
            old.size(),
            counts,
            settings,
            history,
        )?
        .with_ngrams(vectors::Ngrams::new(table, numbers, size))
        .map(Into::into)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Ngrams>()?;
    module.add_function(wrap_pyfunction!(ngrams_of, module)?)?;
    module.add_function(wrap_pyfunction!(with_ngrams, module)?)
}
