//! Which pairs of words are not learned from, so that their loss shows what was learned of the others.
//!
//! A pair is kept apart as a whole, in both orders and on both sides: one order would give away the other. Whether it
//! is follows from the pair and the seed alone, so it does not depend on threads, nor on where cells are kept.

use super::config::GloVeConfig;
use crate::embed::random::Random;

/// The random stream that starts those of all pairs, apart from those of the other parts of a run.
const PAIRS_STREAM: u64 = 3 << 40;

/// A share of all pairs of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldOut {
    share: f64,
    seed: u64,
}

impl HeldOut {
    pub(super) fn new(config: &GloVeConfig) -> Self {
        let seed = Random::new(config.seed as u64, PAIRS_STREAM).next_u64();
        Self { share: config.held_out, seed }
    }

    /// Whether the pair of two rows, the lower one first, is not learned from.
    pub(super) fn holds(self, low: u32, high: u32) -> bool {
        let pair = u64::from(low) << 32 | u64::from(high);
        self.share > 0.0 && Random::new(self.seed, pair).uniform() < self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glove::config::tests::usual;

    #[test]
    fn a_share_of_all_pairs_is_held_out() {
        for share in [0.0, 0.05, 0.5] {
            let mut config = usual();
            config.held_out = share;
            let held_out = HeldOut::new(&config);
            let all = || (0..400).flat_map(|low| (low..400).map(move |high| (low, high)));
            let held = all().filter(|&(low, high)| held_out.holds(low, high)).count();
            let found = held as f64 / all().count() as f64;
            assert!((found - share).abs() < 0.01, "{found} of {share}");
            config.seed += 1;
            let other = HeldOut::new(&config);
            let both =
                |&(low, high): &(u32, u32)| held_out.holds(low, high) && other.holds(low, high);
            let both = all().filter(both).count() as f64 / all().count() as f64;
            assert!((both - share * share).abs() < 0.01, "{both}");
        }
    }
}
