//! Documents as weighted means of the vectors of their words, and the texts of some documents.

use crate::corpus::{Batch, DocumentStream, ReadReport, map_in_order};
use crate::embed::CutWords;
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, Pacer, Progress};
use crate::vectors::WordVectors;

/// Words between two looks at the wish to stop.
const WORDS_PER_LOOK: u64 = 1 << 12;

/// What each word of a document counts for.
#[derive(Clone, Copy, Debug)]
pub struct Weighing<'a> {
    /// The vectors of the words.
    pub vectors: &'a WordVectors,
    /// How much each of them counts, by row.
    pub weights: &'a [f64],
    /// What words that have no vector get from their n-grams.
    pub composed: Composed,
    /// Whether words are lower-cased before they are looked up.
    pub lowercase: bool,
}

/// What is done about words outside the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// They are left out.
    Not,
    /// Their n-grams give them a vector, which counts as 1.
    Whole,
    /// Their n-grams give them a vector, which is divided by its length.
    Unit,
}

/// A vector for each document of a corpus.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// One row after the other; zeros for a document without a word that has a vector.
    pub numbers: Vec<f32>,
    /// Words of each document that have a vector.
    pub known: Vec<u64>,
    /// Words of each document.
    pub words: Vec<u64>,
    /// What was read.
    pub report: ReadReport,
}

/// The sum of weight times vector over the words of each document, divided by how many have a vector.
///
/// Documents without words are there too, so that the number of a document is that of its line.
pub fn means(
    stream: &mut dyn DocumentStream,
    weighing: Weighing<'_>,
    cut: &dyn CutWords,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Means> {
    let (rows, given) = (weighing.vectors.len(), weighing.weights.len());
    if rows != given {
        let rule = format!("must hold a number for each of {rows} words");
        return Err(Error::parameter("weights", rule, given));
    }
    let mut all = Means::default();
    map_in_order(
        stream,
        threads,
        "reading documents",
        observer,
        || vec![0.0; weighing.vectors.size()],
        |sum, batch, monitor| weighing.batch(batch, cut, sum, monitor),
        |part: Means| {
            all.numbers.extend_from_slice(&part.numbers);
            all.known.extend_from_slice(&part.known);
            all.words.extend_from_slice(&part.words);
            all.report.merge(part.report);
            Ok(())
        },
    )?;
    Ok(all)
}

impl Weighing<'_> {
    /// `sum` is room for a vector.
    fn batch(
        &self,
        batch: &Batch,
        cut: &dyn CutWords,
        sum: &mut [f64],
        monitor: &Monitor,
    ) -> Result<Means> {
        let decoded = batch.decode()?;
        let mut means = Means::default();
        means.report.add(batch, &decoded);
        for (_, document) in decoded.documents() {
            means.report.documents += u64::from(!document.is_empty());
            sum.fill(0.0);
            let (mut known, mut words) = (0, 0);
            let mut add = |word: &str| {
                words += 1;
                // A document may be the whole corpus; the rest of it is skipped when the run was stopped.
                if words % WORDS_PER_LOOK == 0 && monitor.stopped() {
                    return;
                }
                known += u64::from(self.add(word, sum));
            };
            cut.cut_as(document, self.lowercase, &mut add);
            if monitor.stopped() {
                return Err(Error::Cancelled);
            }
            let share = 1.0 / known.max(1) as f64;
            means.numbers.extend(sum.iter().map(|number| (number * share) as f32));
            means.known.push(known);
            means.words.push(words);
        }
        Ok(means)
    }

    /// Adds the vector of a word, if it has one.
    fn add(&self, word: &str, sum: &mut [f64]) -> bool {
        if let Some(row) = self.vectors.words().row(word) {
            add_times(sum, &self.vectors.row(row), self.weights[row]);
            return true;
        }
        if self.composed == Composed::Not {
            return false;
        }
        let ngrams = self.vectors.ngrams();
        let Some(vector) = ngrams.and_then(|ngrams| ngrams.vector(word)) else { return false };
        let length = vector.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
        // A zero vector has no direction.
        let is_unit = self.composed == Composed::Unit && length > 0.0;
        add_times(sum, &vector, if is_unit { 1.0 / length } else { 1.0 });
        true
    }
}

fn add_times(sum: &mut [f64], vector: &[f32], weight: f64) {
    for (sum, &number) in sum.iter_mut().zip(vector) {
        *sum += weight * f64::from(number);
    }
}

/// The texts of the documents with these numbers, counted from 0, which rise; the stream is read no further.
pub fn texts(
    stream: &mut dyn DocumentStream,
    numbers: &[u64],
    observer: &mut dyn Observer,
) -> Result<Vec<String>> {
    let (mut found, mut start) = (Vec::with_capacity(numbers.len()), 0);
    let mut pacer = Pacer::new(observer);
    while let Some(&wanted) = numbers.get(found.len()) {
        let (done, total) = (stream.bytes_read(), stream.total_bytes());
        pacer.tick(|| Progress::new("reading documents", done, total, "bytes"))?;
        let Some(batch) = stream.next_batch()? else {
            let rule = format!("must be below {start}, the number of documents");
            return Err(Error::parameter("numbers", rule, wanted));
        };
        let decoded = batch.decode()?;
        let mut count = 0;
        for (number, (_, text)) in (start..).zip(decoded.documents()) {
            count += 1;
            if numbers.get(found.len()) == Some(&number) {
                found.push(text.to_owned());
            }
        }
        start += count;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::corpus::{Boundaries, InvalidUtf8, Origin};
    use crate::embed::WordRule;
    use crate::observe::Silent;

    /// A document a line, so many lines a batch.
    struct Lines<'a>(std::slice::Chunks<'a, &'a str>, u64);

    fn lines<'a>(documents: &'a [&'a str], batch: usize) -> Lines<'a> {
        Lines(documents.chunks(batch), 0)
    }

    impl DocumentStream for Lines<'_> {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            let Some(lines) = self.0.next() else { return Ok(None) };
            let sequence = self.1;
            self.1 += 1;
            Ok(Some(Batch {
                bytes: (lines.join("\n") + "\n").into_bytes(),
                boundaries: Boundaries::Lines,
                sequence,
                position: sequence * 1000,
                origin: Origin { path: None, offset: 0 },
                invalid: InvalidUtf8::Strict,
            }))
        }

        fn bytes_read(&self) -> u64 {
            self.1
        }
    }

    const DOCUMENTS: [&str; 5] = ["The cat", "", "emu, emu!", "the emu the CAT", "cat"];

    fn vectors() -> WordVectors {
        let matrix = vec![4.0, 1.0, 1.0, 3.0];
        WordVectors::new(["the", "cat"], matrix, 2, vec![9, 1], json!({}), Vec::new()).unwrap()
    }

    #[test]
    fn means_of_known_words_whatever_the_batches_and_threads() {
        let vectors = vectors();
        let cut = WordRule::from_name("words").unwrap();
        let weights = [0.5, 1.0];
        for (batch, threads) in [(1, 1), (1, 3), (2, 2), (5, 1)] {
            let mut stream = lines(&DOCUMENTS, batch);
            let weighing = Weighing {
                vectors: &vectors,
                weights: &weights,
                composed: Composed::Whole,
                lowercase: true,
            };
            let found = means(&mut stream, weighing, &cut, threads, &mut Silent).unwrap();
            let third = [5.0 / 3.0, 4.0 / 3.0].map(|number: f64| number as f32);
            assert_eq!(
                found.numbers,
                [1.5, 1.75, 0.0, 0.0, 0.0, 0.0, third[0], third[1], 1.0, 3.0]
            );
            assert_eq!(found.known, [2, 0, 0, 3, 1]);
            assert_eq!(found.words, [2, 0, 2, 4, 1]);
            assert_eq!(found.report.documents, 4);
        }
        let composed = Composed::Not;
        let weighing = Weighing { vectors: &vectors, weights: &[1.0], composed, lowercase: false };
        let failed = means(&mut lines(&DOCUMENTS, 2), weighing, &cut, 1, &mut Silent);
        assert!(failed.unwrap_err().to_string().contains("a number for each of 2 words"));
    }

    #[test]
    fn texts_by_number() {
        for batch in 1..6 {
            let read = |numbers: &[u64]| texts(&mut lines(&DOCUMENTS, batch), numbers, &mut Silent);
            assert_eq!(read(&[0, 1, 4]).unwrap(), ["The cat", "", "cat"]);
            assert_eq!(read(&[]).unwrap(), Vec::<String>::new());
            assert!(read(&[2, 5]).unwrap_err().to_string().contains("must be below 5"));
        }
    }
}
