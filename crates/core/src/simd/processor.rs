//! What the processor can do, and how much of it is used: the one place that asks it.
//!
//! Processors are told apart by [`ProcessorLevel`]; what some of a level have and others lack is a [`Feature`],
//! of which none above the limit is used. Both are found out when the first loop runs and stay as they are, so
//! that one process never computes with two levels. This is the only state of the crate that all callers share.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, Result};

/// A class of processors with wide registers of one kind, from the narrowest to the widest.
///
/// Ids, pieces, merges and counts are the same on every level. Sums of floats are taken in an order that
/// depends on it, so vectors agree within rounding, and to the bit only on one level.
///
/// ```
/// use textgrain_core::simd::ProcessorLevel;
///
/// assert!(ProcessorLevel::available().contains(&ProcessorLevel::current()));
/// assert_eq!(ProcessorLevel::available()[0].name(), "portable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessorLevel {
    /// What every processor can do: one float at a time.
    Portable,
    /// 64-bit ARM: registers of four floats.
    Neon,
    /// x86-64 with AVX2 and FMA: registers of eight floats.
    Avx2,
    /// x86-64 with AVX-512: registers of sixteen floats.
    Avx512,
}

/// What a loop needs. Each is a bit of [`USABLE`].
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "of another processor"))]
pub(super) enum Feature {
    /// 64-bit ARM with registers of four floats.
    Neon = 1 << 1,
    /// AVX2 and FMA.
    Avx2 = 1 << 2,
    /// The same with instructions that count and scatter bits.
    Avx2Bits = 1 << 3,
    /// The same with sums of four products of bytes.
    AvxVnni = 1 << 4,
    /// AVX-512 on floats.
    Avx512 = 1 << 5,
    /// AVX-512 on bytes.
    Avx512Bytes = 1 << 6,
    /// The same with byte compression, in processors since Ice Lake and Zen 4.
    Avx512Compress = 1 << 7,
    /// AVX-512 on bytes, with sums of four products.
    Avx512Vnni = 1 << 8,
}

/// The features that are used, and [`KNOWN`]; zero before that is found out.
static USABLE: AtomicU32 = AtomicU32::new(0);

/// A bit of [`USABLE`] that stands for no feature.
const KNOWN: u32 = 1;

/// No limit.
const HIGHEST: ProcessorLevel = ProcessorLevel::Avx512;

/// Whether the processor has a feature and may use it: one load, after the first call.
#[inline(always)]
#[allow(clippy::inline_always, reason = "asked for each short text, where a call would be felt")]
pub(super) fn has(feature: Feature) -> bool {
    // Nothing else is ordered by this value, so the order of its loads is of no matter.
    let usable = USABLE.load(Ordering::Relaxed);
    usable & feature as u32 != 0 || usable == 0 && settle(HIGHEST) & feature as u32 != 0
}

/// Decides what is used, unless that was decided before; what counts in the end.
#[cold]
#[inline(never)]
fn settle(limit: ProcessorLevel) -> u32 {
    let usable = features_up_to(limit);
    match USABLE.compare_exchange(0, usable, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => usable,
        Err(earlier) => earlier,
    }
}

fn features_up_to(limit: ProcessorLevel) -> u32 {
    let used = found().into_iter().filter(|&(level, _, is_there)| is_there && level <= limit);
    used.fold(KNOWN, |all, (_, feature, _)| all | feature as u32)
}

/// Each feature with the level that it belongs to, and whether this processor has it. The first feature of a level
/// is what makes it one.
#[cfg(target_arch = "x86_64")]
fn found() -> [(ProcessorLevel, Feature, bool); 7] {
    use std::arch::is_x86_feature_detected as is_there;

    let avx2 = is_there!("avx2") && is_there!("fma");
    let bits = is_there!("bmi1")
        && is_there!("bmi2")
        && is_there!("lzcnt")
        && is_there!("popcnt")
        && is_there!("sse4.2");
    let avx512 = avx2 && is_there!("avx512f");
    let bytes = avx512 && is_there!("avx512bw");
    let compress = bytes && bits && is_there!("avx512vl") && is_there!("avx512vbmi2");
    [
        (ProcessorLevel::Avx2, Feature::Avx2, avx2),
        (ProcessorLevel::Avx2, Feature::Avx2Bits, avx2 && bits),
        (ProcessorLevel::Avx2, Feature::AvxVnni, avx2 && is_there!("avxvnni")),
        (ProcessorLevel::Avx512, Feature::Avx512, avx512),
        (ProcessorLevel::Avx512, Feature::Avx512Bytes, bytes),
        (ProcessorLevel::Avx512, Feature::Avx512Compress, compress),
        (ProcessorLevel::Avx512, Feature::Avx512Vnni, bytes && is_there!("avx512vnni")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn found() -> [(ProcessorLevel, Feature, bool); 1] {
    let neon = std::arch::is_aarch64_feature_detected!("neon");
    [(ProcessorLevel::Neon, Feature::Neon, neon)]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn found() -> [(ProcessorLevel, Feature, bool); 0] {
    []
}

impl ProcessorLevel {
    /// The name that users write: `portable`, `neon`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// All levels that this processor can run, lowest first, whatever the limit is.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        all.extend(found().into_iter().filter(|found| found.2).map(|(level, ..)| level));
        all.dedup();
        all
    }

    /// The level in use: the highest that the processor has, or the limit.
    pub fn current() -> Self {
        Self::of(settle(HIGHEST))
    }

    fn of(usable: u32) -> Self {
        let is_used = |feature: Feature| usable & feature as u32 != 0;
        match () {
            () if is_used(Feature::Avx512) => Self::Avx512,
            () if is_used(Feature::Avx2) => Self::Avx2,
            () if is_used(Feature::Neon) => Self::Neon,
            () => Self::Portable,
        }
    }

    /// Uses nothing beyond this level from now on, in the whole process.
    ///
    /// # Errors
    ///
    /// The processor lacks the level, or work has begun on another one.
    pub fn use_at_most(self) -> Result<()> {
        if !Self::available().contains(&self) {
            let rule = "must be a level that this processor has";
            return Err(Error::parameter("level", rule, self.name()));
        }
        let found = Self::of(settle(self));
        if found == self {
            return Ok(());
        }
        let rule = format!("must be chosen before anything runs, here on {}", found.name());
        Err(Error::parameter("level", rule, self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_leaves_out_what_is_above_it() {
        let available = ProcessorLevel::available();
        assert!(available.is_sorted());
        let mut before = 0;
        for &level in &available {
            let features = features_up_to(level);
            assert_eq!(ProcessorLevel::of(features), level);
            assert_eq!(features & before, before, "a higher level has all of the lower ones");
            assert_ne!(features, before);
            before = features;
        }
        assert_eq!(features_up_to(ProcessorLevel::Portable), KNOWN);
    }

    #[test]
    fn the_level_in_use_can_be_asked_for_but_no_other() {
        let current = ProcessorLevel::current();
        current.use_at_most().unwrap();
        for level in ProcessorLevel::available() {
            if level != current {
                let message = level.use_at_most().unwrap_err().to_string();
                assert!(message.contains(current.name()), "{message}");
            }
        }
        let foreign =
            if cfg!(target_arch = "aarch64") { ProcessorLevel::Avx2 } else { ProcessorLevel::Neon };
        assert!(foreign.use_at_most().unwrap_err().to_string().contains(foreign.name()));
    }
}
