//! Tokenizers: text in, ids out, and back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use textgrain_core::Result;
use textgrain_core::bpe::encode::MergeOrder;
use textgrain_core::formats::{sentencepiece, split_spec, tiktoken, tokenizer_json};
use textgrain_core::observe::{Observer, Pacer, Progress};
use textgrain_core::tokenizer::post_processor::Slot;
use textgrain_core::tokenizer::sample::Sampling;
use textgrain_core::tokenizer::{Model, SpecialPolicy, Tokenizer as Core};

use crate::boundary;
use crate::calls;
use crate::convert;

/// A trained tokenizer; `textgrain.Tokenizer` documents what it does.
#[pyclass(frozen, module = "textgrain._native")]
#[derive(Clone)]
pub(crate) struct Tokenizer(pub(crate) Arc<Core>);

impl Tokenizer {
    pub(crate) fn core(&self) -> Arc<Core> {
        Arc::clone(&self.0)
    }
}

impl From<Core> for Tokenizer {
    fn from(core: Core) -> Self {
        Self(Arc::new(core))
    }
}

/// A merge and its record: left, right, token, total, tied pairs, runner-up, its total, first pieces.
type MergeRow = (u32, u32, u32, u64, u32, Option<(u32, u32)>, u64, Option<(String, String)>);
/// A piece: text, start in characters, first symbols, steps of rank and symbols, ids.
type ExplainedRow = (String, usize, Vec<u32>, Vec<(u32, Vec<u32>)>, Vec<u32>);

#[pymethods]
impl Tokenizer {
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        calls::encode_ids(&self.0, py, text, special)
    }

    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyAny>>,
        threads: Option<Bound<'py, PyAny>>,
        special: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>)> {
        let threads = convert::threads(threads.as_ref())?;
        let strings = texts.iter().enumerate().map(|(index, text)| as_string(index, text));
        let strings = strings.collect::<PyResult<Vec<_>>>()?;
        let texts = strings.iter().map(|string| convert::text(string));
        let texts = texts.collect::<PyResult<Vec<_>>>()?;
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let (ids, offsets) = boundary::run(py, progress, |observer| {
            self.0.encode_batch(&texts, threads, SpecialPolicy::parse(special)?, observer)
        })?;
        Ok((ids.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// The first ids of a text, and whether there are more.
    fn encode_at_most<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
        max_tokens: Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, bool)> {
        let limit = convert::required("max_tokens", &max_tokens, 0)? as usize;
        let text = convert::text(text)?;
        let (ids, more) = boundary::run(py, None, |observer| {
            let policy = SpecialPolicy::parse(special)?;
            with_look(observer, |look| self.0.encode_at_most(&text, policy, limit, look))
        })?;
        Ok((ids.into_pyarray(py), more))
    }

    /// For each token where it begins and ends, in characters and in bytes, and the number of its piece.
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn places<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
        limit: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>)>
    {
        let text = convert::text(text)?;
        let places = boundary::run(py, None, |observer| {
            let policy = SpecialPolicy::parse(special)?;
            with_look(observer, |look| self.0.places(&text, policy, limit, look))
        })?;
        let flat = |spans: Vec<(usize, usize)>| -> Vec<u64> {
            spans.into_iter().flat_map(|(start, end)| [start as u64, end as u64]).collect()
        };
        Ok((
            flat(places.characters).into_pyarray(py),
            flat(places.bytes).into_pyarray(py),
            places.pieces.into_pyarray(py),
        ))
    }

    /// Which of these ids are special tokens.
    fn special_mask<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mask: Vec<bool> = ids.as_slice()?.iter().map(|&id| self.0.is_special_id(id)).collect();
        Ok(mask.into_pyarray(py))
    }

    /// What is put around one text or a pair: for each part the number of its text and 0, or -1 and the id of
    /// a special token; and its kind of segment.
    fn layout(&self, is_pair: bool) -> Vec<(i8, u32, u32)> {
        let slot = |slot: Slot| match slot {
            Slot::Text { which, type_id } => (which as i8, 0, type_id),
            Slot::Special { id, type_id } => (-1, id, type_id),
        };
        self.0.layout(is_pair).into_iter().map(slot).collect()
    }

    /// The text of ids, and where in it each begins and ends, in characters.
    fn decode_with_offsets(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<(String, Vec<(usize, usize)>)> {
        let ids = ids.as_slice()?;
        boundary::run(py, None, |_| self.0.decode_with_offsets(ids))
    }

    fn explain(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        special: &str,
    ) -> PyResult<Vec<ExplainedRow>> {
        let text = convert::text(text)?;
        let pieces = boundary::run(py, None, |observer| {
            let policy = SpecialPolicy::parse(special)?;
            with_look(observer, |look| self.0.explain(&text, policy, look))
        })?;
        let row = |piece: textgrain_core::tokenizer::ExplainedPiece| {
            let steps = piece.steps.into_iter().map(|step| (step.rank, step.symbols)).collect();
            (piece.text, piece.start, piece.symbols, steps, piece.ids)
        };
        Ok(pieces.into_iter().map(row).collect())
    }

    #[getter]
    fn vocab_size(&self) -> usize {
        self.0.vocabulary().len()
    }

    #[getter]
    fn lossless(&self) -> bool {
        self.0.lossless()
    }

    #[getter]
    fn fingerprint(&self) -> String {
        format!("xxh3:{:032x}", self.0.fingerprint())
    }

    /// All tokens as text, in the order of their ids.
    fn vocabulary(&self) -> Vec<String> {
        let vocabulary = self.0.vocabulary();
        (0..vocabulary.len() as u32).map(|id| vocabulary.text(id)).collect()
    }

    /// The tokens of ids, as text.
    fn tokens(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<Vec<String>> {
        let tokens = ids.as_slice()?.iter().map(|&id| {
            self.0.check_id(id)?;
            Ok(self.0.vocabulary().text(id))
        });
        tokens.collect::<Result<_>>().map_err(|error| boundary::to_python(py, error))
    }

    /// The bytes of a token as it is shown, with its marker.
    fn id_to_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyBytes>> {
        self.0.check_id(id).map_err(|error| boundary::to_python(py, error))?;
        Ok(PyBytes::new(py, &self.0.vocabulary().shown(id)))
    }

    /// The id of a token, given as text or bytes.
    fn token_to_id(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        if let Ok(bytes) = token.cast::<PyBytes>() {
            return Ok(self.0.vocabulary().id_of(bytes.as_bytes()));
        }
        let text = token.cast::<PyString>()?;
        Ok(text.to_str().ok().and_then(|text| self.0.vocabulary().id_of_text(text)))
    }

    /// Special tokens with their ids, in order.
    fn special_tokens(&self) -> Vec<(String, u32)> {
        self.0.settings().special_tokens.iter().cloned().zip(self.0.special_ids()).collect()
    }

    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.0.settings();
        let items = PyDict::new(py);
        items.set_item("kind", settings.kind.name())?;
        items.set_item("vocab_size", settings.vocab_size)?;
        items.set_item("merges", settings.merges)?;
        items.set_item("split", split_spec::write(&settings.splitter))?;
        items.set_item("symbols", settings.symbols.name())?;
        items.set_item("end_of_word", settings.end_of_word.as_deref())?;
        items.set_item("space_prefix", settings.splitter.space_prefix())?;
        let is_ranked =
            matches!(self.0.model(), Model::Bpe(model) if model.order() == MergeOrder::LowestToken);
        items.set_item("tie_break", (!is_ranked).then(|| settings.tie_break.name()))?;
        items.set_item("order", settings.order.name())?;
        items.set_item("min_frequency", settings.min_frequency)?;
        items.set_item("special_tokens", settings.special_tokens.clone())?;
        items.set_item("unknown_token", settings.unknown_token.as_deref())?;
        let options = &settings.options;
        items.set_item("limit_alphabet", options.limit_alphabet)?;
        items.set_item("initial_alphabet", options.initial_alphabet.clone())?;
        items.set_item("max_token_length", options.max_token_length)?;
        items.set_item("seed_merges", options.seed_merges.clone())?;
        items.set_item("forbidden_merges", options.forbidden_merges.clone())?;
        Ok(items)
    }

    /// The merges by id, in order: left, right, token.
    fn merges(&self) -> Vec<(u32, u32, u32)> {
        match self.0.model() {
            Model::Bpe(model) => {
                let merges = model.merges.iter();
                merges.map(|merge| (merge.pair.left, merge.pair.right, merge.token)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn history(&self) -> Option<Vec<MergeRow>> {
        let history = self.0.history()?;
        let Model::Bpe(model) = self.0.model() else { return None };
        let piece = |index: u32| history.pieces[index as usize].clone();
        let rows = model.merges.iter().zip(&history.records).map(|(merge, record)| {
            (
                merge.pair.left,
                merge.pair.right,
                merge.token,
                record.total,
                record.tied_pairs,
                record.runner_up.map(|pair| (pair.left, pair.right)),
                record.runner_up_total,
                record.first_pieces.map(|(winner, other)| (piece(winner), piece(other))),
            )
        });
        Some(rows.collect())
    }

    #[getter]
    fn hugging_face_reason(&self) -> Option<String> {
        tokenizer_json::hugging_face_reason(&self.0)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        boundary::run(py, None, |_| tokenizer_json::save(&self.0, &path))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        boundary::run(py, None, |_| tokenizer_json::load(&path).map(Self::from))
    }

    fn save_tiktoken(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        boundary::run(py, None, |observer| {
            with_look(observer, |look| tiktoken::save(&self.0, &path, look))
        })
    }

    #[staticmethod]
    fn load_tiktoken(
        py: Python<'_>,
        path: PathBuf,
        split: &str,
        special_tokens: Vec<(String, i64)>,
    ) -> PyResult<Self> {
        boundary::run(py, None, |observer| {
            let split = split_spec::parse(split, false)?;
            let load = |look: &mut dyn FnMut() -> Result<()>| {
                tiktoken::load(&path, &split, &special_tokens, look)
            };
            with_look(observer, load).map(Self::from)
        })
    }

    fn save_sentencepiece(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        boundary::run(py, None, |_| sentencepiece::save_tokenizer(&self.0, &path))
    }

    #[staticmethod]
    fn load_sentencepiece(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        boundary::run(py, None, |_| {
            sentencepiece::load(&path).map(Core::from_sentencepiece).map(Self::from)
        })
    }

    fn sample<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
        alpha: Option<f64>,
        dropout: Option<f64>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let text = convert::text(text)?;
        let ids = boundary::run(py, None, |observer| {
            let policy = SpecialPolicy::parse(special)?;
            let sampling = Sampling::parse(alpha, dropout)?;
            with_look(observer, |look| self.0.sample(&text, policy, sampling, seed, look))
        })?;
        Ok(ids.into_pyarray(py))
    }

    #[allow(clippy::type_complexity, reason = "ids and a sum for each way")]
    fn n_best<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        count: Bound<'py, PyAny>,
        special: &str,
    ) -> PyResult<Vec<(Bound<'py, PyArray1<u32>>, f64)>> {
        let text = convert::text(text)?;
        let count = convert::required("n", &count, 1)?;
        let ways = boundary::run(py, None, |observer| {
            let policy = SpecialPolicy::parse(special)?;
            with_look(observer, |look| self.0.n_best(&text, policy, count as usize, look))
        })?;
        Ok(ways.into_iter().map(|(ids, score)| (ids.into_pyarray(py), score)).collect())
    }

    /// A text as the tokenizer sees it before it is cut.
    fn normalize(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<String> {
        let text = convert::text(text)?;
        boundary::run(py, None, |_| Ok(self.0.normalize(&text)))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = boundary::run(py, None, |_| Ok(tokenizer_json::to_bytes(&self.0)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Encodings hold this object, so that a pickle of many of them holds the tokenizer once.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let content = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (content,)))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        let path = Path::new("<memory>");
        boundary::run(py, None, |_| tokenizer_json::from_bytes(content, path).map(Self::from))
    }
}

/// Gives the core a look at the caller's wish to stop that costs little.
pub(crate) fn with_look<T>(
    observer: &mut dyn Observer,
    call: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<T>,
) -> Result<T> {
    let mut pacer = Pacer::new(observer);
    call(&mut || pacer.tick(|| Progress::new("encoding", 0, None, "bytes")))
}

fn as_string<'py>(index: usize, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    text.cast::<PyString>().cloned().map_err(|_| {
        let kind = text.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("texts must be str, got {kind} for text {index}"))
    })
}

/// The pieces of a text under a split rule.
#[pyfunction]
fn split_pieces(py: Python<'_>, text: &Bound<'_, PyString>, split: &str) -> PyResult<Vec<String>> {
    let text = convert::text(text)?;
    boundary::run(py, None, |_| {
        let splitter = split_spec::parse(split, false)?;
        Ok(splitter.pieces(&splitter.prepared(&text)).map(|(_, piece)| piece.to_owned()).collect())
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(split_pieces, module)?)?;
    module.add_class::<Tokenizer>()
}
