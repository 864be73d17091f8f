//! The kernels that learn from a tile of rows, written once for registers of any width.
//!
//! As in `generic`, every function is inlined into a wrapper that enables one instruction set.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]
#![allow(
    clippy::needless_range_loop,
    reason = "loops with a constant end are unrolled, others are not"
)]

use super::generic::Register;
use super::sigmoid::{self, Logistic};
use super::{Losses, PRODUCT_BLOCK, Pattern, Tile};

/// Most target rows in a register tile.
const TILE_TARGETS: usize = 6;

/// Products, gradients, and the update of both sides.
#[inline(always)]
pub(super) unsafe fn descend<R: Register, L: Logistic>(
    tile: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
    scratch: &mut Vec<f32>,
) -> Losses {
    // SAFETY: by the caller's promise about the tile.
    unsafe {
        products::<R>(tile, room);
        let loss = sigmoid::gradients::<L>(pattern, room);
        update::<R>(tile, room, scratch);
        loss
    }
}

/// Writes `factor` times the sum of the rows.
#[inline(always)]
pub(super) unsafe fn gather<R: Register>(
    rows: &[*mut f32],
    factor: f32,
    width: usize,
    sum: *mut f32,
) {
    // SAFETY: every row and the sum are valid for `width` floats, a multiple of the register width.
    unsafe {
        let mut at = 0;
        while at + 4 * R::LANES <= width {
            gather_registers::<R, 4>(rows, factor, at, sum);
            at += 4 * R::LANES;
        }
        while at < width {
            gather_registers::<R, 1>(rows, factor, at, sum);
            at += R::LANES;
        }
    }
}

/// Some registers of the sum, side by side: each addition waits for the one before it on the same register.
#[inline(always)]
unsafe fn gather_registers<R: Register, const N: usize>(
    rows: &[*mut f32],
    factor: f32,
    at: usize,
    sum: *mut f32,
) {
    // SAFETY: as in `gather`.
    unsafe {
        let mut sums = [R::zero(); N];
        for row in rows {
            for part in 0..N {
                sums[part] = sums[part].add(R::load(row.add(at + part * R::LANES)));
            }
        }
        for part in 0..N {
            sums[part].multiply(R::splat(factor)).store(sum.add(at + part * R::LANES));
        }
    }
}

/// Adds `change` to each row, as often as it is listed.
#[inline(always)]
pub(super) unsafe fn scatter<R: Register>(change: *const f32, width: usize, rows: &[*mut f32]) {
    for row in rows {
        let mut at = 0;
        while at < width {
            // SAFETY: every row and the change are valid for `width` floats, a multiple of the register
            // width.
            unsafe {
                let sum = R::load(row.add(at)).add(R::load(change.add(at)));
                sum.store(row.add(at));
            }
            at += R::LANES;
        }
    }
}

/// The first `N` rows, as an array: loops over arrays are unrolled, and what they hold stays in registers.
#[inline(always)]
pub(super) fn first_of<const N: usize>(rows: &[*mut f32]) -> [*mut f32; N] {
    std::array::from_fn(|row| rows[row])
}

/// A register of each row.
#[inline(always)]
pub(super) unsafe fn load<R: Register, const N: usize>(rows: [*mut f32; N], at: usize) -> [R; N] {
    // SAFETY: by the caller's promise about the rows.
    unsafe {
        let mut registers = [R::zero(); N];
        for row in 0..N {
            registers[row] = R::load(rows[row].add(at));
        }
        registers
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
    let (inputs, targets) = (first_of::<INPUTS>(inputs), first_of::<TARGETS>(targets));
    // SAFETY: every row is valid for `width` floats, a multiple of the register width.
    unsafe {
        let mut sums = [[R::zero(); TARGETS]; INPUTS];
        let mut at = 0;
        while at < width {
            // Sums and rows that are used again stay in registers, or each addition would wait for memory.
            if INPUTS * TARGETS + TARGETS < R::COUNT {
                let columns = load::<R, TARGETS>(targets, at);
                for index in 0..INPUTS {
                    let row = R::load(inputs[index].add(at));
                    for column in 0..TARGETS {
                        sums[index][column] = row.fused(columns[column], sums[index][column]);
                    }
                }
            } else {
                let rows = load::<R, INPUTS>(inputs, at);
                for column in 0..TARGETS {
                    let target = R::load(targets[column].add(at));
                    for index in 0..INPUTS {
                        sums[index][column] = rows[index].fused(target, sums[index][column]);
                    }
                }
            }
            at += R::LANES;
        }
        for (index, sums) in sums.into_iter().enumerate() {
            let start = index * stride + first;
            if first + PRODUCT_BLOCK <= stride {
                // What is behind the products is padding, or is written next.
                R::store_sums(sums, rows[start..start + PRODUCT_BLOCK].as_mut_ptr());
            } else {
                rows[start..start + TARGETS].copy_from_slice(&R::sums(sums));
            }
        }
    }
}

/// The update of both sides of a tile.
#[inline(always)]
unsafe fn update<R: Register>(tile: Tile<'_>, gradients: &[f32], scratch: &mut Vec<f32>) {
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
            _ => update_many::<R>(tile, gradients, scratch),
        }
    }
}

/// The update for more targets than registers hold.
#[inline(always)]
unsafe fn update_many<R: Register>(tile: Tile<'_>, gradients: &[f32], scratch: &mut Vec<f32>) {
    let inputs = tile.inputs.len();
    // SAFETY: by the caller's promise about the tile.
    unsafe {
        match inputs {
            _ if inputs > R::HELD_INPUTS => update_in_groups::<R>(tile, gradients, scratch),
            1 => update_with_inputs_held::<R, 1>(tile, gradients),
            2 => update_with_inputs_held::<R, 2>(tile, gradients),
            3 => update_with_inputs_held::<R, 3>(tile, gradients),
            4 => update_with_inputs_held::<R, 4>(tile, gradients),
            5 => update_with_inputs_held::<R, 5>(tile, gradients),
            6 => update_with_inputs_held::<R, 6>(tile, gradients),
            7 => update_with_inputs_held::<R, 7>(tile, gradients),
            8 => update_with_inputs_held::<R, 8>(tile, gradients),
            9 => update_with_inputs_held::<R, 9>(tile, gradients),
            10 => update_with_inputs_held::<R, 10>(tile, gradients),
            _ => update_in_groups::<R>(tile, gradients, scratch),
        }
    }
}

/// The inputs stay in registers while the targets pass by.
#[inline(always)]
unsafe fn update_with_inputs_held<R: Register, const INPUTS: usize>(
    tile: Tile<'_>,
    gradients: &[f32],
) {
    let (gradients, inputs) = (gradients.as_ptr(), first_of::<INPUTS>(tile.inputs));
    // SAFETY: as in `update_in_registers`.
    unsafe {
        let mut at = 0;
        while at < tile.width {
            let old_inputs = load::<R, INPUTS>(inputs, at);
            let mut new_inputs = old_inputs;
            for (column, target) in tile.targets.iter().enumerate() {
                let old = R::load(target.add(at));
                let mut new = old;
                for row in 0..INPUTS {
                    let gradient = R::splat(*gradients.add(row * tile.stride + column));
                    new = gradient.fused(old_inputs[row], new);
                    new_inputs[row] = gradient.fused(old, new_inputs[row]);
                }
                new.store(target.add(at));
            }
            for row in 0..INPUTS {
                new_inputs[row].store(inputs[row].add(at));
            }
            at += R::LANES;
        }
    }
}

#[inline(always)]
unsafe fn update_in_registers<R: Register, const TARGETS: usize>(
    tile: Tile<'_>,
    gradients: &[f32],
) {
    let (gradients, targets) = (gradients.as_ptr(), first_of::<TARGETS>(tile.targets));
    // SAFETY: every row is valid for `width` floats, a multiple of the register width; `Tile::check`
    // made sure that `gradients` holds a stride for each input.
    unsafe {
        if let &[input] = tile.inputs {
            let mut held = [R::zero(); TARGETS];
            for column in 0..TARGETS {
                held[column] = R::splat(*gradients.add(column));
            }
            let mut at = 0;
            while at < tile.width {
                let old_targets = load::<R, TARGETS>(targets, at);
                let old = R::load(input.add(at));
                let mut new = old;
                for column in 0..TARGETS {
                    new = held[column].fused(old_targets[column], new);
                    held[column].fused(old, old_targets[column]).store(targets[column].add(at));
                }
                new.store(input.add(at));
                at += R::LANES;
            }
            return;
        }
        let mut at = 0;
        while at < tile.width {
            let old_targets = load::<R, TARGETS>(targets, at);
            let mut new_targets = old_targets;
            for (index, input) in tile.inputs.iter().enumerate() {
                let old = R::load(input.add(at));
                let mut new = old;
                for column in 0..TARGETS {
                    let gradient = R::splat(*gradients.add(index * tile.stride + column));
                    new = gradient.fused(old_targets[column], new);
                    new_targets[column] = gradient.fused(old, new_targets[column]);
                }
                new.store(input.add(at));
            }
            for column in 0..TARGETS {
                new_targets[column].store(targets[column].add(at));
            }
            at += R::LANES;
        }
    }
}

/// The same for many inputs too, some targets at a time: the old inputs wait in `scratch` meanwhile.
#[inline(always)]
unsafe fn update_in_groups<R: Register>(tile: Tile<'_>, gradients: &[f32], scratch: &mut Vec<f32>) {
    scratch.resize(scratch.len().max(tile.inputs.len() * R::LANES), 0.0);
    let mut at = 0;
    while at < tile.width {
        // SAFETY: as in `update_in_registers`; the scratch holds a register for each input.
        unsafe {
            for (index, input) in tile.inputs.iter().enumerate() {
                R::load(input.add(at)).store(scratch.as_mut_ptr().add(index * R::LANES));
            }
            for (group, targets) in tile.targets.chunks(TILE_TARGETS).enumerate() {
                let rows = (tile.inputs, targets);
                let gradients = &gradients[group * TILE_TARGETS..];
                let (stride, old) = (tile.stride, scratch.as_ptr());
                match targets.len() {
                    1 => update_group::<R, 1>(rows, gradients, stride, at, old),
                    2 => update_group::<R, 2>(rows, gradients, stride, at, old),
                    3 => update_group::<R, 3>(rows, gradients, stride, at, old),
                    4 => update_group::<R, 4>(rows, gradients, stride, at, old),
                    5 => update_group::<R, 5>(rows, gradients, stride, at, old),
                    _ => update_group::<R, 6>(rows, gradients, stride, at, old),
                }
            }
        }
        at += R::LANES;
    }
}

/// One register of each row, for some of the targets.
#[inline(always)]
unsafe fn update_group<R: Register, const TARGETS: usize>(
    (inputs, targets): (&[*mut f32], &[*mut f32]),
    gradients: &[f32],
    stride: usize,
    at: usize,
    old_inputs: *const f32,
) {
    let targets = first_of::<TARGETS>(targets);
    // SAFETY: as in `update_in_groups`, which made sure that there is a stride of gradients for each input
    // and a register of its old floats.
    unsafe {
        let old_targets = load::<R, TARGETS>(targets, at);
        let mut new_targets = old_targets;
        for (index, input) in inputs.iter().enumerate() {
            let old = R::load(old_inputs.add(index * R::LANES));
            let mut new = R::load(input.add(at));
            for column in 0..TARGETS {
                let gradient = R::splat(*gradients.as_ptr().add(index * stride + column));
                new = gradient.fused(old_targets[column], new);
                new_targets[column] = gradient.fused(old, new_targets[column]);
            }
            new.store(input.add(at));
        }
        for column in 0..TARGETS {
            new_targets[column].store(targets[column].add(at));
        }
    }
}
