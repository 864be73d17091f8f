//! One pass over the corpus: words are cut, counted and numbered.
//!
//! Each thread has a table of the words that it met, and numbers them by first appearance; what it writes down of a
//! batch are its own numbers. Which words those are is put together when all is read ([`Numbering`]), so that no
//! word is looked up twice.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use std::cell::Cell;
use std::ops::Range;

use super::ids::{DOCUMENT_END, IdCorpus, MEMORY_BUDGET};
use super::numbering::{Numbering, Stretch};
use super::vocab::WordCounts;
use crate::corpus::{Batch, Decoded, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer};
use crate::simd::level::{self, Level, Task};
use crate::split::SplitRule;
use crate::split::count_table::{CountTable, Key};
use crate::split::spans::{MOST_SPANS, Spans, Taker};

/// Words between two looks at the wish to stop, where they come one by one.
const WORDS_PER_LOOK: u32 = 1 << 12;

/// Cuts a document into words.
pub trait CutWords: Sync {
    /// Calls `take` with each word of `document`, in order.
    fn cut(&self, document: &str, take: &mut dyn FnMut(&str));

    /// The same in lower case, if `lowercase` says so.
    fn cut_as(&self, document: &str, lowercase: bool, take: &mut dyn FnMut(&str)) {
        if lowercase {
            self.cut(&document.to_lowercase(), take);
        } else {
            self.cut(document, take);
        }
    }

    /// The rule that finds the same words, if there is one; with [`SplitRule::Words`] those of them that have a
    /// letter or a number.
    fn rule(&self) -> Option<SplitRule> {
        None
    }
}

/// Cuts a document into words.
pub(crate) type Cut<'a> = dyn CutWords + 'a;

/// What one pass over the corpus found.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) words: WordCounts,
    /// The corpus, in numbers of which `numbering` knows what they mean.
    pub(crate) ids: IdCorpus,
    pub(crate) numbering: Numbering,
    pub(crate) report: ReadReport,
}

/// A batch as numbers of words.
struct BatchIds {
    ids: Vec<u32>,
    thread: usize,
    /// Words that the thread has numbered up to here.
    words: usize,
    report: ReadReport,
}

/// Reads the corpus once; words are numbered by first appearance, whatever the number of threads.
pub(crate) fn count(
    stream: &mut dyn DocumentStream,
    cut: &Cut<'_>,
    lowercase: bool,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Counted> {
    let (mut ids, mut report) = (IdCorpus::new(MEMORY_BUDGET), ReadReport::default());
    let (mut stretches, started) = (Vec::new(), Cell::new(0));
    let counters = map_in_order(
        stream,
        threads,
        "counting words",
        observer,
        || Counter::new(started.replace(started.get() + 1)),
        |counter, batch, monitor| counter.number(batch, cut, lowercase, monitor),
        |batch| {
            ids.append(&batch.ids)?;
            report.merge(batch.report);
            let BatchIds { thread, words, .. } = batch;
            stretches.push(Stretch { thread, end: ids.len(), words });
            Ok(())
        },
    )?;
    let mut tables: Vec<_> = counters.into_iter().map(|one| (one.thread, one.table)).collect();
    tables.sort_unstable_by_key(|&(thread, _)| thread);
    let tables = tables.into_iter().map(|(_, table)| table).collect();
    let (words, numbering) = Numbering::new(tables, stretches, observer)?;
    Ok(Counted { words, ids, numbering, report })
}

/// What one thread counts with.
struct Counter {
    thread: usize,
    /// The words that it met, with their numbers as first places.
    table: CountTable,
    spans: Spans,
    keys: [(Key, u64); MOST_SPANS],
}

impl Counter {
    fn new(thread: usize) -> Self {
        let (table, spans) = (CountTable::default(), Spans::default());
        Self { thread, table, spans, keys: [(Key::default(), 0); MOST_SPANS] }
    }

    fn number(
        &mut self,
        batch: &Batch,
        cut: &Cut<'_>,
        lowercase: bool,
        monitor: &Monitor,
    ) -> Result<BatchIds> {
        let decoded = batch.decode()?;
        let mut report = ReadReport::default();
        report.add(batch, &decoded);
        report.documents = decoded.documents().filter(|(_, text)| !text.is_empty()).count() as u64;
        let lowered;
        let (text, documents) = if lowercase {
            lowered = lowercased(&decoded);
            (lowered.0.as_str(), &lowered.1)
        } else {
            (&*decoded.text, &ranges(&decoded))
        };
        let mut ids = Vec::with_capacity(text.len() / 4);
        // Places in a text are kept in 32 bits.
        let is_small = u32::try_from(text.len()).is_ok();
        match cut.rule().filter(|rule| rule.drops_spaces() && is_small) {
            Some(rule) => {
                let ids = &mut ids;
                level::run(Number { counter: self, text, documents, rule, ids, monitor })?;
            }
            None => self.number_one_by_one(text, documents, cut, &mut ids, monitor)?,
        }
        let (thread, words) = (self.thread, self.table.len());
        Ok(BatchIds { ids, thread, words, report })
    }

    fn number_one_by_one(
        &mut self,
        text: &str,
        documents: &[Range<usize>],
        cut: &Cut<'_>,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        for document in documents {
            let before = ids.len();
            let mut looks = 0_u32;
            cut.cut(&text[document.clone()], &mut |word| {
                looks += 1;
                // A document may be the whole corpus; the rest of it is skipped when the run was stopped.
                if looks.is_multiple_of(WORDS_PER_LOOK) && monitor.stopped() {
                    return;
                }
                let number = self.table.add(word.as_bytes(), 1, self.table.len() as u64);
                ids.push(number as u32);
            });
            if ids.len() > before {
                ids.push(DOCUMENT_END);
            }
        }
        if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Where the documents of a batch lie in its text.
fn ranges(decoded: &Decoded<'_>) -> Vec<Range<usize>> {
    decoded.documents().map(|(start, document)| start..start + document.len()).collect()
}

/// The documents of a batch in lower case, each by itself: some characters change their length.
fn lowercased(decoded: &Decoded<'_>) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(decoded.text.len());
    let lower = |(_, document): (usize, &str)| {
        let start = text.len();
        text.push_str(&document.to_lowercase());
        start..text.len()
    };
    let documents = decoded.documents().map(lower).collect();
    (text, documents)
}

/// Numbers the words of a batch that a rule finds.
struct Number<'a> {
    counter: &'a mut Counter,
    text: &'a str,
    documents: &'a [Range<usize>],
    rule: SplitRule,
    ids: &'a mut Vec<u32>,
    monitor: &'a Monitor,
}

impl Task for Number<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self, level: impl Level) -> Result<()> {
        let Self { counter, text, documents, rule, ids, monitor } = self;
        let Counter { table, spans, keys, .. } = counter;
        let mut taker = LookUp { table, keys, text, rule, ids, monitor };
        for document in documents {
            spans.find(level, text.as_bytes(), document.clone(), rule, &mut taker)?;
            spans.end_document(level, document.end, &mut taker)?;
        }
        spans.hand_over(level, &mut taker)
    }
}

/// Looks words up some hundred at a time: their slots are fetched meanwhile.
struct LookUp<'a> {
    table: &'a mut CountTable,
    keys: &'a mut [(Key, u64); MOST_SPANS],
    text: &'a str,
    rule: SplitRule,
    ids: &'a mut Vec<u32>,
    monitor: &'a Monitor,
}

impl Taker for LookUp<'_> {
    #[inline(always)]
    fn take(&mut self, level: impl Level, starts: &[u32], ends: &[u32]) -> Result<()> {
        let Self { table, keys, text, rule, ids, monitor } = self;
        if monitor.stopped() {
            return Err(Error::Cancelled);
        }
        let bytes = text.as_bytes();
        for ((known, &start), &end) in keys.iter_mut().zip(starts).zip(ends) {
            let key = Key::new(level, bytes, start as usize, end as usize);
            let hash = table.hash(key);
            table.prefetch(hash);
            *known = (key, hash);
        }
        for ((&(key, hash), &start), &end) in keys.iter().zip(starts).zip(ends) {
            let place = start as usize..end as usize;
            if place.is_empty() {
                if ids.last().is_some_and(|&id| id != DOCUMENT_END) {
                    ids.push(DOCUMENT_END);
                }
                continue;
            }
            let is_plain = key.first_byte().is_some_and(|byte| byte.is_ascii_alphanumeric());
            if *rule == SplitRule::Words && !is_plain && !has_letter(&text[place.clone()]) {
                continue;
            }
            let number = table.add_known(key, hash, &bytes[place], 1, table.len() as u64);
            ids.push(number as u32);
        }
        Ok(())
    }
}

/// Whether a word is not only underscores and marks.
fn has_letter(word: &str) -> bool {
    word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Boundaries, InvalidUtf8, Origin};
    use crate::embed::WordRule;
    use crate::observe::Silent;

    /// Lines, so many bytes in a batch.
    struct Lines {
        text: &'static str,
        batch: usize,
        at: usize,
        sequence: u64,
    }

    impl DocumentStream for Lines {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return Ok(None);
            }
            let from = rest.len().min(self.batch);
            let end = rest.as_bytes()[from..].iter().position(|&byte| byte == b'\n');
            let bytes = rest.as_bytes()[..end.map_or(rest.len(), |end| from + end + 1)].to_vec();
            self.at += bytes.len();
            self.sequence += 1;
            Ok(Some(Batch {
                bytes,
                boundaries: Boundaries::Lines,
                sequence: self.sequence - 1,
                position: 0,
                origin: Origin { path: None, offset: 0 },
                invalid: InvalidUtf8::Strict,
            }))
        }

        fn bytes_read(&self) -> u64 {
            self.at as u64
        }
    }

    /// A rule that does not say that it is one.
    struct OneByOne(WordRule);

    impl CutWords for OneByOne {
        fn cut(&self, document: &str, take: &mut dyn FnMut(&str)) {
            self.0.cut(document, take);
        }
    }

    /// The words with counts by number, and the corpus in numbers.
    type Found = (Vec<(String, u64)>, Vec<u32>);

    fn found(
        text: &'static str,
        batch: usize,
        cut: &Cut<'_>,
        lower: bool,
        threads: usize,
    ) -> Found {
        let mut stream = Lines { text, batch, at: 0, sequence: 0 };
        let counted = count(&mut stream, cut, lower, threads, &mut Silent).unwrap();
        let words = counted.words.into_counts().unwrap();
        let mut ids = counted.ids;
        let rows = counted.numbering.rows((0..words.len() as u32).collect());
        ids.keep_rows(&rows, &mut Silent).unwrap();
        let mut buffer = Vec::new();
        let (part, core) = ids.part(0, ids.len(), 0, &mut buffer).unwrap();
        let named = (0..words.len()).map(|word| (words.name(word), words.count(word)));
        (named.collect(), part[core].to_vec())
    }

    /// Documents of pieces that are hard to cut, in an order that looks random; the longer ones fill windows.
    fn hard_text() -> &'static str {
        const PIECES: [&str; 32] = [
            "the",
            " ",
            "a",
            "_",
            "__",
            " _ ",
            "don't",
            "\u{a0}",
            "é",
            "e\u{301}",
            "\u{301}",
            "中文",
            "\u{24b6}",
            "x\u{24b6}",
            "\u{1f600}",
            "–",
            "…",
            "\u{3000}",
            "नमस्ते",
            "Ǆ",
            "İ",
            "Σ",
            "\n",
            "\n\n",
            "12",
            "\r\n",
            ".",
            "ⅷ",
            "a word of more than fifteen",
            "sixteen_bytes_ab",
            "²",
            "\u{85}",
        ];
        let (mut state, mut text) = (7_u64, String::new());
        for number in 0..40_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            text.push_str(PIECES[(state >> 59) as usize]);
            match number % 1000 {
                300..350 => text.push('q'),
                600..640 => text.push_str("plain words "),
                _ => {}
            }
        }
        text.leak()
    }

    #[test]
    fn words_by_windows_are_those_one_by_one_for_any_number_of_threads() {
        let text = hard_text();
        for rule in ["words", "whitespace"] {
            let rule = WordRule::from_name(rule).unwrap();
            for lower in [false, true] {
                let expected = found(text, usize::MAX, &OneByOne(rule.clone()), lower, 1);
                assert!(expected.0.len() > 100);
                for (batch, threads) in [(usize::MAX, 1), (10, 1), (1000, 2), (5000, 3)] {
                    assert_eq!(found(text, batch, &rule, lower, threads), expected);
                }
            }
        }
    }

    #[test]
    fn numbers_follow_first_appearance_and_documents_end() {
        let text = "b a\n\n ?!\nb\u{24b6} c_ _ a\n";
        let rule = WordRule::from_name("words").unwrap();
        let (words, ids) = found(text, 1, &rule, false, 2);
        let expected = [("b", 2), ("a", 2), ("\u{24b6}", 1), ("c_", 1)];
        assert_eq!(words, expected.map(|(word, count)| (word.to_owned(), count)));
        assert_eq!(ids, [0, 1, DOCUMENT_END, 0, 2, 3, 1, DOCUMENT_END]);
    }
}
