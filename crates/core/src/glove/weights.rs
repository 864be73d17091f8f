//! The vectors while they change: two tables of rows, in the groups of `blocks`.
//!
//! Each group has a lock of its own; a tile holds those of its two groups, so no two threads change a row at
//! the same time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::blocks::Blocks;
use super::config::{GloVeConfig, Optimizer};
use crate::embed::random::Random;
use crate::error::{Error, Result};
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
    /// Vectors and biases at random in both tables, at most half of one divided by the size, and sums of squared gradients
    /// at 1: as the original program starts.
    pub(super) fn new(config: &GloVeConfig, blocks: &Blocks, random: &mut Random) -> Result<Self> {
        let size = config.vector_size as usize;
        let scale = 1.0 / size as f32;
        let groups = (0..blocks.len() as u32).map(|block| {
            let rows = blocks.rows(block).len();
            let mut table = || start(rows, size, lines(config), || random.centered() * scale);
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

    /// The vectors: the sum of both tables, a row after the other.
    pub(super) fn into_vectors(self) -> Vec<f32> {
        let mut vectors = Vec::new();
        for group in self.groups {
            let Group { focus, context } = group.into_inner().unwrap_or_else(PoisonError::into_inner);
            let lines = focus.lines.len() / focus.biases.len().max(1);
            let rows = focus.lines.chunks_exact(lines).zip(context.lines.chunks_exact(lines));
            for (focus, context) in rows {
                let both = focus.iter().zip(context).flat_map(|(a, b)| a.0.iter().zip(&b.0));
                vectors.extend(both.take(self.size).map(|(a, b)| a + b));
            }
        }
        vectors
    }
}

/// Rows of one table of a group.
fn start(rows: usize, size: usize, lines: usize, mut next: impl FnMut() -> f32) -> Result<Rows> {
    let mut all = Vec::new();
    let total = rows.checked_mul(lines).unwrap_or(usize::MAX);
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
    for _ in 0..rows {
        for line in 0..width {
            let mut floats = [0.0; BLOCK];
            let used = (size - line * BLOCK).min(BLOCK);
            floats[..used].fill_with(&mut next);
            all.push(Line(floats));
        }
        all.extend((width..lines).map(|_| Line([1.0; BLOCK])));
        biases.push([next(), 1.0]);
    }
    Ok(Rows { lines: all, biases })
}
