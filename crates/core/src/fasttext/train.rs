//! A run: read, cut words into n-grams, then epochs of windows over all threads.

use super::config::{FastTextConfig, NgramKind, USUAL_RATE};
use super::method::Ngrams as Method;
use super::rows::WordRows;
use crate::embed::epochs::Standing;
use crate::embed::loss::{HierarchicalSoftmax, Loss, NegativeSampling};
use crate::embed::pauses::Pauses;
use crate::embed::random::Random;
use crate::embed::reading::Reading;
use crate::embed::run::{self, Run, Words};
use crate::embed::shared::SharedMatrix;
use crate::embed::vocab::Vocabulary;
use crate::embed::{Extras, Input, LossKind, Trained};
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::simd::Kernels;
use crate::subword::Table;
use crate::vectors::{Ngrams, WordVectors};

/// Trains vectors of the words of `input`, or of the tokens, and of the n-grams in their names.
///
/// What holds for [`embed::train`](crate::embed::train()) on threads and on equal bytes holds here.
pub fn train(
    input: Input<'_>,
    config: &FastTextConfig,
    extras: Extras<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    config.validate()?;
    let mut config = config.clone();
    config.words.learning_rate.get_or_insert(USUAL_RATE);
    let words = &config.words;
    if let Some(known) = extras.init_from {
        check_ngrams(known, &config)?;
    }
    let Reading { vocabulary, occurrences, ids, report } =
        extras.read(input, words.vector_size, words.limits(), threads, observer)?;
    let Extras { init_from, checkpoint, after_epoch } = extras;
    let rows = WordRows::new(&vocabulary.words, &vocabulary.counts, config.scheme(), observer)?;
    let total: u64 = occurrences.iter().sum();
    let settled = config.settle(total);
    let course = run::course(words, &ids, &occurrences, settled, USUAL_RATE)?;
    let settings = run::settings_of("fasttext", &config, words, settled);
    let run = Run { config: words, settings, vocabulary, occurrences, course, init_from };
    let parts = WordParts { config: &config, rows };
    let vectors = run.train(&parts, checkpoint.as_ref(), after_epoch, threads, observer)?;
    Ok(Trained { vectors, report, settled, words: total })
}

/// The n-grams of vectors to start from, if they have any, must be those of the settings.
fn check_ngrams(known: &WordVectors, config: &FastTextConfig) -> Result<()> {
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

/// The vector of a word is made of its own row and those of its n-grams.
struct WordParts<'a> {
    config: &'a FastTextConfig,
    rows: WordRows,
}

impl Words for WordParts<'_> {
    /// Rows of small random numbers, but for n-grams and words that have a vector already.
    fn start(&self, run: &Run<'_>, observer: &mut dyn Observer) -> Result<SharedMatrix> {
        let (rows, size) = (self.rows.len(), self.config.words.vector_size as usize);
        let mut matrix = SharedMatrix::new(rows, size)?;
        let mut pacer = Pacer::new(observer);
        let mut part = vec![0.0; size];
        let set = |row: usize, floats: &mut [f32]| {
            self.start_row(run, row as u32, floats);
            let word = run.vocabulary.words.get(row);
            let known = run.init_from.zip(word);
            let place = known.and_then(|(vectors, word)| vectors.words().row(word));
            if let (Some(vectors), Some(place)) = (run.init_from, place) {
                // What the n-grams leave over of the vector that the word has.
                let scale = 1.0 / self.rows.factor(row as u32);
                for (float, number) in floats.iter_mut().zip(vectors.row(place).iter()) {
                    *float = scale * number;
                }
                for &other in self.rows.of(row as u32).iter().filter(|&&other| other != row as u32)
                {
                    self.start_row(run, other, &mut part);
                    floats.iter_mut().zip(&part).for_each(|(float, number)| *float -= number);
                }
            }
        };
        matrix.fill(size, set, &mut |row| {
            pacer.tick(|| Progress::new("preparing", row, Some(rows as u64), "rows"))
        })?;
        Ok(matrix)
    }

    fn learn(
        &self,
        run: &Run<'_>,
        [input, output]: [&SharedMatrix; 2],
        threads: usize,
        standing: Standing,
        pauses: &mut Pauses<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Standing> {
        let words = &self.config.words;
        match words.loss {
            LossKind::NegativeSampling => {
                let noise = NegativeSampling::new(words, &run.occurrences);
                let method = self.method(input, output, noise, words.shared_negatives);
                run.course.train(&method, threads, standing, pauses, observer)
            }
            LossKind::HierarchicalSoftmax => {
                let tree = HierarchicalSoftmax::new(&run.occurrences);
                let method = self.method(input, output, tree, true);
                run.course.train(&method, threads, standing, pauses, observer)
            }
        }
    }

    fn vectors(
        &self,
        run: &Run<'_>,
        input: &SharedMatrix,
        standing: &Standing,
        observer: &mut dyn Observer,
    ) -> Result<WordVectors> {
        let Vocabulary { words, counts } = &run.vocabulary;
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
        let (settings, history) = (run.settings(standing), standing.history.clone());
        let names = words.iter().map(String::as_str);
        WordVectors::new(names, matrix, size, counts.clone(), settings, history)?
            .with_ngrams(Ngrams::new(table, ngrams, size))
    }
}

impl WordParts<'_> {
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

    /// What a row starts as, if it is not that of a word that has a vector already.
    ///
    /// fastText starts at random numbers of at most one, divided by the size; sums of rows start as means do.
    fn start_row(&self, run: &Run<'_>, row: u32, floats: &mut [f32]) {
        if let Some(known) = run.init_from.and_then(WordVectors::ngrams) {
            let table = known.table();
            let place = match self.config.ngrams {
                NgramKind::Hashed => {
                    self.rows.bucket(row).and_then(|bucket| table.row_of_bucket(bucket))
                }
                NgramKind::Explicit => self
                    .rows
                    .text(row, &run.vocabulary.words)
                    .and_then(|text| table.row_of_text(&text)),
            };
            if let Some(place) = place {
                floats.copy_from_slice(&known.row(place));
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
}
