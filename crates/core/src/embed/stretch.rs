//! A part of an epoch that is learned from without a rest: its parts, shared out among threads.
//!
//! Threads change shared rows without locks, each on the next part that nobody has taken, and of two threads one
//! rests while their processors are so far apart that it would only be in the way of the other. Or, for a result
//! that does not depend on the number of threads, in rounds: a round is a fixed number of parts, each learned from
//! by a worker of its own on copies of the rows, whose changes are then added in order.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::distance::Distance;
use super::epochs::{Course, Standing};
use super::method::{Method, Tally, Window};
use super::random::Random;
use super::shared::Desk;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::{in_threads, lock};

/// Words between two looks at the learning rate and at the wish to stop.
const WORDS_PER_LOOK: u64 = 256;

/// Time between two looks of a thread that rests.
const NAP: Duration = Duration::from_millis(5);

/// Workers of a round.
pub(super) const LANES: u64 = 4;

/// What a worker keeps from part to part.
pub(super) struct Worker<'m, M: Method<'m>> {
    pub(super) random: Random,
    /// Words of the present part that were not skipped.
    pub(super) kept: Vec<u32>,
    pub(super) buffer: Vec<u32>,
    pub(super) method: M::Worker,
    /// The loss of the last part.
    tally: Tally,
}

impl<'m, M: Method<'m>> Worker<'m, M> {
    pub(super) fn new(method: &M, random: Random, copies: bool) -> Result<Self> {
        let method = method.worker(copies)?;
        Ok(Self { random, kept: Vec::new(), buffer: Vec::new(), method, tally: Tally::default() })
    }
}

/// What all threads share from one rest to the next, at most an epoch.
pub(super) struct Stretch<'a, M> {
    course: &'a Course<'a>,
    method: &'a M,
    epoch: u64,
    part_size: u64,
    monitor: &'a Monitor,
    /// How far two threads are from each other; more threads do not ask.
    distance: Option<&'a Distance>,
    /// Where the next part starts.
    pub(super) next_start: AtomicU64,
    pub(super) tally: Mutex<Tally>,
    /// Whether threads should come to rest at the end of the parts that they are in.
    pub(super) rest: AtomicBool,
}

impl<'a, 'm, M: Method<'m>> Stretch<'a, M> {
    pub(super) fn new(
        course: &'a Course<'a>,
        method: &'a M,
        part_size: u64,
        monitor: &'a Monitor,
        distance: Option<&'a Distance>,
        standing: &Standing,
    ) -> Self {
        Self {
            course,
            method,
            epoch: standing.history.len() as u64 + 1,
            part_size,
            monitor,
            distance,
            next_start: AtomicU64::new(standing.next_start),
            tally: Mutex::new(standing.tally),
            rest: AtomicBool::new(false),
        }
    }

    /// Learns from the parts that are left of the epoch, each thread from the next that nobody has.
    pub(super) fn parts(
        &self,
        workers: &mut [Worker<'m, M>],
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let work = |(number, worker): (usize, &mut Worker<'m, M>)| {
            while let Some(part) = self.next_part(number) {
                let rate = || self.course.schedule.at(self.monitor.done());
                self.learn_part(part, worker, |_| rate())?;
                *lock(&self.tally) += worker.tally;
            }
            Ok(())
        };
        let workers = workers.iter_mut().enumerate();
        in_threads(workers, self.monitor, work, |done| self.progress(done), observer)?;
        Ok(())
    }

    /// The next part for a worker, once it is of use.
    fn next_part(&self, worker: usize) -> Option<Range<u64>> {
        if let Some(distance) = self.distance {
            distance.look();
            while worker > 0 && distance.is_far() && !self.is_over() {
                thread::sleep(NAP);
                distance.look();
            }
        }
        if self.is_over() {
            return None;
        }
        let (size, end) = (self.part_size, self.course.end);
        let take = |start| (start < end).then_some(start + size);
        let taken = self.next_start.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.ok().map(|start| start..end.min(start + size))
    }

    /// Whether nothing is left to start with.
    fn is_over(&self) -> bool {
        self.monitor.stopped()
            || self.rest.load(Ordering::Relaxed)
            || self.next_start.load(Ordering::Relaxed) >= self.course.end
    }

    /// Learns from the rounds that are left of the epoch.
    pub(super) fn rounds(
        &self,
        lanes: &mut [Worker<'m, M>],
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        while !self.is_over() {
            self.round(lanes, threads, observer)?;
        }
        Ok(())
    }

    fn round(
        &self,
        lanes: &mut [Worker<'m, M>],
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let (start, done) = (self.next_start.load(Ordering::Relaxed), self.monitor.done());
        let queue = Mutex::new((0..).zip(lanes.iter_mut()));
        let learn = |_thread| {
            // Taken by a function of its own, so that the lock is not held while the worker learns.
            let next = || lock(&queue).next();
            while let Some((lane, worker)) = next() {
                let from = self.course.end.min(start + lane * self.part_size);
                let part = from..self.course.end.min(from + self.part_size);
                // All lanes are taken to be as far as this one.
                let rate_at = |passed| self.course.schedule.at(done + passed * LANES);
                self.learn_part(part, worker, rate_at)?;
                self.method.desk(&mut worker.method).subtract();
            }
            Ok(())
        };
        let progress = |done| self.progress(done);
        in_threads(0..threads, self.monitor, learn, progress, observer)?;
        let desks: Vec<&Desk<'m>> =
            lanes.iter_mut().map(|lane| &*self.method.desk(&mut lane.method)).collect();
        let add = |share| {
            Desk::add_changes(&desks, share, threads as u32);
            Ok(())
        };
        in_threads(0..threads as u32, self.monitor, add, progress, observer)?;
        for worker in lanes {
            self.method.desk(&mut worker.method).forget();
            *lock(&self.tally) += worker.tally;
        }
        self.next_start.fetch_add(LANES * self.part_size, Ordering::Relaxed);
        Ok(())
    }

    /// Learns from a part, at the rate for the number of its words that have passed.
    fn learn_part(
        &self,
        part: Range<u64>,
        worker: &mut Worker<'m, M>,
        rate_at: impl Fn(u64) -> f64,
    ) -> Result<()> {
        let Worker { random, kept, buffer, method, tally } = worker;
        let Course { ids, windows, .. } = self.course;
        let (ids, core) = ids.part(part.start, part.end, windows.margin(), buffer)?;
        let mut reported = 0;
        let mut rate = rate_at(0) as f32;
        // Windows are cut with one generator while the method draws from another, forked from it.
        let mut draws = Random::new(random.next_u64(), 0);
        let mut visit = |passed: u64, window: Window<'_>| {
            if passed - reported >= WORDS_PER_LOOK {
                self.monitor.advance(passed - reported);
                reported = passed;
                rate = rate_at(passed) as f32;
                if let Some(distance) = self.distance {
                    distance.look();
                }
                if self.monitor.stopped() {
                    return Err(Error::Cancelled);
                }
            }
            self.method.learn(window, rate, &mut draws, method);
            Ok(())
        };
        let passed = windows.visit(ids, &core, random, kept, &mut visit)?;
        self.monitor.advance(passed - reported);
        *tally = self.method.finish(method);
        if tally.loss.is_finite() { Ok(()) } else { Err(self.course.diverged("the loss")) }
    }

    fn progress(&self, done: u64) -> Progress {
        let figures = vec![
            ("epoch", self.epoch as f64),
            ("loss", lock(&self.tally).mean()),
            ("learning rate", self.course.schedule.at(done)),
        ];
        let total = Some(self.course.words.saturating_mul(self.course.epochs));
        Progress { stage: "training", done, total, unit: "words", figures }
    }
}
