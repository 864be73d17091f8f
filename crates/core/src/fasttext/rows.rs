//! Which rows make up which word.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};
use crate::subword::{Combine, Index, Naming, Scheme, hash, ngrams};
use crate::vectors::Words;

/// The rows of all words: first one for each word, then those of their n-grams, frequent ones first.
///
/// Only n-grams that occur in a word have a row, so that buckets without any cost nothing, and rows that are
/// used together lie together.
#[derive(Debug)]
pub(super) struct WordRows {
    scheme: Scheme,
    /// Where the rows of each word start in `rows`, and the end of the last.
    starts: Vec<u64>,
    rows: Vec<u32>,
    /// How much a row moves when the vector of the word moves by 1.
    steps: Vec<f32>,
    /// Of each row behind those of the words: its bucket, or its text.
    names: Names,
}

/// What the rows of n-grams stand for.
#[derive(Debug)]
enum Names {
    Buckets(Vec<u32>),
    Texts(Vec<Box<str>>),
}

impl WordRows {
    /// Cuts all words, of which each occurs so often.
    pub(super) fn new(
        words: &[String],
        counts: &[u64],
        scheme: Scheme,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let mut found = Found::new(words, &scheme);
        let (mut starts, mut rows, mut steps) = (vec![0], Vec::new(), Vec::new());
        let mut pacer = Pacer::new(observer);
        for (word, (text, &count)) in words.iter().zip(counts).enumerate() {
            pacer.tick(|| {
                Progress::new("cutting words", word as u64, Some(words.len() as u64), "words")
            })?;
            let start = rows.len();
            rows.push(word as u32);
            found.cut(text, count, &scheme, &mut rows)?;
            steps.push(step_of(&rows[start..], &scheme));
            starts.push(rows.len() as u64);
        }
        let (order, names) = found.by_frequency();
        let base = words.len() as u32;
        for row in &mut rows {
            if *row >= base {
                *row = base + order[(*row - base) as usize];
            }
        }
        Ok(Self { scheme, starts, rows, steps, names })
    }

    /// The rows of a word, its own among them; one is listed as often as its n-gram occurs.
    pub(super) fn of(&self, word: u32) -> &[u32] {
        let word = word as usize;
        &self.rows[self.starts[word] as usize..self.starts[word + 1] as usize]
    }

    /// By what the sum of a word's rows is multiplied to give its vector.
    pub(super) fn factor(&self, word: u32) -> f32 {
        match self.scheme.combine {
            Combine::Sum => 1.0,
            _ => (1.0 / self.of(word).len() as f64) as f32,
        }
    }

    /// How much each row of a word moves, as often as it is listed, for the vector to move by 1.
    pub(super) fn step(&self, word: u32) -> f32 {
        self.steps[word as usize]
    }

    /// Rows of words.
    pub(super) fn words(&self) -> usize {
        self.steps.len()
    }

    /// All rows.
    pub(super) fn len(&self) -> usize {
        self.words() + self.ngrams()
    }

    fn ngrams(&self) -> usize {
        match &self.names {
            Names::Buckets(buckets) => buckets.len(),
            Names::Texts(texts) => texts.len(),
        }
    }

    /// The mean number of rows of a word.
    pub(super) fn mean_length(&self) -> f64 {
        self.rows.len() as f64 / self.words().max(1) as f64
    }

    /// How words are cut.
    pub(super) fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The bucket of a row, where n-grams are hashed and the row is not that of a word.
    pub(super) fn bucket(&self, row: u32) -> Option<u32> {
        match &self.names {
            Names::Buckets(buckets) => {
                buckets.get((row as usize).checked_sub(self.words())?).copied()
            }
            Names::Texts(_) => None,
        }
    }

    /// The n-gram of a row, where each has one of its own.
    pub(super) fn text(&self, row: u32, words: &[String]) -> Option<String> {
        let Names::Texts(texts) = &self.names else { return None };
        let row = row as usize;
        Some(words.get(row).map_or_else(
            || texts[row - words.len()].to_string(),
            |word| format!("{}{word}{}", self.scheme.begin, self.scheme.end),
        ))
    }

    /// Which n-grams have which row in a table of their own, and the rows of the table in its order.
    pub(super) fn table(&self, words: &[String]) -> Result<(Index, Vec<u32>)> {
        let base = self.words() as u32;
        match &self.names {
            Names::Buckets(buckets) => {
                let mut order: Vec<u32> = (0..buckets.len() as u32).collect();
                order.sort_unstable_by_key(|&row| buckets[row as usize]);
                let buckets = order.iter().map(|&row| buckets[row as usize]).collect();
                let rows = order.into_iter().map(|row| base + row).collect();
                Ok((Index::Some { buckets, dropped: false }, rows))
            }
            Names::Texts(_) => {
                let rows: Vec<u32> = (0..self.len() as u32).collect();
                let texts: Vec<String> =
                    rows.iter().filter_map(|&row| self.text(row, words)).collect();
                let ngrams = Words::new(texts.iter().map(String::as_str)).map_err(|ngram| {
                    Error::corpus(format!("two words have the n-gram {ngram:?} as a whole"))
                })?;
                Ok((Index::Text { ngrams, rows: None }, rows))
            }
        }
    }
}

/// A row that is listed m times moves m times as far, and is counted m times again.
fn step_of(rows: &[u32], scheme: &Scheme) -> f32 {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    let squares: usize = sorted.chunk_by(|a, b| a == b).map(|same| same.len() * same.len()).sum();
    let count = if scheme.combine == Combine::Sum { 1 } else { rows.len() };
    (count as f64 / squares as f64) as f32
}

/// N-grams in the order in which they were met.
struct Found {
    base: u32,
    buckets: FxHashMap<u32, u32>,
    /// Marked words have the rows of their words.
    texts: FxHashMap<Box<str>, u32>,
    /// How often each n-gram occurs in the corpus.
    counts: Vec<u64>,
    marked: String,
}

impl Found {
    fn new(words: &[String], scheme: &Scheme) -> Self {
        let mut texts = FxHashMap::default();
        if scheme.naming == Naming::Text {
            for (row, word) in (0..).zip(words) {
                texts.insert(format!("{}{word}{}", scheme.begin, scheme.end).into_boxed_str(), row);
            }
        }
        let base = words.len() as u32;
        Self {
            base,
            buckets: FxHashMap::default(),
            texts,
            counts: Vec::new(),
            marked: String::new(),
        }
    }

    /// Appends the rows of the n-grams of a word.
    fn cut(&mut self, word: &str, count: u64, scheme: &Scheme, rows: &mut Vec<u32>) -> Result<()> {
        if !scheme.cuts(word.as_bytes()) {
            return Ok(());
        }
        let mut marked = std::mem::take(&mut self.marked);
        marked.clear();
        for part in [&scheme.begin, word, &scheme.end] {
            marked.push_str(part);
        }
        let first = rows.len() - 1;
        let mut full = false;
        ngrams::each(marked.as_bytes(), scheme.min_n, scheme.max_n, scheme.lone_marks(), |ngram| {
            match self.row(ngram, scheme) {
                Some(row) => {
                    if row >= self.base {
                        let met = &mut self.counts[(row - self.base) as usize];
                        *met = met.saturating_add(count);
                    }
                    rows.push(row);
                }
                None => full = true,
            }
        });
        self.marked = marked;
        if scheme.naming == Naming::Text {
            // Each n-gram has a row of its own, and counts once.
            rows[first..].sort_unstable();
            let mut kept = first;
            for at in first..rows.len() {
                if at == first || rows[at] != rows[kept - 1] {
                    rows[kept] = rows[at];
                    kept += 1;
                }
            }
            rows.truncate(kept);
        }
        if full {
            return Err(Error::corpus("the words have more than 4,294,967,295 different n-grams"));
        }
        Ok(())
    }

    /// The row of an n-gram, which is made if it is new; `None` where there are too many.
    fn row(&mut self, ngram: &[u8], scheme: &Scheme) -> Option<u32> {
        let next = u32::try_from(self.base as usize + self.counts.len()).ok()?;
        let row = if scheme.naming == Naming::Text {
            let text = str::from_utf8(ngram).unwrap_or_default();
            match self.texts.get(text) {
                Some(&row) => row,
                None => *self.texts.entry(text.into()).or_insert(next),
            }
        } else {
            let bucket = hash::fasttext(ngram) % scheme.buckets().unwrap_or(1);
            *self.buckets.entry(bucket).or_insert(next)
        };
        if row == next {
            self.counts.push(0);
        }
        Some(row)
    }

    /// The place of each n-gram among all by falling frequency, and what they stand for in that order.
    fn by_frequency(self) -> (Vec<u32>, Names) {
        let Self { base, buckets, texts, counts, .. } = self;
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_by_key(|&met| (std::cmp::Reverse(counts[met as usize]), met));
        let mut places = vec![0; order.len()];
        for (place, &met) in (0..).zip(&order) {
            places[met as usize] = place;
        }
        let names = if texts.is_empty() {
            let mut named = vec![0; order.len()];
            for (bucket, row) in buckets {
                named[places[(row - base) as usize] as usize] = bucket;
            }
            Names::Buckets(named)
        } else {
            let mut named: Vec<Box<str>> = vec![Box::from(""); order.len()];
            for (text, row) in texts {
                if row >= base {
                    named[places[(row - base) as usize] as usize] = text;
                }
            }
            Names::Texts(named)
        };
        (places, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;
    use crate::subword::{Parts, Table};

    fn words() -> Vec<String> {
        ["the", "banana", "anana", "<a>", "a", "日本"].map(String::from).to_vec()
    }

    #[test]
    fn rows_are_those_of_the_table() {
        for scheme in
            [Scheme::fasttext(2, 4, 50), Scheme::fasttext(3, 6, 1000), Scheme::explicit(1, 3)]
        {
            let words = words();
            let rows = WordRows::new(&words, &[9, 5, 3, 2, 1, 1], scheme, &mut Silent).unwrap();
            let (index, order) = rows.table(&words).unwrap();
            let table = Table::new(rows.scheme().clone(), index, order.len()).unwrap();
            let mut parts = Parts::default();
            for (number, word) in (0..).zip(&words) {
                table.find(word.as_bytes(), &mut parts);
                let mut expected: Vec<u32> =
                    parts.rows.iter().map(|&row| order[row as usize]).collect();
                let mut found = rows.of(number).to_vec();
                if rows.scheme().combine == Combine::Mean {
                    assert_eq!(found.remove(0), number);
                    assert_eq!(parts.count, found.len());
                    assert!(found.iter().all(|&row| rows.bucket(row).is_some()));
                }
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{word}");
            }
        }
    }

    #[test]
    fn frequent_ngrams_come_first_and_steps_move_the_vector_by_one() {
        let words = words();
        let scheme = Scheme::fasttext(3, 3, 2_000_000);
        let rows = WordRows::new(&words, &[9, 5, 3, 2, 1, 1], scheme, &mut Silent).unwrap();
        // "ana" occurs twice in both words that have it.
        let ana = rows.of(1)[3];
        assert_eq!(ana, words.len() as u32);
        for word in 0..words.len() as u32 {
            let listed = rows.of(word);
            let moved: f32 = listed
                .iter()
                .map(|row| listed.iter().filter(|&other| other == row).count() as f32)
                .sum::<f32>()
                * rows.step(word)
                * rows.factor(word);
            assert!((moved - 1.0).abs() < 1e-6);
        }
    }
}
