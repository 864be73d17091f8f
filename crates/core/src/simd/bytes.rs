//! Products of rows of bytes with many queries of bytes, where the processor has an instruction for them.
//!
//! The instruction multiplies four bytes without a sign by four with one and adds the sum to a number of 32
//! bits: four times the work of an instruction on floats. So the query is moved up by 128, and what that adds
//! to each product, 128 times the sum of the row, is taken off again.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, __m512i, _mm256_dpbusd_avx_epi32, _mm256_loadu_si256, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_storeu_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

#[cfg(target_arch = "x86_64")]
use super::processor::{self, Feature};

/// What a query's bytes are moved up by.
const SHIFT: i32 = 128;

/// Bytes that are multiplied at once for each query.
const GROUP: usize = 4;

/// Longer rows could leave the range of 32 bits.
const WIDEST: usize = 1 << 16;

/// The functions of one instruction set.
#[derive(Clone, Copy)]
pub struct ByteTiles {
    name: &'static str,
    panel: usize,
    near: unsafe fn(Near<'_>, &mut [i32], &mut Vec<u32>),
}

/// Which rows may be near to which queries of a panel.
///
/// A row is near to a query unless `scale * product + rest * slope < floor`.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// Rows of bytes, `width` each.
    pub rows: &'a [i8],
    /// The numbers of the rows.
    pub facts: &'a [RowFacts],
    /// The queries, as [`ByteTiles::pack`] lays them.
    pub panel: &'a [u8],
    /// One for each query of the panel.
    pub slopes: &'a [f32],
    /// One for each query of the panel.
    pub floors: &'a [f32],
}

/// What belongs to a row of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowFacts {
    /// What one of its units is worth.
    pub scale: f32,
    /// The length of what the bytes leave out.
    pub rest: f32,
    /// The sum of the bytes.
    pub sum: i32,
}

impl std::fmt::Debug for ByteTiles {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ByteTiles({})", self.name)
    }
}

impl ByteTiles {
    /// The fastest functions up to the level in use; none where floats are as fast.
    pub fn best() -> Option<Self> {
        Self::available().last().copied().filter(|tiles| tiles.name != SCALAR.name)
    }

    /// Whether rows may have this width.
    pub fn take(&self, width: usize) -> bool {
        width <= WIDEST && width.is_multiple_of(GROUP)
    }

    /// All functions up to the level in use, slowest first; the first are the scalar ones.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors only have the scalar functions")]
        let mut all = vec![SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if processor::has(Feature::AvxVnni) {
                all.push(AVX_VNNI);
            }
            if processor::has(Feature::Avx512Vnni) {
                all.push(AVX512_VNNI);
            }
        }
        all
    }

    /// Queries that lie side by side in a panel.
    pub fn panel(&self) -> usize {
        self.panel
    }

    /// Queries of `width` bytes each as panels, one after the other: four bytes of each query, then the next
    /// four. The last panel is filled with queries of zeros.
    pub fn pack<'a>(
        &self,
        queries: impl ExactSizeIterator<Item = &'a [i8]>,
        width: usize,
    ) -> Vec<u8> {
        let zero = SHIFT as u8;
        let mut packed = vec![zero; queries.len().next_multiple_of(self.panel) * width];
        for (index, query) in queries.enumerate() {
            let panel = &mut packed[index / self.panel * self.panel * width..];
            let lines = panel.chunks_exact_mut(self.panel * GROUP);
            for (line, numbers) in lines.zip(query.chunks_exact(GROUP)) {
                let place = index % self.panel * GROUP;
                for (byte, &number) in line[place..].iter_mut().zip(numbers) {
                    *byte = (i32::from(number) + SHIFT) as u8;
                }
            }
        }
        packed
    }

    /// Appends the rows that may be near to a query of the panel: `row * panel() + query`, rising.
    ///
    /// # Panics
    ///
    /// The lengths do not fit together.
    pub fn near(&self, near: Near<'_>, products: &mut Vec<i32>, found: &mut Vec<u32>) {
        let (count, width) = (near.facts.len(), near.panel.len() / self.panel);
        assert!(self.take(width) && near.panel.len() == width * self.panel, "whole panels");
        assert_eq!(near.rows.len(), count * width, "whole rows, all with their numbers");
        assert!(near.slopes.len() == self.panel && near.floors.len() == self.panel);
        products.resize(count * self.panel, 0);
        // SAFETY: `available` hands out a table only where the processor has its instruction set.
        unsafe { (self.near)(near, products, found) }
    }
}

const SCALAR_PANEL: usize = 16;

const SCALAR: ByteTiles = ByteTiles { name: "scalar", panel: SCALAR_PANEL, near: scalar };

fn scalar(near: Near<'_>, products: &mut [i32], found: &mut Vec<u32>) {
    let width = near.panel.len() / SCALAR_PANEL;
    for row in 0..near.facts.len() {
        for query in 0..SCALAR_PANEL {
            let product = (0..width).map(|at| {
                let place = at / GROUP * SCALAR_PANEL * GROUP + query * GROUP + at % GROUP;
                i32::from(near.panel[place]) * i32::from(near.rows[row * width + at])
            });
            products[row * SCALAR_PANEL + query] = product.sum();
        }
    }
    choose::<SCALAR_PANEL>(near, products, found);
}

/// Written so that compilers compare whole registers.
#[inline(always)]
fn choose<const PANEL: usize>(near: Near<'_>, products: &[i32], found: &mut Vec<u32>) {
    let (lines, _) = products.as_chunks::<PANEL>();
    let (Some(slopes), Some(floors)) =
        (near.slopes.first_chunk::<PANEL>(), near.floors.first_chunk::<PANEL>())
    else {
        return;
    };
    for (row, (line, facts)) in lines.iter().zip(near.facts).enumerate() {
        let shift = SHIFT * facts.sum;
        let is_far = |query: usize| {
            let product = (line[query] - shift) as f32;
            product * facts.scale + facts.rest * slopes[query] < floors[query]
        };
        let mut far = true;
        for query in 0..PANEL {
            far &= is_far(query);
        }
        if !far {
            let close = (0..PANEL).filter(|&query| !is_far(query));
            found.extend(close.map(|query| (row * PANEL + query) as u32));
        }
    }
}

/// A register of numbers of 32 bits.
#[cfg(target_arch = "x86_64")]
trait Sums: Copy {
    const LANES: usize;

    /// # Safety
    /// The instruction set is there. The same holds for all functions of this trait; pointers are valid for a
    /// register, those of `four_bytes` for four bytes.
    unsafe fn zero() -> Self;
    unsafe fn load(source: *const u8) -> Self;
    unsafe fn four_bytes(source: *const i8) -> Self;
    unsafe fn add_products(self, bytes: Self, signed: Self) -> Self;
    unsafe fn store(self, destination: *mut i32);
}

#[cfg(target_arch = "x86_64")]
macro_rules! sums {
    ($register:ty, $lanes:literal, $zero:ident, $load:ident, $splat:ident, $add:ident, $store:ident) => {
        impl Sums for $register {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller enables the instruction set; so in all functions below, where pointers
                // are valid by the contract of the trait.
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn load(source: *const u8) -> Self {
                // SAFETY: see `zero`; the load needs no alignment.
                unsafe { $load(source.cast()) }
            }

            #[inline(always)]
            unsafe fn four_bytes(source: *const i8) -> Self {
                // SAFETY: see `zero`.
                unsafe { $splat(source.cast::<i32>().read_unaligned()) }
            }

            #[inline(always)]
            unsafe fn add_products(self, bytes: Self, signed: Self) -> Self {
                // SAFETY: see `zero`.
                unsafe { $add(self, bytes, signed) }
            }

            #[inline(always)]
            unsafe fn store(self, destination: *mut i32) {
                // SAFETY: see `zero`; the store needs no alignment.
                unsafe { $store(destination.cast(), self) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
sums!(
    __m256i,
    8,
    _mm256_setzero_si256,
    _mm256_loadu_si256,
    _mm256_set1_epi32,
    _mm256_dpbusd_avx_epi32,
    _mm256_storeu_si256
);
#[cfg(target_arch = "x86_64")]
sums!(
    __m512i,
    16,
    _mm512_setzero_si512,
    _mm512_loadu_si512,
    _mm512_set1_epi32,
    _mm512_dpbusd_epi32,
    _mm512_storeu_si512
);

/// All products of a panel, with as many rows at a time as leave room in the register file.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn products_of<R: Sums, const REGISTERS: usize, const ROWS: usize>(
    near: Near<'_>,
    products: &mut [i32],
) {
    let lanes = REGISTERS * R::LANES;
    let (count, width) = (near.facts.len(), near.panel.len() / lanes);
    let (rows, panel, to) = (near.rows.as_ptr(), near.panel.as_ptr(), products.as_mut_ptr());
    // SAFETY: `ByteTiles::near` checked that there are `width` bytes and `lanes` products for each of `count`
    // rows; the instruction set is there by the caller's promise.
    unsafe {
        let mut row = 0;
        while row + ROWS <= count {
            tile::<R, REGISTERS, ROWS>(rows.add(row * width), width, panel, to.add(row * lanes));
            row += ROWS;
        }
        while row < count {
            tile::<R, REGISTERS, 1>(rows.add(row * width), width, panel, to.add(row * lanes));
            row += 1;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn tile<R: Sums, const REGISTERS: usize, const ROWS: usize>(
    rows: *const i8,
    width: usize,
    panel: *const u8,
    products: *mut i32,
) {
    // SAFETY: there are `ROWS` rows of `width` bytes, a multiple of the group, a panel of as many lines, and
    // room for a line of products for each row.
    unsafe {
        let mut sums = [[R::zero(); REGISTERS]; ROWS];
        for group in 0..width / GROUP {
            let mut queries = [R::zero(); REGISTERS];
            for (index, register) in queries.iter_mut().enumerate() {
                *register = R::load(panel.add((group * REGISTERS + index) * R::LANES * GROUP));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let bytes = R::four_bytes(rows.add(row * width + group * GROUP));
                for (sum, query) in sums.iter_mut().zip(queries) {
                    *sum = sum.add_products(query, bytes);
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
#[cfg(target_arch = "x86_64")]
macro_rules! byte_tiles {
    ($table:ident, $module:ident, $name:literal, $features:literal, $register:ty, $registers:literal,
     $rows:literal) => {
        const $table: ByteTiles = ByteTiles {
            name: $name,
            panel: $registers * <$register as Sums>::LANES,
            near: $module::near,
        };

        mod $module {
            #[allow(clippy::wildcard_imports, reason = "the functions above")]
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) unsafe fn near(near: Near<'_>, products: &mut [i32], found: &mut Vec<u32>) {
                const PANEL: usize = $registers * <$register as Sums>::LANES;
                // SAFETY: the instruction set is enabled, the lengths were checked by the caller.
                unsafe { products_of::<$register, $registers, $rows>(near, products) };
                choose::<PANEL>(near, products, found);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
byte_tiles!(AVX_VNNI, avx_vnni, "AVX-VNNI", "avxvnni,avx2,fma", __m256i, 2, 6);
#[cfg(target_arch = "x86_64")]
byte_tiles!(
    AVX512_VNNI,
    avx512_vnni,
    "AVX-512 VNNI",
    "avx512vnni,avx512f,avx512bw,avx2,fma",
    __m512i,
    3,
    8
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_of_any_shape_find_what_plain_sums_find() {
        for tiles in ByteTiles::available() {
            for (rows, width) in [(0, 32), (1, 4), (9, 60), (50, 320)] {
                let queries = tiles.panel() + 3;
                let bytes = |count: usize, step: usize| -> Vec<i8> {
                    (0..count * width).map(|at| ((at * step) % 255) as u8 as i8).collect()
                };
                let (matrix, asked) = (bytes(rows, 97), bytes(queries, 61));
                let packed = tiles.pack(asked.chunks_exact(width), width);
                let facts: Vec<RowFacts> = matrix
                    .chunks_exact(width)
                    .enumerate()
                    .map(|(row, bytes)| RowFacts {
                        scale: 0.5,
                        rest: row as f32,
                        sum: bytes.iter().copied().map(i32::from).sum(),
                    })
                    .collect();
                let slopes = vec![2.0; tiles.panel()];
                let floors = vec![1000.0; tiles.panel()];
                let (mut products, mut found) = (Vec::new(), Vec::new());
                for (panel, asked) in packed
                    .chunks_exact(tiles.panel() * width)
                    .zip(asked.chunks(tiles.panel() * width))
                {
                    let near = Near {
                        rows: &matrix,
                        facts: &facts,
                        panel,
                        slopes: &slopes,
                        floors: &floors,
                    };
                    found.clear();
                    tiles.near(near, &mut products, &mut found);
                    for row in 0..rows {
                        for (query, bytes) in asked.chunks_exact(width).enumerate() {
                            let line = &matrix[row * width..(row + 1) * width];
                            let product: i32 = line
                                .iter()
                                .zip(bytes)
                                .map(|(&a, &b)| i32::from(a) * i32::from(b))
                                .sum();
                            let is_near = product as f32 * 0.5 + row as f32 * 2.0 >= 1000.0;
                            let place = (row * tiles.panel() + query) as u32;
                            assert_eq!(found.contains(&place), is_near, "{tiles:?} {row} {query}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_never_left_out() {
        for tiles in ByteTiles::available() {
            let facts = [RowFacts { scale: 0.0, rest: f32::INFINITY, sum: 0 }];
            let (slopes, floors) = (vec![0.0; tiles.panel()], vec![1.0; tiles.panel()]);
            let panel = tiles.pack([[0_i8; 8].as_slice()].into_iter(), 8);
            let rows = [0; 8];
            let near = Near {
                rows: &rows,
                facts: &facts,
                panel: &panel,
                slopes: &slopes,
                floors: &floors,
            };
            let mut found = Vec::new();
            tiles.near(near, &mut Vec::new(), &mut found);
            assert_eq!(found.len(), tiles.panel());
        }
    }
}
