//! How fast the steps of training are on each instruction set of this processor: `make benchmark-kernels`.
//!
//! A step multiplies every input row with every target row, turns the products into gradients, and moves all
//! rows. Each product and each of both moves take two operations a number. A cell of `GloVe` is a product and a
//! step of two rows with their sums of squares.
#![allow(clippy::print_stdout, reason = "this program is there to print")]
#![allow(
    unsafe_code,
    reason = "rows are handed to the kernels as pointers; the one block says why that holds"
)]

use std::time::Instant;

use textgrain_core::simd::{BLOCK, Cell, Fit, Kernels, Line, Pattern, Rows, Tile};

/// Rows in each of the two matrices: together a megabyte or two, as the frequent words of a corpus are.
const ROWS: usize = 1024;

/// Words in each of two groups whose cells are a tile of `GloVe`.
const WORDS: u16 = 384;

/// Steps that are timed together, and how often.
const STEPS: usize = 20_000;
const ROUNDS: usize = 7;

fn main() {
    println!(
        "{:<10} {:>7} {:>8} {:>8} {:>9} {:>9}",
        "kernels", "inputs", "targets", "numbers", "ns", "GFLOP/s"
    );
    for (inputs, targets) in [(6, 6), (1, 6), (6, 13), (1, 13)] {
        for size in [100_usize, 300] {
            for kernels in Kernels::available() {
                let seconds = seconds_a_step(kernels, inputs, targets, size);
                let operations = (6 * inputs * targets * size) as f64;
                println!(
                    "{:<10} {inputs:>7} {targets:>8} {size:>8} {:>9.0} {:>9.1}",
                    kernels.name(),
                    seconds * 1e9,
                    operations / seconds / 1e9
                );
            }
        }
    }
    println!("\n{:<10} {:>8} {:>9}", "GloVe", "numbers", "ns");
    for size in [100_usize, 300] {
        for kernels in Kernels::available() {
            let seconds = seconds_a_cell(kernels, size);
            println!("{:<10} {size:>8} {:>9.1}", kernels.name(), seconds * 1e9);
        }
    }
}

/// The least time of a cell over all rounds.
fn seconds_a_cell(kernels: Kernels, size: usize) -> f64 {
    let width = size.div_ceil(BLOCK);
    let row = [vec![Line([0.01; BLOCK]); width], vec![Line([1.0; BLOCK]); width]].concat();
    let table = || Rows {
        lines: row.repeat(usize::from(WORDS)),
        biases: vec![[0.01, 1.0]; usize::from(WORDS)],
    };
    let (mut focus, mut context) = (table(), table());
    let mut at = 1_u64;
    let mut draw = || {
        at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (at >> 33) as u16 % WORDS
    };
    let cells: Vec<Cell> =
        (0..STEPS).map(|_| Cell { low: draw(), high: draw(), log: 0.3, weight: 0.1 }).collect();
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let (focus, context) = (&mut focus, &mut context);
        let (swapped, rate, adaptive) = (false, 0.05, true);
        let used = kernels.width_of(size);
        let fit = Fit { cells: &cells, swapped, focus, context, width, used, rate, adaptive };
        std::hint::black_box(kernels.fit(fit));
        least = least.min(started.elapsed().as_secs_f64() / STEPS as f64);
    }
    least
}

/// The least time of a step over all rounds.
fn seconds_a_step(kernels: Kernels, inputs: usize, targets: usize, size: usize) -> f64 {
    let (row, width) = (size.next_multiple_of(BLOCK), kernels.width_of(size));
    let (mut input, mut output) = (vec![0.01_f32; ROWS * row], vec![0.01_f32; ROWS * row]);
    let starts = |matrix: &mut [f32]| -> Vec<*mut f32> {
        matrix.chunks_exact_mut(row).map(<[f32]>::as_mut_ptr).collect()
    };
    let (input_rows, output_rows) = (starts(&mut input), starts(&mut output));
    let stride = Tile::stride_for(targets);
    let (mut positives, mut draws) = (vec![0.0; stride], vec![0.0; stride]);
    positives[0] = 1.0;
    draws[..targets].fill(1.0);
    let weights = vec![1.0; inputs];
    let pattern =
        Pattern { input_weights: &weights, positives: &positives, draws: &draws, step: 1e-4 };
    let (mut room, mut scratch) = (vec![0.0; inputs * stride], Vec::new());
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let mut at = 1_usize;
        for _ in 0..STEPS {
            // Rows in a row, from a place that looks random.
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (from, to) = ((at >> 33) % (ROWS - inputs), (at >> 43) % (ROWS - targets));
            let tile = Tile {
                inputs: &input_rows[from..from + inputs],
                targets: &output_rows[to..to + targets],
                width,
                stride,
            };
            // SAFETY: the rows are parts of two vectors that live until the end of this function and do not
            // overlap; nobody else has them.
            let losses = unsafe { kernels.descend(tile, &pattern, &mut room, &mut scratch) };
            std::hint::black_box(losses);
        }
        least = least.min(started.elapsed().as_secs_f64() / STEPS as f64);
    }
    least
}
