//! One pass over the corpus: words are cut, counted and numbered.

use rustc_hash::FxHashMap;

use super::ids::{DOCUMENT_END, IdCorpus, MEMORY_BUDGET};
use super::vocab::WordCounts;
use crate::corpus::{Batch, Decoded, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer};

/// Cuts a document into words.
pub(crate) type Cut<'a> = dyn Fn(&str, &mut dyn FnMut(&str)) + Sync + 'a;

/// What one pass over the corpus found.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) words: WordCounts,
    pub(crate) ids: IdCorpus,
    pub(crate) report: ReadReport,
}

/// Words of one batch: each distinct one once, and the batch as numbers of those.
struct BatchWords {
    text: String,
    ends: Vec<usize>,
    counts: Vec<u64>,
    ids: Vec<u32>,
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
    let mut counted = Counted {
        words: WordCounts::default(),
        ids: IdCorpus::new(MEMORY_BUDGET),
        report: ReadReport::default(),
    };
    map_in_order(
        stream,
        threads,
        "counting words",
        observer,
        || (),
        |(), batch, monitor| words_of(batch, cut, lowercase, monitor),
        |batch| take(&mut counted, batch),
    )?;
    Ok(counted)
}

fn take(counted: &mut Counted, mut batch: BatchWords) -> Result<()> {
    let mut numbers = Vec::with_capacity(batch.ends.len());
    let mut start = 0;
    for (&end, &count) in batch.ends.iter().zip(&batch.counts) {
        let word = &batch.text[start..end];
        let number = counted.words.add(word, count).ok_or_else(too_many_words)?;
        numbers.push(number);
        start = end;
    }
    for id in &mut batch.ids {
        if *id != DOCUMENT_END {
            *id = numbers[*id as usize];
        }
    }
    counted.report.merge(batch.report);
    counted.ids.append(&batch.ids)
}

/// What to say when words are more than numbers.
pub(crate) fn too_many_words() -> Error {
    Error::corpus("the corpus holds more than 4,294,967,293 distinct words")
}

fn words_of(
    batch: &Batch,
    cut: &Cut<'_>,
    lowercase: bool,
    monitor: &Monitor,
) -> Result<BatchWords> {
    let decoded = batch.decode()?;
    let mut words = BatchWords {
        text: String::new(),
        ends: Vec::new(),
        counts: Vec::new(),
        ids: Vec::with_capacity(decoded.text.len() / 5),
        report: ReadReport::default(),
    };
    if lowercase {
        // Lower-casing a whole batch at once moves its boundaries, so each document is done by itself.
        let documents: Vec<String> =
            decoded.documents().map(|(_, text)| text.to_lowercase()).collect();
        number_words(documents.iter().map(String::as_str), cut, &mut words, monitor);
    } else {
        number_words(decoded.documents().map(|(_, text)| text), cut, &mut words, monitor);
    }
    words.report.add(batch, &decoded);
    words.report.documents = documents_with_text(&decoded);
    Ok(words)
}

fn documents_with_text(decoded: &Decoded<'_>) -> u64 {
    decoded.documents().filter(|(_, text)| !text.is_empty()).count() as u64
}

fn number_words<'a>(
    documents: impl Iterator<Item = &'a str>,
    cut: &Cut<'_>,
    words: &mut BatchWords,
    monitor: &Monitor,
) {
    let mut numbers: FxHashMap<Box<str>, u32> = FxHashMap::default();
    for document in documents {
        let before = words.ids.len();
        let mut looks = 0_u32;
        cut(document, &mut |word| {
            looks += 1;
            // A document may be the whole corpus; the rest of it is skipped when the run was stopped.
            if looks.is_multiple_of(4096) && monitor.stopped() {
                return;
            }
            let number = if let Some(&number) = numbers.get(word) {
                words.counts[number as usize] += 1;
                number
            } else {
                let number = words.ends.len() as u32;
                numbers.insert(word.into(), number);
                words.text.push_str(word);
                words.ends.push(words.text.len());
                words.counts.push(1);
                number
            };
            words.ids.push(number);
        });
        if words.ids.len() > before {
            words.ids.push(DOCUMENT_END);
        }
    }
}
