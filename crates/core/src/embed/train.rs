//! A run: read, count, then epochs of windows over all threads.

use super::cbow::Cbow;
use super::checkpoint::Checkpoint;
use super::config::{Architecture, Defaults, LossKind, Word2VecConfig};
use super::epochs::Standing;
use super::loss::{HierarchicalSoftmax, NegativeSampling};
use super::pauses::Pauses;
use super::random::Random;
use super::reading::{Input, Reading, WordLimits};
use super::run::{self, Run, Words};
use super::shared::SharedMatrix;
use super::skip_gram::SkipGram;
use super::vocab::Vocabulary;
use crate::corpus::ReadReport;
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::vectors::WordVectors;

/// What a run may be given besides settings and a corpus.
#[derive(Default)]
pub struct Extras<'a> {
    /// Vectors to start from; their words are kept, and those of the corpus added.
    pub init_from: Option<&'a WordVectors>,
    /// Where the run is written down; it goes on from there if the file exists.
    pub checkpoint: Option<Checkpoint>,
    /// Asked after each epoch whether to go on.
    pub after_epoch: Option<&'a mut AfterEpoch<'a>>,
}

/// Asked after an epoch whether to go on.
pub type AfterEpoch<'a> = dyn FnMut(EpochEnd) -> Result<bool> + 'a;

/// The state of a run after an epoch.
#[derive(Debug)]
pub struct EpochEnd {
    /// The number of the epoch, from 1.
    pub number: u64,
    /// The mean loss of its predictions.
    pub loss: f64,
    /// The mean loss of what is not learned from, if anything is not.
    pub held_out_loss: Option<f64>,
    /// The step size that the next epoch starts with.
    pub learning_rate: f64,
    /// The vectors as they are now.
    pub vectors: WordVectors,
}

/// What a run returns.
#[derive(Debug)]
pub struct Trained {
    /// The vectors.
    pub vectors: WordVectors,
    /// What was read.
    pub report: ReadReport,
    /// What the settings left at "auto" came out as.
    pub settled: Defaults,
    /// Words with a vector, over the whole corpus.
    pub words: u64,
}

impl Extras<'_> {
    /// Reads what a run learns from, once it is sure that the run can start from its vectors and be written down.
    pub(crate) fn read(
        &self,
        input: Input<'_>,
        vector_size: i64,
        limits: WordLimits,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Reading> {
        if let Some(known) = self.init_from {
            check_size(known, vector_size)?;
        }
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.check()?;
        }
        input.read(limits, self.init_from, threads, observer)
    }
}

/// Fails if vectors to start from have another size than the settings ask for.
fn check_size(known: &WordVectors, vector_size: i64) -> Result<()> {
    if known.size() as i64 == vector_size {
        return Ok(());
    }
    let rule = format!("must be that of init_from ({})", known.size());
    Err(Error::parameter("vector_size", rule, vector_size))
}

/// Trains vectors of the words of `input`.
///
/// With one thread the same settings and corpus give the same bytes, and so they do with any number of
/// threads if the settings say `deterministic`. Otherwise threads change shared rows without locks, and two
/// runs differ a little.
pub fn train(
    input: Input<'_>,
    config: &Word2VecConfig,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let (size, limits) = (config.vector_size, config.limits());
    let Reading { vocabulary, occurrences, ids, report } =
        extras.read(input, size, limits, threads, observer)?;
    let Extras { init_from, checkpoint, after_epoch } = extras;
    let words: u64 = occurrences.iter().sum();
    let settled = config.settle(words);
    let course = run::course(config, &ids, &occurrences, settled, config.usual_rate())?;
    let settings = run::settings_of("word2vec", config, config, settled);
    let run = Run { config, settings, vocabulary, occurrences, course, init_from };
    let vectors = run.train(&WholeWords, checkpoint.as_ref(), after_epoch, threads, observer)?;
    Ok(Trained { vectors, report, settled, words })
}

/// The vector of a word is its own row.
struct WholeWords;

impl Words for WholeWords {
    /// Rows of small random numbers, but for words that have a vector already.
    fn start(&self, run: &Run<'_>, observer: &mut dyn Observer) -> Result<SharedMatrix> {
        let size = run.config.vector_size as usize;
        let rows = run.vocabulary.words.len();
        let mut random = Random::new(run.config.seed as u64, u64::MAX);
        // word2vec starts at random numbers of at most half of one, divided by the size.
        let scale = 1.0 / size as f32;
        let set = |row: usize, floats: &mut [f32]| {
            floats.fill_with(|| random.centered() * scale);
            let word = &run.vocabulary.words[row];
            if let Some(known) = run.init_from
                && let Some(place) = known.words().row(word)
            {
                floats.copy_from_slice(&known.row(place));
            }
        };
        let mut matrix = SharedMatrix::new(rows, size)?;
        let mut pacer = Pacer::new(observer);
        matrix.fill(size, set, &mut |row| {
            pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "vectors"))
        })?;
        Ok(matrix)
    }

    fn learn(
        &self,
        run: &Run<'_>,
        [input, output]: [&SharedMatrix; 2],
        threads: usize,
        standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let Word2VecConfig { architecture, loss, shared_negatives: shared, .. } = *run.config;
        let noise = || NegativeSampling::new(run.config, &run.occurrences);
        let tree = || HierarchicalSoftmax::new(&run.occurrences);
        match (architecture, loss) {
            (Architecture::SkipGram, LossKind::NegativeSampling) => {
                let method = SkipGram { input, output, loss: noise(), shared };
                run.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::SkipGram, LossKind::HierarchicalSoftmax) => {
                let method = SkipGram { input, output, loss: tree(), shared: true };
                run.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::Cbow, LossKind::NegativeSampling) => {
                let method = Cbow { input, output, loss: noise() };
                run.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::Cbow, LossKind::HierarchicalSoftmax) => {
                let method = Cbow { input, output, loss: tree() };
                run.course.train(&method, threads, standing, pauses, observer)
            }
        }
    }

    fn vectors(
        &self,
        run: &Run<'_>,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let Vocabulary { words, counts } = &run.vocabulary;
        let (rows, size) = (words.len() as u64, run.config.vector_size as usize);
        let mut pacer = Pacer::new(observer);
        let matrix = input.copy(size, &mut |row| {
            pacer.tick(|| Progress::new("finishing", row, Some(rows), "vectors"))
        })?;
        let (settings, history) = (run.settings(standing), standing.history.clone());
        let names = words.iter().map(String::as_str);
        WordVectors::new(names, matrix, size, counts.clone(), settings, history)
    }
}
