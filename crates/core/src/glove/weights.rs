//! The vectors while they change: two tables of rows, in the groups of `blocks`.
//!
//! Each group has a lock of its own; a tile holds those of its two groups, so no two threads change a row at
//! the same time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::blocks::Blocks;
use super::config::{GloVeConfig, Optimizer};
use crate::embed::kept::Kept;
use crate::embed::random::Random;
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::simd::{BLOCK, Cell, Fit, Kernels, Line, Rows};

/// Floats that are worked on between two looks at the wish to stop.
const FLOATS_PER_LOOK: usize = 1 << 22;

/// Rows of both tables for the words of one group.
#[derive(Debug)]
struct Group {
    focus: Rows,
    context: Rows,
}

/// All rows.
#[derive(Debug)]
pub(super) struct Weights {
    groups: Vec<Mutex<Group>>,
    size: usize,
    /// Lines in a vector.
    width: usize,
    rate: f32,
    adaptive: bool,
    kernels: Kernels,
}

/// Lines in a row, with the sums of squared gradients if there are any.
fn lines(config: &GloVeConfig) -> usize {
    let width = (config.vector_size as usize).div_ceil(BLOCK);
    if config.optimizer == Optimizer::AdaGrad { 2 * width } else { width }
}

/// Bytes of a row, with the sums of squared gradients if there are any.
pub(super) fn row_bytes(config: &GloVeConfig) -> usize {
    lines(config) * size_of::<Line>()
}

impl Weights {
    /// Random vectors in both tables.
    pub(super) fn new(
        config: &GloVeConfig,
        blocks: &Blocks,
        random: &mut Random,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let size = config.vector_size as usize;
        let mut pacer = Pacer::new(observer);
        let mut done = 0;
        let total = 2 * u64::from(blocks.rows(blocks.len() as u32 - 1).end);
        let mut tick = || {
            done += 1;
            pacer.tick(|| Progress::new("preparing", done, Some(total), "vectors"))
        };
        let groups = (0..blocks.len() as u32).map(|block| {
            let rows = blocks.rows(block).len();
            let mut table = || start(rows, config, random, &mut tick);
            Ok(Mutex::new(Group { focus: table()?, context: table()? }))
        });
        Ok(Self {
            groups: groups.collect::<Result<_>>()?,
            size,
            width: size.div_ceil(BLOCK),
            rate: config.learning_rate as f32,
            adaptive: config.optimizer == Optimizer::AdaGrad,
            kernels: Kernels::best(),
        })
    }

    /// Learns from the cells of two groups; returns the sum of their losses, or `None` if `stopped`.
    pub(super) fn learn(
        &self,
        (low, high): (u32, u32),
        swapped: bool,
        cells: &[Cell],
        stopped: impl Fn() -> bool,
    ) -> Option<f64> {
        let mut low_group = self.lock(low);
        let mut high_group = (low != high).then(|| self.lock(high));
        let mut loss = 0.0;
        for cells in cells.chunks((FLOATS_PER_LOOK / (self.width * BLOCK)).max(1)) {
            if stopped() {
                return None;
            }
            let low_group = &mut *low_group;
            let (focus, context) = match (high_group.as_deref_mut(), swapped) {
                (None, _) => (&mut low_group.focus, &mut low_group.context),
                (Some(high_group), false) => (&mut low_group.focus, &mut high_group.context),
                (Some(high_group), true) => (&mut high_group.focus, &mut low_group.context),
            };
            let Self { width, rate, adaptive, .. } = *self;
            loss += self.kernels.fit(Fit { cells, swapped, focus, context, width, rate, adaptive });
        }
        Some(loss)
    }

    fn lock(&self, block: u32) -> MutexGuard<'_, Group> {
        self.groups[block as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Both tables as rows of numbers with their sums of squared gradients; the bias comes last.
    #[cfg(test)]
    pub(super) fn tables(self) -> [Vec<Vec<(f64, f64)>>; 2] {
        let mut tables = [Vec::new(), Vec::new()];
        for group in self.groups {
            let Group { focus, context } = group.into_inner().unwrap();
            for (table, rows) in tables.iter_mut().zip([focus, context]) {
                let lines = rows.lines.len() / rows.biases.len();
                for (row, bias) in rows.lines.chunks_exact(lines).zip(rows.biases) {
                    let floats = row.iter().flat_map(|line| line.0).take(self.size);
                    let mut numbers: Vec<_> = floats.map(|float| (f64::from(float), 1.0)).collect();
                    numbers.push((f64::from(bias[0]), 1.0));
                    table.push(numbers);
                }
            }
        }
        tables
    }

    /// Keeps the vectors as they are; says whether all are finite.
    pub(super) fn keep(
        &mut self,
        kept: &mut Kept<Vec<f64>>,
        history: Vec<f64>,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        let Self { groups, size, .. } = self;
        let mut groups: Vec<&Group> = groups.iter_mut().map(of_all).collect();
        let rows: usize = groups.iter().map(|group| group.focus.biases.len()).sum();
        let length = 4 * (rows * *size) as u64;
        let bytes = groups
            .drain(..)
            .map(|group| sums(group, *size).flat_map(f32::to_ne_bytes).collect::<Vec<u8>>());
        kept.keep(history, length, bytes, observer)
    }

    /// The vectors: the sum of both tables, a row after the other.
    pub(super) fn into_vectors(self) -> Vec<f32> {
        let mut vectors = Vec::new();
        for group in self.groups {
            let group = group.into_inner().unwrap_or_else(PoisonError::into_inner);
            vectors.extend(sums(&group, self.size));
        }
        vectors
    }
}

/// A group while no thread works on it.
fn of_all(group: &mut Mutex<Group>) -> &Group {
    group.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// The sum of both tables of a group, a row after the other.
fn sums(group: &Group, size: usize) -> impl Iterator<Item = f32> {
    let Group { focus, context } = group;
    let lines = focus.lines.len() / focus.biases.len().max(1);
    let rows = focus.lines.chunks_exact(lines).zip(context.lines.chunks_exact(lines));
    rows.flat_map(move |(focus, context)| {
        let both = focus.iter().zip(context).flat_map(|(a, b)| a.0.iter().zip(&b.0));
        both.take(size).map(|(a, b)| a + b)
    })
}

/// The vectors of `words` words that were kept, and the losses up to then.
pub(super) fn restore(
    kept: Kept<Vec<f64>>,
    words: usize,
    config: &GloVeConfig,
) -> Option<(Vec<f32>, Vec<f64>)> {
    let mut bytes = vec![0; 4 * words * config.vector_size as usize];
    let history = kept.restore(&mut bytes)?;
    let floats = bytes.as_chunks::<4>().0.iter().map(|&float| f32::from_ne_bytes(float));
    Some((floats.collect(), history))
}

/// Rows of one table of a group.
///
/// With adaptive steps all starts as in the original program: vectors and biases evenly spread up to half of
/// one divided by the size, sums of squared gradients at 1. Plain steps would take long to leave so small a place, so
/// there vectors are normally distributed with a deviation of 0.1, and biases 0.
fn start(
    rows: usize,
    config: &GloVeConfig,
    random: &mut Random,
    tick: &mut impl FnMut() -> Result<()>,
) -> Result<Rows> {
    let (size, lines) = (config.vector_size as usize, lines(config));
    let mut all = Vec::new();
    let total = rows.saturating_mul(lines);
    all.try_reserve_exact(total).map_err(|source| {
        Error::parameter(
            "vector_size",
            format!("times the number of words must fit into memory ({source})"),
            size,
        )
        .with_hint("Lower it, or keep fewer words with min_count or max_vocab")
    })?;
    let width = size.div_ceil(BLOCK);
    let mut biases = Vec::with_capacity(rows);
    let scale = 1.0 / size as f32;
    for _ in 0..rows {
        tick()?;
        for line in 0..width {
            let mut floats = [0.0; BLOCK];
            let used = (size - line * BLOCK).min(BLOCK);
            floats[..used].fill_with(|| match config.optimizer {
                Optimizer::AdaGrad => random.centered() * scale,
                // Twelve even numbers of width 1 add up to a deviation of 1.
                Optimizer::Sgd => (0..12).map(|_| random.centered()).sum::<f32>() * 0.1,
            });
            all.push(Line(floats));
        }
        all.extend((width..lines).map(|_| Line([1.0; BLOCK])));
        let bias = match config.optimizer {
            Optimizer::AdaGrad => random.centered() * scale,
            Optimizer::Sgd => 0.0,
        };
        biases.push([bias, 1.0]);
    }
    Ok(Rows { lines: all, biases })
}
