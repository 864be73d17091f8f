//! Many analogies at once: a is to b as c is to ... which word?
//!
//! Test files ask thousands of questions about a few hundred words. So each row is compared with each of these
//! words once, and a question only puts three of the cosines together.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::search::{Among, PRODUCT_FLOOR};
use super::{Neighbor, WordVectors};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::simd::{Blend, Scan};
use crate::threads::in_threads;

/// Panels of rows that a thread takes at a time.
const PANELS_PER_TURN: usize = 16;

/// How three words point to a fourth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The largest cos(b) - cos(a) + cos(c) (Mikolov et al. 2013).
    Sum,
    /// The largest cos(b) cos(c) / cos(a), each moved to the range from 0 to 1 (Levy and Goldberg 2014).
    Product,
}

impl Method {
    /// The method of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "3cosadd" => Ok(Self::Sum),
            "3cosmul" => Ok(Self::Product),
            _ => {
                let rule = "must be \"3cosadd\" or \"3cosmul\"";
                Err(Error::parameter("method", rule, format!("{name:?}")))
            }
        }
    }
}

impl WordVectors {
    /// The best row for each question `[a, b, c]` among some rows, never one of its own three; the first one
    /// of those that are equal; none where no row is left.
    pub fn solve_analogies(
        &self,
        questions: &[[usize; 3]],
        among: &Among,
        method: Method,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Option<usize>>> {
        self.check_among(Some(among))?;
        if let Some(&row) = questions.iter().flatten().find(|&&row| row >= self.len()) {
            let rule = format!("must name rows below {}", self.len());
            return Err(Error::parameter("questions", rule, row));
        }
        let asked = Asked::new(self, questions, among, method);
        let total = among.rows().len() as u64;
        let progress = |done| Progress::new("solving analogies", done, Some(total), "words");
        let (threads, monitor) = (0..threads.max(1), Monitor::default());
        let parts = in_threads(threads, &monitor, |_| Ok(asked.run(&monitor)), progress, observer)?;
        let best = |question: usize| {
            let found = parts.iter().filter_map(|part| part[question]);
            found.min_by(Neighbor::order).map(|best| best.row)
        };
        Ok((0..questions.len()).map(best).collect())
    }
}

/// The questions and what all threads need.
struct Asked<'a> {
    vectors: &'a WordVectors,
    questions: &'a [[usize; 3]],
    among: &'a Among,
    method: Method,
    /// The vectors of the words in questions, each of length 1.
    units: Vec<f32>,
    /// The questions by the place of each word among these.
    places: Vec<[u32; 3]>,
    scan: Scan,
    next: AtomicUsize,
}

impl<'a> Asked<'a> {
    fn new(
        vectors: &'a WordVectors,
        questions: &'a [[usize; 3]],
        among: &'a Among,
        method: Method,
    ) -> Self {
        let words = Among::new(questions.iter().flatten().copied().collect());
        let mut units = Vec::with_capacity(words.rows().len() * vectors.size);
        let mut reader = vectors.rows.reader();
        for &row in words.rows() {
            let factor = inverse(vectors.norms[row]);
            units.extend(reader.row(row).iter().map(|number| number * factor));
        }
        let place = |row: usize| words.rows().partition_point(|&other| other < row) as u32;
        let places = questions.iter().map(|question| question.map(place)).collect();
        let (scan, next) = (Scan::best(), AtomicUsize::new(0));
        Self { vectors, questions, among, method, units, places, scan, next }
    }

    /// Takes rows until none is left; returns the best of them for each question.
    fn run(&self, monitor: &Monitor) -> Vec<Option<Neighbor>> {
        let (rows, panel) = (self.among.rows(), self.scan.panel());
        let mut best = vec![None; self.questions.len()];
        let mut floors = vec![f32::NEG_INFINITY; self.questions.len()];
        let mut cosines = vec![0.0; self.units.len() / self.vectors.size * panel];
        let mut inverses = vec![0.0; cosines.len()];
        let mut hits = Vec::new();
        let turn = PANELS_PER_TURN * panel;
        loop {
            let start = self.next.fetch_add(turn, Ordering::Relaxed);
            if start >= rows.len() {
                return best;
            }
            for rows in rows[start..rows.len().min(start + turn)].chunks(panel) {
                if monitor.stopped() {
                    return best;
                }
                self.compare(rows, &mut cosines, &mut inverses);
                let blend = match self.method {
                    Method::Sum => Blend::Sum(&cosines),
                    Method::Product => Blend::Product(&cosines, &inverses),
                };
                hits.clear();
                self.scan.hits(blend, &self.places, &floors, &mut hits);
                for &question in &hits {
                    self.take(question as usize, rows, blend, &mut best, &mut floors);
                }
                monitor.advance(rows.len() as u64);
            }
        }
    }

    /// The cosine of each word in questions with each of the rows, side by side.
    fn compare(&self, rows: &[usize], cosines: &mut [f32], inverses: &mut [f32]) {
        let panel = self.scan.panel();
        let rows_of_panel: Vec<_> = rows.iter().map(|&row| self.vectors.row(row)).collect();
        let packed = self.scan.pack(rows_of_panel.iter().map(AsRef::as_ref), self.vectors.size);
        self.scan.panel_products(&self.units, &packed, cosines);
        let mut factors = vec![0.0; panel];
        for (factor, &row) in factors.iter_mut().zip(rows) {
            *factor = inverse(self.vectors.norms[row]);
        }
        for cosines in cosines.chunks_exact_mut(panel) {
            for (cosine, factor) in cosines.iter_mut().zip(&factors) {
                *cosine *= factor;
            }
        }
        if self.method == Method::Product {
            for (cosine, inverse) in cosines.iter_mut().zip(inverses) {
                *cosine = f32::midpoint(1.0, *cosine);
                *inverse = 1.0 / (*cosine + PRODUCT_FLOOR);
            }
        }
    }

    /// Looks for a better answer to a question among the rows of a panel.
    fn take(
        &self,
        question: usize,
        rows: &[usize],
        blend: Blend<'_>,
        best: &mut [Option<Neighbor>],
        floors: &mut [f32],
    ) {
        for (lane, &row) in rows.iter().enumerate() {
            let score = blend.score(self.places[question], lane, self.scan.panel());
            if score > floors[question] && !self.questions[question].contains(&row) {
                floors[question] = score;
                best[question] = Some(Neighbor { row, score });
            }
        }
    }
}

/// 1 over a length; 0 for a vector without a direction.
fn inverse(norm: f32) -> f32 {
    if norm > 0.0 { 1.0 / norm } else { 0.0 }
}
