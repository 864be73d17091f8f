//! What a prediction is told apart from: the output rows that take part in it, and which of them are right.
//!
//! A prediction multiplies an input row v with each of its target rows u. For a target with label y (1 if
//! it is right) and the learning rate a:
//!
//! ```text
//! g = a (y - s(u v))      u += g v      v += g u      loss = -ln s(u v)  or  -ln s(-u v)
//! ```
//!
//! with s the logistic function. Losses differ only in the targets of a word: itself and noise, or the
//! turns on the way to it in a tree.

use super::config::Word2VecConfig;
use super::negative::NoiseTable;
use super::random::Random;
use crate::simd::{Pattern, Tile};

/// The target rows of a prediction, each once.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    /// Rows of the output matrix.
    pub(crate) rows: Vec<u32>,
    /// How often each is right; padded with zeros to the stride of a tile.
    positives: Vec<f32>,
    /// How often each takes part; padded likewise.
    draws: Vec<f32>,
}

impl Targets {
    fn clear(&mut self) {
        self.rows.clear();
        self.positives.clear();
        self.draws.clear();
    }

    fn pad(&mut self) {
        // A few numbers, one by one: to resize takes a call that takes longer.
        let stride = Tile::stride_for(self.rows.len());
        while self.positives.len() < stride {
            self.positives.push(0.0);
        }
        while self.draws.len() < stride {
            self.draws.push(0.0);
        }
    }

    /// Each target with its label, as often as it takes part.
    #[cfg(test)]
    pub(crate) fn listed(&self) -> Vec<(u32, f64)> {
        let mut listed = Vec::new();
        for ((&row, &positive), &draws) in self.rows.iter().zip(&self.positives).zip(&self.draws) {
            listed.extend(
                (0..draws as u32).map(|time| (row, f64::from(u32::from(time < positive as u32)))),
            );
        }
        listed
    }

    /// What the products of these rows with input rows stand for, at a learning rate.
    pub(crate) fn pattern<'a>(&'a self, input_weights: &'a [f32], rate: f32) -> Pattern<'a> {
        Pattern { input_weights, positives: &self.positives, draws: &self.draws, step: rate }
    }
}

/// Says which targets a word has.
pub(crate) trait Loss: Sync {
    /// Sets the targets of the prediction of `word`.
    fn targets(&self, word: u32, random: &mut Random, targets: &mut Targets);
}

/// A word against noise words drawn at random (Mikolov et al. 2013, arXiv:1310.4546).
#[derive(Debug)]
pub(crate) struct NegativeSampling {
    /// Where noise is drawn from.
    pub(crate) noise: NoiseTable,
    /// Noise words a prediction.
    pub(crate) negative: usize,
    /// Whether noise that equals the predicted word stays, or is drawn anew.
    pub(crate) negative_may_equal_target: bool,
}

impl NegativeSampling {
    /// As the settings say, for words that occur so often.
    pub(crate) fn new(config: &Word2VecConfig, occurrences: &[u64]) -> Self {
        Self {
            noise: NoiseTable::new(occurrences, config.ns_exponent),
            negative: config.negative as usize,
            negative_may_equal_target: config.negative_may_equal_target,
        }
    }

    fn draw(&self, word: u32, random: &mut Random) -> u32 {
        // With two words or more each draw ends; the bound only guards against a distribution in which
        // the word is nearly all there is.
        for _ in 0..1000 {
            let noise = self.noise.draw(random);
            if noise != word || self.negative_may_equal_target {
                return noise;
            }
        }
        u32::from(word == 0)
    }
}

impl Loss for NegativeSampling {
    fn targets(&self, word: u32, random: &mut Random, targets: &mut Targets) {
        targets.clear();
        targets.rows.push(word);
        targets.positives.push(1.0);
        targets.draws.push(1.0);
        for _ in 0..self.negative {
            count_once(self.draw(word, random), &mut targets.rows, &mut targets.draws);
        }
        targets.pad();
    }
}

/// Adds a row to those that are there, or to its count if it is one of them.
pub(crate) fn count_once(row: u32, rows: &mut Vec<u32>, counts: &mut Vec<f32>) {
    if let Some(place) = rows.iter().position(|&other| other == row) {
        counts[place] += 1.0;
    } else {
        rows.push(row);
        counts.push(1.0);
    }
}

/// The turns on the way to a word in a tree of all words (Morin and Bengio 2005), in which frequent words are
/// near the root (Huffman 1952).
#[derive(Debug)]
pub(crate) struct HierarchicalSoftmax {
    /// Where the way to each word starts in `turns`, and the end of the last.
    starts: Vec<u64>,
    /// Inner nodes from the root on, and the label of each: 1 where the way goes to the rarer side.
    turns: Vec<(u32, f32)>,
}

impl HierarchicalSoftmax {
    /// The tree of words with these counts.
    ///
    /// Built from two queues, words from the rarest on and inner nodes in the order in which they are made; of a
    /// word and a node of equal counts the node is taken first. So word2vec does it.
    pub(crate) fn new(counts: &[u64]) -> Self {
        let words = counts.len();
        let mut order: Vec<usize> = (0..words).collect();
        order.sort_by_key(|&word| std::cmp::Reverse(counts[word]));
        let inner = words.saturating_sub(1);
        let mut parents = vec![(0_u32, 0.0_f32); words + inner];
        let mut sums: Vec<u64> = Vec::with_capacity(inner);
        let (mut leaf, mut node) = (words, 0);
        for made in 0..inner {
            let mut sum = 0_u64;
            // The first of the two is the rarer, to which a way goes with label 1 as in word2vec.
            for label in [1.0, 0.0] {
                let leaf_is_rarer =
                    leaf > 0 && (node >= made || counts[order[leaf - 1]] < sums[node]);
                let (taken, count) = if leaf_is_rarer {
                    leaf -= 1;
                    (order[leaf], counts[order[leaf]])
                } else {
                    node += 1;
                    (words + node - 1, sums[node - 1])
                };
                parents[taken] = (made as u32, label);
                sum = sum.saturating_add(count);
            }
            sums.push(sum);
        }
        let mut tree = Self { starts: vec![0], turns: Vec::new() };
        let mut way = Vec::new();
        for word in 0..words {
            way.clear();
            let mut at = word;
            while at != words + inner - 1 {
                way.push(parents[at]);
                at = words + parents[at].0 as usize;
            }
            tree.turns.extend(way.iter().rev());
            tree.starts.push(tree.turns.len() as u64);
        }
        tree
    }
}

impl Loss for HierarchicalSoftmax {
    fn targets(&self, word: u32, _random: &mut Random, targets: &mut Targets) {
        let way = self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize;
        targets.clear();
        for &(node, label) in &self.turns[way] {
            targets.rows.push(node);
            targets.positives.push(label);
            targets.draws.push(1.0);
        }
        targets.pad();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_never_the_word_unless_it_may() {
        let mut loss = NegativeSampling {
            noise: NoiseTable::new(&[5, 4, 3], 0.75),
            negative: 4,
            negative_may_equal_target: false,
        };
        let (mut random, mut targets) = (Random::new(1, 1), Targets::default());
        let mut met = 0.0;
        for may in [false, true] {
            loss.negative_may_equal_target = may;
            for word in [0, 1, 2].repeat(20) {
                loss.targets(word, &mut random, &mut targets);
                assert_eq!(targets.rows[0], word);
                assert_eq!(targets.positives[0].to_bits(), 1.0_f32.to_bits());
                assert_eq!(targets.draws.iter().sum::<f32>().to_bits(), 5.0_f32.to_bits());
                assert_eq!(targets.positives.len(), 8);
                met += targets.draws[0] - 1.0;
                assert!(may || met == 0.0);
            }
        }
        assert!(met > 0.0);
    }

    #[test]
    fn the_tree_is_that_of_huffman() {
        // The rarest two, 1 and 2, join to 3; then 3 and 4 to 7; then 7 and 9 to the root.
        let tree = HierarchicalSoftmax::new(&[9, 4, 2, 1]);
        let (mut random, mut targets) = (Random::new(1, 1), Targets::default());
        let mut way = |word| {
            tree.targets(word, &mut random, &mut targets);
            let labels = targets.positives.iter().map(|&label| label as u32);
            targets.rows.iter().copied().zip(labels).collect::<Vec<_>>()
        };
        assert_eq!(way(0), [(2, 0)]);
        assert_eq!(way(1), [(2, 1), (1, 0)]);
        assert_eq!(way(2), [(2, 1), (1, 1), (0, 0)]);
        assert_eq!(way(3), [(2, 1), (1, 1), (0, 1)]);
    }

    #[test]
    fn ways_are_shortest_on_average() {
        let counts: Vec<u64> = (1..=1000_u64).rev().map(|count| count * count / 100 + 1).collect();
        let tree = HierarchicalSoftmax::new(&counts);
        let total: u64 = counts.iter().sum();
        let share = |count: u64| count as f64 / total as f64;
        let entropy: f64 = counts.iter().map(|&count| -share(count) * share(count).log2()).sum();
        let lengths = tree.starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64);
        let mean: f64 = lengths.zip(&counts).map(|(length, &count)| length * share(count)).sum();
        assert!(mean >= entropy && mean < entropy + 1.0, "{mean} {entropy}");
    }
}
