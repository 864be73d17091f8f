//! Sources of text: files, Python iterables, word counts.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};
use textgrain_core::corpus::{
    BATCH_BYTES, Batch, Boundaries, DocumentRule, DocumentStream, FileCorpus, InvalidUtf8, Origin,
    ReadReport,
};
use textgrain_core::formats::count_file::Counted;
use textgrain_core::{Error, Result};

use crate::boundary;
use crate::convert;
use crate::counts::PieceCounts;

/// Where text comes from; made by `textgrain.Corpus`, opened anew by each run.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct Source(Kind);

enum Kind {
    Files(FileCorpus),
    Iterable(Py<PyAny>),
    Counts(Vec<(String, u64)>),
    Pieces(Arc<Counted>),
}

/// A source that is being read.
pub(crate) enum Opened {
    Documents(Box<dyn DocumentStream + Send>),
    Counts(Vec<(String, u64)>),
}

impl Opened {
    /// The documents, or why there are none: word counts are not what is needed, as `but` says.
    pub(crate) fn documents(self, but: &str) -> Result<Box<dyn DocumentStream + Send>> {
        match self {
            Self::Documents(stream) => Ok(stream),
            Self::Counts(counts) => {
                let words = counts.len();
                Err(Error::corpus(format!("the corpus is a table of {words} word counts, {but}")))
            }
        }
    }
}

#[pymethods]
impl Source {
    #[staticmethod]
    fn files(
        py: Python<'_>,
        patterns: Vec<PathBuf>,
        documents: &str,
        errors: &str,
        field: Option<String>,
    ) -> PyResult<Self> {
        let make = || {
            let documents = match (documents, field) {
                ("lines", Some(field)) => DocumentRule::JsonField(field),
                (_, Some(_)) => {
                    let rule = "must be \"lines\" where `field` is set";
                    return Err(Error::parameter("documents", rule, format!("{documents:?}"))
                        .with_hint("A field is looked for in each line"));
                }
                ("lines", None) => DocumentRule::Lines,
                ("files", None) => DocumentRule::Files,
                (separator, None) => DocumentRule::Separator(separator.to_owned()),
            };
            let invalid = match errors {
                "replace" => InvalidUtf8::Replace,
                "strict" => InvalidUtf8::Strict,
                _ => {
                    return Err(Error::parameter(
                        "errors",
                        "must be \"replace\" or \"strict\"",
                        format!("{errors:?}"),
                    ));
                }
            };
            FileCorpus::from_patterns(&patterns, documents, invalid)
        };
        make()
            .map(|corpus| Self(Kind::Files(corpus)))
            .map_err(|error| boundary::to_python(py, error))
    }

    #[staticmethod]
    fn iterable(documents: Py<PyAny>) -> Self {
        Self(Kind::Iterable(documents))
    }

    #[staticmethod]
    fn counts(counts: Vec<(String, u64)>) -> Self {
        Self(Kind::Counts(counts))
    }

    #[staticmethod]
    fn pieces(counts: &PieceCounts) -> Self {
        Self(Kind::Pieces(Arc::clone(&counts.0)))
    }

    /// The files that are read, in order; empty for other sources.
    fn paths(&self) -> Vec<PathBuf> {
        match &self.0 {
            Kind::Files(corpus) => corpus.paths.clone(),
            _ => Vec::new(),
        }
    }

    #[allow(clippy::unused_self, reason = "Python calls it as a method")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a source cannot be pickled; pickle the Corpus that holds it"))
    }
}

impl Source {
    /// Starts reading from the beginning.
    pub(crate) fn open(&self, py: Python<'_>) -> PyResult<Opened> {
        match &self.0 {
            Kind::Files(corpus) => {
                let stream = corpus.open().map_err(|error| boundary::to_python(py, error))?;
                Ok(Opened::Documents(Box::new(stream)))
            }
            Kind::Iterable(documents) => {
                let iterator = documents.bind(py).try_iter()?.unbind();
                Ok(Opened::Documents(Box::new(PythonStream::new(iterator))))
            }
            Kind::Counts(counts) => Ok(Opened::Counts(counts.clone())),
            Kind::Pieces(counted) => Ok(Opened::Counts(counted.words())),
        }
    }

    /// The pieces, if they were counted before.
    pub(crate) fn counted(&self) -> Option<Arc<Counted>> {
        match &self.0 {
            Kind::Pieces(counted) => Some(Arc::clone(counted)),
            _ => None,
        }
    }
}

/// Pulls documents from a Python iterator, a batch at a time.
struct PythonStream {
    iterator: Py<PyIterator>,
    documents: u64,
    sequence: u64,
    position: u64,
    read: u64,
    ended: bool,
}

impl PythonStream {
    fn new(iterator: Py<PyIterator>) -> Self {
        Self { iterator, documents: 0, sequence: 0, position: 0, read: 0, ended: false }
    }

    /// Appends documents until the batch is full or the iterator ends.
    fn pull(&mut self, py: Python<'_>, bytes: &mut Vec<u8>, ends: &mut Vec<usize>) -> PyResult<()> {
        let mut iterator = self.iterator.bind(py).clone();
        // Empty documents count too, or an endless run of them would never come to a checkpoint.
        while bytes.len() + ends.len() < BATCH_BYTES {
            let Some(document) = iterator.next() else {
                self.ended = true;
                return Ok(());
            };
            let document = document?;
            let string = document.cast::<PyString>().map_err(|_| self.not_text(&document))?;
            bytes.extend_from_slice(convert::text(string)?.as_bytes());
            ends.push(bytes.len());
            self.documents += 1;
        }
        Ok(())
    }

    fn not_text(&self, document: &Bound<'_, PyAny>) -> PyErr {
        let kind =
            document.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "documents must be str, got {kind} for document {}. Join a list of words with spaces first",
            self.documents
        ))
    }
}

impl DocumentStream for PythonStream {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        Python::attach(|py| self.pull(py, &mut bytes, &mut ends))
            .map_err(|error| Error::Caller(Box::new(error)))?;
        if ends.is_empty() {
            return Ok(None);
        }
        let (sequence, position) = (self.sequence, self.position);
        self.sequence += 1;
        self.position = Batch::position_after(position, bytes.len());
        self.read += bytes.len() as u64;
        let origin = Origin { path: None, offset: 0 };
        let boundaries = Boundaries::Ends(ends);
        Ok(Some(Batch {
            bytes,
            boundaries,
            sequence,
            position,
            origin,
            invalid: InvalidUtf8::Strict,
        }))
    }

    fn bytes_read(&self) -> u64 {
        self.read
    }
}

/// What was read: documents, bytes, replaced bytes, and the first places of those.
#[pyclass(frozen, get_all, module = "textgrain._native")]
pub(crate) struct Report {
    documents: u64,
    bytes: u64,
    replaced: u64,
    first_replaced: Vec<(PathBuf, u64)>,
}

impl From<ReadReport> for Report {
    fn from(report: ReadReport) -> Self {
        let first_replaced =
            report.first_replaced.into_iter().map(|(_, path, offset)| (path, offset)).collect();
        let ReadReport { documents, bytes, replaced, .. } = report;
        Self { documents, bytes, replaced, first_replaced }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Source>()?;
    module.add_class::<Report>()
}
