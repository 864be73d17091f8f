//! The checksum of a file of vectors, and their lengths, taken together by several threads.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use super::norms::{measure, norms_of};
use super::rows::Rows;
use crate::corpus::resolve_threads;
use crate::error::Result;
use crate::formats::block_checksum::{BlockChecksum, CHECKED_BLOCK, checksum_of_block};
use crate::formats::safetensors::{Header, check_checksum, compare_checksum};
use crate::threads::lock;

/// Blocks for which a thread is worth its start: 4 MB.
const FEWEST_BLOCKS: usize = 1 << 4;

/// Compares the bytes of all tensors with the checksum, and takes the lengths of the vectors on the way, while
/// their numbers are near the processor that read them, unless the file keeps them; the calling thread does
/// something else first. What that found counts only if the bytes are right.
pub(super) fn check_and_measure<T>(
    path: &Path,
    header: &Header,
    file: &[u8],
    (rows, kept): (&Rows, Option<Vec<f32>>),
    meanwhile: impl FnOnce() -> T,
) -> Result<(Vec<f32>, T)> {
    let all_norms = || norms_of(rows, 0..rows.len());
    if !header.is_checked_by_blocks() {
        check_checksum(path, header, file)?;
        return Ok((kept.unwrap_or_else(all_norms), meanwhile()));
    }
    // None where they are known, or cannot be taken from the bytes as they pass.
    let range = rows.range_in(file).filter(|_| kept.is_none());
    let mut norms = vec![0.0; if range.is_some() { rows.len() } else { 0 }];
    let mut blocks = blocks_of(file, header.data_start(), range.clone(), &mut norms);
    let threads = resolve_threads(None).min(blocks.len().div_ceil(FEWEST_BLOCKS));
    let waiting = Mutex::new(blocks.iter_mut());
    let work = || {
        let next = || lock(&waiting).next();
        while let Some(block) = next() {
            block.measure(rows);
        }
    };
    let found = thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        let found = meanwhile();
        work();
        found
    });
    let mut checksum = BlockChecksum::default();
    for block in &blocks {
        checksum.add_block(block.checksum);
    }
    compare_checksum(path, header, &checksum.text())?;
    let norms = if range.is_some() { norms } else { kept.unwrap_or_else(all_norms) };
    Ok((norms, found))
}

/// The blocks of a file whose vectors lie in `range`, each with the room for the lengths of those that end in it;
/// with none, where there is no range.
fn blocks_of<'a>(
    file: &'a [u8],
    start: usize,
    range: Option<Range<usize>>,
    mut norms: &'a mut [f32],
) -> Vec<Block<'a>> {
    let range = range.unwrap_or_default();
    let (rows, width) = (norms.len(), range.len() / norms.len().max(1));
    let (mut blocks, mut row) = (Vec::new(), 0);
    for bytes in file[start..].chunks(CHECKED_BLOCK) {
        let end = start + blocks.len() * CHECKED_BLOCK + bytes.len();
        let whole = end.saturating_sub(range.start).checked_div(width).unwrap_or(0).min(rows);
        let (own, rest) = std::mem::take(&mut norms).split_at_mut(whole.max(row) - row);
        blocks.push(Block { bytes, checksum: 0, row, norms: own });
        (row, norms) = (whole.max(row), rest);
    }
    blocks
}

/// Bytes of a file, and room for what is found out about them.
struct Block<'a> {
    bytes: &'a [u8],
    checksum: u64,
    /// The first of the vectors that end here.
    row: usize,
    norms: &'a mut [f32],
}

impl Block<'_> {
    fn measure(&mut self, rows: &Rows) {
        self.checksum = checksum_of_block(self.bytes);
        measure(rows, self.row..self.row + self.norms.len(), self.norms);
    }
}
