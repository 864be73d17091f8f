//! Ids to text while they come.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use textgrain_core::tokenizer::{DecodeStream as Stream, Tokenizer as Core};

use crate::boundary;
use crate::tokenizer::Tokenizer;

/// The state of one stream; `textgrain.DecodeStream` documents what it does.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct DecodeStream {
    tokenizer: Arc<Core>,
    state: Mutex<Stream>,
}

#[pymethods]
impl DecodeStream {
    #[new]
    fn new(tokenizer: &Tokenizer) -> Self {
        Self { tokenizer: Arc::clone(&tokenizer.0), state: Mutex::default() }
    }

    fn push(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<String> {
        let ids = ids.as_slice()?;
        boundary::run(py, None, |_| self.with_state(|state| state.push(&self.tokenizer, ids)))
    }

    /// One id: too little work to let others run meanwhile.
    fn push_one(&self, py: Python<'_>, id: u32) -> PyResult<String> {
        self.with_state(|state| state.push(&self.tokenizer, &[id]))
            .map_err(|error| boundary::to_python(py, error))
    }

    fn finish(&self) -> String {
        self.with_state(|state| state.finish(&self.tokenizer))
    }
}

impl DecodeStream {
    fn with_state<T>(&self, call: impl FnOnce(&mut Stream) -> T) -> T {
        // The state is whole between any two ids, so a poisoned lock holds nothing bad.
        call(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DecodeStream>()
}
