//! Training of tokenizers.

use pyo3::prelude::*;
use textgrain_core::bpe::{BpeOptions, BpeSettings, Symbols, TieBreak};
use textgrain_core::formats::split_spec;
use textgrain_core::tokenizer::word_piece_train::train_word_piece;
use textgrain_core::tokenizer::{Kind, LevelSettings, WordOrder, levels};

use crate::boundary;
use crate::convert::{self, required, whole};
use crate::corpus::{Report, Source};
use crate::counts::PieceSource;
use crate::tokenizer::Tokenizer;

#[pyfunction]
#[pyo3(signature = (source, *, vocab_size, merges, split, symbols, end_of_word, space_prefix, tie_break,
    min_frequency, special_tokens, unknown_token, limit_alphabet, initial_alphabet, max_token_length,
    seed_merges, forbidden_merges, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "one for each setting, all named by the caller")]
fn train_bpe(
    py: Python<'_>,
    source: &Source,
    vocab_size: Option<Bound<'_, PyAny>>,
    merges: Option<Bound<'_, PyAny>>,
    split: &str,
    symbols: &str,
    end_of_word: Option<String>,
    space_prefix: bool,
    tie_break: &str,
    min_frequency: Bound<'_, PyAny>,
    special_tokens: Vec<String>,
    unknown_token: Option<String>,
    limit_alphabet: Option<Bound<'_, PyAny>>,
    initial_alphabet: Vec<String>,
    max_token_length: Option<Bound<'_, PyAny>>,
    seed_merges: Vec<(String, String)>,
    forbidden_merges: Vec<(String, String)>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Tokenizer, Report)> {
    let threads = convert::threads(threads.as_ref())?;
    let vocab_size = whole("vocab_size", vocab_size.as_ref(), 1)?;
    let merges = whole("merges", merges.as_ref(), 0)?;
    let min_frequency = required("min_frequency", &min_frequency, 0)?;
    let options = BpeOptions {
        limit_alphabet: whole("limit_alphabet", limit_alphabet.as_ref(), 1)?,
        initial_alphabet,
        max_token_length: whole("max_token_length", max_token_length.as_ref(), 1)?,
        seed_merges,
        forbidden_merges,
    };
    let settings = || {
        let settings = BpeSettings {
            vocab_size,
            merges,
            splitter: split_spec::parse(split, space_prefix)?,
            symbols: Symbols::parse(symbols)?,
            end_of_word,
            tie_break: TieBreak::parse(tie_break)?,
            min_frequency,
            special_tokens,
            unknown_token,
            options,
        };
        settings.validate().map(|()| settings)
    };
    let settings = settings().map_err(|error| boundary::to_python(py, error))?;
    let opened = PieceSource::open(py, source, &settings.splitter)?;
    boundary::run(py, progress, |observer| {
        let pieces = opened.count(&settings.splitter, threads, observer)?;
        let pieces = pieces.as_ref();
        let report = pieces.report.clone();
        let tokenizer =
            textgrain_core::tokenizer::Tokenizer::train_bpe(pieces, &settings, observer)?;
        Ok((Tokenizer::from(tokenizer), Report::from(report)))
    })
}

#[pyfunction]
#[pyo3(signature = (source, *, kind, vocab_size, split, order, min_frequency, special_tokens, unknown_token,
    threads, progress))]
#[allow(clippy::too_many_arguments, reason = "one for each setting, all named by the caller")]
fn train_level(
    py: Python<'_>,
    source: &Source,
    kind: &str,
    vocab_size: Option<Bound<'_, PyAny>>,
    split: &str,
    order: &str,
    min_frequency: Bound<'_, PyAny>,
    special_tokens: Vec<String>,
    unknown_token: Option<String>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Tokenizer, Report)> {
    let threads = convert::threads(threads.as_ref())?;
    let vocab_size = whole("vocab_size", vocab_size.as_ref(), 1)?;
    let min_frequency = required("min_frequency", &min_frequency, 0)?;
    let kind = Kind::parse(kind).unwrap_or(Kind::WordLevel);
    let settings = || {
        let settings = LevelSettings {
            kind,
            vocab_size,
            splitter: split_spec::parse(split, false)?,
            order: WordOrder::parse(order)?,
            min_frequency,
            special_tokens,
            unknown_token,
        };
        settings.validate()?;
        Ok(settings)
    };
    let settings: LevelSettings = settings().map_err(|error| boundary::to_python(py, error))?;
    let opened = PieceSource::open(py, source, &settings.splitter)?;
    boundary::run(py, progress, |observer| {
        let pieces = opened.count(&settings.splitter, threads, observer)?;
        let pieces = pieces.as_ref();
        let report = pieces.report.clone();
        let tokenizer = match kind {
            Kind::CharLevel => levels::train_char_level(pieces, &settings, observer)?,
            Kind::WordPiece => train_word_piece(pieces, &settings, observer)?,
            _ => levels::train_word_level(pieces, &settings, observer)?,
        };
        Ok((Tokenizer::from(tokenizer), Report::from(report)))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(train_level, module)?)
}
