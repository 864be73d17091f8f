//! The nearest rows to many queries at once.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::WordVectors;
use super::batch_bytes::{ByteBlock, BytePanels, QUERIES_FOR_COPY};
use super::best::{Best, is_below, merge};
use super::metric::{Metric, Neighbor, Query};
use super::rows::Reader;
use super::search::Search;
use super::sketch::Sketch;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::simd::{ByteTiles, Scan};
use crate::threads::in_threads;

/// Queries that are answered in one pass over the matrix: what they have found so far stays in the cache.
const QUERIES_PER_PASS: usize = 1 << 12;

/// Rows whose products with a panel are taken at once; a multiple of every tile of rows.
const BLOCK_ROWS: usize = 96;

/// Blocks that a thread takes at a time.
const BLOCKS_PER_TURN: usize = 8;

impl WordVectors {
    /// The `search.n` nearest rows to each of the queries, which lie one after the other.
    ///
    /// Answers are those of [`WordVectors::nearest`]; `own` may name a row for each query that is left out
    /// of its answer.
    pub fn nearest_to_each(
        &self,
        queries: &[f32],
        own: Option<&[usize]>,
        search: Search<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Vec<Neighbor>>> {
        let count = queries.len() / self.size;
        if !queries.len().is_multiple_of(self.size) || own.is_some_and(|own| own.len() != count) {
            let rule = format!("must have {} numbers in each row, as the vectors do", self.size);
            return Err(Error::parameter("queries", rule, format!("{} in all", queries.len())));
        }
        if let Some(bad) = queries.iter().find(|number| !number.is_finite()) {
            return Err(Error::parameter("queries", "must hold finite numbers", bad));
        }
        self.check_among(search.among)?;
        if search.n == 0 || count == 0 {
            return Ok(vec![Vec::new(); count]);
        }
        let bytes = self.bytes_if_worth_it(count, search, observer)?;
        self.each_by(bytes, queries, own, search, observer)
    }

    /// The same by floats, or by bytes.
    pub(super) fn each_by(
        &self,
        bytes: Option<(&Sketch, ByteTiles)>,
        queries: &[f32],
        own: Option<&[usize]>,
        search: Search<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Vec<Neighbor>>> {
        let count = queries.len() / self.size;
        let mut answers = Vec::with_capacity(count);
        for start in (0..count).step_by(QUERIES_PER_PASS) {
            let part = start..count.min(start + QUERIES_PER_PASS);
            let progress =
                |_| Progress::new("searching", start as u64, Some(count as u64), "queries");
            let pass = Pass::new(self, bytes, queries, own, search, part);
            let monitor = Monitor::default();
            let threads = 0..search.threads.max(1);
            let found =
                in_threads(threads, &monitor, |_| Ok(pass.run(&monitor)), progress, observer)?;
            answers.extend(join(found, search.n));
        }
        Ok(answers)
    }

    /// The copy of the matrix in bytes, where products of bytes are faster than those of floats.
    fn bytes_if_worth_it(
        &self,
        queries: usize,
        search: Search<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Option<(&Sketch, ByteTiles)>> {
        let Some(tiles) = ByteTiles::best() else { return Ok(None) };
        if search.metric != Metric::Cosine || search.among.is_some() {
            return Ok(None);
        }
        let sketch = self.sketch_for(queries >= QUERIES_FOR_COPY, search.threads, observer)?;
        Ok(sketch.filter(|sketch| tiles.take(sketch.width)).map(|sketch| (sketch, tiles)))
    }
}

/// The answers of all threads to each query.
fn join(found: Vec<Vec<Vec<Neighbor>>>, n: usize) -> Vec<Vec<Neighbor>> {
    let mut found = found.into_iter();
    let mut answers = found.next().unwrap_or_default();
    for other in found {
        for (answer, other) in answers.iter_mut().zip(other) {
            *answer = merge([std::mem::take(answer), other], n);
        }
    }
    answers
}

/// One pass over the matrix.
struct Pass<'a> {
    vectors: &'a WordVectors,
    search: Search<'a>,
    queries: Vec<Query<'a>>,
    own: Option<&'a [usize]>,
    panels: Panels<'a>,
    next: AtomicUsize,
}

/// The queries side by side.
enum Panels<'a> {
    Floats(Scan, Vec<f32>),
    Bytes(BytePanels<'a>),
}

impl<'a> Pass<'a> {
    fn new(
        vectors: &'a WordVectors,
        bytes: Option<(&'a Sketch, ByteTiles)>,
        queries: &'a [f32],
        own: Option<&'a [usize]>,
        search: Search<'a>,
        part: Range<usize>,
    ) -> Self {
        let (scan, size) = (Scan::best(), vectors.size);
        let rows = queries[part.start * size..part.end * size].chunks_exact(size);
        let asked = rows.clone().map(|vector| Query::new(vectors.kernels, search.metric, vector));
        let queries: Vec<Query<'_>> = asked.collect();
        let panels = match bytes {
            Some((sketch, tiles)) => {
                Panels::Bytes(BytePanels::new(vectors, sketch, tiles, &queries))
            }
            None => Panels::Floats(scan, scan.pack(rows, size)),
        };
        let own = own.map(|own| &own[part]);
        Self { vectors, search, queries, own, panels, next: AtomicUsize::new(0) }
    }

    /// Takes blocks of rows until none is left; returns the best of them for each query.
    fn run(&self, monitor: &Monitor) -> Vec<Vec<Neighbor>> {
        let rows = self.vectors.searched(self.search.among);
        let exclude: Vec<Vec<usize>> =
            (0..self.queries.len()).map(|index| self.excluded(index)).collect();
        let mut best: Vec<Best<'_>> = self
            .queries
            .iter()
            .zip(&exclude)
            .map(|(&query, exclude)| {
                let margin = query.margin(self.vectors.longest);
                Best::new(self.vectors, query, self.search.n, exclude, margin)
            })
            .collect();
        match &self.panels {
            Panels::Floats(scan, panels) => {
                let mut block = Block::new(self, *scan, panels);
                self.each_block(rows, monitor, |part| block.scan(part, &mut best));
            }
            Panels::Bytes(panels) => {
                let mut block = ByteBlock::new(panels);
                self.each_block(rows, monitor, |part| block.scan(part, &mut best));
            }
        }
        best.into_iter().map(Best::finish).collect()
    }

    fn each_block(&self, rows: usize, monitor: &Monitor, mut scan: impl FnMut(Range<usize>)) {
        let turn = BLOCKS_PER_TURN * BLOCK_ROWS;
        loop {
            let start = self.next.fetch_add(turn, Ordering::Relaxed);
            if start >= rows {
                break;
            }
            for start in (start..rows.min(start + turn)).step_by(BLOCK_ROWS) {
                if monitor.stopped() {
                    return;
                }
                scan(start..rows.min(start + BLOCK_ROWS));
            }
        }
    }

    fn excluded(&self, index: usize) -> Vec<usize> {
        let own = self.own.map(|own| own[index]);
        self.search.exclude.iter().copied().chain(own).collect()
    }
}

/// Room for what is computed for a block of rows.
struct Block<'a> {
    pass: &'a Pass<'a>,
    scan: Scan,
    panels: &'a [f32],
    /// The rows, where they do not lie together in the matrix.
    gathered: Vec<f32>,
    reader: Reader<'a>,
    products: Vec<f32>,
    terms: Vec<(f32, f32)>,
    thresholds: Vec<f32>,
}

impl<'a> Block<'a> {
    fn new(pass: &'a Pass<'a>, scan: Scan, panels: &'a [f32]) -> Self {
        let panel = scan.panel();
        Self {
            pass,
            scan,
            panels,
            gathered: Vec::new(),
            reader: pass.vectors.rows.reader(),
            products: vec![0.0; BLOCK_ROWS * panel],
            terms: Vec::with_capacity(BLOCK_ROWS),
            thresholds: vec![f32::INFINITY; panel],
        }
    }

    fn scan(&mut self, part: Range<usize>, best: &mut [Best<'_>]) {
        let (Pass { vectors, search, .. }, scan, panels) = (self.pass, self.scan, self.panels);
        let (size, panel) = (vectors.size, scan.panel());
        let row_of = |index: usize| search.among.map_or(index, |among| among.rows()[index]);
        let rows = if search.among.is_some() {
            self.gathered.clear();
            for index in part.clone() {
                self.gathered.extend_from_slice(self.reader.row(row_of(index)));
            }
            &self.gathered
        } else {
            self.reader.range(part.clone())
        };
        self.terms.clear();
        let norms = part.clone().map(|index| vectors.norms[row_of(index)]);
        self.terms.extend(norms.map(|norm| Query::terms(search.metric, norm)));
        let products = &mut self.products[..part.len() * panel];
        for (packed, best) in panels.chunks_exact(panel * size).zip(best.chunks_mut(panel)) {
            scan.panel_products(rows, packed, products);
            for (threshold, best) in self.thresholds.iter_mut().zip(&*best) {
                *threshold = best.threshold();
            }
            self.thresholds[best.len()..].fill(f32::INFINITY);
            for ((index, products), &terms) in
                part.clone().zip(products.chunks_exact(panel)).zip(&self.terms)
            {
                if may_be_near(products, terms, &self.thresholds) {
                    offer(row_of(index), products, terms, &mut self.thresholds, best);
                }
            }
        }
    }
}

/// Whether a row may be among the best of any query.
fn may_be_near(products: &[f32], (factor, offset): (f32, f32), thresholds: &[f32]) -> bool {
    let mut near = false;
    for (&product, &threshold) in products.iter().zip(thresholds) {
        near |= !is_below(product * factor + offset, threshold);
    }
    near
}

fn offer(
    row: usize,
    products: &[f32],
    (factor, offset): (f32, f32),
    thresholds: &mut [f32],
    best: &mut [Best<'_>],
) {
    for ((&product, threshold), best) in products.iter().zip(thresholds).zip(best) {
        if !is_below(product * factor + offset, *threshold) {
            best.offer(row);
            *threshold = best.threshold();
        }
    }
}
