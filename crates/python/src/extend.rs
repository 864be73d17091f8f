//! New tokenizers from old ones.

use pyo3::prelude::*;
use textgrain_core::bpe::{ExtendSettings, TieBreak};
use textgrain_core::tokenizer::AddedToken;

use crate::boundary;
use crate::convert::{self, required, whole};
use crate::corpus::{Report, Source};
use crate::counts::PieceSource;
use crate::tokenizer::Tokenizer;

#[pyfunction]
#[pyo3(signature = (tokenizer, source, *, vocab_size, merges, min_frequency, max_token_length, tie_break, threads,
    progress))]
#[allow(clippy::too_many_arguments, reason = "one for each setting, all named by the caller")]
fn extend_bpe(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    source: &Source,
    vocab_size: Option<Bound<'_, PyAny>>,
    merges: Option<Bound<'_, PyAny>>,
    min_frequency: Bound<'_, PyAny>,
    max_token_length: Option<Bound<'_, PyAny>>,
    tie_break: &str,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Tokenizer, Report)> {
    let threads = convert::threads(threads.as_ref())?;
    let settings = ExtendSettings {
        vocab_size: whole("vocab_size", vocab_size.as_ref(), 1)?,
        merges: whole("merges", merges.as_ref(), 0)?,
        min_frequency: required("min_frequency", &min_frequency, 0)?,
        max_token_length: whole("max_token_length", max_token_length.as_ref(), 1)?,
        tie_break: TieBreak::parse(tie_break).map_err(|error| boundary::to_python(py, error))?,
    };
    let core = &tokenizer.core();
    settings.validate(core).map_err(|error| boundary::to_python(py, error))?;
    let splitter = &core.settings().splitter;
    let opened = PieceSource::open(py, source, splitter)?;
    boundary::run(py, progress, |observer| {
        let pieces = opened.count_for(core, threads, observer)?;
        let pieces = pieces.as_ref();
        let extended = core.extend(pieces, &settings, observer)?;
        Ok((Tokenizer::from(extended), Report::from(pieces.report.clone())))
    })
}

#[pyfunction]
fn add_special_tokens(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    names: Vec<String>,
) -> PyResult<Tokenizer> {
    let added = tokenizer.core().with_special_tokens(&names);
    added.map(Tokenizer::from).map_err(|error| boundary::to_python(py, error))
}

#[pyfunction]
#[allow(clippy::fn_params_excessive_bools, reason = "one for each rule, as the format has them")]
fn add_tokens(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    names: Vec<String>,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
) -> PyResult<Tokenizer> {
    let token = |content: String| AddedToken {
        id: 0,
        content,
        single_word,
        lstrip,
        rstrip,
        normalized,
        special: false,
        in_model: false,
    };
    let tokens: Vec<AddedToken> = names.into_iter().map(token).collect();
    let added = tokenizer.core().with_added_tokens(&tokens);
    added.map(Tokenizer::from).map_err(|error| boundary::to_python(py, error))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extend_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(add_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(add_special_tokens, module)?)
}
