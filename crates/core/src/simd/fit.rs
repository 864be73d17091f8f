//! One pass over cells of a table: two rows and two biases each, pulled towards the logarithm of the cell.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::generic::Register;
use super::{BLOCK, Cell, Fit, Line, Rows, prefetch};

/// Gradients are cut at this size before the step is taken from them, as the original program does.
const LARGEST_GRADIENT: f32 = 100.0;

/// How many cells before its turn the rows of a cell are asked for: a tile comes back to a row only a few times, so most of
/// them are further away than a step takes, and their order is random, which no processor foresees.
const AHEAD: usize = 8;

/// Registers that a product is summed in.
const SUMS: usize = 4;

/// The rows and biases of a cell, and what it asks for.
struct Place<'a> {
    focus: &'a mut [Line],
    context: &'a mut [Line],
    focus_bias: &'a mut [f32; 2],
    context_bias: &'a mut [f32; 2],
}

#[inline(always)]
fn place<'a, const SWAPPED: bool>(
    cell: Cell,
    focus: &'a mut Rows,
    context: &'a mut Rows,
    lines: usize,
) -> Place<'a> {
    let (at_focus, at_context) =
        if SWAPPED { (cell.high, cell.low) } else { (cell.low, cell.high) };
    let (at_focus, at_context) = (usize::from(at_focus), usize::from(at_context));
    Place {
        focus: &mut focus.lines[at_focus * lines..(at_focus + 1) * lines],
        context: &mut context.lines[at_context * lines..(at_context + 1) * lines],
        focus_bias: &mut focus.biases[at_focus],
        context_bias: &mut context.biases[at_context],
    }
}

/// Asks for the rows of a cell that is near its turn.
#[inline(always)]
fn fetch<const SWAPPED: bool>(cell: Cell, focus: &Rows, context: &Rows, lines: usize) {
    let (at_focus, at_context) =
        if SWAPPED { (cell.high, cell.low) } else { (cell.low, cell.high) };
    for (rows, at) in [(focus, at_focus), (context, at_context)] {
        let row = rows.lines.as_ptr().wrapping_add(usize::from(at) * lines);
        prefetch(row.cast(), lines * BLOCK);
    }
}

/// Moves both biases; with adaptive steps the rate is not part of theirs, as in the original program.
#[inline(always)]
fn step_biases<const ADAPTIVE: bool>(place: &mut Place<'_>, slope: f32, rate: f32) {
    for bias in [&mut *place.focus_bias, &mut *place.context_bias] {
        if ADAPTIVE {
            bias[0] -= slope / bias[1].sqrt();
            bias[1] += slope * slope;
        } else {
            bias[0] -= rate * slope;
        }
    }
}

/// The kernel for registers of any width.
#[inline(always)]
pub(super) unsafe fn fit<R: Register>(fit: Fit<'_>) -> f64 {
    // SAFETY: the caller enables the instruction set.
    unsafe {
        match (fit.adaptive, fit.swapped) {
            (true, false) => run::<R, true, false>(fit),
            (true, true) => run::<R, true, true>(fit),
            (false, false) => run::<R, false, false>(fit),
            (false, true) => run::<R, false, true>(fit),
        }
    }
}

#[inline(always)]
unsafe fn run<R: Register, const ADAPTIVE: bool, const SWAPPED: bool>(fit: Fit<'_>) -> f64 {
    let Fit { cells, focus, context, width, used, rate, .. } = fit;
    let lines = if ADAPTIVE { 2 * width } else { width };
    let squares = width * BLOCK;
    let mut loss = 0.0;
    for (number, &cell) in cells.iter().enumerate() {
        if let Some(&next) = cells.get(number + AHEAD) {
            fetch::<SWAPPED>(next, focus, context, lines);
        }
        let mut place = place::<SWAPPED>(cell, focus, context, lines);
        let left = place.focus.as_mut_ptr().cast::<f32>();
        let right = place.context.as_mut_ptr().cast::<f32>();
        // SAFETY: the caller enables the instruction set. Both rows hold `lines` lines, which are `squares`
        // floats, and as many again for the adaptive steps; what is used of them is a whole number of registers.
        // The rows lie in two vectors, both borrowed mutably, so they do not overlap.
        unsafe {
            let product = product::<R>(left, right, used);
            let error = product + place.focus_bias[0] + place.context_bias[0] - cell.log;
            let slope = cell.weight * error;
            loss += f64::from(slope * error);
            if ADAPTIVE {
                step_adaptive::<R>(left, right, (used, squares), slope, rate);
            } else {
                step_plain::<R>(left, right, used, rate * slope);
            }
            step_biases::<ADAPTIVE>(&mut place, slope, rate);
        }
    }
    loss
}

#[inline(always)]
unsafe fn product<R: Register>(left: *const f32, right: *const f32, floats: usize) -> f32 {
    // SAFETY: see `run`; all offsets stay below `floats`.
    unsafe {
        let mut sums = [R::zero(); SUMS];
        let (mut at, whole) = (0, floats / (SUMS * R::LANES) * (SUMS * R::LANES));
        while at < whole {
            for (part, sum) in sums.iter_mut().enumerate() {
                let offset = at + part * R::LANES;
                *sum = R::load(left.add(offset)).fused(R::load(right.add(offset)), *sum);
            }
            at += SUMS * R::LANES;
        }
        for sum in &mut sums {
            if at < floats {
                *sum = R::load(left.add(at)).fused(R::load(right.add(at)), *sum);
                at += R::LANES;
            }
        }
        let [total] = R::sums([sums[0].add(sums[1]).add(sums[2].add(sums[3]))]);
        total
    }
}

/// A step whose size falls with the sum of squared gradients, which follows each row.
#[inline(always)]
unsafe fn step_adaptive<R: Register>(
    left: *mut f32,
    right: *mut f32,
    (floats, squares_at): (usize, usize),
    slope: f32,
    rate: f32,
) {
    // SAFETY: see `run`; all offsets stay below `floats`, those of squares below it behind `squares_at`.
    unsafe {
        let (slope, rate, limit) = (R::splat(slope), R::splat(rate), R::splat(LARGEST_GRADIENT));
        let mut at = 0;
        while at < floats {
            let (old_left, old_right) = (R::load(left.add(at)), R::load(right.add(at)));
            for (row, old, other) in [(left, old_left, old_right), (right, old_right, old_left)] {
                let step = slope.multiply(other).clamp(limit).multiply(rate);
                let squares = R::load(row.add(squares_at + at));
                step.negative_fused(squares.inverse_root(), old).store(row.add(at));
                step.fused(step, squares).store(row.add(squares_at + at));
            }
            at += R::LANES;
        }
    }
}

/// A step along the gradient, both sides from the rows as they were before.
#[inline(always)]
unsafe fn step_plain<R: Register>(left: *mut f32, right: *mut f32, floats: usize, step: f32) {
    // SAFETY: see `run`; all offsets stay below `floats`.
    unsafe {
        let step = R::splat(step);
        let mut at = 0;
        while at < floats {
            let (old_left, old_right) = (R::load(left.add(at)), R::load(right.add(at)));
            step.negative_fused(old_right, old_left).store(left.add(at));
            step.negative_fused(old_left, old_right).store(right.add(at));
            at += R::LANES;
        }
    }
}

/// The scalar twin.
pub(super) unsafe fn scalar(fit: Fit<'_>) -> f64 {
    let Fit { cells, focus, context, width, used, rate, adaptive, swapped } = fit;
    let lines = if adaptive { 2 * width } else { width };
    let mut loss = 0.0;
    for &cell in cells {
        let mut place = if swapped {
            place::<true>(cell, focus, context, lines)
        } else {
            place::<false>(cell, focus, context, lines)
        };
        let (left, left_squares) = place.focus.split_at_mut(width);
        let (right, right_squares) = place.context.split_at_mut(width);
        let left = &mut left.as_flattened_lines()[..used];
        let right = &mut right.as_flattened_lines()[..used];
        let product: f32 = left.iter().zip(right.iter()).map(|(a, b)| a * b).sum();
        let error = product + place.focus_bias[0] + place.context_bias[0] - cell.log;
        let slope = cell.weight * error;
        loss += f64::from(slope * error);
        if adaptive {
            let squares = left_squares
                .as_flattened_lines()
                .iter_mut()
                .zip(right_squares.as_flattened_lines());
            for ((left, right), squares) in left.iter_mut().zip(right).zip(squares) {
                let gradient =
                    |other: f32| (slope * other).clamp(-LARGEST_GRADIENT, LARGEST_GRADIENT) * rate;
                let (to_left, to_right) = (gradient(*right), gradient(*left));
                *left -= to_left / squares.0.sqrt();
                *right -= to_right / squares.1.sqrt();
                *squares.0 += to_left * to_left;
                *squares.1 += to_right * to_right;
            }
            step_biases::<true>(&mut place, slope, rate);
        } else {
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left - rate * slope * *right, *right - rate * slope * *left);
            }
            step_biases::<false>(&mut place, slope, rate);
        }
    }
    loss
}

impl Fit<'_> {
    /// The sum of the losses of all cells, with no step taken; plain code, with one order of addition everywhere.
    ///
    /// # Panics
    ///
    /// A cell names a row that is not there.
    pub fn loss(&self) -> f64 {
        let Self { cells, swapped, focus, context, width, adaptive, .. } = self;
        let lines = if *adaptive { 2 * width } else { *width };
        let row = |rows: &Rows, at: usize| (at * lines..at * lines + width, rows.biases[at][0]);
        let mut loss = 0.0;
        for cell in *cells {
            let (low, high) = (usize::from(cell.low), usize::from(cell.high));
            let (left, right) = if *swapped { (high, low) } else { (low, high) };
            let (left, left_bias) = row(focus, left);
            let (right, right_bias) = row(context, right);
            let mut sums = [0.0; BLOCK];
            for (left, right) in focus.lines[left].iter().zip(&context.lines[right]) {
                for (sum, (left, right)) in sums.iter_mut().zip(left.0.iter().zip(&right.0)) {
                    *sum += left * right;
                }
            }
            let error = sums.iter().sum::<f32>() + left_bias + right_bias - cell.log;
            loss += f64::from(cell.weight * error * error);
        }
        loss
    }
}

/// Lines as the floats that they hold.
trait Flat {
    fn as_flattened_lines(&mut self) -> &mut [f32];
}

impl Flat for [Line] {
    fn as_flattened_lines(&mut self) -> &mut [f32] {
        // SAFETY: a line is `BLOCK` floats and nothing else, and is aligned more strictly than a float.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), self.len() * BLOCK) }
    }
}
