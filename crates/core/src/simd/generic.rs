//! The kernels, written once for registers of any width.
//!
//! Every function here is inlined into a wrapper that enables one instruction set.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::PRODUCT_BLOCK;

/// A register of floats.
pub(super) trait Register: Copy {
    /// Floats in the register.
    const LANES: usize;
    /// Registers that the processor has.
    const COUNT: usize;
    /// Most input rows in a tile of products: as many as leave room in the register file.
    const TILE_INPUTS: usize;
    /// Most input rows of which the old and the new floats find room in the register file.
    const HELD_INPUTS: usize;

    /// # Safety
    /// The instruction set is there. The same holds for all functions of this trait; pointers are valid
    /// for `LANES` floats.
    unsafe fn zero() -> Self;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(source: *const f32) -> Self;
    unsafe fn store(self, destination: *mut f32);
    /// `self * factor + addend`
    unsafe fn fused(self, factor: Self, addend: Self) -> Self;
    /// `addend - self * factor`
    unsafe fn negative_fused(self, factor: Self, addend: Self) -> Self;
    unsafe fn multiply(self, factor: Self) -> Self;
    /// Cut at `limit` and at its negative.
    unsafe fn clamp(self, limit: Self) -> Self;
    /// The reciprocal of the square root, within 4e-4 of its value: a step may be that much shorter or longer.
    unsafe fn inverse_root(self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// The sum of the floats of each of at most six registers.
    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N];
    /// Writes the sums, and zeros after them up to [`PRODUCT_BLOCK`] floats, for which `to` is valid.
    ///
    /// In one store where that can be: a load of all of them that follows would have to wait until two stores, and
    /// all that came before them, are in the cache.
    #[inline(always)]
    unsafe fn store_sums<const N: usize>(registers: [Self; N], to: *mut f32) {
        let mut all = [0.0; PRODUCT_BLOCK];
        // SAFETY: the instruction set and `to` by the caller's promise.
        unsafe {
            all[..N].copy_from_slice(&Self::sums(registers));
            to.cast::<[f32; PRODUCT_BLOCK]>().write_unaligned(all);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn dot<R: Register>(left: &[f32], right: &[f32]) -> f32 {
    let (length, whole) = (left.len(), left.len() / (4 * R::LANES) * (4 * R::LANES));
    let (a, b) = (left.as_ptr(), right.as_ptr());
    // SAFETY: all offsets stay below the common length of the two slices.
    unsafe {
        let mut sums = [R::zero(); 4];
        let mut at = 0;
        while at < whole {
            for (part, sum) in sums.iter_mut().enumerate() {
                let offset = at + part * R::LANES;
                *sum = R::load(a.add(offset)).fused(R::load(b.add(offset)), *sum);
            }
            at += 4 * R::LANES;
        }
        while at + R::LANES <= length {
            sums[0] = R::load(a.add(at)).fused(R::load(b.add(at)), sums[0]);
            at += R::LANES;
        }
        let [mut total] = R::sums([sums[0].add(sums[1]).add(sums[2].add(sums[3]))]);
        while at < length {
            total += *a.add(at) * *b.add(at);
            at += 1;
        }
        total
    }
}

#[inline(always)]
pub(super) unsafe fn add_scaled<R: Register>(factor: f32, source: &[f32], destination: &mut [f32]) {
    let length = destination.len();
    let (from, to) = (source.as_ptr(), destination.as_mut_ptr());
    // SAFETY: all offsets stay below the common length of the two slices.
    unsafe {
        let factors = R::splat(factor);
        let mut at = 0;
        while at + R::LANES <= length {
            factors.fused(R::load(from.add(at)), R::load(to.add(at))).store(to.add(at));
            at += R::LANES;
        }
        while at < length {
            *to.add(at) += factor * *from.add(at);
            at += 1;
        }
    }
}

#[inline(always)]
pub(super) unsafe fn scale<R: Register>(factor: f32, vector: &mut [f32]) {
    let (length, to) = (vector.len(), vector.as_mut_ptr());
    // SAFETY: all offsets stay below the length of the slice.
    unsafe {
        let factors = R::splat(factor);
        let mut at = 0;
        while at + R::LANES <= length {
            R::load(to.add(at)).multiply(factors).store(to.add(at));
            at += R::LANES;
        }
        while at < length {
            *to.add(at) *= factor;
            at += 1;
        }
    }
}
