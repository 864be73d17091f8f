//! A small, fast generator of random numbers; each thread owns one.

use serde::{Deserialize, Serialize};

/// Xorshift with a multiplied output (Vigna 2016, arXiv:1402.6246).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Random(u64);

impl Random {
    /// Generators of different streams of one seed are unrelated.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let state = mix(mix(seed) ^ mix(stream.wrapping_add(0x5851_F42D_4C95_7F2D)));
        Self(state.max(1))
    }

    #[inline]
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    #[inline]
    pub(crate) fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// From 0 to `bound - 1`.
    #[inline]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// From -0.5 to 0.5, without the upper end.
    #[inline]
    pub(crate) fn centered(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
    }
}

/// The finalizer of `SplitMix64`: neighboring inputs give unrelated outputs.
fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
