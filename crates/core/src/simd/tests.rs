//! Each instruction set against the scalar twin, on odd lengths and all tile shapes.

use super::{BLOCK, Cell, Fit, Kernels, Line, Pattern, Rows, Tile};

/// Numbers between -1 and 1 that look random.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

fn close(left: &[f32], right: &[f32]) {
    assert_eq!(left.len(), right.len());
    for (index, (a, b)) in left.iter().zip(right).enumerate() {
        assert!((a - b).abs() <= 2e-5 * (1.0 + b.abs()), "{a} and {b} at {index}");
    }
}

#[test]
fn plain_vectors_of_any_length() {
    let scalar = Kernels::available()[0];
    for kernels in Kernels::available() {
        for length in (0..70).chain([127, 300, 1023]) {
            let (a, b) = (numbers(length, 1), numbers(length, 2));
            close(&[kernels.dot(&a, &b)], &[scalar.dot(&a, &b)]);
            let (mut left, mut right) = (b.clone(), b.clone());
            kernels.add_scaled(0.3, &a, &mut left);
            scalar.add_scaled(0.3, &a, &mut right);
            close(&left, &right);
            kernels.scale(-1.7, &mut left);
            scalar.scale(-1.7, &mut right);
            close(&left, &right);
        }
    }
}

/// Gradients and the rows after a step, for one shape of tile.
fn run_tile(kernels: Kernels, inputs: usize, targets: usize, width: usize) -> [Vec<f32>; 4] {
    let (mut input, mut target) = (numbers(inputs * width, 3), numbers(targets * width, 4));
    let stride = Tile::stride_for(targets);
    let (input_rows, target_rows) = (rows(&mut input, width), rows(&mut target, width));
    let tile = Tile { inputs: &input_rows, targets: &target_rows, width, stride };
    let mut positives = vec![0.0; stride];
    positives[0] = 1.0;
    let mut draws = vec![1.0; stride];
    draws[targets..].fill(0.0);
    let weights = vec![2.0; inputs];
    let pattern =
        Pattern { input_weights: &weights, positives: &positives, draws: &draws, step: 0.1 };
    let (mut room, mut scratch) = (vec![0.0; inputs * stride], Vec::new());
    // SAFETY: the rows are disjoint parts of two vectors that live until the end of this function.
    let losses = unsafe { kernels.descend(tile, &pattern, &mut room, &mut scratch) };
    [room, vec![losses.total() as f32], input, target]
}

fn rows(matrix: &mut [f32], width: usize) -> Vec<*mut f32> {
    matrix.chunks_exact_mut(width).map(<[f32]>::as_mut_ptr).collect()
}

#[test]
fn rows_are_gathered_and_scattered_as_often_as_they_are_listed() {
    let width = 3 * BLOCK;
    for kernels in Kernels::available() {
        let mut matrix = numbers(3 * width, 5);
        let before = matrix.clone();
        let all = rows(&mut matrix, width);
        let listed = [all[0], all[2], all[0]];
        let mut sum = vec![0.0; width];
        // SAFETY: the rows are parts of a vector that lives until the end of this block.
        unsafe {
            kernels.gather(&listed, 0.5, width, sum.as_mut_ptr());
            kernels.scatter(sum.as_ptr(), width, &listed);
        }
        for at in 0..width {
            let expected = 0.5 * (2.0 * before[at] + before[2 * width + at]);
            close(&[sum[at]], &[expected]);
            close(&[matrix[at]], &[before[at] + 2.0 * expected]);
            close(&[matrix[width + at]], &[before[width + at]]);
            close(&[matrix[2 * width + at]], &[before[2 * width + at] + expected]);
        }
    }
}

#[test]
fn tiles_of_any_shape() {
    let scalar = Kernels::available()[0];
    for kernels in Kernels::available() {
        for inputs in 1..=11 {
            for targets in (1..=8).chain([13, 21]) {
                for width in [BLOCK, 3 * BLOCK, 7 * BLOCK] {
                    let found = run_tile(kernels, inputs, targets, width);
                    let expected = run_tile(scalar, inputs, targets, width);
                    for (found, expected) in found.iter().zip(&expected) {
                        close(found, expected);
                    }
                }
            }
        }
    }
}

/// Rows, targets and loss after a step on the mean of rows, one of which is listed twice.
fn run_mean(kernels: Kernels, targets: usize, width: usize) -> [Vec<f32>; 3] {
    let (mut input, mut target) = (numbers(3 * width, 6), numbers(targets * width, 7));
    let (mut mean, stride) = (vec![0.0; width], Tile::stride_for(targets));
    let (all, target_rows) = (rows(&mut input, width), rows(&mut target, width));
    let listed = [all[0], all[2], all[0], all[1]];
    let means = rows(&mut mean, width);
    let tile = Tile { inputs: &means, targets: &target_rows, width, stride };
    let (mut positives, mut draws) = (vec![0.0; stride], vec![1.0; stride]);
    positives[0] = 1.0;
    draws[targets..].fill(0.0);
    let pattern =
        Pattern { input_weights: &[1.0], positives: &positives, draws: &draws, step: 0.1 };
    let mut room = vec![0.0; stride];
    // SAFETY: the rows are disjoint parts of vectors that live until the end of this function.
    let losses = unsafe { kernels.descend_mean(&listed, tile, &pattern, &mut room) };
    [vec![losses.total() as f32], input, target]
}

#[test]
fn a_mean_learns_as_a_tile_and_its_rows_follow() {
    let scalar = Kernels::available()[0];
    for targets in (1..=8).chain([13, 21]) {
        for width in [BLOCK, 3 * BLOCK, 7 * BLOCK] {
            let expected = run_mean(scalar, targets, width);
            for kernels in Kernels::available() {
                let found = run_mean(kernels, targets, width);
                for (found, expected) in found.iter().zip(&expected) {
                    close(found, expected);
                }
            }
            // The row that is listed twice moves twice as far.
            let before = numbers(3 * width, 6);
            let moved = |row: usize| -> Vec<f32> {
                (row * width..(row + 1) * width).map(|at| expected[1][at] - before[at]).collect()
            };
            let twice: Vec<f32> = moved(1).iter().map(|change| 2.0 * change).collect();
            close(&moved(0), &twice);
            close(&moved(2), &moved(1));
        }
    }
}

#[test]
fn gradients_and_loss_are_those_of_the_formula() {
    let xs: Vec<f32> = (-400..400).map(|x| x as f32 * 0.05).chain([-200.0, 200.0]).collect();
    for kernels in Kernels::available() {
        for &x in &xs {
            for (positive, draws) in [(1.0, 1.0), (0.0, 1.0), (0.0, 3.0), (1.0, 2.0)] {
                let mut products = [x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                let mut positives = [0.0; 8];
                let mut counts = [0.0; 8];
                (positives[0], counts[0]) = (positive, draws);
                let pattern = Pattern {
                    input_weights: &[2.0],
                    positives: &positives,
                    draws: &counts,
                    step: 0.5,
                };
                let loss = kernels.gradients(&pattern, &mut products).total();
                let x = f64::from(x);
                let sigmoid = 1.0 / (1.0 + (-x).exp());
                let (positive, draws) = (f64::from(positive), f64::from(draws));
                let expected =
                    2.0 * (positive * (-x).exp().ln_1p() + (draws - positive) * x.exp().ln_1p());
                let slack = 1e-6 * (1.0 + x.abs());
                assert!((loss - expected).abs() <= 4.0 * slack * draws, "{loss} {expected} at {x}");
                let gradient = positive - draws * sigmoid;
                assert!((f64::from(products[0]) - gradient).abs() < 3e-6, "at {x}");
            }
        }
    }
}

#[test]
fn what_is_not_finite_shows_in_the_loss() {
    for kernels in Kernels::available() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut products = [bad; 8];
            let pattern = Pattern {
                input_weights: &[1.0],
                positives: &[1.0; 8],
                draws: &[2.0; 8],
                step: 0.5,
            };
            assert!(!kernels.gradients(&pattern, &mut products).total().is_finite(), "{bad}");
        }
    }
}

/// Rows and loss after a pass over some cells, a few of which share rows.
fn run_fit(kernels: Kernels, width: usize, adaptive: bool, swapped: bool) -> (Vec<f32>, f64) {
    let lines = if adaptive { 2 * width } else { width };
    let table = |rows: usize, seed| {
        let mut all = Vec::new();
        for (row, floats) in
            numbers(rows * width * BLOCK, seed).chunks_exact(width * BLOCK).enumerate()
        {
            all.extend(floats.as_chunks::<BLOCK>().0.iter().map(|&floats| Line(floats)));
            all.extend((width..lines).map(|_| Line([1.0 + row as f32; BLOCK])));
        }
        Rows { lines: all, biases: numbers(rows, seed + 1).into_iter().map(|b| [b, 1.5]).collect() }
    };
    let (mut focus, mut context) = (table(9, 5), table(9, 8));
    let values = numbers(60, 11);
    let cells: Vec<Cell> = (0..30_u16)
        .map(|at| Cell {
            low: at % 9,
            high: (at * 5 + 2) % 7,
            log: 3.0 * values[usize::from(at)],
            weight: values[usize::from(at) + 30].abs(),
        })
        .collect();
    let fit = Fit {
        cells: &cells,
        swapped,
        focus: &mut focus,
        context: &mut context,
        width,
        used: width * BLOCK,
        rate: 0.05,
        adaptive,
    };
    let loss = kernels.fit(fit);
    let floats = [&focus, &context].into_iter().flat_map(|table| {
        table.lines.iter().flat_map(|line| line.0).chain(table.biases.iter().flatten().copied())
    });
    (floats.collect(), loss)
}

#[test]
fn fits_of_any_width() {
    let scalar = Kernels::available()[0];
    for kernels in Kernels::available() {
        for width in [1, 2, 3, 4, 5, 7, 19] {
            for (adaptive, swapped) in [(false, false), (false, true), (true, false), (true, true)]
            {
                let (found, loss) = run_fit(kernels, width, adaptive, swapped);
                let (expected, expected_loss) = run_fit(scalar, width, adaptive, swapped);
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() <= 3e-4 * (1.0 + expected.abs()), "{width}");
                }
                assert!((loss - expected_loss).abs() <= 1e-4 * expected_loss, "{loss}");
            }
        }
    }
}

#[test]
fn what_is_behind_the_numbers_of_a_row_is_left_alone() {
    for kernels in Kernels::available() {
        assert_eq!(kernels.width_of(2 * BLOCK), 2 * BLOCK);
        let used = kernels.width_of(BLOCK + 4);
        let row = || Rows { lines: vec![Line([0.5; BLOCK]); 4], biases: vec![[0.0, 1.0]] };
        let (mut focus, mut context) = (row(), row());
        let cells = [Cell { low: 0, high: 0, log: 0.0, weight: 1.0 }];
        let fit = Fit {
            cells: &cells,
            swapped: false,
            focus: &mut focus,
            context: &mut context,
            width: 2,
            used,
            rate: 0.1,
            adaptive: true,
        };
        kernels.fit(fit);
        let floats: Vec<f32> = focus.lines.iter().flat_map(|line| line.0).collect();
        let changed = floats.iter().filter(|float| (**float - 0.5).abs() > 0.0).count();
        assert_eq!(changed, 2 * used, "numbers and sums of squares, {}", kernels.name());
    }
}

#[test]
fn a_fit_that_is_not_finite_shows_in_the_loss() {
    for kernels in Kernels::available() {
        let rows = || Rows { lines: vec![Line([1.0; BLOCK]); 2], biases: vec![[f32::NAN, 1.0]] };
        let (mut focus, mut context) = (rows(), rows());
        let cells = [Cell { low: 0, high: 0, log: 0.0, weight: 1.0 }];
        let loss = kernels.fit(Fit {
            cells: &cells,
            swapped: false,
            focus: &mut focus,
            context: &mut context,
            width: 1,
            used: BLOCK,
            rate: 0.1,
            adaptive: true,
        });
        assert!(!loss.is_finite());
    }
}
