//! One pass over the ids: which words stand near each other, and how often.

use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::Blocks;
use super::pairs::{DenseShape, Pairs, Scale};
use crate::embed::ids::{DOCUMENT_END, IdCorpus};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::in_threads;

/// Pairs between two looks at the wish to stop.
const PAIRS_PER_LOOK: usize = 1 << 16;

/// What all threads share.
pub(super) struct Counting<'a> {
    pub(super) ids: &'a IdCorpus,
    pub(super) window: usize,
    pub(super) scale: &'a Scale,
    pub(super) shape: &'a DenseShape,
    pub(super) blocks: &'a Blocks,
}

impl<'a> Counting<'a> {
    /// Counts in `threads` threads, each of which keeps at most `bytes` of the rarer pairs in memory.
    pub(super) fn run(
        &self,
        threads: usize,
        bytes: usize,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Pairs<'a>>> {
        let next_start = AtomicU64::new(0);
        let monitor = &Monitor::default();
        let work = |_thread| {
            let mut pairs = Pairs::new(self.scale, self.shape, self.blocks, bytes);
            let mut buffer = Vec::new();
            loop {
                let size = self.ids.part_size(threads);
                let start = next_start.fetch_add(size, Ordering::Relaxed);
                if start >= self.ids.len() || monitor.stopped() {
                    break;
                }
                let end = self.ids.len().min(start + size);
                let (ids, core) = self.ids.part(start, end, self.window as u64, &mut buffer)?;
                self.count_part(ids, core, &mut pairs, monitor)?;
                monitor.advance(end - start);
            }
            pairs.finish();
            Ok(pairs)
        };
        let total = Some(self.ids.len());
        let progress = |done| Progress::new("counting pairs", done, total, "words");
        in_threads(0..threads.max(1), monitor, work, progress, observer)
    }

    fn count_part(
        &self,
        ids: &[u32],
        core: std::ops::Range<usize>,
        pairs: &mut Pairs<'_>,
        monitor: &Monitor,
    ) -> Result<()> {
        // A part begins inside a document, or where one begins.
        let mut document = 0;
        let mut looked = 0;
        for place in 0..core.end {
            let focus = ids[place];
            if focus == DOCUMENT_END {
                document = place + 1;
                continue;
            }
            if place < core.start {
                continue;
            }
            let first = document.max(place.saturating_sub(self.window));
            for (distance, &context) in (1..).zip(ids[first..place].iter().rev()) {
                pairs.add(focus, context, distance)?;
            }
            looked += place - first;
            if looked >= PAIRS_PER_LOOK {
                looked = 0;
                if monitor.stopped() {
                    return Err(Error::Cancelled);
                }
            }
        }
        Ok(())
    }
}
