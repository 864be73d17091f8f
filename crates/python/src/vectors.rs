//! Word vectors: lookup, search, files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use textgrain_core::{Error, vectors};

use crate::boundary;
use crate::convert;

/// A vector for each word; wrapped by `textgrain.WordVectors`.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct WordVectors(pub(crate) vectors::WordVectors);

impl From<vectors::WordVectors> for WordVectors {
    fn from(vectors: vectors::WordVectors) -> Self {
        Self(vectors)
    }
}

impl WordVectors {
    pub(crate) fn core(&self) -> &vectors::WordVectors {
        &self.0
    }
}

#[pymethods]
impl WordVectors {
    /// Vectors made elsewhere; `settings` is a JSON object, and n-grams are those of `like`.
    #[staticmethod]
    #[pyo3(signature = (words, matrix, counts, settings, history, like=None))]
    fn from_parts(
        py: Python<'_>,
        words: Vec<Bound<'_, PyString>>,
        matrix: PyReadonlyArray2<'_, f32>,
        counts: Vec<u64>,
        settings: &str,
        history: Vec<f64>,
        like: Option<PyRef<'_, Self>>,
    ) -> PyResult<Self> {
        let words = words.iter().map(convert::text).collect::<PyResult<Vec<_>>>()?;
        let matrix = matrix.as_array();
        let size = matrix.ncols();
        let numbers: Vec<f32> = matrix.iter().copied().collect();
        let like = like.as_ref().map(|like| &like.0);
        boundary::run(py, None, |_| {
            let settings = serde_json::from_str(settings).map_err(|error| {
                Error::parameter("settings", "must be a JSON object", error.to_string())
            })?;
            let words = words.iter().map(AsRef::as_ref);
            let new = vectors::WordVectors::new(words, numbers, size, counts, settings, history)?;
            Ok(match like {
                Some(like) => new.with_ngrams_of(like),
                None => new,
            })
        })
        .map(Self)
    }

    /// The vectors in a file of any format, and sentences on replaced text and on rows left out.
    #[staticmethod]
    #[pyo3(signature = (path, lenient, verify, threads, progress))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        lenient: bool,
        verify: bool,
        threads: Option<Bound<'_, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Self, Option<String>, Vec<String>)> {
        let threads = convert::threads(threads.as_ref())?;
        let opening = vectors::Opening { lenient, threads, verify };
        let (vectors, report) = boundary::run(py, progress, |observer| {
            vectors::WordVectors::open(&path, opening, observer)
        })?;
        Ok((Self(vectors), report.about_text(), report.about_rows()))
    }

    #[pyo3(signature = (path, format, spaces, sketch, progress))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        spaces: Option<&str>,
        sketch: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        boundary::run(py, progress, |observer| {
            let format = vectors::Format::parse(format)?;
            self.0.save_as(&path, vectors::Saving { format, spaces, sketch }, observer)
        })
    }

    /// The bytes of the file that `save` writes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = boundary::run(py, None, |_| Ok(self.0.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What `to_bytes` made bytes of.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        let name = Path::new("word vectors in memory");
        boundary::run(py, None, |_| vectors::WordVectors::from_bytes(name, content)).map(Self)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn vector_size(&self) -> usize {
        self.0.size()
    }

    #[getter]
    fn settings(&self) -> String {
        self.0.settings().to_string()
    }

    #[getter]
    fn history(&self) -> Vec<f64> {
        self.0.history().to_vec()
    }

    #[getter]
    fn words(&self) -> Vec<&str> {
        self.0.words().iter().collect()
    }

    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        read_only(PyArray1::from_slice(py, self.0.counts()))
    }

    #[getter]
    fn norms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        read_only(PyArray1::from_slice(py, self.0.norms()))
    }

    /// All vectors, as a view that keeps this object alive.
    #[getter]
    #[allow(unsafe_code, reason = "an array over memory that another object owns")]
    fn matrix<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let vectors = &this.get().0;
        let shape = (vectors.len(), vectors.size());
        let view = ArrayView2::from_shape(shape, vectors.matrix())
            .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
        // SAFETY: the vectors are immutable and live as long as their object, of which the array holds a
        // reference; it is made read-only before anyone sees it.
        let array = unsafe { PyArray2::borrow_from_array(&view, this.clone().into_any()) };
        Ok(read_only(array))
    }

    /// How the numbers are stored, if with fewer bits.
    #[getter]
    fn stored(&self) -> Option<&'static str> {
        self.0.stored()
    }

    /// The vector in a row: a view that keeps this object alive, where it is stored as floats.
    #[allow(unsafe_code, reason = "an array over memory that another object owns")]
    fn vector<'py>(this: &Bound<'py, Self>, row: usize) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let vectors = &this.get().0;
        if row >= vectors.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err(row));
        }
        let array = match vectors.row(row) {
            Cow::Owned(numbers) => PyArray1::from_vec(this.py(), numbers),
            // SAFETY: as for `matrix`.
            Cow::Borrowed(numbers) => unsafe {
                PyArray1::borrow_from_array(&ArrayView1::from(numbers), this.clone().into_any())
            },
        };
        Ok(read_only(array))
    }

    /// A copy of the vectors in some rows.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let known = 0..self.0.len() as i64;
        let rows = rows.as_array();
        if let Some(&wrong) = rows.iter().find(|row| !known.contains(row)) {
            return Err(pyo3::exceptions::PyIndexError::new_err(wrong));
        }
        let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let mut numbers = Vec::with_capacity(rows.len() * self.0.size());
        boundary::run(py, None, |_| {
            self.0.append_rows(&rows, &mut numbers);
            Ok(())
        })?;
        PyArray1::from_vec(py, numbers).reshape([rows.len(), self.0.size()])
    }

    /// The row of a word.
    fn row(&self, word: &Bound<'_, PyString>) -> PyResult<Option<usize>> {
        Ok(self.0.words().row(&convert::text(word)?))
    }

    /// The word in a row.
    fn word(&self, row: usize) -> PyResult<&str> {
        if row >= self.0.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err(row));
        }
        Ok(self.0.words().word(row))
    }

    /// The cosine of the angle between two vectors of one length; 0 if either is zero.
    fn cosine(
        &self,
        left: PyReadonlyArray1<'_, f32>,
        right: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<f32> {
        let (left, right) = (left.as_slice()?, right.as_slice()?);
        if left.len() != right.len() {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "vectors of one length are needed",
            ));
        }
        Ok(self.0.cosine(left, right))
    }
}

/// The array, which nobody may change any more.
pub(crate) fn read_only<T: numpy::Element, D: numpy::ndarray::Dimension>(
    array: Bound<'_, numpy::PyArray<T, D>>,
) -> Bound<'_, numpy::PyArray<T, D>> {
    array.readwrite().make_nonwriteable();
    array
}

/// Writes a table of floats; `settings` is text for the reader.
#[pyfunction]
fn save_table(
    py: Python<'_>,
    path: PathBuf,
    matrix: PyReadonlyArray2<'_, f32>,
    settings: String,
) -> PyResult<()> {
    let matrix = matrix.as_array();
    let width = matrix.ncols();
    let table = vectors::Table { numbers: matrix.iter().copied().collect(), width, settings };
    boundary::run(py, None, |_| table.save(&path))
}

/// Reads a table of floats, with its settings.
#[pyfunction]
fn load_table(py: Python<'_>, path: PathBuf) -> PyResult<(Bound<'_, PyArray2<f32>>, String)> {
    let vectors::Table { numbers, width, settings } =
        boundary::run(py, None, |_| vectors::Table::load(&path))?;
    let rows = numbers.len() / width;
    Ok((PyArray1::from_vec(py, numbers).reshape([rows, width])?, settings))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WordVectors>()?;
    module.add_function(wrap_pyfunction!(save_table, module)?)?;
    module.add_function(wrap_pyfunction!(load_table, module)?)
}
