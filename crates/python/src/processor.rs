//! Which instructions of the processor are used, and how a user says so.

use std::env;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use textgrain_core::Error;
use textgrain_core::simd::ProcessorLevel;

/// The variable of the environment that names the level to use.
const VARIABLE: &str = "TEXTGRAIN_SIMD";

/// Keeps the engine to the level that the environment names, if it names one; read once, when the module is imported.
pub(crate) fn obey_environment() -> PyResult<()> {
    let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return Ok(());
    };
    let available = ProcessorLevel::available();
    let chosen = available.iter().find(|level| value == level.name());
    let outcome = match chosen {
        Some(level) => level.use_at_most(),
        None => Err(Error::parameter(
            VARIABLE,
            format!("must be a level that this processor has, {}", listed(&available)),
            format!("{:?}", value.display().to_string()),
        )
        .with_hint("Unset it to use the highest")),
    };
    outcome.map_err(|error| PyImportError::new_err(error.to_string()))
}

fn listed(levels: &[ProcessorLevel]) -> String {
    let names: Vec<String> = levels.iter().map(|level| format!("{:?}", level.name())).collect();
    names.join(" or ")
}

/// The level in use.
#[pyfunction]
fn processor_level() -> &'static str {
    ProcessorLevel::current().name()
}

/// All levels that this processor has, lowest first.
#[pyfunction]
fn processor_levels() -> Vec<&'static str> {
    ProcessorLevel::available().into_iter().map(ProcessorLevel::name).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(processor_level, module)?)?;
    module.add_function(wrap_pyfunction!(processor_levels, module)?)
}
