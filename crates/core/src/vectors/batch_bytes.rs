//! Many queries by cosine, through products of bytes: see `sketch.rs` for why that loses nothing.

use std::ops::Range;

use super::WordVectors;
use super::best::Best;
use super::metric::Query;
use super::rounding::{Rounding, round_rows};
use super::sketch::Sketch;
use crate::simd::{ByteTiles, Near, RowFacts};

/// Queries for which the copy of the matrix is made, if it is not there yet.
pub(super) const QUERIES_FOR_COPY: usize = 32;

/// Queries as bytes, in panels.
pub(super) struct BytePanels<'a> {
    sketch: &'a Sketch,
    bytes: &'a [i8],
    tiles: ByteTiles,
    panels: Vec<u8>,
    queries: Vec<Rounded>,
}

/// A query of length 1 as bytes.
#[derive(Clone, Copy)]
struct Rounded {
    /// A threshold of keys becomes a floor of products when it is divided by this...
    unit: f32,
    /// ...and this is taken off.
    offset: f32,
    /// How much the length of what a row leaves out may add to a product.
    slope: f32,
}

impl Rounded {
    /// A product of bytes, times the scale of the row and that of the query, is off by at most the length of
    /// what the row leaves out, and of what the query does, times that of the rounded row.
    fn new(query: Query<'_>, facts: RowFacts) -> Self {
        if query.is_indifferent() {
            return Self { unit: 1.0, offset: 0.0, slope: 0.0 };
        }
        let unit = facts.scale * query.norm();
        if !unit.is_normal() {
            // Not a number: no row is ever left out.
            return Self { unit: f32::NAN, offset: 0.0, slope: 0.0 };
        }
        let (offset, slope) = (facts.rest / facts.scale, (1.0 + facts.rest) / facts.scale);
        Self { unit, offset, slope }
    }
}

impl<'a> BytePanels<'a> {
    pub(super) fn new(
        vectors: &'a WordVectors,
        sketch: &'a Sketch,
        tiles: ByteTiles,
        queries: &[Query<'_>],
    ) -> Self {
        let width = sketch.width;
        let mut bytes = vec![0; queries.len() * width];
        let mut facts = vec![RowFacts::default(); queries.len()];
        for ((query, bytes), facts) in
            queries.iter().zip(bytes.chunks_exact_mut(width)).zip(facts.chunks_exact_mut(1))
        {
            let (rows, norms, size) = (query.vector, &[query.norm()][..], query.vector.len());
            round_rows(Rounding { rows, norms, size, width, bytes, facts });
        }
        let panels = tiles.pack(bytes.chunks_exact(width), width);
        let queries =
            queries.iter().zip(facts).map(|(&query, facts)| Rounded::new(query, facts)).collect();
        Self { sketch, bytes: sketch.bytes(vectors), tiles, panels, queries }
    }
}

/// Room for what is computed for a block of rows.
pub(super) struct ByteBlock<'a> {
    panels: &'a BytePanels<'a>,
    products: Vec<i32>,
    found: Vec<u32>,
    slopes: Vec<f32>,
    floors: Vec<f32>,
}

impl<'a> ByteBlock<'a> {
    pub(super) fn new(panels: &'a BytePanels<'a>) -> Self {
        let lanes = panels.tiles.panel();
        let (slopes, floors) = (vec![0.0; lanes], vec![f32::INFINITY; lanes]);
        Self { panels, products: Vec::new(), found: Vec::new(), slopes, floors }
    }

    /// Offers the rows that may be among the best.
    pub(super) fn scan(&mut self, part: Range<usize>, best: &mut [Best<'_>]) {
        let BytePanels { sketch, bytes, tiles, panels, queries } = self.panels;
        let (width, lanes) = (sketch.width, tiles.panel());
        let rows = &bytes[part.start * width..part.end * width];
        let facts = &sketch.facts[part.clone()];
        let each = panels.chunks_exact(lanes * width).zip(queries.chunks(lanes));
        for ((panel, queries), best) in each.zip(best.chunks_mut(lanes)) {
            self.slopes.fill(0.0);
            self.floors.fill(f32::INFINITY);
            let room = self.slopes.iter_mut().zip(&mut self.floors);
            for ((query, best), (slope, floor)) in queries.iter().zip(&*best).zip(room) {
                (*slope, *floor) = (query.slope, best.threshold() / query.unit - query.offset);
            }
            self.found.clear();
            let near = Near { rows, facts, panel, slopes: &self.slopes, floors: &self.floors };
            tiles.near(near, &mut self.products, &mut self.found);
            for &found in &self.found {
                // What fills a panel up is near to rows that bytes cannot say.
                if let Some(best) = best.get_mut(found as usize % lanes) {
                    best.offer(part.start + found as usize / lanes);
                }
            }
        }
    }
}
