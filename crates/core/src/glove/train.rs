//! A run: read, count words, count pairs, then epochs over the cells in all threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::Blocks;
use super::cells::{self, Cells, Segment, Table};
use super::config::GloVeConfig;
use super::cooccurrence::Counting;
use super::order::Order;
use super::pairs::{DenseShape, Pairs, Scale};
use super::weights::{self, Weights};
use crate::corpus::{DocumentStream, ReadReport};
use crate::embed::CutWords;
use crate::embed::ids::IdCorpus;
use crate::embed::kept::Kept;
use crate::embed::random::Random;
use crate::embed::reading::{Reading, WordLimits};
use crate::embed::vocab::{self, Vocabulary};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::in_threads;
use crate::vectors::WordVectors;

/// Bytes that pairs and cells may take in memory; what is beyond goes to temporary files.
pub(super) const MEMORY_BUDGET: u64 = 2 << 30;

/// The largest table of frequent pairs for a thread: more of it would be outside any cache.
const LARGEST_TABLE: u64 = 64 << 20;

/// How much larger than at the start the loss may become before the run is given up.
const LARGEST_GROWTH: f64 = 100.0;

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

/// Trains word vectors on the documents of `stream`, which `cut` cuts into words.
///
/// The same settings and corpus give the same bytes on the same kind of processor, whatever the number of
/// threads.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &GloVeConfig,
    cut: &dyn CutWords,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    train_within(MEMORY_BUDGET, stream, config, cut, threads, observer)
}

/// Counts as [`train()`] does, and returns the counts.
pub fn count(
    stream: &mut dyn DocumentStream,
    config: &GloVeConfig,
    cut: &dyn CutWords,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Counted> {
    let words = Words::read(MEMORY_BUDGET, stream, config, cut, threads, observer)?;
    let pairs = words.count_pairs(MEMORY_BUDGET, config, observer)?;
    let table = cells::table(&pairs, &words.blocks, &words.scale, config.symmetric, observer)?;
    drop(pairs);
    Ok(Counted { words: words.vocabulary.words, table, report: words.report })
}

pub(super) fn train_within(
    memory: u64,
    stream: &mut dyn DocumentStream,
    config: &GloVeConfig,
    cut: &dyn CutWords,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    let words = Words::read(memory, stream, config, cut, threads, observer)?;
    let cells = {
        let pairs = words.count_pairs(memory, config, observer)?;
        let Words { blocks, scale, .. } = &words;
        Cells::new(&pairs, blocks, scale, config, threads, memory / 2, observer)?
    };
    let Words { vocabulary, report, blocks, .. } = words;
    let mut kept = Kept::default();
    let learned = Run::new(config, &cells, &blocks, observer)?.epochs(&mut kept, threads, observer);
    let learned = learned.and_then(|(matrix, history)| {
        let bad = matrix.iter().position(|number| !number.is_finite());
        let word = bad.map(|bad| &vocabulary.words[bad / config.vector_size as usize]);
        match word {
            Some(word) => Err(diverged(config, &format!("the vector of {word:?} is not finite"))),
            None => Ok((matrix, history)),
        }
    });
    let vectors = match learned {
        Ok((matrix, history)) => finished(config, &vocabulary, matrix, history)?,
        Err(error) => {
            return Err(error.with_last_good(|| {
                let (matrix, history) = weights::restore(kept, vocabulary.words.len(), config)?;
                finished(config, &vocabulary, matrix, history).ok()
            }));
        }
    };
    Ok(Trained { vectors, report })
}

fn finished(
    config: &GloVeConfig,
    vocabulary: &Vocabulary,
    matrix: Vec<f32>,
    history: Vec<f64>,
) -> Result<WordVectors> {
    let mut settings = serde_json::json!({ "trainer": "glove" });
    if let (Some(all), Ok(serde_json::Value::Object(part))) =
        (settings.as_object_mut(), serde_json::to_value(config))
    {
        all.extend(part);
    }
    let names = vocabulary.words.iter().map(String::as_str);
    let (size, counts) = (config.vector_size as usize, vocabulary.counts.clone());
    WordVectors::new(names, matrix, size, counts, settings, history)
}

fn diverged(config: &GloVeConfig, what: &str) -> Error {
    let rate = config.learning_rate;
    Error::diverged(format!(
        "training diverged: {what}. Lower learning_rate, which is {rate}; 0.05 is usual"
    ))
}

/// The corpus as ids, and how its pairs will be counted.
pub(super) struct Words {
    pub(super) vocabulary: Vocabulary,
    ids: IdCorpus,
    report: ReadReport,
    pub(super) blocks: Blocks,
    pub(super) scale: Scale,
    shape: DenseShape,
    /// Threads that have something to do.
    threads: usize,
}

impl Words {
    pub(super) fn read(
        memory: u64,
        stream: &mut dyn DocumentStream,
        config: &GloVeConfig,
        cut: &dyn CutWords,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        config.validate()?;
        let limits = WordLimits {
            min_count: config.min_count,
            max_vocab: config.max_vocab,
            lowercase: config.lowercase,
        };
        let Reading { vocabulary, ids, report, .. } =
            Reading::new(stream, limits, None, cut, threads, observer)?;
        let parts = ids.len().div_ceil(ids.part_size(threads)).max(1) as usize;
        let threads = threads.clamp(1, parts);
        let window = config.window as u64;
        let table = (memory / 8 / threads as u64).min(LARGEST_TABLE) as usize;
        let sides = if config.symmetric { 1 } else { 2 };
        Ok(Self {
            blocks: Blocks::new(&vocabulary.counts, window, weights::row_bytes(config)),
            scale: Scale::new(window, config.distance_weighting, ids.len()),
            shape: DenseShape::new(vocabulary.words.len(), table, sides),
            vocabulary,
            ids,
            report,
            threads,
        })
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

/// The sum of the losses of some cells.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    loss: f64,
    cells: u64,
}

impl Tally {
    fn mean(self) -> f64 {
        if self.cells == 0 { 0.0 } else { self.loss / self.cells as f64 }
    }
}

/// What all threads of a run share.
struct Run<'a> {
    config: &'a GloVeConfig,
    cells: &'a Cells,
    blocks: usize,
    weights: Weights,
    segments: Vec<Segment>,
    /// Cells to learn from in an epoch; two for each pair of words where both sides are context.
    total: u64,
    /// Shown to the observer; the loss that is kept is summed in a fixed order.
    tally: Mutex<Tally>,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a GloVeConfig,
        cells: &'a Cells,
        blocks: &Blocks,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let segments = cells.segments();
        let total: u64 = segments.iter().map(|segment| cells_of(config, segment)).sum();
        if total == 0 {
            return Err(vocab::no_pairs(config.min_count));
        }
        let mut random = Random::new(config.seed as u64, u64::MAX);
        Ok(Self {
            config,
            cells,
            blocks: blocks.len(),
            weights: Weights::new(config, blocks, &mut random, observer)?,
            segments,
            total,
            tally: Mutex::default(),
        })
    }

    /// Trains all epochs; returns the vectors and the mean loss of each epoch.
    ///
    /// After each but the last the vectors are kept, with the losses so far.
    fn epochs(
        mut self,
        kept: &mut Kept<Vec<f64>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<f32>, Vec<f64>)> {
        let threads = threads.min(self.blocks.div_ceil(2));
        let limit = LARGEST_GROWTH * (1.0 + self.cells.start_loss() / self.total as f64);
        let seed = self.config.seed as u64;
        let mut history = Vec::new();
        for epoch in 0..self.config.epochs as u64 {
            *self.lock() = Tally::default();
            let order = Order::new(&mut self.segments, self.blocks, seed, epoch);
            let losses: Vec<AtomicU64> = self.segments.iter().map(|_| AtomicU64::new(0)).collect();
            let monitor = &Monitor::default();
            in_threads(
                0..threads.max(1),
                monitor,
                |_thread| self.work(&order, &losses, monitor),
                |done| self.progress(epoch, done),
                observer,
            )?;
            // In the order of the tiles, so that the sum does not depend on the threads.
            let loss: f64 =
                losses.iter().map(|loss| f64::from_bits(loss.load(Ordering::Relaxed))).sum();
            let mean = loss / self.total as f64;
            if mean.is_nan() || mean > limit {
                let what = format!("the mean loss of epoch {} is {mean:.3e}", epoch + 1);
                return Err(diverged(self.config, &what));
            }
            history.push(mean);
            if epoch + 1 < self.config.epochs as u64
                && !self.weights.keep(kept, history.clone(), observer)?
            {
                let what = format!("a number is not finite after epoch {}", epoch + 1);
                return Err(diverged(self.config, &what));
            }
        }
        let mut last = self.progress(self.config.epochs as u64 - 1, self.total);
        last.figures[1].1 = history[history.len() - 1];
        observer.observe(&last)?;
        Ok((self.weights.into_vectors(), history))
    }

    /// Learns from tiles until none is left.
    fn work(&self, order: &Order, losses: &[AtomicU64], monitor: &Monitor) -> Result<()> {
        let mut buffer = Vec::new();
        while let Some((number, turn)) = order.take(monitor) {
            let segment = turn.segment();
            let cells = self.cells.segment(segment, &mut buffer)?;
            let groups = (segment.low, segment.high);
            let mut loss = 0.0;
            for &swapped in directions(self.config, &segment) {
                let stopped = || monitor.stopped();
                match self.weights.learn(groups, swapped, cells, stopped) {
                    Some(more) => loss += more,
                    None => return Ok(()),
                }
            }
            order.finish(turn);
            if !loss.is_finite() {
                return Err(diverged(self.config, "the loss is not finite"));
            }
            losses[number].store(loss.to_bits(), Ordering::Relaxed);
            let done = cells_of(self.config, &segment);
            monitor.advance(done);
            let mut tally = self.lock();
            tally.loss += loss;
            tally.cells += done;
        }
        Ok(())
    }

    fn progress(&self, epoch: u64, done: u64) -> Progress {
        let figures = vec![
            ("epoch", (epoch + 1) as f64),
            ("loss", self.lock().mean()),
            ("learning rate", self.config.learning_rate),
        ];
        let total = self.total.saturating_mul(self.config.epochs as u64);
        let done = self.total.saturating_mul(epoch).saturating_add(done);
        Progress { stage: "training", done, total: Some(total), unit: "pairs", figures }
    }

    /// The tally; a thread that panicked while it held the lock has its panic passed on anyway.
    fn lock(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Whether the high rows of a segment are the focus: each way in turn, if its cells stand for both.
pub(super) fn directions(config: &GloVeConfig, segment: &Segment) -> &'static [bool] {
    match (config.symmetric && segment.low != segment.high, segment.side) {
        (true, _) => &[false, true],
        (false, 0) => &[false],
        (false, _) => &[true],
    }
}

fn cells_of(config: &GloVeConfig, segment: &Segment) -> u64 {
    (segment.cells * directions(config, segment).len()) as u64
}
