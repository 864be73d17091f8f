//! A run: read, cut words into n-grams, then epochs of windows over all threads.

use super::config::{FastTextConfig, NgramKind, USUAL_RATE};
use super::method::Ngrams as Method;
use super::rows::WordRows;
use crate::corpus::DocumentStream;
use crate::embed::checkpoint::{self, Checkpoint, Identity};
use crate::embed::counting::Cut;
use crate::embed::epochs::{Course, Standing};
use crate::embed::loss::{HierarchicalSoftmax, Loss, NegativeSampling};
use crate::embed::negative::NoiseTable;
use crate::embed::pauses::Pauses;
use crate::embed::random::Random;
use crate::embed::reading::{Reading, WordLimits};
use crate::embed::schedule::Schedule;
use crate::embed::shared::SharedMatrix;
use crate::embed::train::{AfterEpoch, longest_part, part_to_learn_from};
use crate::embed::vocab::Vocabulary;
use crate::embed::windows::WindowRule;
use crate::embed::{Defaults, EpochEnd, Extras, LossKind, Trained};
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress, Silent};
use crate::simd::Kernels;
use crate::subword::Table;
use crate::vectors::{Ngrams, WordVectors};

/// Trains word vectors with n-grams on the documents of `stream`, which `cut` cuts into words.
///
/// What holds for [`embed::train`](crate::embed::train()) on threads and on equal bytes holds here.
pub fn train(
    stream: &mut dyn DocumentStream,
    config: &FastTextConfig,
    cut: &Cut<'_>,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let mut config = config.clone();
    config.words.learning_rate.get_or_insert(USUAL_RATE);
    let words = &config.words;
    let Extras { init_from, checkpoint, after_epoch } = extras;
    if let Some(known) = init_from {
        check_known(known, &config)?;
    }
    let limits = WordLimits {
        min_count: words.min_count,
        max_vocab: words.max_vocab,
        lowercase: words.lowercase,
    };
    let Reading { vocabulary, occurrences, ids, report } =
        Reading::new(stream, limits, init_from, cut, threads, observer)?;
    let rows = WordRows::new(&vocabulary.words, &vocabulary.counts, config.scheme(), observer)?;
    let total: u64 = occurrences.iter().sum();
    let settled = config.settle(total);
    let (end, learned) = part_to_learn_from(&ids, total, words.held_out)?;
    let steps = learned.saturating_mul(words.epochs as u64);
    let course = Course {
        ids: &ids,
        end,
        windows: WindowRule::new(
            words.window as u32,
            settled.shrink_window,
            settled.subsample,
            &occurrences,
        ),
        words: learned,
        longest_part: longest_part(words, occurrences.len()),
        epochs: words.epochs as u64,
        schedule: Schedule::new(words.learning_rate(), words.learning_rate_floor(), steps),
        usual_rate: USUAL_RATE,
        min_count: words.min_count,
        seed: words.seed as u64,
        deterministic: words.deterministic,
    };
    let run = Run { config: &config, settled, vocabulary, occurrences, rows, course, init_from };
    let vectors = run.train(checkpoint.as_ref(), after_epoch, threads, observer)?;
    Ok(Trained { vectors, report, settled, words: total })
}

/// Vectors to start from must fit; their n-grams, if they have any, must be those of the settings.
fn check_known(known: &WordVectors, config: &FastTextConfig) -> Result<()> {
    if known.size() as i64 != config.words.vector_size {
        let rule = format!("must be that of init_from ({})", known.size());
        return Err(Error::parameter("vector_size", rule, config.words.vector_size));
    }
    let Some(ngrams) = known.ngrams() else { return Ok(()) };
    let scheme = ngrams.table().scheme();
    if *scheme == config.scheme() {
        return Ok(());
    }
    let (min_n, max_n) = (scheme.min_n, scheme.max_n);
    let buckets =
        scheme.buckets().map_or_else(String::new, |buckets| format!(", buckets={buckets}"));
    Err(Error::parameter(
        "init_from",
        "must have n-grams as the settings ask for",
        format!("{:?} n-grams with min_n={min_n}, max_n={max_n}{buckets}", scheme.naming),
    )
    .with_hint("Give the trainer the settings that those vectors were made with"))
}

/// Everything about a run but its weights.
struct Run<'a> {
    config: &'a FastTextConfig,
    settled: Defaults,
    vocabulary: Vocabulary,
    /// How often each word occurs in the corpus itself.
    occurrences: Vec<u64>,
    rows: WordRows,
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
        let words = &self.config.words;
        let size = words.vector_size as usize;
        let mut input = self.start(observer)?;
        let output_rows = match words.loss {
            LossKind::NegativeSampling => self.occurrences.len(),
            LossKind::HierarchicalSoftmax => self.occurrences.len() - 1,
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
        if words.held_out > 0.0 {
            pauses.patience = Some(words.patience as usize);
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

    /// Trains with the loss that the settings ask for.
    fn learn(
        &self,
        input: &SharedMatrix,
        output: &SharedMatrix,
        threads: usize,
        standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let words = &self.config.words;
        match words.loss {
            LossKind::NegativeSampling => {
                let noise = NegativeSampling {
                    noise: NoiseTable::new(&self.occurrences, words.ns_exponent),
                    negative: words.negative as usize,
                    negative_may_equal_target: words.negative_may_equal_target,
                };
                let method = self.method(input, output, noise, words.shared_negatives);
                self.course.train(&method, threads, standing, pauses, observer)
            }
            LossKind::HierarchicalSoftmax => {
                let tree = HierarchicalSoftmax::new(&self.occurrences);
                let method = self.method(input, output, tree, true);
                self.course.train(&method, threads, standing, pauses, observer)
            }
        }
    }

    fn method<'m, L: Loss>(
        &'m self,
        input: &'m SharedMatrix,
        output: &'m SharedMatrix,
        loss: L,
        shared: bool,
    ) -> Method<'m, L> {
        let Self { rows, config, .. } = self;
        let (architecture, window) = (config.words.architecture, config.words.window as usize);
        Method { input, output, rows, loss, architecture, shared, window }
    }

    /// Rows of small random numbers, but for n-grams and words that have a vector already.
    fn start(&self, observer: &mut dyn Observer) -> Result<SharedMatrix> {
        let (rows, size) = (self.rows.len(), self.config.words.vector_size as usize);
        let mut matrix = SharedMatrix::new(rows, size)?;
        let mut pacer = Pacer::new(observer);
        let mut part = vec![0.0; size];
        let set = |row: usize, floats: &mut [f32]| {
            self.start_row(row as u32, floats);
            let word = self.vocabulary.words.get(row);
            let known = self.init_from.zip(word);
            let place = known.and_then(|(vectors, word)| vectors.words().row(word));
            if let (Some(vectors), Some(place)) = (self.init_from, place) {
                // What the n-grams leave over of the vector that the word has.
                let scale = 1.0 / self.rows.factor(row as u32);
                for (float, number) in floats.iter_mut().zip(vectors.row(place)) {
                    *float = scale * number;
                }
                for &other in self.rows.of(row as u32).iter().filter(|&&other| other != row as u32)
                {
                    self.start_row(other, &mut part);
                    floats.iter_mut().zip(&part).for_each(|(float, number)| *float -= number);
                }
            }
        };
        matrix.fill(size, set, &mut |row| {
            pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "rows"))
        })?;
        Ok(matrix)
    }

    /// What a row starts as, if it is not that of a word that has a vector already.
    ///
    /// fastText starts at random numbers of at most one, divided by the size; sums of rows start as means do.
    fn start_row(&self, row: u32, floats: &mut [f32]) {
        if let Some(known) = self.init_from.and_then(WordVectors::ngrams) {
            let table = known.table();
            let place = match self.config.ngrams {
                NgramKind::Hashed => {
                    self.rows.bucket(row).and_then(|bucket| table.row_of_bucket(bucket))
                }
                NgramKind::Explicit => self
                    .rows
                    .text(row, &self.vocabulary.words)
                    .and_then(|text| table.row_of_text(&text)),
            };
            if let Some(place) = place {
                floats.copy_from_slice(known.row(place));
                return;
            }
        }
        let parts = match self.config.ngrams {
            NgramKind::Hashed => 1.0,
            NgramKind::Explicit => self.rows.mean_length() as f32,
        };
        let scale = 2.0 / (floats.len() as f32 * parts);
        let mut random = Random::new(self.config.words.seed as u64, u64::MAX - u64::from(row));
        floats.fill_with(|| random.centered() * scale);
    }

    fn epoch_end(&self, input: &SharedMatrix, standing: &Standing) -> Result<EpochEnd> {
        Ok(EpochEnd {
            number: standing.history.len() as u64,
            loss: standing.history.last().copied().unwrap_or_default(),
            held_out_loss: standing.held_out.last().copied(),
            learning_rate: self.course.schedule.at(standing.done),
            vectors: self.vectors(input, standing, &mut Silent)?,
        })
    }

    fn vectors(
        &self,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let Vocabulary { words, counts } = &self.vocabulary;
        let (rows, size) = (self.rows.len() as u64, self.config.words.vector_size as usize);
        let mut pacer = Pacer::new(observer);
        let all = input.copy(size, &mut |row| {
            pacer.tick(|| Progress::new("finishing", row, Some(rows), "rows"))
        })?;
        let row_of = |row: u32| &all[row as usize * size..][..size];
        let kernels = Kernels::best();
        let mut matrix = vec![0.0; words.len() * size];
        for (word, vector) in (0..).zip(matrix.chunks_exact_mut(size)) {
            pacer.tick(|| Progress::new("finishing", u64::from(word), Some(rows), "words"))?;
            for &row in self.rows.of(word) {
                kernels.add_scaled(1.0, row_of(row), vector);
            }
            kernels.scale(self.rows.factor(word), vector);
        }
        let (index, order) = self.rows.table(words)?;
        let table = Table::new(self.rows.scheme().clone(), index, order.len())
            .map_err(|reason| Error::corpus(format!("the n-grams do not fit: {reason}")))?;
        let ngrams = order.into_iter().flat_map(|row| row_of(row).iter().copied()).collect();
        let (settings, history) = (self.settings(standing), standing.history.clone());
        let names = words.iter().map(String::as_str);
        WordVectors::new(names, matrix, size, counts.clone(), settings, history)?
            .with_ngrams(Ngrams::new(table, ngrams, size))
    }

    /// The settings as they came out, and facts on the run that belong with them.
    fn settings(&self, standing: &Standing) -> serde_json::Value {
        let mut settings = serde_json::json!({ "trainer": "fasttext" });
        let parts = [serde_json::to_value(self.config), serde_json::to_value(self.settled)];
        for part in parts {
            if let (Some(all), Ok(serde_json::Value::Object(part))) =
                (settings.as_object_mut(), part)
            {
                all.extend(part);
            }
        }
        settings["min_learning_rate"] = self.config.words.learning_rate_floor().into();
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
