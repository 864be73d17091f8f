//! The native module of textgrain: thin wrappers around `textgrain-core`.
#![allow(clippy::needless_pass_by_value, reason = "arguments come out of Python by value")]

mod boundary;
mod bpe;
mod calls;
mod convert;
mod corpus;
mod counts;
mod documents;
mod embed;
mod extend;
mod fasttext;
mod glove;
mod idfile;
mod ngrams;
mod objects;
mod phrases;
mod processor;
mod quantized;
mod search;
mod statistics;
mod stream;
mod tokenizer;
mod tokenizer_files;
mod unicode;
mod unigram;
mod vectors;

use std::path::PathBuf;

use pyo3::prelude::*;

const PROFILE: &str = match (cfg!(debug_assertions), cfg!(profiled)) {
    (true, _) => "debug",
    (false, true) => "release, profiled",
    (false, false) => "release",
};

/// How this module was built, so that a benchmark of a debug build is noticed.
#[pyfunction]
fn build_info() -> Vec<(&'static str, String)> {
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("profile", PROFILE.to_owned()),
        ("target", format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)),
    ]
}

/// Raises now if a file could not be written to `path` later.
#[pyfunction]
fn check_writable(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    boundary::run(py, None, |_| textgrain_core::files::check_writable(&path))
}

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Before anything can have run.
    processor::obey_environment()?;
    module.add_function(wrap_pyfunction!(build_info, module)?)?;
    module.add_function(wrap_pyfunction!(check_writable, module)?)?;
    corpus::register(module)?;
    counts::register(module)?;
    documents::register(module)?;
    extend::register(module)?;
    bpe::register(module)?;
    statistics::register(module)?;
    stream::register(module)?;
    tokenizer::register(module)?;
    tokenizer_files::register(module)?;
    calls::register(module)?;
    unigram::register(module)?;
    embed::register(module)?;
    fasttext::register(module)?;
    glove::register(module)?;
    idfile::register(module)?;
    phrases::register(module)?;
    processor::register(module)?;
    vectors::register(module)?;
    search::register(module)?;
    quantized::register(module)?;
    ngrams::register(module)?;
    Ok(())
}
