//! The loop over the corpus: epochs, each in stretches between which all threads rest.

use std::ops::Range;
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};

use super::distance::{Distance, FAR};
use super::ids::IdCorpus;
use super::method::{Method, Tally, Window, diverged};
use super::pauses::{HELD_OUT_STAGE, Pauses};
use super::random::Random;
use super::schedule::Schedule;
use super::stretch::{LANES, Stretch, Worker};
use super::vocab;
use super::windows::WindowRule;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Pacer, Progress};

/// Rounds in an epoch, at least: the fewer, the staler the rows that workers learn from.
const ROUNDS: u64 = 256;

/// The fewest and the most words of a worker in a round.
const LANE_WORDS: Range<u64> = 64..1024;

/// What is trained on, in which order and how fast, whatever the method.
#[derive(Debug)]
pub(crate) struct Course<'a> {
    /// The corpus.
    pub(crate) ids: &'a IdCorpus,
    /// How much of it is learned from; the loss of the rest is looked at after each epoch.
    pub(crate) end: u64,
    /// How windows are cut from it.
    pub(crate) windows: WindowRule,
    /// Words that are learned from in an epoch.
    pub(crate) words: u64,
    /// Most words in a part, so that threads are soon at the end of one.
    pub(crate) longest_part: u64,
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
    /// Whether the result is the same for any number of threads.
    pub(crate) deterministic: bool,
}

/// How far a run is, with all threads at rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// The mean loss of each epoch that is over.
    pub(crate) history: Vec<f64>,
    /// The same for what is not learned from; empty if all is.
    pub(crate) held_out: Vec<f64>,
    /// Where the next part of the present epoch starts: in the corpus, or in the order of tiles.
    pub(crate) next_start: u64,
    /// Words, or cells, learned from in all epochs.
    pub(crate) done: u64,
    /// The loss of the present epoch so far.
    pub(crate) tally: Tally,
    /// The random numbers of each worker, if it draws any.
    pub(crate) randoms: Vec<Random>,
    /// Whether there is nothing left to do.
    pub(crate) finished: bool,
}

impl Course<'_> {
    /// Trains all epochs that `standing` has not; says where the run stands at the end.
    ///
    /// With one thread the same course and method give the same bits each time, and so they do with any
    /// number of threads if the course is deterministic. Otherwise two runs differ a little.
    pub(crate) fn train<'m, M: Method<'m>>(
        &self,
        method: &M,
        threads: usize,
        mut standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let part_size = if self.deterministic {
            (self.end / (LANES * ROUNDS)).clamp(LANE_WORDS.start, LANE_WORDS.end)
        } else {
            self.ids.part_size(threads).min(self.longest_part)
        };
        // More threads than parts would stand idle.
        let threads = threads.clamp(1, self.end.div_ceil(part_size).max(1) as usize);
        let workers = if self.deterministic { LANES as usize } else { threads };
        let threads = threads.min(workers);
        let fresh = (standing.randoms.len()..workers).map(|n| Random::new(self.seed, n as u64));
        standing.randoms.extend(fresh);
        let mut workers = standing.randoms[..workers]
            .iter()
            .map(|random| Worker::new(method, random.clone(), self.deterministic))
            .collect::<Result<Vec<_>>>()?;
        let distance = (workers.len() == 2 && !self.deterministic).then(|| Distance::new(FAR));
        let monitor = Monitor::default();
        monitor.advance(standing.done);
        while !standing.finished {
            let stretch =
                Stretch::new(self, method, part_size, &monitor, distance.as_ref(), &standing);
            let mut watch = pauses.watch(observer, &stretch.rest);
            if self.deterministic {
                stretch.rounds(&mut workers, threads, &mut watch)?;
            } else {
                stretch.parts(&mut workers, &mut watch)?;
            }
            let wish = watch.wish();
            standing.next_start = stretch.next_start.into_inner().min(self.end);
            standing.tally = stretch.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
            standing.done = monitor.done();
            for (random, worker) in standing.randoms.iter_mut().zip(&workers) {
                *random = worker.random.clone();
            }
            if let Some(wish) = wish {
                pauses.save(&standing)?;
                return Err(wish);
            }
            if standing.next_start >= self.end {
                self.end_epoch(method, &mut standing, &mut workers[0], pauses, observer)?;
            } else {
                pauses.save(&standing)?;
            }
        }
        Ok(standing)
    }

    fn end_epoch<'m, M: Method<'m>>(
        &self,
        method: &M,
        standing: &mut Standing,
        worker: &mut Worker<'m, M>,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if standing.tally.predictions == 0 {
            return Err(vocab::no_pairs(self.min_count));
        }
        if self.end < self.ids.len() {
            let loss = self.held_out_loss(method, worker, observer);
            standing.held_out.push(pauses.save_if_stopped(loss, standing)?);
        }
        standing.history.push(std::mem::take(&mut standing.tally).mean());
        standing.next_start = 0;
        standing.finished = standing.history.len() as u64 >= self.epochs;
        let is_finite = pauses.end_epoch(standing, observer)?;
        if is_finite { Ok(()) } else { Err(self.diverged("a weight")) }
    }

    /// The mean loss of what is not learned from: of steps of no length, with the same noise each time.
    fn held_out_loss<'m, M: Method<'m>>(
        &self,
        method: &M,
        worker: &mut Worker<'m, M>,
        observer: &mut dyn Observer,
    ) -> Result<f64> {
        let mut tally = Tally::default();
        let (mut pacer, total) = (Pacer::new(observer), self.ids.len() - self.end);
        let mut random = Random::new(self.seed, u64::MAX - 1);
        for start in (self.end..self.ids.len()).step_by(self.longest_part as usize) {
            let done = start - self.end;
            pacer.tick(|| Progress::new(HELD_OUT_STAGE, done, Some(total), "words"))?;
            let end = self.ids.len().min(start + self.longest_part);
            let Worker { kept, buffer, method: state, .. } = worker;
            let (ids, core) = self.ids.part(start, end, self.windows.margin(), buffer)?;
            let mut draws = Random::new(random.next_u64(), 0);
            let mut visit = |_, window: Window<'_>| {
                method.learn(window, 0.0, &mut draws, state);
                Ok::<(), Error>(())
            };
            self.windows.visit(ids, &core, &mut random, kept, &mut visit)?;
            tally += method.finish(state);
            method.desk(state).forget();
        }
        if tally.predictions == 0 {
            return Err(Error::corpus(format!(
                "no word has another beside it in what is held out, the last {total} ids of the corpus, so that has \
                 no loss. Raise held_out, or give longer documents"
            )));
        }
        if !tally.loss.is_finite() {
            return Err(self.diverged("the loss of what is held out"));
        }
        Ok(tally.mean())
    }

    /// The error of a run in which `what` is not finite any more.
    pub(crate) fn diverged(&self, what: &str) -> Error {
        diverged(self.schedule.start(), self.usual_rate, what)
    }
}
