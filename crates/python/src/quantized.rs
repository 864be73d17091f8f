//! Vectors that are stored with fewer bits.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use textgrain_core::vectors;

use crate::boundary;
use crate::convert;
use crate::vectors::WordVectors;

/// The numbers of a matrix as they are stored.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct Stored(vectors::Packed);

#[pymethods]
impl Stored {
    /// Half floats, as bits.
    #[staticmethod]
    fn half(halves: PyReadonlyArray1<'_, u16>) -> PyResult<Self> {
        Ok(Self(vectors::Packed::half(halves.as_slice()?.to_vec())))
    }

    /// Whole numbers, and what one of them is worth in each row.
    #[staticmethod]
    fn bytes(
        numbers: PyReadonlyArray1<'_, i8>,
        scales: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let (numbers, scales) = (numbers.as_slice()?.to_vec(), scales.as_slice()?.to_vec());
        Ok(Self(vectors::Packed::bytes(numbers, scales)))
    }

    /// Codes of product quantization, the books of the parts, and the lengths.
    #[staticmethod]
    fn codes(
        codes: PyReadonlyArray1<'_, u8>,
        books: PyReadonlyArray1<'_, f32>,
        parts: usize,
        lengths: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let (codes, books) = (codes.as_slice()?.to_vec(), books.as_slice()?.to_vec());
        let lengths = lengths.as_slice()?.to_vec();
        Ok(Self(vectors::Packed::codes(codes, books, parts, lengths)))
    }

    /// The numbers of vectors, or of their n-grams, as codes and books that are learned from them.
    #[staticmethod]
    #[pyo3(signature = (vectors, of_ngrams, parts, seed, threads, progress))]
    fn product(
        py: Python<'_>,
        vectors: PyRef<'_, WordVectors>,
        of_ngrams: bool,
        parts: usize,
        seed: i64,
        threads: Option<Bound<'_, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (vectors, threads) = (&vectors.0, convert::threads(threads.as_ref())?);
        let learning = vectors::Learning { parts, seed: seed.cast_unsigned(), threads };
        boundary::run(py, progress, |observer| vectors.as_codes(of_ngrams, learning, observer))
            .map(Self)
    }

    /// Bytes that the numbers take.
    #[getter]
    fn size(&self) -> usize {
        self.0.size_in_bytes()
    }

    /// The words of `vectors` with these numbers, and their n-grams with others if any are given.
    #[pyo3(signature = (vectors, ngrams=None))]
    fn restore(
        &self,
        py: Python<'_>,
        vectors: PyRef<'_, WordVectors>,
        ngrams: Option<PyRef<'_, Self>>,
    ) -> PyResult<WordVectors> {
        let (vectors, ngrams) = (&vectors.0, ngrams.as_ref().map(|ngrams| &ngrams.0));
        boundary::run(py, None, |_| {
            let small = vectors.with_numbers(self.0.clone())?;
            match vectors.ngrams().zip(ngrams) {
                Some((old, numbers)) => small.with_ngrams(old.with_numbers(numbers.clone())?),
                None => Ok(small),
            }
        })
        .map(WordVectors)
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Stored>()
}
