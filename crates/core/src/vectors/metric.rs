//! What "near" means, and in which order neighbors come.

use std::cmp::Ordering;

use super::norms::norm_of;
use crate::error::{Error, Result};
use crate::simd::Kernels;

/// Squares of shorter vectors leave the range of normal numbers.
const SHORTEST: f32 = 1e-15;

/// How two vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The cosine of the angle, from -1 to 1; 0 if either vector is zero.
    Cosine,
    /// The length of the straight line between two points; the smallest is the nearest.
    Euclidean,
    /// The sum of the products of the numbers.
    Dot,
}

impl Metric {
    const ALL: [Self; 3] = [Self::Cosine, Self::Euclidean, Self::Dot];

    /// The metric of this name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(|metric| format!("{:?}", metric.name())).join(", ");
            Error::parameter("metric", format!("must be one of {names}"), format!("{name:?}"))
        })
    }

    /// A score as users read it: a distance is positive.
    pub fn shown(self, score: f32) -> f32 {
        if self == Self::Euclidean { -score } else { score }
    }

    /// The name as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Euclidean => "euclidean",
            Self::Dot => "dot",
        }
    }
}

/// A row and how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The row of the word.
    pub row: usize,
    /// What the metric says; a distance counts as negative here, so that more is always nearer.
    pub score: f32,
}

impl Neighbor {
    /// Best first; equal scores in row order.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// A vector that is compared with rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) vector: &'a [f32],
    pub(super) metric: Metric,
    norm: f32,
    kernels: Kernels,
}

impl<'a> Query<'a> {
    pub(super) fn new(kernels: Kernels, metric: Metric, vector: &'a [f32]) -> Self {
        Self { vector, metric, norm: norm_of(vector), kernels }
    }

    pub(super) fn norm(&self) -> f32 {
        self.norm
    }

    /// Whether no row is nearer than any other.
    pub(super) fn is_indifferent(&self) -> bool {
        self.norm == 0.0 && self.metric != Metric::Euclidean
    }

    /// The score of a row, the same on every way to it.
    pub(super) fn score(&self, row: &[f32], norm: f32) -> f32 {
        if self.metric == Metric::Euclidean {
            return -distance(self.vector, row);
        }
        self.score_of_product(self.kernels.dot(self.vector, row), norm).unwrap_or_default()
    }

    /// The same from the product of both vectors, where that is enough.
    pub(super) fn score_of_product(&self, product: f32, norm: f32) -> Option<f32> {
        match self.metric {
            Metric::Cosine => Some(cosine_of(product, self.norm, norm)),
            Metric::Dot => Some(finite(product)),
            Metric::Euclidean => None,
        }
    }

    /// A number that grows with the score: what the rough product of the query and a row of this length is
    /// compared by, see [`Query::key_of_score`].
    ///
    /// It is `factor * product + offset`, of which [`Query::terms`] gives the two.
    pub(super) fn terms(metric: Metric, row_norm: f32) -> (f32, f32) {
        match metric {
            Metric::Cosine if row_norm == 0.0 => (0.0, 0.0),
            // The length itself is rounded to few digits there: not a number, so never left out.
            Metric::Cosine if row_norm < SHORTEST => (f32::NAN, 0.0),
            Metric::Cosine => (1.0 / row_norm, 0.0),
            Metric::Dot => (1.0, 0.0),
            // The squared distance is the sum of both squared lengths less two products.
            Metric::Euclidean => (1.0, -0.5 * row_norm * row_norm),
        }
    }

    /// The key of a row with this score.
    pub(super) fn key_of_score(&self, score: f32) -> f32 {
        match self.metric {
            Metric::Cosine => score * self.norm,
            Metric::Dot => score,
            Metric::Euclidean => 0.5 * (self.norm * self.norm - score * score),
        }
    }

    /// How far a key from a product in single precision may be from the key of the row's score, where no
    /// row is longer than `longest`.
    ///
    /// Sums of so many products are off by at most their number times the unit roundoff (Higham 2002,
    /// section 3.1); both ways to the key round, and a few steps come after the sum.
    pub(super) fn margin(&self, longest: f32) -> f32 {
        let steps = 2.0 * self.vector.len() as f32 + 32.0;
        let relative = steps * f32::EPSILON / 2.0;
        let size = match self.metric {
            Metric::Cosine => self.norm,
            Metric::Dot => self.norm * longest,
            Metric::Euclidean => (self.norm + longest) * (self.norm + longest),
        };
        // Below the smallest normal number rounding is absolute.
        relative * size + steps * f32::MIN_POSITIVE
    }
}

/// The length of the straight line between two points, in double precision on the way.
fn distance(left: &[f32], right: &[f32]) -> f32 {
    let squares = left.iter().zip(right).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    squares.sum::<f64>().sqrt() as f32
}

pub(super) fn cosine_of(product: f32, left: f32, right: f32) -> f32 {
    if left == 0.0 || right == 0.0 {
        return 0.0;
    }
    // Each length is divided by in turn: their product may leave the range of floats.
    let cosine = product / left / right;
    if cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
}

/// A sum beyond the range of floats, or one of infinities that cancel, counts as none.
fn finite(number: f32) -> f32 {
    if number.is_nan() { 0.0 } else { number }
}
