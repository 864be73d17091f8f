//! From scalar products to gradients and loss, in plain arithmetic that the compiler vectorizes.
//!
//! The same source is compiled once per instruction set, and uses no fused operations, so that all sets
//! give the same bits here.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::PRODUCT_BLOCK;

/// Blocks after which the logarithm is taken: each may double a float.
const BLOCKS_PER_LOGARITHM: usize = 64;

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
///
/// -ln s(-x) is max(x, 0) + ln(1 + exp(-|x|)), and -ln s(x) the same less x. One logarithm of the product of
/// the parts in brackets replaces the sum of their logarithms.
#[inline(always)]
pub(super) fn gradients(pattern: &Pattern<'_>, products: &mut [f32]) -> f64 {
    let stride = pattern.positives.len();
    let positives = pattern.positives.as_chunks::<PRODUCT_BLOCK>().0;
    let draws = pattern.draws.as_chunks::<PRODUCT_BLOCK>().0;
    let once = pattern.draws.iter().chain(pattern.input_weights).all(|&times| times <= 1.0);
    let mut total = 0.0;
    let mut linear = [0.0; PRODUCT_BLOCK];
    let mut brackets = [1.0; PRODUCT_BLOCK];
    let mut blocks = 0;
    for (&weight, row) in pattern.input_weights.iter().zip(products.chunks_exact_mut(stride)) {
        let row = row.as_chunks_mut::<PRODUCT_BLOCK>().0.iter_mut();
        for ((block, positives), draws) in row.zip(positives).zip(draws) {
            let mut smalls = [0.0; PRODUCT_BLOCK];
            for lane in 0..PRODUCT_BLOCK {
                let product = block[lane];
                let small = exp_of_negative(product.abs());
                let upper = 1.0 / (1.0 + small);
                let sigmoid = if product >= 0.0 { upper } else { small * upper };
                block[lane] = pattern.step * weight * (positives[lane] - draws[lane] * sigmoid);
                let above = 0.5 * (product + product.abs());
                linear[lane] += weight * (draws[lane] * above - positives[lane] * product);
                smalls[lane] = small;
            }
            if once {
                for lane in 0..PRODUCT_BLOCK {
                    brackets[lane] *= 1.0 + draws[lane] * smalls[lane];
                }
                blocks += 1;
                if blocks % BLOCKS_PER_LOGARITHM == 0 {
                    total += logarithm_of_product(&brackets);
                    brackets = [1.0; PRODUCT_BLOCK];
                }
            } else {
                for lane in 0..PRODUCT_BLOCK {
                    let times = f64::from(weight * draws[lane]);
                    total += times * logarithm(1.0 + f64::from(smalls[lane]));
                }
            }
        }
    }
    total + logarithm_of_product(&brackets) + f64::from(linear.iter().sum::<f32>())
}

/// Eight floats below 2^64 have a product below 2^512.
#[inline(always)]
fn logarithm_of_product(brackets: &[f32; PRODUCT_BLOCK]) -> f64 {
    logarithm(brackets.iter().map(|&bracket| f64::from(bracket)).product())
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

/// The natural logarithm of a number of at least 1, within 1e-8 of its value; the same bits everywhere.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let fraction = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | (1023 << 52));
    // ln f = 2 artanh((f - 1) / (f + 1)), for f from 1 to 2.
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let square = ratio * ratio;
    let mut series = 0.0;
    for odd in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square + 1.0 / odd;
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * ratio * series
}
