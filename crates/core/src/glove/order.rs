//! Which tile comes when.
//!
//! Each epoch visits the tiles in a new random order. Tiles that have a group in common are learned from one
//! after the other, in that order; others at the same time, if there are threads. Since a tile changes
//! nothing but the rows of its two groups, the result is the same for any number of threads.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use super::cells::{Segment, shuffle};
use crate::embed::random::Random;
use crate::observe::Monitor;

/// Random streams of the epochs, apart from those that start the weights and shuffle the cells.
const ORDER_STREAM: u64 = 2 << 40;

/// Looks at a group that another thread is at work on, before this one rests.
const LOOKS: u32 = 200;

/// A segment with its place among those that touch the same groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    segment: Segment,
    low: u32,
    high: u32,
}

impl Turn {
    pub(super) fn segment(&self) -> Segment {
        self.segment
    }
}

/// The tiles of one epoch, which threads take one after the other.
#[derive(Debug)]
pub(super) struct Order {
    turns: Vec<Turn>,
    next: AtomicUsize,
    /// For each group, the tiles that have been learned from.
    finished: Vec<AtomicU32>,
    /// Whether threads should come to rest at the end of the tiles that they are in.
    rest: AtomicBool,
}

impl Order {
    /// A random order of all segments of `blocks` groups, the first `taken` of which have been learned from.
    pub(super) fn new(
        segments: &mut [Segment],
        blocks: usize,
        seed: u64,
        epoch: u64,
        taken: usize,
    ) -> Self {
        // From the same start in each epoch, so that an order depends on its number alone.
        segments.sort_unstable_by_key(|segment| (segment.low, segment.high, segment.side));
        shuffle(segments, &mut Random::new(seed, ORDER_STREAM + epoch));
        let mut count = vec![0_u32; blocks];
        let mut turn = |block: u32| {
            count[block as usize] += 1;
            count[block as usize] - 1
        };
        let turns = segments.iter().map(|&segment| {
            let low = turn(segment.low);
            let high = if segment.low == segment.high { low } else { turn(segment.high) };
            Turn { segment, low, high }
        });
        let order = Self {
            turns: turns.collect(),
            next: AtomicUsize::new(taken),
            finished: (0..blocks).map(|_| AtomicU32::new(0)).collect(),
            rest: AtomicBool::new(false),
        };
        order.turns.iter().take(taken).for_each(|&turn| order.finish(turn));
        order
    }

    /// Set, threads come to rest at the end of the tiles that they are in.
    pub(super) fn rest(&self) -> &AtomicBool {
        &self.rest
    }

    /// How many tiles there are.
    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }

    /// How many tiles have been taken; with all threads at rest these are the first ones, and are finished.
    pub(super) fn taken(&self) -> usize {
        self.next.load(Ordering::Relaxed).min(self.turns.len())
    }

    /// The number of the next tile and the tile, when all before it that touch its groups are finished; `None` when
    /// none is left, threads should rest or the run was stopped.
    pub(super) fn take(&self, monitor: &Monitor) -> Option<(usize, Turn)> {
        if self.rest.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let turn = *self.turns.get(number)?;
        let ready = || {
            let at = |block: u32| self.finished[block as usize].load(Ordering::Acquire);
            at(turn.segment.low) == turn.low && at(turn.segment.high) == turn.high
        };
        let mut looks = 0;
        while !ready() {
            if monitor.stopped() {
                return None;
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(Duration::from_micros(20));
            }
        }
        (!monitor.stopped()).then_some((number, turn))
    }

    /// Lets the next tiles of the same groups begin.
    pub(super) fn finish(&self, turn: Turn) {
        let Segment { low, high, .. } = turn.segment;
        self.finished[low as usize].fetch_add(1, Ordering::Release);
        if low != high {
            self.finished[high as usize].fetch_add(1, Ordering::Release);
        }
    }
}
