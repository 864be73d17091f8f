//! The native module of textgrain: thin wrappers around `textgrain-core`.

mod boundary;
mod bpe;
mod convert;
mod corpus;
mod tokenizer;

use pyo3::prelude::*;

/// How this module was built, so that a benchmark of a debug build is noticed.
#[pyfunction]
fn build_info() -> Vec<(&'static str, String)> {
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("profile", if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned()),
        ("target", format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)),
    ]
}

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(build_info, module)?)?;
    corpus::register(module)?;
    bpe::register(module)?;
    tokenizer::register(module)?;
    Ok(())
}
