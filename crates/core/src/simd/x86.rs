//! The kernels for x86-64 processors with AVX2 and FMA, or with AVX-512.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use std::arch::x86_64::{
    __m256, __m512, _mm_add_ps, _mm_setzero_ps, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps,
    _mm256_andnot_ps, _mm256_castpd_ps, _mm256_castps_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_div_ps, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps,
    _mm256_hadd_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_or_ps,
    _mm256_rsqrt_ps, _mm256_set_m128, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_slli_epi32, _mm256_storeu_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_castps_pd,
    _mm512_castps512_ps256, _mm512_extractf64x4_pd, _mm512_fmadd_ps, _mm512_fnmadd_ps,
    _mm512_loadu_ps, _mm512_max_ps, _mm512_min_ps, _mm512_mul_ps, _mm512_rsqrt14_ps,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::generic::{self, Register};
use super::sigmoid::{self, Logistic};
use super::{Fit, Kernels, Losses, PRODUCT_BLOCK, Pattern, Tile, fit, mean, tile};

/// Defines a table whose functions are the generic kernels, compiled for one instruction set.
macro_rules! kernels {
    ($table:ident, $module:ident, $name:literal, $features:literal, $register:ty) => {
        pub(super) const $table: Kernels = Kernels {
            name: $name,
            lanes: <$register>::LANES,
            dot: $module::dot,
            add_scaled: $module::add_scaled,
            scale: $module::scale,
            descend: $module::descend,
            descend_mean: $module::descend_mean,
            gather: $module::gather,
            scatter: $module::scatter,
            gradients: $module::gradients,
            fit: $module::fit,
        };

        mod $module {
            use super::*;

            // SAFETY of all: the wrapper enables the instruction set; the caller keeps the contract of
            // the table's public function, which is also that of the generic kernel.

            #[target_feature(enable = $features)]
            pub(super) unsafe fn dot(left: &[f32], right: &[f32]) -> f32 {
                // SAFETY: see above.
                unsafe { generic::dot::<$register>(left, right) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn add_scaled(factor: f32, source: &[f32], destination: &mut [f32]) {
                // SAFETY: see above.
                unsafe { generic::add_scaled::<$register>(factor, source, destination) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn scale(factor: f32, vector: &mut [f32]) {
                // SAFETY: see above.
                unsafe { generic::scale::<$register>(factor, vector) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn descend(
                rows: Tile<'_>,
                pattern: &Pattern<'_>,
                room: &mut [f32],
                scratch: &mut Vec<f32>,
            ) -> Losses {
                // SAFETY: see above.
                unsafe { tile::descend::<$register, __m256>(rows, pattern, room, scratch) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn descend_mean(
                rows: &[*mut f32],
                tile: Tile<'_>,
                pattern: &Pattern<'_>,
                room: &mut [f32],
            ) -> Losses {
                // SAFETY: see above.
                unsafe { mean::descend_mean::<$register, __m256>(rows, tile, pattern, room) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn gather(
                rows: &[*mut f32],
                factor: f32,
                width: usize,
                sum: *mut f32,
            ) {
                // SAFETY: see above.
                unsafe { tile::gather::<$register>(rows, factor, width, sum) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn scatter(change: *const f32, width: usize, rows: &[*mut f32]) {
                // SAFETY: see above.
                unsafe { tile::scatter::<$register>(change, width, rows) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn gradients(pattern: &Pattern<'_>, products: &mut [f32]) -> Losses {
                // SAFETY: see above.
                unsafe { sigmoid::gradients::<__m256>(pattern, products) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn fit(cells: Fit<'_>) -> f64 {
                // SAFETY: see above.
                unsafe { fit::fit::<$register>(cells) }
            }
        }
    };
}

kernels!(AVX2, avx2, "AVX2", "avx2,fma", __m256);
kernels!(AVX512, avx512, "AVX-512", "avx512f,avx2,fma", __m512);

impl Register for __m256 {
    const LANES: usize = 8;
    const COUNT: usize = 16;
    const TILE_INPUTS: usize = 2;
    const HELD_INPUTS: usize = 6;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller enables the instruction set; so in all functions below, where pointers are
        // valid for a register by the contract of the trait.
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_loadu_ps(source) }
    }

    #[inline(always)]
    unsafe fn store(self, destination: *mut f32) {
        // SAFETY: see `zero`.
        unsafe { _mm256_storeu_ps(destination, self) }
    }

    #[inline(always)]
    unsafe fn fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_fmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn multiply(self, factor: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_mul_ps(self, factor) }
    }

    #[inline(always)]
    unsafe fn negative_fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_fnmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn clamp(self, limit: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe {
            let negative = _mm256_sub_ps(_mm256_setzero_ps(), limit);
            _mm256_max_ps(_mm256_min_ps(self, limit), negative)
        }
    }

    #[inline(always)]
    unsafe fn inverse_root(self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_rsqrt_ps(self) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N] {
        let mut sums = [0.0; N];
        let mut all = [0.0_f32; PRODUCT_BLOCK];
        // SAFETY: see `zero`; the array holds as many floats as are written.
        unsafe { Self::store_sums(registers, all.as_mut_ptr()) };
        sums.copy_from_slice(&all[..N]);
        sums
    }

    #[inline(always)]
    unsafe fn store_sums<const N: usize>(registers: [Self; N], to: *mut f32) {
        // SAFETY: see `zero`; `to` is valid for two times four floats.
        unsafe {
            let at = |index: usize| registers.get(index).copied().unwrap_or(Self::zero());
            // Each step adds neighbors and halves the number of registers.
            let first = four_sums(at(0), at(1), at(2), at(3));
            let second =
                if N > 4 { four_sums(at(4), at(5), at(6), at(7)) } else { _mm_setzero_ps() };
            _mm256_storeu_ps(to, _mm256_set_m128(second, first));
        }
    }
}

impl Logistic for __m256 {
    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_sub_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn divide(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_div_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn absolute(self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self) }
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_min_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn with_sign_of(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm256_or_ps(self, _mm256_and_ps(_mm256_set1_ps(-0.0), other)) }
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        // SAFETY: see `zero`.
        unsafe {
            let exponent = _mm256_slli_epi32::<23>(_mm256_castps_si256(self));
            _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(127 << 23)))
        }
    }
}

/// The sums of the floats of four registers.
#[inline(always)]
unsafe fn four_sums(a: __m256, b: __m256, c: __m256, d: __m256) -> std::arch::x86_64::__m128 {
    // SAFETY: the caller enables the instruction set.
    unsafe {
        let pairs = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
        _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps::<1>(pairs))
    }
}

impl Register for __m512 {
    const LANES: usize = 16;
    const COUNT: usize = 32;
    const TILE_INPUTS: usize = 4;
    const HELD_INPUTS: usize = 10;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller enables the instruction set; so in all functions below, where pointers are
        // valid for a register by the contract of the trait.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_loadu_ps(source) }
    }

    #[inline(always)]
    unsafe fn store(self, destination: *mut f32) {
        // SAFETY: see `zero`.
        unsafe { _mm512_storeu_ps(destination, self) }
    }

    #[inline(always)]
    unsafe fn fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_fmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn multiply(self, factor: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_mul_ps(self, factor) }
    }

    #[inline(always)]
    unsafe fn negative_fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_fnmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn clamp(self, limit: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe {
            let negative = _mm512_sub_ps(_mm512_setzero_ps(), limit);
            _mm512_max_ps(_mm512_min_ps(self, limit), negative)
        }
    }

    #[inline(always)]
    unsafe fn inverse_root(self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_rsqrt14_ps(self) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N] {
        // SAFETY: see `zero`.
        unsafe { __m256::sums(halves(registers)) }
    }

    #[inline(always)]
    unsafe fn store_sums<const N: usize>(registers: [Self; N], to: *mut f32) {
        // SAFETY: see `zero`; `to` by the caller's promise.
        unsafe { __m256::store_sums(halves(registers), to) };
    }
}

/// The upper half of each register added to the lower one.
#[inline(always)]
unsafe fn halves<const N: usize>(registers: [__m512; N]) -> [__m256; N] {
    // SAFETY: the caller enables the instruction set.
    unsafe {
        let mut halves = [_mm256_setzero_ps(); N];
        for (half, register) in halves.iter_mut().zip(registers) {
            let upper = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(register));
            *half = _mm256_add_ps(_mm512_castps512_ps256(register), _mm256_castpd_ps(upper));
        }
        halves
    }
}
