//! Vectors that a thread puts together from several rows and works on while they are near.

use super::desk::Desk;
use crate::simd::{BLOCK, Line, Pattern};

/// Slots for vectors, each as it is after steps on it and as it was put together.
///
/// The slots belong to one thread, so that many steps on a vector cost one reading and one writing of its rows.
#[derive(Debug, Default)]
pub(crate) struct Board {
    now: Vec<Line>,
    then: Vec<Line>,
    /// Lines in a slot.
    lines: usize,
}

impl Board {
    /// A board without slots, for the rows of a desk.
    pub(crate) fn new(desk: &Desk<'_>) -> Self {
        Self { lines: desk.width() / BLOCK, ..Self::default() }
    }

    /// Makes room for so many slots, whose vectors are lost.
    pub(crate) fn resize(&mut self, slots: usize) {
        self.now.resize(slots * self.lines, Line([0.0; BLOCK]));
        self.then.resize(slots * self.lines, Line([0.0; BLOCK]));
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.now.len() / self.lines
    }

    /// Puts `factor` times the sum of input rows into a slot, each row as often as it is listed.
    pub(crate) fn gather(&mut self, slot: usize, rows: &[u32], factor: f32, desk: &mut Desk<'_>) {
        let place = slot * self.lines..(slot + 1) * self.lines;
        desk.gather_into(rows, factor, &mut self.now[place.clone()]);
        self.then[place.clone()].copy_from_slice(&self.now[place]);
    }

    /// Adds `factor` times the change of a slot to input rows, as often as each is listed.
    pub(crate) fn scatter(&mut self, slot: usize, rows: &[u32], factor: f32, desk: &mut Desk<'_>) {
        let place = slot * self.lines..(slot + 1) * self.lines;
        let change = &mut self.then[place.clone()];
        for (was, is) in change.iter_mut().zip(&self.now[place]) {
            for (was, is) in was.0.iter_mut().zip(is.0) {
                *was = factor * (is - *was);
            }
        }
        desk.scatter_from(change, rows);
    }

    /// One step of gradient descent on all pairs of a slot and a target row, each listed once.
    pub(crate) fn descend(
        &mut self,
        slots: &[usize],
        targets: &[u32],
        pattern: &Pattern<'_>,
        desk: &mut Desk<'_>,
    ) {
        desk.descend_on(&mut self.now, self.lines, slots, targets, pattern);
    }

    /// Puts the mean of slots, each with a weight, into the slot `mean`.
    pub(crate) fn average(&mut self, mean: usize, slots: &[usize], weights: &[f32]) {
        let total: f32 = weights.iter().sum();
        let place = mean * self.lines..(mean + 1) * self.lines;
        self.now[place.clone()].fill(Line([0.0; BLOCK]));
        for (&slot, weight) in slots.iter().zip(weights) {
            self.add(slot, weight / total, mean);
        }
        self.then[place.clone()].copy_from_slice(&self.now[place]);
    }

    /// Adds the change of the slot `mean` to other slots.
    pub(crate) fn follow(&mut self, mean: usize, slots: &[usize]) {
        for at in 0..self.lines {
            let (is, was) = (self.now[mean * self.lines + at], self.then[mean * self.lines + at]);
            for &slot in slots {
                let line = &mut self.now[slot * self.lines + at];
                for lane in 0..BLOCK {
                    line.0[lane] += is.0[lane] - was.0[lane];
                }
            }
        }
    }

    fn add(&mut self, from: usize, factor: f32, to: usize) {
        for at in 0..self.lines {
            let source = self.now[from * self.lines + at];
            let line = &mut self.now[to * self.lines + at];
            for lane in 0..BLOCK {
                line.0[lane] += factor * source.0[lane];
            }
        }
    }
}
