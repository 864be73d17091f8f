//! Phrases: found, kept, and applied to text.

use std::sync::Arc;

use pyo3::prelude::*;
use textgrain_core::embed::WordRule;
use textgrain_core::phrases::{self, Cutter, Phrase, PhraseConfig, Scoring};
use textgrain_core::{Error, Result};

use crate::boundary;
use crate::convert;
use crate::corpus::{Report, Source};
use crate::embed::documents;

/// How documents are cut into words, as Python says it.
#[derive(FromPyObject)]
pub(crate) enum WordSplit {
    Named(String),
    Phrases(Py<Phrases>),
}

impl WordSplit {
    pub(crate) fn cutter(self) -> Result<Cutter> {
        match self {
            Self::Named(name) => WordRule::from_name(&name).map(Cutter::Rule),
            Self::Phrases(phrases) => Ok(Cutter::Phrases(Arc::clone(&phrases.get().0))),
        }
    }
}

/// Pairs of words that are joined; wrapped by `textgrain.PhraseTable`.
#[pyclass(frozen, module = "textgrain._native")]
pub(crate) struct Phrases(Arc<phrases::Phrases>);

#[pymethods]
impl Phrases {
    /// Phrases from `(first, second, count, score)` of each.
    #[staticmethod]
    fn from_items(
        py: Python<'_>,
        split: WordSplit,
        delimiter: String,
        items: Vec<(String, String, u64, f64)>,
    ) -> PyResult<Self> {
        boundary::run(py, None, |_| {
            let listed = items.into_iter().map(|(first, second, count, score)| Phrase {
                first,
                second,
                count,
                score,
            });
            Ok(phrases::Phrases::new(split.cutter()?, delimiter, listed.collect()))
        })
        .map(|phrases| Self(Arc::new(phrases)))
    }

    fn __len__(&self) -> usize {
        self.0.listed().len()
    }

    fn items<'a>(&'a self) -> Vec<(&'a str, &'a str, u64, f64)> {
        let item = |phrase: &'a Phrase| {
            (phrase.first.as_str(), phrase.second.as_str(), phrase.count, phrase.score)
        };
        self.0.listed().iter().map(item).collect()
    }

    fn cut(&self, py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
        boundary::run(py, None, |_| {
            let mut words = Vec::new();
            self.0.cut(text, &mut |word| words.push(word.to_owned()));
            Ok(words)
        })
    }
}

/// Finds phrases; every setting is checked by the core.
#[pyfunction]
#[pyo3(signature = (source, *, min_count, threshold, scoring, delimiter, split, lowercase, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
fn train_phrases(
    py: Python<'_>,
    source: &Source,
    min_count: i64,
    threshold: Option<f64>,
    scoring: &str,
    delimiter: String,
    split: WordSplit,
    lowercase: bool,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Phrases, Report, f64)> {
    let check = || {
        let scoring = Scoring::from_name(scoring)?;
        let config = PhraseConfig { min_count, threshold, scoring, delimiter, lowercase };
        config.validate()?;
        Ok((config, split.cutter()?))
    };
    let (config, base) = check().map_err(|error: Error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let opened = source.open(py)?;
    let (found, report) = boundary::run(py, progress, |observer| {
        let mut stream = documents(opened)?;
        phrases::train(stream.as_mut(), &config, base, threads, observer)
    })?;
    Ok((Phrases(Arc::new(found)), report.into(), config.threshold()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_phrases, module)?)?;
    module.add_class::<Phrases>()
}
