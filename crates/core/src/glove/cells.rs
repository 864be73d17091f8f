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
use super::cooccurrence::in_threads;
use super::pairs::{self, Pairs, Scale, Sum};
use crate::embed::ids::{read_bytes_at, temporary, write_bytes_at};
use crate::embed::random::Random;
use crate::error::Result;
use crate::observe::{Observer, Progress};
use crate::simd::Cell;

/// Bytes of a cell in a file.
const CELL_BYTES: usize = 12;

/// Cells that are written at a time.
const CHUNK: usize = 1 << 16;

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
    /// one on, times the sides.
    starts: Vec<u32>,
    /// The loss of vectors and biases that are all 0.
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
        let finished = in_threads(
            threads,
            |monitor| {
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

    /// All segments that are not empty.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let mut all = Vec::new();
        for (low, column) in self.columns.iter().enumerate() {
            for (place, ends) in column.starts.windows(2).enumerate() {
                let cells = (ends[1] - ends[0]) as usize;
                let (high, side) = (low + place / self.sides, (place % self.sides) as u32);
                if cells > 0 {
                    all.push(Segment { low: low as u32, high: high as u32, side, cells });
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
        let place = (segment.high - segment.low) as usize * self.sides + segment.side as usize;
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

    /// The loss of all cells, each in one order, if vectors and biases are all 0.
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
    let mut bytes = [0; CELL_BYTES];
    bytes[..2].copy_from_slice(&cell.low.to_le_bytes());
    bytes[2..4].copy_from_slice(&cell.high.to_le_bytes());
    bytes[4..8].copy_from_slice(&cell.log.to_le_bytes());
    bytes[8..].copy_from_slice(&cell.weight.to_le_bytes());
    bytes
}

fn read_cells(file: &File, range: Range<u64>, cells: &mut Vec<Cell>) -> io::Result<()> {
    let mut bytes = vec![0; CELL_BYTES * (range.end - range.start) as usize];
    read_bytes_at(file, &mut bytes, CELL_BYTES as u64 * range.start)?;
    cells.clear();
    cells.extend(bytes.as_chunks::<CELL_BYTES>().0.iter().map(|&[a, b, c, d, rest @ ..]| {
        let [e, f, g, h, i, j, k, l] = rest;
        Cell {
            low: u16::from_le_bytes([a, b]),
            high: u16::from_le_bytes([c, d]),
            log: f32::from_le_bytes([e, f, g, h]),
            weight: f32::from_le_bytes([i, j, k, l]),
        }
    }));
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
    let mut starts = vec![0_u32; (blocks.len() - low as usize) * sides + 1];
    each_cell(sums, low, blocks, scale, config.symmetric, |segment, _, _, _| {
        starts[segment + 1] += 1;
    });
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut next = starts.clone();
    let empty = Cell { low: 0, high: 0, log: 0.0, weight: 0.0 };
    let mut cells = vec![empty; starts[starts.len() - 1] as usize];
    each_cell(sums, low, blocks, scale, config.symmetric, |segment, low, high, sum| {
        let weight = config.weight(sum) as f32;
        cells[next[segment] as usize] = Cell { low, high, log: sum.ln() as f32, weight };
        next[segment] += 1;
    });
    let zero_loss = |cell: &Cell| f64::from(cell.weight) * f64::from(cell.log).powi(2);
    let start_loss = cells.iter().map(zero_loss).sum();
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

/// Calls `visit` with the segment, the places in both groups and the sum of each cell to learn from.
///
/// Inside a group both orders of two words are cells of their own, the low place being that of the focus; between two
/// groups a cell stands for both orders unless they have been counted apart.
fn each_cell(
    sums: &[Sum],
    low: u32,
    blocks: &Blocks,
    scale: &Scale,
    symmetric: bool,
    mut visit: impl FnMut(usize, u16, u16, f64),
) {
    for &Sum { key, sum } in sums {
        let block = blocks.of(key.high());
        let low_place = key.low_in_group() as u16;
        let high_place = (key.high() - blocks.start(block)) as u16;
        let place = (block - low) as usize;
        let sum = scale.sum(sum);
        if block != low {
            let segment = if symmetric { place } else { 2 * place + key.side() as usize };
            visit(segment, low_place, high_place, sum);
        } else if !symmetric {
            let swap = key.side() == 1;
            let (focus, context) =
                if swap { (high_place, low_place) } else { (low_place, high_place) };
            visit(0, focus, context, sum);
        } else if low_place == high_place {
            // A word near itself is its own context from both sides.
            visit(0, low_place, high_place, 2.0 * sum);
        } else {
            visit(0, low_place, high_place, sum);
            visit(0, high_place, low_place, sum);
        }
    }
}

/// All cells as focus row, context row and sum, in the order of rows.
pub(super) fn table(
    parts: &[Pairs<'_>],
    blocks: &Blocks,
    scale: &Scale,
    symmetric: bool,
) -> Result<Vec<(u32, u32, f64)>> {
    let mut all = Vec::new();
    for block in 0..blocks.len() as u32 {
        for Sum { key, sum } in pairs::collect(parts, block)? {
            let (low, high) = (blocks.start(block) + key.low_in_group(), key.high());
            let sum = scale.sum(sum);
            match (symmetric, low == high, key.side()) {
                (true, true, _) => all.push((low, high, 2.0 * sum)),
                (true, false, _) => all.extend([(low, high, sum), (high, low, sum)]),
                (false, _, 0) => all.push((low, high, sum)),
                (false, ..) => all.push((high, low, sum)),
            }
        }
    }
    all.sort_unstable_by_key(|&(focus, context, _)| (focus, context));
    Ok(all)
}
