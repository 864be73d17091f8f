//! Exact search for the nearest vectors to one query.

use std::ops::Range;

use super::WordVectors;
use super::best::{Best, merge};
use super::codes::CodeProducts;
use super::metric::{Metric, Neighbor, Query, cosine_of};
use super::norms::norm_of;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::in_threads;

/// Numbers in the rows that one thread at least scans; below it, starting a thread costs more.
const NUMBERS_PER_THREAD: usize = 1 << 20;

/// Rows between two looks at the wish to stop.
const ROWS_PER_LOOK: usize = 1 << 12;

/// Rows whose rough products are taken at once.
const BLOCK_ROWS: usize = 128;

/// A row is asked for so many rows before it is read.
const ROWS_AHEAD: usize = 8;

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// How vectors are compared.
    pub metric: Metric,
    /// How many neighbors are wanted.
    pub n: usize,
    /// The rows that are searched; all of them if none are given.
    pub among: Option<&'a Among>,
    /// Rows that are left out.
    pub exclude: &'a [usize],
    /// Threads that scan.
    pub threads: usize,
}

/// Some of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Among(Vec<usize>);

impl Among {
    /// These rows, in any order.
    pub fn new(mut rows: Vec<usize>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        Self(rows)
    }

    /// The rows, rising.
    pub fn rows(&self) -> &[usize] {
        &self.0
    }
}

impl WordVectors {
    /// The cosine of the angle between two vectors; 0 if either is zero.
    pub fn cosine(&self, left: &[f32], right: &[f32]) -> f32 {
        cosine_of(self.kernels.dot(left, right), norm_of(left), norm_of(right))
    }

    /// The rows nearest to `query`, best first, ties in row order.
    ///
    /// Every row is compared, so the answer is exact. Where many queries are asked of a large matrix, a
    /// copy with a byte for each number tells which rows need a look; see `sketch.rs`.
    pub fn nearest(
        &self,
        query: &[f32],
        search: Search<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Neighbor>> {
        self.check_query(query)?;
        self.check_among(search.among)?;
        let query = Query::new(self.kernels, search.metric, query);
        if search.among.is_none()
            && let Some(sketch) = self.sketch_if_worth_it(search.threads, observer)?
        {
            let found = self.scan(search, observer, |rows, monitor| {
                sketch.scan(self, query, search, rows, monitor)
            })?;
            return Ok(merge(found, search.n));
        }
        if search.among.is_none()
            && let Some(products) =
                self.rows.packed().and_then(|rows| rows.code_products(query.vector))
        {
            let found = self.scan(search, observer, |rows, monitor| {
                self.scan_codes(&products, query, search, rows, monitor)
            })?;
            return Ok(merge(found, search.n));
        }
        let found = self.scan(search, observer, |rows, monitor| {
            let margin = query.margin(self.longest);
            let mut best = Best::new(self, query, search.n, search.exclude, margin);
            let mut reader = self.rows.reader();
            each_row(search.among, rows, monitor, |row| {
                reader.fetch(row + ROWS_AHEAD);
                let product = self.kernels.dot(query.vector, reader.row(row));
                if let Some(score) = query.score_of_product(product, self.norms[row]) {
                    best.take(Neighbor { row, score });
                } else {
                    let (factor, offset) = Query::terms(search.metric, self.norms[row]);
                    best.offer_with_key(row, product * factor + offset);
                }
            });
            best.finish()
        })?;
        Ok(merge(found, search.n))
    }

    /// The best of some rows of codes: rough products say which rows need a look.
    fn scan_codes(
        &self,
        products: &CodeProducts<'_>,
        query: Query<'_>,
        search: Search<'_>,
        rows: Range<usize>,
        monitor: &Monitor,
    ) -> Vec<Neighbor> {
        let margin = query.margin(self.longest);
        let mut best = Best::new(self, query, search.n, search.exclude, margin);
        let mut room = [0.0; BLOCK_ROWS];
        for start in rows.clone().step_by(BLOCK_ROWS) {
            if monitor.stopped() {
                break;
            }
            let block = start..rows.end.min(start + BLOCK_ROWS);
            let room = &mut room[..block.len()];
            products.write(block.clone(), room);
            for (row, &product) in block.zip(&*room) {
                let (factor, offset) = Query::terms(search.metric, self.norms[row]);
                best.offer_with_key(row, product * factor + offset);
            }
        }
        best.finish()
    }

    /// The rows for which the product of the cosines to `positive`, divided by that to `negative`, is
    /// the largest; each cosine moved to the range from 0 to 1 (Levy and Goldberg 2014, 3CosMul).
    pub fn nearest_by_product(
        &self,
        positive: &[&[f32]],
        negative: &[&[f32]],
        search: Search<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Neighbor>> {
        if search.metric != Metric::Cosine {
            let rule = "must be \"cosine\" with the method \"3cosmul\"";
            return Err(Error::parameter("metric", rule, format!("{:?}", search.metric.name())));
        }
        for query in positive.iter().chain(negative) {
            self.check_query(query)?;
        }
        self.check_among(search.among)?;
        let queries = |side: &[&'_ [f32]]| -> Vec<f32> {
            side.iter().map(|vector| norm_of(vector)).collect()
        };
        let (above, below) = (queries(positive), queries(negative));
        let factor = |side: &[&[f32]], norms: &[f32], numbers: &[f32], row: usize| -> f32 {
            let cosines = side.iter().zip(norms).map(|(vector, &norm)| {
                cosine_of(self.kernels.dot(vector, numbers), norm, self.norms[row])
            });
            cosines.map(|cosine| f32::midpoint(1.0, cosine)).product()
        };
        let indifferent = Query::new(self.kernels, Metric::Cosine, &[]);
        let found = self.scan(search, observer, |rows, monitor| {
            let mut best = Best::new(self, indifferent, search.n, search.exclude, 0.0);
            let mut reader = self.rows.reader();
            each_row(search.among, rows, monitor, |row| {
                let numbers = reader.row(row);
                let product = factor(positive, &above, numbers, row);
                let score = product / (factor(negative, &below, numbers, row) + PRODUCT_FLOOR);
                best.take(Neighbor { row, score });
            });
            best.finish()
        })?;
        Ok(merge(found, search.n))
    }

    pub(super) fn check_query(&self, query: &[f32]) -> Result<()> {
        if query.len() != self.size {
            let rule = format!("must hold {} numbers, as the vectors do", self.size);
            return Err(Error::parameter("query", rule, format!("{} numbers", query.len())));
        }
        match query.iter().find(|number| !number.is_finite()) {
            Some(bad) => Err(Error::parameter("query", "must hold finite numbers", bad)),
            None => Ok(()),
        }
    }

    pub(super) fn check_among(&self, among: Option<&Among>) -> Result<()> {
        match among.and_then(|among| among.rows().last()) {
            Some(&last) if last >= self.len() => {
                let rule = format!("must name rows below {}", self.len());
                Err(Error::parameter("restrict", rule, last))
            }
            _ => Ok(()),
        }
    }

    /// How many rows are searched.
    pub(super) fn searched(&self, among: Option<&Among>) -> usize {
        among.map_or(self.len(), |among| among.rows().len())
    }

    /// Runs `work` on parts of the rows that are searched, in threads where that is worth it.
    fn scan<Output: Send>(
        &self,
        search: Search<'_>,
        observer: &mut dyn Observer,
        work: impl Fn(Range<usize>, &Monitor) -> Output + Sync,
    ) -> Result<Vec<Output>> {
        let rows = self.searched(search.among);
        let (rows, numbers) = if search.n == 0 { (0, 0) } else { (rows, rows * self.size) };
        if numbers <= NUMBERS_PER_THREAD {
            return Ok(vec![work(0..rows, &Monitor::default())]);
        }
        let threads = search.threads.clamp(1, numbers / NUMBERS_PER_THREAD);
        let share = rows.div_ceil(threads);
        let parts = (0..rows).step_by(share);
        let monitor = Monitor::default();
        let progress = |_| Progress::new("searching", 0, None, "words");
        in_threads(
            parts,
            &monitor,
            |start| Ok(work(start..rows.min(start + share), &monitor)),
            progress,
            observer,
        )
    }
}

/// Calls `visit` for each row of a part of the rows that are searched.
fn each_row(
    among: Option<&Among>,
    part: Range<usize>,
    monitor: &Monitor,
    mut visit: impl FnMut(usize),
) {
    for start in part.clone().step_by(ROWS_PER_LOOK) {
        if monitor.stopped() {
            return;
        }
        for index in start..part.end.min(start + ROWS_PER_LOOK) {
            visit(among.map_or(index, |among| among.rows()[index]));
        }
    }
}

/// Keeps a quotient finite; the value that gensim and the original evaluation use.
pub(super) const PRODUCT_FLOOR: f32 = 1e-6;
