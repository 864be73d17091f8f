//! Text to ids.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Tokenizer;
use super::engine::{Count, Look, Nobody};
use super::special::SpecialPolicy;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress};

/// A guess for how much room the ids of a text take; English has more bytes a token than most.
const BYTES_PER_TOKEN: usize = 4;

/// The ids of some texts, and where each text ends in them.
type Encoded = (Vec<u32>, Vec<usize>);

impl Tokenizer {
    /// The ids of a text.
    pub fn encode(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(text.len() / BYTES_PER_TOKEN + 16);
        self.with_worker(|worker| {
            self.encode_parts(text, policy, worker, &mut ids, look, &mut Nobody)
        })?;
        Ok(ids)
    }

    /// Calls a function with the ids of a text, in memory that is kept for the next call; for short texts.
    pub fn encode_with<T>(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
        call: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        self.with_worker(|worker| {
            let mut ids = std::mem::take(&mut worker.ids);
            ids.clear();
            let encoded = self.encode_parts(text, policy, worker, &mut ids, look, &mut Nobody);
            let result = encoded.map(|()| call(&ids));
            worker.ids = ids;
            result
        })
    }

    /// The number of tokens of a text.
    pub fn count(&self, text: &str, policy: SpecialPolicy, look: &mut Look<'_>) -> Result<usize> {
        self.with_worker(|worker| {
            let mut count = Count::default();
            self.encode_parts(text, policy, worker, &mut Vec::new(), look, &mut count)?;
            Ok(count.0)
        })
    }

    /// The ids of all texts, one after the other, and where each text begins and ends in them.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        policy: SpecialPolicy,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let parts = self.encode_shares(texts, threads, policy, observer)?;
        let mut ids = Vec::with_capacity(parts.iter().map(|(ids, _)| ids.len()).sum());
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        for (part, ends) in parts {
            let start = ids.len();
            offsets.extend(ends.into_iter().map(|end| (start + end) as u64));
            ids.extend_from_slice(&part);
        }
        Ok((ids, offsets))
    }

    /// Hands shares of neighboring texts to threads; results are in the order of the texts.
    fn encode_shares(
        &self,
        texts: &[&str],
        threads: usize,
        policy: SpecialPolicy,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Encoded>> {
        let shares = shares(texts);
        let threads = threads.min(shares.len()).max(1);
        let (monitor, next) = (Monitor::default(), AtomicUsize::new(0));
        let total = texts.iter().map(|text| text.len() as u64).sum();
        let work = || self.encode_next_shares(&shares, policy, &next, &monitor);
        let mut pacer = Pacer::new(observer);
        let mut tick =
            || pacer.tick(|| Progress::new("encoding", monitor.done(), Some(total), "bytes"));
        let mut done = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut outcome = Ok(());
            let waiting = std::time::Instant::now();
            while outcome.is_ok() && workers.iter().any(|worker| !worker.is_finished()) {
                // Small batches are over before the first full interval.
                let short = waiting.elapsed().min(POLL_INTERVAL) / 4;
                thread::park_timeout(short.max(std::time::Duration::from_micros(20)));
                outcome = tick();
            }
            if outcome.is_err() {
                monitor.stop();
            }
            let mut done = Vec::with_capacity(shares.len());
            for worker in workers {
                match worker.join() {
                    Ok(Ok(part)) => done.extend(part),
                    // The caller's own error comes first.
                    Ok(Err(error)) => outcome = outcome.and(Err(error)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            outcome.map(|()| done)
        })?;
        done.sort_unstable_by_key(|(share, _)| *share);
        Ok(done.into_iter().map(|(_, part)| part).collect())
    }

    fn encode_next_shares(
        &self,
        shares: &[&[&str]],
        policy: SpecialPolicy,
        next: &AtomicUsize,
        monitor: &Monitor,
    ) -> Result<Vec<(usize, Encoded)>> {
        let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
        let mut done = Vec::new();
        self.with_worker(|worker| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(share) = shares.get(number) else { return Ok(()) };
                let bytes: usize = share.iter().map(|text| text.len()).sum();
                let mut ids = Vec::with_capacity(bytes / BYTES_PER_TOKEN + 16);
                let mut ends = Vec::with_capacity(share.len());
                for text in *share {
                    look()?;
                    let encoded =
                        self.encode_parts(text, policy, worker, &mut ids, &mut look, &mut Nobody);
                    if encoded.is_err() {
                        monitor.stop();
                    }
                    encoded?;
                    ends.push(ids.len());
                    monitor.advance(text.len() as u64);
                }
                done.push((number, (ids, ends)));
            }
        })?;
        Ok(done)
    }
}

/// Bytes of text in a share: enough to make its hand-over cheap.
const SHARE_BYTES: usize = 1 << 18;

/// Cuts a batch into shares of about equal size.
fn shares<'a>(texts: &'a [&'a str]) -> Vec<&'a [&'a str]> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        // An empty text costs something too.
        bytes += text.len() + 16;
        if bytes >= SHARE_BYTES {
            shares.push(&texts[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        shares.push(&texts[start..]);
    }
    shares
}
