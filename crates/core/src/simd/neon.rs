//! The kernels for 64-bit ARM processors.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use std::arch::aarch64::{
    float32x4_t, vabsq_f32, vaddq_f32, vaddq_s32, vaddvq_f32, vbslq_f32, vdivq_f32, vdupq_n_f32,
    vdupq_n_s32, vdupq_n_u32, vfmaq_f32, vfmsq_f32, vld1q_f32, vmaxq_f32, vminq_f32, vmulq_f32,
    vnegq_f32, vreinterpretq_f32_s32, vreinterpretq_s32_f32, vrsqrteq_f32, vrsqrtsq_f32,
    vshlq_n_s32, vst1q_f32, vsubq_f32,
};

use super::generic::{self, Register};
use super::sigmoid::{self, Logistic};
use super::{Fit, Kernels, Losses, Pattern, Tile, fit, mean, tile};

pub(super) const NEON: Kernels = Kernels {
    name: "NEON",
    lanes: float32x4_t::LANES,
    dot,
    add_scaled,
    scale,
    descend,
    descend_mean,
    gather,
    scatter,
    gradients,
    fit: fit_cells,
};

// SAFETY of all: every wrapper enables the instruction set; the caller keeps the contract of the table's
// public function, which is also that of the generic kernel.

#[target_feature(enable = "neon")]
unsafe fn dot(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: see above.
    unsafe { generic::dot::<float32x4_t>(left, right) }
}

#[target_feature(enable = "neon")]
unsafe fn add_scaled(factor: f32, source: &[f32], destination: &mut [f32]) {
    // SAFETY: see above.
    unsafe { generic::add_scaled::<float32x4_t>(factor, source, destination) }
}

#[target_feature(enable = "neon")]
unsafe fn scale(factor: f32, vector: &mut [f32]) {
    // SAFETY: see above.
    unsafe { generic::scale::<float32x4_t>(factor, vector) }
}

#[target_feature(enable = "neon")]
unsafe fn descend(
    rows: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
    scratch: &mut Vec<f32>,
) -> Losses {
    // SAFETY: see above.
    unsafe { tile::descend::<float32x4_t, float32x4_t>(rows, pattern, room, scratch) }
}

#[target_feature(enable = "neon")]
unsafe fn descend_mean(
    rows: &[*mut f32],
    tile: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
) -> Losses {
    // SAFETY: see above.
    unsafe { mean::descend_mean::<float32x4_t, float32x4_t>(rows, tile, pattern, room) }
}

#[target_feature(enable = "neon")]
unsafe fn gather(rows: &[*mut f32], factor: f32, width: usize, sum: *mut f32) {
    // SAFETY: see above.
    unsafe { tile::gather::<float32x4_t>(rows, factor, width, sum) }
}

#[target_feature(enable = "neon")]
unsafe fn scatter(change: *const f32, width: usize, rows: &[*mut f32]) {
    // SAFETY: see above.
    unsafe { tile::scatter::<float32x4_t>(change, width, rows) }
}

#[target_feature(enable = "neon")]
unsafe fn gradients(pattern: &Pattern<'_>, products: &mut [f32]) -> Losses {
    // SAFETY: see above.
    unsafe { sigmoid::gradients::<float32x4_t>(pattern, products) }
}

#[target_feature(enable = "neon")]
unsafe fn fit_cells(cells: Fit<'_>) -> f64 {
    // SAFETY: see above.
    unsafe { fit::fit::<float32x4_t>(cells) }
}

impl Register for float32x4_t {
    const LANES: usize = 4;
    const COUNT: usize = 32;
    const TILE_INPUTS: usize = 4;
    const HELD_INPUTS: usize = 10;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller enables the instruction set; so in all functions below, where pointers are
        // valid for a register by the contract of the trait.
        unsafe { vdupq_n_f32(0.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { vdupq_n_f32(value) }
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: see `zero`.
        unsafe { vld1q_f32(source) }
    }

    #[inline(always)]
    unsafe fn store(self, destination: *mut f32) {
        // SAFETY: see `zero`.
        unsafe { vst1q_f32(destination, self) }
    }

    #[inline(always)]
    unsafe fn fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { vfmaq_f32(addend, self, factor) }
    }

    #[inline(always)]
    unsafe fn multiply(self, factor: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { vmulq_f32(self, factor) }
    }

    #[inline(always)]
    unsafe fn negative_fused(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { vfmsq_f32(addend, self, factor) }
    }

    #[inline(always)]
    unsafe fn clamp(self, limit: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { vmaxq_f32(vminq_f32(self, limit), vnegq_f32(limit)) }
    }

    #[inline(always)]
    unsafe fn inverse_root(self) -> Self {
        // SAFETY: see `zero`.
        unsafe {
            // The processor's estimate has 8 bits; each step of Newton's method doubles them.
            let first = vrsqrteq_f32(self);
            let second = vmulq_f32(first, vrsqrtsq_f32(vmulq_f32(self, first), first));
            vmulq_f32(second, vrsqrtsq_f32(vmulq_f32(self, second), second))
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: see `zero`.
        unsafe { vaddq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N] {
        // SAFETY: see `zero`.
        registers.map(|register| unsafe { vaddvq_f32(register) })
    }
}

impl Logistic for float32x4_t {
    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        // SAFETY: the caller enables the instruction set; so in all functions below.
        unsafe { vsubq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn divide(self, other: Self) -> Self {
        // SAFETY: see `subtract`.
        unsafe { vdivq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn absolute(self) -> Self {
        // SAFETY: see `subtract`.
        unsafe { vabsq_f32(self) }
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        // SAFETY: see `subtract`.
        unsafe { vminq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn with_sign_of(self, other: Self) -> Self {
        // SAFETY: see `subtract`.
        unsafe { vbslq_f32(vdupq_n_u32(1 << 31), other, self) }
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        // SAFETY: see `subtract`.
        unsafe {
            let exponent = vshlq_n_s32::<23>(vreinterpretq_s32_f32(self));
            vreinterpretq_f32_s32(vaddq_s32(exponent, vdupq_n_s32(127 << 23)))
        }
    }
}
