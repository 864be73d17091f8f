//! Exact search for the nearest vectors.

use std::cmp::Ordering;
use std::thread;

use super::WordVectors;
use crate::error::{Error, Result};

/// Numbers in the rows that one thread at least scans; below it, starting a thread costs more.
const NUMBERS_PER_THREAD: usize = 1 << 20;

/// A row and how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The row of the word.
    pub row: usize,
    /// The cosine of the angle, from -1 to 1; 0 if either vector is zero.
    pub score: f32,
}

impl Neighbor {
    /// Best first; equal scores in row order.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

impl WordVectors {
    /// The cosine of the angle between two vectors; 0 if either is zero.
    pub fn cosine(&self, left: &[f32], right: &[f32]) -> f32 {
        let norm = |vector: &[f32]| self.kernels.dot(vector, vector).sqrt();
        cosine_of(self.kernels.dot(left, right), norm(left), norm(right))
    }

    /// The `n` rows nearest to `query` by cosine, best first, ties in row order, without `exclude`.
    pub fn nearest(
        &self,
        query: &[f32],
        n: usize,
        exclude: &[usize],
        threads: usize,
    ) -> Result<Vec<Neighbor>> {
        if query.len() != self.size {
            let rule = format!("must hold {} numbers, as the vectors do", self.size);
            return Err(Error::parameter("query", rule, format!("{} numbers", query.len())));
        }
        if let Some(bad) = query.iter().find(|number| !number.is_finite()) {
            return Err(Error::parameter("query", "must hold finite numbers", bad));
        }
        if n == 0 || self.is_empty() {
            return Ok(Vec::new());
        }
        let most = (self.matrix().len() / NUMBERS_PER_THREAD).max(1);
        let share = self.len().div_ceil(threads.clamp(1, most));
        let scan =
            |start: usize| self.scan(query, start..self.len().min(start + share), n, exclude);
        let mut found = thread::scope(|scope| {
            let others: Vec<_> = (share..self.len())
                .step_by(share)
                .map(|start| scope.spawn(move || scan(start)))
                .collect();
            let mut found = scan(0);
            for other in others {
                match other.join() {
                    Ok(part) => found.extend(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            found
        });
        found.sort_unstable_by(Neighbor::order);
        found.truncate(n);
        Ok(found)
    }

    fn scan(
        &self,
        query: &[f32],
        rows: std::ops::Range<usize>,
        n: usize,
        exclude: &[usize],
    ) -> Vec<Neighbor> {
        let norm = self.kernels.dot(query, query).sqrt();
        let mut best: Vec<Neighbor> = Vec::new();
        let mut worst: Option<Neighbor> = None;
        let limit = n.saturating_mul(2).max(64);
        for row in rows {
            let score = cosine_of(self.kernels.dot(query, self.row(row)), norm, self.norms[row]);
            let candidate = Neighbor { row, score };
            if worst.is_some_and(|worst| candidate.order(&worst).is_ge()) || exclude.contains(&row)
            {
                continue;
            }
            best.push(candidate);
            if best.len() >= limit {
                keep_best(&mut best, n);
                worst = best.last().copied();
            }
        }
        keep_best(&mut best, n);
        best
    }
}

/// Sorts the best `n` to the front and drops the rest.
fn keep_best(neighbors: &mut Vec<Neighbor>, n: usize) {
    if neighbors.len() > n {
        neighbors.select_nth_unstable_by(n - 1, Neighbor::order);
        neighbors.truncate(n);
    }
    neighbors.sort_unstable_by(Neighbor::order);
}

fn cosine_of(product: f32, left: f32, right: f32) -> f32 {
    if left == 0.0 || right == 0.0 {
        return 0.0;
    }
    // Each length is divided by in turn: their product may leave the range of floats.
    let cosine = product / left / right;
    if cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: &[[f32; 2]]) -> WordVectors {
        let words: Vec<String> = (0..rows.len()).map(|row| format!("w{row}")).collect();
        let counts = vec![1; rows.len()];
        let words = words.iter().map(String::as_str);
        WordVectors::new(words, rows.concat(), 2, counts, serde_json::json!({}), vec![]).unwrap()
    }

    fn rows(found: &[Neighbor]) -> Vec<usize> {
        found.iter().map(|neighbor| neighbor.row).collect()
    }

    #[test]
    fn best_first_ties_in_row_order_zero_vectors_at_zero() {
        let all = vectors(&[[0.0, 0.0], [2.0, 0.0], [0.0, 3.0], [1.0, 0.0], [-1.0, 0.0]]);
        let found = all.nearest(&[5.0, 0.0], 10, &[], 1).unwrap();
        assert_eq!(rows(&found), [1, 3, 0, 2, 4]);
        let scores: Vec<String> = found.iter().map(|found| found.score.to_string()).collect();
        assert_eq!(scores, ["1", "1", "0", "0", "-1"]);
        assert_eq!(rows(&all.nearest(&[5.0, 0.0], 2, &[1], 1).unwrap()), [3, 0]);
        assert!(all.nearest(&[5.0, 0.0], 0, &[], 1).unwrap().is_empty());
        let from_zero = all.nearest(&[0.0, 0.0], 2, &[], 1).unwrap();
        assert_eq!((rows(&from_zero), from_zero[0].score), (vec![0, 1], 0.0));
        assert!(all.nearest(&[f32::NAN, 0.0], 2, &[], 1).is_err());
        assert!(all.nearest(&[1.0], 2, &[], 1).is_err());
    }

    #[test]
    fn any_number_of_threads_finds_what_sorting_finds() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as f32 - 128.0
        };
        let size = 1_200_000;
        let all: Vec<[f32; 2]> = (0..size).map(|_| [next(), next()]).collect();
        let all = vectors(&all);
        let query = [3.0, -7.0];
        let mut expected: Vec<Neighbor> = (0..size)
            .map(|row| Neighbor { row, score: all.cosine(&query, all.row(row)) })
            .collect();
        expected.sort_by(Neighbor::order);
        for threads in [1, 2, 5] {
            for n in [1, 10, 500] {
                let found = all.nearest(&query, n, &[], threads).unwrap();
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found.score - expected.score).abs() < 1e-6);
                }
                assert_eq!(rows(&found), rows(&all.nearest(&query, n, &[], 1).unwrap()));
                assert_eq!(found.len(), n);
            }
        }
    }
}
