//! Batches out to worker threads, results back in order, the caller asked at every turn.

use std::collections::BTreeMap;
use std::thread;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::{Batch, DocumentStream};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress, StopOnPanic};

/// Batches that may be under way for each worker: one in work, one waiting, one being handed back.
const BATCHES_PER_WORKER: usize = 3;

/// Runs `work` on each batch of `stream` in `threads` threads, and `consume` on the results in order.
///
/// Each thread owns a state made by `make_state`; the states are returned at the end, in no particular
/// order. `consume` and the observer run on the calling thread, which also reads the stream. The first
/// error of any of them ends the run. Memory is bounded by a few batches a thread, however long the
/// stream and however uneven the work.
pub fn map_in_order<State: Send, Output: Send>(
    stream: &mut dyn DocumentStream,
    threads: usize,
    stage: &'static str,
    observer: &mut dyn Observer,
    make_state: impl Fn() -> State,
    work: impl Fn(&mut State, &Batch, &Monitor) -> Result<Output> + Sync,
    mut consume: impl FnMut(Output) -> Result<()>,
) -> Result<Vec<State>> {
    let monitor = Monitor::default();
    let (job_sender, job_receiver) = unbounded::<Batch>();
    let (result_sender, result_receiver) = bounded(BATCHES_PER_WORKER * threads);
    let (monitor, work) = (&monitor, &work);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (jobs, results) = (job_receiver.clone(), result_sender.clone());
                let mut state = make_state();
                scope.spawn(move || {
                    let _stop = StopOnPanic(monitor);
                    work_through(&mut state, &jobs, &results, monitor, work);
                    state
                })
            })
            .collect();
        drop(result_sender);
        drop(job_receiver);
        let limit = (BATCHES_PER_WORKER * threads) as u64;
        let mut feed = Feed { stream, stage, pacer: Pacer::new(observer), limit, monitor };
        let outcome = feed.run(job_sender, &result_receiver, &mut consume);
        if outcome.is_err() {
            monitor.stop();
        }
        // Workers that wait to hand back a result must not wait forever.
        drop(result_receiver);
        let mut states = Vec::with_capacity(threads);
        for worker in workers {
            match worker.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome.map(|()| states)
    })
}

fn work_through<State, Output>(
    state: &mut State,
    jobs: &Receiver<Batch>,
    results: &Sender<(u64, Result<Output>)>,
    monitor: &Monitor,
    work: impl Fn(&mut State, &Batch, &Monitor) -> Result<Output>,
) {
    for batch in jobs {
        if monitor.stopped()
            || results.send((batch.sequence, work(state, &batch, monitor))).is_err()
        {
            return;
        }
    }
}

struct Feed<'a> {
    stream: &'a mut dyn DocumentStream,
    stage: &'static str,
    pacer: Pacer<'a>,
    limit: u64,
    monitor: &'a Monitor,
}

impl Feed<'_> {
    fn run<Output>(
        &mut self,
        jobs: Sender<Batch>,
        results: &Receiver<(u64, Result<Output>)>,
        consume: &mut impl FnMut(Output) -> Result<()>,
    ) -> Result<()> {
        let mut jobs = Some(jobs);
        let mut out_of_order = BTreeMap::new();
        let (mut sent, mut consumed) = (0_u64, 0_u64);
        while jobs.is_some() || consumed < sent {
            self.tick()?;
            if let Some(sender) = &jobs
                && sent - consumed < self.limit
            {
                match self.stream.next_batch()? {
                    Some(batch) => {
                        sent += 1;
                        // Fails only when every worker is gone, which the results below will tell.
                        let _ = sender.send(batch);
                    }
                    None => jobs = None,
                }
            }
            // With room for more batches, only take what is ready; otherwise wait for a result.
            let full = jobs.is_none() || sent - consumed >= self.limit;
            let wait =
                if full && consumed < sent { POLL_INTERVAL } else { std::time::Duration::ZERO };
            match results.recv_timeout(wait) {
                Ok((sequence, result)) => drop(out_of_order.insert(sequence, result?)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if self.monitor.stopped() {
                // A worker panicked; joining it passes the panic on.
                return Err(Error::Cancelled);
            }
            while let Some(output) = out_of_order.remove(&consumed) {
                consume(output)?;
                consumed += 1;
            }
        }
        // Now that all is read, the size is known, even of an iterator.
        let done = self.stream.bytes_read();
        self.pacer.report(&Progress::new(self.stage, done, Some(done), "bytes"))
    }

    fn tick(&mut self) -> Result<()> {
        let (stage, done, total) =
            (self.stage, self.stream.bytes_read(), self.stream.total_bytes());
        self.pacer.tick(|| Progress::new(stage, done, total, "bytes"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::corpus::{Boundaries, InvalidUtf8, Origin};
    use crate::observe::Silent;

    struct Numbers(u64);

    impl DocumentStream for Numbers {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            if self.0 == 200 {
                return Ok(None);
            }
            self.0 += 1;
            Ok(Some(Batch {
                bytes: self.0.to_string().into_bytes(),
                boundaries: Boundaries::Lines,
                sequence: self.0 - 1,
                position: 0,
                origin: Origin { path: None, offset: 0 },
                invalid: InvalidUtf8::Strict,
            }))
        }

        fn bytes_read(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let states = map_in_order(
                &mut Numbers(0),
                threads,
                "test",
                &mut Silent,
                || 0_u64,
                |count, batch, _| {
                    *count += 1;
                    if batch.sequence % 50 == 0 {
                        thread::sleep(Duration::from_millis(5));
                    }
                    Ok(batch.sequence)
                },
                |sequence| {
                    seen.push(sequence);
                    Ok(())
                },
            );
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
            assert_eq!(states.unwrap().iter().sum::<u64>(), 200);
        }
    }

    #[test]
    fn the_first_error_ends_the_run() {
        let failed = map_in_order(
            &mut Numbers(0),
            2,
            "test",
            &mut Silent,
            || (),
            |(), batch, _| if batch.sequence == 20 { Err(Error::corpus("bad")) } else { Ok(()) },
            |()| Ok(()),
        );
        assert_eq!(failed.unwrap_err().to_string(), "bad");
    }

    #[test]
    fn a_panic_in_a_worker_is_passed_on_and_never_waited_for() {
        let caught = std::panic::catch_unwind(|| {
            map_in_order(
                &mut Numbers(0),
                2,
                "test",
                &mut Silent,
                || (),
                |(), batch, _| {
                    assert!(batch.sequence != 20, "a bug");
                    Ok(())
                },
                |()| Ok(()),
            )
            .map(drop)
        });
        assert!(caught.is_err());
    }
}
