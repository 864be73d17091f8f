//! The one door between Python and the core.
//!
//! Every call that may take more than a millisecond goes through [`run`]: the interpreter lock is
//! released, Ctrl-C is looked for, progress is passed on, and the core's error becomes the exception
//! class of `textgrain.exceptions` that stands for its cause. Without the door other Python threads
//! would stand still, and a callback from a worker thread could deadlock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use textgrain_core::observe::{Observer, POLL_INTERVAL, Progress};
use textgrain_core::{Error, Place, Result};

use crate::vectors::WordVectors;

/// Calls the core without the interpreter lock; `progress` is a Python callable or `None`.
///
/// The callable gets `(stage, done, total, unit, figures)` on the calling thread, several times a
/// second; an exception that it raises stops the run and is raised from it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    call: impl FnOnce(&mut dyn Observer) -> Result<T> + Send,
) -> PyResult<T> {
    let outcome = py.detach(|| {
        let mut observer = PythonObserver { callback: progress, last: Instant::now() };
        catch_unwind(AssertUnwindSafe(|| call(&mut observer)))
    });
    match outcome {
        Ok(result) => result.map_err(|error| to_python(py, error)),
        Err(panic) => Err(internal_error(py, &panic_message(panic.as_ref()))),
    }
}

/// The same for a call that is over in less than a millisecond: the interpreter lock is kept, which costs
/// less than to pass it on.
pub(crate) fn run_short<T>(py: Python<'_>, call: impl FnOnce() -> Result<T>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| to_python(py, error)),
        Err(panic) => Err(internal_error(py, &panic_message(panic.as_ref()))),
    }
}

struct PythonObserver {
    callback: Option<Py<PyAny>>,
    last: Instant,
}

impl Observer for PythonObserver {
    fn observe(&mut self, progress: &Progress) -> Result<()> {
        let finished = progress.total == Some(progress.done);
        if self.last.elapsed() < POLL_INTERVAL && !finished {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                let Progress { stage, done, total, unit, figures } = progress;
                callback.call1(py, (*stage, *done, *total, *unit, figures.clone()))?;
            }
            Ok(())
        })
        .map_err(|error: PyErr| Error::Caller(Box::new(error)))
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".to_owned())
}

/// The exception for a core error: the single place where the two hierarchies meet.
pub(crate) fn to_python(py: Python<'_>, error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Parameter { name, .. } => raise(py, "ParameterError", (message, name)),
        Error::Corpus { .. } => raise(py, "CorpusError", (message,)),
        Error::Format { path, place, reason } => {
            let (offset, line) = match place {
                Place::Whole => (None, None),
                Place::Byte(offset) => (Some(offset), None),
                Place::Line(line) => (None, Some(line)),
            };
            raise(py, "FormatError", (message, path, reason, offset, line))
        }
        Error::Io { path, source } => os_error(py, &path, &source),
        Error::UnknownToken { .. } => raise(py, "UnknownTokenError", (message,)),
        Error::UnknownId { .. } => raise(py, "UnknownIdError", (message,)),
        Error::Diverged { vectors, .. } => {
            let vectors = vectors.map(|vectors| WordVectors::from(*vectors));
            raise(py, "DivergenceError", (message, vectors))
        }
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::Caller(cause) => match cause.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(cause) => internal_error(py, &cause.to_string()),
        },
    }
}

fn os_error(py: Python<'_>, path: &std::path::Path, source: &std::io::Error) -> PyErr {
    // With a number, Python picks the subclass: FileNotFoundError, PermissionError and so on.
    let number = source.raw_os_error().or(match source.kind() {
        std::io::ErrorKind::NotFound => Some(2),
        std::io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    });
    let text = match source.raw_os_error() {
        // The system's own text, without the number that Rust appends to it.
        Some(_) => source.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
        None => source.to_string(),
    };
    let arguments = match number {
        Some(number) => (number, text, path).into_pyobject(py),
        None => return PyOSError::new_err(format!("{}: {text}", path.display())),
    };
    match arguments
        .and_then(|arguments: Bound<'_, PyTuple>| py.get_type::<PyOSError>().call1(arguments))
    {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn internal_error(py: Python<'_>, detail: &str) -> PyErr {
    raise(py, "InternalError", (format!("a defect in textgrain: {detail}. Please report it"),))
}

/// Raises a class of `textgrain.exceptions`, which documents it.
fn raise<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let make = || {
        let class = py.import("textgrain.exceptions")?.getattr(class)?;
        class.call1(arguments.into_pyobject(py)?)
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
