//! How often each token is expected, if every way to cut a piece counts by its probability.
//!
//! The probability of a token at a place is that of all ways to its beginning, times its own, times that of
//! all ways from its end, out of that of all ways through the piece (forward and backward).

use super::super::lattice::log_sum;
use super::super::model::{UnigramModel, width};
use super::blocks::{BLOCK, in_blocks};
use super::windows::Windows;
use crate::error::Result;
use crate::observe::Pacer;
use crate::split::PieceCounts;

/// What fitting needs.
pub(super) struct Expected {
    /// The expected count of each token.
    pub(super) counts: Vec<f64>,
    /// The mean loss of a piece: minus the logarithm of its probability.
    pub(super) loss: f64,
}

/// Sums of probabilities outside this range have lost digits; such pieces are done with logarithms.
const EXACT: std::ops::Range<f64> = 1e-280..1e280;

/// A token at its place in a piece.
#[derive(Clone, Copy)]
struct Edge {
    start: u32,
    end: u32,
    /// Nothing for an unknown character.
    id: Option<u32>,
}

/// What a thread adds up, and room to work in.
struct Sums {
    /// Expected counts, in units.
    counts: Vec<u64>,
    /// The loss of each block that the thread did.
    losses: Vec<(usize, f64)>,
    edges: Vec<Edge>,
    forward: Vec<f64>,
    backward: Vec<f64>,
}

/// Expected counts over all pieces.
pub(super) fn counts(
    model: &UnigramModel,
    windows: &Windows<'_>,
    threads: usize,
    pacer: &mut Pacer<'_>,
) -> Result<Expected> {
    let probabilities: Vec<f64> = model.scores().iter().map(|score| score.exp()).collect();
    let fit = Fit {
        model,
        probabilities,
        unknown: model.score(None).exp(),
        units: units(windows.pieces()),
    };
    let make_state = || Sums {
        counts: vec![0; fit.probabilities.len()],
        losses: Vec::new(),
        edges: Vec::new(),
        forward: Vec::new(),
        backward: Vec::new(),
    };
    let states = in_blocks(windows.len(), BLOCK, threads, "fitting scores", pacer, make_state, {
        |sums, block, items| {
            let add = |number| {
                let (piece, count) = windows.get(number);
                fit.add(sums, piece, count)
            };
            let loss = items.map(add).sum();
            sums.losses.push((block, loss));
        }
    })?;
    let mut sums = vec![0_u64; fit.probabilities.len()];
    let mut losses = vec![0.0; windows.len().div_ceil(BLOCK)];
    for state in states {
        for (sum, count) in sums.iter_mut().zip(state.counts) {
            *sum += count;
        }
        for (block, loss) in state.losses {
            losses[block] = loss;
        }
    }
    let occurrences: u64 = windows.pieces().iter().map(|(_, count)| count).sum();
    Ok(Expected {
        counts: sums.into_iter().map(|sum| sum as f64 / fit.units).collect(),
        loss: losses.iter().sum::<f64>() / occurrences as f64,
    })
}

/// How many units are one: a power of two, so large that the sum over all characters still fits.
fn units(pieces: &PieceCounts) -> f64 {
    let characters: u64 = pieces.iter().map(|(piece, count)| piece.len() as u64 * count).sum();
    let bits = u64::BITS - characters.leading_zeros();
    2_f64.powi(62 - bits as i32)
}

struct Fit<'a> {
    model: &'a UnigramModel,
    probabilities: Vec<f64>,
    unknown: f64,
    units: f64,
}

impl Fit<'_> {
    /// Adds the expected counts of a piece that occurs `count` times; returns its loss.
    fn add(&self, sums: &mut Sums, piece: &[u8], count: u64) -> f64 {
        let probability = |edge: &Edge| match edge.id {
            Some(id) => self.probabilities[id as usize],
            None => self.unknown,
        };
        self.find_edges(sums, piece);
        let Sums { counts, edges, forward, backward, .. } = sums;
        forward.clear();
        forward.resize(piece.len() + 1, 0.0);
        forward[0] = 1.0;
        for edge in edges.iter() {
            forward[edge.end as usize] += forward[edge.start as usize] * probability(edge);
        }
        let all = forward[piece.len()];
        if !EXACT.contains(&all) {
            return self.add_by_logarithms(sums, piece.len(), count);
        }
        backward.clear();
        backward.resize(piece.len() + 1, 0.0);
        backward[piece.len()] = count as f64 * self.units / all;
        for edge in edges.iter().rev() {
            let probability = probability(edge);
            let behind = backward[edge.end as usize] * probability;
            backward[edge.start as usize] += behind;
            if let Some(id) = edge.id {
                counts[id as usize] += (forward[edge.start as usize] * behind).round() as u64;
            }
        }
        -all.ln() * count as f64
    }

    fn find_edges(&self, sums: &mut Sums, piece: &[u8]) {
        sums.edges.clear();
        let mut start = 0;
        while start < piece.len() {
            let width = width(piece[start]);
            let mut has_single = false;
            for (length, id) in self.model.trie().prefixes(&piece[start..]) {
                has_single |= length == width;
                let (start, end) = (start as u32, (start + length) as u32);
                sums.edges.push(Edge { start, end, id: Some(id) });
            }
            if !has_single {
                let (start, end) = (start as u32, (start + width) as u32);
                sums.edges.push(Edge { start, end, id: None });
            }
            start += width;
        }
    }

    /// The same for pieces of which the probability is too small for a number of 64 bits.
    #[cold]
    fn add_by_logarithms(&self, sums: &mut Sums, length: usize, count: u64) -> f64 {
        let Sums { counts, edges, forward, backward, .. } = sums;
        let join = |one: &mut f64, two: f64| *one = log_sum(&mut [*one, two].into_iter());
        forward.fill(f64::NEG_INFINITY);
        forward[0] = 0.0;
        for edge in edges.iter() {
            let ways = forward[edge.start as usize] + self.model.score(edge.id);
            join(&mut forward[edge.end as usize], ways);
        }
        backward.clear();
        backward.resize(length + 1, f64::NEG_INFINITY);
        backward[length] = -forward[length];
        for edge in edges.iter().rev() {
            let behind = backward[edge.end as usize] + self.model.score(edge.id);
            join(&mut backward[edge.start as usize], behind);
            if let Some(id) = edge.id {
                let share = (forward[edge.start as usize] + behind).exp();
                counts[id as usize] += (share * count as f64 * self.units).round() as u64;
            }
        }
        -forward[length] * count as f64
    }
}
