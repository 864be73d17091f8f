//! Files of ids.

use std::path::PathBuf;

use pyo3::prelude::*;
use textgrain_core::Result;
use textgrain_core::corpus::DocumentStream;
use textgrain_core::idfile::{self, IdFile as Core, IdFileSettings};
use textgrain_core::tokenizer::{Frame, SpecialPolicy};

use crate::boundary;
use crate::convert;
use crate::corpus::{Opened, Report, Source};
use crate::tokenizer::Tokenizer;

/// What the header of a file of ids says; `textgrain.IdFile` reads the numbers themselves.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct IdFile(Core);

impl IdFile {
    /// The file as the core knows it.
    pub(crate) fn core(&self) -> &Core {
        &self.0
    }
}

#[pymethods]
impl IdFile {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        boundary::run(py, None, |_| Core::open(&path)).map(Self)
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.0.documents()
    }

    /// The size of an id, where the ids begin, where the offsets of the documents begin; all in bytes.
    #[getter]
    fn layout(&self) -> (usize, usize, usize) {
        let (size, start) = self.0.layout();
        (size, start, self.0.offsets_start())
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.0.fingerprint()
    }

    #[getter]
    fn vocab_size(&self) -> u64 {
        self.0.vocab_size()
    }

    #[getter]
    fn text_bytes(&self) -> u64 {
        self.0.text_bytes()
    }

    fn verify(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        boundary::run(py, progress, |observer| self.0.verify(observer))
    }
}

/// Writes the ids of a corpus to a file.
#[pyfunction]
#[pyo3(signature = (tokenizer, source, path, *, special, start, end, resume, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
fn encode_files(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    source: &Source,
    path: PathBuf,
    special: &str,
    start: Option<u32>,
    end: Option<u32>,
    resume: bool,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let threads = convert::threads(threads.as_ref())?;
    let opened = source.open(py)?;
    let report = boundary::run(py, progress, |observer| {
        let policy = SpecialPolicy::parse(special)?;
        let settings = IdFileSettings { policy, frame: Frame { start, end }, resume };
        let mut stream = documents(opened)?;
        idfile::encode(&tokenizer.0, stream.as_mut(), &path, &settings, threads, observer)
    })?;
    Ok(report.into())
}

/// The documents of a source that are to be encoded.
pub(crate) fn documents(opened: Opened) -> Result<Box<dyn DocumentStream + Send>> {
    opened.documents(
        "which is no text that could be encoded. Use Corpus.from_files or Corpus.from_iterable",
    )
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encode_files, module)?)?;
    module.add_class::<IdFile>()
}
