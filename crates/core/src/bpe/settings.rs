//! What a BPE trainer is told.

use rustc_hash::FxHashSet;

use super::BpeOptions;
use crate::error::{Error, Result};
use crate::split::Splitter;

/// What a piece starts as, before any merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// Its UTF-8 bytes; every text can be encoded.
    Bytes,
    /// Its characters.
    Characters,
}

impl Symbols {
    /// The choice of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "bytes" => Ok(Self::Bytes),
            "characters" => Ok(Self::Characters),
            _ => Err(Error::parameter(
                "symbols",
                "must be \"bytes\" or \"characters\"",
                format!("{name:?}"),
            )),
        }
    }

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Characters => "characters",
        }
    }
}

/// Which of several pairs with the same total is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The pair that occurs first in the current segmentation of the corpus.
    First,
    /// The pair with the smallest ids, with all corner cases as Hugging Face tokenizers has them.
    LowestIds,
    /// The pair of which the texts are the largest, first the left one, as subword-nmt has it.
    LargestText,
}

impl TieBreak {
    /// The choice of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "first" => Ok(Self::First),
            "lowest-ids" => Ok(Self::LowestIds),
            "largest-text" => Ok(Self::LargestText),
            _ => Err(Error::parameter(
                "tie_break",
                "must be \"first\", \"lowest-ids\" or \"largest-text\"",
                format!("{name:?}"),
            )),
        }
    }

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::LowestIds => "lowest-ids",
            Self::LargestText => "largest-text",
        }
    }
}

/// The settings of the BPE trainer; the Python class documents them.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each field is documented where its default lives, in Python")]
pub struct BpeSettings {
    pub vocab_size: Option<u64>,
    pub merges: Option<u64>,
    pub splitter: Splitter,
    pub symbols: Symbols,
    pub end_of_word: Option<String>,
    pub tie_break: TieBreak,
    pub min_frequency: u64,
    pub special_tokens: Vec<String>,
    pub unknown_token: Option<String>,
    pub options: BpeOptions,
}

impl BpeSettings {
    /// Fails if a setting is out of range or contradicts another.
    pub fn validate(&self) -> Result<()> {
        match (self.vocab_size, self.merges) {
            (Some(size), Some(merges)) => {
                return Err(Error::parameter(
                    "merges",
                    "cannot be set together with `vocab_size`",
                    format!("merges={merges} and vocab_size={size}"),
                )
                .with_hint("Leave one of them out"));
            }
            (None, None) => {
                return Err(Error::parameter("vocab_size", "or `merges` must be set", "neither")
                    .with_hint("For example vocab_size=8000"));
            }
            _ => {}
        }
        if self.end_of_word.as_deref() == Some("") {
            return Err(Error::parameter("end_of_word", "must not be empty", "''")
                .with_hint("Use None for no marker"));
        }
        if self.end_of_word.is_some() && self.splitter.space_prefix() {
            return Err(Error::parameter(
                "end_of_word",
                "cannot be set together with `space_prefix`",
                "both",
            )
            .with_hint("Both mark where words meet; leave one of them out"));
        }
        if self.symbols == Symbols::Bytes {
            // The alphabet is known before anything is read.
            self.tokens_to_learn(256 + usize::from(self.end_of_word.is_some()), None)?;
        }
        let seeds = self.options.seed_merges.len() as u64;
        if let Some(merges) = self.merges.filter(|&merges| merges < seeds) {
            let rule = format!("must be at least {seeds}, the number of `seed_merges`");
            return Err(Error::parameter("merges", rule, merges));
        }
        self.options.validate(self.symbols)?;
        validate_names(&self.special_tokens, self.unknown_token.as_deref())
    }

    /// Entries of the vocabulary that come after the merges.
    pub(super) fn appended(&self) -> u64 {
        self.special_tokens.len() as u64 + u64::from(self.unknown_token.is_some())
    }

    /// Tokens that may be learned beyond an alphabet of this size; `None` for no limit.
    ///
    /// `most` is the number of tokens that the corpus has merges for at most, if that is known.
    pub(super) fn tokens_to_learn(
        &self,
        alphabet: usize,
        most: Option<u64>,
    ) -> Result<Option<u64>> {
        let Some(size) = self.vocab_size else { return Ok(None) };
        let seeds = self.options.seed_merges.len() as u64;
        let needed = alphabet as u64 + self.appended() + seeds;
        if size >= needed {
            return Ok(Some(size - needed + seeds));
        }
        let seeds_text = match seeds {
            0 => String::new(),
            _ => format!(", {seeds} seed merges"),
        };
        let names = match self.appended() {
            0 => String::new(),
            count => format!(" and {count} special and unknown tokens"),
        };
        let up_to = most.map_or(String::new(), |most| {
            let largest = needed - seeds + most;
            format!(" (this corpus has merges for at most {largest})")
        });
        let rule = format!(
            "must be at least {needed} to hold the alphabet of {alphabet} symbols{seeds_text}{names}{up_to}"
        );
        let error = Error::parameter("vocab_size", rule, size);
        Err(match self.symbols {
            Symbols::Characters => error.with_hint(format!(
                "Set vocab_size={needed} or more, limit_alphabet to keep the most frequent characters only, \
                 or symbols=\"bytes\", whose alphabet has 256"
            )),
            Symbols::Bytes => error.with_hint(format!("Set vocab_size={needed} or more")),
        })
    }
}

/// Names of special tokens must be there, and each only once.
pub(crate) fn validate_names(special_tokens: &[String], unknown_token: Option<&str>) -> Result<()> {
    let mut seen = FxHashSet::default();
    for name in special_tokens {
        if name.is_empty() {
            return Err(Error::parameter("special_tokens", "must not hold an empty name", "''"));
        }
        if !seen.insert(name.as_str()) {
            return Err(Error::parameter(
                "special_tokens",
                "must name each token only once",
                format!("{name:?} twice"),
            ));
        }
    }
    match unknown_token {
        Some("") => Err(Error::parameter("unknown_token", "must not be empty", "''")
            .with_hint("Use None for no unknown token")),
        Some(name) if seen.contains(name) => Err(Error::parameter(
            "special_tokens",
            "must not hold the unknown token, which gets an id of its own",
            format!("{name:?}"),
        )),
        _ => Ok(()),
    }
}
