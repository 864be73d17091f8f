//! From scalar products to gradients and loss, in plain arithmetic that the compiler vectorizes.
//!
//! The same source is compiled once per instruction set, and uses no fused operations, so that all sets
//! give the same bits here.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::PRODUCT_BLOCK;

/// What the products of a tile stand for.
///
/// Input row i stands for `input_weights[i]` equal inputs, target row j for `positives[j]` true targets
/// and `draws[j]` targets in all, noise included. With s the logistic function, the gradient of a
/// product x is `step * input_weight * (positives - draws * s(x))` and its loss
/// `input_weight * (positives * -ln s(x) + (draws - positives) * -ln s(-x))`.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// How many equal inputs each row stands for.
    pub input_weights: &'a [f32],
    /// How often each target is the true one; padded with zeros to the stride.
    pub positives: &'a [f32],
    /// How often each target appears, true or drawn; padded with zeros to the stride.
    pub draws: &'a [f32],
    /// The learning rate.
    pub step: f32,
}

impl Pattern<'_> {
    pub(super) fn check(&self, products: usize) {
        assert_eq!(self.positives.len(), self.draws.len(), "one pair of weights a target");
        assert!(self.positives.len().is_multiple_of(PRODUCT_BLOCK), "rows of products are padded");
        assert!(products >= self.input_weights.len() * self.positives.len(), "all products");
    }
}

/// Replaces each product by its gradient and returns the sum of the losses.
#[inline(always)]
pub(super) fn gradients(pattern: &Pattern<'_>, products: &mut [f32]) -> f64 {
    let stride = pattern.positives.len();
    let mut total = 0.0;
    for (&weight, row) in pattern.input_weights.iter().zip(products.chunks_exact_mut(stride)) {
        let mut losses = [0.0_f32; PRODUCT_BLOCK];
        let blocks = row.as_chunks_mut::<PRODUCT_BLOCK>().0.iter_mut();
        let positives = pattern.positives.as_chunks::<PRODUCT_BLOCK>().0.iter();
        let draws = pattern.draws.as_chunks::<PRODUCT_BLOCK>().0.iter();
        for ((block, positives), draws) in blocks.zip(positives).zip(draws) {
            for lane in 0..PRODUCT_BLOCK {
                let product = block[lane];
                let (sigmoid, softplus) = logistic(product);
                block[lane] = pattern.step * weight * (positives[lane] - draws[lane] * sigmoid);
                // -ln s(-x) is softplus(x), and -ln s(x) is softplus(x) - x.
                losses[lane] += draws[lane] * softplus - positives[lane] * product;
            }
        }
        total += f64::from(weight * losses.iter().sum::<f32>());
    }
    total
}

/// `1 / (1 + exp(-x))` and `ln(1 + exp(x))`; neither hides a value that is not finite.
#[inline(always)]
fn logistic(x: f32) -> (f32, f32) {
    let small = exp_of_negative(x.abs());
    let upper = 1.0 / (1.0 + small);
    let sigmoid = if x >= 0.0 { upper } else { small * upper };
    (sigmoid, 0.5 * (x + x.abs()) + ln_one_plus(small))
}

/// `exp(-x)` for x of at least 0, within 3e-7 of its value; 0 from x = 87 on.
#[inline(always)]
fn exp_of_negative(x: f32) -> f32 {
    // Adding this number rounds to a whole one, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let exponent = x.min(87.0) * -std::f32::consts::LOG2_E;
    let rounded = exponent + ROUND;
    let fraction = exponent - (rounded - ROUND);
    // 2^fraction for a fraction of at most a half: the Taylor series of exp(fraction ln 2).
    let power = 1.0
        + fraction
            * (std::f32::consts::LN_2
                + fraction
                    * (0.240_226_5
                        + fraction
                            * (0.055_504_11
                                + fraction
                                    * (0.009_618_129
                                        + fraction
                                            * (0.001_333_355_8 + fraction * 0.000_154_035_3)))));
    let scale = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    power * scale
}

/// `ln(1 + x)` for x from 0 to 1, by `2 artanh(x / (2 + x))`; within 2e-7.
#[inline(always)]
fn ln_one_plus(x: f32) -> f32 {
    let ratio = x / (2.0 + x);
    let square = ratio * ratio;
    let series = 1.0
        + square
            * (1.0 / 3.0
                + square
                    * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0 + square / 11.0))));
    2.0 * ratio * series
}
