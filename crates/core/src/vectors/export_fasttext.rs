//! Word vectors as a model of fastText.
//!
//! fastText keeps a row for each word and makes the vector of the word from it and the rows of its n-grams.
//! Here the vector is kept, so the row is what the n-grams leave over. The output matrix, which only training
//! needs, is zero.

use std::io::{self, Write};

use super::export::{Writing, without_spaces};
use super::{Ngrams, WordVectors};
use crate::error::{Error, Result};
use crate::formats::binary::bytes_of;
use crate::formats::fasttext_bin::{Arguments, write_head, write_shape};
use crate::subword::{Index, Naming, Parts, Scheme};

/// Rows of zeros that are written at a time.
const ZERO_ROWS: usize = 256;

/// What the model is written from.
pub(super) struct Model<'a> {
    arguments: Arguments,
    ngrams: Option<&'a Ngrams>,
}

impl WordVectors {
    /// The vectors as a model, or why they cannot be one.
    pub(super) fn as_fasttext(&self) -> Result<Model<'_>> {
        let refuse = |rule: &str| {
            let hint =
                "\"safetensors\" holds any vectors, and \"word2vec-text\" those of the words";
            Err(Error::parameter("format", rule, "\"fasttext\"").with_hint(hint))
        };
        if let Some(word) = self.words.iter().find(|word| word.contains('\0')) {
            return refuse(&format!("cannot hold a word with a NUL character: {word:?}"));
        }
        if self.words.is_empty() {
            return refuse("cannot hold a model without words");
        }
        let ngrams = self.ngrams();
        if let Some(ngrams) = ngrams {
            let table = ngrams.table();
            let scheme = table.scheme();
            let same = |buckets| *scheme == Scheme::fasttext(scheme.min_n, scheme.max_n, buckets);
            if !matches!(scheme.naming, Naming::FastText { buckets } if same(buckets)) {
                return refuse(
                    "cannot hold n-grams that are not hashed and averaged as fastText does",
                );
            }
            if matches!(table.index(), Index::Some { dropped: true, .. }) {
                return refuse("cannot hold a pruned model, in which n-grams were left out");
            }
        }
        let whole = |name: &str, usual: i32| {
            let number = self.settings[name].as_i64().and_then(|number| i32::try_from(number).ok());
            number.unwrap_or(usual)
        };
        let scheme = ngrams.map(|ngrams| ngrams.table().scheme());
        let buckets = scheme.and_then(Scheme::buckets).unwrap_or(0);
        let (Ok(dim), Ok(bucket)) = (i32::try_from(self.size), i32::try_from(buckets)) else {
            return refuse("cannot hold so large a model");
        };
        let arguments = Arguments {
            dim,
            ws: whole("window", 5),
            epoch: whole("epochs", 5),
            min_count: whole("min_count", 1),
            neg: whole("negative", 5),
            word_ngrams: 1,
            // Whatever the model was trained with: the output matrix is one for negative sampling.
            loss: 2,
            model: if self.settings["architecture"] == "cbow" { 1 } else { 2 },
            bucket,
            minn: scheme.map_or(0, |scheme| scheme.min_n as i32),
            maxn: scheme.map_or(0, |scheme| scheme.max_n as i32),
            hashes: None,
            t: self.settings["subsample"].as_f64().unwrap_or(1e-4),
        };
        Ok(Model { arguments, ngrams })
    }

    pub(super) fn write_fasttext(
        &self,
        writer: &mut dyn Write,
        model: &Model<'_>,
        replace: &str,
        writing: &mut Writing<'_, '_>,
    ) -> io::Result<()> {
        let names: Vec<String> =
            self.words.iter().map(|word| without_spaces(word, replace)).collect();
        let words = names.iter().map(String::as_str).zip(self.counts.iter().copied());
        write_head(writer, &model.arguments, words)?;
        writer.write_all(&[0])?;
        let buckets = model.arguments.bucket as usize;
        write_shape(writer, names.len() + buckets, self.size)?;
        let mut parts = Parts::default();
        for (row, name) in names.iter().enumerate() {
            writing.look(row, names.len(), "words")?;
            let own = own_row(&self.row(row), name, model.ngrams, &mut parts);
            write_floats(writer, own.iter().copied())?;
        }
        if let Some(ngrams) = model.ngrams {
            write_buckets(writer, ngrams, buckets, writing)?;
        }
        writer.write_all(&[0])?;
        write_shape(writer, names.len(), self.size)?;
        write_zeros(writer, names.len(), self.size, 0..names.len(), writing)
    }
}

/// What the row of a word must be so that the mean of it and of its n-grams is the vector.
fn own_row(vector: &[f32], name: &str, ngrams: Option<&Ngrams>, parts: &mut Parts) -> Vec<f32> {
    let Some(ngrams) = ngrams else { return vector.to_vec() };
    ngrams.table().find(name.as_bytes(), parts);
    let count = (parts.count + 1) as f64;
    let mut own: Vec<f64> = vector.iter().map(|&number| f64::from(number) * count).collect();
    for &row in &parts.rows {
        for (own, &number) in own.iter_mut().zip(ngrams.row(row).as_ref()) {
            *own -= f64::from(number);
        }
    }
    own.into_iter().map(|number| number as f32).collect()
}

/// The rows of all buckets; those that the model does not have are zero.
fn write_buckets(
    writer: &mut dyn Write,
    ngrams: &Ngrams,
    buckets: usize,
    writing: &mut Writing<'_, '_>,
) -> io::Result<()> {
    let size = ngrams.size();
    let Index::Some { buckets: kept, .. } = ngrams.table().index() else {
        return write_floats(writer, ngrams.matrix().iter().copied());
    };
    let mut next = 0;
    for (row, &bucket) in kept.iter().enumerate() {
        write_zeros(writer, buckets, size, next..bucket as usize, writing)?;
        write_floats(writer, ngrams.row(row as u32).iter().copied())?;
        next = bucket as usize + 1;
    }
    write_zeros(writer, buckets, size, next..buckets, writing)
}

fn write_floats(writer: &mut dyn Write, floats: impl Iterator<Item = f32>) -> io::Result<()> {
    writer.write_all(&bytes_of(floats.map(f32::to_le_bytes)))
}

/// Zeros for these rows of so many.
fn write_zeros(
    writer: &mut dyn Write,
    total: usize,
    size: usize,
    rows: std::ops::Range<usize>,
    writing: &mut Writing<'_, '_>,
) -> io::Result<()> {
    let zeros = vec![0; rows.len().min(ZERO_ROWS) * size * 4];
    for start in rows.clone().step_by(ZERO_ROWS) {
        writing.look(start, total, "buckets")?;
        let count = (rows.end - start).min(ZERO_ROWS);
        writer.write_all(&zeros[..count * size * 4])?;
    }
    Ok(())
}
