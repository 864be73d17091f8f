//! Phrases are found: words are numbered, pairs of neighbors counted, then scored.

use rustc_hash::FxHashMap;

use super::{Cutter, Phrase, Phrases, Scoring};
use crate::corpus::{DocumentStream, ReadReport};
use crate::embed::counting::{self, Counted};
use crate::embed::ids::{DOCUMENT_END, IdCorpus};
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};

/// Words that are read at a time.
const CHUNK: u64 = 1 << 16;

/// Settings of the search for phrases.
#[derive(Clone, Debug, PartialEq)]
pub struct PhraseConfig {
    /// Pairs that occur less often are no phrases.
    pub min_count: i64,
    /// Pairs must score above this; `None` is "auto", what does well with the measure.
    pub threshold: Option<f64>,
    /// The measure.
    pub scoring: Scoring,
    /// What stands between the words of a phrase.
    pub delimiter: String,
    /// Whether documents are lower-cased before they are cut.
    pub lowercase: bool,
}

impl PhraseConfig {
    /// Checks every setting.
    pub fn validate(&self) -> Result<()> {
        if self.min_count < 1 {
            return Err(Error::parameter("min_count", "must be at least 1", self.min_count));
        }
        let threshold = self.threshold();
        if self.scoring == Scoring::Npmi && !(-1.0..1.0).contains(&threshold) {
            let rule = "must be \"auto\" or from -1 to below 1 with npmi";
            return Err(Error::parameter("threshold", rule, threshold));
        }
        if !threshold.is_finite() {
            let rule = "must be \"auto\" or a finite number";
            return Err(Error::parameter("threshold", rule, threshold));
        }
        Ok(())
    }

    /// What pairs must score above.
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(self.scoring.usual_threshold())
    }
}

/// Finds the phrases in the documents of `stream`, the best first, whatever the number of threads.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &PhraseConfig,
    base: Cutter,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(Phrases, ReadReport)> {
    config.validate()?;
    let Counted { words, mut ids, numbering, report } =
        counting::count(stream, &base, config.lowercase, threads, observer)?;
    let words = words.into_counts()?;
    if words.is_empty() {
        return Err(Error::corpus("the corpus holds no words"));
    }
    ids.keep_rows(&numbering.rows((0..words.len() as u32).collect()), observer)?;
    let counts: Vec<u64> = words.iter().map(|(_, count)| count).collect();
    let least = config.min_count as u64;
    let pairs = count_pairs(&ids, &counts, least, observer)?;
    let (total, threshold) = (counts.iter().sum(), config.threshold());
    let mut found: Vec<(f64, u64, [u32; 2])> = pairs
        .into_iter()
        .filter(|&(_, count)| count >= least)
        .map(|(pair, count)| {
            let both = pair.map(|word| counts[word as usize]);
            (config.scoring.score(count, both, total, least), count, pair)
        })
        .filter(|&(score, ..)| score > threshold)
        .collect();
    // Of equal scores the more frequent pair first, then the one whose words came first.
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let name = |word: u32| words.name(word as usize);
    let listed = found.into_iter().map(|(score, count, [first, second])| Phrase {
        first: name(first),
        second: name(second),
        count,
        score,
    });
    Ok((Phrases::new(base, config.delimiter.clone(), listed.collect()), report))
}

/// How often two words stand side by side in a document, if both occur often enough for it to matter.
fn count_pairs(
    ids: &IdCorpus,
    counts: &[u64],
    least: u64,
    observer: &mut dyn Observer,
) -> Result<FxHashMap<[u32; 2], u64>> {
    let mut pairs: FxHashMap<[u32; 2], u64> = FxHashMap::default();
    let (mut last, mut buffer, total) = (DOCUMENT_END, Vec::new(), ids.len());
    let mut pacer = Pacer::new(observer);
    for start in (0..total).step_by(CHUNK as usize) {
        pacer.tick(|| Progress::new("counting pairs", start, Some(total), "words"))?;
        let (part, core) = ids.part(start, total.min(start + CHUNK), 0, &mut buffer)?;
        for &id in &part[core] {
            let frequent = id != DOCUMENT_END && counts[id as usize] >= least;
            if frequent && last != DOCUMENT_END {
                *pairs.entry([last, id]).or_default() += 1;
            }
            // A rare word ends a run of pairs as the end of a document does.
            last = if frequent { id } else { DOCUMENT_END };
        }
    }
    Ok(pairs)
}
