//! Which words get a vector, and in which row.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::split::PieceCounts;
use crate::split::count_table::CountTable;

/// Stands for a word without a row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Words in the order of their first appearance, with counts.
#[derive(Debug, Default)]
pub(crate) struct WordCounts(CountTable);

impl WordCounts {
    /// The words of a table that holds the number of each as its first place.
    pub(crate) fn of(table: CountTable) -> Self {
        Self(table)
    }

    /// The number of a word, which is made if it is new, after adding to its count.
    pub(crate) fn add(&mut self, word: &str, count: u64) -> u32 {
        self.0.add(word.as_bytes(), count, self.0.len() as u64) as u32
    }

    /// The words and their counts, by number.
    pub(crate) fn into_counts(self) -> Result<PieceCounts> {
        // The two largest numbers have a meaning of their own among ids.
        if u32::try_from(self.0.len()).is_ok_and(|words| words < NO_ROW) {
            return Ok(PieceCounts::from_numbered(self.0));
        }
        Err(Error::corpus("the corpus holds more than 4,294,967,294 distinct words"))
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
    let words = counted.into_counts()?;
    let count = |number: u32| words.count(number as usize);
    let by_count = |&number: &u32| (std::cmp::Reverse(count(number)), number);
    // Most words are rare, and need not be put in order.
    let all = 0..words.len() as u32;
    let mut order: Vec<u32> = all.filter(|&number| count(number) >= min_count as u64).collect();
    if order.len() < 2 {
        return Err(too_few(&words, min_count));
    }
    order.sort_unstable_by_key(by_count);
    let limit = max_vocab.map_or(usize::MAX, |limit| limit as usize);
    order.truncate(limit);
    if !known.is_empty() {
        order.retain(|number| !known.contains_key(number));
        order.extend(known.keys());
    }
    let total = |number: u32| count(number) + known.get(&number).copied().unwrap_or(0);
    order.sort_unstable_by_key(|&number| (std::cmp::Reverse(total(number)), number));
    let mut rows = vec![NO_ROW; words.len()];
    let mut vocabulary = Vocabulary::default();
    for (row, &number) in order.iter().enumerate() {
        rows[number as usize] = row as u32;
        vocabulary.words.push(words.name(number as usize));
        vocabulary.counts.push(total(number));
    }
    let occurrences = order.iter().map(|&number| count(number)).collect();
    Ok(Selected { vocabulary, occurrences, rows })
}

/// Two words at least are needed: one to learn, another as noise.
fn too_few(words: &PieceCounts, min_count: i64) -> Error {
    let mut order: Vec<usize> = (0..words.len()).filter(|&word| words.count(word) > 0).collect();
    order.sort_by_key(|&word| (std::cmp::Reverse(words.count(word)), word));
    let word = |place: usize| format!("{:?}", words.name(order[place]));
    let count = |place: usize| words.count(order[place]);
    Error::corpus(match order.len() {
        0 => "the corpus holds no words".to_owned(),
        1 => format!(
            "the corpus holds one distinct word, {} ({} times). Vectors need at least two: the other \
             words are what a word is told apart from",
            word(0),
            count(0)
        ),
        distinct => format!(
            "{} of {distinct} distinct words occur{} at least min_count={min_count} times: the most frequent \
             are {} ({}) and {} ({}). Two words at least are needed; the largest useful min_count is {}",
            if count(0) < min_count as u64 { "none" } else { "only one" },
            if count(0) < min_count as u64 { "" } else { "s" },
            word(0),
            count(0),
            word(1),
            count(1),
            count(1)
        ),
    })
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
            counts.add(word, count);
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
        let known = known.map(|(word, count)| (words.add(word, 0), count));
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
