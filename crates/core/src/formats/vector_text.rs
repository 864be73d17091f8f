//! Words and decimal numbers, a row a line: word2vec text, fastText's .vec, `GloVe`.
//!
//! Between the fields stand spaces or tabs, and only `\n` ends a line, so that a word may hold any other
//! character. The last fields of a line are its numbers; what stands before them is the word, even with
//! spaces in it.

use std::io::{self, Write};
use std::path::Path;

use memchr::{memchr, memchr2};

use super::decimal::{is_blank, leading};
use super::vector_kind::{Header, trailing_numbers, trim_end};
use super::vector_rows::Rows;
use crate::corpus::{DocumentRule, FileCorpus, InvalidUtf8, map_in_order};
use crate::error::{Error, Place, Result};
use crate::observe::Observer;

/// The word of the last row that `GloVe` writes.
const UNKNOWN_WORD: &str = "<unk>";

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// What the first line says, if it is a header.
    pub(crate) header: Option<Header>,
    /// Numbers in a row.
    pub(crate) size: usize,
    /// Whether damaged rows are left out instead of ending the run.
    pub(crate) lenient: bool,
}

/// Rows of a part of a file; lines are counted from its start.
#[derive(Default)]
struct Part {
    rows: Rows,
    lines: u64,
    faults: Vec<(u64, String)>,
}

/// Reads a file, plain or compressed.
pub(crate) fn read(
    path: &Path,
    layout: Layout,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Rows> {
    let corpus = FileCorpus {
        paths: vec![path.to_owned()],
        documents: DocumentRule::Lines,
        invalid: InvalidUtf8::Strict,
    };
    let (mut rows, mut lines) = (Rows::default(), 0);
    map_in_order(
        &mut corpus.open()?,
        threads,
        "reading vectors",
        observer,
        || (),
        |(), batch, _| {
            let has_header = batch.sequence == 0 && layout.header.is_some();
            Ok(read_part(&batch.bytes, has_header, layout))
        },
        |part: Part| {
            for (line, reason) in part.faults {
                let place = Place::Line(lines + line);
                rows.faults.add(path, layout.lenient, place, || reason)?;
            }
            lines += part.lines;
            rows.append(part.rows);
            if rows.len() >= u32::MAX as usize {
                return Err(Error::format(path, Place::Line(lines), "more rows than can be read"));
            }
            Ok(())
        },
    )?;
    check_count(path, layout, &mut rows)?;
    Ok(rows)
}

fn check_count(path: &Path, layout: Layout, rows: &mut Rows) -> Result<()> {
    let found = rows.len() as u64 + rows.faults.count;
    // GloVe does not count the row that it adds for unknown words.
    let uncounted = u64::from(rows.last_word() == Some(UNKNOWN_WORD));
    match layout.header {
        Some(header) if header.rows != found && header.rows + uncounted != found => {
            let reason = || format!("the header says {} rows, the file has {found}", header.rows);
            rows.faults.add(path, layout.lenient, Place::Line(1), reason)
        }
        _ => Ok(()),
    }
}

fn read_part(bytes: &[u8], mut has_header: bool, layout: Layout) -> Part {
    let mut part = Part::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = trim_end(&rest[..end]);
        rest = &rest[(end + 1).min(rest.len())..];
        part.lines += 1;
        if std::mem::take(&mut has_header) || line.is_empty() {
            continue;
        }
        if let Some(word) = read_row(line, layout.size, &mut part.rows.numbers) {
            part.rows.push_word(word);
        } else {
            part.faults.push((part.lines, fault(line, layout.size)));
            if !layout.lenient {
                break;
            }
        }
    }
    part
}

/// Appends the numbers of a row and returns its word, or changes nothing.
fn read_row<'a>(line: &'a [u8], size: usize, numbers: &mut Vec<f32>) -> Option<&'a [u8]> {
    let before = numbers.len();
    // Two bytes a number at least, whatever a header says.
    numbers.reserve(size.min(line.len() / 2 + 1));
    let end_of_word = memchr2(b' ', b'\t', line)?;
    if end_of_word > 0 && read_numbers(&line[end_of_word..], size, numbers) {
        return Some(&line[..end_of_word]);
    }
    numbers.truncate(before);
    let (word, count) = trailing_numbers(line, size);
    (count == size && !word.is_empty() && read_numbers(&line[word.len()..], size, numbers))
        .then_some(word)
}

/// Appends exactly so many numbers, each after at least one blank, that take up the whole line.
fn read_numbers(mut rest: &[u8], size: usize, numbers: &mut Vec<f32>) -> bool {
    for _ in 0..size {
        while let [first, others @ ..] = rest
            && is_blank(*first)
        {
            rest = others;
        }
        let Some((number, length)) = leading(rest) else { return false };
        numbers.push(number);
        rest = &rest[length..];
    }
    rest.is_empty()
}

#[cold]
fn fault(line: &[u8], size: usize) -> String {
    let (word, count) = trailing_numbers(line, size);
    let word = String::from_utf8_lossy(word);
    let shown: String = word.chars().take(40).collect();
    let cut = if shown.len() < word.len() { "..." } else { "" };
    if word.is_empty() {
        return format!("a row must be a word and {size} numbers, here the word is missing");
    }
    format!("a row must be a word and {size} numbers, here {count} follow {shown:?}{cut}")
}

/// Writes the header line of a word2vec file.
pub(crate) fn write_header(writer: &mut dyn Write, rows: usize, size: usize) -> io::Result<()> {
    writeln!(writer, "{rows} {size}")
}

/// Writes one row; each number in the fewest digits that give it back.
pub(crate) fn write_row(writer: &mut dyn Write, word: &str, row: &[f32]) -> io::Result<()> {
    writer.write_all(word.as_bytes())?;
    for number in row {
        // With a point or an exponent, so that no row can be taken for a header.
        write!(writer, " {number:?}")?;
    }
    writer.write_all(b"\n")
}
