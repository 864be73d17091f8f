//! The loop over the corpus: epochs of parts, shared out among threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ids::IdCorpus;
use super::method::{Method, Tally, Window, diverged};
use super::random::Random;
use super::schedule::Schedule;
use super::vocab;
use super::windows::WindowRule;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::in_threads;

/// Words between two looks at the learning rate and at the wish to stop.
const WORDS_PER_LOOK: u64 = 256;

/// What is trained on, in which order and how fast, whatever the method.
#[derive(Debug)]
pub(crate) struct Course<'a> {
    /// The corpus.
    pub(crate) ids: &'a IdCorpus,
    /// How windows are cut from it.
    pub(crate) windows: WindowRule,
    /// Words in an epoch.
    pub(crate) words: u64,
    /// Passes over the corpus.
    pub(crate) epochs: u64,
    /// The step size for each number of words processed.
    pub(crate) schedule: Schedule,
    /// A step size that does well with the method; for messages.
    pub(crate) usual_rate: f64,
    /// The least count of a word; for messages.
    pub(crate) min_count: i64,
    /// Starts the random numbers.
    pub(crate) seed: u64,
}

impl Course<'_> {
    /// Trains all epochs; returns the mean loss of a prediction in each.
    ///
    /// With one thread the same course and method give the same bits each time. With more, threads change
    /// shared rows without locks, and two runs differ a little.
    pub(crate) fn train<M: Method>(
        &self,
        method: &M,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f64>> {
        let part_size = self.ids.part_size(threads);
        // More threads than parts would stand idle.
        let threads = threads.clamp(1, self.ids.len().div_ceil(part_size).max(1) as usize);
        let mut workers: Vec<Worker<M>> = (0..threads as u64)
            .map(|thread| Worker {
                random: Random::new(self.seed, thread),
                kept: Vec::new(),
                buffer: Vec::new(),
                method: method.worker(),
            })
            .collect();
        let monitor = Monitor::default();
        let mut history = Vec::new();
        for number in 1..=self.epochs {
            let epoch = Epoch {
                course: self,
                method,
                number,
                part_size,
                monitor: &monitor,
                next_start: AtomicU64::new(0),
                tally: Mutex::default(),
            };
            in_threads(
                workers.iter_mut(),
                &monitor,
                |worker| epoch.work(worker),
                |done| epoch.progress(done),
                observer,
            )?;
            let tally = *epoch.lock();
            if tally.predictions == 0 {
                return Err(vocab::no_pairs(self.min_count));
            }
            history.push(tally.mean());
        }
        Ok(history)
    }

    /// The error of a run in which `what` is not finite any more.
    pub(crate) fn diverged(&self, what: &str) -> Error {
        diverged(self.schedule.start(), self.usual_rate, what)
    }
}

/// What a thread keeps from epoch to epoch.
struct Worker<M: Method> {
    random: Random,
    /// Words of the present part that were not skipped.
    kept: Vec<u32>,
    buffer: Vec<u32>,
    method: M::Worker,
}

/// What all threads share during an epoch.
struct Epoch<'a, M> {
    course: &'a Course<'a>,
    method: &'a M,
    number: u64,
    part_size: u64,
    monitor: &'a Monitor,
    next_start: AtomicU64,
    tally: Mutex<Tally>,
}

impl<M: Method> Epoch<'_, M> {
    /// Learns from parts of the corpus until none is left.
    fn work(&self, worker: &mut Worker<M>) -> Result<()> {
        let length = self.course.ids.len();
        loop {
            let start = self.next_start.fetch_add(self.part_size, Ordering::Relaxed);
            if start >= length || self.monitor.stopped() {
                return Ok(());
            }
            let tally = self.learn_part(start..length.min(start + self.part_size), worker)?;
            if !tally.loss.is_finite() {
                return Err(self.course.diverged("the loss"));
            }
            *self.lock() += tally;
        }
    }

    fn learn_part(&self, part: Range<u64>, worker: &mut Worker<M>) -> Result<Tally> {
        let Worker { random, kept, buffer, method } = worker;
        let Course { ids, windows, schedule, .. } = self.course;
        let (ids, core) = ids.part(part.start, part.end, windows.margin(), buffer)?;
        let mut tally = Tally::default();
        let mut reported = 0;
        let mut rate = schedule.at(self.monitor.done()) as f32;
        // Windows are cut with one generator while the method draws from another, forked from it.
        let mut draws = Random::new(random.next_u64(), 0);
        let mut visit = |passed: u64, window: Window<'_>| {
            if passed - reported >= WORDS_PER_LOOK {
                self.monitor.advance(passed - reported);
                reported = passed;
                rate = schedule.at(self.monitor.done()) as f32;
                if self.monitor.stopped() {
                    return Err(Error::Cancelled);
                }
            }
            tally += self.method.learn(window, rate, &mut draws, method);
            Ok(())
        };
        let passed = windows.visit(ids, &core, random, kept, &mut visit)?;
        self.monitor.advance(passed - reported);
        tally += self.method.finish(method);
        Ok(tally)
    }

    fn progress(&self, done: u64) -> Progress {
        let figures = vec![
            ("epoch", self.number as f64),
            ("loss", self.lock().mean()),
            ("learning rate", self.course.schedule.at(done)),
        ];
        let total = Some(self.course.words.saturating_mul(self.course.epochs));
        Progress { stage: "training", done, total, unit: "words", figures }
    }

    /// The tally; a thread that panicked while it held the lock has its panic passed on anyway.
    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
