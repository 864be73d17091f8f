//! N-grams in this project's file: their vectors, and which n-gram has which row.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{Source, read_numbers, read_words, tensor_of};
use super::rows::Owned;
use super::{Ngrams, Packed};
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{Header, Kind, Tensor};
use crate::subword::{Index, Scheme, Table};

/// The name under which the metadata says how words are cut.
const METADATA: &str = "ngrams";

/// The name under which it says how the vectors of n-grams are stored, if with fewer bits.
const STORAGE: &str = "ngram_storage";

/// What the names of their tensors begin with.
const PREFIX: &str = "ngram_";

/// What the metadata says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Facts {
    #[serde(flatten)]
    scheme: Scheme,
    rows: Rows,
}

/// Which n-grams have a row, and so which tensors there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rows {
    /// Each bucket.
    All,
    /// The buckets in `ngram_buckets`; n-grams of others count as zeros.
    Buckets,
    /// The buckets in `ngram_buckets`; n-grams of others are left out.
    BucketsOnly,
    /// The n-grams in `ngrams` and `ngram_offsets`, in their order.
    Text,
    /// These n-grams, each with the row that `ngram_rows` names.
    TextAndNumbers,
}

/// N-grams as the tensors of a file.
pub(super) struct Stored<'a> {
    facts: Facts,
    tensors: Vec<Owned<'a>>,
    storage: Option<&'static str>,
}

impl<'a> Stored<'a> {
    pub(super) fn of(ngrams: &'a Ngrams) -> Self {
        let mut tensors = ngrams.stored().tensors(PREFIX);
        let mut add = |name: &str, numbers: Vec<u64>| {
            let bytes = bytes_of(numbers.iter().map(|number| number.to_le_bytes()));
            tensors.push((name.to_owned(), Kind::U64, vec![numbers.len()], bytes.into()));
        };
        let widened = |rows: &[u32]| rows.iter().copied().map(u64::from).collect();
        let rows = match ngrams.table().index() {
            Index::All => Rows::All,
            Index::Some { buckets, dropped } => {
                add("ngram_buckets", widened(buckets));
                if *dropped { Rows::BucketsOnly } else { Rows::Buckets }
            }
            Index::Text { ngrams, rows } => {
                add("ngram_offsets", ngrams.offsets().to_vec());
                if let Some(rows) = rows {
                    add("ngram_rows", widened(rows));
                }
                let text = ngrams.text().as_bytes();
                tensors.push((
                    "ngrams".to_owned(),
                    Kind::U8,
                    vec![text.len()],
                    Cow::Borrowed(text),
                ));
                if rows.is_some() { Rows::TextAndNumbers } else { Rows::Text }
            }
        };
        let storage = ngrams.stored().packed().map(Packed::name);
        Self { facts: Facts { scheme: ngrams.table().scheme().clone(), rows }, tensors, storage }
    }

    pub(super) fn tensors(&self) -> impl Iterator<Item = Tensor<'_>> {
        self.tensors.iter().map(tensor_of)
    }

    pub(super) fn metadata(&self) -> impl Iterator<Item = (&'static str, String)> {
        let facts = (METADATA, serde_json::json!(self.facts).to_string());
        std::iter::once(facts).chain(self.storage.map(|storage| (STORAGE, storage.to_owned())))
    }

    /// Whether the vectors are floats.
    pub(super) fn is_plain(&self) -> bool {
        self.storage.is_none()
    }
}

/// The n-grams of a file, if it has any.
pub(super) fn read(
    path: &Path,
    header: &Header,
    source: &Source<'_>,
    size: usize,
) -> Result<Option<Ngrams>> {
    let file = source.bytes();
    let Some(facts) = header.metadata(METADATA) else { return Ok(None) };
    let fail =
        |place: usize, reason: String| Error::format(path, Place::Byte(place as u64), reason);
    let facts: Facts = serde_json::from_str(facts)
        .map_err(|error| fail(8, format!("what it says of n-grams is not understood: {error}")))?;
    let (matrix, width) =
        source.rows(path, header, header.metadata(STORAGE), (PREFIX, Some(size)))?;
    let rows = matrix.len();
    if width != size || rows >= u32::MAX as usize {
        let reason = format!("{rows} n-grams of {width} numbers do not fit vectors of {size}");
        return Err(fail(8, reason));
    }
    let numbers = |name: &str, length: usize| -> Result<Vec<u32>> {
        let numbers = read_numbers(path, header, file, name, length)?;
        let narrowed: std::result::Result<_, _> =
            numbers.iter().map(|&number| u32::try_from(number)).collect();
        narrowed.map_err(|_| fail(8, format!("tensor {name:?} holds a number that is too large")))
    };
    let index = match facts.rows {
        Rows::All => Index::All,
        Rows::Buckets | Rows::BucketsOnly => Index::Some {
            buckets: numbers("ngram_buckets", rows)?,
            dropped: facts.rows == Rows::BucketsOnly,
        },
        Rows::Text | Rows::TextAndNumbers => {
            let (shape, _) = header.tensor(path, "ngram_offsets", Kind::U64, 1)?;
            let (_, text) = header.tensor(path, "ngrams", Kind::U8, 1)?;
            let offsets = read_numbers(path, header, file, "ngram_offsets", shape[0])?;
            let ngrams = read_words(&file[text.clone()], offsets).map_err(|(place, reason)| {
                fail(text.start + place, format!("n-grams: {reason}"))
            })?;
            let has_rows = facts.rows == Rows::TextAndNumbers;
            let rows = has_rows.then(|| numbers("ngram_rows", ngrams.len())).transpose()?;
            Index::Text { ngrams, rows }
        }
    };
    let table = Table::new(facts.scheme, index, rows).map_err(|reason| fail(8, reason))?;
    Ok(Some(Ngrams::of_rows(table, matrix, size)))
}
