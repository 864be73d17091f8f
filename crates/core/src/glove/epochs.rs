//! The loop over the cells: epochs of tiles, shared out among threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{Cells, Segment};
use super::config::GloVeConfig;
use super::order::Order;
use super::weights::Weights;
use crate::embed::epochs::Standing;
use crate::embed::method::Tally;
use crate::embed::pauses::{HELD_OUT_STAGE, Pauses};
use crate::embed::vocab;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::{in_threads, lock};

/// How much larger than at the start the loss may become before the run is given up.
const LARGEST_GROWTH: f64 = 100.0;

/// What is trained on.
pub(super) struct Course<'a> {
    config: &'a GloVeConfig,
    cells: &'a Cells,
    weights: &'a Weights,
    segments: Vec<Segment>,
    /// Not learned from; their loss is looked at after each epoch.
    held_out: Vec<Segment>,
    /// Cells to learn from in an epoch; two for each pair of words where both sides are context.
    total: u64,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        config: &'a GloVeConfig,
        cells: &'a Cells,
        weights: &'a Weights,
    ) -> Result<Self> {
        let (segments, held_out) = (cells.segments(false), cells.segments(true));
        let (total, kept_apart) = (cells_of(config, &segments), cells_of(config, &held_out));
        if total + kept_apart == 0 {
            return Err(vocab::no_pairs(config.min_count));
        }
        if total == 0 || (kept_apart == 0 && config.held_out > 0.0) {
            let all = total + kept_apart;
            let rule =
                format!("must part the {all} cells of the corpus in two, but all are in one");
            return Err(Error::parameter("held_out", rule, config.held_out)
                .with_hint("Learn from all with held_out=0, or from more text"));
        }
        Ok(Self { config, cells, weights, segments, held_out, total })
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
        let monitor = Monitor::default();
        monitor.advance(standing.done);
        while !standing.finished {
            let (seed, epoch) = (self.config.seed as u64, standing.history.len() as u64);
            let taken = self.segments.len().min(standing.next_start as usize);
            let order = Order::new(&mut self.segments, blocks, seed, epoch, taken);
            let pass = Pass::new(&self, order, standing.tally, &monitor);
            let mut watch = pauses.watch(observer, pass.order.rest());
            pass.run(threads, |done, loss| self.progress(epoch, done, loss), &mut watch)?;
            let wish = watch.wish();
            standing.tally.predictions = lock(&pass.tally).predictions;
            standing.tally.loss = pass.add_loss(standing.tally.loss, taken);
            standing.next_start = pass.order.taken() as u64;
            standing.done = monitor.done();
            if let Some(wish) = wish {
                pauses.save(&standing)?;
                return Err(wish);
            }
            if pass.order.taken() == self.segments.len() {
                self.end_epoch(threads, &mut standing, pauses, observer)?;
            } else {
                pauses.save(&standing)?;
            }
        }
        let loss = standing.history.last().copied().unwrap_or_default();
        let epoch = (standing.history.len() as u64).max(1) - 1;
        observer.observe(&self.progress(epoch, standing.done, loss))?;
        Ok(standing)
    }

    fn end_epoch(
        &self,
        threads: usize,
        standing: &mut Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mean = standing.tally.loss / self.total as f64;
        let epoch = standing.history.len() + 1;
        let limit = LARGEST_GROWTH * (1.0 + self.cells.start_loss() / self.total as f64);
        if mean.is_nan() || mean > limit {
            let what = format!("the mean loss of epoch {epoch} is {mean:.3e}");
            return Err(diverged(self.config, &what));
        }
        if !self.held_out.is_empty() {
            let loss = self.held_out_loss(threads, observer);
            standing.held_out.push(pauses.save_if_stopped(loss, standing)?);
        }
        standing.history.push(mean);
        standing.tally = Tally::default();
        standing.next_start = 0;
        standing.finished = epoch as u64 >= self.config.epochs as u64;
        if pauses.end_epoch(standing, observer)? {
            return Ok(());
        }
        Err(diverged(self.config, &format!("a number is not finite after epoch {epoch}")))
    }

    /// The mean loss of what is not learned from.
    fn held_out_loss(&self, threads: usize, observer: &mut dyn Observer) -> Result<f64> {
        let (mut segments, monitor) = (self.held_out.clone(), Monitor::default());
        let order = Order::new(&mut segments, self.weights.blocks(), 0, 0, 0);
        let pass = Pass::new(self, order, Tally::default(), &monitor);
        let total = cells_of(self.config, &segments);
        let progress = |done, _| Progress::new(HELD_OUT_STAGE, done, Some(total), "pairs");
        pass.run(threads, progress, observer)?;
        Ok(pass.add_loss(0.0, 0) / total as f64)
    }

    fn progress(&self, epoch: u64, done: u64, loss: f64) -> Progress {
        let figures = vec![
            ("epoch", (epoch + 1) as f64),
            ("loss", loss),
            ("learning rate", self.config.learning_rate),
        ];
        let total = self.total.saturating_mul(self.config.epochs as u64);
        Progress { stage: "training", done, total: Some(total), unit: "pairs", figures }
    }
}

/// One pass over tiles, of what is learned from or of what is held out, and what all threads share in it.
struct Pass<'a> {
    course: &'a Course<'a>,
    order: Order,
    /// For each tile, as bits.
    losses: Vec<AtomicU64>,
    /// Shown to the observer; the loss that is kept is summed in a fixed order.
    tally: Mutex<Tally>,
    monitor: &'a Monitor,
}

impl<'a> Pass<'a> {
    fn new(course: &'a Course<'a>, order: Order, tally: Tally, monitor: &'a Monitor) -> Self {
        let losses = (0..order.len()).map(|_| AtomicU64::new(0)).collect();
        Self { course, order, losses, tally: Mutex::new(tally), monitor }
    }

    /// Visits the tiles that are left; `progress` gets the cells that are done, and their mean loss.
    fn run(
        &self,
        threads: usize,
        progress: impl Fn(u64, f64) -> Progress,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let progress = |done| progress(done, lock(&self.tally).mean());
        in_threads(0..threads, self.monitor, |_thread| self.work(), progress, observer)?;
        Ok(())
    }

    /// Visits tiles until none is left.
    fn work(&self) -> Result<()> {
        let Course { config, cells, weights, .. } = self.course;
        let mut buffer = Vec::new();
        while let Some((number, turn)) = self.order.take(self.monitor) {
            let segment = turn.segment();
            let cells = cells.segment(segment, &mut buffer)?;
            let groups = (segment.low, segment.high);
            let mut loss = 0.0;
            for &swapped in directions(config, &segment) {
                let stopped = || self.monitor.stopped();
                match weights.visit(groups, swapped, cells, !segment.held_out, stopped) {
                    Some(more) => loss += more,
                    None => return Ok(()),
                }
            }
            self.order.finish(turn);
            if !loss.is_finite() {
                return Err(diverged(config, "the loss is not finite"));
            }
            self.losses[number].store(loss.to_bits(), Ordering::Relaxed);
            let done = cells_of(config, &[segment]);
            self.monitor.advance(done);
            *lock(&self.tally) += Tally { loss, predictions: done };
        }
        Ok(())
    }

    /// Adds the losses of the tiles that were visited from the first one on, in their order, so that the sum depends
    /// neither on threads nor on rests.
    fn add_loss(&self, loss: f64, first: usize) -> f64 {
        let losses = &self.losses[first..self.order.taken()];
        let losses = losses.iter().map(|loss| f64::from_bits(loss.load(Ordering::Relaxed)));
        losses.fold(loss, |sum, loss| sum + loss)
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

/// Cells of segments, each in as many directions as it stands for.
fn cells_of(config: &GloVeConfig, segments: &[Segment]) -> u64 {
    let cells = |segment: &Segment| segment.cells * directions(config, segment).len();
    segments.iter().map(cells).sum::<usize>() as u64
}
