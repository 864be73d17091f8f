//! Vectors whose file takes less room: half floats, bytes, or codes of product quantization.
//!
//! A file of these is read whole and its numbers become floats again, so that everything else works as with
//! any vectors.

use std::path::Path;

use serde_json::Value;

use super::mapped::Matrix;
use super::{WordVectors, file};
use crate::error::{Error, Place, Result};
use crate::formats::safetensors::{Header, Kind, Tensor};

/// The numbers of a matrix as they are stored, row after row.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// IEEE half floats, as bits.
    Half(Vec<u16>),
    /// Whole numbers and what one of them is worth in each row.
    Bytes {
        /// As many for each row as a vector has numbers.
        numbers: Vec<i8>,
        /// One for each row.
        scales: Vec<f32>,
    },
    /// For each part of each row the number of a vector in the book of that part (Jégou et al. 2011).
    Codes {
        /// As many for each row as there are parts.
        codes: Vec<u8>,
        /// For each part its vectors, one after the other; the last part may be filled up with zeros.
        books: Vec<f32>,
        /// How many parts there are.
        parts: usize,
        /// How long each row is; the books describe directions.
        lengths: Vec<f32>,
    },
}

impl Stored {
    /// The name as users write it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Half(_) => "float16",
            Self::Bytes { .. } => "int8",
            Self::Codes { .. } => "product",
        }
    }

    /// Bytes that the numbers take.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Half(halves) => 2 * halves.len(),
            Self::Bytes { numbers, scales } => numbers.len() + 4 * scales.len(),
            Self::Codes { codes, books, lengths, .. } => {
                codes.len() + 4 * (books.len() + lengths.len())
            }
        }
    }

    /// The numbers of `rows` vectors of `size` numbers, or what does not fit together.
    fn decode(&self, rows: usize, size: usize) -> Result<Vec<f32>, String> {
        let fits = match self {
            Self::Half(halves) => rows.checked_mul(size) == Some(halves.len()),
            Self::Bytes { numbers, scales } => {
                rows.checked_mul(size) == Some(numbers.len()) && scales.len() == rows
            }
            Self::Codes { codes, books, parts, lengths } => {
                let book = parts.checked_mul(size.div_ceil((*parts).max(1)));
                (1..=size).contains(parts)
                    && rows.checked_mul(*parts) == Some(codes.len())
                    && lengths.len() == rows
                    && book.is_some_and(|line| books.len().is_multiple_of(line))
            }
        };
        if !fits {
            return Err(format!("the {} numbers do not fit {rows} vectors of {size}", self.name()));
        }
        match self {
            Self::Half(halves) => Ok(halves.iter().map(|&half| float_of(half)).collect()),
            Self::Bytes { numbers, scales } => Ok(numbers
                .chunks_exact(size.max(1))
                .zip(scales)
                .flat_map(|(row, scale)| row.iter().map(move |&number| f32::from(number) * scale))
                .collect()),
            Self::Codes { codes, books, parts, lengths } => {
                decode_codes(codes, books, *parts, lengths, size)
            }
        }
    }

    /// The tensors of a file, with their names and shapes.
    fn write<Output>(
        &self,
        rows: usize,
        size: usize,
        write: impl FnOnce(&[Tensor<'_>]) -> Output,
    ) -> Output {
        let floats = |numbers: &[f32]| -> Vec<u8> {
            numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
        };
        match self {
            Self::Half(halves) => {
                let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
                write(&[tensor("vectors", Kind::F16, &[rows, size], &bytes)])
            }
            Self::Bytes { numbers, scales } => {
                let bytes: Vec<u8> = numbers.iter().map(|number| number.cast_unsigned()).collect();
                write(&[
                    tensor("vectors", Kind::I8, &[rows, size], &bytes),
                    tensor("scales", Kind::F32, &[rows], &floats(scales)),
                ])
            }
            Self::Codes { codes, books, parts, lengths } => {
                let width = size.div_ceil(*parts);
                let shape = [*parts, books.len() / (parts * width), width];
                write(&[
                    tensor("codes", Kind::U8, &[rows, *parts], codes),
                    tensor("books", Kind::F32, &shape, &floats(books)),
                    tensor("lengths", Kind::F32, &[rows], &floats(lengths)),
                ])
            }
        }
    }

    /// The numbers in a file that says it holds them so.
    pub(super) fn read(
        path: &Path,
        header: &Header,
        file: &[u8],
        storage: &str,
        size: usize,
    ) -> Result<(Self, usize)> {
        let floats = |name: &str, dimensions: usize| -> Result<(Vec<usize>, Vec<f32>)> {
            let (shape, range) = header.tensor(path, name, Kind::F32, dimensions)?;
            let (numbers, _) = file[range].as_chunks::<4>();
            Ok((shape, numbers.iter().map(|&number| f32::from_le_bytes(number)).collect()))
        };
        let (stored, rows) = match storage {
            "float16" => {
                let (shape, range) = header.tensor(path, "vectors", Kind::F16, 2)?;
                let (halves, _) = file[range].as_chunks::<2>();
                let halves = halves.iter().map(|&half| u16::from_le_bytes(half)).collect();
                (Self::Half(halves), shape[0])
            }
            "int8" => {
                let (shape, range) = header.tensor(path, "vectors", Kind::I8, 2)?;
                let numbers = file[range].iter().map(|byte| byte.cast_signed()).collect();
                (Self::Bytes { numbers, scales: floats("scales", 1)?.1 }, shape[0])
            }
            "product" => {
                let (shape, range) = header.tensor(path, "codes", Kind::U8, 2)?;
                let (books_shape, books) = floats("books", 3)?;
                let parts = shape[1];
                if books_shape[0] != parts || parts == 0 || books_shape[2] != size.div_ceil(parts) {
                    let reason = format!("books of shape {books_shape:?} do not fit {parts} parts");
                    return Err(Error::format(path, Place::Byte(8), reason));
                }
                let (codes, lengths) = (file[range].to_vec(), floats("lengths", 1)?.1);
                (Self::Codes { codes, books, parts, lengths }, shape[0])
            }
            _ => {
                let reason = format!(
                    "vectors stored as {storage:?}, which this version does not read. Install a newer \
                     textgrain"
                );
                return Err(Error::format(path, Place::Byte(8), reason));
            }
        };
        Ok((stored, rows))
    }

    /// The floats of a file's numbers.
    pub(super) fn floats(&self, path: &Path, rows: usize, size: usize) -> Result<Vec<f32>> {
        self.decode(rows, size).map_err(|reason| Error::format(path, Place::Byte(8), reason))
    }
}

fn tensor<'a>(name: &'a str, kind: Kind, shape: &'a [usize], bytes: &'a [u8]) -> Tensor<'a> {
    Tensor { name, kind, shape, bytes }
}

fn decode_codes(
    codes: &[u8],
    books: &[f32],
    parts: usize,
    lengths: &[f32],
    size: usize,
) -> Result<Vec<f32>, String> {
    let width = size.div_ceil(parts);
    let entries = books.len() / (parts * width);
    if let Some(code) = codes.iter().find(|&&code| usize::from(code) >= entries) {
        return Err(format!("code {code} is not in a book of {entries} vectors"));
    }
    let mut numbers = Vec::with_capacity(lengths.len() * size);
    for (codes, length) in codes.chunks_exact(parts).zip(lengths) {
        let start = numbers.len();
        for (part, &code) in codes.iter().enumerate() {
            let entry = (part * entries + usize::from(code)) * width;
            numbers.extend(books[entry..entry + width].iter().map(|number| number * length));
        }
        numbers.truncate(start + size);
    }
    Ok(numbers)
}

/// The float that a half float stands for, exactly.
fn float_of(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let (exponent, fraction) = (u32::from(half >> 10) & 31, u32::from(half) & 1023);
    match exponent {
        // Too small for an exponent of its own: so many times 2 to the power of -24.
        0 => f32::from_bits(sign | (fraction as f32 * (1.0 / 16_777_216.0)).to_bits()),
        31 => f32::from_bits(sign | 0x7F80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

impl WordVectors {
    /// The same words with the numbers that are stored so.
    pub fn with_numbers(&self, stored: &Stored) -> Result<Self> {
        let matrix = stored
            .decode(self.len(), self.size)
            .map_err(|reason| Error::parameter("numbers", "must fit the vectors", reason))?;
        let mut settings = self.settings.clone();
        if let Value::Object(settings) = &mut settings {
            settings.insert("stored".to_owned(), stored.name().into());
        }
        let (counts, history) = (self.counts.clone(), self.history.clone());
        Ok(Self::assemble(
            self.words.clone(),
            Matrix::Owned(matrix),
            self.size,
            counts,
            settings,
            history,
        )
        .with_ngrams_of(self))
    }

    /// Writes these words with numbers that are stored so; `self` is what they decode to.
    pub fn save_stored(&self, path: &Path, stored: &Stored) -> Result<()> {
        stored.write(self.len(), self.size, |tensors| {
            file::write(self, path, tensors, Some((stored.name(), self.size)))
        })
    }
}

#[cfg(test)]
mod tests {
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

    fn kinds() -> Vec<(Stored, Vec<f32>)> {
        let bytes = Stored::Bytes { numbers: vec![1, -2, 3, 4, 5, -127], scales: vec![0.5, 2.0] };
        let codes = Stored::Codes {
            codes: vec![0, 1, 1, 0],
            // Two parts of two numbers, the second filled up; two vectors in each book.
            books: vec![1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 6.0, 0.0],
            parts: 2,
            lengths: vec![1.0, 10.0],
        };
        vec![
            (Stored::Half(vec![0x3C00; 6]), vec![1.0; 6]),
            (bytes, vec![0.5, -1.0, 1.5, 8.0, 10.0, -254.0]),
            (codes, vec![1.0, 2.0, 6.0, 30.0, 40.0, 50.0]),
        ]
    }

    #[test]
    fn what_was_stored_is_loaded_again() {
        let directory = tempfile::tempdir().unwrap();
        for (stored, numbers) in kinds() {
            let decoded = vectors().with_numbers(&stored).unwrap();
            assert_eq!(decoded.matrix(), numbers);
            let path = directory.path().join(stored.name());
            decoded.save_stored(&path, &stored).unwrap();
            let loaded = WordVectors::load(&path).unwrap();
            assert_eq!((loaded.matrix(), loaded.counts()), (&numbers[..], &[5, 1][..]));
            assert_eq!(loaded.settings(), decoded.settings());
            assert_eq!(loaded.settings()["stored"], stored.name());
        }
    }

    #[test]
    fn damage_and_what_does_not_fit_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for (stored, _) in kinds() {
            vectors().with_numbers(&stored).unwrap().save_stored(&path, &stored).unwrap();
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
        let lengths = vec![1.0; 2];
        let codes = |codes: Vec<u8>, books: usize, parts: usize| Stored::Codes {
            codes,
            books: vec![0.0; books],
            parts,
            lengths: lengths.clone(),
        };
        for wrong in [
            Stored::Half(vec![0; 5]),
            Stored::Bytes { numbers: vec![0; 6], scales: vec![1.0] },
            codes(vec![0; 4], 8, 0),
            codes(vec![0; 4], 7, 2),
            codes(vec![0; 5], 8, 2),
            codes(vec![2; 4], 8, 2),
            codes(vec![0; 4], 0, 2),
        ] {
            assert!(vectors().with_numbers(&wrong).is_err(), "{wrong:?}");
        }
    }
}
