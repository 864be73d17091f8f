//! Products of a query with rows of codes, without writing the rows out (Jégou et al. 2011, section III).
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use std::ops::Range;

use crate::simd::level::{Level, Task, run};

/// Sums that run side by side: one alone would wait for each addition.
const LANES: usize = 4;

/// Rows of codes, and what each code of each part adds to a product with one query.
#[derive(Clone, Debug)]
pub(super) struct CodeProducts<'a> {
    codes: &'a [u8],
    lengths: &'a [f32],
    parts: usize,
    /// For each part a number for each vector of its book.
    table: Vec<f32>,
    entries: usize,
}

impl<'a> CodeProducts<'a> {
    /// `width` is how many numbers a vector of a book has.
    pub(super) fn new(
        codes: &'a [u8],
        lengths: &'a [f32],
        books: &[f32],
        (parts, width): (usize, usize),
        query: &[f32],
    ) -> Self {
        let entries = books.len() / (parts * width);
        let mut table = Vec::with_capacity(parts * entries);
        for (part, book) in books.chunks_exact((entries * width).max(1)).enumerate() {
            // The last parts may be short or empty.
            let query = query.get(part * width..).unwrap_or_default();
            table.extend(book.chunks_exact(width).map(|vector| {
                vector.iter().zip(query).map(|(number, asked)| number * asked).sum::<f32>()
            }));
        }
        Self { codes, lengths, parts, table, entries }
    }

    /// Writes the product of the query with each of some rows.
    pub(super) fn write(&self, rows: Range<usize>, products: &mut [f32]) {
        run(Write { of: self, rows, products });
    }
}

struct Write<'a> {
    of: &'a CodeProducts<'a>,
    rows: Range<usize>,
    products: &'a mut [f32],
}

impl Task for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { of, rows, products } = self;
        let codes = &of.codes[rows.start * of.parts..rows.end * of.parts];
        let lines = codes.chunks_exact(of.parts).zip(&of.lengths[rows]);
        for ((codes, length), product) in lines.zip(products) {
            let (groups, last) = codes.as_chunks::<LANES>();
            let mut sums = [0.0; LANES];
            let mut tables = of.table.chunks_exact(LANES * of.entries);
            for (group, table) in groups.iter().zip(&mut tables) {
                for lane in 0..LANES {
                    sums[lane] += table[lane * of.entries + usize::from(group[lane])];
                }
            }
            let rest = tables.remainder().chunks_exact(of.entries);
            let last: f32 =
                last.iter().zip(rest).map(|(&code, book)| book[usize::from(code)]).sum();
            *product = (sums.iter().sum::<f32>() + last) * length;
        }
    }
}
