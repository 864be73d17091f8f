//! All ways to cut a text: the best few, and ways drawn by their probability.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::model::{Found, UnigramModel, width};
use crate::error::Result;

/// Tokens between two looks at the wish to stop.
const TOKENS_PER_LOOK: usize = 1 << 14;
/// Ways under way in a search for the best few; beyond this, those that are behind are dropped.
const MOST_PARTIAL: usize = 1 << 16;

/// A token at its place.
#[derive(Clone, Copy, Debug)]
struct Edge {
    start: u32,
    end: u32,
    /// Nothing for an unknown character.
    id: Option<u32>,
    score: f64,
}

/// All tokens of a text, in the order of their ends.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    edges: Vec<Edge>,
    /// For each place, its first edge among those that end there, and behind them the number of edges.
    ends: Vec<usize>,
}

/// A way, and the sum of its scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The tokens in their order.
    pub tokens: Vec<Found>,
    /// The sum of their scores.
    pub score: f64,
}

impl Lattice {
    /// Finds all tokens of a text.
    pub fn new(
        model: &UnigramModel,
        text: &str,
        look: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self> {
        let bytes = text.as_bytes();
        let mut edges = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let width = width(bytes[start]);
            let mut has_single = false;
            for (length, id) in model.trie().prefixes(&bytes[start..]) {
                has_single |= length == width;
                let (id, end) = (Some(id), (start + length) as u32);
                edges.push(Edge { start: start as u32, end, id, score: model.score(id) });
            }
            if !has_single {
                let (id, end) = (None, (start + width) as u32);
                edges.push(Edge { start: start as u32, end, id, score: model.score(id) });
            }
            start += width;
            if start % TOKENS_PER_LOOK < width {
                look()?;
            }
        }
        // Stable, so that edges with the same end stay in the order of their beginnings.
        edges.sort_by_key(|edge| edge.end);
        let mut ends = vec![0; bytes.len() + 2];
        for edge in &edges {
            ends[edge.end as usize + 1] += 1;
        }
        for place in 1..ends.len() {
            ends[place] += ends[place - 1];
        }
        Ok(Self { edges, ends })
    }

    /// The length of the text, in bytes.
    fn len(&self) -> usize {
        self.ends.len().saturating_sub(2)
    }

    fn ending_at(&self, place: usize) -> &[Edge] {
        &self.edges[self.ends[place]..self.ends[place + 1]]
    }

    /// For each place, what `join` makes of all ways to it.
    fn forward(&self, join: impl Fn(&mut dyn Iterator<Item = f64>) -> f64) -> Vec<f64> {
        let mut sums = vec![f64::NEG_INFINITY; self.len() + 1];
        sums[0] = 0.0;
        for place in 1..=self.len() {
            let edges = self.ending_at(place);
            if !edges.is_empty() {
                sums[place] =
                    join(&mut edges.iter().map(|edge| sums[edge.start as usize] + edge.score));
            }
        }
        sums
    }

    /// Draws a way by its probability: `alpha` times the sum of its scores is the logarithm of its weight.
    ///
    /// `uniform` gives numbers from 0 up to but not 1. First the weights of all ways to each place are
    /// summed, then a way is drawn from its end (forward filtering, backward sampling).
    pub fn sample(&self, alpha: f64, mut uniform: impl FnMut() -> f64) -> Way {
        let scaled: Vec<Edge> =
            self.edges.iter().map(|edge| Edge { score: alpha * edge.score, ..*edge }).collect();
        let scaled = Self { edges: scaled, ends: self.ends.clone() };
        let sums = scaled.forward(|scores| log_sum(scores));
        let (mut tokens, mut score) = (Vec::new(), 0.0);
        let mut place = self.len();
        while place > 0 {
            let edges = scaled.ending_at(place);
            let mut left = uniform();
            // The weights add up to one, except for rounding: then the last edge is taken.
            let chosen = edges.iter().position(|edge| {
                left -= (sums[edge.start as usize] + edge.score - sums[place]).exp();
                left < 0.0
            });
            let chosen = self.ends[place] + chosen.unwrap_or(edges.len() - 1);
            let Edge { start, end, id, score: own } = self.edges[chosen];
            tokens.push(Found { id, start: start as usize, end: end as usize });
            score += own;
            place = start as usize;
        }
        tokens.reverse();
        Way { tokens, score }
    }

    /// The best `count` ways, the best first; of equal ones those with longer tokens at the end first.
    ///
    /// Ways are built from the end; what is left to the beginning is known exactly from the best way to
    /// each place, so they come out in order (A*).
    pub fn best(&self, count: usize, look: &mut dyn FnMut() -> Result<()>) -> Result<Vec<Way>> {
        let best = self.forward(|scores| scores.fold(f64::NEG_INFINITY, f64::max));
        let mut steps: Vec<Step> = Vec::new();
        let mut queue = BinaryHeap::new();
        let end = self.len();
        queue.push(Partial {
            total: best[end],
            order: 0,
            place: end as u32,
            behind: 0.0,
            step: None,
        });
        let (mut ways, mut order) = (Vec::new(), 0);
        while let Some(partial) = queue.pop() {
            if partial.place == 0 {
                ways.push(self.way(&steps, &partial));
                if ways.len() >= count {
                    break;
                }
                continue;
            }
            let place = partial.place as usize;
            for number in self.ends[place]..self.ends[place + 1] {
                let edge = self.edges[number];
                order += 1;
                if order % TOKENS_PER_LOOK as u64 == 0 {
                    look()?;
                }
                let behind = partial.behind + edge.score;
                steps.push(Step { edge: number as u32, next: partial.step });
                let total = best[edge.start as usize] + behind;
                let step = Some(steps.len() - 1);
                queue.push(Partial { total, order, place: edge.start, behind, step });
            }
            if queue.len() > MOST_PARTIAL {
                let mut kept: Vec<Partial> = Vec::with_capacity(MOST_PARTIAL / 2);
                while kept.len() < MOST_PARTIAL / 2
                    && let Some(partial) = queue.pop()
                {
                    kept.push(partial);
                }
                queue = kept.into();
            }
        }
        Ok(ways)
    }

    fn way(&self, steps: &[Step], partial: &Partial) -> Way {
        let mut tokens = Vec::new();
        let mut next = partial.step;
        while let Some(step) = next {
            let Edge { start, end, id, .. } = self.edges[steps[step].edge as usize];
            tokens.push(Found { id, start: start as usize, end: end as usize });
            next = steps[step].next;
        }
        Way { tokens, score: partial.behind }
    }
}

/// A token of a way and the step behind it.
#[derive(Clone, Copy, Debug)]
struct Step {
    edge: u32,
    next: Option<usize>,
}

/// The end of a way, from a place on.
#[derive(Clone, Copy, Debug)]
struct Partial {
    /// The sum of the best way that ends so.
    total: f64,
    /// Of equal ones the one that was found first comes first.
    order: u64,
    place: u32,
    behind: f64,
    step: Option<usize>,
}

impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        self.total.total_cmp(&other.total).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Partial {}

/// The logarithm of the sum of numbers that are given by their logarithms.
pub(crate) fn log_sum(logarithms: &mut dyn Iterator<Item = f64>) -> f64 {
    let (mut largest, mut sum) = (f64::NEG_INFINITY, 0.0);
    for one in logarithms {
        if one > largest {
            sum = sum * (largest - one).exp() + 1.0;
            largest = one;
        } else if one > f64::NEG_INFINITY {
            sum += (one - largest).exp();
        }
    }
    largest + sum.ln()
}
