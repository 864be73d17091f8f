//! What a long run asks its caller: "here is how far I am; shall I go on?"

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::Result;

/// The longest time between two looks at the caller's wish to stop.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How far a stage of work is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, as the start of a line: "counting pieces".
    pub stage: &'static str,
    /// Units finished so far.
    pub done: u64,
    /// Units in all, where that is known before the end.
    pub total: Option<u64>,
    /// What a unit is: "bytes", "merges", "words".
    pub unit: &'static str,
    /// Figures to show beside the bar, such as the loss of this epoch.
    pub figures: Vec<(&'static str, f64)>,
}

impl Progress {
    /// Progress without extra figures.
    pub fn new(stage: &'static str, done: u64, total: Option<u64>, unit: &'static str) -> Self {
        Self { stage, done, total, unit, figures: Vec::new() }
    }
}

/// The caller of a long run.
pub trait Observer {
    /// Takes note of the progress; an error stops the run and is returned from it.
    ///
    /// Called on the thread that started the run, from a few times a second to very often; an
    /// implementation that does real work limits its own rate.
    fn observe(&mut self, progress: &Progress) -> Result<()>;
}

/// An observer that wants to know nothing and never stops a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _progress: &Progress) -> Result<()> {
        Ok(())
    }
}

/// Asks the observer at most once per [`POLL_INTERVAL`], so that inner loops may call it freely.
pub struct Pacer<'a> {
    observer: &'a mut dyn Observer,
    last: Instant,
}

impl<'a> Pacer<'a> {
    /// Starts a new interval.
    pub fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer, last: Instant::now() }
    }

    /// Reports if the interval is over; `progress` is only built when it is.
    pub fn tick(&mut self, progress: impl FnOnce() -> Progress) -> Result<()> {
        if self.last.elapsed() < POLL_INTERVAL {
            return Ok(());
        }
        self.last = Instant::now();
        self.observer.observe(&progress())
    }

    /// Reports at once, for the end of a stage.
    pub fn report(&mut self, progress: &Progress) -> Result<()> {
        self.last = Instant::now();
        self.observer.observe(progress)
    }
}

/// Shared between the thread that observes and the threads that work.
#[derive(Debug, Default)]
pub struct Monitor {
    done: AtomicU64,
    stop: AtomicBool,
}

impl Monitor {
    /// Adds finished units; called by workers.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Units finished so far by all workers.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Tells the workers to stop at their next look.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether workers should stop; looked at every few milliseconds of work.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Kept by each worker: one that panics hands nothing back, and nobody must wait for it.
pub(crate) struct StopOnPanic<'a>(pub(crate) &'a Monitor);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
