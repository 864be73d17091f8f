//! Scans of a matrix: the products of its rows with queries.
//!
//! Queries lie side by side in a panel, one number of each after the other, so that a number of a row is
//! multiplied with a register of queries at once: no sums across a register, and the matrix is read as it
//! lies in memory, whatever its width.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::generic::Register;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::processor::{self, Feature};

/// Rows of bytes are compared fastest where they are padded with zeros to a multiple of this.
pub const BYTE_BLOCK: usize = 32;

/// The functions of one instruction set.
#[derive(Clone, Copy)]
pub struct Scan {
    name: &'static str,
    /// Queries in a panel.
    panel: usize,
    panel_products: unsafe fn(&[f32], &[f32], &mut [f32]),
    byte_products: unsafe fn(&[i16], &[i8], &mut [i32]),
    hits: Hits,
}

/// See [`Scan::hits`].
type Hits = unsafe fn(Blend<'_>, &[[u32; 3]], &[f32], &mut Vec<u32>);

/// Tables with a line of numbers for each word, one for each row of a panel; and how the numbers of the three
/// words a, b, c of a question are put together.
#[derive(Clone, Copy, Debug)]
pub enum Blend<'a> {
    /// b - a + c.
    Sum(&'a [f32]),
    /// b c / a, the second table holding what is divided by as its inverse.
    Product(&'a [f32], &'a [f32]),
}

impl Blend<'_> {
    /// The score of one row of a panel of so many.
    #[inline(always)]
    pub fn score(&self, question: [u32; 3], lane: usize, panel: usize) -> f32 {
        let [a, b, c] = question.map(|word| word as usize * panel + lane);
        match self {
            Self::Sum(table) => table[b] - table[a] + table[c],
            Self::Product(table, inverses) => table[b] * table[c] * inverses[a],
        }
    }
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Scan({})", self.name)
    }
}

impl Scan {
    /// The functions of the level in use.
    pub fn best() -> Self {
        *Self::available().last().unwrap_or(&SCALAR)
    }

    /// All functions up to the level in use, slowest first; the first are the scalar ones.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors only have the scalar functions")]
        let mut all = vec![SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if processor::has(Feature::Avx2) {
                all.push(AVX2);
            }
            if processor::has(Feature::Avx512Bytes) {
                all.push(AVX512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if processor::has(Feature::Neon) {
            all.push(NEON);
        }
        all
    }

    /// Queries that lie side by side in a panel.
    pub fn panel(&self) -> usize {
        self.panel
    }

    /// Queries of `width` numbers each as panels, one after the other, the last one filled with zeros.
    pub fn pack<'a>(
        &self,
        queries: impl ExactSizeIterator<Item = &'a [f32]>,
        width: usize,
    ) -> Vec<f32> {
        let mut packed = vec![0.0; queries.len().next_multiple_of(self.panel) * width];
        for (index, query) in queries.enumerate() {
            let panel = &mut packed[index / self.panel * self.panel * width..];
            for (numbers, &number) in panel.chunks_exact_mut(self.panel).zip(query) {
                numbers[index % self.panel] = number;
            }
        }
        packed
    }

    /// The products of each row with the queries of one panel, `panel()` of them for each row.
    ///
    /// # Panics
    ///
    /// The lengths do not fit together.
    pub fn panel_products(&self, rows: &[f32], panel: &[f32], products: &mut [f32]) {
        let width = panel.len() / self.panel;
        assert!(panel.len() == width * self.panel && products.len().is_multiple_of(self.panel));
        assert_eq!(
            rows.len(),
            products.len() / self.panel * width,
            "whole rows, all with products"
        );
        // SAFETY: `available` hands out a table only where the processor has its instruction set.
        unsafe { (self.panel_products)(rows, panel, products) }
    }

    /// The product of each row of bytes with a query of whole numbers; sums must stay within 31 bits.
    ///
    /// # Panics
    ///
    /// The rows are not as long as the query.
    pub fn byte_products(&self, query: &[i16], rows: &[i8], products: &mut [i32]) {
        assert_eq!(rows.len(), query.len() * products.len(), "whole rows, all with products");
        // SAFETY: as in `panel_products`.
        unsafe { (self.byte_products)(query, rows, products) }
    }

    /// Appends the questions to which a row of the panel gives more than the question's floor.
    ///
    /// # Panics
    ///
    /// A question names a word that is not in the tables, or has no floor.
    pub fn hits(
        &self,
        blend: Blend<'_>,
        questions: &[[u32; 3]],
        floors: &[f32],
        found: &mut Vec<u32>,
    ) {
        assert_eq!(questions.len(), floors.len(), "each question has a floor");
        // SAFETY: as in `panel_products`; the function itself checks all lengths.
        unsafe { (self.hits)(blend, questions, floors, found) }
    }
}

/// Queries in a panel of the scalar functions.
const SCALAR_PANEL: usize = 16;

const SCALAR: Scan = Scan {
    name: "scalar",
    panel: SCALAR_PANEL,
    panel_products,
    byte_products: bytes,
    hits: hits::<16>,
};

fn panel_products(rows: &[f32], panel: &[f32], products: &mut [f32]) {
    let width = panel.len() / SCALAR_PANEL;
    let (numbers, _) = panel.as_chunks::<SCALAR_PANEL>();
    let (products, _) = products.as_chunks_mut::<SCALAR_PANEL>();
    for (index, products) in products.iter_mut().enumerate() {
        *products = [0.0; SCALAR_PANEL];
        for (&factor, numbers) in rows[index * width..].iter().zip(numbers) {
            for (product, number) in products.iter_mut().zip(numbers) {
                *product += factor * number;
            }
        }
    }
}

/// Compilers turn this sum of whole numbers into wide instructions wherever they are enabled.
#[inline(always)]
fn bytes(query: &[i16], rows: &[i8], products: &mut [i32]) {
    let width = query.len();
    let (blocks, last_of_query) = query.as_chunks::<BYTE_BLOCK>();
    if last_of_query.is_empty() {
        return whole_blocks(blocks, rows, products);
    }
    for (row, product) in rows.chunks_exact(width).zip(products) {
        let (row, last) = row.split_at(width - last_of_query.len());
        whole_blocks(blocks, row, std::slice::from_mut(product));
        let last = last.iter().zip(last_of_query);
        *product += last.map(|(&byte, &number)| i32::from(byte) * i32::from(number)).sum::<i32>();
    }
}

#[inline(always)]
fn whole_blocks(query: &[[i16; BYTE_BLOCK]], rows: &[i8], products: &mut [i32]) {
    let (blocks, _) = rows.as_chunks::<BYTE_BLOCK>();
    if query.is_empty() {
        return products.fill(0);
    }
    for (row, product) in blocks.chunks_exact(query.len()).zip(products) {
        let mut sums = [0; BYTE_BLOCK / 2];
        for (row, query) in row.iter().zip(query) {
            for (index, sum) in sums.iter_mut().enumerate() {
                let (low, high) = (2 * index, 2 * index + 1);
                *sum += i32::from(row[low]) * i32::from(query[low])
                    + i32::from(row[high]) * i32::from(query[high]);
            }
        }
        *product = sums.iter().sum();
    }
}

/// Written so that compilers compare whole registers.
#[inline(always)]
fn hits<const PANEL: usize>(
    blend: Blend<'_>,
    questions: &[[u32; 3]],
    floors: &[f32],
    found: &mut Vec<u32>,
) {
    let lines = |table| <[f32]>::as_chunks::<PANEL>(table).0;
    for (index, (question, &floor)) in questions.iter().zip(floors).enumerate() {
        let [a, b, c] = question.map(|word| word as usize);
        let over = match blend {
            Blend::Sum(table) => {
                let lines = lines(table);
                let (a, b, c) = (&lines[a], &lines[b], &lines[c]);
                any_above::<PANEL>(floor, |lane| b[lane] - a[lane] + c[lane])
            }
            Blend::Product(table, inverses) => {
                let (above, below) = (lines(table), lines(inverses));
                let (a, b, c) = (&below[a], &above[b], &above[c]);
                any_above::<PANEL>(floor, |lane| b[lane] * c[lane] * a[lane])
            }
        };
        if over {
            found.push(index as u32);
        }
    }
}

#[inline(always)]
fn any_above<const PANEL: usize>(floor: f32, score: impl Fn(usize) -> f32) -> bool {
    let mut above = false;
    for lane in 0..PANEL {
        above |= score(lane) > floor;
    }
    above
}

/// All products of a panel, with as many rows at a time as leave room in the register file.
#[inline(always)]
unsafe fn panel_rows<R: Register, const REGISTERS: usize, const ROWS: usize>(
    rows: &[f32],
    panel: &[f32],
    products: &mut [f32],
) {
    let lanes = REGISTERS * R::LANES;
    let width = panel.len() / lanes;
    let count = products.len() / lanes;
    let (from, to) = (rows.as_ptr(), products.as_mut_ptr());
    // SAFETY: `Scan::panel_products` checked that there are `width` numbers and `lanes` products for each
    // of `count` rows; the instruction set is there by the caller's promise.
    unsafe {
        let mut row = 0;
        while row + ROWS <= count {
            let (from, to) = (from.add(row * width), to.add(row * lanes));
            panel_tile::<R, REGISTERS, ROWS>(from, width, panel.as_ptr(), to);
            row += ROWS;
        }
        while row < count {
            let (from, to) = (from.add(row * width), to.add(row * lanes));
            panel_tile::<R, REGISTERS, 1>(from, width, panel.as_ptr(), to);
            row += 1;
        }
    }
}

#[inline(always)]
unsafe fn panel_tile<R: Register, const REGISTERS: usize, const ROWS: usize>(
    rows: *const f32,
    width: usize,
    panel: *const f32,
    products: *mut f32,
) {
    // SAFETY: there are `ROWS` rows of `width` numbers, a panel of as many lines of registers, and room for
    // a line of products for each row.
    unsafe {
        let mut sums = [[R::zero(); REGISTERS]; ROWS];
        for at in 0..width {
            let mut queries = [R::zero(); REGISTERS];
            for (index, register) in queries.iter_mut().enumerate() {
                *register = R::load(panel.add((at * REGISTERS + index) * R::LANES));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let number = R::splat(*rows.add(row * width + at));
                for (sum, query) in sums.iter_mut().zip(queries) {
                    *sum = number.fused(query, *sum);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (index, sum) in sums.into_iter().enumerate() {
                sum.store(products.add((row * REGISTERS + index) * R::LANES));
            }
        }
    }
}

/// Defines a table whose functions are those above, compiled for one instruction set.
macro_rules! scan {
    ($table:ident, $module:ident, $name:literal, $features:literal, $register:ty, $registers:literal,
     $rows:literal) => {
        const $table: Scan = Scan {
            name: $name,
            panel: $registers * <$register as Register>::LANES,
            panel_products: $module::panel_products,
            byte_products: $module::byte_products,
            hits: $module::hits,
        };

        mod $module {
            #[allow(clippy::wildcard_imports, reason = "the functions above")]
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) unsafe fn panel_products(rows: &[f32], panel: &[f32], products: &mut [f32]) {
                // SAFETY: the instruction set is enabled, the lengths were checked by the caller.
                unsafe { panel_rows::<$register, $registers, $rows>(rows, panel, products) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn byte_products(query: &[i16], rows: &[i8], products: &mut [i32]) {
                bytes(query, rows, products);
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn hits(
                blend: Blend<'_>,
                questions: &[[u32; 3]],
                floors: &[f32],
                found: &mut Vec<u32>,
            ) {
                const PANEL: usize = $registers * <$register as Register>::LANES;
                super::hits::<PANEL>(blend, questions, floors, found);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
scan!(AVX2, avx2, "AVX2", "avx2,fma", std::arch::x86_64::__m256, 2, 6);
#[cfg(target_arch = "x86_64")]
scan!(AVX512, avx512, "AVX-512", "avx512f,avx512bw,avx2,fma", std::arch::x86_64::__m512, 3, 8);
#[cfg(target_arch = "aarch64")]
scan!(NEON, neon, "NEON", "neon", std::arch::aarch64::float32x4_t, 4, 6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_of_any_shape_agree_with_plain_sums() {
        for scan in Scan::available() {
            for (rows, queries, width) in
                [(1, 1, 1), (7, 3, 5), (8, 48, 16), (25, 49, 3), (50, 100, 30), (0, 5, 4)]
            {
                let matrix: Vec<f32> =
                    (0..rows * width).map(|at| (at % 37) as f32 - 18.0).collect();
                let asked: Vec<f32> =
                    (0..queries * width).map(|at| (at % 29) as f32 - 14.0).collect();
                let packed = scan.pack(asked.chunks_exact(width), width);
                for (panel, queries) in packed
                    .chunks_exact(scan.panel() * width)
                    .zip(asked.chunks(scan.panel() * width))
                {
                    let mut products = vec![f32::NAN; rows * scan.panel()];
                    scan.panel_products(&matrix, panel, &mut products);
                    for row in 0..rows {
                        let row_numbers = &matrix[row * width..(row + 1) * width];
                        for (index, query) in queries.chunks_exact(width).enumerate() {
                            let sum: f32 = row_numbers.iter().zip(query).map(|(a, b)| a * b).sum();
                            assert!((products[row * scan.panel() + index] - sum).abs() < 1e-3);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_bytes_are_exact() {
        for scan in Scan::available() {
            for (rows, width) in [(0, 32), (1, 32), (5, 96), (3, 320), (7, 77), (4, 3)] {
                let query: Vec<i16> = (0..width).map(|at| (at * 7919 % 65_535) as i16).collect();
                let matrix: Vec<i8> = (0..rows * width).map(|at| (at * 31) as i8).collect();
                let mut products = vec![0; rows];
                scan.byte_products(&query, &matrix, &mut products);
                for (row, product) in matrix.chunks_exact(width).zip(products) {
                    let expected: i64 =
                        row.iter().zip(&query).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
                    assert_eq!(i64::from(product), expected);
                }
            }
        }
    }
}
