//! Word vectors from a file of finalfusion.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::mapped::Matrix;
use super::open::{Origin, from_rows};
use super::{Ngrams, OpenReport, WordVectors};
use crate::error::{Error, Place, Result};
use crate::formats::finalfusion;
use crate::formats::vector_rows::Rows;
use crate::subword::Table;

/// Reads a file; vectors get the lengths back that are kept beside them.
pub(super) fn open(path: &Path, content: &[u8]) -> Result<(WordVectors, OpenReport)> {
    let finalfusion::Model { words, ngrams, size, mut matrix, norms, about } =
        finalfusion::read(path, content)?;
    let behind = matrix.split_off(words.len() * size);
    let ngrams = match ngrams {
        None => None,
        Some((scheme, index)) => {
            let table = Table::new(scheme, index, behind.len() / size).map_err(|reason| {
                Error::format(path, Place::Byte(0), format!("damaged: {reason}"))
            })?;
            Some(Ngrams::new(table, behind, size))
        }
    };
    for (row, norm) in matrix.chunks_exact_mut(size).zip(norms.into_iter().flatten()) {
        for number in row {
            *number *= norm;
        }
    }
    let mut rows = Rows::default();
    for word in words {
        rows.push_word(word);
    }
    let facts = about.map_or(Value::Null, |about| json!({ "metadata": about }));
    let origin = Origin { format: "finalfusion", facts, counts: None };
    let (mut vectors, report) = from_rows(rows, Matrix::Owned(matrix), size, origin);
    vectors.ngrams = ngrams.map(Arc::new);
    Ok((vectors, report))
}
