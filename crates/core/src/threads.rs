//! The same work in several threads while the caller is told of progress and may stop it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{RecvTimeoutError, unbounded};

use crate::error::Result;
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress, StopOnPanic};

/// What the lock holds; a thread that panicked while it held it has its panic passed on anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` once for each worker, in a thread of its own, while the observer is told of progress; the
/// first error ends all of them.
///
/// `progress` gets the units that `monitor` counted, and makes of them what the observer sees. Results come
/// in the order of the workers.
pub(crate) fn in_threads<Worker: Send, Output: Send>(
    workers: impl ExactSizeIterator<Item = Worker>,
    monitor: &Monitor,
    work: impl Fn(Worker) -> Result<Output> + Sync,
    progress: impl Fn(u64) -> Progress,
    observer: &mut dyn Observer,
) -> Result<Vec<Output>> {
    let mut pacer = Pacer::new(observer);
    let (sender, results) = unbounded();
    thread::scope(|scope| {
        let mut outputs: Vec<Option<Output>> = (0..workers.len()).map(|_| None).collect();
        for (number, worker) in workers.enumerate() {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || {
                let _stop = StopOnPanic(monitor);
                // Nobody listens any more when the run was stopped.
                let _ = sender.send((number, work(worker)));
            });
        }
        drop(sender);
        let mut collect = || {
            loop {
                match results.recv_timeout(POLL_INTERVAL / 2) {
                    Ok((number, output)) => outputs[number] = Some(output?),
                    // Short work may be over before the first interval is, and may be one of many.
                    Err(RecvTimeoutError::Disconnected) => {
                        return pacer.report(&progress(monitor.done()));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                pacer.tick(|| progress(monitor.done()))?;
            }
        };
        let outcome: Result<()> = collect();
        if outcome.is_err() {
            monitor.stop();
        }
        outcome.map(|()| outputs.into_iter().flatten().collect())
    })
}
