//! Which words get a vector, and in which row.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// Stands for a word without a row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Words in the order of their first appearance, with counts.
#[derive(Debug, Default)]
pub(crate) struct WordCounts {
    numbers: FxHashMap<Box<str>, u32>,
    counts: Vec<u64>,
}

impl WordCounts {
    /// The number of a word, which is made if it is new, after adding to its count.
    ///
    /// `None` when there are more distinct words than numbers.
    pub(crate) fn add(&mut self, word: &str, count: u64) -> Option<u32> {
        if let Some(&number) = self.numbers.get(word) {
            self.counts[number as usize] += count;
            return Some(number);
        }
        // The two largest numbers have a meaning of their own among ids.
        let number = u32::try_from(self.counts.len()).ok().filter(|&number| number < NO_ROW - 1)?;
        self.numbers.insert(word.into(), number);
        self.counts.push(count);
        Some(number)
    }

    /// The words and their counts, by number.
    pub(crate) fn into_parts(self) -> (Vec<String>, Vec<u64>) {
        let mut words = vec![String::new(); self.counts.len()];
        for (word, number) in self.numbers {
            words[number as usize] = word.into_string();
        }
        (words, self.counts)
    }
}

/// Words with a row, in row order: by falling count, then by first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The words.
    pub words: Vec<String>,
    /// How often each occurs.
    pub counts: Vec<u64>,
}

impl Vocabulary {
    /// Words that are kept, over the whole corpus.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Words that get a row in any case, as their numbers, each with a count that is added to that in the corpus.
pub(crate) type Known = FxHashMap<u32, u64>;

/// What [`select`] picked.
#[derive(Debug)]
pub(crate) struct Selected {
    pub(crate) vocabulary: Vocabulary,
    /// How often each word with a row occurs in the corpus itself.
    pub(crate) occurrences: Vec<u64>,
    /// The row of each number of what was counted, or [`NO_ROW`].
    pub(crate) rows: Vec<u32>,
}

/// Picks the words that get a row.
///
/// The settings are those of the trainer: the least count, and the most words if there is a limit.
pub(crate) fn select(
    counted: WordCounts,
    known: &Known,
    min_count: i64,
    max_vocab: Option<i64>,
) -> Result<Selected> {
    let (mut words, counts) = counted.into_parts();
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_by_key(|&number| (std::cmp::Reverse(counts[number as usize]), number));
    let frequent = order.partition_point(|&number| counts[number as usize] >= min_count as u64);
    let occurring = order.partition_point(|&number| counts[number as usize] > 0);
    check(&order[..occurring], &words, &counts, frequent, min_count)?;
    let limit = max_vocab.map_or(usize::MAX, |limit| limit as usize);
    order.truncate(frequent.min(limit));
    if !known.is_empty() {
        order.retain(|number| !known.contains_key(number));
        order.extend(known.keys());
    }
    let total = |number: u32| counts[number as usize] + known.get(&number).copied().unwrap_or(0);
    order.sort_by_key(|&number| (std::cmp::Reverse(total(number)), number));
    let mut rows = vec![NO_ROW; counts.len()];
    let mut vocabulary = Vocabulary::default();
    for (row, &number) in order.iter().enumerate() {
        rows[number as usize] = row as u32;
        vocabulary.words.push(std::mem::take(&mut words[number as usize]));
        vocabulary.counts.push(total(number));
    }
    let occurrences = order.iter().map(|&number| counts[number as usize]).collect();
    Ok(Selected { vocabulary, occurrences, rows })
}

/// Two words at least are needed: one to learn, another as noise.
fn check(
    order: &[u32],
    words: &[String],
    counts: &[u64],
    frequent: usize,
    min_count: i64,
) -> Result<()> {
    let word = |place: usize| format!("{:?}", words[order[place] as usize]);
    let count = |place: usize| counts[order[place] as usize];
    let reason = match (order.len(), frequent) {
        (0, _) => "the corpus holds no words".to_owned(),
        (1, _) => format!(
            "the corpus holds one distinct word, {} ({} times). Vectors need at least two: the other \
             words are what a word is told apart from",
            word(0),
            count(0)
        ),
        (_, 0 | 1) => format!(
            "{} of {} distinct words occur{} at least min_count={min_count} times: the most frequent are \
             {} ({}) and {} ({}). Two words at least are needed; the largest useful min_count is {}",
            if frequent == 0 { "none" } else { "only one" },
            order.len(),
            if frequent == 0 { "" } else { "s" },
            word(0),
            count(0),
            word(1),
            count(1),
            count(1)
        ),
        _ => return Ok(()),
    };
    Err(Error::corpus(reason))
}

/// What to say when no two words of the vocabulary stand in one document.
pub(crate) fn no_pairs(min_count: i64) -> Error {
    Error::corpus(format!(
        "no word has another word beside it: each document holds at most one word that occurs at least \
         min_count={min_count} times. Join lines into longer documents, or lower min_count"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(words: &[(&str, u64)]) -> WordCounts {
        let mut counts = WordCounts::default();
        for &(word, count) in words {
            counts.add(word, count).unwrap();
        }
        counts
    }

    #[test]
    fn rows_follow_counts_then_first_appearance() {
        let words = [("b", 2), ("a", 5), ("rare", 1), ("c", 2), ("d", 2), ("a", 1)];
        let selected = select(counted(&words), &Known::default(), 2, Some(3)).unwrap();
        assert_eq!(selected.vocabulary.words, ["a", "b", "c"]);
        assert_eq!(selected.vocabulary.counts, [6, 2, 2]);
        assert_eq!(selected.rows, [1, 0, NO_ROW, 2, NO_ROW]);
    }

    #[test]
    fn known_words_keep_their_rows_and_counts() {
        let mut words = counted(&[("a", 5), ("rare", 1), ("b", 3)]);
        let known = [("old", 4), ("rare", 9)];
        let known = known.map(|(word, count)| (words.add(word, 0).unwrap(), count));
        let selected = select(words, &known.into_iter().collect(), 2, Some(1)).unwrap();
        assert_eq!(selected.vocabulary.words, ["rare", "a", "old"]);
        assert_eq!(selected.vocabulary.counts, [10, 5, 4]);
        assert_eq!(selected.occurrences, [1, 5, 0]);
        assert_eq!(selected.rows, [1, 0, NO_ROW, 2]);
    }

    #[test]
    fn too_few_words_say_what_would_help() {
        let message = |words: &[(&str, u64)]| {
            select(counted(words), &Known::default(), 5, None).unwrap_err().to_string()
        };
        assert!(message(&[]).contains("no words"));
        assert!(message(&[("a", 9)]).contains("one distinct word, \"a\" (9 times)"));
        let none = message(&[("a", 4), ("b", 3)]);
        assert!(none.starts_with("none of 2 distinct words occur at least min_count=5"), "{none}");
        assert!(none.ends_with("the largest useful min_count is 3"), "{none}");
        assert!(message(&[("a", 9), ("b", 3)]).starts_with("only one of 2"));
    }
}
