//! Work on many items in threads, in blocks that do not depend on the number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::error::Result;
use crate::observe::{Monitor, Pacer, Progress, StopOnPanic};

/// Pieces or tokens of a block: at most some milliseconds of work.
pub(super) const BLOCK: usize = 1 << 6;
/// How long the calling thread waits between two looks at the others.
const WAIT: Duration = Duration::from_millis(5);

/// Calls `work` on each block of `size` items of `0..count` with a state of its thread; returns the states.
///
/// Which state sees which block is left to chance, so what is put together from the states must not depend
/// on it.
pub(super) fn in_blocks<State: Send>(
    count: usize,
    size: usize,
    threads: usize,
    stage: &'static str,
    pacer: &mut Pacer<'_>,
    make_state: impl Fn() -> State + Sync,
    work: impl Fn(&mut State, usize, Range<usize>) + Sync,
) -> Result<Vec<State>> {
    let (monitor, next) = (Monitor::default(), AtomicUsize::new(0));
    let blocks = count.div_ceil(size);
    let run = || {
        let _stop = StopOnPanic(&monitor);
        let mut state = make_state();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks || monitor.stopped() {
                return state;
            }
            let items = block * size..count.min((block + 1) * size);
            monitor.advance(items.len() as u64);
            work(&mut state, block, items);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(blocks).max(1)).map(|_| scope.spawn(run)).collect();
        let mut outcome = Ok(());
        while outcome.is_ok() && workers.iter().any(|worker| !worker.is_finished()) {
            thread::park_timeout(WAIT);
            let progress = || Progress::new(stage, monitor.done(), Some(count as u64), "pieces");
            outcome = pacer.tick(progress);
        }
        if outcome.is_err() {
            monitor.stop();
        }
        let mut states = Vec::with_capacity(workers.len());
        for worker in workers {
            match worker.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome.map(|()| states)
    })
}
