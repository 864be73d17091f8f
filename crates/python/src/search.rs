//! The search for word vectors that are near.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use textgrain_core::vectors::{Among, Method, Metric, Search};

use crate::boundary;
use crate::convert;
use crate::vectors::WordVectors;

type Rows<'py> = Bound<'py, PyArray2<i64>>;
type Scores<'py> = Bound<'py, PyArray2<f32>>;

/// The rows that are searched.
fn among(rows: Option<PyReadonlyArray1<'_, i64>>) -> PyResult<Option<Among>> {
    let Some(rows) = rows else { return Ok(None) };
    Ok(Some(Among::new(rows.as_slice()?.iter().map(|&row| row as usize).collect())))
}

/// The nearest rows to a vector, best first, without those in `exclude`, as `(row, score)`.
#[pyfunction]
#[pyo3(signature = (vectors, query, n, metric, among, exclude, threads))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the call in Python")]
fn nearest(
    py: Python<'_>,
    vectors: PyRef<'_, WordVectors>,
    query: PyReadonlyArray1<'_, f32>,
    n: usize,
    metric: &str,
    among: Option<PyReadonlyArray1<'_, i64>>,
    exclude: Vec<usize>,
    threads: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<(usize, f32)>> {
    let (vectors, query) = (&vectors.0, query.as_slice()?.to_vec());
    let (among, threads) = (self::among(among)?, convert::threads(threads.as_ref())?);
    let found = boundary::run(py, None, |observer| {
        let metric = Metric::parse(metric)?;
        let search = Search { metric, n, among: among.as_ref(), exclude: &exclude, threads };
        let found = vectors.nearest(&query, search, observer)?;
        Ok(found.into_iter().map(|near| (near.row, metric.shown(near.score))).collect())
    })?;
    Ok(found)
}

/// The same by the product of cosines to `positive` divided by that to `negative`.
#[pyfunction]
#[pyo3(signature = (vectors, positive, negative, n, metric, among, exclude, threads))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the call in Python")]
fn nearest_by_product(
    py: Python<'_>,
    vectors: PyRef<'_, WordVectors>,
    positive: Vec<PyReadonlyArray1<'_, f32>>,
    negative: Vec<PyReadonlyArray1<'_, f32>>,
    n: usize,
    metric: &str,
    among: Option<PyReadonlyArray1<'_, i64>>,
    exclude: Vec<usize>,
    threads: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<(usize, f32)>> {
    let copies = |side: &[PyReadonlyArray1<'_, f32>]| -> PyResult<Vec<Vec<f32>>> {
        side.iter().map(|vector| Ok(vector.as_slice()?.to_vec())).collect()
    };
    let (vectors, positive, negative) = (&vectors.0, copies(&positive)?, copies(&negative)?);
    let (among, threads) = (self::among(among)?, convert::threads(threads.as_ref())?);
    let found = boundary::run(py, None, |observer| {
        let metric = Metric::parse(metric)?;
        let search = Search { metric, n, among: among.as_ref(), exclude: &exclude, threads };
        let positive: Vec<&[f32]> = positive.iter().map(Vec::as_slice).collect();
        let negative: Vec<&[f32]> = negative.iter().map(Vec::as_slice).collect();
        let found = vectors.nearest_by_product(&positive, &negative, search, observer)?;
        Ok(found.into_iter().map(|near| (near.row, near.score)).collect())
    })?;
    Ok(found)
}

/// The nearest rows to each row of `queries`, as rows and scores; -1 and "not a number" where there are
/// fewer than `n`. A query is not answered with its row in `own`.
#[pyfunction]
#[pyo3(signature = (vectors, queries, own, n, metric, among, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the call in Python")]
fn nearest_to_each<'py>(
    py: Python<'py>,
    vectors: PyRef<'py, WordVectors>,
    queries: PyReadonlyArray2<'py, f32>,
    own: Option<PyReadonlyArray1<'py, i64>>,
    n: usize,
    metric: &str,
    among: Option<PyReadonlyArray1<'py, i64>>,
    threads: Option<Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Rows<'py>, Scores<'py>)> {
    let vectors = &vectors.0;
    let own: Option<Vec<usize>> = match own {
        Some(own) => Some(own.as_slice()?.iter().map(|&row| row as usize).collect()),
        None => None,
    };
    let (among, threads) = (self::among(among)?, convert::threads(threads.as_ref())?);
    let count = queries.as_array().nrows();
    let queries = queries.as_slice()?.to_vec();
    let (n, rows, scores) = boundary::run(py, progress, |observer| {
        let metric = Metric::parse(metric)?;
        let search = Search { metric, n, among: among.as_ref(), exclude: &[], threads };
        let found = vectors.nearest_to_each(&queries, own.as_deref(), search, observer)?;
        let n = found.iter().map(Vec::len).max().unwrap_or(0);
        let (mut rows, mut scores) = (vec![-1; count * n], vec![f32::NAN; count * n]);
        for (index, found) in found.iter().enumerate() {
            for (place, near) in found.iter().enumerate() {
                rows[index * n + place] = near.row as i64;
                scores[index * n + place] = metric.shown(near.score);
            }
        }
        Ok((n, rows, scores))
    })?;
    let (rows, scores) = (PyArray1::from_vec(py, rows), PyArray1::from_vec(py, scores));
    Ok((rows.reshape([count, n])?, scores.reshape([count, n])?))
}

/// The row that answers each question, whose rows are `[a, b, c]`; -1 where none is left.
#[pyfunction]
#[pyo3(signature = (vectors, questions, among, method, threads, progress))]
fn solve_analogies<'py>(
    py: Python<'py>,
    vectors: PyRef<'py, WordVectors>,
    questions: PyReadonlyArray2<'py, i64>,
    among: PyReadonlyArray1<'py, i64>,
    method: &str,
    threads: Option<Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let vectors = &vectors.0;
    let (questions, _) = questions.as_slice()?.as_chunks::<3>();
    let questions: Vec<[usize; 3]> =
        questions.iter().map(|question| question.map(|row| row as usize)).collect();
    let among = self::among(Some(among))?.unwrap_or_else(|| Among::new(Vec::new()));
    let threads = convert::threads(threads.as_ref())?;
    let answers = boundary::run(py, progress, |observer| {
        vectors.solve_analogies(&questions, &among, Method::parse(method)?, threads, observer)
    })?;
    let rows = answers.into_iter().map(|row| row.map_or(-1, |row| row as i64));
    Ok(PyArray1::from_iter(py, rows))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(nearest, module)?)?;
    module.add_function(wrap_pyfunction!(nearest_by_product, module)?)?;
    module.add_function(wrap_pyfunction!(nearest_to_each, module)?)?;
    module.add_function(wrap_pyfunction!(solve_analogies, module)?)
}
