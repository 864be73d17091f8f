//! From scalar products to gradients and loss.
//!
//! Written once for registers of any width, without fused operations, so that all instruction sets give the
//! same gradients to the bit.
#![allow(clippy::inline_always, reason = "a kernel must be compiled inside its wrapper")]

use super::generic::Register;
use super::{PRODUCT_BLOCK, Tile};

/// Registers after which the logarithm of their product is taken: each may double eight floats, whose product
/// must stay below 2^127.
const REGISTERS_PER_LOGARITHM: usize = 15;

/// A register of at most [`PRODUCT_BLOCK`] floats that can do all that the logistic function needs.
pub(super) trait Logistic: Register {
    /// # Safety
    /// As for all functions of [`Register`]. The same holds for all functions of this trait.
    unsafe fn subtract(self, other: Self) -> Self;
    unsafe fn divide(self, other: Self) -> Self;
    unsafe fn absolute(self) -> Self;
    unsafe fn minimum(self, other: Self) -> Self;
    /// Not negative itself, it gets the sign of `other`.
    unsafe fn with_sign_of(self, other: Self) -> Self;
    /// 2 to the power of the whole number in the lowest bits of each float.
    unsafe fn power_of_two(self) -> Self;
}

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

/// The sum of some losses, of which the logarithms are not taken yet.
///
/// A loss is a line and the logarithm of a number between one and two; one logarithm of the product of such
/// numbers stands for the sum of their logarithms.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    lines: f64,
    brackets: f64,
}

impl Default for Losses {
    fn default() -> Self {
        Self { lines: 0.0, brackets: 1.0 }
    }
}

impl Losses {
    /// The sum.
    pub fn total(self) -> f64 {
        self.lines + logarithm(self.brackets)
    }
}

impl std::ops::AddAssign for Losses {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        // A call multiplies by less than 2^128.
        const FULL: f64 = (1_u128 << 127) as f64 * (1_u128 << 127) as f64;
        self.lines += other.lines;
        self.brackets *= other.brackets;
        if self.brackets > FULL {
            self.lines += logarithm(self.brackets);
            self.brackets = 1.0;
        }
    }
}

impl Pattern<'_> {
    pub(super) fn check(&self, products: usize) {
        assert_eq!(self.positives.len(), self.draws.len(), "one pair of weights a target");
        assert!(self.positives.len().is_multiple_of(PRODUCT_BLOCK), "rows of products are padded");
        assert!(products >= self.input_weights.len() * self.positives.len(), "all products");
    }
}

impl Pattern<'_> {
    pub(super) fn check_fits(&self, tile: &Tile<'_>) {
        assert_eq!(self.positives.len(), tile.stride, "a weight for each target");
        assert_eq!(self.input_weights.len(), tile.inputs.len(), "a weight for each input");
    }
}

/// Replaces each product by its gradient and returns the sum of the losses.
///
/// -ln s(-x) is max(x, 0) + ln(1 + exp(-|x|)), and -ln s(x) the same less x. The parts in brackets are
/// multiplied; see [`Losses`].
#[inline(always)]
pub(super) unsafe fn gradients<L: Logistic>(pattern: &Pattern<'_>, products: &mut [f32]) -> Losses {
    let once = pattern.draws.iter().chain(pattern.input_weights).all(|&times| times <= 1.0);
    // SAFETY: by the caller's promise. Two loops, so that what few steps need takes no registers from the others.
    unsafe {
        if once {
            gradients_of::<L, true>(pattern, products)
        } else {
            gradients_of::<L, false>(pattern, products)
        }
    }
}

/// The same, where each product may stand for one at most or for several.
#[inline(always)]
unsafe fn gradients_of<L: Logistic, const ONCE: bool>(
    pattern: &Pattern<'_>,
    products: &mut [f32],
) -> Losses {
    let stride = pattern.positives.len();
    let mut total = 0.0;
    // SAFETY: the instruction set by the caller's promise; `Pattern::check` made sure that there are a stride
    // of products for each input and a stride of weights, which is a multiple of the register width.
    unsafe {
        let (one, half) = (L::splat(1.0), L::splat(0.5));
        let (mut linear, mut brackets, mut registers) = (L::zero(), one, 0);
        for (input, &weight) in pattern.input_weights.iter().enumerate() {
            let row = products.as_mut_ptr().add(input * stride);
            let (weights, steps) = (L::splat(weight), L::splat(pattern.step * weight));
            let mut at = 0;
            while at < stride {
                let positives = L::load(pattern.positives.as_ptr().add(at));
                let draws = L::load(pattern.draws.as_ptr().add(at));
                let product = L::load(row.add(at));
                let size = product.absolute();
                let small = exp_of_negative(size);
                // From a half to one; less a half, with the sign of the product, plus a half.
                let upper = one.divide(one.add(small));
                let sigmoid = upper.subtract(half).with_sign_of(product).add(half);
                let error = positives.subtract(draws.multiply(sigmoid));
                steps.multiply(error).store(row.add(at));
                let above = half.multiply(product.add(size));
                let line = draws.multiply(above).subtract(positives.multiply(product));
                linear = linear.add(weights.multiply(line));
                if ONCE {
                    brackets = brackets.multiply(one.add(draws.multiply(small)));
                    registers += 1;
                    if registers % REGISTERS_PER_LOGARITHM == 0 {
                        total += logarithm(product_of(brackets));
                        brackets = one;
                    }
                } else {
                    total += repeated(small, draws, weight);
                }
                at += L::LANES;
            }
        }
        let lines = total + f64::from(L::sums([linear])[0]);
        Losses { lines, brackets: product_of(brackets) }
    }
}

/// The losses of some products that stand for several each.
#[inline(always)]
unsafe fn repeated<L: Logistic>(small: L, draws: L, weight: f32) -> f64 {
    let (mut smalls, mut times) = ([0.0; PRODUCT_BLOCK], [0.0; PRODUCT_BLOCK]);
    // SAFETY: the instruction set by the caller's promise; an array holds a register.
    unsafe {
        small.store(smalls.as_mut_ptr());
        draws.store(times.as_mut_ptr());
    }
    // A number of loops in a row, so that compilers work on whole registers.
    let logarithms = smalls.map(|small| logarithm(1.0 + f64::from(small)));
    let pairs = logarithms.iter().zip(times);
    pairs.map(|(logarithm, times)| f64::from(weight * times) * logarithm).sum()
}

/// The product of the floats of a register.
#[inline(always)]
unsafe fn product_of<L: Logistic>(brackets: L) -> f64 {
    let mut floats = [1.0; PRODUCT_BLOCK];
    // SAFETY: the instruction set by the caller's promise; the array holds a register.
    unsafe { brackets.store(floats.as_mut_ptr()) };
    let (left, right) = floats.split_at(PRODUCT_BLOCK / 2);
    let pairs = left.iter().zip(right).map(|(a, b)| a * b);
    f64::from(pairs.product::<f32>())
}

/// `exp(-x)` for x of at least 0, within 3e-7 of its value; next to nothing from x = 87 on.
#[inline(always)]
unsafe fn exp_of_negative<L: Logistic>(x: L) -> L {
    // Adding this number rounds to a whole one, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // The Taylor series of 2^f = exp(f ln 2) for f of at most a half, highest power first.
    const SERIES: [f32; 7] = [
        0.000_154_035_3,
        0.001_333_355_8,
        0.009_618_129,
        0.055_504_11,
        0.240_226_5,
        std::f32::consts::LN_2,
        1.0,
    ];
    // SAFETY: the instruction set by the caller's promise.
    unsafe {
        let round = L::splat(ROUND);
        let exponent = x.minimum(L::splat(87.0)).multiply(L::splat(-std::f32::consts::LOG2_E));
        let rounded = exponent.add(round);
        let fraction = exponent.subtract(rounded.subtract(round));
        let mut power = L::splat(SERIES[0]);
        for coefficient in &SERIES[1..] {
            power = L::splat(*coefficient).add(fraction.multiply(power));
        }
        power.multiply(rounded.power_of_two())
    }
}

/// The natural logarithm of a number of at least 1, within 1e-8 of its value; the same bits everywhere.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
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
    let logarithm = f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * ratio * series;
    // Last, so that several logarithms may be taken side by side.
    if x.is_finite() { logarithm } else { x }
}
