//! A run: read, count, then epochs of windows over all threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{RecvTimeoutError, unbounded};

use super::config::{Defaults, Word2VecConfig};
use super::counting::{self, Cut};
use super::ids::IdCorpus;
use super::negative::NoiseTable;
use super::random::Random;
use super::schedule::Schedule;
use super::shared::Weights;
use super::update::{Learner, Steps};
use super::vocab::{self, Vocabulary};
use super::windows::WindowRule;
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress};
use crate::vectors::WordVectors;

/// Words between two looks at the learning rate and at the wish to stop.
const WORDS_PER_LOOK: u64 = 256;

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

/// Trains word vectors on the documents of `stream`, which `cut` cuts into words.
///
/// With one thread the same settings and corpus give the same bytes. With more, threads change shared
/// rows without locks, and two runs differ a little.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &Word2VecConfig,
    cut: &Cut<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let mut counted = counting::count(stream, cut, config.lowercase, threads, observer)?;
    let (vocabulary, rows) = vocab::select(counted.words, config.min_count, config.max_vocab)?;
    counted.ids.keep_rows(&rows, observer)?;
    drop(rows);
    let words = vocabulary.total();
    let settled = config.settle(words);
    let size = config.vector_size as usize;
    let run = Run::new(config, settled, &vocabulary, &counted.ids, observer)?;
    let (weights, history) = run.epochs(threads, observer)?;
    let rows = vocabulary.words.len() as u64;
    let mut pacer = Pacer::new(observer);
    let matrix = weights.into_vectors(&mut |row| {
        pacer.tick(|| Progress::new("finishing", row, Some(rows), "vectors"))
    })?;
    if let Some(bad) = matrix.iter().position(|number| !number.is_finite()) {
        return Err(diverged(config, &format!("the vector of {:?}", vocabulary.words[bad / size])));
    }
    let settings = settings_of(config, settled);
    let Vocabulary { words: names, counts } = vocabulary;
    let names = names.iter().map(String::as_str);
    let vectors = WordVectors::new(names, matrix, size, counts, settings, history)?;
    Ok(Trained { vectors, report: counted.report, settled, words })
}

fn settings_of(config: &Word2VecConfig, settled: Defaults) -> serde_json::Value {
    let mut settings = serde_json::json!({ "trainer": "word2vec" });
    for part in [serde_json::to_value(config), serde_json::to_value(settled)] {
        if let (Some(all), Ok(serde_json::Value::Object(part))) = (settings.as_object_mut(), part) {
            all.extend(part);
        }
    }
    settings["min_learning_rate"] = config.learning_rate_floor().into();
    settings
}

fn diverged(config: &Word2VecConfig, what: &str) -> Error {
    let rate = config.learning_rate;
    Error::Diverged {
        reason: format!(
            "training diverged: {what} is not a finite number. Lower learning_rate, which is {rate}; 0.025 \
             is usual"
        ),
    }
}

/// The sum of the losses of some pairs of words.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    loss: f64,
    pairs: u64,
}

impl Tally {
    fn mean(self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.loss / self.pairs as f64 }
    }
}

/// What all threads of a run share.
struct Run<'a> {
    config: &'a Word2VecConfig,
    ids: &'a IdCorpus,
    weights: Weights,
    noise: NoiseTable,
    windows: WindowRule,
    schedule: Schedule,
    total: u64,
    monitor: Monitor,
    next_start: AtomicU64,
    tally: Mutex<Tally>,
}

/// What one thread keeps from epoch to epoch.
struct Worker {
    random: Random,
    kept: Vec<u32>,
    buffer: Vec<u32>,
    steps: Steps,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a Word2VecConfig,
        settled: Defaults,
        vocabulary: &Vocabulary,
        ids: &'a IdCorpus,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let size = config.vector_size as usize;
        let mut random = Random::new(config.seed as u64, u64::MAX);
        // word2vec starts at random numbers of at most half of one, divided by the size.
        let scale = 1.0 / size as f32;
        let rows = vocabulary.words.len();
        let mut pacer = Pacer::new(observer);
        let weights = Weights::new(rows, size, || random.centered() * scale, &mut |row| {
            pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "vectors"))
        })?;
        let total = vocabulary.total().saturating_mul(config.epochs as u64);
        Ok(Self {
            config,
            ids,
            weights,
            noise: NoiseTable::new(&vocabulary.counts, config.ns_exponent),
            windows: WindowRule::new(
                config.window as u32,
                settled.shrink_window,
                settled.subsample,
                &vocabulary.counts,
            ),
            schedule: Schedule::new(config.learning_rate, config.learning_rate_floor(), total),
            total,
            monitor: Monitor::default(),
            next_start: AtomicU64::new(0),
            tally: Mutex::new(Tally::default()),
        })
    }

    /// Trains all epochs; returns the weights and the mean loss of each epoch.
    fn epochs(self, threads: usize, observer: &mut dyn Observer) -> Result<(Weights, Vec<f64>)> {
        let mut pacer = Pacer::new(observer);
        let part_size = self.ids.part_size(threads);
        // More threads than parts would stand idle.
        let threads = threads.min(self.ids.len().div_ceil(part_size).max(1) as usize);
        let mut workers: Vec<Worker> = (0..threads)
            .map(|thread| Worker {
                random: Random::new(self.config.seed as u64, thread as u64),
                kept: Vec::new(),
                buffer: Vec::new(),
                steps: Steps::default(),
            })
            .collect();
        let mut history = Vec::new();
        for epoch in 1..=self.config.epochs {
            self.next_start.store(0, Ordering::Relaxed);
            *self.lock() = Tally::default();
            self.epoch(&mut workers, part_size, epoch, &mut pacer)?;
            let tally = *self.lock();
            if tally.pairs == 0 {
                return Err(vocab::no_pairs(self.config.min_count));
            }
            history.push(tally.mean());
        }
        pacer.report(&self.progress(self.config.epochs))?;
        Ok((self.weights, history))
    }

    fn epoch(
        &self,
        workers: &mut [Worker],
        part_size: u64,
        epoch: i64,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let (sender, results) = unbounded::<Result<()>>();
        thread::scope(|scope| {
            for worker in workers {
                let sender = sender.clone();
                scope.spawn(move || {
                    // Nobody listens any more when the run was stopped.
                    let _ = sender.send(self.work(worker, part_size));
                });
            }
            drop(sender);
            let outcome = loop {
                match results.recv_timeout(POLL_INTERVAL / 2) {
                    Ok(Err(error)) => break Err(error),
                    Err(RecvTimeoutError::Disconnected) => break Ok(()),
                    Ok(Ok(())) | Err(RecvTimeoutError::Timeout) => {}
                }
                if let Err(error) = pacer.tick(|| self.progress(epoch)) {
                    break Err(error);
                }
            };
            if outcome.is_err() {
                self.monitor.stop();
            }
            outcome
        })
    }

    /// Learns from parts of the corpus until none is left.
    fn work(&self, worker: &mut Worker, part_size: u64) -> Result<()> {
        let learner = Learner {
            weights: &self.weights,
            noise: &self.noise,
            negative: self.config.negative as usize,
            negative_may_equal_target: self.config.negative_may_equal_target,
        };
        loop {
            let start = self.next_start.fetch_add(part_size, Ordering::Relaxed);
            if start >= self.ids.len() || self.monitor.stopped() {
                return Ok(());
            }
            let end = self.ids.len().min(start + part_size);
            let tally = self.learn_part(start..end, &learner, worker)?;
            if !tally.loss.is_finite() {
                return Err(diverged(self.config, "the loss"));
            }
            let mut sum = self.lock();
            sum.loss += tally.loss;
            sum.pairs += tally.pairs;
        }
    }

    fn learn_part(
        &self,
        part: std::ops::Range<u64>,
        learner: &Learner<'_>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        let Worker { random, kept, buffer, steps } = worker;
        let (ids, core) = self.ids.part(part.start, part.end, self.windows.margin(), buffer)?;
        let mut tally = Tally::default();
        let mut reported = 0;
        let mut rate = self.schedule.at(self.monitor.done()) as f32;
        // Windows are cut with one generator while noise is drawn from another, forked from it.
        let mut noise = Random::new(random.next_u64(), 0);
        let mut visit = |passed: u64, target, left: &[u32], right: &[u32]| {
            if passed - reported >= WORDS_PER_LOOK {
                self.monitor.advance(passed - reported);
                reported = passed;
                rate = self.schedule.at(self.monitor.done()) as f32;
                if self.monitor.stopped() {
                    return Err(Error::Cancelled);
                }
            }
            tally.loss += learner.learn(target, (left, right), rate, &mut noise, steps);
            tally.pairs += (left.len() + right.len()) as u64;
            Ok(())
        };
        let passed = self.windows.visit(ids, &core, random, kept, &mut visit)?;
        self.monitor.advance(passed - reported);
        tally.loss += learner.finish(steps);
        Ok(tally)
    }

    fn progress(&self, epoch: i64) -> Progress {
        let done = self.monitor.done();
        let figures = vec![
            ("epoch", epoch as f64),
            ("loss", self.lock().mean()),
            ("learning rate", self.schedule.at(done)),
        ];
        Progress { stage: "training", done, total: Some(self.total), unit: "words", figures }
    }

    /// The tally; a thread that panicked while it held the lock has its panic passed on anyway.
    fn lock(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
