//! Counts of pieces, in memory and in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use textgrain_core::Result;
use textgrain_core::corpus::ReadReport;
use textgrain_core::formats::count_file::Counted;
use textgrain_core::formats::split_spec;
use textgrain_core::observe::Observer;
use textgrain_core::split::{self, Splitter};
use textgrain_core::tokenizer::Tokenizer;

use crate::boundary;
use crate::convert;
use crate::corpus::{Opened, Report, Source};

/// What `textgrain.PieceCounts` wraps.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct PieceCounts(pub(crate) Arc<Counted>);

impl From<Counted> for PieceCounts {
    fn from(counted: Counted) -> Self {
        Self(Arc::new(counted))
    }
}

#[pymethods]
impl PieceCounts {
    #[staticmethod]
    #[pyo3(signature = (items, split, space_prefix, documents, bytes))]
    fn from_items(
        py: Python<'_>,
        items: Vec<(String, u64)>,
        split: &str,
        space_prefix: bool,
        documents: u64,
        bytes: u64,
    ) -> PyResult<Self> {
        let make = || {
            let splitter = split_spec::parse(split, space_prefix)?;
            let items = items.iter().map(|(piece, count)| (piece.as_str(), *count));
            let mut pieces = split::PieceCounts::from_counts(items)?;
            pieces.report = ReadReport { documents, bytes, ..ReadReport::default() };
            Ok(Counted { pieces, splitter })
        };
        make().map(Self::from).map_err(|error| boundary::to_python(py, error))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        boundary::run(py, None, |_| Counted::load(&path)).map(Self::from)
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value, reason = "a list of Python objects comes by value")]
    fn merge(py: Python<'_>, parts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let shared: Vec<Arc<Counted>> = parts.iter().map(|part| Arc::clone(&part.0)).collect();
        boundary::run(py, None, |_| {
            let parts: Vec<&Counted> = shared.iter().map(AsRef::as_ref).collect();
            Counted::merge(&parts)
        })
        .map(Self::from)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        boundary::run(py, None, |_| self.0.save(Path::new(&path)))
    }

    fn __len__(&self) -> usize {
        self.0.pieces.len()
    }

    #[getter]
    fn total(&self) -> u64 {
        self.0.pieces.iter().map(|(_, count)| count).sum()
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.0.pieces.report.documents
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.pieces.report.bytes
    }

    #[getter]
    fn split(&self) -> String {
        split_spec::write(&self.0.splitter)
    }

    #[getter]
    fn space_prefix(&self) -> bool {
        self.0.splitter.space_prefix()
    }

    /// The pieces with their counts, in order of first appearance.
    fn items(&self) -> Vec<(&str, u64)> {
        let items = self.0.pieces.iter();
        items
            .map(|(piece, count)| (std::str::from_utf8(piece).unwrap_or_default(), count))
            .collect()
    }
}

/// Where the pieces of a trainer come from.
pub(crate) enum PieceSource {
    Counted(Arc<Counted>),
    Uncounted(Opened),
}

/// Pieces that are there already, or were counted for one run.
pub(crate) enum Pieces {
    Shared(Arc<Counted>),
    Own(split::PieceCounts),
}

impl AsRef<split::PieceCounts> for Pieces {
    fn as_ref(&self) -> &split::PieceCounts {
        match self {
            Self::Shared(counted) => &counted.pieces,
            Self::Own(pieces) => pieces,
        }
    }
}

impl PieceSource {
    /// Opens a source; pieces that were counted by another rule are refused.
    pub(crate) fn open(py: Python<'_>, source: &Source, splitter: &Splitter) -> PyResult<Self> {
        let Some(counted) = source.counted() else {
            return source.open(py).map(Self::Uncounted);
        };
        counted
            .check_splitter("the trainer", splitter)
            .map_err(|error| boundary::to_python(py, error))?;
        Ok(Self::Counted(counted))
    }

    pub(crate) fn count(
        self,
        splitter: &Splitter,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Pieces> {
        match self {
            Self::Counted(counted) => Ok(Pieces::Shared(counted)),
            Self::Uncounted(Opened::Documents(mut stream)) => {
                split::count_pieces(stream.as_mut(), splitter, threads, observer).map(Pieces::Own)
            }
            Self::Uncounted(Opened::Counts(counts)) => {
                let counts = counts.iter().map(|(word, count)| (word.as_str(), *count));
                split::PieceCounts::from_counts(counts).map(Pieces::Own)
            }
        }
    }

    /// The same, with documents cut as the model of a tokenizer is given them.
    pub(crate) fn count_for(
        self,
        tokenizer: &Tokenizer,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Pieces> {
        match self {
            Self::Uncounted(Opened::Documents(mut stream)) => {
                tokenizer.count_pieces(stream.as_mut(), threads, observer).map(Pieces::Own)
            }
            other => other.count(&tokenizer.settings().splitter, threads, observer),
        }
    }
}

#[pyfunction]
#[pyo3(signature = (source, *, split, space_prefix, threads, progress))]
fn count_pieces(
    py: Python<'_>,
    source: &Source,
    split: &str,
    space_prefix: bool,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PieceCounts, Report)> {
    let threads = convert::threads(threads.as_ref())?;
    let splitter =
        split_spec::parse(split, space_prefix).map_err(|error| boundary::to_python(py, error))?;
    let opened = PieceSource::open(py, source, &splitter)?;
    boundary::run(py, progress, |observer| {
        let pieces = opened.count(&splitter, threads, observer)?;
        let report = Report::from(pieces.as_ref().report.clone());
        let counted = match pieces {
            Pieces::Shared(counted) => counted,
            Pieces::Own(pieces) => Arc::new(Counted { pieces, splitter }),
        };
        Ok((PieceCounts(counted), report))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PieceCounts>()?;
    module.add_function(wrap_pyfunction!(count_pieces, module)?)
}
