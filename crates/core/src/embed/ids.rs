//! The corpus as numbers: written once, then read by every thread in every epoch.
//!
//! Numbers are kept in memory up to a budget, and in an anonymous temporary file beyond it, so that
//! memory does not grow with the corpus. [`DOCUMENT_END`] stands after each document.

use std::fs::File;
use std::io;

use super::numbering::Rows;
use crate::error::{Error, Result};
use crate::observe::{Observer, Pacer, Progress};

/// Stands for the end of a document.
pub(crate) const DOCUMENT_END: u32 = u32::MAX - 1;

/// Bytes of ids that are kept in memory.
pub(crate) const MEMORY_BUDGET: usize = 64 << 20;

/// Ids that are rewritten or read at a time.
const CHUNK: usize = 1 << 18;

/// Most ids that one thread works on before it takes the next part.
const LARGEST_PART: u64 = 1 << 15;

/// The fewest; smaller parts would spend their time on being handed out.
const SMALLEST_PART: u64 = 1 << 11;

/// Parts for each thread, so that all end at about the same time.
const PARTS_PER_THREAD: u64 = 8;

/// The ids of a corpus, and the places of its documents.
#[derive(Debug)]
pub(crate) struct IdCorpus {
    memory: Vec<u32>,
    file: Option<File>,
    length: u64,
    budget: usize,
}

impl IdCorpus {
    /// An empty corpus that keeps at most `budget` bytes in memory.
    pub(crate) fn new(budget: usize) -> Self {
        Self { memory: Vec::new(), file: None, length: 0, budget }
    }

    /// Ids and document ends, in all.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Appends ids; each document ends with [`DOCUMENT_END`].
    pub(crate) fn append(&mut self, ids: &[u32]) -> Result<()> {
        self.memory.extend_from_slice(ids);
        self.length += ids.len() as u64;
        if self.memory.len() * 4 > self.budget {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile().map_err(temporary)?),
        };
        let place = self.length - self.memory.len() as u64;
        write_at(file, place, &self.memory).map_err(temporary)?;
        self.memory.clear();
        Ok(())
    }

    /// Replaces each number by its row and removes the words without one.
    pub(crate) fn keep_rows(&mut self, rows: &Rows, observer: &mut dyn Observer) -> Result<()> {
        if self.file.is_some() && !self.memory.is_empty() {
            self.spill()?;
        }
        // What is kept never outgrows what was read, so ids are rewritten in place.
        let mut kept = 0;
        let mut chunk = Vec::new();
        let mut pacer = Pacer::new(observer);
        for start in (0..self.length).step_by(CHUNK) {
            pacer.tick(|| Progress::new("numbering words", start, Some(self.length), "words"))?;
            let end = self.length.min(start + CHUNK as u64);
            let Some(file) = &self.file else {
                kept += rows.replace(start, end - start, &mut self.memory, start, kept);
                continue;
            };
            read_at(file, start, end, &mut chunk).map_err(temporary)?;
            let found = rows.replace(start, end - start, &mut chunk, 0, 0);
            write_at(file, kept, &chunk[..found as usize]).map_err(temporary)?;
            kept += found;
        }
        self.length = kept;
        if let Some(file) = &self.file {
            return file.set_len(4 * kept).map_err(temporary);
        }
        self.memory.truncate(kept as usize);
        self.memory.shrink_to_fit();
        Ok(())
    }

    /// Ids in a part when `threads` threads share the work.
    pub(crate) fn part_size(&self, threads: usize) -> u64 {
        let parts = (threads as u64).saturating_mul(PARTS_PER_THREAD).max(1);
        (self.length / parts).clamp(SMALLEST_PART, LARGEST_PART)
    }

    /// The ids from `start` to `end`, with up to `margin` more on either side that belong to the same documents as
    /// the first and last of it, and the place of the part among them.
    pub(crate) fn part<'a>(
        &'a self,
        start: u64,
        end: u64,
        margin: u64,
        buffer: &'a mut Vec<u32>,
    ) -> Result<(&'a [u32], std::ops::Range<usize>)> {
        let (first, last) = (start.saturating_sub(margin), self.length.min(end + margin));
        let ids: &[u32] = match &self.file {
            None => &self.memory[first as usize..last as usize],
            Some(file) => {
                read_at(file, first, last, buffer).map_err(temporary)?;
                buffer
            }
        };
        let (from, to) = ((start - first) as usize, (end - first) as usize);
        let is_end = |&id: &u32| id == DOCUMENT_END;
        let lead = ids[..from].iter().rposition(is_end).map_or(0, |place| place + 1);
        // When the part ends with a document, what follows belongs to another one.
        let tail = if ids[from..to].last().is_some_and(is_end) {
            to
        } else {
            ids[to..].iter().position(is_end).map_or(ids.len(), |place| to + place)
        };
        Ok((&ids[lead..tail], from - lead..to - lead))
    }
}

/// An error of a temporary file, which has no name: it names the folder that is full or cannot be written to.
pub(crate) fn temporary(source: io::Error) -> Error {
    Error::io(&tempfile::env::temp_dir(), source)
}

#[cfg(unix)]
pub(crate) fn read_bytes_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
pub(crate) fn write_bytes_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
pub(crate) fn read_bytes_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

#[cfg(windows)]
pub(crate) fn write_bytes_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

fn read_at(file: &File, start: u64, end: u64, ids: &mut Vec<u32>) -> io::Result<()> {
    let mut bytes = vec![0; 4 * (end - start) as usize];
    read_bytes_at(file, &mut bytes, 4 * start)?;
    ids.clear();
    ids.extend(bytes.as_chunks::<4>().0.iter().map(|&id| u32::from_le_bytes(id)));
    Ok(())
}

fn write_at(file: &File, place: u64, ids: &[u32]) -> io::Result<()> {
    let mut bytes = vec![0; 4 * ids.len().min(CHUNK)];
    for (index, chunk) in ids.chunks(CHUNK).enumerate() {
        let bytes = &mut bytes[..4 * chunk.len()];
        for (four, id) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(chunk) {
            *four = id.to_le_bytes();
        }
        write_bytes_at(file, bytes, 4 * (place + (index * CHUNK) as u64))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::vocab::NO_ROW;

    fn all(corpus: &IdCorpus, margin: u64) -> Vec<u32> {
        let mut buffer = Vec::new();
        let mut ids = Vec::new();
        let size = corpus.part_size(1);
        for start in (0..corpus.len()).step_by(size as usize) {
            let end = corpus.len().min(start + size);
            let (found, core) = corpus.part(start, end, margin, &mut buffer).unwrap();
            ids.extend_from_slice(&found[core]);
        }
        ids
    }

    #[test]
    fn memory_and_file_hold_the_same() {
        let numbers: Vec<u32> = (0..1_000_000_u32)
            .map(|n| if n % 17 == 16 { DOCUMENT_END } else { n.wrapping_mul(2_654_435_761) % 100 })
            .collect();
        let rows: Vec<u32> = (0..100).map(|n| if n % 3 == 0 { NO_ROW } else { n + 7 }).collect();
        let expected: Vec<u32> = numbers
            .iter()
            .filter(|&&n| n == DOCUMENT_END || n % 3 != 0)
            .map(|&n| if n == DOCUMENT_END { n } else { n + 7 })
            .collect();
        for budget in [MEMORY_BUDGET, 100_000] {
            let mut corpus = IdCorpus::new(budget);
            for chunk in numbers.chunks(33_333) {
                corpus.append(chunk).unwrap();
            }
            let rows = Rows::of_one_thread(rows.clone(), numbers.len() as u64);
            corpus.keep_rows(&rows, &mut crate::observe::Silent).unwrap();
            assert_eq!(corpus.len(), expected.len() as u64);
            assert_eq!(all(&corpus, 10), expected);
        }
    }

    #[test]
    fn a_margin_stays_inside_the_document() {
        let mut corpus = IdCorpus::new(MEMORY_BUDGET);
        let part = LARGEST_PART as usize;
        let mut ids = vec![1; 2 * part];
        ids[part - 3] = DOCUMENT_END;
        ids[part + 5] = DOCUMENT_END;
        ids[2 * part - 1] = DOCUMENT_END;
        corpus.append(&ids).unwrap();
        let mut buffer = Vec::new();
        let (found, core) = corpus.part(LARGEST_PART, 2 * LARGEST_PART, 10, &mut buffer).unwrap();
        assert_eq!((found.len(), core), (part + 2, 2..part + 2));
        let (found, core) = corpus.part(0, LARGEST_PART, 10, &mut buffer).unwrap();
        assert_eq!((found.len(), core), (part + 5, 0..part));
    }
}
