//! A run after reading, whatever a word is made of: start, resume, learn, hand out, check.

use serde_json::{Value, json};

use super::checkpoint::{self, Checkpoint, Identity, Resumed, Table};
use super::config::{Defaults, LossKind, Word2VecConfig};
use super::epochs::{Course, Standing};
use super::ids::{DOCUMENT_END, IdCorpus};
use super::kept::Kept;
use super::pauses::Pauses;
use super::schedule::Schedule;
use super::shared::SharedMatrix;
use super::train::{AfterEpoch, EpochEnd};
use super::vocab::Vocabulary;
use super::windows::WindowRule;
use crate::error::{Error, Result};
use crate::formats::binary::bytes_of;
use crate::observe::{Observer, Silent};
use crate::vectors::WordVectors;

/// Words of a part that take about 10 milliseconds when each costs [`USUAL_COST`].
const LONGEST_PART: u64 = 1 << 15;

/// Products of a word of the usual settings: window times targets times numbers in a vector.
const USUAL_COST: u64 = 5 * 6 * 100;

/// The shortest part that is worth handing out, however much a word costs.
const SHORTEST_PART: u64 = 256;

/// Bytes that are kept between two looks at the wish to stop.
const KEPT_AT_A_TIME: usize = 1 << 20;

/// What the vector of a word is made of, and how that is learned.
pub(crate) trait Words {
    /// The rows as they are before anything is learned.
    fn start(&self, run: &Run<'_>, observer: &mut dyn Observer) -> Result<SharedMatrix>;

    /// Trains with the method that the settings ask for.
    fn learn(
        &self,
        run: &Run<'_>,
        matrices: [&SharedMatrix; 2],
        threads: usize,
        standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing>;

    /// The vectors as the rows are now.
    fn vectors(
        &self,
        run: &Run<'_>,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors>;
}

/// Everything about a run but its weights.
pub(crate) struct Run<'a> {
    pub(crate) config: &'a Word2VecConfig,
    /// What the vectors keep of the settings, as they came out.
    pub(crate) settings: Value,
    pub(crate) vocabulary: Vocabulary,
    /// How often each word occurs in the corpus itself.
    pub(crate) occurrences: Vec<u64>,
    pub(crate) course: Course<'a>,
    pub(crate) init_from: Option<&'a WordVectors>,
}

impl Run<'_> {
    /// Trains all epochs, from the checkpoint on if there is one.
    pub(crate) fn train(
        &self,
        words: &impl Words,
        checkpoint: Option<&Checkpoint>,
        after_epoch: Option<&mut AfterEpoch<'_>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let size = self.config.vector_size as usize;
        let mut input = words.start(self, observer)?;
        let output_rows = match self.config.loss {
            LossKind::NegativeSampling => self.occurrences.len(),
            LossKind::HierarchicalSoftmax => self.occurrences.len() - 1,
        };
        let mut output = SharedMatrix::new(output_rows, size)?;
        let mut standing = Standing::default();
        let (mut kept, mut pauses) = (Kept::default(), Pauses::default());
        if let Some(Checkpoint { path, every }) = checkpoint {
            let settings = self.settings(&Standing::default());
            let identity = Identity::new(settings, &self.vocabulary, self.course.ids)?;
            if let Some(resumed) = Resumed::read(path, &identity)? {
                resume(&resumed, "input", &mut input, size)?;
                resume(&resumed, "output", &mut output, size)?;
                standing = resumed.standing;
            }
            let (input, output) = (&input, &output);
            let save = move |standing: &Standing| {
                let tables = [table("input", input, size)?, table("output", output, size)?];
                checkpoint::save(path, &identity, &tables, standing)
            };
            pauses.checkpoint = Some((Box::new(save), *every));
        }
        pauses.end_after(self.config.patience, self.config.held_out);
        {
            let (input, kept) = (&input, &mut kept);
            pauses.keep = Some(Box::new(move |standing, observer| {
                let bytes = input.bytes();
                let facts: Standing = standing.clone();
                kept.keep(facts, bytes.len() as u64, bytes.chunks(KEPT_AT_A_TIME), observer)
            }));
        }
        if let Some(after_epoch) = after_epoch {
            let input = &input;
            pauses.after_epoch = Some(Box::new(move |standing| {
                after_epoch(self.epoch_end(words, input, standing)?)
            }));
        }
        let matrices = [&input, &output];
        let learned = words.learn(self, matrices, threads, standing, &mut pauses, observer);
        drop(pauses);
        let finished =
            learned.and_then(|standing| self.finished(words, &input, &standing, observer));
        finished.map_err(|error| {
            let last_good = || {
                let standing = kept.restore(input.bytes_mut())?;
                words.vectors(self, &input, &standing, &mut Silent).ok()
            };
            with_way_back(error.with_last_good(last_good), checkpoint)
        })
    }

    /// The vectors of a run that is over, if all of them are finite.
    fn finished(
        &self,
        words: &impl Words,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let vectors = words.vectors(self, input, standing, observer)?;
        let Some(bad) = vectors.matrix().iter().position(|number| !number.is_finite()) else {
            return Ok(vectors);
        };
        let word = vectors.words().word(bad / self.config.vector_size as usize);
        Err(self.course.diverged(&format!("the vector of {word:?}")))
    }

    fn epoch_end(
        &self,
        words: &impl Words,
        input: &SharedMatrix,
        standing: &Standing,
    ) -> Result<EpochEnd> {
        Ok(EpochEnd {
            number: standing.history.len() as u64,
            loss: standing.history.last().copied().unwrap_or_default(),
            held_out_loss: standing.held_out.last().copied(),
            learning_rate: self.course.schedule.at(standing.done),
            vectors: words.vectors(self, input, standing, &mut Silent)?,
        })
    }

    /// The settings as they came out, and facts on the run that belong with them.
    pub(crate) fn settings(&self, standing: &Standing) -> Value {
        let mut settings = self.settings.clone();
        note_held_out(&mut settings, standing);
        if let Some(known) = self.init_from {
            settings["init_from"] = matches(known, &self.vocabulary, &self.occurrences);
        }
        settings
    }
}

/// Adds the losses of what is not learned from to the settings, if anything is not.
pub(crate) fn note_held_out(settings: &mut Value, standing: &Standing) {
    if !standing.held_out.is_empty() {
        settings["held_out_loss_per_epoch"] = standing.held_out.clone().into();
    }
}

/// How many words of the vectors that a run starts from occur in its corpus, or do not, and how many are new.
pub(crate) fn matches(known: &WordVectors, vocabulary: &Vocabulary, occurrences: &[u64]) -> Value {
    let both = |&(word, &count): &(&String, &u64)| count > 0 && known.words().row(word).is_some();
    let matched = vocabulary.words.iter().zip(occurrences).filter(both).count();
    json!({
        "matched": matched,
        "new": occurrences.len() - known.len(),
        "kept": known.len() - matched,
    })
}

/// A matrix as it is written down.
fn table(name: &'static str, matrix: &SharedMatrix, size: usize) -> Result<Table> {
    let floats = matrix.copy(size, &mut |_| Ok(()))?;
    let bytes = bytes_of(floats.iter().map(|float| float.to_le_bytes()));
    Ok(Table { name, shape: [matrix.rows(), size], bytes })
}

/// Sets a matrix to what was written down.
fn resume(resumed: &Resumed, name: &str, matrix: &mut SharedMatrix, size: usize) -> Result<()> {
    let floats = resumed.floats(name, [matrix.rows(), size])?;
    let set = |row: usize, to: &mut [f32]| {
        for (to, from) in to.iter_mut().zip(&floats[row * size..]) {
            *to = f32::from_le_bytes(*from);
        }
    };
    matrix.fill(size, set, &mut |_| Ok(()))
}

/// Says of a run that diverged where its last good state is.
pub(crate) fn with_way_back(error: Error, checkpoint: Option<&Checkpoint>) -> Error {
    match (error, checkpoint) {
        (Error::Diverged { reason, vectors }, Some(Checkpoint { path, .. })) if path.exists() => {
            let way =
                "holds the state before that, and the same call with a lower rate goes on from it";
            Error::Diverged { reason: format!("{reason}. {} {way}", path.display()), vectors }
        }
        (error, _) => error,
    }
}

/// The name of a trainer with its settings, and what those left at "auto" came out as.
pub(crate) fn settings_of(
    trainer: &str,
    config: &impl serde::Serialize,
    words: &Word2VecConfig,
    settled: Defaults,
) -> Value {
    let mut settings = json!({ "trainer": trainer });
    for part in [serde_json::to_value(config), serde_json::to_value(settled)] {
        if let (Some(all), Ok(Value::Object(part))) = (settings.as_object_mut(), part) {
            all.extend(part);
        }
    }
    settings["learning_rate"] = words.learning_rate().into();
    settings["min_learning_rate"] = words.learning_rate_floor().into();
    settings
}

/// What the settings make of a corpus: the part that is learned from, its windows and its schedule.
pub(crate) fn course<'a>(
    config: &Word2VecConfig,
    ids: &'a IdCorpus,
    occurrences: &[u64],
    settled: Defaults,
    usual_rate: f64,
) -> Result<Course<'a>> {
    let (end, learned) = part_to_learn_from(ids, occurrences.iter().sum(), config.held_out)?;
    let total = learned.saturating_mul(config.epochs as u64);
    let Defaults { shrink_window, subsample, .. } = settled;
    Ok(Course {
        ids,
        end,
        windows: WindowRule::new(config.window as u32, shrink_window, subsample, occurrences),
        words: learned,
        longest_part: longest_part(config, occurrences.len()),
        epochs: config.epochs as u64,
        schedule: Schedule::new(config.learning_rate(), config.learning_rate_floor(), total),
        usual_rate,
        min_count: config.min_count,
        seed: config.seed as u64,
        deterministic: config.deterministic,
    })
}

/// Where the part of the corpus ends that is learned from, at the end of a document if there are several,
/// and its words.
fn part_to_learn_from(ids: &IdCorpus, words: u64, held_out: f64) -> Result<(u64, u64)> {
    if held_out <= 0.0 {
        return Ok((ids.len(), words));
    }
    let latest = (ids.len() as f64 * (1.0 - held_out)) as u64;
    let (mut end, mut words, mut words_at_end) = (0, 0, 0);
    let mut buffer = Vec::new();
    for start in (0..latest).step_by(1 << 16) {
        let (part, core) = ids.part(start, latest.min(start + (1 << 16)), 0, &mut buffer)?;
        for (place, &id) in (start + 1..).zip(&part[core]) {
            if id == DOCUMENT_END {
                (end, words_at_end) = (place, words);
            } else {
                words += 1;
            }
        }
    }
    Ok(if end == 0 { (latest, words) } else { (end, words_at_end) })
}

fn longest_part(config: &Word2VecConfig, words: usize) -> u64 {
    let targets = match config.loss {
        LossKind::NegativeSampling => config.negative as u64 + 1,
        LossKind::HierarchicalSoftmax => u64::from(words.ilog2()) + 1,
    };
    let cost = (config.window as u64).saturating_mul(targets);
    let cost = cost.saturating_mul(config.vector_size as u64);
    (LONGEST_PART * USUAL_COST / cost).clamp(SHORTEST_PART, LONGEST_PART)
}
