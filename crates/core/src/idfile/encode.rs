//! Text to a file of ids.

use std::cell::OnceCell;
use std::path::Path;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128};

use super::kind_for;
use super::partial::{EncodedBatch, PartialFile, text_after};
use crate::corpus::{Batch, Boundaries, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::Kind;
use crate::formats::tokenizer_json;
use crate::observe::{Monitor, Observer, Pacer, Progress};
use crate::tokenizer::{DocumentIds, Frame, SpecialPolicy, Tokenizer};

/// Between two points from which a run can go on; after a power cut so much work is done again.
const COMMIT_INTERVAL: Duration = Duration::from_secs(10);

/// How a corpus is encoded to a file.
#[derive(Clone, Copy, Debug)]
pub struct IdFileSettings {
    /// What the name of a special token in the text is.
    pub policy: SpecialPolicy,
    /// Ids around each document.
    pub frame: Frame,
    /// Go on where an earlier run was stopped.
    pub resume: bool,
}

/// Writes the ids of a corpus to a file; the bytes are the same for any number of threads.
///
/// An error or a wish to stop leaves what is done in files beside `path`, from which a later call goes on.
pub fn encode(
    tokenizer: &Tokenizer,
    stream: &mut dyn DocumentStream,
    path: &Path,
    settings: &IdFileSettings,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<ReadReport> {
    let kind = kind_for(tokenizer.vocabulary().len());
    let known = OnceCell::new();
    let job = || known.get_or_init(|| job(tokenizer, settings)).clone();
    let mut file = PartialFile::open(path, &job, kind, settings.resume)?;
    let outcome = encode_rest(tokenizer, stream, &mut file, kind, settings, threads, observer);
    if let Err(error) = outcome {
        if file.journal.batches == 0 {
            file.discard();
        } else {
            // What stopped the run is the news; if this fails too, the run before this one counts.
            let _ = file.commit();
        }
        return Err(error);
    }
    file.finish(&[
        ("tokenizer", fingerprint_of(tokenizer)),
        ("vocab_size", tokenizer.vocabulary().len().to_string()),
    ])
}

fn job(tokenizer: &Tokenizer, settings: &IdFileSettings) -> String {
    let tokenizer = xxh3_128(&tokenizer_json::to_bytes(tokenizer));
    let IdFileSettings { policy, frame, .. } = settings;
    format!("{tokenizer:032x} {policy:?} {frame:?}")
}

fn encode_rest(
    tokenizer: &Tokenizer,
    stream: &mut dyn DocumentStream,
    file: &mut PartialFile<'_>,
    kind: Kind,
    settings: &IdFileSettings,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<()> {
    skip(stream, file, observer)?;
    let mut rest = Rest { stream, skipped: file.journal.batches };
    let mut committed = Instant::now();
    map_in_order(
        &mut rest,
        threads,
        "encoding",
        observer,
        Vec::new,
        |ids, batch, monitor| encode_batch(tokenizer, batch, kind, settings, ids, monitor),
        |batch| {
            file.append(batch)?;
            if committed.elapsed() >= COMMIT_INTERVAL {
                file.commit()?;
                committed = Instant::now();
            }
            Ok(())
        },
    )
    .map(drop)
}

/// Reads the batches whose ids are already written, and compares their text with what was read then.
fn skip(
    stream: &mut dyn DocumentStream,
    file: &PartialFile<'_>,
    observer: &mut dyn Observer,
) -> Result<()> {
    let mut pacer = Pacer::new(observer);
    let mut text = 0;
    for _ in 0..file.journal.batches {
        let (done, total) = (stream.bytes_read(), stream.total_bytes());
        pacer.tick(|| Progress::new("skipping what is done", done, total, "bytes"))?;
        let batch = stream.next_batch()?.ok_or_else(|| file.other_corpus())?;
        text = text_after(text, text_of(&batch));
    }
    if text == file.journal.text { Ok(()) } else { Err(file.other_corpus()) }
}

/// Stands for the text of a batch and how it falls into documents.
fn text_of(batch: &Batch) -> u64 {
    let cuts = match &batch.boundaries {
        Boundaries::Lines => 1,
        Boundaries::Separator(separator) => xxh3_64(separator),
        Boundaries::Field { name, .. } => xxh3_64(name.as_bytes()).rotate_left(1),
        Boundaries::Ends(ends) => {
            ends.iter().fold(0, |cuts, &end| xxh3_64_with_seed(&(end as u64).to_le_bytes(), cuts))
        }
    };
    xxh3_64_with_seed(&batch.bytes, cuts)
}

/// The batches after those that were skipped, counted anew.
struct Rest<'a> {
    stream: &'a mut dyn DocumentStream,
    skipped: u64,
}

impl DocumentStream for Rest<'_> {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut batch = self.stream.next_batch()?;
        if let Some(batch) = &mut batch {
            batch.sequence -= self.skipped;
        }
        Ok(batch)
    }

    fn total_bytes(&self) -> Option<u64> {
        self.stream.total_bytes()
    }

    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

/// `ids` is room to work in.
fn encode_batch(
    tokenizer: &Tokenizer,
    batch: &Batch,
    kind: Kind,
    settings: &IdFileSettings,
    ids: &mut Vec<u32>,
    monitor: &Monitor,
) -> Result<EncodedBatch> {
    let decoded = batch.decode()?;
    let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
    ids.clear();
    let mut ends = Vec::new();
    let documents = decoded.documents().map(|(_, document)| document);
    tokenizer.encode_documents(
        documents,
        settings.policy,
        settings.frame,
        DocumentIds { ids, ends: &mut ends },
        &mut look,
    )?;
    let mut report = ReadReport::default();
    report.add(batch, &decoded);
    report.documents = ends.len() as u64;
    let ids = match kind {
        Kind::U16 => bytes_of(ids.iter().map(|&id| (id as u16).to_le_bytes())),
        _ => bytes_of(ids.iter().map(|id| id.to_le_bytes())),
    };
    Ok(EncodedBatch { ids, ends, text: text_of(batch), report })
}

/// What stands for the tokens of a tokenizer in a file of ids.
pub(crate) fn fingerprint_of(tokenizer: &Tokenizer) -> String {
    format!("xxh3:{:032x}", tokenizer.fingerprint())
}
