//! The best rows so far, and which further rows may still be among them.

use super::WordVectors;
use super::metric::{Neighbor, Query};
use super::rows::Reader;

/// Rows that wait for their exact score, at most.
const WAITING: usize = 64;

/// Collects the `n` nearest rows to a query.
///
/// Rows are pushed in rising order. A rough key only decides whether a row is worth an exact score; what
/// comes out is what exact scores of all rows would give.
pub(super) struct Best<'a> {
    vectors: &'a WordVectors,
    reader: Reader<'a>,
    query: Query<'a>,
    n: usize,
    exclude: &'a [usize],
    margin: f32,
    /// The best so far, and a few more.
    found: Vec<Neighbor>,
    /// The last of the best, once there are `n`.
    worst: Option<Neighbor>,
    waiting: Vec<usize>,
    /// Rows with a key below it are not among the best.
    threshold: f32,
}

impl<'a> Best<'a> {
    /// `margin` is how far a key may be from that of the exact score.
    pub(super) fn new(
        vectors: &'a WordVectors,
        query: Query<'a>,
        n: usize,
        exclude: &'a [usize],
        margin: f32,
    ) -> Self {
        let (found, waiting) = (Vec::new(), Vec::with_capacity(WAITING));
        // Where rounding is out of bounds nothing can be left out.
        let margin = if margin.is_finite() { margin } else { f32::INFINITY };
        let threshold = f32::NEG_INFINITY;
        let reader = vectors.rows.reader();
        Self { vectors, reader, query, n, exclude, margin, found, worst: None, waiting, threshold }
    }

    /// The key below which a row need not be offered.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Takes note of a row if its key is not below the threshold, or no number.
    pub(super) fn offer_with_key(&mut self, row: usize, key: f32) {
        if !is_below(key, self.threshold) {
            self.offer(row);
        }
    }

    /// Takes note of a row whose key is not below the threshold.
    pub(super) fn offer(&mut self, row: usize) {
        self.waiting.push(row);
        if self.waiting.len() == WAITING {
            self.settle();
        }
    }

    /// Takes a row whose score is known already.
    pub(super) fn take(&mut self, neighbor: Neighbor) {
        if self.worst.is_some_and(|worst| neighbor.order(&worst).is_ge())
            || self.exclude.contains(&neighbor.row)
        {
            return;
        }
        self.found.push(neighbor);
        if self.found.len() >= self.n.saturating_mul(2).max(WAITING) {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        if self.found.len() > self.n {
            self.found.select_nth_unstable_by(self.n, Neighbor::order);
            self.found.truncate(self.n);
        }
        if self.found.len() == self.n {
            self.worst = self.found.iter().copied().max_by(Neighbor::order);
        }
    }

    /// Scores the rows that wait.
    fn settle(&mut self) {
        let Self { vectors, reader, query, exclude, .. } = self;
        let rows = self.waiting.drain(..).filter(|row| !exclude.contains(row));
        self.found.extend(rows.map(|row| {
            let score = query.score(reader.row(row), vectors.norms[row]);
            Neighbor { row, score }
        }));
        self.keep_best();
        let Some(worst) = self.worst else { return };
        self.threshold = if self.query.is_indifferent() {
            f32::INFINITY
        } else {
            self.query.key_of_score(worst.score) - self.margin
        };
        if self.threshold.is_nan() {
            self.threshold = f32::NEG_INFINITY;
        }
    }

    /// The nearest rows, best first.
    pub(super) fn finish(mut self) -> Vec<Neighbor> {
        self.settle();
        self.found.sort_unstable_by(Neighbor::order);
        self.found.truncate(self.n);
        self.found
    }
}

/// The best of what several threads found.
pub(super) fn merge(parts: impl IntoIterator<Item = Vec<Neighbor>>, n: usize) -> Vec<Neighbor> {
    let mut all: Vec<Neighbor> = parts.into_iter().flatten().collect();
    all.sort_unstable_by(Neighbor::order);
    all.truncate(n);
    all
}

/// Whether a key is too small; what is not a number never is.
pub(super) fn is_below(key: f32, threshold: f32) -> bool {
    key < threshold
}
