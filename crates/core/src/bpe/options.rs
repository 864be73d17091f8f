//! What a BPE trainer may be told beyond its main settings.

use rustc_hash::FxHashSet;

use super::Symbols;
use crate::error::{Error, Result};

/// Choices that most users leave alone; the Python class documents them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct BpeOptions {
    pub limit_alphabet: Option<u64>,
    pub initial_alphabet: Vec<String>,
    pub max_token_length: Option<u64>,
    /// Both tokens of each pair, as text.
    pub seed_merges: Vec<(String, String)>,
    /// The same.
    pub forbidden_merges: Vec<(String, String)>,
}

impl BpeOptions {
    /// Fails if an option is out of range or contradicts another.
    pub(super) fn validate(&self, symbols: Symbols) -> Result<()> {
        self.validate_alphabet(symbols)?;
        if self.max_token_length == Some(0) {
            return Err(Error::parameter("max_token_length", "must be at least 1", 0)
                .with_hint("Use None for no limit"));
        }
        let forbidden: FxHashSet<_> = self.forbidden_merges.iter().collect();
        let mut seeds = FxHashSet::default();
        for pair in &self.seed_merges {
            if !seeds.insert(pair) {
                return Err(Error::parameter(
                    "seed_merges",
                    "must hold each pair only once",
                    format!("{pair:?} twice"),
                ));
            }
            if forbidden.contains(pair) {
                return Err(Error::parameter(
                    "forbidden_merges",
                    "must not hold a pair of `seed_merges`",
                    format!("{pair:?}"),
                ));
            }
        }
        Ok(())
    }

    fn validate_alphabet(&self, symbols: Symbols) -> Result<()> {
        let is_set = self.limit_alphabet.is_some() || !self.initial_alphabet.is_empty();
        if symbols == Symbols::Bytes && is_set {
            let name =
                if self.limit_alphabet.is_some() { "limit_alphabet" } else { "initial_alphabet" };
            return Err(Error::parameter(
                name,
                "can only be used with symbols=\"characters\"",
                "symbols=\"bytes\", whose alphabet is all 256 bytes",
            )
            .with_hint(
                "Set symbols=\"characters\", whose alphabet holds nothing that you do not want",
            ));
        }
        let mut seen = FxHashSet::default();
        for entry in &self.initial_alphabet {
            if entry.chars().count() != 1 {
                return Err(Error::parameter(
                    "initial_alphabet",
                    "must hold single characters",
                    format!("{entry:?}"),
                ));
            }
            seen.insert(entry);
        }
        match self.limit_alphabet {
            Some(limit) if limit < (seen.len() as u64).max(1) => {
                let rule = match seen.len() {
                    0 => "must be at least 1".to_owned(),
                    length => {
                        format!("must be at least {length}, the length of `initial_alphabet`")
                    }
                };
                Err(Error::parameter("limit_alphabet", rule, limit))
            }
            _ => Ok(()),
        }
    }
}
