//! What the trainer of unigram models is told.

use crate::bpe::settings::validate_names;
use crate::error::{Error, Result};
use crate::split::Splitter;

/// The settings; the Python class documents them.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct UnigramSettings {
    pub vocab_size: u64,
    pub splitter: Splitter,
    pub byte_fallback: bool,
    pub character_coverage: f64,
    pub max_token_length: u64,
    pub seed_size: u64,
    pub shrink_factor: f64,
    pub iterations: u64,
    pub special_tokens: Vec<String>,
    pub unknown_token: Option<String>,
}

/// Longer tokens than this are of no use, and finding them takes time.
const LONGEST_TOKEN: u64 = 256;

impl UnigramSettings {
    /// Fails if a setting is out of range or contradicts another.
    pub fn validate(&self) -> Result<()> {
        if !(self.character_coverage > 0.0 && self.character_coverage <= 1.0) {
            let rule = "must be above 0 and at most 1";
            return Err(Error::parameter("character_coverage", rule, self.character_coverage));
        }
        if !(self.shrink_factor > 0.0 && self.shrink_factor < 1.0) {
            let rule = "must be above 0 and below 1";
            return Err(Error::parameter("shrink_factor", rule, self.shrink_factor));
        }
        if !(1..=LONGEST_TOKEN).contains(&self.max_token_length) {
            let rule = format!("must be from 1 to {LONGEST_TOKEN}");
            return Err(Error::parameter("max_token_length", rule, self.max_token_length));
        }
        if self.iterations == 0 {
            return Err(Error::parameter("iterations", "must be at least 1", 0));
        }
        if self.seed_size < self.vocab_size {
            let rule = format!("must be at least `vocab_size`, {}", self.vocab_size);
            return Err(Error::parameter("seed_size", rule, self.seed_size)
                .with_hint("Tokens are chosen among the seeds"));
        }
        if !self.byte_fallback && self.unknown_token.is_none() {
            return Err(Error::parameter(
                "unknown_token",
                "must be set without `byte_fallback`",
                "None",
            )
            .with_hint("Characters that are not in the alphabet must become something"));
        }
        if self.byte_fallback {
            // This much is known before anything is read.
            self.tokens_to_learn(std::iter::empty())?;
        }
        validate_names(&self.special_tokens, self.unknown_token.as_deref())
    }

    /// Tokens that there is room for beside the alphabet of a corpus, bytes, unknown and special tokens.
    pub(super) fn tokens_to_learn(&self, alphabet: impl Iterator<Item = char>) -> Result<usize> {
        let bytes = if self.byte_fallback { 256 } else { 0 };
        // With a fallback to bytes, a character of one byte is that byte.
        let characters = alphabet.filter(|character| bytes == 0 || !character.is_ascii()).count();
        let names = self.special_tokens.len() + usize::from(self.unknown_token.is_some());
        let needed = (bytes + characters + names) as u64;
        let room = self.vocab_size.checked_sub(needed).ok_or_else(|| {
            let mut parts = Vec::new();
            for (count, what) in [
                (bytes, "bytes"),
                (characters, "characters"),
                (names, "special and unknown tokens"),
            ] {
                if count > 0 {
                    parts.push(format!("{count} {what}"));
                }
            }
            let rule = format!("must be at least {needed} to hold {}", parts.join(", "));
            let hint = if characters > 0 {
                "A lower `character_coverage` leaves rare characters out"
            } else {
                "Set byte_fallback=False to do without tokens for bytes"
            };
            Error::parameter("vocab_size", rule, self.vocab_size).with_hint(hint)
        })?;
        Ok(room as usize)
    }
}
