//! Tokenizers in files of other programs that are plain text.

use std::path::PathBuf;

use pyo3::prelude::*;
use textgrain_core::formats::tokenizer_format::{self, TokenizerFormat};
use textgrain_core::formats::{bert, gpt2, subword_nmt, tokenizer_json};

use crate::boundary;
use crate::tokenizer::Tokenizer;

/// The format of a file, as its content tells.
#[pyfunction]
fn recognize_tokenizer(py: Python<'_>, path: PathBuf) -> PyResult<&'static str> {
    boundary::run(py, None, |_| tokenizer_format::recognize(&path).map(TokenizerFormat::name))
}

#[pyfunction]
fn load_gpt2(
    py: Python<'_>,
    vocabulary: PathBuf,
    merges: PathBuf,
    special_tokens: Vec<String>,
) -> PyResult<Tokenizer> {
    boundary::run(py, None, |_| {
        gpt2::load(&vocabulary, &merges, &special_tokens).map(Tokenizer::from)
    })
}

#[pyfunction]
fn save_gpt2(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    vocabulary: PathBuf,
    merges: PathBuf,
) -> PyResult<()> {
    boundary::run(py, None, |_| gpt2::save(&tokenizer.core(), &vocabulary, &merges))
}

#[pyfunction]
fn load_bert(py: Python<'_>, path: PathBuf, lowercase: Option<bool>) -> PyResult<Tokenizer> {
    boundary::run(py, None, |_| bert::load(&path, lowercase).map(Tokenizer::from))
}

#[pyfunction]
fn save_bert(py: Python<'_>, tokenizer: &Tokenizer, path: PathBuf) -> PyResult<()> {
    boundary::run(py, None, |_| bert::save(&tokenizer.core(), &path))
}

#[pyfunction]
fn load_subword_nmt(
    py: Python<'_>,
    codes: PathBuf,
    vocabulary: Option<PathBuf>,
    unknown_token: Option<String>,
    special_tokens: Vec<String>,
) -> PyResult<Tokenizer> {
    let names = subword_nmt::Names { unknown: unknown_token.as_deref(), special: &special_tokens };
    boundary::run(py, None, |_| {
        subword_nmt::load(&codes, vocabulary.as_deref(), names).map(Tokenizer::from)
    })
}

#[pyfunction]
fn save_subword_nmt(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    codes: PathBuf,
    vocabulary: Option<PathBuf>,
) -> PyResult<()> {
    boundary::run(py, None, |_| subword_nmt::save(&tokenizer.core(), &codes, vocabulary.as_deref()))
}

/// Tokens as a `tokenizer.json` writes them, by id; empty where an id has no token.
#[pyfunction]
fn file_vocabulary(tokenizer: &Tokenizer) -> Vec<String> {
    let core = tokenizer.core();
    let form = |id| String::from_utf8_lossy(&core.file_form(id)).into_owned();
    (0..core.vocabulary().len() as u32).map(form).collect()
}

/// Truncation, padding and added tokens, as JSON.
#[pyfunction]
fn surroundings(tokenizer: &Tokenizer) -> String {
    tokenizer_json::surroundings(&tokenizer.core())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(recognize_tokenizer, module)?)?;
    module.add_function(wrap_pyfunction!(load_gpt2, module)?)?;
    module.add_function(wrap_pyfunction!(save_gpt2, module)?)?;
    module.add_function(wrap_pyfunction!(load_bert, module)?)?;
    module.add_function(wrap_pyfunction!(save_bert, module)?)?;
    module.add_function(wrap_pyfunction!(load_subword_nmt, module)?)?;
    module.add_function(wrap_pyfunction!(save_subword_nmt, module)?)?;
    module.add_function(wrap_pyfunction!(file_vocabulary, module)?)?;
    module.add_function(wrap_pyfunction!(surroundings, module)?)
}
