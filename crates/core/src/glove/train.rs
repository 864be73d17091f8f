//! A run: read, count words, count pairs, then epochs over the cells in all threads.

use serde_json::{Value, json};

use super::blocks::Blocks;
use super::cells::{self, Cells, Table};
use super::config::GloVeConfig;
use super::cooccurrence::Counting;
use super::epochs::{Course, diverged};
use super::pairs::{DenseShape, Pairs, Scale};
use super::weights::{self, Weights};
use crate::corpus::ReadReport;
use crate::embed::checkpoint::{self, Checkpoint, Identity, Resumed};
use crate::embed::epochs::Standing;
use crate::embed::ids::IdCorpus;
use crate::embed::kept::Kept;
use crate::embed::pauses::Pauses;
use crate::embed::random::Random;
use crate::embed::reading::Reading;
use crate::embed::run;
use crate::embed::vocab::Vocabulary;
use crate::embed::{AfterEpoch, EpochEnd, Extras, Input};
use crate::error::Result;
use crate::observe::Observer;
use crate::vectors::WordVectors;

/// Bytes that pairs and cells may take in memory; what is beyond goes to temporary files.
pub(super) const MEMORY_BUDGET: u64 = 2 << 30;

/// The largest table of frequent pairs for a thread: more of it would be outside any cache.
const LARGEST_TABLE: u64 = 64 << 20;

/// What a run returns.
#[derive(Debug)]
pub struct Trained {
    /// The vectors.
    pub vectors: WordVectors,
    /// What was read.
    pub report: ReadReport,
}

/// How often words stand near each other.
#[derive(Debug)]
pub struct Counted {
    /// The words, in row order: by falling count, then by first appearance.
    pub words: Vec<String>,
    /// What is not 0.
    pub table: Table,
    /// What was read.
    pub report: ReadReport,
}

/// Trains vectors of the words of `input`.
///
/// The same settings and corpus give the same bytes on the same kind of processor, whatever the number of
/// threads.
pub fn train(
    input: Input<'_>,
    config: &GloVeConfig,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    train_within(MEMORY_BUDGET, input, config, extras, threads, observer)
}

/// Counts as [`train()`] does, and returns the counts.
pub fn count(
    input: Input<'_>,
    config: &GloVeConfig,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Counted> {
    config.validate()?;
    let reading = input.read(config.limits(), None, threads, observer)?;
    let words = Words::new(MEMORY_BUDGET, reading, config, threads);
    let pairs = words.count_pairs(MEMORY_BUDGET, config, observer)?;
    let table = cells::table(&pairs, &words.blocks, &words.scale, config.symmetric, observer)?;
    drop(pairs);
    Ok(Counted { words: words.vocabulary.words, table, report: words.report })
}

pub(super) fn train_within(
    memory: u64,
    input: Input<'_>,
    config: &GloVeConfig,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let reading = extras.read(input, config.vector_size, config.limits(), threads, observer)?;
    let Extras { init_from, checkpoint, after_epoch } = extras;
    let mut words = Words::new(memory, reading, config, threads);
    // Counting needs neither.
    let vocabulary = std::mem::take(&mut words.vocabulary);
    let occurrences = std::mem::take(&mut words.occurrences);
    let run = Run { config, vocabulary, occurrences, init_from };
    // Before the long part, so that a checkpoint of another run is refused at once.
    let written = checkpoint.map(|checkpoint| run.written(checkpoint, &words.ids)).transpose()?;
    let cells = {
        let pairs = words.count_pairs(memory, config, observer)?;
        let Words { blocks, scale, .. } = &words;
        Cells::new(&pairs, blocks, scale, config, threads, memory / 2, observer)?
    };
    let Words { blocks, report, .. } = words;
    let vectors = run.train(cells, &blocks, written, after_epoch, threads, observer)?;
    Ok(Trained { vectors, report })
}

/// Everything about a run but its cells and weights.
struct Run<'a> {
    config: &'a GloVeConfig,
    vocabulary: Vocabulary,
    /// How often each word occurs in the corpus itself.
    occurrences: Vec<u64>,
    init_from: Option<&'a WordVectors>,
}

/// Where a run is written down, and what it is gone on with from there.
struct Written {
    checkpoint: Checkpoint,
    identity: Identity,
    resumed: Option<Resumed>,
}

impl Run<'_> {
    fn train(
        &self,
        cells: Cells,
        blocks: &Blocks,
        mut written: Option<Written>,
        after_epoch: Option<&mut AfterEpoch<'_>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let mut weights = self.start(blocks, observer)?;
        let mut standing = Standing::default();
        if let Some(resumed) = written.as_mut().and_then(|written| written.resumed.take()) {
            weights.resume(&resumed)?;
            standing = resumed.standing;
        }
        let course = Course::new(self.config, &cells, &weights)?;
        let (mut kept, mut pauses) = (Kept::default(), Pauses::default());
        pauses.end_after(self.config.patience, self.config.held_out);
        if let Some(Written { checkpoint: Checkpoint { path, every }, identity, .. }) = &written {
            let weights = &weights;
            let save = move |standing: &Standing| {
                checkpoint::save(path, identity, &weights.written(), standing)
            };
            pauses.checkpoint = Some((Box::new(save), *every));
        }
        {
            let (weights, kept) = (&weights, &mut kept);
            pauses.keep = Some(Box::new(move |standing, observer| {
                weights.keep(kept, standing.clone(), observer)
            }));
        }
        if let Some(after_epoch) = after_epoch {
            let weights = &weights;
            pauses.after_epoch = Some(Box::new(move |standing| {
                after_epoch(self.epoch_end(weights.vectors(), standing)?)
            }));
        }
        let learned = course.train(threads, standing, &mut pauses, observer);
        drop(pauses);
        drop(cells);
        let finished = learned.and_then(|standing| self.finished(weights.vectors(), &standing));
        finished.map_err(|error| {
            let last_good = || {
                let words = self.vocabulary.words.len();
                let (matrix, standing) = weights::restore(kept, words, self.config)?;
                self.vectors(matrix, &standing).ok()
            };
            let checkpoint = written.as_ref().map(|written| &written.checkpoint);
            run::with_way_back(error.with_last_good(last_good), checkpoint)
        })
    }

    /// What is written down of a run on `ids` already, if anything is.
    fn written(&self, checkpoint: Checkpoint, ids: &IdCorpus) -> Result<Written> {
        let settings = self.settings(&Standing::default());
        let identity = Identity::new(settings, &self.vocabulary, ids)?;
        let resumed = Resumed::read(&checkpoint.path, &identity)?;
        Ok(Written { checkpoint, identity, resumed })
    }

    /// The weights as they are before anything is learned.
    fn start(&self, blocks: &Blocks, observer: &mut dyn Observer) -> Result<Weights> {
        let known = |row: u32| {
            let known = self.init_from?;
            let place = known.words().row(&self.vocabulary.words[row as usize])?;
            Some(known.row(place).into_owned())
        };
        let mut random = Random::new(self.config.seed as u64, u64::MAX);
        Weights::new(self.config, blocks, &known, &mut random, observer)
    }

    /// The vectors of a run that is over, if all of them are finite.
    fn finished(&self, matrix: Vec<f32>, standing: &Standing) -> Result<WordVectors> {
        let Some(bad) = matrix.iter().position(|number| !number.is_finite()) else {
            return self.vectors(matrix, standing);
        };
        let word = &self.vocabulary.words[bad / self.config.vector_size as usize];
        Err(diverged(self.config, &format!("the vector of {word:?} is not finite")))
    }

    fn epoch_end(&self, matrix: Vec<f32>, standing: &Standing) -> Result<EpochEnd> {
        Ok(EpochEnd {
            number: standing.history.len() as u64,
            loss: standing.history.last().copied().unwrap_or_default(),
            held_out_loss: standing.held_out.last().copied(),
            learning_rate: self.config.learning_rate,
            vectors: self.vectors(matrix, standing)?,
        })
    }

    fn vectors(&self, matrix: Vec<f32>, standing: &Standing) -> Result<WordVectors> {
        let Vocabulary { words, counts } = &self.vocabulary;
        let names = words.iter().map(String::as_str);
        let (size, history) = (self.config.vector_size as usize, standing.history.clone());
        let settings = self.settings(standing);
        WordVectors::new(names, matrix, size, counts.clone(), settings, history)
    }

    /// The settings, and facts on the run that belong with them.
    fn settings(&self, standing: &Standing) -> Value {
        let mut settings = json!({ "trainer": "glove" });
        if let (Some(all), Ok(Value::Object(part))) =
            (settings.as_object_mut(), serde_json::to_value(self.config))
        {
            all.extend(part);
        }
        run::note_held_out(&mut settings, standing);
        if let Some(known) = self.init_from {
            settings["init_from"] = run::matches(known, &self.vocabulary, &self.occurrences);
        }
        settings
    }
}

/// The corpus as ids, and how its pairs will be counted.
pub(super) struct Words {
    pub(super) vocabulary: Vocabulary,
    /// How often each word occurs in the corpus itself.
    occurrences: Vec<u64>,
    ids: IdCorpus,
    report: ReadReport,
    pub(super) blocks: Blocks,
    pub(super) scale: Scale,
    shape: DenseShape,
    /// Threads that have something to do.
    threads: usize,
}

impl Words {
    pub(super) fn new(memory: u64, reading: Reading, config: &GloVeConfig, threads: usize) -> Self {
        let Reading { vocabulary, occurrences, ids, report } = reading;
        let parts = ids.len().div_ceil(ids.part_size(threads)).max(1) as usize;
        let threads = threads.clamp(1, parts);
        let window = config.window as u64;
        let table = (memory / 8 / threads as u64).min(LARGEST_TABLE) as usize;
        let sides = if config.symmetric { 1 } else { 2 };
        Self {
            blocks: Blocks::new(&occurrences, window, weights::row_bytes(config)),
            scale: Scale::new(window, config.distance_weighting, ids.len()),
            shape: DenseShape::new(vocabulary.words.len(), table, sides),
            vocabulary,
            occurrences,
            ids,
            report,
            threads,
        }
    }

    pub(super) fn count_pairs(
        &self,
        memory: u64,
        config: &GloVeConfig,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Pairs<'_>>> {
        let counting = Counting {
            ids: &self.ids,
            window: config.window as usize,
            scale: &self.scale,
            shape: &self.shape,
            blocks: &self.blocks,
        };
        // An eighth is for the tables, half for the finished cells.
        let bytes = memory / 8 * 3 / self.threads as u64;
        counting.run(self.threads, bytes as usize, observer)
    }
}
