//! Reading a file of ids in the place of text: its ids are counted where they lie, then become rows.

use super::ids::{DOCUMENT_END, IdCorpus, MEMORY_BUDGET};
use super::reading::{Reading, WordLimits, select};
use super::vocab::{NO_ROW, Selected, WordCounts};
use crate::corpus::ReadReport;
use crate::error::Result;
use crate::idfile::IdFile;
use crate::observe::{Observer, Pacer, Progress};
use crate::vectors::WordVectors;

/// Ids that are read at a time.
const CHUNK: u64 = 1 << 16;

/// What [`Input::read`](super::Input) makes of the text that was encoded, if `names` are the names of its tokens by id.
///
/// Ids are read in place, so that memory does not grow with the file.
pub(super) fn read(
    file: &IdFile,
    names: &[String],
    limits: WordLimits,
    known: Option<&WordVectors>,
    observer: &mut dyn Observer,
) -> Result<Reading> {
    let (counts, order) = count(file, names.len(), observer)?;
    let mut words = WordCounts::default();
    let mut numbers = vec![NO_ROW; names.len()];
    // By first appearance, as words of a text are numbered; several ids may have one name.
    for id in order {
        let (name, count) = (&names[id as usize], counts[id as usize]);
        numbers[id as usize] = words.add(name, count);
    }
    let Selected { vocabulary, occurrences, rows } = select(words, known, limits)?;
    let row = |number: u32| if number == NO_ROW { NO_ROW } else { rows[number as usize] };
    let row_of_id: Vec<u32> = numbers.into_iter().map(row).collect();
    let (ids, documents) = rows_of(file, &row_of_id, observer)?;
    let report = ReadReport { documents, bytes: file.text_bytes(), ..ReadReport::default() };
    Ok(Reading { vocabulary, occurrences, ids, report })
}

/// How often each id occurs, and the ids that do in the order of their first appearance.
fn count(
    file: &IdFile,
    vocab_size: usize,
    observer: &mut dyn Observer,
) -> Result<(Vec<u64>, Vec<u32>)> {
    let (mut counts, mut order) = (vec![0_u64; vocab_size], Vec::new());
    let mut pacer = Pacer::new(observer);
    let (mut ids, total) = (Vec::new(), file.len());
    for start in (0..total).step_by(CHUNK as usize) {
        pacer.tick(|| Progress::new("counting words", start, Some(total), "ids"))?;
        ids.clear();
        file.read(start..total.min(start + CHUNK), &mut ids)?;
        for (place, &id) in (start..).zip(&ids) {
            let count = counts.get_mut(id as usize).ok_or_else(|| file.unknown(place, id))?;
            if *count == 0 {
                order.push(id);
            }
            *count += 1;
        }
    }
    Ok((counts, order))
}

/// The rows of all ids that have one, and the number of documents that are not empty.
fn rows_of(
    file: &IdFile,
    row_of_id: &[u32],
    observer: &mut dyn Observer,
) -> Result<(IdCorpus, u64)> {
    let (mut corpus, mut documents) = (IdCorpus::new(MEMORY_BUDGET), 0);
    let mut pacer = Pacer::new(observer);
    let (mut ids, mut rows, total) = (Vec::new(), Vec::new(), file.len());
    for range in (0..).map_while(|number| file.document(number)) {
        let mut start = range.start;
        while start < range.end {
            pacer.tick(|| Progress::new("numbering words", start, Some(total), "ids"))?;
            let end = range.end.min(start + CHUNK);
            ids.clear();
            file.read(start..end, &mut ids)?;
            rows.extend(ids.iter().map(|&id| row_of_id[id as usize]).filter(|&row| row != NO_ROW));
            start = end;
        }
        if range.start < range.end {
            rows.push(DOCUMENT_END);
            documents += 1;
        }
        if rows.len() as u64 >= CHUNK {
            corpus.append(&rows)?;
            rows.clear();
        }
    }
    corpus.append(&rows)?;
    Ok((corpus, documents))
}
