//! One safetensors file: matrix, words, counts, settings, history and a checksum.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use memmap2::Mmap;
use serde_json::Value;

use super::checked::check_and_measure;
use super::mapped::{self, Plain, Store};
use super::packed::Packed;
use super::rows::{Owned, Rows};
use super::sketch::Sketch;
use super::sketch_file::SKETCH;
use super::{WordVectors, Words, ngrams_file, norms};
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{self, Header, Kind, Tensor};

/// The version of the layout; a reader refuses those that it does not know.
const VERSION: &str = "1";

/// The version of files whose numbers are not floats, which older readers could not use.
const VERSION_STORED: &str = "2";

/// The name under which the layout's version is found.
const VERSION_KEY: &str = "textgrain.vectors";

impl WordVectors {
    /// Writes everything to one file, which any safetensors library can read.
    pub fn save(&self, path: &Path) -> Result<()> {
        write(self, path, None)
    }

    /// Opens a file; the matrix stays in it and is read when it is needed.
    ///
    /// Every length, every word and the checksum are verified first, so a damaged file never loads.
    pub fn load(path: &Path) -> Result<Self> {
        Self::map(path, true)
    }

    /// The same, with the choice to take the numbers on trust: then only the header and the words are read.
    pub(super) fn map(path: &Path, verify: bool) -> Result<Self> {
        let file = Arc::new(mapped::map(path)?);
        read(path, &Source::Mapped(&file), verify)
    }

    /// The bytes of the file that [`WordVectors::save`] writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        with_tensors(self, None, safetensors::to_bytes)
    }

    /// The same as [`WordVectors::load`] from the content of a file; errors name it so.
    pub fn from_bytes(path: &Path, content: &[u8]) -> Result<Self> {
        read(path, &Source::Bytes(content), true)
    }
}

/// Writes a file, with a sketch in it if one is given.
pub(super) fn write(vectors: &WordVectors, path: &Path, sketch: Option<&Sketch>) -> Result<()> {
    with_tensors(vectors, sketch, |tensors, metadata| safetensors::write(path, tensors, metadata))
}

/// Hands on what a file consists of.
fn with_tensors<T>(
    vectors: &WordVectors,
    sketch: Option<&Sketch>,
    then: impl FnOnce(&[Tensor<'_>], &[(&str, String)]) -> T,
) -> T {
    let bytes_of = |numbers: &[u64]| bytes_of(numbers.iter().map(|number| number.to_le_bytes()));
    let (counts, offsets) = (bytes_of(&vectors.counts), bytes_of(vectors.words.offsets()));
    let (rows, text) = (vectors.len(), vectors.words.text().as_bytes());
    let shapes = [[rows], [rows + 1], [text.len()]];
    let numbers = vectors.rows.tensors("");
    let mut tensors = vec![
        Tensor { name: "counts", kind: Kind::U64, shape: &shapes[0], bytes: &counts },
        Tensor { name: "word_offsets", kind: Kind::U64, shape: &shapes[1], bytes: &offsets },
        Tensor { name: "words", kind: Kind::U8, shape: &shapes[2], bytes: text },
    ];
    tensors.extend(numbers.iter().map(tensor_of));
    let ngrams = vectors.ngrams().map(ngrams_file::Stored::of);
    tensors.extend(ngrams.iter().flat_map(ngrams_file::Stored::tensors));
    let norms = norms::tensor(&vectors.norms);
    tensors.extend(norms.iter().map(tensor_of));
    let sketch = sketch.map(Sketch::tensors);
    tensors.extend(sketch.iter().flatten().map(tensor_of));
    // Matrices first: what stands behind text is no longer aligned, and could not be mapped. The rows of a
    // sketch are 32 bytes or a multiple of it, so what follows stays aligned for all numbers.
    tensors.sort_by_key(|tensor| match tensor.kind {
        Kind::I8 if tensor.name == SKETCH => 0,
        Kind::F32 => 1,
        Kind::U64 => 2,
        Kind::I32 | Kind::U32 | Kind::U16 | Kind::F16 => 3,
        Kind::I8 | Kind::U8 => 4,
    });
    let stored = vectors.stored();
    let is_plain = stored.is_none() && ngrams.as_ref().is_none_or(ngrams_file::Stored::is_plain);
    let version = if is_plain { VERSION } else { VERSION_STORED };
    let mut metadata = vec![
        (VERSION_KEY, version.to_owned()),
        ("settings", vectors.settings.to_string()),
        ("history", Value::from(vectors.history.clone()).to_string()),
    ];
    metadata.extend(ngrams.iter().flat_map(ngrams_file::Stored::metadata));
    if let Some(name) = stored {
        metadata.push(("storage", name.to_owned()));
        metadata.push(("vector_size", vectors.size.to_string()));
    }
    then(&tensors, &metadata)
}

/// What is written of it.
pub(super) fn tensor_of<'a>((name, kind, shape, bytes): &'a Owned<'_>) -> Tensor<'a> {
    Tensor { name, kind: *kind, shape, bytes }
}

/// The content of a file.
pub(super) enum Source<'a> {
    Mapped(&'a Arc<Mmap>),
    Bytes(&'a [u8]),
}

impl Source<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(file) => file,
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The numbers in this range, in the file where they can stay there.
    pub(super) fn store<T: Plain>(&self, range: Range<usize>) -> Store<T> {
        match self {
            Self::Mapped(file) => Store::from_file(Arc::clone(file), range),
            Self::Bytes(bytes) => Store::from_bytes(&bytes[range]),
        }
    }

    /// Vectors and how many numbers each has; `size` is how many it must have, where that is known.
    pub(super) fn rows(
        &self,
        path: &Path,
        header: &Header,
        storage: Option<&str>,
        (prefix, size): (&str, Option<usize>),
    ) -> Result<(Rows, usize)> {
        let fail = |reason: String| Error::format(path, Place::Byte(8), reason);
        let Some(storage) = storage else {
            let (shape, range) = header.tensor(path, &format!("{prefix}vectors"), Kind::F32, 2)?;
            if shape[1] == 0 {
                return Err(fail(format!("vectors of shape {shape:?} cannot be used")));
            }
            return Ok((Rows::of_floats(self.store(range), shape[1]), shape[1]));
        };
        let stated = || header.metadata("vector_size").and_then(|size| size.parse().ok());
        let Some(size) = size.or_else(stated).filter(|&size| size > 0) else {
            return Err(fail("the header does not say how many numbers a vector has".to_owned()));
        };
        let (packed, rows) = Packed::read(path, header, self, storage, (prefix, size))?;
        Ok((Rows::of_packed(packed, rows, size).map_err(fail)?, size))
    }
}

/// Everything in a file, compared with its checksum unless it is not to be.
fn read(path: &Path, source: &Source<'_>, verify: bool) -> Result<WordVectors> {
    let file = source.bytes();
    let header = Header::read(path, file)?;
    check_version(path, &header)?;
    let (matrix, size) = source.rows(path, &header, header.metadata("storage"), ("", None))?;
    let table = || read_table(path, &header, file, (matrix.len(), size));
    let norms = norms::read(path, &header, source, matrix.len())?;
    let (norms, table) = match norms {
        Some(norms) if !verify => (norms, table()),
        norms => check_and_measure(path, &header, file, (&matrix, norms), table)?,
    };
    let (words, counts) = table?;
    let sketch = Sketch::read(path, &header, source, (matrix.len(), size))?;
    let fail = |reason: &str| Err(Error::format(path, Place::Byte(8), reason));
    let settings = read_json(path, &header, "settings")?;
    let history = read_json(path, &header, "history")?;
    if !settings.is_object() {
        return fail("the settings are not a JSON object");
    }
    let history = history
        .as_array()
        .and_then(|losses| losses.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
    let Some(history) = history else {
        return fail("the history is not a list of numbers");
    };
    let ngrams = ngrams_file::read(path, &header, source, size)?;
    header.verify(path, file)?;
    let facts = (settings, history);
    let mut vectors = WordVectors::with_norms(words, matrix, size, norms, counts, facts);
    vectors.ngrams = ngrams.map(Arc::new);
    vectors.sketch = sketch.map(OnceLock::from).unwrap_or_default();
    Ok(vectors)
}

/// The words and their counts.
fn read_table(
    path: &Path,
    header: &Header,
    file: &[u8],
    (rows, size): (usize, usize),
) -> Result<(Words, Vec<u64>)> {
    let counts = read_numbers(path, header, file, "counts", rows)?;
    let offsets = read_numbers(path, header, file, "word_offsets", rows + 1)?;
    let (_, text) = header.tensor(path, "words", Kind::U8, 1)?;
    let fail =
        |place: usize, reason: String| Err(Error::format(path, Place::Byte(place as u64), reason));
    if rows >= u32::MAX as usize {
        return fail(0, format!("vectors of shape [{rows}, {size}] cannot be used"));
    }
    match read_words(&file[text.clone()], offsets) {
        Ok(words) => Ok((words, counts)),
        Err((place, reason)) => fail(text.start + place, reason),
    }
}

fn check_version(path: &Path, header: &Header) -> Result<()> {
    let reason = match header.metadata(VERSION_KEY) {
        Some(VERSION | VERSION_STORED) => return Ok(()),
        Some(other) => format!(
            "word vectors of layout {other:?}; this version reads {VERSION:?} and {VERSION_STORED:?}. Install a newer textgrain"
        ),
        None => {
            format!("a safetensors file without word vectors: its metadata lacks {VERSION_KEY:?}")
        }
    };
    Err(Error::format(path, Place::Byte(8), reason))
}

pub(super) fn read_numbers(
    path: &Path,
    header: &Header,
    file: &[u8],
    name: &str,
    length: usize,
) -> Result<Vec<u64>> {
    let (shape, range) = header.tensor(path, name, Kind::U64, 1)?;
    if shape[0] != length {
        let reason = format!("tensor {name:?} must have {length} numbers, it has {}", shape[0]);
        return Err(Error::format(path, Place::Byte(8), reason));
    }
    let (numbers, _) = file[range].as_chunks::<8>();
    Ok(numbers.iter().map(|&number| u64::from_le_bytes(number)).collect())
}

/// The words, or where in their bytes something is wrong.
pub(super) fn read_words(bytes: &[u8], offsets: Vec<u64>) -> Result<Words, (usize, String)> {
    let text = match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            return Err((error.valid_up_to(), "the words are not valid UTF-8".to_owned()));
        }
    };
    if offsets.first() != Some(&0) || offsets.last() != Some(&(text.len() as u64)) {
        return Err((0, "the word offsets do not run from 0 to the end of the words".to_owned()));
    }
    for (row, pair) in offsets.windows(2).enumerate() {
        if pair[0] > pair[1] || !text.is_char_boundary(pair[1] as usize) {
            let reason = format!("word {row} has impossible offsets {} to {}", pair[0], pair[1]);
            return Err((text.len().min(pair[0] as usize), reason));
        }
    }
    Words::from_parts(text.to_owned(), offsets)
        .map_err(|word| (0, format!("the word {word:?} occurs twice")))
}

fn read_json(path: &Path, header: &Header, name: &str) -> Result<Value> {
    let text = header.metadata(name).unwrap_or("null");
    serde_json::from_str(text).map_err(|error| {
        Error::format(path, Place::Byte(8), format!("the {name} are not valid JSON: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subword::{Index, Naming, Scheme, Table};
    use crate::vectors::Ngrams;

    fn vectors() -> WordVectors {
        let settings = serde_json::json!({ "trainer": "test", "seed": 3 });
        let matrix = (0..12).map(|number| number as f32 - 5.5).collect();
        WordVectors::new(["a", "b c", "é\0"], matrix, 4, vec![7, 1 << 40, 0], settings, vec![2.5])
            .unwrap()
    }

    /// The same with n-grams of each kind.
    fn all_kinds() -> Vec<WordVectors> {
        let text = |rows| Index::Text { ngrams: Words::new(["<a>", "é", "b c"]).unwrap(), rows };
        let some = |dropped| Index::Some { buckets: vec![1, 5, 6], dropped };
        let naming = Naming::Floret { buckets: 3, hashes: 2, seed: 7 };
        let hashed = |buckets| Scheme::fasttext(2, 4, buckets);
        let floret = Scheme { naming, whole_word: true, begin: "BOW".into(), ..hashed(3) };
        let all = [
            (hashed(3), Index::All),
            (hashed(8), some(true)),
            (hashed(8), some(false)),
            (floret, Index::All),
            (Scheme::explicit(1, 3), text(None)),
            (Scheme::explicit(1, 3), text(Some(vec![2, 0, 0]))),
        ];
        let with_ngrams = all.into_iter().map(|(scheme, index)| {
            let table = Table::new(scheme, index, 3).unwrap();
            let matrix = (0..12).map(|number| number as f32 / 3.0).collect();
            vectors().with_ngrams(Ngrams::new(table, matrix, 4)).unwrap()
        });
        std::iter::once(vectors()).chain(with_ngrams).collect()
    }

    #[test]
    fn a_saved_file_loads_equal_and_is_written_the_same_again() {
        let directory = tempfile::tempdir().unwrap();
        let (first, second) = (directory.path().join("1"), directory.path().join("2"));
        for written in all_kinds() {
            written.save(&first).unwrap();
            let loaded = WordVectors::load(&first).unwrap();
            assert!(loaded.rows.is_mapped());
            assert_eq!(loaded.matrix(), vectors().matrix());
            assert_eq!(loaded.words().row("é\0"), Some(2));
            assert_eq!(loaded.counts(), [7, 1 << 40, 0]);
            assert_eq!(loaded.settings()["seed"].as_i64(), Some(3));
            assert_eq!(loaded.history(), &[2.5][..]);
            if let (Some(before), Some(after)) = (written.ngrams(), loaded.ngrams()) {
                assert!(after.stored().is_mapped());
                assert_eq!(after.table().scheme(), before.table().scheme());
                for word in ["", "a", "ab", "écab", "b c"] {
                    assert_eq!(after.vector(word), before.vector(word));
                }
            }
            loaded.save(&second).unwrap();
            assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap());
            let copied = WordVectors::from_bytes(&first, &std::fs::read(&first).unwrap()).unwrap();
            assert_eq!(copied.ngrams().is_some(), written.ngrams().is_some());
        }
    }

    #[test]
    fn every_truncation_and_every_flipped_byte_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for written in all_kinds() {
            written.save(&path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for length in 0..bytes.len() {
                WordVectors::from_bytes(&path, &bytes[..length]).unwrap_err();
            }
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 0x20;
                assert!(WordVectors::from_bytes(&path, &damaged).is_err(), "{place}");
            }
        }
    }

    #[test]
    fn no_vectors_at_all_can_be_saved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let none = WordVectors::new([], vec![], 4, vec![], serde_json::json!({}), vec![]).unwrap();
        none.save(&path).unwrap();
        assert!(WordVectors::load(&path).unwrap().is_empty());
    }
}
