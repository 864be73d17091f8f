//! A run: read, count, then epochs of windows over all threads.

use super::cbow::Cbow;
use super::checkpoint::{self, Checkpoint, Identity};
use super::config::{Architecture, Defaults, LossKind, Word2VecConfig};
use super::counting::Cut;
use super::epochs::{Course, Standing};
use super::ids::{DOCUMENT_END, IdCorpus};
use super::loss::{HierarchicalSoftmax, NegativeSampling};
use super::negative::NoiseTable;
use super::pauses::Pauses;
use super::random::Random;
use super::reading::{Reading, WordLimits};
use super::schedule::Schedule;
use super::shared::SharedMatrix;
use super::skip_gram::SkipGram;
use super::vocab::Vocabulary;
use super::windows::WindowRule;
use crate::corpus::{DocumentStream, ReadReport};
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::vectors::WordVectors;

/// Words of a part that take about 10 milliseconds when each costs [`USUAL_COST`].
const LONGEST_PART: u64 = 1 << 15;

/// Products of a word of the usual settings: window times targets times numbers in a vector.
const USUAL_COST: u64 = 5 * 6 * 100;

/// The shortest part that is worth handing out, however much a word costs.
const SHORTEST_PART: u64 = 256;

/// What a run may be given besides settings and a corpus.
#[derive(Default)]
pub struct Extras<'a> {
    /// Vectors to start from; their words are kept, and those of the corpus added.
    pub init_from: Option<&'a WordVectors>,
    /// Where the run is written down; it goes on from there if the file exists.
    pub checkpoint: Option<Checkpoint>,
    /// Asked after each epoch whether to go on.
    pub after_epoch: Option<&'a mut AfterEpoch<'a>>,
}

/// Asked after an epoch whether to go on.
pub type AfterEpoch<'a> = dyn FnMut(EpochEnd) -> Result<bool> + 'a;

/// The state of a run after an epoch.
#[derive(Debug)]
pub struct EpochEnd {
    /// The number of the epoch, from 1.
    pub number: u64,
    /// The mean loss of its predictions.
    pub loss: f64,
    /// The mean loss of what is not learned from, if anything is not.
    pub held_out_loss: Option<f64>,
    /// The step size that the next epoch starts with.
    pub learning_rate: f64,
    /// The vectors as they are now.
    pub vectors: WordVectors,
}

/// What a run returns.
#[derive(Debug)]
pub struct Trained {
    /// The vectors.
    pub vectors: WordVectors,
    /// What was read.
    pub report: ReadReport,
    /// What the settings left at "auto" came out as.
    pub settled: Defaults,
    /// Words with a vector, over the whole corpus.
    pub words: u64,
}

/// Trains word vectors on the documents of `stream`, which `cut` cuts into words.
///
/// With one thread the same settings and corpus give the same bytes, and so they do with any number of
/// threads if the settings say `deterministic`. Otherwise threads change shared rows without locks, and two
/// runs differ a little.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &Word2VecConfig,
    cut: &Cut<'_>,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let Extras { init_from, checkpoint, after_epoch } = extras;
    if let Some(known) = init_from
        && known.size() as i64 != config.vector_size
    {
        let rule = format!("must be that of init_from ({})", known.size());
        return Err(Error::parameter("vector_size", rule, config.vector_size));
    }
    let limits = WordLimits {
        min_count: config.min_count,
        max_vocab: config.max_vocab,
        lowercase: config.lowercase,
    };
    let Reading { vocabulary, occurrences, ids, report } =
        Reading::new(stream, limits, init_from, cut, threads, observer)?;
    let words: u64 = occurrences.iter().sum();
    let settled = config.settle(words);
    let (end, learned) = part_to_learn_from(&ids, words, config.held_out)?;
    let total = learned.saturating_mul(config.epochs as u64);
    let course = Course {
        ids: &ids,
        end,
        windows: WindowRule::new(
            config.window as u32,
            settled.shrink_window,
            settled.subsample,
            &occurrences,
        ),
        words: learned,
        longest_part: longest_part(config, occurrences.len()),
        epochs: config.epochs as u64,
        schedule: Schedule::new(config.learning_rate(), config.learning_rate_floor(), total),
        usual_rate: config.usual_rate(),
        min_count: config.min_count,
        seed: config.seed as u64,
        deterministic: config.deterministic,
    };
    let run = Run { config, settled, vocabulary, occurrences, course, init_from };
    let vectors = run.train(checkpoint.as_ref(), after_epoch, threads, observer)?;
    Ok(Trained { vectors, report, settled, words })
}

/// Where the part of the corpus ends that is learned from, at the end of a document if there are several,
/// and its words.
pub(crate) fn part_to_learn_from(ids: &IdCorpus, words: u64, held_out: f64) -> Result<(u64, u64)> {
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

pub(crate) fn longest_part(config: &Word2VecConfig, words: usize) -> u64 {
    let targets = match config.loss {
        LossKind::NegativeSampling => config.negative as u64 + 1,
        LossKind::HierarchicalSoftmax => u64::from(words.ilog2()) + 1,
    };
    let cost = (config.window as u64).saturating_mul(targets);
    let cost = cost.saturating_mul(config.vector_size as u64);
    (LONGEST_PART * USUAL_COST / cost).clamp(SHORTEST_PART, LONGEST_PART)
}

/// Everything about a run but its weights.
struct Run<'a> {
    config: &'a Word2VecConfig,
    settled: Defaults,
    vocabulary: Vocabulary,
    /// How often each word occurs in the corpus itself.
    occurrences: Vec<u64>,
    course: Course<'a>,
    init_from: Option<&'a WordVectors>,
}

impl Run<'_> {
    fn train(
        &self,
        checkpoint: Option<&Checkpoint>,
        after_epoch: Option<&mut AfterEpoch<'_>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let (words, size) = (self.occurrences.len(), self.config.vector_size as usize);
        let mut input = self.start_vectors(observer)?;
        let output_rows = match self.config.loss {
            LossKind::NegativeSampling => words,
            LossKind::HierarchicalSoftmax => words - 1,
        };
        let mut output = SharedMatrix::new(output_rows, size)?;
        let mut standing = Standing::default();
        let mut pauses = Pauses::default();
        if let Some(Checkpoint { path, every }) = checkpoint {
            crate::files::check_writable(path)?;
            let settings = self.settings(&Standing::default());
            let identity = Identity::new(settings, &self.vocabulary, self.course.ids)?;
            let matrices = [&mut input, &mut output];
            standing = checkpoint::resume(path, &identity, matrices, size)?.unwrap_or_default();
            let (input, output) = (&input, &output);
            let save = move |standing: &Standing| {
                checkpoint::save(path, &identity, [input, output], size, standing)
            };
            pauses.checkpoint = Some((Box::new(save), *every));
        }
        if self.config.held_out > 0.0 {
            pauses.patience = Some(self.config.patience as usize);
        }
        if let Some(after_epoch) = after_epoch {
            let input = &input;
            pauses.after_epoch =
                Some(Box::new(move |standing| after_epoch(self.epoch_end(input, standing)?)));
        }
        let standing = self.learn(&input, &output, threads, standing, &mut pauses, observer)?;
        drop(pauses);
        let vectors = self.vectors(&input, &standing, observer)?;
        if let Some(bad) = vectors.matrix().iter().position(|number| !number.is_finite()) {
            let word = vectors.words().word(bad / size);
            return Err(self.course.diverged(&format!("the vector of {word:?}")));
        }
        Ok(vectors)
    }

    /// Trains with the method that the settings ask for.
    fn learn(
        &self,
        input: &SharedMatrix,
        output: &SharedMatrix,
        threads: usize,
        standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let Word2VecConfig { architecture, loss, shared_negatives: shared, .. } = *self.config;
        let noise = || NegativeSampling {
            noise: NoiseTable::new(&self.occurrences, self.config.ns_exponent),
            negative: self.config.negative as usize,
            negative_may_equal_target: self.config.negative_may_equal_target,
        };
        let tree = || HierarchicalSoftmax::new(&self.occurrences);
        match (architecture, loss) {
            (Architecture::SkipGram, LossKind::NegativeSampling) => {
                let method = SkipGram { input, output, loss: noise(), shared };
                self.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::SkipGram, LossKind::HierarchicalSoftmax) => {
                let method = SkipGram { input, output, loss: tree(), shared: true };
                self.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::Cbow, LossKind::NegativeSampling) => {
                let method = Cbow { input, output, loss: noise() };
                self.course.train(&method, threads, standing, pauses, observer)
            }
            (Architecture::Cbow, LossKind::HierarchicalSoftmax) => {
                let method = Cbow { input, output, loss: tree() };
                self.course.train(&method, threads, standing, pauses, observer)
            }
        }
    }

    /// Rows of small random numbers, but for words that have a vector already.
    fn start_vectors(&self, observer: &mut dyn Observer) -> Result<SharedMatrix> {
        let size = self.config.vector_size as usize;
        let rows = self.vocabulary.words.len();
        let mut random = Random::new(self.config.seed as u64, u64::MAX);
        // word2vec starts at random numbers of at most half of one, divided by the size.
        let scale = 1.0 / size as f32;
        let set = |row: usize, floats: &mut [f32]| {
            floats.fill_with(|| random.centered() * scale);
            let word = &self.vocabulary.words[row];
            if let Some(known) = self.init_from
                && let Some(place) = known.words().row(word)
            {
                floats.copy_from_slice(known.row(place));
            }
        };
        let mut matrix = SharedMatrix::new(rows, size)?;
        let mut pacer = Pacer::new(observer);
        matrix.fill(size, set, &mut |row| {
            pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "vectors"))
        })?;
        Ok(matrix)
    }

    fn epoch_end(&self, input: &SharedMatrix, standing: &Standing) -> Result<EpochEnd> {
        Ok(EpochEnd {
            number: standing.history.len() as u64,
            loss: standing.history.last().copied().unwrap_or_default(),
            held_out_loss: standing.held_out.last().copied(),
            learning_rate: self.course.schedule.at(standing.done),
            vectors: self.vectors(input, standing, &mut crate::observe::Silent)?,
        })
    }

    fn vectors(
        &self,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let Vocabulary { words, counts } = &self.vocabulary;
        let (rows, size) = (words.len() as u64, self.config.vector_size as usize);
        let mut pacer = Pacer::new(observer);
        let matrix = input.copy(size, &mut |row| {
            pacer.tick(|| Progress::new("finishing", row, Some(rows), "vectors"))
        })?;
        let (settings, history) = (self.settings(standing), standing.history.clone());
        let names = words.iter().map(String::as_str);
        WordVectors::new(names, matrix, size, counts.clone(), settings, history)
    }

    /// The settings as they came out, and facts on the run that belong with them.
    fn settings(&self, standing: &Standing) -> serde_json::Value {
        let mut settings = serde_json::json!({ "trainer": "word2vec" });
        let parts = [serde_json::to_value(self.config), serde_json::to_value(self.settled)];
        for part in parts {
            if let (Some(all), Ok(serde_json::Value::Object(part))) =
                (settings.as_object_mut(), part)
            {
                all.extend(part);
            }
        }
        settings["learning_rate"] = self.config.learning_rate().into();
        settings["min_learning_rate"] = self.config.learning_rate_floor().into();
        if !standing.held_out.is_empty() {
            settings["held_out_loss_per_epoch"] = standing.held_out.clone().into();
        }
        if let Some(known) = self.init_from {
            let both =
                |&(word, &count): &(&String, &u64)| count > 0 && known.words().row(word).is_some();
            let matched = self.vocabulary.words.iter().zip(&self.occurrences).filter(both).count();
            settings["init_from"] = serde_json::json!({
                "matched": matched,
                "new": self.occurrences.len() - known.len(),
                "kept": known.len() - matched,
            });
        }
        settings
    }
}
