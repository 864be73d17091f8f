//! Word vectors from a model of fastText or floret.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::mapped::Matrix;
use super::open::{Origin, Whole, from_rows};
use super::{Ngrams, OpenReport, WordVectors};
use crate::error::{Error, Place, Result};
use crate::formats::binary::floats;
use crate::formats::fasttext_bin::{self, Arguments, Input, Model};
use crate::formats::vector_rows::Rows;
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress};
use crate::subword::{Index, Naming, Parts, Scheme, Table};

/// What floret starts its hash with; its models do not say.
const FLORET_SEED: u32 = 2_166_136_261;

/// Words that one thread puts together before it looks whether the run was stopped.
const WORDS_PER_LOOK: usize = 1 << 10;

/// Reads a model; the vectors of words are put together from their rows, as fastText does when asked.
pub(super) fn open(
    path: &Path,
    content: &Whole,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(WordVectors, OpenReport)> {
    let model = fasttext_bin::read(path, content.bytes())?;
    let size = model.arguments.dim as usize;
    let words = model.words.len();
    let ngrams = match scheme_of(&model.arguments) {
        Some(scheme) => Some(ngrams_of(path, content, &model, scheme)?),
        None => None,
    };
    let own = rows_of(content, &model, 0..words);
    let hashed = model.arguments.hashes.is_some();
    let matrix = match &ngrams {
        Some(ngrams) => {
            let own = own.numbers();
            // The words of floret are in the table of n-grams. It adds to the first one its unused row
            // nevertheless, in its answers and in its .vec files.
            let own = if hashed { &own[..own.len().min(size)] } else { own };
            Matrix::Owned(compose(&model, ngrams, own, threads, observer)?)
        }
        None => own,
    };
    let mut rows = Rows::default();
    for (word, _) in &model.words {
        rows.push_word(word);
    }
    let counts = model.words.iter().map(|&(_, count)| count).collect();
    let origin = Origin {
        format: if hashed { "floret" } else { "fasttext" },
        facts: facts_of(&model.arguments),
        counts: Some(counts),
    };
    let (mut vectors, report) = from_rows(rows, matrix, size, origin);
    vectors.ngrams = ngrams.map(Arc::new);
    Ok((vectors, report))
}

/// Vectors from a table of floret, which has n-grams and no words; the rows are in the order of the buckets.
pub(super) fn floret_table(
    path: &Path,
    scheme: Scheme,
    rows: Rows,
    size: usize,
) -> Result<(WordVectors, OpenReport)> {
    let fail = |line: usize, reason: String| {
        Error::format(path, Place::Line(line as u64), format!("damaged: {reason}"))
    };
    let mut start = 0;
    for (bucket, &end) in rows.ends.iter().enumerate() {
        let number = &rows.text[start..end as usize];
        if number.parse() != Ok(bucket) {
            return Err(fail(bucket + 2, format!("bucket {number:?} where {bucket} should stand")));
        }
        start = end as usize;
    }
    let table = Table::new(scheme, Index::All, rows.len()).map_err(|reason| fail(1, reason))?;
    let origin = Origin { format: "floret", facts: Value::Null, counts: None };
    let none = Matrix::Owned(Vec::new());
    let (mut vectors, report) = from_rows(Rows::default(), none, size, origin);
    vectors.ngrams = Some(Arc::new(Ngrams::new(table, rows.numbers, size)));
    Ok((vectors, report))
}

/// How a model cuts words; `None` where it does not.
fn scheme_of(arguments: &Arguments) -> Option<Scheme> {
    if arguments.maxn <= 0 || arguments.bucket <= 0 {
        return None;
    }
    let buckets = arguments.bucket as u32;
    let scheme = Scheme::fasttext(arguments.minn.max(0) as u32, arguments.maxn as u32, buckets);
    Some(match arguments.hashes {
        None => scheme,
        Some(hashes) => {
            let naming = Naming::Floret { buckets, hashes: hashes as u32, seed: FLORET_SEED };
            Scheme { naming, whole_word: true, ..scheme }
        }
    })
}

fn ngrams_of(path: &Path, content: &Whole, model: &Model<'_>, scheme: Scheme) -> Result<Ngrams> {
    let (words, size) = (model.words.len(), model.arguments.dim as usize);
    let all = rows_of(content, model, words..model.input.rows());
    let (index, matrix) = match &model.pruned {
        None => (Index::All, all),
        Some(kept) => {
            let buckets = kept.iter().map(|&(bucket, _)| bucket).collect();
            let rows = all.numbers();
            let row = |&(_, row): &(u32, u32)| &rows[row as usize * size..][..size];
            let sorted = kept.iter().flat_map(row).copied().collect();
            (Index::Some { buckets, dropped: true }, Matrix::Owned(sorted))
        }
    };
    let rows = matrix.numbers().len() / size;
    let table = Table::new(scheme, index, rows)
        .map_err(|reason| Error::format(path, Place::Byte(8), format!("damaged: {reason}")))?;
    Ok(Ngrams::assemble(table, matrix, size))
}

/// Rows of the input matrix, in the file where they can be read there.
fn rows_of(content: &Whole, model: &Model<'_>, rows: std::ops::Range<usize>) -> Matrix {
    let size = model.arguments.dim as usize;
    match &model.input {
        Input::Plain { range, .. } => {
            let bytes = range.start + rows.start * size * 4..range.start + rows.end * size * 4;
            match content {
                Whole::Mapped(file) => Matrix::from_file(Arc::clone(file), bytes),
                Whole::Owned(all) => Matrix::Owned(floats(&all[bytes]).collect()),
            }
        }
        Input::Quantised(matrix) => {
            let mut numbers = Vec::with_capacity(rows.len() * size);
            for row in rows {
                matrix.append_row(row, &mut numbers);
            }
            Matrix::Owned(numbers)
        }
    }
}

/// The vectors of all words, each thread with a share of them; `own` holds the rows of the words that have one.
fn compose(
    model: &Model<'_>,
    ngrams: &Ngrams,
    own: &[f32],
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Vec<f32>> {
    let (words, size) = (&model.words, ngrams.size());
    let mut matrix = vec![0.0; words.len() * size];
    let share = words.len().div_ceil(threads.max(1)).max(WORDS_PER_LOOK);
    let monitor = Monitor::default();
    let mut pacer = Pacer::new(observer);
    let total = Some(words.len() as u64);
    thread::scope(|scope| {
        let workers: Vec<_> = matrix
            .chunks_mut(share * size)
            .enumerate()
            .map(|(number, rows)| {
                let (monitor, first) = (&monitor, number * share);
                scope.spawn(move || {
                    let mut parts = Parts::default();
                    for (place, row) in rows.chunks_exact_mut(size).enumerate() {
                        let word = first + place;
                        ngrams.table().find(words[word].0, &mut parts);
                        let own = own.get(word * size..(word + 1) * size);
                        ngrams.compose(&parts, own, row);
                        monitor.advance(1);
                        if place.is_multiple_of(WORDS_PER_LOOK) && monitor.stopped() {
                            return;
                        }
                    }
                })
            })
            .collect();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            let progress = || Progress::new("reading vectors", monitor.done(), total, "words");
            if let Err(error) = pacer.tick(progress) {
                monitor.stop();
                return Err(error);
            }
            thread::sleep(POLL_INTERVAL / 50);
        }
        Ok(())
    })?;
    Ok(matrix)
}

/// The settings of a model under the names that this project uses.
fn facts_of(arguments: &Arguments) -> Value {
    let loss = ["hierarchical-softmax", "negative-sampling", "softmax", "one-vs-all"];
    let model = ["cbow", "skipgram", "supervised"];
    let name = |names: &[&'static str], number: i32| {
        usize::try_from(number - 1).ok().and_then(|place| names.get(place).copied())
    };
    json!({
        "architecture": name(&model, arguments.model),
        "loss": name(&loss, arguments.loss),
        "vector_size": arguments.dim,
        "window": arguments.ws,
        "epochs": arguments.epoch,
        "min_count": arguments.min_count,
        "negative": arguments.neg,
        "subsample": arguments.t,
        "word_ngrams": arguments.word_ngrams,
    })
}
