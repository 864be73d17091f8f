//! The scalar twins: what each kernel means, and the fallback of processors without wide registers.

use super::generic::Register;
use super::sigmoid::{self, Logistic};
use super::{Kernels, Losses, Pattern, Tile, fit};

pub(super) const KERNELS: Kernels = Kernels {
    name: "scalar",
    lanes: 1,
    dot,
    add_scaled,
    scale,
    descend,
    descend_mean,
    gather,
    scatter,
    gradients,
    fit: fit::scalar,
};

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn add_scaled(factor: f32, source: &[f32], destination: &mut [f32]) {
    for (to, from) in destination.iter_mut().zip(source) {
        *to += factor * from;
    }
}

fn scale(factor: f32, vector: &mut [f32]) {
    for element in vector {
        *element *= factor;
    }
}

unsafe fn gradients(pattern: &Pattern<'_>, products: &mut [f32]) -> Losses {
    // SAFETY: by the caller's promise about the pattern.
    unsafe { sigmoid::gradients::<f32>(pattern, products) }
}

unsafe fn descend(
    tile: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
    scratch: &mut Vec<f32>,
) -> Losses {
    // SAFETY: by the caller's promise about the tile.
    unsafe {
        products(tile, room);
        let loss = sigmoid::gradients::<f32>(pattern, room);
        update(tile, room, scratch);
        loss
    }
}

unsafe fn descend_mean(
    rows: &[*mut f32],
    tile: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
) -> Losses {
    let (mean, width) = (tile.inputs[0], tile.width);
    // SAFETY: by the caller's promise about rows and tile.
    unsafe {
        gather(rows, 1.0 / rows.len() as f32, width, mean);
        products(tile, room);
        let losses = sigmoid::gradients::<f32>(pattern, room);
        for at in 0..width {
            let (mut change, input) = (0.0, *mean.add(at));
            for (target, gradient) in tile.targets.iter().zip(&*room) {
                change += gradient * *target.add(at);
                *target.add(at) += gradient * input;
            }
            for row in rows {
                *row.add(at) += change;
            }
        }
        losses
    }
}

unsafe fn gather(rows: &[*mut f32], factor: f32, width: usize, sum: *mut f32) {
    for at in 0..width {
        // SAFETY: the caller promises that every row and the sum are valid for `width` floats.
        unsafe { *sum.add(at) = factor * rows.iter().map(|row| *row.add(at)).sum::<f32>() };
    }
}

unsafe fn scatter(change: *const f32, width: usize, rows: &[*mut f32]) {
    for row in rows {
        for at in 0..width {
            // SAFETY: the caller promises that every row and the change are valid for `width` floats.
            unsafe { *row.add(at) += *change.add(at) };
        }
    }
}

unsafe fn products(tile: Tile<'_>, products: &mut [f32]) {
    for (input, row) in tile.inputs.iter().zip(products.chunks_exact_mut(tile.stride)) {
        for (target, product) in tile.targets.iter().zip(row) {
            // SAFETY: the caller promises that every row is valid for `width` floats.
            *product = (0..tile.width).map(|at| unsafe { *input.add(at) * *target.add(at) }).sum();
        }
    }
}

unsafe fn update(tile: Tile<'_>, gradients: &[f32], scratch: &mut Vec<f32>) {
    let gradient = |input: usize, target: usize| gradients[input * tile.stride + target];
    for at in 0..tile.width {
        // SAFETY: the caller promises that every row is valid for `width` floats.
        unsafe {
            scratch.clear();
            for (column, target) in tile.targets.iter().enumerate() {
                let inputs = tile.inputs.iter().enumerate();
                let change: f32 = inputs.map(|(row, i)| gradient(row, column) * *i.add(at)).sum();
                scratch.push(*target.add(at) + change);
            }
            for (row, input) in tile.inputs.iter().enumerate() {
                let targets = tile.targets.iter().enumerate();
                let change: f32 =
                    targets.map(|(column, t)| gradient(row, column) * *t.add(at)).sum();
                *input.add(at) += change;
            }
            for (target, &new) in tile.targets.iter().zip(scratch.iter()) {
                *target.add(at) = new;
            }
        }
    }
}

/// A register of one float.
impl Register for f32 {
    const LANES: usize = 1;
    const COUNT: usize = 16;
    const TILE_INPUTS: usize = 1;
    const HELD_INPUTS: usize = 1;

    unsafe fn zero() -> Self {
        0.0
    }

    unsafe fn splat(value: f32) -> Self {
        value
    }

    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: the pointer is valid by the contract of the trait.
        unsafe { source.read() }
    }

    unsafe fn store(self, destination: *mut f32) {
        // SAFETY: the pointer is valid by the contract of the trait.
        unsafe { destination.write(self) }
    }

    unsafe fn fused(self, factor: Self, addend: Self) -> Self {
        self * factor + addend
    }

    unsafe fn negative_fused(self, factor: Self, addend: Self) -> Self {
        addend - self * factor
    }

    unsafe fn multiply(self, factor: Self) -> Self {
        self * factor
    }

    unsafe fn clamp(self, limit: Self) -> Self {
        self.min(limit).max(-limit)
    }

    unsafe fn inverse_root(self) -> Self {
        1.0 / self.sqrt()
    }

    unsafe fn add(self, other: Self) -> Self {
        self + other
    }

    unsafe fn sums<const N: usize>(registers: [Self; N]) -> [f32; N] {
        registers
    }
}

impl Logistic for f32 {
    unsafe fn subtract(self, other: Self) -> Self {
        self - other
    }

    unsafe fn divide(self, other: Self) -> Self {
        self / other
    }

    unsafe fn absolute(self) -> Self {
        self.abs()
    }

    unsafe fn minimum(self, other: Self) -> Self {
        self.min(other)
    }

    unsafe fn with_sign_of(self, other: Self) -> Self {
        self.copysign(other)
    }

    unsafe fn power_of_two(self) -> Self {
        f32::from_bits((self.to_bits() << 23).wrapping_add(127 << 23))
    }
}
