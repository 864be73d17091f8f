//! The loop over the cells: epochs of tiles, shared out among threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{Cells, Segment};
use super::config::GloVeConfig;
use super::order::Order;
use super::weights::Weights;
use crate::embed::epochs::Standing;
use crate::embed::method::Tally;
use crate::embed::pauses::Pauses;
use crate::embed::vocab;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::{in_threads, lock};

/// How much larger than at the start the loss may become before the run is given up.
const LARGEST_GROWTH: f64 = 100.0;

/// What is trained on, and what all threads share.
pub(super) struct Course<'a> {
    config: &'a GloVeConfig,
    cells: &'a Cells,
    weights: &'a Weights,
    segments: Vec<Segment>,
    /// Cells to learn from in an epoch; two for each pair of words where both sides are context.
    total: u64,
    /// Shown to the observer; the loss that is kept is summed in a fixed order.
    tally: Mutex<Tally>,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        config: &'a GloVeConfig,
        cells: &'a Cells,
        weights: &'a Weights,
    ) -> Result<Self> {
        let segments = cells.segments();
        let total: u64 = segments.iter().map(|segment| cells_of(config, segment)).sum();
        if total == 0 {
            return Err(vocab::no_pairs(config.min_count));
        }
        Ok(Self { config, cells, weights, segments, total, tally: Mutex::default() })
    }

    /// Trains all epochs that `standing` has not; says where the run stands at the end.
    ///
    /// The result is the same for any number of threads, and for any number of rests.
    pub(super) fn train(
        mut self,
        threads: usize,
        mut standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let blocks = self.weights.blocks();
        let threads = threads.clamp(1, blocks.div_ceil(2));
        let monitor = &Monitor::default();
        monitor.advance(standing.done);
        while !standing.finished {
            let (seed, epoch) = (self.config.seed as u64, standing.history.len() as u64);
            let taken = self.segments.len().min(standing.next_start as usize);
            let order = Order::new(&mut self.segments, blocks, seed, epoch, taken);
            let losses: Vec<AtomicU64> = self.segments.iter().map(|_| AtomicU64::new(0)).collect();
            *lock(&self.tally) = standing.tally;
            let mut watch = pauses.watch(observer, order.rest());
            in_threads(
                0..threads,
                monitor,
                |_thread| self.work(&order, &losses, monitor),
                |done| self.progress(epoch, done),
                &mut watch,
            )?;
            let wish = watch.wish();
            standing.tally.predictions = lock(&self.tally).predictions;
            // In the order of the tiles, so that the sum does not depend on the threads.
            for loss in &losses[taken..order.taken()] {
                standing.tally.loss += f64::from_bits(loss.load(Ordering::Relaxed));
            }
            standing.next_start = order.taken() as u64;
            standing.done = monitor.done();
            if order.taken() == self.segments.len() {
                self.end_epoch(&mut standing, pauses, observer)?;
            } else if wish.is_none() {
                pauses.save(&standing)?;
            }
            if let Some(wish) = wish {
                pauses.save(&standing)?;
                return Err(wish);
            }
        }
        let mut last = self.progress((standing.history.len() as u64).max(1) - 1, standing.done);
        last.figures[1].1 = standing.history.last().copied().unwrap_or_default();
        observer.observe(&last)?;
        Ok(standing)
    }

    fn end_epoch(
        &self,
        standing: &mut Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mean = std::mem::take(&mut standing.tally).loss / self.total as f64;
        let epoch = standing.history.len() + 1;
        let limit = LARGEST_GROWTH * (1.0 + self.cells.start_loss() / self.total as f64);
        if mean.is_nan() || mean > limit {
            let what = format!("the mean loss of epoch {epoch} is {mean:.3e}");
            return Err(diverged(self.config, &what));
        }
        standing.history.push(mean);
        standing.next_start = 0;
        standing.finished = epoch as u64 >= self.config.epochs as u64;
        if pauses.end_epoch(standing, observer)? {
            return Ok(());
        }
        Err(diverged(self.config, &format!("a number is not finite after epoch {epoch}")))
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
            *lock(&self.tally) += Tally { loss, predictions: done };
        }
        Ok(())
    }

    fn progress(&self, epoch: u64, done: u64) -> Progress {
        let figures = vec![
            ("epoch", (epoch + 1) as f64),
            ("loss", lock(&self.tally).mean()),
            ("learning rate", self.config.learning_rate),
        ];
        let total = self.total.saturating_mul(self.config.epochs as u64);
        Progress { stage: "training", done, total: Some(total), unit: "pairs", figures }
    }
}

/// The error of a run in which something is not as it should be.
pub(super) fn diverged(config: &GloVeConfig, what: &str) -> Error {
    let rate = config.learning_rate;
    Error::diverged(format!(
        "training diverged: {what}. Lower learning_rate, which is {rate}; 0.05 is usual"
    ))
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
