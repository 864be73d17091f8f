//! Whole runs against plain counting and plain arithmetic.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::cells::{Cells, Segment};
use super::config::tests::usual;
use super::train::{MEMORY_BUDGET, Words, train, train_within};
use super::{GloVeConfig, Optimizer, cells};
use crate::corpus::{Batch, Boundaries, DocumentStream, InvalidUtf8, Origin};
use crate::embed::{CutWords, Extras, Input};
use crate::error::Result;
use crate::observe::Silent;

/// Documents in batches of a few.
struct Documents(Vec<String>, u64);

impl DocumentStream for Documents {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let taken = self.0.len().min(7);
        if taken == 0 {
            return Ok(None);
        }
        let text: String = self.0.drain(..taken).map(|line| line + "\n").collect();
        self.1 += 1;
        Ok(Some(Batch {
            bytes: text.into_bytes(),
            boundaries: Boundaries::Lines,
            sequence: self.1 - 1,
            position: 0,
            origin: Origin { path: None, offset: 0 },
            invalid: InvalidUtf8::Strict,
        }))
    }

    fn bytes_read(&self) -> u64 {
        self.1
    }
}

/// Cuts at blanks.
struct Blanks;

impl CutWords for Blanks {
    fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
        document.split(' ').filter(|word| !word.is_empty()).for_each(take);
    }
}

fn read(documents: &[String], config: &GloVeConfig, memory: u64, threads: usize) -> Words {
    let mut stream = Documents(documents.to_vec(), 0);
    let input = Input::Words(&mut stream, &Blanks);
    let reading = input.read(config.limits(), None, threads, &mut Silent).unwrap();
    Words::new(memory, reading, config, threads)
}

type Table = BTreeMap<(String, String), f64>;

fn counted(documents: &[String], config: &GloVeConfig, memory: u64, threads: usize) -> Table {
    let words = read(documents, config, memory, threads);
    let pairs = words.count_pairs(memory, config, &mut Silent).unwrap();
    let (blocks, scale) = (&words.blocks, &words.scale);
    let table = cells::table(&pairs, blocks, scale, config.symmetric, &mut Silent).unwrap();
    assert!(table.focus.iter().zip(&table.context).is_sorted());
    let word = |row: &u32| words.vocabulary.words[*row as usize].clone();
    let keys = table.focus.iter().map(word).zip(table.context.iter().map(word));
    keys.zip(table.weight).collect()
}

/// The definition.
fn plain(documents: &[String], config: &GloVeConfig) -> Table {
    let mut table = Table::new();
    for document in documents {
        let words: Vec<&str> = document.split(' ').filter(|word| !word.is_empty()).collect();
        for focus in 0..words.len() {
            for context in 0..words.len() {
                let distance = focus.abs_diff(context);
                let seen = context < focus || (config.symmetric && context > focus);
                if seen && distance <= config.window as usize {
                    let weight =
                        if config.distance_weighting { 1.0 / distance as f64 } else { 1.0 };
                    let key = (words[focus].to_owned(), words[context].to_owned());
                    *table.entry(key).or_default() += weight;
                }
            }
        }
    }
    table
}

/// Documents of words from a vocabulary with few frequent and many rare ones.
fn corpus(words: usize, documents: usize, length: usize, seed: u32) -> Vec<String> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    let mut line = || {
        let count = next(length) + 1;
        let words: Vec<String> = (0..count)
            .map(|_| {
                let most = next(words) + 1;
                format!("w{}", next(most))
            })
            .collect();
        words.join(" ")
    };
    (0..documents).map(|_| line()).collect()
}

fn same(found: &Table, expected: &Table) {
    assert_eq!(found.len(), expected.len());
    for ((key, a), (other, b)) in found.iter().zip(expected) {
        assert_eq!(key, other);
        assert!((a - b).abs() <= 1e-8 * b, "{key:?}: {a} and {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn counts_are_those_of_the_definition(
        words in 2_usize..60,
        length in 2_usize..40,
        window in 1_i64..40,
        symmetric: bool,
        distance_weighting: bool,
        small: bool,
        seed: u32,
    ) {
        let documents = corpus(words, 20, length, seed);
        let mut config = usual();
        (config.window, config.symmetric) = (window, symmetric);
        config.distance_weighting = distance_weighting;
        let expected = plain(&documents, &config);
        // Without memory there is no table for frequent words, and everything goes to files.
        let memory = if small { 0 } else { MEMORY_BUDGET };
        if read(&documents, &config, memory, 1).vocabulary.words.len() > 1 {
            for threads in [1, 3] {
                same(&counted(&documents, &config, memory, threads), &expected);
            }
        }
    }
}

#[test]
fn many_words_on_disk_and_in_memory_are_the_same() {
    let documents = corpus(1500, 600, 60, 7);
    for symmetric in [true, false] {
        let mut config = usual();
        (config.window, config.symmetric) = (10, symmetric);
        (config.vector_size, config.epochs, config.held_out) = (20, 2, 0.1);
        let expected = plain(&documents, &config);
        let words = read(&documents, &config, 0, 1);
        assert!(words.blocks.len() > 3, "{}", words.blocks.len());
        let run = |memory, threads| {
            let mut stream = Documents(documents.clone(), 0);
            let input = Input::Words(&mut stream, &Blanks);
            let extras = Extras::default();
            train_within(memory, input, &config, extras, threads, &mut Silent).unwrap().vectors
        };
        let reference = run(MEMORY_BUDGET, 1);
        for (memory, threads) in [(0, 1), (0, 3), (400_000, 2), (MEMORY_BUDGET, 4)] {
            same(&counted(&documents, &config, memory, threads), &expected);
            let words = read(&documents, &config, memory, threads);
            let pairs = words.count_pairs(memory, &config, &mut Silent).unwrap();
            let (blocks, scale) = (&words.blocks, &words.scale);
            let cells =
                Cells::new(&pairs, blocks, scale, &config, threads, memory / 2, &mut Silent)
                    .unwrap();
            assert_eq!(cells.spilled(), memory < 1 << 20);
            let spilled = pairs.iter().any(super::pairs::Pairs::spilled);
            assert!(!spilled || memory < MEMORY_BUDGET);
            // In several threads there may be too little in each to be sorted even once.
            assert!(spilled || threads > 1);
            drop(cells);
            let found = run(memory, threads);
            assert_eq!(found.matrix(), reference.matrix());
            assert_eq!(found.history(), reference.history());
            assert_eq!(found.settings(), reference.settings());
        }
    }
}

/// The same cells in the same order, in double precision and with exact roots; the vectors, and the mean losses of what
/// is learned from and of what is held out.
fn plain_epochs(words: &Words, config: &GloVeConfig) -> (Vec<f64>, f64, f64) {
    use super::order::Order;
    use super::weights::Weights;
    use crate::embed::random::Random;

    let pairs = words.count_pairs(MEMORY_BUDGET, config, &mut Silent).unwrap();
    let (blocks, scale) = (&words.blocks, &words.scale);
    let cells = Cells::new(&pairs, blocks, scale, config, 1, 1 << 30, &mut Silent).unwrap();
    let size = config.vector_size as usize;
    let mut random = Random::new(config.seed as u64, u64::MAX);
    let start = Weights::new(config, blocks, &|_| None, &mut random, &mut Silent);
    let [mut focus, mut context] = start.unwrap().tables();
    let monitor = crate::observe::Monitor::default();
    let [mut segments, mut held_out] = [false, true].map(|held_out| cells.segments(held_out));
    let mut visit = |segments: &mut [Segment], epoch| {
        let order = Order::new(segments, blocks.len(), config.seed as u64, epoch, 0);
        let (mut loss, mut count) = (0.0, 0);
        while let Some((_, turn)) = order.take(&monitor) {
            let segment = turn.segment();
            let mut buffer = Vec::new();
            for &swapped in super::epochs::directions(config, &segment) {
                for cell in cells.segment(segment, &mut buffer).unwrap() {
                    let low = (blocks.start(segment.low) + u32::from(cell.low)) as usize;
                    let high = (blocks.start(segment.high) + u32::from(cell.high)) as usize;
                    let (a, b) = if swapped { (high, low) } else { (low, high) };
                    let (left, right) = (&mut focus[a], &mut context[b]);
                    let product: f64 = (0..size).map(|at| left[at].0 * right[at].0).sum();
                    let error = product + left[size].0 + right[size].0 - f64::from(cell.log);
                    let slope = f64::from(cell.weight) * error;
                    loss += slope * error;
                    count += 1;
                    if !segment.held_out {
                        step(left, right, slope, config);
                    }
                }
            }
            order.finish(turn);
        }
        loss / f64::from(count.max(1))
    };
    let mut means = [0.0; 2];
    for epoch in 0..config.epochs as u64 {
        means = [visit(&mut segments, epoch), visit(&mut held_out, epoch)];
    }
    let rows = focus.iter().zip(&context);
    let sums = rows.flat_map(|(a, b)| (0..size).map(|at| a[at].0 + b[at].0).collect::<Vec<_>>());
    (sums.collect(), means[0], means[1])
}

/// A step of two rows, the biases of which come last, with their sums of squares.
fn step(left: &mut [(f64, f64)], right: &mut [(f64, f64)], slope: f64, config: &GloVeConfig) {
    let size = config.vector_size as usize;
    let adaptive = config.optimizer == Optimizer::AdaGrad;
    for at in 0..=size {
        // The partner of a bias is 1, and its rate too.
        let bias = at == size;
        let rate = if bias && adaptive { 1.0 } else { config.learning_rate };
        let to_left = rate * slope * if bias { 1.0 } else { right[at].0 };
        let to_right = rate * slope * if bias { 1.0 } else { left[at].0 };
        for (number, step) in [(&mut left[at], to_left), (&mut right[at], to_right)] {
            number.0 -= if adaptive { step / number.1.sqrt() } else { step };
            number.1 += step * step;
        }
    }
}

#[test]
fn training_is_the_formula_in_double_precision() {
    let documents = corpus(400, 300, 30, 3);
    for (optimizer, symmetric, held_out) in [
        (Optimizer::AdaGrad, true, 0.0),
        (Optimizer::AdaGrad, false, 0.2),
        (Optimizer::Sgd, true, 0.2),
        (Optimizer::Sgd, false, 0.0),
    ] {
        let mut config = usual();
        (config.optimizer, config.symmetric, config.vector_size) = (optimizer, symmetric, 21);
        (config.epochs, config.x_max, config.held_out) = (3, 20.0, held_out);
        config.patience = 3;
        let words = read(&documents, &config, MEMORY_BUDGET, 1);
        let (expected, loss, held_out_loss) = plain_epochs(&words, &config);
        let mut stream = Documents(documents.clone(), 0);
        let input = Input::Words(&mut stream, &Blanks);
        let trained = train(input, &config, Extras::default(), 2, &mut Silent).unwrap();
        for (place, (found, expected)) in trained.vectors.matrix().iter().zip(&expected).enumerate()
        {
            let difference = (f64::from(*found) - expected).abs();
            assert!(difference < 1e-4, "{optimizer:?} {place}: {found} and {expected}");
        }
        let found = trained.vectors.history()[2];
        assert!((found - loss).abs() < 1e-4 * loss, "{found} and {loss}");
        let found = trained.vectors.settings()["held_out_loss_per_epoch"][2].as_f64();
        let found = found.unwrap_or_default();
        assert!((found - held_out_loss).abs() <= 1e-4 * held_out_loss, "{found}, {held_out_loss}");
        assert_eq!(found > 0.0, held_out > 0.0);
    }
}

/// The rows of all cells with their logarithms, or of those that are held out or are not.
fn rows(words: &Words, config: &GloVeConfig, held_out: bool) -> BTreeMap<(u32, u32, u32), u32> {
    let pairs = words.count_pairs(MEMORY_BUDGET, config, &mut Silent).unwrap();
    let (blocks, scale) = (&words.blocks, &words.scale);
    let cells = Cells::new(&pairs, blocks, scale, config, 1, 1 << 30, &mut Silent).unwrap();
    let mut all = BTreeMap::new();
    for segment in cells.segments(held_out) {
        for cell in cells.segment(segment, &mut Vec::new()).unwrap() {
            let low = blocks.start(segment.low) + u32::from(cell.low);
            let high = blocks.start(segment.high) + u32::from(cell.high);
            let double = all.insert((low, high, segment.side), cell.log.to_bits());
            assert_eq!(double, None);
        }
    }
    all
}

#[test]
fn pairs_are_held_out_as_a_whole() {
    let documents = corpus(1500, 400, 60, 7);
    for symmetric in [true, false] {
        let mut config = usual();
        config.symmetric = symmetric;
        let words = read(&documents, &config, MEMORY_BUDGET, 1);
        let all = rows(&words, &config, false);
        assert!(rows(&words, &config, true).is_empty());
        config.held_out = 0.2;
        let (learned, held_out) = (rows(&words, &config, false), rows(&words, &config, true));
        let share = held_out.len() as f64 / all.len() as f64;
        assert!((share - 0.2).abs() < 0.01, "{share}");
        let pair = |&(a, b, _): &(u32, u32, u32)| (a.min(b), a.max(b));
        let apart: BTreeSet<_> = held_out.keys().map(pair).collect();
        assert!(learned.keys().all(|key| !apart.contains(&pair(key))));
        let both: BTreeMap<_, _> = learned.into_iter().chain(held_out).collect();
        assert_eq!(both, all);
    }
}
