//! finalfusion: words with or without n-grams, and their vectors, plain or quantised.
//!
//! A header lists the chunks that follow; each has its kind, its length and its data, little-endian. The rows
//! of the n-grams stand behind those of the words. Lengths of vectors are kept apart where they are known.

use std::path::Path;

use super::binary::{Bytes, floats};
use crate::error::Result;
use crate::subword::{Combine, Index, Naming, Scheme};
use crate::vectors::Words;

/// How each file begins.
pub(crate) const MAGIC: [u8; 4] = *b"FiFu";

/// The numbers that stand for types of numbers.
const TYPE_U8: u32 = 1;
const TYPE_F32: u32 = 10;

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Model<'a> {
    pub(crate) words: Vec<&'a [u8]>,
    /// How words are cut and which n-grams have which row, where they have any.
    pub(crate) ngrams: Option<(Scheme, Index)>,
    /// Numbers in a vector.
    pub(crate) size: usize,
    /// The rows of words, then those of n-grams.
    pub(crate) matrix: Vec<f32>,
    /// The length that the vector of each word had.
    pub(crate) norms: Option<Vec<f32>>,
    /// What was written about the vectors, as TOML.
    pub(crate) about: Option<String>,
}

/// Reads a file; `content` is all of it.
pub(crate) fn read<'a>(path: &'a Path, content: &'a [u8]) -> Result<Model<'a>> {
    let mut from = Bytes::new(path, content);
    from.take(1, MAGIC.len(), "the magic number")?;
    let version = from.u32("the version")?;
    if version != 0 {
        return Err(from.error(format!("finalfusion of version {version}; 0 is read")));
    }
    let chunks = from.u32("the number of chunks")? as usize;
    let kinds = from.take(chunks, 4, "the kinds of chunks")?.as_chunks::<4>().0;
    let mut model = Model::default();
    let mut rows = None;
    for kind in kinds.iter().map(|&kind| u32::from_le_bytes(kind)) {
        let place = from;
        let (found, length) = (from.u32("a chunk")?, from.u64("a chunk")?);
        let length = from.length(length, "the length of a chunk")?;
        if found != kind {
            return Err(place.error(format!("damaged: a chunk of kind {found} instead of {kind}")));
        }
        let start = from.offset();
        let mut uncounted = 0;
        match kind {
            1 => model.words = read_words(&mut from, None)?,
            2 => rows = Some(read_plain(&mut from, &mut model)?),
            3 | 7 | 8 => uncounted = read_ngrams(&mut from, kind, &mut model)?,
            4 => rows = Some(read_quantised(&mut from, &mut model)?),
            5 => {
                let text = from.take(length, 1, "what is written about the vectors")?;
                model.about = Some(String::from_utf8_lossy(text).into_owned());
            }
            6 => model.norms = Some(read_norms(&mut from)?),
            other => return Err(place.error(format!("a chunk of kind {other}, which is not read"))),
        }
        let read = from.offset() - start;
        if read != length && read != length.saturating_add(uncounted) {
            return Err(place.error(format!("damaged: a chunk of {length} bytes holds {read}")));
        }
    }
    from.end()?;
    let Some(rows) = rows else { return Err(from.error("damaged: there are no vectors")) };
    let words = model.words.len();
    let fits = if model.ngrams.is_some() { rows >= words } else { rows == words };
    if !fits || model.norms.as_ref().is_some_and(|norms| norms.len() != words) {
        return Err(from.error(format!("damaged: {rows} vectors for {words} words")));
    }
    Ok(model)
}

fn read_words<'a>(from: &mut Bytes<'a>, count: Option<u64>) -> Result<Vec<&'a [u8]>> {
    let count = count.map_or_else(|| from.u64("the number of words"), Ok)?;
    let count = bounded(from, count, 4, "words")?;
    let mut words = Vec::with_capacity(count);
    for _ in 0..count {
        words.push(read_text(from)?);
    }
    Ok(words)
}

fn read_text<'a>(from: &mut Bytes<'a>) -> Result<&'a [u8]> {
    let length = from.u32("a word")? as usize;
    from.take(length, 1, "a word")
}

/// A number of things of at least so many bytes each, of which the file has room.
fn bounded(from: &Bytes<'_>, count: u64, bytes: u64, what: &str) -> Result<usize> {
    let left = from.left();
    if count > left as u64 / bytes {
        return Err(from.error(format!(
            "cut off or damaged: {count} {what}, the file holds {left} bytes more"
        )));
    }
    Ok(count as usize)
}

/// Reads a vocabulary with n-grams; returns how many of its bytes the Python writer leaves out of the length
/// that it states.
fn read_ngrams<'a>(from: &mut Bytes<'a>, kind: u32, model: &mut Model<'a>) -> Result<usize> {
    let words = from.u64("the number of words")?;
    let explicit = if kind == 8 { Some(from.u64("the number of n-grams")?) } else { None };
    let (min_n, max_n) = (from.u32("the n-grams")?, from.u32("the n-grams")?);
    let naming = match kind {
        3 => Naming::Finalfusion { exponent: from.u32("the buckets")? },
        7 => Naming::FastText { buckets: from.u32("the buckets")? },
        _ => Naming::Text,
    };
    model.words = read_words(from, Some(words))?;
    let combine = Combine::Unit;
    let scheme = Scheme { naming, combine, whole_word: false, ..Scheme::explicit(min_n, max_n) };
    let mut uncounted = 0;
    let index = match explicit {
        None => Index::All,
        Some(count) => {
            let count = bounded(from, count, 12, "n-grams")?;
            uncounted = 8 * count;
            let (mut texts, mut rows) = (Vec::with_capacity(count), Vec::with_capacity(count));
            for _ in 0..count {
                let text = str::from_utf8(read_text(from)?);
                texts.push(text.map_err(|_| from.error("damaged: an n-gram is not UTF-8"))?);
                let row = from.u64("the row of an n-gram")?;
                rows.push(
                    u32::try_from(row).map_err(|_| from.error("damaged: the row of an n-gram"))?,
                );
            }
            let ngrams = Words::new(texts).map_err(|ngram| {
                from.error(format!("damaged: the n-gram {ngram:?} occurs twice"))
            })?;
            Index::Text { ngrams, rows: Some(rows) }
        }
    };
    model.ngrams = Some((scheme, index));
    Ok(uncounted)
}

/// Passes over what brings floats to a multiple of four bytes; there is always at least one byte.
fn skip_padding(from: &mut Bytes<'_>) -> Result<()> {
    from.take(4 - from.offset() % 4, 1, "padding").map(drop)
}

fn expect_type(from: &mut Bytes<'_>, expected: u32) -> Result<()> {
    match from.u32("the type of numbers")? {
        found if found == expected => Ok(()),
        found => Err(from.error(format!("numbers of type {found}, which are not read"))),
    }
}

fn read_plain(from: &mut Bytes<'_>, model: &mut Model<'_>) -> Result<usize> {
    let (rows, columns) = (from.u64("the vectors")?, from.u32("the vectors")?);
    expect_type(from, TYPE_F32)?;
    skip_padding(from)?;
    let rows = from.length(rows, "the number of vectors")?;
    let size = usable_size(from, columns)?;
    let bytes = from.take(rows, 4 * size, "the vectors")?;
    model.matrix = floats(bytes).collect();
    model.size = size;
    Ok(rows)
}

fn usable_size(from: &Bytes<'_>, size: u32) -> Result<usize> {
    match from.length(size, "the size of vectors")? {
        0 => Err(from.error("damaged: vectors without numbers")),
        size => Ok(size),
    }
}

fn read_norms(from: &mut Bytes<'_>) -> Result<Vec<f32>> {
    let count = from.u64("the lengths of vectors")?;
    expect_type(from, TYPE_F32)?;
    skip_padding(from)?;
    let count = from.length(count, "the number of lengths")?;
    Ok(floats(from.take(count, 4, "the lengths of vectors")?).collect())
}

/// Vectors that are put together from parts of a code book, turned and scaled.
fn read_quantised(from: &mut Bytes<'_>, model: &mut Model<'_>) -> Result<usize> {
    let (turned, scaled) = (from.u32("the code book")? != 0, from.u32("the code book")? != 0);
    let parts = from.u32("the code book")? as usize;
    let columns = from.u32("the code book")?;
    let centroids = from.u32("the code book")? as usize;
    let rows = from.u64("the code book")?;
    expect_type(from, TYPE_U8)?;
    expect_type(from, TYPE_F32)?;
    skip_padding(from)?;
    let size = usable_size(from, columns)?;
    let rows = from.length(rows, "the number of vectors")?;
    if parts == 0 || !size.is_multiple_of(parts) {
        return Err(from.error(format!("damaged: vectors of {size} numbers in {parts} parts")));
    }
    let width = size / parts;
    let turn: Option<Vec<f32>> = if turned {
        Some(floats(from.take(size, 4 * size, "the projection")?).collect())
    } else {
        None
    };
    let book: Vec<f32> = floats(from.take(centroids, 4 * size, "the code book")?).collect();
    let scales: Option<Vec<f32>> = if scaled {
        Some(floats(from.take(rows, 4, "the lengths of vectors")?).collect())
    } else {
        None
    };
    let codes = from.take(rows, parts, "the codes")?;
    if codes.iter().any(|&code| usize::from(code) >= centroids) {
        return Err(from.error("damaged: a code that is not in the code book"));
    }
    let mut row = Vec::with_capacity(size);
    for (number, codes) in codes.chunks_exact(parts).enumerate() {
        row.clear();
        for (part, &code) in codes.iter().enumerate() {
            row.extend_from_slice(&book[(part * centroids + usize::from(code)) * width..][..width]);
        }
        let scale = scales.as_ref().map_or(1.0, |scales| scales[number]);
        match &turn {
            None => model.matrix.extend(row.iter().map(|number| scale * number)),
            Some(turn) => model.matrix.extend(turn.chunks_exact(size).map(|axis| {
                scale * axis.iter().zip(&row).map(|(axis, number)| axis * number).sum::<f32>()
            })),
        }
    }
    model.size = size;
    Ok(rows)
}
