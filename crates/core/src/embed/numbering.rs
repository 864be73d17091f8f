//! Which word a number among ids stands for: each thread numbers the words that it meets by itself.

use super::ids::DOCUMENT_END;
use super::vocab::{NO_ROW, WordCounts};
use crate::error::Result;
use crate::observe::{Observer, Pacer, Progress};
use crate::split::count_table::{CountTable, Slot};

/// Words between two looks at the clock.
const WORDS_PER_LOOK: usize = 1 << 12;

/// Neighboring ids that one thread wrote, and the words that it met by then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) thread: usize,
    /// Ids of the corpus up to the end of the stretch.
    pub(super) end: u64,
    /// Words that the thread has numbered up to there.
    pub(super) words: usize,
}

/// Whose numbers stand where, and what they are among all words.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    stretches: Vec<Stretch>,
    /// For each thread the number among all words of each of its own; empty if there is one thread, whose numbers
    /// are those.
    numbers: Vec<Vec<u32>>,
}

impl Numbering {
    /// Numbers all words by their first appearance in the corpus, and adds up the counts of the threads.
    pub(super) fn new(
        mut tables: Vec<CountTable>,
        stretches: Vec<Stretch>,
        observer: &mut dyn Observer,
    ) -> Result<(WordCounts, Self)> {
        if tables.len() == 1 {
            let words = WordCounts::of(tables.remove(0));
            return Ok((words, Self { stretches, numbers: Vec::new() }));
        }
        let sorted: Vec<Vec<Slot>> = tables.iter_mut().map(CountTable::take_numbered).collect();
        let total = sorted.iter().map(Vec::len).sum::<usize>() as u64;
        let mut all = CountTable::default();
        let mut numbers: Vec<Vec<u32>> = vec![Vec::new(); tables.len()];
        let (mut pacer, mut done) = (Pacer::new(observer), 0);
        // Stretches are in the order of the corpus, and so are the words of a thread.
        for &Stretch { thread, words, .. } in &stretches {
            let met = numbers[thread].len();
            for slots in sorted[thread][met..words].chunks(WORDS_PER_LOOK) {
                pacer.tick(|| Progress::new("numbering words", done, Some(total), "words"))?;
                for slot in slots {
                    let number = all.add_slot(&tables[thread], slot, all.len() as u64);
                    numbers[thread].push(number as u32);
                }
                done += slots.len() as u64;
            }
        }
        Ok((WordCounts::of(all), Self { stretches, numbers }))
    }

    /// The row of each number, if `rows` are those of the numbers among all words.
    pub(crate) fn rows(self, rows: Vec<u32>) -> Rows {
        let of_thread =
            |numbers: Vec<u32>| numbers.iter().map(|&number| rows[number as usize]).collect();
        let of_threads = if self.numbers.is_empty() {
            vec![rows]
        } else {
            self.numbers.into_iter().map(of_thread).collect()
        };
        Rows { stretches: self.stretches, of_threads }
    }
}

/// The row of each number that stands among ids.
#[derive(Debug)]
pub(crate) struct Rows {
    stretches: Vec<Stretch>,
    of_threads: Vec<Vec<u32>>,
}

impl Rows {
    #[cfg(test)]
    pub(super) fn of_one_thread(rows: Vec<u32>, ids: u64) -> Self {
        let stretches = vec![Stretch { thread: 0, end: ids, words: rows.len() }];
        Self { stretches, of_threads: vec![rows] }
    }

    /// Puts rows in the place of `length` numbers, of which the first is number `place` of the corpus; leaves out the
    /// words without a row, and returns how many are left.
    ///
    /// Of `ids`, the numbers start at `from`, and rows are written from `to` on, which is not after that.
    pub(super) fn replace(
        &self,
        place: u64,
        length: u64,
        ids: &mut [u32],
        from: u64,
        to: u64,
    ) -> u64 {
        let end = place + length;
        let (mut at, mut kept) = (place, to as usize);
        let first = self.stretches.partition_point(|stretch| stretch.end <= place);
        for stretch in &self.stretches[first..] {
            let until = stretch.end.min(end);
            let rows = &self.of_threads[stretch.thread];
            for index in (at - place + from) as usize..(until - place + from) as usize {
                let number = ids[index];
                let row = if number == DOCUMENT_END { number } else { rows[number as usize] };
                ids[kept] = row;
                kept += usize::from(row != NO_ROW);
            }
            at = until;
            if at == end {
                break;
            }
        }
        kept as u64 - to
    }
}
