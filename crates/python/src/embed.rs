//! Training of word vectors.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use textgrain_core::corpus::DocumentStream;
use textgrain_core::embed::{
    self, Architecture, Checkpoint, CutWords, EpochEnd, Extras, Input, LossKind, Word2VecConfig,
};
use textgrain_core::observe::Observer;
use textgrain_core::phrases::Cutter;
use textgrain_core::{Error, Result};

use crate::boundary;
use crate::convert;
use crate::corpus::{Opened, Report, Source};
use crate::idfile::IdFile;
use crate::phrases::WordSplit;
use crate::tokenizer::Tokenizer;
use crate::vectors::WordVectors;

/// What is trained on, as Python says it.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Text(Py<Source>),
    Ids(Py<IdFile>),
}

/// How documents are cut, as Python says it.
#[derive(FromPyObject)]
pub(crate) enum Split {
    Words(WordSplit),
    Tokenizer(Py<Tokenizer>),
}

/// How documents are cut.
pub(crate) enum Cutting {
    Words(Cutter),
    Tokens(Py<Tokenizer>),
}

impl Split {
    pub(crate) fn cutting(self) -> Result<Cutting> {
        match self {
            Self::Words(split) => split.cutter().map(Cutting::Words),
            Self::Tokenizer(tokenizer) => Ok(Cutting::Tokens(tokenizer)),
        }
    }
}

impl Cutting {
    /// Calls `read` with what cuts documents so.
    pub(crate) fn with<Output>(
        &self,
        observer: &mut dyn Observer,
        read: impl FnOnce(&dyn CutWords, &mut dyn Observer) -> Result<Output>,
    ) -> Result<Output> {
        match self {
            Self::Words(cutter) => read(cutter, observer),
            Self::Tokens(tokenizer) => embed::with_cut(&tokenizer.get().core(), observer, read),
        }
    }
}

/// Vectors, what was read, and `(small_corpus, words)`: whether "auto" chose for a small corpus, and the
/// words with a vector over the whole corpus.
pub(crate) type Trained = (WordVectors, Report, bool, u64);

/// Trains word vectors; every setting is checked by the core.
#[pyfunction]
#[pyo3(signature = (source, *, architecture, loss, vector_size, window, min_count, max_vocab, negative,
    shared_negatives, ns_exponent, subsample, shrink_window, epochs, learning_rate, min_learning_rate,
    negative_may_equal_target, held_out, patience, deterministic, seed, split, lowercase, init_from, checkpoint,
    checkpoint_seconds, on_epoch, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "each setting is named once, here and in Python")]
#[allow(clippy::fn_params_excessive_bools, reason = "they are keywords in Python")]
fn train_word2vec(
    py: Python<'_>,
    source: Given,
    architecture: &str,
    loss: &str,
    vector_size: i64,
    window: i64,
    min_count: i64,
    max_vocab: Option<i64>,
    negative: i64,
    shared_negatives: bool,
    ns_exponent: f64,
    subsample: Option<f64>,
    shrink_window: Option<bool>,
    epochs: i64,
    learning_rate: Option<f64>,
    min_learning_rate: Option<f64>,
    negative_may_equal_target: bool,
    held_out: f64,
    patience: i64,
    deterministic: bool,
    seed: i64,
    split: Split,
    lowercase: bool,
    init_from: Option<Py<WordVectors>>,
    checkpoint: Option<PathBuf>,
    checkpoint_seconds: f64,
    on_epoch: Option<Py<PyAny>>,
    threads: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Trained> {
    let check = || {
        let config = Word2VecConfig {
            architecture: Architecture::from_name(architecture)?,
            loss: LossKind::from_name(loss)?,
            vector_size,
            window,
            min_count,
            max_vocab,
            negative,
            shared_negatives,
            ns_exponent,
            subsample,
            shrink_window,
            epochs,
            learning_rate,
            min_learning_rate,
            negative_may_equal_target,
            held_out,
            patience,
            deterministic,
            seed,
            lowercase,
        };
        config.validate()?;
        let checkpoint = checkpoint_of(checkpoint, checkpoint_seconds)?;
        Ok((config, split.cutting()?, checkpoint))
    };
    let (config, cutting, checkpoint) = check().map_err(|error| boundary::to_python(py, error))?;
    let threads = convert::threads(threads.as_ref())?;
    let going = Going { init_from, checkpoint, on_epoch };
    let trained = going.run(py, source, &cutting, progress, |input, extras, observer| {
        embed::train(input, &config, extras, threads, observer)
    });
    trained.map(to_python)
}

/// Where a run is written down, and how often.
pub(crate) fn checkpoint_of(path: Option<PathBuf>, seconds: f64) -> Result<Option<Checkpoint>> {
    let every = Duration::try_from_secs_f64(seconds).map_err(|_| {
        Error::parameter("checkpoint_minutes", "must be at least 0", seconds / 60.0)
    })?;
    Ok(path.map(|path| Checkpoint { path, every }))
}

/// What a run may be given besides settings and a corpus.
pub(crate) struct Going {
    pub(crate) init_from: Option<Py<WordVectors>>,
    pub(crate) checkpoint: Option<Checkpoint>,
    pub(crate) on_epoch: Option<Py<PyAny>>,
}

impl Going {
    /// Calls `train` with what is to be read, and with what else a run is given.
    pub(crate) fn run<Output: Send>(
        self,
        py: Python<'_>,
        source: Given,
        cutting: &Cutting,
        progress: Option<Py<PyAny>>,
        train: impl FnOnce(Input<'_>, Extras<'_>, &mut dyn Observer) -> Result<Output> + Send,
    ) -> PyResult<Output> {
        let Self { init_from, checkpoint, on_epoch } = self;
        with_input(py, source, cutting, progress, |input, observer| {
            let mut ask = |epoch| match &on_epoch {
                Some(callback) => tell(callback, epoch),
                None => Ok(true),
            };
            let extras = Extras {
                init_from: init_from.as_ref().map(|vectors| vectors.get().core()),
                checkpoint,
                after_epoch: on_epoch.is_some().then_some(&mut ask),
            };
            train(input, extras, observer)
        })
    }
}

/// Calls `read` with the documents of a source, or with a file of ids that the tokenizer in `cutting` made.
pub(crate) fn with_input<Output: Send>(
    py: Python<'_>,
    source: Given,
    cutting: &Cutting,
    progress: Option<Py<PyAny>>,
    read: impl FnOnce(Input<'_>, &mut dyn Observer) -> Result<Output> + Send,
) -> PyResult<Output> {
    match source {
        Given::Text(source) => {
            let opened = source.get().open(py)?;
            boundary::run(py, progress, |observer| {
                let mut stream = documents(opened)?;
                match cutting {
                    Cutting::Words(cutter) => read(Input::Words(stream.as_mut(), cutter), observer),
                    Cutting::Tokens(tokenizer) => {
                        read(Input::Tokens(stream.as_mut(), &tokenizer.get().core()), observer)
                    }
                }
            })
        }
        Given::Ids(file) => boundary::run(py, progress, |observer| {
            let Cutting::Tokens(tokenizer) = cutting else {
                let rule = "must be the tokenizer that made the file of ids";
                return Err(Error::parameter("split", rule, "a rule for text"));
            };
            read(Input::Ids(file.get().core(), &tokenizer.get().core()), observer)
        }),
    }
}

/// What a run returns, as Python takes it.
pub(crate) fn to_python(trained: embed::Trained) -> Trained {
    let embed::Trained { vectors, report, settled, words } = trained;
    (vectors.into(), report.into(), settled.small_corpus, words)
}

/// Calls a Python callable with an epoch; it says whether to go on.
fn tell(callback: &Py<PyAny>, epoch: EpochEnd) -> Result<bool> {
    let EpochEnd { number, loss, held_out_loss, learning_rate, vectors } = epoch;
    Python::attach(|py| {
        let vectors = WordVectors::from(vectors);
        callback.call1(py, (number, loss, held_out_loss, learning_rate, vectors))?.extract(py)
    })
    .map_err(|error: PyErr| Error::Caller(Box::new(error)))
}

/// The documents of a corpus that vectors learn from.
pub(crate) fn documents(opened: Opened) -> Result<Box<dyn DocumentStream + Send>> {
    opened.documents(
        "which have no order, so no word has a context to learn from. Train vectors on text: \
         Corpus.from_files or Corpus.from_iterable",
    )
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_word2vec, module)?)
}
