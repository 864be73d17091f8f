//! The vectors while they change: two tables of rows, in the groups of `blocks`.
//!
//! Each group has a lock of its own; a tile holds those of its two groups, so no two threads change a row at
//! the same time.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::blocks::Blocks;
use super::config::{GloVeConfig, Optimizer};
use crate::embed::checkpoint::{Resumed, Table};
use crate::embed::epochs::Standing;
use crate::embed::kept::Kept;
use crate::embed::random::Random;
use crate::error::{Error, Result};
use crate::formats::binary::bytes_of;
use crate::observe::{Observer, Pacer, Progress};
use crate::simd::{BLOCK, Cell, Fit, Kernels, Line, Rows};
use crate::threads::lock;

/// Floats that are worked on between two looks at the wish to stop.
const FLOATS_PER_LOOK: usize = 1 << 22;

/// The names of the tables in a checkpoint.
const FOCUS: &str = "focus";
const CONTEXT: &str = "context";

/// The vector that a row starts from, if it has one.
pub(super) type Known<'a> = dyn Fn(u32) -> Option<Vec<f32>> + 'a;

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
    /// Floats of a vector that are worked on.
    used: usize,
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
    /// Random vectors in both tables, but for the rows that have a `known` one: each table starts with half of that.
    pub(super) fn new(
        config: &GloVeConfig,
        blocks: &Blocks,
        known: &Known<'_>,
        random: &mut Random,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let (size, kernels) = (config.vector_size as usize, Kernels::best());
        let mut pacer = Pacer::new(observer);
        let mut done = 0;
        let total = 2 * u64::from(blocks.rows(blocks.len() as u32 - 1).end);
        let mut tick = || {
            done += 1;
            pacer.tick(|| Progress::new("preparing", done, Some(total), "vectors"))
        };
        let groups = (0..blocks.len() as u32).map(|block| {
            let mut table = || start(blocks.rows(block), config, known, random, &mut tick);
            Ok(Mutex::new(Group { focus: table()?, context: table()? }))
        });
        Ok(Self {
            groups: groups.collect::<Result<_>>()?,
            size,
            width: size.div_ceil(BLOCK),
            rate: config.learning_rate as f32,
            adaptive: config.optimizer == Optimizer::AdaGrad,
            kernels,
            used: kernels.width_of(size),
        })
    }

    /// Learns from the cells of two groups, or only looks at them; returns the sum of their losses, each taken before
    /// the step, or `None` if `stopped`.
    pub(super) fn visit(
        &self,
        (low, high): (u32, u32),
        swapped: bool,
        cells: &[Cell],
        learns: bool,
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
            let Self { width, used, rate, adaptive, .. } = *self;
            let fit = Fit { cells, swapped, focus, context, width, used, rate, adaptive };
            loss += if learns { self.kernels.fit(fit) } else { fit.loss() };
        }
        Some(loss)
    }

    fn lock(&self, block: u32) -> MutexGuard<'_, Group> {
        lock(&self.groups[block as usize])
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
        &self,
        kept: &mut Kept<Standing>,
        standing: Standing,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        let bytes = (0..self.groups.len() as u32)
            .map(|block| bytes_of(sums(&self.lock(block), self.size).map(f32::to_ne_bytes)));
        kept.keep(standing, 4 * (self.rows() * self.size) as u64, bytes, observer)
    }

    /// The vectors: the sum of both tables, a row after the other.
    pub(super) fn vectors(&self) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(self.rows() * self.size);
        for block in 0..self.groups.len() as u32 {
            vectors.extend(sums(&self.lock(block), self.size));
        }
        vectors
    }

    /// Both tables as they are written down: for each row its lines, its bias and the sum of squares of that.
    pub(super) fn written(&self) -> [Table; 2] {
        [self.table(FOCUS, |group| &group.focus), self.table(CONTEXT, |group| &group.context)]
    }

    fn table(&self, name: &'static str, side: fn(&Group) -> &Rows) -> Table {
        let shape = self.shape();
        let mut bytes = Vec::with_capacity(4 * shape[0] * shape[1]);
        for block in 0..self.groups.len() as u32 {
            for (lines, bias) in rows_of(side(&self.lock(block))) {
                let floats = lines.iter().flat_map(|line| line.0).chain(*bias);
                bytes.extend(floats.flat_map(f32::to_le_bytes));
            }
        }
        Table { name, shape, bytes }
    }

    /// Sets both tables to what was written down.
    pub(super) fn resume(&mut self, resumed: &Resumed) -> Result<()> {
        let shape = self.shape();
        let mut focus = resumed.floats(FOCUS, shape)?.chunks_exact(shape[1]);
        let mut context = resumed.floats(CONTEXT, shape)?.chunks_exact(shape[1]);
        for group in &mut self.groups {
            let Group { focus: to_focus, context: to_context } =
                group.get_mut().unwrap_or_else(PoisonError::into_inner);
            set(to_focus, &mut focus);
            set(to_context, &mut context);
        }
        Ok(())
    }

    /// Rows of a table, and floats in each with its bias and the sum of squares of that.
    fn shape(&self) -> [usize; 2] {
        let lines = if self.adaptive { 2 * self.width } else { self.width };
        [self.rows(), lines * BLOCK + 2]
    }

    /// How many groups there are.
    pub(super) fn blocks(&self) -> usize {
        self.groups.len()
    }

    fn rows(&self) -> usize {
        (0..self.groups.len() as u32).map(|block| self.lock(block).focus.biases.len()).sum()
    }
}

/// The lines of each row, and its bias.
fn rows_of(rows: &Rows) -> impl Iterator<Item = (&[Line], &[f32; 2])> {
    let lines = rows.lines.len() / rows.biases.len().max(1);
    rows.lines.chunks_exact(lines.max(1)).zip(&rows.biases)
}

/// Sets rows to the next ones of what was written down.
fn set<'a>(to: &mut Rows, from: &mut impl Iterator<Item = &'a [[u8; 4]]>) {
    let lines = to.lines.len() / to.biases.len().max(1);
    for ((lines, bias), from) in
        to.lines.chunks_exact_mut(lines.max(1)).zip(&mut to.biases).zip(from)
    {
        let floats = lines.iter_mut().flat_map(|line| &mut line.0).chain(bias);
        floats.zip(from).for_each(|(float, &bytes)| *float = f32::from_le_bytes(bytes));
    }
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

/// The vectors of `words` words that were kept, and where the run stood then.
pub(super) fn restore(
    kept: Kept<Standing>,
    words: usize,
    config: &GloVeConfig,
) -> Option<(Vec<f32>, Standing)> {
    let mut bytes = vec![0; 4 * words * config.vector_size as usize];
    let standing = kept.restore(&mut bytes)?;
    let floats = bytes.as_chunks::<4>().0.iter().map(|&float| f32::from_ne_bytes(float));
    Some((floats.collect(), standing))
}

/// Rows of one table of a group.
///
/// With adaptive steps all starts as in the original program: vectors and biases evenly spread up to half of
/// one divided by the size, sums of squared gradients at 1. Plain steps would take long to leave so small a place, so
/// there vectors are normally distributed with a deviation of 0.1, and biases 0. So are the biases of a known vector,
/// which would be no better for those of another word.
fn start(
    rows: Range<u32>,
    config: &GloVeConfig,
    known: &Known<'_>,
    random: &mut Random,
    tick: &mut impl FnMut() -> Result<()>,
) -> Result<Rows> {
    let (size, lines) = (config.vector_size as usize, lines(config));
    let mut all = Vec::new();
    let total = rows.len().saturating_mul(lines);
    all.try_reserve_exact(total).map_err(|source| {
        Error::parameter(
            "vector_size",
            format!("times the number of words must fit into memory ({source})"),
            size,
        )
        .with_hint("Lower it, or keep fewer words with min_count or max_vocab")
    })?;
    let width = size.div_ceil(BLOCK);
    let mut biases = Vec::with_capacity(rows.len());
    let scale = 1.0 / size as f32;
    for row in rows {
        tick()?;
        let first = all.len();
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
        let mut bias = match config.optimizer {
            Optimizer::AdaGrad => random.centered() * scale,
            Optimizer::Sgd => 0.0,
        };
        if let Some(vector) = known(row) {
            for (Line(floats), known) in all[first..].iter_mut().zip(vector.chunks(BLOCK)) {
                floats.iter_mut().zip(known).for_each(|(float, known)| *float = known / 2.0);
            }
            bias = 0.0;
        }
        biases.push([bias, 1.0]);
    }
    Ok(Rows { lines: all, biases })
}
