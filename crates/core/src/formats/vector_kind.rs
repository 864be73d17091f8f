//! Which kind of vectors file it is, found from how the file starts.

use std::path::Path;

use super::decimal::{is_blank, leading};
use super::safetensors::LONGEST_HEADER;
use super::{fasttext_bin, finalfusion};
use crate::error::{Error, Place, Result};
use crate::subword::{Combine, Naming, Scheme};

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Lines from which the number of numbers in a row is found where no header states it.
const LINES_LOOKED_AT: usize = 100;

/// A kind of vectors file, and what its start says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file of this project.
    Safetensors,
    /// A binary model of fastText or floret.
    FastText,
    /// Chunks of finalfusion.
    Finalfusion,
    /// A header line, then words and floats as bytes.
    Binary(Header),
    /// A header line, then words and decimal numbers.
    Text(Header),
    /// How floret cuts words, and then its table: the number of each bucket and decimal numbers.
    FloretTable(Scheme, Header),
    /// Words and decimal numbers at once.
    TextWithoutHeader {
        /// Numbers in a row.
        size: usize,
    },
}

/// The first line of a word2vec file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// How many rows it promises.
    pub(crate) rows: u64,
    /// Numbers in a row.
    pub(crate) size: usize,
    /// Bytes up to the first row.
    pub(crate) length: usize,
}

/// Programs' files that hold no readable vectors, by their first bytes.
const FOREIGN: [(&[u8], &str); 5] = [
    (b"PK\x03\x04", "a zip archive; unpack it and read the file inside"),
    (b"\x93NUMPY", "a NumPy array, which has no words; use WordVectors.from_mapping"),
    (b"\x89HDF", "an HDF5 file, which is not read"),
    (b"%PDF", "a PDF document, not vectors"),
    (b"BZh", "compressed with bzip2; only gzip and Zstandard are read"),
];

/// Finds the kind of a file.
///
/// `start` holds its first bytes after decompression, at least one whole line unless the file ends
/// before; `length` is that of the whole content where it is known.
pub(crate) fn detect(path: &Path, start: &[u8], length: Option<u64>) -> Result<Kind> {
    let fail = |reason: String| Err(Error::format(path, Place::Byte(0), reason));
    if start.is_empty() {
        return fail("the file is empty".to_owned());
    }
    if is_safetensors(start) {
        return Ok(Kind::Safetensors);
    }
    if start.starts_with(&fasttext_bin::MAGIC) {
        return Ok(Kind::FastText);
    }
    if start.starts_with(&finalfusion::MAGIC) {
        return Ok(Kind::Finalfusion);
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)) {
        return fail((*what).to_owned());
    }
    if start[0] == 0x80 && matches!(start.get(1), Some(2..=5)) {
        return fail(
            "a Python pickle, as gensim's own `save` writes it; pickles can run code and are not read. \
             Write the vectors with `save_word2vec_format` there"
                .to_owned(),
        );
    }
    let mark = if start.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let text = &start[mark..];
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    if let Some((rows, size)) = two_whole_numbers(&text[..end]) {
        let header = check_header(path, rows, size, mark + (end + 1).min(text.len()))?;
        return header_kind(path, header, start, length);
    }
    if let Some((scheme, size)) = hash_table(&text[..end]) {
        let length = mark + (end + 1).min(text.len());
        let rows = scheme.buckets().map_or(0, i128::from);
        let header = check_header(path, rows, size, length)?;
        return Ok(Kind::FloretTable(scheme, header));
    }
    match size_of_rows(text, length.is_some_and(|length| length == start.len() as u64)) {
        Some(size) => Ok(Kind::TextWithoutHeader { size }),
        None => fail(what_else(text)),
    }
}

/// Whether a file starts like those of this project.
///
/// They start with a length, of which most bytes are zero; text does not.
pub(crate) fn is_safetensors(start: &[u8]) -> bool {
    let Some((length, rest)) = start.split_first_chunk::<8>() else { return false };
    let possible = (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(*length));
    let lying = rest.first() == Some(&b'{')
        && (length.contains(&0) || std::str::from_utf8(length).is_err());
    possible || lying
}

fn two_whole_numbers(line: &[u8]) -> Option<(i128, i128)> {
    let mut fields = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let numbers = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    fields.next().is_none().then_some(numbers)
}

/// What the first line of a table of floret says: six numbers and the marks around a word.
fn hash_table(line: &[u8]) -> Option<(Scheme, i128)> {
    let line = std::str::from_utf8(line).ok()?;
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [buckets, size, min_n, max_n, hashes, seed, begin, end] = fields[..] else { return None };
    let naming = Naming::Floret {
        buckets: buckets.parse().ok()?,
        hashes: hashes.parse().ok()?,
        seed: seed.parse().ok()?,
    };
    let scheme = Scheme {
        min_n: min_n.parse().ok()?,
        max_n: max_n.parse().ok()?,
        begin: begin.to_owned(),
        end: end.to_owned(),
        naming,
        whole_word: true,
        combine: Combine::Mean,
    };
    Some((scheme, size.parse().ok()?))
}

fn check_header(path: &Path, rows: i128, size: i128, length: usize) -> Result<Header> {
    let fail = |reason: String| Err(Error::format(path, Place::Line(1), reason));
    if rows < 0 || size < 1 {
        return fail(format!("the header says {rows} rows of {size} numbers, which cannot be"));
    }
    if rows >= i128::from(u32::MAX) || size > i128::from(u32::MAX) {
        return fail(format!(
            "the header says {rows} rows of {size} numbers; at most {} of each can be read",
            u32::MAX - 1
        ));
    }
    Ok(Header { rows: rows as u64, size: size as usize, length })
}

/// Decides between text and binary by the first row, and refuses a header that the file cannot hold.
fn header_kind(path: &Path, header: Header, start: &[u8], length: Option<u64>) -> Result<Kind> {
    let rest = &start[header.length..];
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let row = trim_end(&rest[..end]);
    let (_, numbers) = trailing_numbers(row, header.size);
    let fields = row.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty()).count();
    let numeric = numbers > 0 && (numbers == header.size || numbers + 1 == fields);
    let sample = &rest[..rest.len().min(header.size.saturating_mul(4).saturating_add(256))];
    let whole = length == Some(start.len() as u64);
    let is_text =
        (numeric && !(whole && is_by_chance(header, rest))) || header.rows == 0 || is_plain(sample);
    // The shortest number in text is a digit and a blank.
    let bytes_a_number = if is_text { 2 } else { 4 };
    let left = length.map(|length| length - header.length as u64);
    if left.is_some_and(|left| header.rows > 0 && header.size as u64 * bytes_a_number > left) {
        let reason = format!(
            "the header says {} rows of {} numbers, but only {} bytes follow it",
            header.rows,
            header.size,
            left.unwrap_or(0)
        );
        return Err(Error::format(path, Place::Line(1), reason));
    }
    Ok(if is_text { Kind::Text(header) } else { Kind::Binary(header) })
}

/// Whether a first row of one or two numbers in digits must be bytes of floats that look so; `rest` is all that
/// follows the header.
fn is_by_chance(header: Header, rest: &[u8]) -> bool {
    let lines = || rest.split(|&byte| byte == b'\n').filter(|line| !trim_end(line).is_empty());
    header.size <= 2 && !is_plain(rest) && lines().count() as u64 != header.rows
}

/// Whether bytes could be lines of text; bytes of floats hardly ever could.
fn is_plain(bytes: &[u8]) -> bool {
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    let cut_off = |error: &std::str::Utf8Error| error.error_len().is_none();
    !bytes.iter().any(control) && std::str::from_utf8(bytes).as_ref().err().is_none_or(cut_off)
}

/// The line without the blanks and the carriage return at its end.
pub(super) fn trim_end(line: &[u8]) -> &[u8] {
    let mut end = line.len();
    while end > 0 && (is_blank(line[end - 1]) || line[end - 1] == b'\r') {
        end -= 1;
    }
    &line[..end]
}

/// The word in front of the numbers at the end of a line, of which there are `most` at most, and how
/// many those are.
///
/// Words with spaces are found this way, since what follows them can only be numbers.
pub(super) fn trailing_numbers(line: &[u8], most: usize) -> (&[u8], usize) {
    let mut rest = trim_end(line);
    for count in 0..most {
        let start = rest.iter().rposition(|&byte| is_blank(byte)).map_or(0, |place| place + 1);
        if start == rest.len() || leading(&rest[start..]).is_none() {
            return (rest, count);
        }
        rest = trim_end(&rest[..start]);
    }
    (rest, most)
}

/// The number of numbers that most of the first lines have; of two that are as frequent, the larger.
fn size_of_rows(text: &[u8], is_whole: bool) -> Option<usize> {
    let mut lines: Vec<&[u8]> =
        text.split(|&byte| byte == b'\n').take(LINES_LOOKED_AT + 1).collect();
    // The last line may go on after what is known of the file.
    if lines.len() > 1 && !(is_whole && lines.len() <= LINES_LOOKED_AT) {
        lines.pop();
    }
    lines.retain(|line| !trim_end(line).is_empty());
    let sizes: Vec<usize> = lines.iter().map(|line| size_of_row(line)).collect();
    let votes = |size: usize| sizes.iter().filter(|&&other| other == size).count();
    let size = sizes.iter().copied().max_by_key(|&size| (votes(size), size))?;
    let whole =
        |line: &&&[u8]| !trim_end(line).iter().any(|byte| matches!(byte, b'.' | b'e' | b'n'));
    // A word and a whole number on each line are counts.
    (size > 1 || (size == 1 && lines.iter().filter(whole).count() == 0)).then_some(size)
}

/// The numbers in a row that has a word of at least one field.
fn size_of_row(line: &[u8]) -> usize {
    let fields = line.split(|&byte| is_blank(byte)).filter(|field| !trim_end(field).is_empty());
    trailing_numbers(line, fields.count().saturating_sub(1)).1
}

/// What a text is that holds no vectors.
fn what_else(text: &[u8]) -> String {
    let start = text[..text.len().min(200)].trim_ascii_start().to_ascii_lowercase();
    if start.starts_with(b"<!doctype") || start.starts_with(b"<html") {
        return "a web page, not vectors: what was downloaded is the page of an error or of a form"
            .to_owned();
    }
    if start.starts_with(b"version https://git-lfs") {
        return "a pointer of Git LFS to the file, not the file itself; fetch it with `git lfs pull`".to_owned();
    }
    "not a file of vectors: it is not a safetensors file, and its first lines are not words, each with \
     its numbers after a space"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(content: &[u8]) -> Result<Kind> {
        detect(Path::new("file"), content, Some(content.len() as u64))
    }

    #[test]
    fn text_and_binary_behind_the_same_header() {
        let header = Header { rows: 2, size: 2, length: 4 };
        assert_eq!(kind(b"2 2\na 1 2\nb 3 4\n").unwrap(), Kind::Text(header));
        assert_eq!(kind(b"2 2\nmy name 1 2\nb 3 4\n").unwrap(), Kind::Text(header));
        assert_eq!(kind(b"2 2\na\xFF 1 2\nb 3 4\n").unwrap(), Kind::Text(header));
        assert_eq!(kind(b"2 2\na\0 1 2\nb 3 4\n").unwrap(), Kind::Text(header));
        assert_eq!(kind(b"2 2\na 1\nb 3 4\n").unwrap(), Kind::Text(header));
        let mut binary = b"2 2\n".to_vec();
        for word in [b"a ", b"b "] {
            binary.extend_from_slice(word);
            binary.extend([0.5_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
        }
        assert_eq!(kind(&binary).unwrap(), Kind::Binary(header));
    }

    #[test]
    fn the_size_of_rows_is_what_most_lines_have() {
        let size = |content: &[u8]| match kind(content) {
            Ok(Kind::TextWithoutHeader { size }) => Some(size),
            _ => None,
        };
        assert_eq!(size(b"a 0.5 1\nb 2 3"), Some(2));
        assert_eq!(size(b"my name 0.5 1\nz 2 3\n"), Some(2));
        assert_eq!(size(b"12 0.5 1\n13 14 2 3\n14 2 3\n"), Some(2));
        assert_eq!(
            size(b"a 0.5 1\nb 2\n"),
            Some(2),
            "the row with a number missing is the damaged one"
        );
        assert_eq!(size(b"the 12345\nof 9876\n"), None, "counts are not vectors");
        assert_eq!(size(b"the 0.5\nof 1.0\n"), Some(1));
        assert_eq!(size(b"just some text\nof several lines\n"), None);
    }

    #[test]
    fn headers_that_cannot_be() {
        for header in
            ["2000000000 2000000000", "-1 2", "2 0", "2 -5", "99999999999999999999 3", "2 1000"]
        {
            let error = kind(format!("{header}\na 1 2\n").as_bytes()).unwrap_err().to_string();
            assert!(error.contains("line 1: the header says"), "{error}");
        }
    }
}
