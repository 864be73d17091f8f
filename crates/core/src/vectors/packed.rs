//! Numbers with fewer bits: half floats, bytes, or codes of product quantization.
//!
//! They stay as they are, in memory or in a mapped file, and become floats a row at a time. So every answer is
//! that of the floats that they stand for.
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::codes::CodeProducts;
use super::file::Source;
use super::mapped::Store;
use super::rows::Owned;
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{Header, Kind};
use crate::simd::level::{Level, Task, run};

/// The numbers of a matrix as they are stored, row after row.
#[derive(Clone, Debug)]
pub struct Packed(Numbers);

#[derive(Clone, Debug)]
enum Numbers {
    /// IEEE half floats, as bits.
    Half(Store<u16>),
    /// Whole numbers and what one of them is worth in each row.
    Bytes { numbers: Store<i8>, scales: Store<f32> },
    /// For each part of each row the number of a vector in the book of that part (Jégou et al. 2011).
    Codes { codes: Store<u8>, books: Vec<f32>, parts: usize, lengths: Store<f32> },
}

impl Packed {
    /// Half floats, as bits.
    pub fn half(halves: Vec<u16>) -> Self {
        Self(Numbers::Half(Store::Owned(halves)))
    }

    /// Whole numbers, as many for each row as a vector has, and what one of them is worth in each row.
    pub fn bytes(numbers: Vec<i8>, scales: Vec<f32>) -> Self {
        let (numbers, scales) = (Store::Owned(numbers), Store::Owned(scales));
        Self(Numbers::Bytes { numbers, scales })
    }

    /// As many codes for each row as there are parts; for each part its vectors, one after the other, of which
    /// the last part's may be filled up with zeros; and how long each row is, since the books describe
    /// directions.
    pub fn codes(codes: Vec<u8>, books: Vec<f32>, parts: usize, lengths: Vec<f32>) -> Self {
        let (codes, lengths) = (Store::Owned(codes), Store::Owned(lengths));
        Self(Numbers::Codes { codes, books, parts, lengths })
    }

    /// The name as users write it.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Numbers::Half(_) => "float16",
            Numbers::Bytes { .. } => "int8",
            Numbers::Codes { .. } => "product",
        }
    }

    /// Bytes that the numbers take.
    pub fn size_in_bytes(&self) -> usize {
        match &self.0 {
            Numbers::Half(halves) => 2 * halves.numbers().len(),
            Numbers::Bytes { numbers, scales } => {
                numbers.numbers().len() + 4 * scales.numbers().len()
            }
            Numbers::Codes { codes, books, lengths, .. } => {
                codes.numbers().len() + 4 * (books.len() + lengths.numbers().len())
            }
        }
    }

    /// Says what does not fit `rows` vectors of `size` numbers.
    pub(super) fn check(&self, rows: usize, size: usize) -> Result<(), String> {
        let fits = match &self.0 {
            Numbers::Half(halves) => rows.checked_mul(size) == Some(halves.numbers().len()),
            Numbers::Bytes { numbers, scales } => {
                rows.checked_mul(size) == Some(numbers.numbers().len())
                    && scales.numbers().len() == rows
            }
            Numbers::Codes { codes, books, parts, lengths } => {
                let book = parts.checked_mul(size.div_ceil((*parts).max(1)));
                (1..=size).contains(parts)
                    && rows.checked_mul(*parts) == Some(codes.numbers().len())
                    && lengths.numbers().len() == rows
                    && book.is_some_and(|line| books.len().is_multiple_of(line))
            }
        };
        if !fits {
            return Err(format!("the {} numbers do not fit {rows} vectors of {size}", self.name()));
        }
        if let Numbers::Codes { codes, books, parts, .. } = &self.0 {
            let entries = books.len() / (parts * size.div_ceil(*parts));
            let largest = codes.numbers().iter().max();
            if let Some(code) = largest.filter(|&&code| usize::from(code) >= entries) {
                return Err(format!("code {code} is not in a book of {entries} vectors"));
            }
        }
        Ok(())
    }

    /// The bytes of all rows, and what one of them is worth in each, where they are stored so.
    pub(super) fn as_bytes(&self) -> Option<(&[i8], &[f32])> {
        let Numbers::Bytes { numbers, scales } = &self.0 else { return None };
        Some((numbers.numbers(), scales.numbers()))
    }

    /// The products of a query with all rows, where these are codes.
    pub(super) fn code_products(&self, query: &[f32]) -> Option<CodeProducts<'_>> {
        let Numbers::Codes { codes, books, parts, lengths } = &self.0 else { return None };
        let shape = (*parts, query.len().div_ceil(*parts));
        Some(CodeProducts::new(codes.numbers(), lengths.numbers(), books, shape, query))
    }

    /// Writes some rows as floats.
    pub(super) fn decode(&self, rows: Range<usize>, size: usize, floats: &mut [f32]) {
        run(Decode { numbers: &self.0, rows, size, floats });
    }

    /// The tensors of a file; their names begin with `prefix`.
    pub(super) fn tensors(&self, prefix: &str, rows: usize, size: usize) -> Vec<Owned<'_>> {
        let name = |name: &str| format!("{prefix}{name}");
        match &self.0 {
            Numbers::Half(halves) => {
                vec![(name("vectors"), Kind::F16, vec![rows, size], halves.bytes())]
            }
            Numbers::Bytes { numbers, scales } => vec![
                (name("vectors"), Kind::I8, vec![rows, size], numbers.bytes()),
                (name("scales"), Kind::F32, vec![rows], scales.bytes()),
            ],
            Numbers::Codes { codes, books, parts, lengths } => {
                let width = size.div_ceil(*parts);
                let shape = vec![*parts, books.len() / (parts * width), width];
                let bytes = bytes_of(books.iter().map(|number| number.to_le_bytes()));
                vec![
                    (name("codes"), Kind::U8, vec![rows, *parts], codes.bytes()),
                    (name("books"), Kind::F32, shape, Cow::Owned(bytes)),
                    (name("lengths"), Kind::F32, vec![rows], lengths.bytes()),
                ]
            }
        }
    }

    /// The numbers in a file that says it holds them so, and how many rows they are.
    pub(super) fn read(
        path: &Path,
        header: &Header,
        source: &Source<'_>,
        storage: &str,
        (prefix, size): (&str, usize),
    ) -> Result<(Self, usize)> {
        let name = |name: &str| format!("{prefix}{name}");
        let floats = |tensor: &str| -> Result<Store<f32>> {
            Ok(source.store(header.tensor(path, &name(tensor), Kind::F32, 1)?.1))
        };
        match storage {
            "float16" => {
                let (shape, range) = header.tensor(path, &name("vectors"), Kind::F16, 2)?;
                Ok((Self(Numbers::Half(source.store(range))), shape[0]))
            }
            "int8" => {
                let (shape, range) = header.tensor(path, &name("vectors"), Kind::I8, 2)?;
                let (numbers, scales) = (source.store(range), floats("scales")?);
                Ok((Self(Numbers::Bytes { numbers, scales }), shape[0]))
            }
            "product" => {
                let (shape, range) = header.tensor(path, &name("codes"), Kind::U8, 2)?;
                let (books_shape, books) = header.tensor(path, &name("books"), Kind::F32, 3)?;
                let parts = shape[1];
                if books_shape[0] != parts || parts == 0 || books_shape[2] != size.div_ceil(parts) {
                    let reason = format!("books of shape {books_shape:?} do not fit {parts} parts");
                    return Err(Error::format(path, Place::Byte(8), reason));
                }
                let books = source.store::<f32>(books).numbers().to_vec();
                let (codes, lengths) = (source.store(range), floats("lengths")?);
                Ok((Self(Numbers::Codes { codes, books, parts, lengths }), shape[0]))
            }
            _ => {
                let reason = format!(
                    "vectors stored as {storage:?}, which this version does not read. Install a newer \
                     textgrain"
                );
                Err(Error::format(path, Place::Byte(8), reason))
            }
        }
    }
}

/// Some rows, to be written as floats.
struct Decode<'a> {
    numbers: &'a Numbers,
    rows: Range<usize>,
    size: usize,
    floats: &'a mut [f32],
}

impl Task for Decode<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Level) {
        let Self { numbers, rows, size, floats } = self;
        let part = rows.start * size..rows.end * size;
        match numbers {
            Numbers::Half(halves) => {
                for (float, &half) in floats.iter_mut().zip(&halves.numbers()[part]) {
                    *float = float_of(half);
                }
            }
            Numbers::Bytes { numbers, scales } => {
                let lines = numbers.numbers()[part].chunks_exact(size);
                let each = floats.chunks_exact_mut(size).zip(lines);
                for ((floats, numbers), scale) in each.zip(&scales.numbers()[rows]) {
                    for (float, &number) in floats.iter_mut().zip(numbers) {
                        *float = f32::from(number) * scale;
                    }
                }
            }
            Numbers::Codes { codes, books, parts, lengths } => {
                let width = size.div_ceil(*parts);
                let book = books.len() / parts;
                let codes = &codes.numbers()[rows.start * parts..rows.end * parts];
                let each = floats.chunks_exact_mut(size).zip(codes.chunks_exact(*parts));
                for ((floats, codes), length) in each.zip(&lengths.numbers()[rows]) {
                    let places = floats.chunks_mut(width).zip(books.chunks_exact(book));
                    for ((floats, book), &code) in places.zip(codes) {
                        let entry = &book[usize::from(code) * width..][..width];
                        for (float, number) in floats.iter_mut().zip(entry) {
                            *float = number * length;
                        }
                    }
                }
            }
        }
    }
}

/// The float that a half float stands for, exactly; without branches, for registers of many.
#[inline(always)]
fn float_of(half: u16) -> f32 {
    let (sign, rest) = (u32::from(half & 0x8000) << 16, u32::from(half & 0x7FFF) << 13);
    // The exponents of single precision begin 112 lower; this also holds for numbers without one of their own.
    let finite = (f32::from_bits(rest) * f32::from_bits((127 + 112) << 23)).to_bits();
    let is_finite = half & 0x7C00 != 0x7C00;
    f32::from_bits(sign | if is_finite { finite } else { rest | 0x7F80_0000 })
}

#[cfg(test)]
mod tests {
    use super::super::WordVectors;
    use super::*;

    #[test]
    fn every_half_float() {
        let smallest = 2.0_f32.powi(-24);
        for (half, float) in [
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, smallest),
            (0x03FF, 1023.0 * smallest),
            (0x0400, 1024.0 * smallest),
            (0x7BFF, 65504.0),
            (0x8000, -0.0),
            (0xFC00, f32::NEG_INFINITY),
        ] {
            assert_eq!(float_of(half).to_bits(), f32::to_bits(float), "{half:x}");
        }
        assert!(float_of(0x7E00).is_nan());
    }

    fn vectors() -> WordVectors {
        let settings = serde_json::json!({ "trainer": "test" });
        WordVectors::new(["a", "b"], vec![1.0; 6], 3, vec![5, 1], settings, vec![]).unwrap()
    }

    fn kinds() -> Vec<(Packed, Vec<f32>)> {
        // Two parts of two numbers, the second filled up; two vectors in each book.
        let books = vec![1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 6.0, 0.0];
        vec![
            (Packed::half(vec![0x3C00; 6]), vec![1.0; 6]),
            (
                Packed::bytes(vec![1, -2, 3, 4, 5, -127], vec![0.5, 2.0]),
                vec![0.5, -1.0, 1.5, 8.0, 10.0, -254.0],
            ),
            (
                Packed::codes(vec![0, 1, 1, 0], books, 2, vec![1.0, 10.0]),
                vec![1.0, 2.0, 6.0, 30.0, 40.0, 50.0],
            ),
        ]
    }

    #[test]
    fn what_was_stored_is_loaded_again_and_stays_packed() {
        let directory = tempfile::tempdir().unwrap();
        for (packed, numbers) in kinds() {
            let name = packed.name();
            let small = vectors().with_numbers(packed).unwrap();
            assert_eq!((small.row(0).as_ref(), small.row(1).as_ref()), numbers.split_at(3));
            let (path, again) = (directory.path().join(name), directory.path().join("again"));
            small.save(&path).unwrap();
            let loaded = WordVectors::load(&path).unwrap();
            assert_eq!(loaded.stored(), Some(name));
            loaded.save(&again).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&again).unwrap());
            assert_eq!((loaded.matrix(), loaded.counts()), (&numbers[..], &[5, 1][..]));
            assert_eq!(loaded.settings(), small.settings());
            assert_eq!(loaded.settings()["stored"], name);
        }
    }

    #[test]
    fn damage_and_what_does_not_fit_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for (packed, _) in kinds() {
            vectors().with_numbers(packed).unwrap().save(&path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 0x20;
                std::fs::write(&path, &damaged).unwrap();
                assert!(WordVectors::load(&path).is_err(), "{place}");
                std::fs::write(&path, &bytes[..place]).unwrap();
                assert!(WordVectors::load(&path).is_err(), "{place}");
            }
        }
        let codes = |codes: Vec<u8>, books: usize, parts: usize| {
            Packed::codes(codes, vec![0.0; books], parts, vec![1.0; 2])
        };
        for wrong in [
            Packed::half(vec![0; 5]),
            Packed::bytes(vec![0; 6], vec![1.0]),
            codes(vec![0; 4], 8, 0),
            codes(vec![0; 4], 7, 2),
            codes(vec![0; 5], 8, 2),
            codes(vec![2; 4], 8, 2),
            codes(vec![0; 4], 0, 2),
        ] {
            let shown = format!("{wrong:?}");
            assert!(vectors().with_numbers(wrong).is_err(), "{shown}");
        }
    }
}
