//! The finished cells, grouped by tile, in the order in which they are learned from.
//!
//! A tile holds the cells of two groups of words, a low one and a high one; see `blocks`. Inside a tile
//! cells are shuffled, because words that are learned from in a row pull a vector to and fro.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::blocks::Blocks;
use super::config::GloVeConfig;
use super::held_out::HeldOut;
use super::pairs::{self, Pairs, Scale, Sum};
use crate::embed::ids::{read_bytes_at, temporary, write_bytes_at};
use crate::embed::random::Random;
use crate::error::Result;
use crate::observe::{Monitor, Observer, Pacer, Progress};
use crate::simd::Cell;
use crate::threads::in_threads;

/// Bytes of a cell in a file.
const CELL_BYTES: usize = 12;

/// Cells that are written at a time.
const CHUNK: usize = 1 << 16;

/// What is learned from, and what is held out.
const PARTS: usize = 2;

/// A random stream of its own for each group, apart from those that start the weights and order the tiles.
const SHUFFLE_STREAM: u64 = 1 << 40;

/// All cells with a low row in one group.
#[derive(Debug)]
struct Column {
    /// Empty when they are in the file.
    cells: Vec<Cell>,
    /// Where they start in the file, in cells.
    place: u64,
    /// The first cell of each segment, and the end of the last: a segment for each high group from the low
    /// one on, times the sides, times what is learned from and what is held out.
    starts: Vec<u32>,
    /// The loss of what is learned from, if vectors and biases are all 0.
    start_loss: f64,
}

/// All cells.
#[derive(Debug)]
pub(super) struct Cells {
    columns: Vec<Column>,
    sides: usize,
    file: Option<File>,
}

/// Cells of two groups, the low rows of which are the focus if `side` is 0, and the high ones if it is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) side: u32,
    /// Whether its cells are not learned from.
    pub(super) held_out: bool,
    pub(super) cells: usize,
}

/// Where finished columns go.
struct Store {
    memory_left: AtomicU64,
    file: Mutex<Option<(File, u64)>>,
}

impl Cells {
    /// Finishes what was counted. Columns are kept in memory while all of them have at most `bytes`, the others go to a
    /// temporary file.
    pub(super) fn new(
        parts: &[Pairs<'_>],
        blocks: &Blocks,
        scale: &Scale,
        config: &GloVeConfig,
        threads: usize,
        bytes: u64,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let sides = if config.symmetric { 1 } else { 2 };
        let store = Store { memory_left: AtomicU64::new(bytes), file: Mutex::new(None) };
        let next = AtomicUsize::new(0);
        let monitor = &Monitor::default();
        let finished = in_threads(
            0..threads.max(1),
            monitor,
            |_thread| {
                let mut columns = Vec::new();
                loop {
                    let low = next.fetch_add(1, Ordering::Relaxed);
                    if low >= blocks.len() || monitor.stopped() {
                        return Ok(columns);
                    }
                    let sums = pairs::collect(parts, low as u32)?;
                    let column = column_of(&sums, low as u32, blocks, scale, config);
                    columns.push((low, store.keep(column)?));
                    monitor.advance(1);
                }
            },
            |done| Progress::new("sorting pairs", done, Some(blocks.len() as u64), "groups"),
            observer,
        )?;
        let mut columns: Vec<(usize, Column)> = finished.into_iter().flatten().collect();
        columns.sort_by_key(|&(low, _)| low);
        let file = store.file.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(Self {
            columns: columns.into_iter().map(|(_, column)| column).collect(),
            sides,
            file: file.map(|(file, _)| file),
        })
    }

    /// All segments that are not empty: those to learn from, or those that are held out.
    pub(super) fn segments(&self, held_out: bool) -> Vec<Segment> {
        let mut all = Vec::new();
        for (low, column) in self.columns.iter().enumerate() {
            let own = column.starts.windows(2).skip(usize::from(held_out)).step_by(PARTS);
            for (place, ends) in own.enumerate() {
                let cells = (ends[1] - ends[0]) as usize;
                let (high, side) = (low + place / self.sides, (place % self.sides) as u32);
                if cells > 0 {
                    all.push(Segment { low: low as u32, high: high as u32, side, held_out, cells });
                }
            }
        }
        all
    }

    /// The cells of a segment, read into `buffer` if they are in the file.
    pub(super) fn segment<'a>(
        &'a self,
        segment: Segment,
        buffer: &'a mut Vec<Cell>,
    ) -> Result<&'a [Cell]> {
        let column = &self.columns[segment.low as usize];
        let tile = (segment.high - segment.low) as usize * self.sides + segment.side as usize;
        let place = tile * PARTS + usize::from(segment.held_out);
        let range = column.starts[place] as usize..column.starts[place + 1] as usize;
        match &self.file {
            Some(file) if column.cells.is_empty() => {
                let range = column.place + range.start as u64..column.place + range.end as u64;
                read_cells(file, range, buffer).map_err(temporary)?;
                Ok(buffer)
            }
            _ => Ok(&column.cells[range]),
        }
    }

    /// The loss of all cells to learn from, each in one order, if vectors and biases are all 0.
    pub(super) fn start_loss(&self) -> f64 {
        self.columns.iter().map(|column| column.start_loss).sum()
    }

    /// Whether any cells are in a file.
    #[cfg(test)]
    pub(super) fn spilled(&self) -> bool {
        self.file.is_some()
    }
}

impl Store {
    fn keep(&self, mut column: Column) -> Result<Column> {
        let bytes = (column.cells.len() * size_of::<Cell>()) as u64;
        let left = |left: u64| left.checked_sub(bytes);
        if self.memory_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok() {
            return Ok(column);
        }
        let mut store = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (file, end) = match &mut *store {
            Some(store) => store,
            None => store.insert((tempfile::tempfile().map_err(temporary)?, 0)),
        };
        column.place = *end;
        for chunk in column.cells.chunks(CHUNK) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|&cell| to_bytes(cell)).collect();
            write_bytes_at(file, &bytes, CELL_BYTES as u64 * *end).map_err(temporary)?;
            *end += chunk.len() as u64;
        }
        column.cells = Vec::new();
        Ok(column)
    }
}

fn to_bytes(cell: Cell) -> [u8; CELL_BYTES] {
    let places = u128::from(cell.low) | u128::from(cell.high) << 16;
    let numbers = u128::from(cell.log.to_bits()) << 32 | u128::from(cell.weight.to_bits()) << 64;
    let mut bytes = [0; CELL_BYTES];
    bytes.copy_from_slice(&(places | numbers).to_le_bytes()[..CELL_BYTES]);
    bytes
}

fn from_bytes(bytes: &[u8; CELL_BYTES]) -> Cell {
    let mut all = [0; 16];
    all[..CELL_BYTES].copy_from_slice(bytes);
    let all = u128::from_le_bytes(all);
    Cell {
        low: all as u16,
        high: (all >> 16) as u16,
        log: f32::from_bits((all >> 32) as u32),
        weight: f32::from_bits((all >> 64) as u32),
    }
}

fn read_cells(file: &File, range: Range<u64>, cells: &mut Vec<Cell>) -> io::Result<()> {
    let mut bytes = vec![0; CELL_BYTES * (range.end - range.start) as usize];
    read_bytes_at(file, &mut bytes, CELL_BYTES as u64 * range.start)?;
    cells.clear();
    cells.extend(bytes.as_chunks::<CELL_BYTES>().0.iter().map(from_bytes));
    Ok(())
}

/// The cells of one group of low rows, in segments that are shuffled.
fn column_of(
    sums: &[Sum],
    low: u32,
    blocks: &Blocks,
    scale: &Scale,
    config: &GloVeConfig,
) -> Column {
    let sides = if config.symmetric { 1 } else { 2 };
    let mut starts = vec![0_u32; (blocks.len() - low as usize) * sides * PARTS + 1];
    each_cell(sums, low, blocks, scale, config, |segment, _, _, _| {
        starts[segment + 1] += 1;
    });
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut next = starts.clone();
    let empty = Cell { low: 0, high: 0, log: 0.0, weight: 0.0 };
    let mut cells = vec![empty; starts[starts.len() - 1] as usize];
    each_cell(sums, low, blocks, scale, config, |segment, low, high, sum| {
        let weight = config.weight(sum) as f32;
        cells[next[segment] as usize] = Cell { low, high, log: sum.ln() as f32, weight };
        next[segment] += 1;
    });
    let zero_loss = |cell: &Cell| f64::from(cell.weight) * f64::from(cell.log).powi(2);
    let learned = starts.windows(2).step_by(PARTS);
    let learned = learned.flat_map(|ends| &cells[ends[0] as usize..ends[1] as usize]);
    let start_loss = learned.map(zero_loss).sum();
    let mut random = Random::new(config.seed as u64, SHUFFLE_STREAM + u64::from(low));
    for ends in starts.windows(2) {
        shuffle(&mut cells[ends[0] as usize..ends[1] as usize], &mut random);
    }
    Column { cells, place: 0, starts, start_loss }
}

/// Fisher and Yates.
pub(super) fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for place in (1..items.len()).rev() {
        items.swap(place, random.below(place as u32 + 1) as usize);
    }
}

/// Calls `visit` with the segment, the places in both groups and the sum of each cell.
///
/// Inside a group both orders of two words are cells of their own, the low place being that of the focus; between two
/// groups a cell stands for both orders unless they have been counted apart.
fn each_cell(
    sums: &[Sum],
    low: u32,
    blocks: &Blocks,
    scale: &Scale,
    config: &GloVeConfig,
    mut visit: impl FnMut(usize, u16, u16, f64),
) {
    let (start, symmetric) = (blocks.start(low), config.symmetric);
    let held_out = HeldOut::new(config);
    for &sum in sums {
        let block = blocks.of(sum.key.high());
        let part = usize::from(held_out.holds(start + sum.key.low_in_group(), sum.key.high()));
        if block == low {
            each_order(sum, start, scale, symmetric, |focus, context, sum| {
                visit(part, (focus - start) as u16, (context - start) as u16, sum);
            });
            continue;
        }
        let Sum { key, sum } = sum;
        let (low_place, high_place) = (key.low_in_group(), key.high() - blocks.start(block));
        let place = (block - low) as usize;
        let tile = if symmetric { place } else { 2 * place + key.side() as usize };
        visit(tile * PARTS + part, low_place as u16, high_place as u16, scale.sum(sum));
    }
}

/// All cells in the order of focus rows, then of context rows.
#[derive(Debug, Default)]
pub struct Table {
    /// Row of the focus.
    pub focus: Vec<u32>,
    /// Row of the context.
    pub context: Vec<u32>,
    /// Sum of the weights.
    pub weight: Vec<f64>,
}

/// Finishes what was counted, as a table.
pub(super) fn table(
    parts: &[Pairs<'_>],
    blocks: &Blocks,
    scale: &Scale,
    symmetric: bool,
    observer: &mut dyn Observer,
) -> Result<Table> {
    let mut pacer = Pacer::new(observer);
    let groups = Some(2 * blocks.len() as u64);
    let mut tick =
        |done: u64| pacer.tick(|| Progress::new("sorting pairs", done, groups, "groups"));
    let mut columns = Vec::new();
    let mut next = Vec::new();
    for block in 0..blocks.len() as u32 {
        let sums = pairs::collect(parts, block)?;
        for (done, sum) in sums.iter().enumerate() {
            each_order(*sum, blocks.start(block), scale, symmetric, |focus, _, _| {
                next.resize(next.len().max(focus as usize + 2), 0);
                next[focus as usize + 1] += 1;
            });
            if done % CHUNK == 0 {
                tick(u64::from(block))?;
            }
        }
        columns.push(sums);
    }
    for place in 1..next.len() {
        next[place] += next[place - 1];
    }
    let total = next.last().copied().unwrap_or(0);
    let mut table =
        Table { focus: vec![0; total], context: vec![0; total], weight: vec![0.0; total] };
    // Low rows come in order, and the high rows of each too, so the contexts of each focus do.
    for (block, sums) in (0_u32..).zip(columns) {
        for (done, sum) in sums.into_iter().enumerate() {
            each_order(sum, blocks.start(block), scale, symmetric, |focus, context, weight| {
                let place = next[focus as usize];
                next[focus as usize] += 1;
                table.focus[place] = focus;
                table.context[place] = context;
                table.weight[place] = weight;
            });
            if done % CHUNK == 0 {
                tick((blocks.len() as u64) + u64::from(block))?;
            }
        }
    }
    Ok(table)
}

/// Calls `visit` with the focus, the context and the sum of each order of two words that a sum stands for.
fn each_order(
    Sum { key, sum }: Sum,
    start: u32,
    scale: &Scale,
    symmetric: bool,
    mut visit: impl FnMut(u32, u32, f64),
) {
    let (low, high) = (start + key.low_in_group(), key.high());
    let sum = scale.sum(sum);
    match (symmetric, key.side()) {
        // A word near itself is its own context from both sides.
        (true, _) if low == high => visit(low, high, 2.0 * sum),
        (true, _) => {
            visit(low, high, sum);
            visit(high, low, sum);
        }
        (false, 0) => visit(low, high, sum),
        (false, _) => visit(high, low, sum),
    }
}
