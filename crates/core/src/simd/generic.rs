//! The kernels, written once for registers of any width.
//!
//! Every function here is inlined into a wrapper that enables one instruction set.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::Tile;

/// Most target rows in a register tile.
const TILE_TARGETS: usize = 6;

/// A register of floats.
pub(super) trait Register: Copy {
    /// Floats in the register.
    const LANES: usize;
    /// Most input rows in a tile of products: as many as leave room in the register file.
    const TILE_INPUTS: usize;

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
    /// The reciprocal of the square root, within 1e-4 of its value.
    unsafe fn inverse_root(self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// The sum of the floats of each of at most [`TILE_TARGETS`] registers.
    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N];
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

/// All products, a tile of registers at a time: each row that is loaded serves several products.
#[inline(always)]
pub(super) unsafe fn products<R: Register>(tile: Tile<'_>, products: &mut [f32]) {
    for (block, inputs) in tile.inputs.chunks(R::TILE_INPUTS).enumerate() {
        let rows = &mut products[block * R::TILE_INPUTS * tile.stride..];
        // SAFETY: by the caller's promise about the tile.
        unsafe {
            match inputs.len() {
                1 => product_rows::<R, 1>(inputs, tile, rows),
                2 => product_rows::<R, 2>(inputs, tile, rows),
                3 => product_rows::<R, 3>(inputs, tile, rows),
                _ => product_rows::<R, 4>(inputs, tile, rows),
            }
        }
    }
}

#[inline(always)]
unsafe fn product_rows<R: Register, const INPUTS: usize>(
    inputs: &[*mut f32],
    tile: Tile<'_>,
    rows: &mut [f32],
) {
    for (block, targets) in tile.targets.chunks(TILE_TARGETS).enumerate() {
        let first = block * TILE_TARGETS;
        let Tile { width, stride, .. } = tile;
        // SAFETY: by the caller's promise about the tile.
        unsafe {
            match targets.len() {
                1 => product_tile::<R, INPUTS, 1>(inputs, targets, width, rows, stride, first),
                2 => product_tile::<R, INPUTS, 2>(inputs, targets, width, rows, stride, first),
                3 => product_tile::<R, INPUTS, 3>(inputs, targets, width, rows, stride, first),
                4 => product_tile::<R, INPUTS, 4>(inputs, targets, width, rows, stride, first),
                5 => product_tile::<R, INPUTS, 5>(inputs, targets, width, rows, stride, first),
                _ => product_tile::<R, INPUTS, 6>(inputs, targets, width, rows, stride, first),
            }
        }
    }
}

#[inline(always)]
unsafe fn product_tile<R: Register, const INPUTS: usize, const TARGETS: usize>(
    inputs: &[*mut f32],
    targets: &[*mut f32],
    width: usize,
    rows: &mut [f32],
    stride: usize,
    first: usize,
) {
    // SAFETY: every row is valid for `width` floats, a multiple of the register width.
    unsafe {
        let mut sums = [[R::zero(); TARGETS]; INPUTS];
        let mut at = 0;
        while at < width {
            let mut columns = [R::zero(); TARGETS];
            for (column, target) in columns.iter_mut().zip(targets) {
                *column = R::load(target.add(at));
            }
            for (sums, input) in sums.iter_mut().zip(inputs) {
                let row = R::load(input.add(at));
                for (sum, column) in sums.iter_mut().zip(columns) {
                    *sum = row.fused(column, *sum);
                }
            }
            at += R::LANES;
        }
        for (index, sums) in sums.into_iter().enumerate() {
            let start = index * stride + first;
            rows[start..start + TARGETS].copy_from_slice(&R::sums(sums));
        }
    }
}

/// The update of both sides of a tile.
#[inline(always)]
pub(super) unsafe fn update<R: Register>(
    tile: Tile<'_>,
    gradients: &[f32],
    scratch: &mut Vec<f32>,
) {
    // SAFETY: by the caller's promise about the tile.
    unsafe {
        match tile.targets.len() {
            0 => {}
            1 => update_in_registers::<R, 1>(tile, gradients),
            2 => update_in_registers::<R, 2>(tile, gradients),
            3 => update_in_registers::<R, 3>(tile, gradients),
            4 => update_in_registers::<R, 4>(tile, gradients),
            5 => update_in_registers::<R, 5>(tile, gradients),
            6 => update_in_registers::<R, 6>(tile, gradients),
            _ => update_any::<R>(tile, gradients, scratch),
        }
    }
}

#[inline(always)]
unsafe fn update_in_registers<R: Register, const TARGETS: usize>(
    tile: Tile<'_>,
    gradients: &[f32],
) {
    let gradients = gradients.as_ptr();
    // SAFETY: every row is valid for `width` floats, a multiple of the register width; `Tile::check`
    // made sure that `gradients` holds a stride for each input.
    unsafe {
        let mut at = 0;
        while at < tile.width {
            let mut old_targets = [R::zero(); TARGETS];
            for (register, target) in old_targets.iter_mut().zip(tile.targets) {
                *register = R::load(target.add(at));
            }
            let mut targets = old_targets;
            for (index, input) in tile.inputs.iter().enumerate() {
                let old = R::load(input.add(at));
                let mut new = old;
                for column in 0..TARGETS {
                    let gradient = R::splat(*gradients.add(index * tile.stride + column));
                    new = gradient.fused(old_targets[column], new);
                    targets[column] = gradient.fused(old, targets[column]);
                }
                new.store(input.add(at));
            }
            for (register, target) in targets.into_iter().zip(tile.targets) {
                register.store(target.add(at));
            }
            at += R::LANES;
        }
    }
}

/// The same for any number of targets: the new targets wait in `scratch` until the inputs are done.
#[inline(always)]
unsafe fn update_any<R: Register>(tile: Tile<'_>, gradients: &[f32], scratch: &mut Vec<f32>) {
    scratch.clear();
    scratch.resize(tile.targets.len() * R::LANES, 0.0);
    let gradient = |input: usize, target: usize| gradients[input * tile.stride + target];
    let mut at = 0;
    while at < tile.width {
        // SAFETY: every row is valid for `width` floats, a multiple of the register width; the scratch
        // holds a register for each target.
        unsafe {
            for (column, target) in tile.targets.iter().enumerate() {
                let mut new = R::load(target.add(at));
                for (index, input) in tile.inputs.iter().enumerate() {
                    new = R::splat(gradient(index, column)).fused(R::load(input.add(at)), new);
                }
                new.store(scratch.as_mut_ptr().add(column * R::LANES));
            }
            for (index, input) in tile.inputs.iter().enumerate() {
                let mut new = R::load(input.add(at));
                for (column, target) in tile.targets.iter().enumerate() {
                    new = R::splat(gradient(index, column)).fused(R::load(target.add(at)), new);
                }
                new.store(input.add(at));
            }
            for (column, target) in tile.targets.iter().enumerate() {
                R::load(scratch.as_ptr().add(column * R::LANES)).store(target.add(at));
            }
        }
        at += R::LANES;
    }
}
