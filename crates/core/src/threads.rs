//! The same work in several threads, while the calling one listens to the observer.

use std::thread;

use crossbeam_channel::{RecvTimeoutError, unbounded};

use crate::error::Result;
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress, StopOnPanic};

/// Runs `work` in each of `threads` threads while the observer is told of progress; the first error ends
/// all of them. Results come in the order of the threads.
pub(crate) fn in_threads<Output: Send>(
    threads: usize,
    work: impl Fn(&Monitor) -> Result<Output> + Sync,
    progress: impl Fn(u64) -> Progress,
    observer: &mut dyn Observer,
) -> Result<Vec<Output>> {
    let monitor = Monitor::default();
    let mut pacer = Pacer::new(observer);
    let (sender, results) = unbounded();
    thread::scope(|scope| {
        for thread in 0..threads.max(1) {
            let (sender, monitor, work) = (sender.clone(), &monitor, &work);
            scope.spawn(move || {
                let _stop = StopOnPanic(monitor);
                // Nobody listens any more when the run was stopped.
                let _ = sender.send((thread, work(monitor)));
            });
        }
        drop(sender);
        let mut outputs: Vec<Option<Output>> = (0..threads.max(1)).map(|_| None).collect();
        let mut collect = || {
            loop {
                match results.recv_timeout(POLL_INTERVAL / 2) {
                    Ok((thread, output)) => outputs[thread] = Some(output?),
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
