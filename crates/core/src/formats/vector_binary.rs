//! Word2vec binary: a header line, then each word, a space and its floats, little-endian.
//!
//! The original program ends each row with `\n`, others do not; both are read.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use super::vector_kind::Header;
use super::vector_rows::Rows;
use crate::corpus::files::read_error;
use crate::error::{Error, Place, Result};
use crate::observe::{Pacer, Progress};

/// A longer word is a sign that the reader is no longer where it believes to be.
const LONGEST_WORD: u64 = 1 << 20;

/// Floats are taken over in parts of this many bytes, which stay in the processor's cache.
const BUFFER_BYTES: usize = 1 << 16;

/// Reads the rows that follow the header; `reader` stands behind it.
///
/// The floats go to `take` as bytes, in parts that hold whole floats; those of a last row that is cut off
/// do too, and are not among the rows that are returned.
pub(crate) fn read(
    path: &Path,
    reader: &mut dyn BufRead,
    header: Header,
    lenient: bool,
    pacer: &mut Pacer<'_>,
    take: &mut dyn FnMut(&[u8]),
) -> Result<Rows> {
    let mut rows = Rows::default();
    let mut from = Position { path, reader, offset: header.length as u64 };
    let (mut word, mut buffer) = (Vec::new(), vec![0; BUFFER_BYTES]);
    for row in 0..header.rows {
        pacer.tick(|| Progress::new("reading vectors", row, Some(header.rows), "words"))?;
        let start = from.offset;
        from.read_word(&mut word)?;
        let whole_word = word.pop() == Some(b' ');
        let whole_row = from.read_floats(header.size, &mut buffer, take)?;
        if !whole_word || !whole_row {
            let reason = || {
                format!(
                    "the header says {} rows of {} numbers, the file ends or is damaged in row {}",
                    header.rows,
                    header.size,
                    row + 1
                )
            };
            rows.faults.add(path, lenient, Place::Byte(start), reason)?;
            return Ok(rows);
        }
        rows.push_word(&word);
    }
    let place = Place::Byte(from.offset);
    from.skip_line_end()?;
    if !from.peek()?.is_empty() {
        let reason = || format!("the header says {} rows, but more follows them", header.rows);
        rows.faults.add(path, lenient, place, reason)?;
    }
    Ok(rows)
}

/// Where the reader stands, for errors.
struct Position<'a> {
    path: &'a Path,
    reader: &'a mut dyn BufRead,
    offset: u64,
}

impl Position<'_> {
    fn peek(&mut self) -> Result<&[u8]> {
        match self.reader.fill_buf() {
            Ok(bytes) => Ok(bytes),
            Err(source) => Err(read_error(self.path, self.offset, source)),
        }
    }

    /// The end of the row before, where the writer ended it.
    fn skip_line_end(&mut self) -> Result<()> {
        if self.peek()?.first() == Some(&b'\n') {
            self.reader.consume(1);
            self.offset += 1;
        }
        Ok(())
    }

    /// The next word with the space that ends it; without one if the file ends before.
    fn read_word(&mut self, word: &mut Vec<u8>) -> Result<()> {
        self.skip_line_end()?;
        word.clear();
        let outcome = (&mut *self.reader).take(LONGEST_WORD).read_until(b' ', word);
        let length = outcome.map_err(|source| read_error(self.path, self.offset, source))?;
        self.offset += length as u64;
        Ok(())
    }

    /// Passes so many floats on; false if the file ends before.
    fn read_floats(
        &mut self,
        count: usize,
        buffer: &mut [u8],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let mut left = count;
        while left > 0 {
            let part = left.min(buffer.len() / 4);
            if !self.fill(&mut buffer[..part * 4])? {
                return Ok(false);
            }
            take(&buffer[..part * 4]);
            left -= part;
        }
        Ok(true)
    }

    fn fill(&mut self, mut buffer: &mut [u8]) -> Result<bool> {
        while !buffer.is_empty() {
            let length = match self.reader.read(buffer) {
                Ok(0) => return Ok(false),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(read_error(self.path, self.offset, source)),
            };
            self.offset += length as u64;
            buffer = &mut buffer[length..];
        }
        Ok(true)
    }
}

/// Skips the header line that was read before.
pub(crate) fn skip_header(path: &Path, reader: &mut dyn BufRead, header: Header) -> Result<()> {
    let mut line = reader.take(header.length as u64);
    io::copy(&mut line, &mut io::sink()).map_err(|source| Error::io(path, source))?;
    Ok(())
}

/// Writes one row, as the original program does.
pub(crate) fn write_row(writer: &mut dyn Write, word: &str, row: &[f32]) -> io::Result<()> {
    writer.write_all(word.as_bytes())?;
    writer.write_all(b" ")?;
    for number in row {
        writer.write_all(&number.to_le_bytes())?;
    }
    writer.write_all(b"\n")
}
