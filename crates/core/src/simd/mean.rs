//! The kernel that learns from the mean of rows, as continuous bags of words do: one input for all targets, whose
//! change goes to each of the rows.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]
#![allow(
    clippy::needless_range_loop,
    reason = "loops with a constant end are unrolled, others are not"
)]

use super::generic::Register;
use super::sigmoid::{self, Logistic};
use super::tile::{first_of, gather, load, products};
use super::{Losses, Pattern, Tile};

/// The mean goes to the input of the tile; its change is made in registers and added to the rows at once.
#[inline(always)]
pub(super) unsafe fn descend_mean<R: Register, L: Logistic>(
    rows: &[*mut f32],
    tile: Tile<'_>,
    pattern: &Pattern<'_>,
    room: &mut [f32],
) -> Losses {
    // SAFETY: by the caller's promise about rows and tile; `Kernels::descend_mean` made sure that there is one
    // input.
    unsafe {
        gather::<R>(rows, 1.0 / rows.len() as f32, tile.width, tile.inputs[0]);
        products::<R>(tile, room);
        let losses = sigmoid::gradients::<L>(pattern, room);
        match tile.targets.len() {
            1 => pass_on_from::<R, 1>(rows, tile, room),
            2 => pass_on_from::<R, 2>(rows, tile, room),
            3 => pass_on_from::<R, 3>(rows, tile, room),
            4 => pass_on_from::<R, 4>(rows, tile, room),
            5 => pass_on_from::<R, 5>(rows, tile, room),
            6 => pass_on_from::<R, 6>(rows, tile, room),
            _ => pass_on::<R>(rows, tile, room),
        }
        losses
    }
}

/// Moves the targets, and each row by the change of the mean.
#[inline(always)]
unsafe fn pass_on_from<R: Register, const TARGETS: usize>(
    rows: &[*mut f32],
    tile: Tile<'_>,
    gradients: &[f32],
) {
    let (mean, targets) = (tile.inputs[0], first_of::<TARGETS>(tile.targets));
    // SAFETY: as in `pass_on`.
    unsafe {
        let mut steps = [R::zero(); TARGETS];
        for column in 0..TARGETS {
            steps[column] = R::splat(*gradients.as_ptr().add(column));
        }
        let mut at = 0;
        while at < tile.width {
            let (old, input) = (load::<R, TARGETS>(targets, at), R::load(mean.add(at)));
            let mut change = R::zero();
            for column in 0..TARGETS {
                change = steps[column].fused(old[column], change);
                steps[column].fused(input, old[column]).store(targets[column].add(at));
            }
            add_to_all(change, rows, at);
            at += R::LANES;
        }
    }
}

/// The same for any number of targets.
#[inline(always)]
unsafe fn pass_on<R: Register>(rows: &[*mut f32], tile: Tile<'_>, gradients: &[f32]) {
    let mean = tile.inputs[0];
    // SAFETY: every row is valid for `width` floats, a multiple of the register width; there is a gradient for each
    // target by `Tile::check`.
    unsafe {
        let mut at = 0;
        while at < tile.width {
            let (mut change, input) = (R::zero(), R::load(mean.add(at)));
            for (target, &gradient) in tile.targets.iter().zip(gradients) {
                let (step, old) = (R::splat(gradient), R::load(target.add(at)));
                change = step.fused(old, change);
                step.fused(input, old).store(target.add(at));
            }
            add_to_all(change, rows, at);
            at += R::LANES;
        }
    }
}

#[inline(always)]
unsafe fn add_to_all<R: Register>(change: R, rows: &[*mut f32], at: usize) {
    for row in rows {
        // SAFETY: every row is valid for the floats at this place.
        unsafe { R::load(row.add(at)).add(change).store(row.add(at)) };
    }
}
