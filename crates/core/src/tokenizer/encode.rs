//! Text to ids.

use super::Tokenizer;
use super::engine::{Count, Look, Nobody};
use super::special::SpecialPolicy;
use crate::error::Result;
use crate::memory::prefer_large_pages;
use crate::simd::prefetch_start;

/// A guess for how much room the ids of a text take; English has more bytes a token than most.
const BYTES_PER_TOKEN: usize = 4;

impl Tokenizer {
    /// The ids of a text.
    pub fn encode(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(text.len() / BYTES_PER_TOKEN + 16);
        prefer_large_pages(&mut ids);
        self.with_worker(|worker| {
            self.append_ids(text, policy, worker, &mut ids, look, &mut Nobody)
        })?;
        Ok(ids)
    }

    /// Calls a function with the ids of a text, in memory that is kept for the next call; for short texts.
    pub fn encode_with<T>(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
        call: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        prefetch_start(text.as_bytes());
        self.with_worker(|worker| {
            let mut ids = std::mem::take(&mut worker.ids);
            ids.clear();
            let encoded = self.append_ids(text, policy, worker, &mut ids, look, &mut Nobody);
            let result = encoded.map(|()| call(&ids));
            worker.ids = ids;
            result
        })
    }

    /// The number of tokens of a text.
    pub fn count(&self, text: &str, policy: SpecialPolicy, look: &mut Look<'_>) -> Result<usize> {
        prefetch_start(text.as_bytes());
        self.with_worker(|worker| {
            let mut count = Count::default();
            self.append_ids(text, policy, worker, &mut Vec::new(), look, &mut count)?;
            Ok(count.0)
        })
    }
}
