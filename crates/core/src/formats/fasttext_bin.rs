//! Models of fastText (`.bin`, quantised `.ftz`) and of floret (`.bin`).
//!
//! Magic number and version, the settings, the dictionary with the buckets that pruning kept, then the input
//! matrix (a row for each word, then one for each bucket) and the output matrix, plain or quantised. All
//! numbers are little-endian.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use super::binary::{Bytes, floats};
use crate::error::Result;

/// How each model begins.
pub(crate) const MAGIC: [u8; 4] = [0xBA, 0x16, 0x4F, 0x2F];

/// The newest version of the layout, which the last release of fastText writes.
pub(crate) const VERSION: i32 = 12;

/// Stands for "supervised" among the kinds of models.
const SUPERVISED: i32 = 3;

/// Words between two changes of fastText's learning rate; its default.
const UPDATE_RATE: i32 = 100;

/// Centroids of a quantiser for each part of a vector.
const CENTROIDS: usize = 256;

/// The settings in a model, under fastText's own names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) dim: i32,
    pub(crate) ws: i32,
    pub(crate) epoch: i32,
    pub(crate) min_count: i32,
    pub(crate) neg: i32,
    pub(crate) word_ngrams: i32,
    pub(crate) loss: i32,
    pub(crate) model: i32,
    pub(crate) bucket: i32,
    pub(crate) minn: i32,
    pub(crate) maxn: i32,
    /// What floret has beside these: hashes of each n-gram, where words are hashed too.
    pub(crate) hashes: Option<i32>,
    pub(crate) t: f64,
}

/// A model, its matrices by their place in the file.
#[derive(Debug)]
pub(crate) struct Model<'a> {
    pub(crate) arguments: Arguments,
    /// The words, which may be any bytes but zero, and how often each occurs.
    pub(crate) words: Vec<(&'a [u8], u64)>,
    /// The buckets that pruning kept, rising, and the place of the row of each behind those of the words.
    pub(crate) pruned: Option<Vec<(u32, u32)>>,
    pub(crate) input: Input<'a>,
}

/// The input matrix.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// Floats in this range of the file.
    Plain {
        rows: usize,
        range: Range<usize>,
    },
    Quantised(Quantised<'a>),
}

impl Input<'_> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Plain { rows, .. } => *rows,
            Self::Quantised(matrix) => matrix.rows,
        }
    }
}

/// A matrix whose rows are put together from parts of a code book (Jégou et al. 2011).
#[derive(Debug)]
pub(crate) struct Quantised<'a> {
    rows: usize,
    codes: &'a [u8],
    quantiser: Quantiser,
    /// A code for the length of each row and the lengths, where rows are scaled.
    norms: Option<(&'a [u8], Quantiser)>,
}

/// The code books for the parts of a vector.
#[derive(Debug)]
struct Quantiser {
    parts: usize,
    width: usize,
    last_width: usize,
    centroids: Vec<f32>,
}

/// Reads a model; `content` is the whole file.
pub(crate) fn read<'a>(path: &'a Path, content: &'a [u8]) -> Result<Model<'a>> {
    let mut from = Bytes::new(path, content);
    from.take(1, MAGIC.len(), "the magic number")?;
    let version = from.i32("the version")?;
    if !(11..=VERSION).contains(&version) {
        let reason =
            format!("a model of layout {version}; 11 and 12 are read. Write it with fastText 0.9");
        return Err(from.error(reason));
    }
    let mut arguments = read_arguments(&mut from)?;
    if version == 11 && arguments.model == SUPERVISED {
        // Older supervised models have no n-grams of characters, whatever they say.
        arguments.maxn = 0;
    }
    let dim = from.length(arguments.dim, "the size of vectors")?;
    let bucket = from.length(arguments.bucket, "the number of buckets")?;
    let (words, pruned) = read_dictionary(&mut from)?;
    let quantised = read_flag(&mut from)?;
    let input = if quantised {
        Input::Quantised(read_quantised(&mut from, dim)?)
    } else {
        let (rows, range) = read_plain(&mut from, dim)?;
        Input::Plain { rows, range }
    };
    let behind = pruned.as_ref().map_or(bucket, Vec::len);
    if input.rows() != words.len() + behind {
        let (rows, count) = (input.rows(), words.len());
        let reason = format!(
            "damaged: the input matrix has {rows} rows for {count} words and {behind} buckets"
        );
        return Err(from.error(reason));
    }
    if pruned.iter().flatten().any(|&(_, row)| row as usize >= behind) {
        return Err(from.error("damaged: a bucket has a row that is not there"));
    }
    let output_quantised = read_flag(&mut from)?;
    if quantised && output_quantised {
        read_quantised(&mut from, dim)?;
    } else {
        read_plain(&mut from, dim)?;
    }
    from.end()?;
    Ok(Model { arguments, words, pruned, input })
}

/// The settings; those of floret are two longer, which shows in where the dictionary starts.
fn read_arguments(from: &mut Bytes<'_>) -> Result<Arguments> {
    let mut plain = *from;
    let arguments = arguments_of(&mut plain, false)?;
    if starts_dictionary(plain) {
        *from = plain;
        return Ok(arguments);
    }
    let mut longer = *from;
    let arguments = arguments_of(&mut longer, true)?;
    if starts_dictionary(longer) {
        *from = longer;
        return Ok(arguments);
    }
    Err(plain.error("damaged: the numbers of words, labels and entries do not fit together"))
}

fn arguments_of(from: &mut Bytes<'_>, floret: bool) -> Result<Arguments> {
    let mut numbers = [0; 14];
    for number in &mut numbers[..if floret { 14 } else { 12 }] {
        *number = from.i32("the settings")?;
    }
    let [
        dim,
        ws,
        epoch,
        min_count,
        neg,
        word_ngrams,
        loss,
        model,
        bucket,
        minn,
        maxn,
        mode,
        hashes,
        _,
    ] = numbers;
    // In its mode 1 floret does as fastText does.
    let hashes = (floret && mode == 2).then_some(hashes);
    let t = from.f64("the settings")?;
    Ok(Arguments {
        dim,
        ws,
        epoch,
        min_count,
        neg,
        word_ngrams,
        loss,
        model,
        bucket,
        minn,
        maxn,
        hashes,
        t,
    })
}

fn starts_dictionary(mut from: Bytes<'_>) -> bool {
    let mut next = || from.i32("").ok().filter(|&number| number >= 0);
    let (Some(size), Some(words), Some(labels)) = (next(), next(), next()) else { return false };
    words.checked_add(labels) == Some(size)
}

/// The words with their counts, and what pruning left of the buckets.
type Dictionary<'a> = (Vec<(&'a [u8], u64)>, Option<Vec<(u32, u32)>>);

fn read_dictionary<'a>(from: &mut Bytes<'a>) -> Result<Dictionary<'a>> {
    let size = from.i32("the dictionary")?;
    let words = from.i32("the dictionary")?;
    from.i32("the dictionary")?;
    from.i64("the dictionary")?;
    let pruned = from.i64("the dictionary")?;
    let (size, words) = (from.length(size, "the dictionary")?, from.length(words, "the words")?);
    // An entry has at least a zero, a count and a kind.
    if size > from.left() / 10 {
        let left = from.left();
        let reason = format!(
            "cut off or damaged: a dictionary of {size} entries, the file holds {left} bytes more"
        );
        return Err(from.error(reason));
    }
    let mut found = Vec::with_capacity(words);
    for entry in 0..size {
        let place = *from;
        let word = from.until_zero("a word")?;
        let count = from.i64("the count of a word")?;
        let kind = from.u8("the kind of a word")?;
        if kind != u8::from(entry >= words) || count < 0 {
            return Err(
                place.error(format!("damaged: entry {entry} of the dictionary cannot be read"))
            );
        }
        if entry < words {
            found.push((word, count as u64));
        }
    }
    if pruned < 0 {
        return Ok((found, None));
    }
    let pruned = from.length(pruned, "the number of kept buckets")?;
    let pairs = from.take(pruned, 8, "the kept buckets")?;
    let mut kept = Vec::with_capacity(pruned);
    for pair in pairs.as_chunks::<8>().0 {
        let whole = u64::from_le_bytes(*pair);
        kept.push((whole as u32, (whole >> 32) as u32));
    }
    kept.sort_unstable();
    if kept.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(from.error("damaged: a bucket is kept twice"));
    }
    Ok((found, Some(kept)))
}

fn read_flag(from: &mut Bytes<'_>) -> Result<bool> {
    match from.u8("a switch")? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(from.error(format!("damaged: a switch is 0 or 1, not {other}"))),
    }
}

fn read_shape(from: &mut Bytes<'_>, dim: usize) -> Result<usize> {
    let (rows, columns) = (from.i64("a matrix")?, from.i64("a matrix")?);
    let rows = from.length(rows, "the number of rows")?;
    if columns != dim as i64 || dim == 0 || rows >= u32::MAX as usize {
        let reason =
            format!("damaged: a matrix of {rows} rows of {columns} numbers, for vectors of {dim}");
        return Err(from.error(reason));
    }
    Ok(rows)
}

fn read_plain(from: &mut Bytes<'_>, dim: usize) -> Result<(usize, Range<usize>)> {
    let rows = read_shape(from, dim)?;
    let start = from.offset();
    let bytes = from.take(rows, dim * 4, "a matrix")?;
    Ok((rows, start..start + bytes.len()))
}

fn read_quantised<'a>(from: &mut Bytes<'a>, dim: usize) -> Result<Quantised<'a>> {
    let scaled = read_flag(from)?;
    let rows = read_shape(from, dim)?;
    let size = from.i32("the codes")?;
    let size = from.length(size, "the size of the codes")?;
    let codes = from.take(size, 1, "the codes")?;
    let quantiser = read_quantiser(from, dim)?;
    if rows.checked_mul(quantiser.parts) != Some(size) {
        let reason = format!("damaged: {size} codes for {rows} rows of {} parts", quantiser.parts);
        return Err(from.error(reason));
    }
    let norms = if scaled {
        let codes = from.take(rows, 1, "the codes of lengths")?;
        Some((codes, read_quantiser(from, 1)?))
    } else {
        None
    };
    Ok(Quantised { rows, codes, quantiser, norms })
}

fn read_quantiser(from: &mut Bytes<'_>, dim: usize) -> Result<Quantiser> {
    let mut next = || {
        let number = from.i32("a quantiser")?;
        from.length(number, "a number of a quantiser")
    };
    let (size, parts, width, last_width) = (next()?, next()?, next()?, next()?);
    let covered = parts
        .checked_sub(1)
        .and_then(|whole| whole.checked_mul(width))
        .and_then(|covered| covered.checked_add(last_width));
    if size != dim || covered != Some(dim) || last_width > width {
        let reason = format!(
            "damaged: a quantiser of {parts} parts of {width}, the last of {last_width}, for vectors of {dim}"
        );
        return Err(from.error(reason));
    }
    let centroids = floats(from.take(dim, 4 * CENTROIDS, "the centroids")?).collect();
    Ok(Quantiser { parts, width, last_width, centroids })
}

/// Writes what stands in front of the matrices of a model that is neither quantised nor pruned.
pub(crate) fn write_head<'a>(
    writer: &mut dyn Write,
    arguments: &Arguments,
    words: impl ExactSizeIterator<Item = (&'a str, u64)> + Clone,
) -> io::Result<()> {
    let Arguments { dim, ws, epoch, min_count, neg, word_ngrams, loss, model, .. } = *arguments;
    let Arguments { bucket, minn, maxn, t, .. } = *arguments;
    let settings = [dim, ws, epoch, min_count, neg, word_ngrams, loss, model, bucket, minn, maxn];
    writer.write_all(&MAGIC)?;
    for number in [VERSION].iter().chain(&settings).chain(&[UPDATE_RATE]) {
        writer.write_all(&number.to_le_bytes())?;
    }
    writer.write_all(&t.to_le_bytes())?;
    let count = i32::try_from(words.len()).map_err(|_| io::Error::other("too many words"))?;
    for number in [count, count, 0] {
        writer.write_all(&number.to_le_bytes())?;
    }
    // fastText draws noise by these counts when it opens the model, and cannot if all are zero.
    let counted = |count: u64| i64::try_from(count.max(1)).unwrap_or(i64::MAX);
    let total = words.clone().fold(0_i64, |sum, (_, count)| sum.saturating_add(counted(count)));
    writer.write_all(&total.to_le_bytes())?;
    writer.write_all(&(-1_i64).to_le_bytes())?;
    for (word, count) in words {
        writer.write_all(word.as_bytes())?;
        writer.write_all(&[0])?;
        writer.write_all(&counted(count).to_le_bytes())?;
        writer.write_all(&[0])?;
    }
    Ok(())
}

/// Writes what stands in front of the numbers of a matrix.
pub(crate) fn write_shape(writer: &mut dyn Write, rows: usize, size: usize) -> io::Result<()> {
    writer.write_all(&(rows as i64).to_le_bytes())?;
    writer.write_all(&(size as i64).to_le_bytes())
}

impl Quantiser {
    /// The numbers that a code stands for in a part of a vector.
    fn part(&self, part: usize, code: u8) -> &[f32] {
        let width = if part + 1 == self.parts { self.last_width } else { self.width };
        let start = part * CENTROIDS * self.width + usize::from(code) * width;
        &self.centroids[start..start + width]
    }
}

impl Quantised<'_> {
    /// Appends the numbers of a row.
    pub(crate) fn append_row(&self, row: usize, numbers: &mut Vec<f32>) {
        let parts = self.quantiser.parts;
        let length = self.norms.as_ref().map_or(1.0, |(codes, norms)| norms.part(0, codes[row])[0]);
        for (part, &code) in self.codes[row * parts..(row + 1) * parts].iter().enumerate() {
            numbers.extend(self.quantiser.part(part, code).iter().map(|number| length * number));
        }
    }
}
