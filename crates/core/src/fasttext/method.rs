//! How words that are made of n-grams learn from windows.
//!
//! The vector of a word is put together when the word comes near, and every step on it is made on the vector
//! alone. When the word is out of reach, the sum of the steps goes to all its rows at once. That is exact: if a
//! row moves by d, so does the mean of all rows that move by d. So the rows of a word are read and written once
//! for each place where it stands, not once for each pair of words.
//!
//! As in word2vec, the words around predict the word in the middle, where fastText lets the middle predict
//! the words around; the pairs of words are the same.

use super::rows::WordRows;
use crate::embed::Architecture;
use crate::embed::loss::{Loss, Targets};
use crate::embed::method::{Method, Tally, Window};
use crate::embed::random::Random;
use crate::embed::shared::{Board, Desk, SharedMatrix};
use crate::error::Result;

/// Slots of a board at first.
const SLOTS: usize = 32;

/// What every step needs.
#[derive(Debug)]
pub(super) struct Ngrams<'m, L> {
    pub(super) input: &'m SharedMatrix,
    pub(super) output: &'m SharedMatrix,
    pub(super) rows: &'m WordRows,
    pub(super) loss: L,
    pub(super) architecture: Architecture,
    /// Whether the words of a window share its targets.
    pub(super) shared: bool,
    /// Words on each side that a window may reach.
    pub(super) window: usize,
}

/// What a thread keeps from window to window.
#[derive(Debug)]
pub(super) struct Worker<'m> {
    desk: Desk<'m>,
    near: Near,
    waiting: Step,
    coming: Step,
    /// Whether `waiting` holds a window.
    full: bool,
    /// As many ones as any window has words.
    ones: Vec<f32>,
}

/// A window, ready to be learned from as soon as its words are near.
#[derive(Debug, Default)]
struct Step {
    /// The places of the words around, in their document.
    around: Vec<usize>,
    slots: Vec<usize>,
    /// How many rows each of these words has, for the mean of all.
    weights: Vec<f32>,
    targets: Vec<Targets>,
    /// Where the words that become near stand, and which they are.
    entering: Vec<(usize, u32)>,
    /// What is before this place is out of reach.
    first: usize,
    /// Whether all that was near belongs to another document.
    fresh: bool,
    predictions: u64,
    rate: f32,
}

/// The words that are near, with their vectors; their places follow one on the other.
#[derive(Debug)]
struct Near {
    board: Board,
    /// The word in each slot.
    words: Vec<u32>,
    /// Places from `low` up to and without `high` are near.
    low: usize,
    high: usize,
    /// The place of the last window's middle.
    middle: usize,
}

impl Near {
    /// Where the vector of a place is; the last slot is kept free for a mean.
    fn slot(&self, place: usize) -> usize {
        place % self.words.len()
    }
}

impl<'m, L: Loss> Method<'m> for Ngrams<'m, L> {
    type Worker = Worker<'m>;

    fn worker(&self, copies: bool) -> Result<Worker<'m>> {
        let desk = Desk::new(self.input, self.output, copies)?;
        let mut board = Board::new(&desk);
        board.resize(SLOTS + 1);
        let near = Near { board, words: vec![0; SLOTS], low: 0, high: 0, middle: 0 };
        let (waiting, coming) = (Step::default(), Step::default());
        Ok(Worker { desk, near, waiting, coming, full: false, ones: Vec::new() })
    }

    fn desk<'w>(&self, worker: &'w mut Worker<'m>) -> &'w mut Desk<'m> {
        &mut worker.desk
    }

    fn learn(&self, window: Window<'_>, rate: f32, random: &mut Random, worker: &mut Worker<'m>) {
        self.prepare(window, rate, random, worker);
        self.descend_waiting(worker);
        self.approach(worker);
        std::mem::swap(&mut worker.waiting, &mut worker.coming);
        worker.full = true;
    }

    fn finish(&self, worker: &mut Worker<'m>) -> Tally {
        self.descend_waiting(worker);
        self.leave(usize::MAX, worker);
        worker.desk.take_tally()
    }
}

impl<'m, L: Loss> Ngrams<'m, L> {
    /// Sets the step that comes, and asks for the rows that it will need.
    fn prepare(&self, window: Window<'_>, rate: f32, random: &mut Random, worker: &mut Worker<'m>) {
        let Worker { desk, near, coming: step, .. } = worker;
        let Window { middle, place, left, right } = window;
        let (from, to) = (place - left.len(), place + 1 + right.len());
        step.fresh = near.low == near.high || place != near.middle + 1;
        step.first = place.saturating_sub(self.window);
        let (low, high) =
            if step.fresh { (from, from) } else { (near.low.max(step.first), near.high) };
        near.middle = place;
        step.entering.clear();
        let word_at = |at: usize| match at.cmp(&place) {
            std::cmp::Ordering::Less => left[at - from],
            std::cmp::Ordering::Equal => middle,
            std::cmp::Ordering::Greater => right[at - place - 1],
        };
        for at in (from..low).rev().chain(high..to) {
            let word = word_at(at);
            step.entering.push((at, word));
            for &row in self.rows.of(word) {
                desk.prefetch_input(row);
            }
        }
        step.around.clear();
        step.around.extend((from..place).chain(place + 1..to));
        step.weights.clear();
        if self.architecture == Architecture::Cbow {
            step.weights.extend(window.around().map(|word| 1.0 / self.rows.factor(word)));
        }
        self.draw_targets(middle, random, step, desk);
        (step.predictions, step.rate) = (self.predictions(&window), rate);
    }

    fn predictions(&self, window: &Window<'_>) -> u64 {
        match self.architecture {
            Architecture::SkipGram => window.len() as u64,
            Architecture::Cbow => 1,
        }
    }

    fn draw_targets(&self, word: u32, random: &mut Random, step: &mut Step, desk: &Desk<'_>) {
        let groups = self.groups(step);
        if step.targets.len() < groups {
            step.targets.resize_with(groups, Targets::default);
        }
        for targets in &mut step.targets[..groups] {
            self.loss.targets(word, random, targets);
            desk.prefetch_targets(&targets.rows);
        }
    }

    /// Targets that a step uses.
    fn groups(&self, step: &Step) -> usize {
        let one = self.shared || self.architecture == Architecture::Cbow;
        if one { 1 } else { step.around.len() }
    }

    /// Learns from the window that waits, if there is one.
    fn descend_waiting(&self, worker: &mut Worker<'m>) {
        if !std::mem::take(&mut worker.full) {
            return;
        }
        let Worker { desk, near, waiting: step, ones, .. } = worker;
        if ones.len() < step.around.len() {
            ones.resize(step.around.len(), 1.0);
        }
        step.slots.clear();
        step.slots.extend(step.around.iter().map(|&place| near.slot(place)));
        let Step { slots, weights, targets, predictions, rate, .. } = step;
        desk.count(*predictions);
        let mut descend = |slots: &[usize], targets: &Targets, board: &mut Board| {
            let pattern = targets.pattern(&ones[..slots.len()], *rate);
            board.descend(slots, &targets.rows, &pattern, desk);
        };
        let board = &mut near.board;
        if self.architecture == Architecture::Cbow {
            let mean = board.slots() - 1;
            board.average(mean, slots, weights);
            descend(&[mean], &targets[0], board);
            board.follow(mean, slots);
        } else if self.shared {
            descend(slots, &targets[0], board);
        } else {
            for (slot, targets) in slots.chunks(1).zip(targets) {
                descend(slot, targets, board);
            }
        }
    }

    /// Lets go of what is out of reach of the step that comes, and puts the vectors together that it needs.
    fn approach(&self, worker: &mut Worker<'m>) {
        let first = if worker.coming.fresh { usize::MAX } else { worker.coming.first };
        self.leave(first, worker);
        let Worker { desk, near, coming: step, .. } = worker;
        let Some(&(lowest, _)) = step.entering.iter().min_by_key(|(place, _)| *place) else {
            return;
        };
        let highest = step.entering.iter().map(|&(place, _)| place + 1).max().unwrap_or(lowest);
        if near.low == near.high {
            (near.low, near.high) = (lowest, lowest);
        }
        let needed = highest.max(near.high) - lowest.min(near.low);
        if needed > near.words.len() {
            self.enlarge(needed, desk, near);
        }
        for &(place, word) in &step.entering {
            let slot = near.slot(place);
            near.words[slot] = word;
            near.board.gather(slot, self.rows.of(word), self.rows.factor(word), desk);
        }
        (near.low, near.high) = (lowest.min(near.low), highest.max(near.high));
    }

    /// Gives what words in places before `first` learned to their rows.
    fn leave(&self, first: usize, worker: &mut Worker<'m>) {
        let Worker { desk, near, .. } = worker;
        for place in near.low..near.high.min(first) {
            self.scatter(near.slot(place), near, desk);
        }
        near.low = near.high.min(first).max(near.low);
    }

    fn scatter(&self, slot: usize, near: &mut Near, desk: &mut Desk<'m>) {
        let word = near.words[slot];
        near.board.scatter(slot, self.rows.of(word), self.rows.step(word), desk);
    }

    /// Makes room for more words; those that are near are given back and put together again.
    fn enlarge(&self, needed: usize, desk: &mut Desk<'m>, near: &mut Near) {
        let places = near.low..near.high;
        let words: Vec<u32> = places.clone().map(|place| near.words[near.slot(place)]).collect();
        for place in places.clone() {
            self.scatter(near.slot(place), near, desk);
        }
        let slots = needed.next_power_of_two();
        near.words.resize(slots, 0);
        near.board.resize(slots + 1);
        for (place, word) in places.zip(words) {
            let slot = near.slot(place);
            near.words[slot] = word;
            near.board.gather(slot, self.rows.of(word), self.rows.factor(word), desk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::loss::{HierarchicalSoftmax, NegativeSampling};
    use crate::embed::negative::NoiseTable;
    use crate::embed::twins::{Twin, matrices};
    use crate::observe::Silent;
    use crate::subword::Scheme;

    const SIZE: usize = 10;

    /// Words that have no n-gram in common, of which some repeat one in themselves.
    fn words() -> Vec<String> {
        ["banana", "xx", "tototo", "ick", "fugu"].map(String::from).to_vec()
    }

    /// The vectors of all words, as rows of a matrix of their own.
    fn composed(input: &SharedMatrix, rows: &WordRows) -> SharedMatrix {
        let all = input.copy(SIZE, &mut |_| Ok(())).unwrap();
        let mut words = SharedMatrix::new(rows.words(), SIZE).unwrap();
        let set = |word: usize, floats: &mut [f32]| {
            for (at, float) in floats.iter_mut().enumerate() {
                let numbers = rows.of(word as u32).iter().map(|&row| all[row as usize * SIZE + at]);
                *float = numbers.sum::<f32>() * rows.factor(word as u32);
            }
        };
        words.fill(SIZE, set, &mut |_| Ok(())).unwrap();
        words
    }

    fn check<L: Loss>(
        make: impl Fn() -> L,
        scheme: Scheme,
        architecture: Architecture,
        shared: bool,
    ) {
        let rows = WordRows::new(&words(), &[5, 4, 3, 2, 1], scheme, &mut Silent).unwrap();
        let (input, output) = matrices(rows.len(), SIZE);
        let start = composed(&input, &rows);
        let mut twin = Twin::of(&start, &output, SIZE);
        let (loss, same_loss) = (make(), make());
        let window = 2;
        let (input, output, rows) = (&input, &output, &rows);
        let learner = Ngrams { input, output, rows, loss, architecture, shared, window };
        let mut worker = learner.worker(false).unwrap();
        let (mut random, mut order) = (Random::new(1, 1), Random::new(2, 2));
        let (mut found, mut expected) = (Tally::default(), 0.0);
        for round in 0..60 {
            // Each word once a document: else one place would not see what another learned.
            let mut document: Vec<u32> = (0..5).collect();
            for last in (1..5).rev() {
                document.swap(last, order.below(last as u32 + 1) as usize);
            }
            for place in 0..5_usize {
                let reach = 1 + order.below(2) as usize;
                let left = &document[place.saturating_sub(reach)..place];
                let right = &document[place + 1..5.min(place + 1 + reach)];
                let middle = document[place];
                let mut same = random.clone();
                learner.learn(Window { middle, place, left, right }, 0.1, &mut random, &mut worker);
                let around = [left, right].concat();
                let mut targets = Targets::default();
                let one = shared || architecture == Architecture::Cbow;
                let groups: Vec<&[u32]> =
                    if one { vec![&around] } else { around.chunks(1).collect() };
                for inputs in groups {
                    same_loss.targets(middle, &mut same, &mut targets);
                    let rate = f64::from(0.1_f32);
                    expected += match architecture {
                        Architecture::SkipGram => twin.skip_gram(inputs, &targets.listed(), rate),
                        Architecture::Cbow => {
                            let weights =
                                inputs.iter().map(|&word| 1.0 / f64::from(rows.factor(word)));
                            twin.weighted(
                                inputs,
                                &weights.collect::<Vec<_>>(),
                                &targets.listed(),
                                rate,
                            )
                        }
                    };
                }
            }
            // Only now and then, so that documents follow on each other too.
            if round % 7 == 6 {
                found += learner.finish(&mut worker);
            }
        }
        found += learner.finish(&mut worker);
        assert!((found.loss - expected).abs() < 1e-4 * expected, "{} {expected}", found.loss);
        twin.check(&composed(input, rows), output, SIZE);
    }

    #[test]
    fn vectors_learn_as_if_they_were_rows_of_their_own() {
        let noise = || NegativeSampling {
            noise: NoiseTable::new(&[5, 4, 3, 2, 1], 0.5),
            negative: 4,
            negative_may_equal_target: false,
        };
        for scheme in [Scheme::fasttext(2, 3, 2_000_000_000), Scheme::explicit(2, 3)] {
            for architecture in [Architecture::SkipGram, Architecture::Cbow] {
                for shared in [true, false] {
                    check(noise, scheme.clone(), architecture, shared);
                }
                let tree = || HierarchicalSoftmax::new(&[50, 4, 3, 2, 1]);
                check(tree, scheme.clone(), architecture, true);
            }
        }
    }

    #[test]
    fn a_board_grows_with_the_window() {
        let rows =
            WordRows::new(&words(), &[5; 5], Scheme::fasttext(2, 3, 100), &mut Silent).unwrap();
        let (input, output) = matrices(rows.len(), SIZE);
        let loss = HierarchicalSoftmax::new(&[5; 5]);
        let (input, output, rows) = (&input, &output, &rows);
        let architecture = Architecture::SkipGram;
        let learner = Ngrams { input, output, rows, loss, architecture, shared: true, window: 500 };
        let mut worker = learner.worker(false).unwrap();
        let document: Vec<u32> = (0..1000).map(|place| place % 5).collect();
        let mut random = Random::new(1, 1);
        for (place, &middle) in document.iter().enumerate() {
            let left = &document[place.saturating_sub(500)..place];
            let right = &document[place + 1..1000.min(place + 501)];
            let window = Window { middle, place, left, right };
            learner.learn(window, 0.001, &mut random, &mut worker);
        }
        let tally = learner.finish(&mut worker);
        assert_eq!(tally.predictions, 1000 * 1000 - 500 * 501);
        assert!(tally.loss.is_finite());
    }
}
