//! Product quantization (Jégou, Douze and Schmid 2011): a vector as the numbers of the nearest vectors in
//! books, a book for each part of it.
//!
//! Books describe directions; the length of each vector stays beside them. They are learned by k-means (Lloyd
//! 1982) from some of the rows. Parts are independent of each other, so the result is the same for any number of
//! threads. The readable twin is `python/textgrain/reference/product_quantization.py`.

use std::ops::Range;
use std::sync::Mutex;

use super::WordVectors;
use super::books::Book;
use super::norms::norms_of;
use super::packed::Packed;
use super::rows::Rows;
use crate::embed::random::Random;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Progress};
use crate::threads::{in_threads, lock};

/// Vectors in a book: as many as a byte can number.
const ENTRIES: usize = 256;

/// Rows from which books are learned: more of them for each vector of a book change little (faiss takes as many).
const LEARNED_FROM: usize = 256 * ENTRIES;

/// Rounds of k-means.
const ROUNDS: usize = 10;

/// Rows between two looks at the wish to stop.
const ROWS_PER_LOOK: usize = 64;

/// Rows that a thread takes at once.
const ROWS_PER_TURN: usize = 1 << 10;

/// How vectors are cut and learned from.
#[derive(Clone, Copy, Debug)]
pub struct Learning {
    /// Parts that a vector is cut into, a byte each.
    pub parts: usize,
    /// Draws the rows that are learned from, and those that books begin with.
    pub seed: u64,
    /// Threads that work.
    pub threads: usize,
}

impl WordVectors {
    /// The numbers of these vectors, or of those of their n-grams, as codes and books.
    pub fn as_codes(
        &self,
        of_ngrams: bool,
        learning: Learning,
        observer: &mut dyn Observer,
    ) -> Result<Packed> {
        let rows = match self.ngrams().filter(|_| of_ngrams) {
            Some(ngrams) => ngrams.stored(),
            None => &self.rows,
        };
        let size = self.size();
        if !(1..=size).contains(&learning.parts) {
            let rule = format!("must be from 1 to {size}, the vector size");
            return Err(Error::parameter("parts", rule, learning.parts));
        }
        if rows.len() == 0 {
            return Err(Error::parameter("vectors", "must hold at least one row", 0));
        }
        let norms = norms_of(rows, 0..rows.len());
        let cut = Cut {
            rows,
            norms: &norms,
            parts: learning.parts,
            width: size.div_ceil(learning.parts),
        };
        let books = cut.learn(learning, observer)?;
        let codes = cut.encode(&books, learning.threads, observer)?;
        Ok(Packed::codes(codes, books, learning.parts, norms))
    }
}

/// Rows that are cut into parts of `width` numbers, of which the last may be filled up with zeros.
#[derive(Clone, Copy)]
struct Cut<'a> {
    rows: &'a Rows,
    norms: &'a [f32],
    parts: usize,
    width: usize,
}

impl Cut<'_> {
    /// The numbers of a line.
    fn line(self) -> usize {
        self.parts * self.width
    }

    /// Appends the directions of some rows, one line after the other.
    fn append_lines(self, rows: Range<usize>, lines: &mut Vec<f32>) {
        let mut reader = self.rows.reader();
        for row in rows {
            let (start, norm) = (lines.len(), self.norms[row]);
            if norm > 0.0 {
                lines.extend(reader.row(row).iter().map(|number| number / norm));
            }
            lines.resize(start + self.line(), 0.0);
        }
    }

    /// The books of all parts, one after the other.
    fn learn(self, learning: Learning, observer: &mut dyn Observer) -> Result<Vec<f32>> {
        let mut drawn = Random::new(learning.seed, 0);
        let sample = draw(&mut drawn, LEARNED_FROM.min(self.rows.len()), self.rows.len());
        let mut lines = Vec::with_capacity(sample.len() * self.line());
        for row in sample {
            self.append_lines(row..row + 1, &mut lines);
        }
        let book = ENTRIES.min(self.rows.len()) * self.width;
        let mut books = vec![0.0; self.parts * book];
        let monitor = Monitor::default();
        let parts = Mutex::new(books.chunks_exact_mut(book).enumerate());
        let take = || lock(&parts).next();
        in_threads(
            0..learning.threads.clamp(1, self.parts),
            &monitor,
            |_| {
                while let Some((part, book)) = take() {
                    let mut random = Random::new(learning.seed, 1 + part as u64);
                    let part = part * self.width..(part + 1) * self.width;
                    let points = lines.chunks_exact(self.line());
                    let points: Vec<f32> =
                        points.flat_map(|line| &line[part.clone()]).copied().collect();
                    if learn_book(&points, self.width, &mut random, book, &monitor).is_none() {
                        break;
                    }
                    monitor.advance(1);
                }
                Ok(())
            },
            |done| Progress::new("learning the books", done, Some(self.parts as u64), "parts"),
            observer,
        )?;
        Ok(books)
    }

    /// The number of the nearest vector in each book, row after row.
    fn encode(self, books: &[f32], threads: usize, observer: &mut dyn Observer) -> Result<Vec<u8>> {
        let books: Vec<Book> = books
            .chunks_exact(books.len() / self.parts)
            .map(|book| Book::new(book, self.width))
            .collect();
        let mut codes = vec![0; self.rows.len() * self.parts];
        let turns = Mutex::new(codes.chunks_mut(ROWS_PER_TURN * self.parts).enumerate());
        let take = || lock(&turns).next();
        let monitor = Monitor::default();
        in_threads(
            0..threads.max(1),
            &monitor,
            |_| {
                let mut lines = Vec::new();
                while let Some((turn, codes)) = take() {
                    let looks = codes.chunks_mut(ROWS_PER_LOOK * self.parts);
                    for (look, codes) in looks.enumerate() {
                        if monitor.stopped() {
                            return Ok(());
                        }
                        let start = turn * ROWS_PER_TURN + look * ROWS_PER_LOOK;
                        lines.clear();
                        self.append_lines(start..start + codes.len() / self.parts, &mut lines);
                        self.encode_lines(&books, &lines, codes);
                    }
                    monitor.advance((codes.len() / self.parts) as u64);
                }
                Ok(())
            },
            |done| Progress::new("storing", done, Some(self.rows.len() as u64), "vectors"),
            observer,
        )?;
        Ok(codes)
    }

    fn encode_lines(self, books: &[Book], lines: &[f32], codes: &mut [u8]) {
        let mut found = [0; ROWS_PER_LOOK];
        let found = &mut found[..codes.len() / self.parts];
        for (part, book) in books.iter().enumerate() {
            book.nearest(lines, (part * self.width, self.line()), found);
            for (codes, &mut found) in codes.chunks_exact_mut(self.parts).zip(&mut *found) {
                codes[part] = found;
            }
        }
    }
}

/// Finds vectors near to which the points lie; `None` where the run is stopped.
fn learn_book(
    points: &[f32],
    width: usize,
    random: &mut Random,
    book: &mut [f32],
    monitor: &Monitor,
) -> Option<()> {
    let (count, entries) = (points.len() / width, book.len() / width);
    for (vector, point) in book.chunks_exact_mut(width).zip(draw(random, entries, count)) {
        vector.copy_from_slice(&points[point * width..][..width]);
    }
    let mut nearest = vec![0; count];
    for _ in 0..ROUNDS {
        let index = Book::new(book, width);
        let looks = points.chunks(ROWS_PER_LOOK * width).zip(nearest.chunks_mut(ROWS_PER_LOOK));
        for (points, nearest) in looks {
            if monitor.stopped() {
                return None;
            }
            index.nearest(points, (0, width), nearest);
        }
        move_to_means(points, &nearest, width, book);
    }
    Some(())
}

/// Puts each vector where the mean of its points is; one without points stays where it is.
fn move_to_means(points: &[f32], nearest: &[u8], width: usize, book: &mut [f32]) {
    let (mut sums, mut counts) = (vec![0.0; book.len()], vec![0_u32; book.len() / width]);
    for (point, &entry) in points.chunks_exact(width).zip(nearest) {
        let entry = usize::from(entry);
        counts[entry] += 1;
        for (sum, &number) in sums[entry * width..][..width].iter_mut().zip(point) {
            *sum += f64::from(number);
        }
    }
    let vectors = book.chunks_exact_mut(width).zip(sums.chunks_exact(width)).zip(counts);
    for ((vector, sums), count) in vectors.filter(|(_, count)| *count > 0) {
        for (number, sum) in vector.iter_mut().zip(sums) {
            *number = (sum / f64::from(count)) as f32;
        }
    }
}

/// So many of the numbers below `of`, rising, each choice as likely as any other (Knuth, volume 2, algorithm
/// 3.4.2 S).
fn draw(random: &mut Random, count: usize, of: usize) -> Vec<usize> {
    let mut drawn = Vec::with_capacity(count);
    for number in 0..of {
        if (random.below((of - number) as u32) as usize) < count - drawn.len() {
            drawn.push(number);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;

    fn vectors(rows: usize, size: usize) -> WordVectors {
        let words: Vec<String> = (0..rows).map(|row| format!("w{row}")).collect();
        let mut random = Random::new(4, 4);
        let numbers = (0..rows * size).map(|_| random.centered()).collect();
        let words = words.iter().map(String::as_str);
        WordVectors::new(words, numbers, size, vec![1; rows], serde_json::json!({}), vec![])
            .unwrap()
    }

    #[test]
    fn the_same_codes_for_any_number_of_threads() {
        let vectors = vectors(300, 6);
        for parts in [1, 4] {
            let codes = |threads| {
                let learning = Learning { parts, seed: 7, threads };
                let packed = vectors.as_codes(false, learning, &mut Silent).unwrap();
                vectors.with_numbers(packed).unwrap().matrix().to_vec()
            };
            let one = codes(1);
            assert_eq!(one, codes(2));
            assert_eq!(one, codes(7));
            assert_ne!(one, vectors.matrix());
        }
    }

    #[test]
    fn few_rows_and_zeros_are_kept_as_they_are() {
        let numbers = vec![0.0, 0.0, 3.0, 4.0, -1.0, 0.0, f32::MAX, f32::MAX];
        let words = ["a", "b", "c", "d"];
        let vectors =
            WordVectors::new(words, numbers, 2, vec![1; 4], serde_json::json!({}), vec![]).unwrap();
        let learning = Learning { parts: 2, seed: 1, threads: 2 };
        let packed = vectors.as_codes(false, learning, &mut Silent).unwrap();
        let small = vectors.with_numbers(packed).unwrap();
        for (row, expected) in [(0, [0.0, 0.0]), (1, [3.0, 4.0]), (2, [-1.0, 0.0])] {
            for (found, expected) in small.row(row).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6);
            }
        }
        for parts in [0, 3] {
            let learning = Learning { parts, ..learning };
            vectors.as_codes(false, learning, &mut Silent).unwrap_err();
        }
    }
}
