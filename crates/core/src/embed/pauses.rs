//! What happens while all threads are at rest: checkpoints, and what the caller wants after each epoch.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::epochs::Standing;
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress};

/// How long threads may take to come to rest when the caller wants to stop; parts are shorter than that.
const PATIENCE: Duration = Duration::from_millis(150);

/// What a run does at the end of an epoch, as its progress says it.
pub(crate) const HELD_OUT_STAGE: &str = "loss of what is held out";

/// Writes down where a run stands.
pub(crate) type Save<'a> = dyn FnMut(&Standing) -> Result<()> + 'a;

/// Asked after each epoch whether to go on.
pub(crate) type GoOn<'a> = dyn FnMut(&Standing) -> Result<bool> + 'a;

/// Keeps what a run has learned; says whether that is finite.
pub(crate) type Keep<'a> = dyn FnMut(&Standing, &mut dyn Observer) -> Result<bool> + 'a;

/// What a run does between stretches of training.
#[derive(Default)]
pub(crate) struct Pauses<'a> {
    /// Writes a checkpoint; used every so often, when the caller stops the run, and at its end.
    pub(crate) checkpoint: Option<(Box<Save<'a>>, Duration)>,
    /// Called after each epoch but the last.
    pub(crate) keep: Option<Box<Keep<'a>>>,
    /// Asked after each epoch.
    pub(crate) after_epoch: Option<Box<GoOn<'a>>>,
    /// Epochs without a lower loss of what is not learned from, after which a run ends.
    patience: Option<usize>,
    last_save: Option<Instant>,
}

impl Pauses<'_> {
    /// Lets a run end after `patience` epochs without a lower loss of the share that is held out, if there is one.
    pub(crate) fn end_after(&mut self, patience: i64, held_out: f64) {
        self.patience = (held_out > 0.0).then_some(patience as usize);
    }

    /// The observer of a stretch of training, who brings threads to `rest` when there is something to do.
    pub(crate) fn watch<'w>(
        &mut self,
        observer: &'w mut dyn Observer,
        rest: &'w AtomicBool,
    ) -> Watch<'w> {
        let last = *self.last_save.get_or_insert_with(Instant::now);
        let due = self.checkpoint.as_ref().map(|(_, every)| last + *every);
        Watch { observer, rest, due, wish: None }
    }

    /// Writes a checkpoint, if there is to be one.
    pub(crate) fn save(&mut self, standing: &Standing) -> Result<()> {
        if let Some((save, _)) = &mut self.checkpoint {
            save(standing)?;
            self.last_save = Some(Instant::now());
        }
        Ok(())
    }

    /// Passes on what came of a step that changes nothing; if it was stopped, the run goes on from before it.
    pub(crate) fn save_if_stopped<Output>(
        &mut self,
        outcome: Result<Output>,
        standing: &Standing,
    ) -> Result<Output> {
        if let Err(Error::Cancelled | Error::Caller(_)) = outcome {
            self.save(standing)?;
        }
        outcome
    }

    /// Ends an epoch; the run may be finished by it. Says whether what was learned is finite, as far as that is
    /// looked at.
    pub(crate) fn end_epoch(
        &mut self,
        standing: &mut Standing,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        if let Some(patience) = self.patience {
            standing.finished |= epochs_since_lowest(&standing.held_out) >= patience;
        }
        if !standing.finished
            && let Some(keep) = &mut self.keep
            && !keep(standing, observer)?
        {
            return Ok(false);
        }
        if let Some(go_on) = &mut self.after_epoch {
            standing.finished |= !go_on(standing)?;
        }
        let due = match (&self.checkpoint, self.last_save) {
            (Some((_, every)), Some(last)) => last.elapsed() >= *every,
            _ => false,
        };
        if due || standing.finished {
            self.save(standing)?;
        }
        Ok(true)
    }
}

fn epochs_since_lowest(losses: &[f64]) -> usize {
    let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
    losses.iter().rev().take_while(|&&loss| loss > lowest).count()
}

/// Passes progress on, and keeps the wish to stop until threads are at rest, if a checkpoint follows.
pub(crate) struct Watch<'w> {
    observer: &'w mut dyn Observer,
    rest: &'w AtomicBool,
    /// When the next checkpoint is to be written.
    due: Option<Instant>,
    wish: Option<(Error, Instant)>,
}

impl Watch<'_> {
    /// The error with which the caller stopped the run.
    pub(crate) fn wish(self) -> Option<Error> {
        self.wish.map(|(error, _)| error)
    }
}

impl Observer for Watch<'_> {
    fn observe(&mut self, progress: &Progress) -> Result<()> {
        match self.wish.take() {
            Some((error, since)) if since.elapsed() >= PATIENCE => return Err(error),
            Some(wish) => {
                self.wish = Some(wish);
                return Ok(());
            }
            None => {}
        }
        if self.due.is_some_and(|due| Instant::now() >= due) {
            self.rest.store(true, Ordering::Relaxed);
        }
        match self.observer.observe(progress) {
            Err(error) if self.due.is_some() => {
                self.rest.store(true, Ordering::Relaxed);
                self.wish = Some((error, Instant::now()));
                Ok(())
            }
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_counts_from_the_lowest_loss() {
        assert_eq!(epochs_since_lowest(&[]), 0);
        assert_eq!(epochs_since_lowest(&[3.0, 2.0]), 0);
        assert_eq!(epochs_since_lowest(&[3.0, 2.0, 2.5, 2.1]), 2);
    }
}
