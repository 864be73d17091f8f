//! Many texts to ids, in threads.
//!
//! Texts are handed out in shares of about equal size. Who has finished a share takes its place in the
//! result, as soon as the number of ids before it is known, and copies its ids there; so the threads share
//! the work of filling the result too, and its order does not depend on them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::documents::{DocumentIds, Frame};
use super::engine::{Look, Nobody, Worker};
use super::special::SpecialPolicy;
use super::{Model, Tokenizer};
use crate::bpe::encode::Alphabet;
use crate::error::{Error, Result};
use crate::memory::prefer_large_pages;
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress, StopOnPanic};
use crate::threads::lock;

/// Bytes of text in a share: enough to make its hand-over cheap.
const SHARE_BYTES: usize = 1 << 18;
/// Room for the ids of texts with at least so many bytes a token; others take a copy more. Memory that is
/// not written to costs nothing.
const FEWEST_BYTES_PER_TOKEN: usize = 2;

/// What a thread takes at a time.
#[derive(Clone, Copy, Debug)]
enum Share<'a> {
    /// Neighboring texts.
    Texts(&'a [&'a str]),
    /// A part of a text that starts and ends between two pieces, and whether it is the last one.
    Part(&'a str, bool),
}

impl Share<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.iter().map(|text| text.len()).sum(),
            Self::Part(text, _) => text.len(),
        }
    }
}

/// The ids of a share, and where each text ends in them.
#[derive(Debug, Default)]
struct Done {
    ids: Vec<u32>,
    ends: Vec<u64>,
}

/// The result, as far as it is not filled yet.
#[derive(Debug)]
struct Rest<'a> {
    /// The number of the next share and of the ids before it.
    next: usize,
    start: usize,
    ids: &'a mut [u32],
    offsets: &'a mut [u64],
    /// Shares that were finished before one of those in front of them.
    waiting: BTreeMap<usize, Done>,
    /// Shares for which there was no room.
    beyond: Vec<Vec<u32>>,
}

impl<'a> Rest<'a> {
    /// Takes the share in; returns the shares that have a place now.
    fn place(&mut self, number: usize, done: Done) -> Vec<(&'a mut [u32], Vec<u32>)> {
        self.waiting.insert(number, done);
        let mut placed = Vec::new();
        while let Some(Done { ids, ends }) = self.waiting.remove(&self.next) {
            self.next += 1;
            let (offsets, rest) = std::mem::take(&mut self.offsets).split_at_mut(ends.len());
            self.offsets = rest;
            for (offset, end) in offsets.iter_mut().zip(ends) {
                *offset = self.start as u64 + end;
            }
            self.start += ids.len();
            if self.beyond.is_empty() && ids.len() <= self.ids.len() {
                let (place, rest) = std::mem::take(&mut self.ids).split_at_mut(ids.len());
                self.ids = rest;
                placed.push((place, ids));
            } else {
                self.beyond.push(ids);
            }
        }
        placed
    }
}

/// What the threads of one call have in common.
struct Work<'a, 'b> {
    shares: &'b [Share<'b>],
    policy: SpecialPolicy,
    next: AtomicUsize,
    monitor: Monitor,
    rest: Mutex<Rest<'a>>,
}

impl Tokenizer {
    /// The ids of all texts, one after the other, and where each text begins and ends in them.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        policy: SpecialPolicy,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let shares = self.shares(texts, policy);
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let mut ids = vec![0; bytes / FEWEST_BYTES_PER_TOKEN];
        prefer_large_pages(&mut ids);
        let mut offsets = vec![0; texts.len() + 1];
        let rest = Rest {
            next: 0,
            start: 0,
            ids: &mut ids,
            offsets: &mut offsets[1..],
            waiting: BTreeMap::new(),
            beyond: Vec::new(),
        };
        let work = Work {
            shares: &shares,
            policy,
            next: AtomicUsize::new(0),
            monitor: Monitor::default(),
            rest: Mutex::new(rest),
        };
        self.encode_in_threads(&work, threads.min(shares.len()), bytes as u64, observer)?;
        let rest = work.rest.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (count, beyond) = (rest.start, rest.beyond);
        ids.truncate(count - beyond.iter().map(Vec::len).sum::<usize>());
        ids.reserve_exact(count - ids.len());
        ids.extend(beyond.into_iter().flatten());
        ids.shrink_to_fit();
        Ok((ids, offsets))
    }

    /// The calling thread works too, and is the one that talks to the observer.
    fn encode_in_threads(
        &self,
        work: &Work<'_, '_>,
        threads: usize,
        total: u64,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let monitor = &work.monitor;
        let mut pacer = Pacer::new(observer);
        let mut tick =
            || pacer.tick(|| Progress::new("encoding", monitor.done(), Some(total), "bytes"));
        thread::scope(|scope| {
            let helper = || {
                let _guard = StopOnPanic(monitor);
                let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
                self.encode_shares(work, &mut look)
            };
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(helper)).collect();
            let mut outcome = self.encode_shares(work, &mut || {
                if monitor.stopped() { Err(Error::Cancelled) } else { tick() }
            });
            while outcome.is_ok() && helpers.iter().any(|helper| !helper.is_finished()) {
                // What is left of a share is over before the first full interval.
                thread::park_timeout(POLL_INTERVAL / 500);
                outcome = tick();
            }
            if outcome.is_err() {
                monitor.stop();
            }
            for helper in helpers {
                match helper.join() {
                    // The caller's own error comes first, unless it only says that another one stopped it.
                    Ok(Err(error)) if matches!(outcome, Ok(()) | Err(Error::Cancelled)) => {
                        outcome = Err(error);
                    }
                    Ok(_) => {}
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            outcome
        })
    }

    /// Takes shares until there are no more.
    fn encode_shares(&self, work: &Work<'_, '_>, look: &mut Look<'_>) -> Result<()> {
        self.with_worker(|worker| {
            // Memory of shares that have their place, to be used again.
            let mut spare = Vec::new();
            loop {
                let number = work.next.fetch_add(1, Ordering::Relaxed);
                let Some(share) = work.shares.get(number) else { return Ok(()) };
                let room = spare.pop().unwrap_or_default();
                let done = self.encode_share(share, room, work, worker, look);
                if done.is_err() {
                    work.monitor.stop();
                }
                let mut rest = lock(&work.rest);
                let placed = rest.place(number, done?);
                drop(rest);
                for (place, mut ids) in placed {
                    place.copy_from_slice(&ids);
                    ids.clear();
                    spare.push(ids);
                }
            }
        })
    }

    fn encode_share(
        &self,
        share: &Share<'_>,
        room: Vec<u32>,
        work: &Work<'_, '_>,
        worker: &mut Worker,
        look: &mut Look<'_>,
    ) -> Result<Done> {
        let (mut ids, mut ends) = (room, Vec::new());
        let (policy, frame) = (work.policy, Frame::default());
        match *share {
            Share::Texts(texts) => {
                ids.reserve(share.bytes() / FEWEST_BYTES_PER_TOKEN);
                ends.reserve(texts.len());
                let output = &mut DocumentIds { ids: &mut ids, ends: &mut ends };
                let texts = texts.iter().copied();
                self.encode_documents_with(worker, texts, policy, frame, output, look)?;
            }
            Share::Part(text, is_last) => {
                ids.reserve(text.len() / FEWEST_BYTES_PER_TOKEN);
                self.append_ids(text, policy, worker, &mut ids, look, &mut Nobody)?;
                ends.extend(is_last.then_some(ids.len() as u64));
            }
        }
        work.monitor.advance(share.bytes() as u64);
        Ok(Done { ids, ends })
    }

    /// Cuts a batch into shares of about equal size.
    fn shares<'a>(&self, texts: &'a [&'a str], policy: SpecialPolicy) -> Vec<Share<'a>> {
        // An error names a place in the text, and a special token may lie anywhere: neither knows parts.
        let covers_all = self.general.is_none()
            && matches!(&self.model, Model::Bpe(model) if matches!(model.alphabet, Alphabet::Bytes(_)));
        let cuts_texts = policy == SpecialPolicy::Text && covers_all;
        let mut shares = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for (index, text) in texts.iter().enumerate() {
            if cuts_texts && text.len() >= 2 * SHARE_BYTES {
                shares.extend((start < index).then(|| Share::Texts(&texts[start..index])));
                self.push_parts(text, &mut shares);
                (start, bytes) = (index + 1, 0);
                continue;
            }
            // An empty text costs something too.
            bytes += text.len() + 16;
            if bytes >= SHARE_BYTES {
                shares.push(Share::Texts(&texts[start..=index]));
                (start, bytes) = (index + 1, 0);
            }
        }
        shares.extend((start < texts.len()).then(|| Share::Texts(&texts[start..])));
        shares
    }

    fn push_parts<'a>(&self, mut text: &'a str, shares: &mut Vec<Share<'a>>) {
        while text.len() >= 2 * SHARE_BYTES {
            let Some(end) = self.settings.splitter.certain_edge(text, SHARE_BYTES) else { break };
            let (part, rest) = text.split_at(end);
            shares.push(Share::Part(part, false));
            text = rest;
        }
        shares.push(Share::Part(text, true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;
    use crate::split::{SplitRule, Splitter};
    use crate::tokenizer::ranked;

    #[test]
    fn no_number_of_threads_changes_the_ids() {
        let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
        let mut tokens: Vec<(u32, &[u8])> =
            (0..).zip(bytes.iter().map(<[u8; 1]>::as_slice)).collect();
        tokens.extend([(256, b"lo".as_slice()), (257, b"low"), (258, b" low")]);
        let words = ["low ", "slow's\n", " 123456", "中文字，", "é\u{301}", "…!\r\n ", "LOW"];
        let long: String = words.iter().cycle().take(150_000).copied().collect();
        let nothing_to_cut = "中".repeat(180_000);
        // As long as a share, give or take a character.
        let share = (0..=SHARE_BYTES).rev().find(|&at| long.is_char_boundary(at)).unwrap_or(0);
        let texts = [long.as_str(), "", "low", &nothing_to_cut, &long[..share], ""];
        for rule in [SplitRule::Gpt2, SplitRule::Gpt4, SplitRule::O200k, SplitRule::Whitespace] {
            let splitter = Splitter::new(rule, false).unwrap();
            let made = ranked::tokenizer(&tokens, &[], splitter, &mut || Ok(()));
            let tokenizer = made.unwrap().unwrap();
            let policy = SpecialPolicy::Text;
            let (mut expected, mut ends) = (Vec::new(), vec![0]);
            for text in texts {
                expected.extend(tokenizer.encode(text, policy, &mut || Ok(())).unwrap());
                ends.push(expected.len() as u64);
            }
            for threads in [1, 2, 5] {
                let found = tokenizer.encode_batch(&texts, threads, policy, &mut Silent).unwrap();
                assert!(found.0 == expected, "{rule:?}, {threads} threads");
                assert_eq!(found.1, ends);
            }
        }
        let empty =
            tokenizer_of_bytes(&tokens).encode_batch(&[], 4, SpecialPolicy::Text, &mut Silent);
        assert_eq!(empty.unwrap(), (vec![], vec![0]));
    }

    fn tokenizer_of_bytes(tokens: &[(u32, &[u8])]) -> Tokenizer {
        let splitter = Splitter::new(SplitRule::None, false).unwrap();
        ranked::tokenizer(tokens, &[], splitter, &mut || Ok(())).unwrap().unwrap()
    }
}
