//! A file of ids that is being written, and what is known of it should the run end early.
//!
//! Three files lie beside the one that is wanted: the ids, the document offsets, and a journal that says how
//! much of both is safely on the disk and which text it stands for. A later run cuts the two back to what the
//! journal says and goes on. When all is done the first becomes the file that is wanted, in one step.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::{DOCUMENT_OFFSETS, HEADER_BYTES, IDS, VERSION, VERSION_KEY};
use crate::corpus::ReadReport;
use crate::error::{Error, Place, Result};
use crate::files;
use crate::formats::safetensors::{self, Kind};

/// Bytes that are collected before they are written, or read at a time.
const BUFFER: usize = 1 << 20;

/// How much is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    /// See [`Job`].
    job: String,
    /// Batches of the corpus whose ids are written.
    pub(super) batches: u64,
    /// Stands for the text of these batches.
    pub(super) text: u64,
    /// Documents and ids that are written.
    pub(super) documents: u64,
    pub(super) ids: u64,
    pub(super) report: ReadReport,
}

/// The ids of one batch, as they are written.
#[derive(Debug)]
pub(super) struct EncodedBatch {
    pub(super) ids: Vec<u8>,
    /// How many ids stand before the end of each document, counted from the start of the batch.
    pub(super) ends: Vec<u64>,
    /// Stands for the text of the batch and its cuts.
    pub(super) text: u64,
    pub(super) report: ReadReport,
}

/// What stands for some text and the next batch after it.
pub(super) fn text_after(text: u64, batch: u64) -> u64 {
    xxh3_64_with_seed(&batch.to_le_bytes(), text)
}

/// The three files.
#[derive(Debug)]
struct Paths {
    ids: PathBuf,
    documents: PathBuf,
    journal: PathBuf,
}

impl Paths {
    fn beside(target: &Path) -> Self {
        let with = |ending: &str| {
            let mut name = target.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        Self {
            ids: with(".partial"),
            documents: with(".partial-documents"),
            journal: with(".partial-journal"),
        }
    }
}

/// The file while it is being written.
pub(super) struct PartialFile<'a> {
    job: &'a Job<'a>,
    target: PathBuf,
    paths: Paths,
    kind: Kind,
    ids: BufWriter<File>,
    documents: BufWriter<File>,
    /// Of the ids that are written.
    checksum: Xxh3,
    pub(super) journal: Journal,
}

/// Says what stands for everything but the text that decides what is written. That takes as long as to write a
/// tokenizer to a file, so it is asked for only where there is a journal.
pub(super) type Job<'a> = dyn Fn() -> String + 'a;

impl<'a> PartialFile<'a> {
    /// Goes on where an earlier run for the same job was, or starts if there was none.
    ///
    /// Without `resume` what an earlier run has left is overwritten.
    pub(super) fn open(target: &Path, job: &'a Job<'a>, kind: Kind, resume: bool) -> Result<Self> {
        files::check_writable(target)?;
        if files::is_stream(target) {
            let source = io::Error::new(
                io::ErrorKind::Unsupported,
                "a file of ids cannot be written to a device or a pipe, because its header comes last",
            );
            return Err(Error::io(target, source));
        }
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let paths = Paths::beside(&target);
        // A journal alone is what a run leaves that was stopped just after its end.
        let resume = resume && paths.ids.exists();
        let (ids, documents) = (open(&paths.ids)?, open(&paths.documents)?);
        lock(&ids, &paths.ids)?;
        let journal = if resume { read_journal(&paths.journal, job)? } else { None };
        let mut file = Self {
            job,
            target,
            kind,
            ids: BufWriter::with_capacity(BUFFER, ids),
            documents: BufWriter::with_capacity(BUFFER, documents),
            checksum: Xxh3::new(),
            journal: journal.unwrap_or_default(),
            paths,
        };
        file.cut_back()?;
        Ok(file)
    }

    /// Cuts both files back to what the journal says, and reads what the checksum covers.
    fn cut_back(&mut self) -> Result<()> {
        let ids = HEADER_BYTES as u64 + self.journal.ids * self.kind.bytes() as u64;
        let documents = 8 * (self.journal.documents + 1);
        if self.journal.batches == 0 {
            remove(&self.paths.journal)?;
            let fail = |path: &Path| {
                let path = path.to_owned();
                move |source| Error::io(&path, source)
            };
            self.ids.get_ref().set_len(0).map_err(fail(&self.paths.ids))?;
            self.documents.get_ref().set_len(0).map_err(fail(&self.paths.documents))?;
            self.documents.write_all(&0_u64.to_le_bytes()).map_err(fail(&self.paths.documents))?;
            self.ids.write_all(&[0; HEADER_BYTES]).map_err(fail(&self.paths.ids))?;
            return Ok(());
        }
        cut(self.ids.get_mut(), ids, &self.paths.ids, &self.paths.journal)?;
        cut(self.documents.get_mut(), documents, &self.paths.documents, &self.paths.journal)?;
        let file = self.ids.get_mut();
        let mut read = || -> io::Result<()> {
            file.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
            let mut buffer = vec![0; BUFFER];
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok(()),
                    length => self.checksum.update(&buffer[..length]),
                }
            }
        };
        read().map_err(|source| Error::io(&self.paths.ids, source))
    }

    /// Appends the ids of the next batch.
    pub(super) fn append(&mut self, batch: EncodedBatch) -> Result<()> {
        let before = self.journal.ids;
        self.ids.write_all(&batch.ids).map_err(|source| Error::io(&self.paths.ids, source))?;
        self.checksum.update(&batch.ids);
        for end in &batch.ends {
            let written = self.documents.write_all(&(before + end).to_le_bytes());
            written.map_err(|source| Error::io(&self.paths.documents, source))?;
        }
        self.journal.ids += (batch.ids.len() / self.kind.bytes()) as u64;
        self.journal.documents += batch.ends.len() as u64;
        self.journal.batches += 1;
        self.journal.text = text_after(self.journal.text, batch.text);
        self.journal.report.merge(batch.report);
        Ok(())
    }

    /// Makes sure that a later run can go on from here.
    pub(super) fn commit(&mut self) -> Result<()> {
        flush(&mut self.ids, &self.paths.ids)?;
        flush(&mut self.documents, &self.paths.documents)?;
        let mut journal = Journal { job: (self.job)(), ..self.journal.clone() };
        for (_, path, _) in &mut journal.report.first_replaced {
            // JSON has no way to write a name that is no text; it is only shown.
            *path = PathBuf::from(path.to_string_lossy().into_owned());
        }
        let fail = |source: serde_json::Error| Error::io(&self.paths.journal, source.into());
        let content = serde_json::to_vec(&journal).map_err(fail)?;
        files::write_atomically(&self.paths.journal, |writer| writer.write_all(&content))
    }

    /// Puts the file in the place of the one that is wanted.
    pub(super) fn finish(mut self, metadata: &[(&str, String)]) -> Result<ReadReport> {
        flush(&mut self.ids, &self.paths.ids)?;
        flush(&mut self.documents, &self.paths.documents)?;
        let fail = |source| Error::io(&self.paths.ids, source);
        let (ids, documents) = (self.ids.get_mut(), self.documents.get_mut());
        documents.seek(SeekFrom::Start(0)).map_err(fail)?;
        let mut buffer = vec![0; BUFFER];
        loop {
            let length = documents.read(&mut buffer).map_err(fail)?;
            if length == 0 {
                break;
            }
            self.checksum.update(&buffer[..length]);
            ids.write_all(&buffer[..length]).map_err(fail)?;
        }
        let shape = |length: u64| [length as usize];
        let tensors = [
            (IDS, self.kind, &shape(self.journal.ids)[..]),
            (DOCUMENT_OFFSETS, Kind::U64, &shape(self.journal.documents + 1)[..]),
        ];
        let mut entries = vec![
            (VERSION_KEY, VERSION.to_owned()),
            ("checksum", format!("xxh3:{:016x}", self.checksum.digest())),
            ("text_bytes", self.journal.report.bytes.to_string()),
        ];
        entries.extend_from_slice(metadata);
        let header = safetensors::header_of_shapes(&tensors, &entries, HEADER_BYTES);
        debug_assert_eq!(header.len(), HEADER_BYTES, "the header fits into what was kept free");
        ids.seek(SeekFrom::Start(0)).map_err(fail)?;
        ids.write_all(&header).map_err(fail)?;
        ids.sync_all().map_err(fail)?;
        fs::rename(&self.paths.ids, &self.target)
            .map_err(|source| Error::io(&self.target, source))?;
        remove(&self.paths.documents)?;
        remove(&self.paths.journal)?;
        Ok(self.journal.report)
    }

    /// Removes what has been written.
    pub(super) fn discard(self) {
        for path in [&self.paths.ids, &self.paths.documents, &self.paths.journal] {
            // Nobody misses what cannot be removed; the next run overwrites it.
            let _ = fs::remove_file(path);
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    file.map_err(|source| Error::io(path, source))
}

/// Two runs on the same file would write into each other.
fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let source =
                io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing this file");
            Err(Error::io(path, source))
        }
        // Some file systems have no locks; there it is for the caller to see to.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn read_journal(path: &Path, job: &Job<'_>) -> Result<Option<Journal>> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::io(path, source)),
    };
    let journal: Journal = serde_json::from_slice(&content).map_err(|error| {
        Error::format(
            path,
            Place::Whole,
            format!("not a journal of a stopped run: {error}. {ANEW}"),
        )
    })?;
    if journal.job != job() {
        let reason = "the stopped run had another tokenizer or other settings";
        return Err(Error::format(path, Place::Whole, format!("{reason}. {ANEW}")));
    }
    Ok(Some(journal))
}

/// The way out where a stopped run cannot go on.
pub(super) const ANEW: &str = "Use resume=False (--no-resume) to start anew";

fn cut(file: &mut File, length: u64, path: &Path, journal: &Path) -> Result<()> {
    let fail = |source| Error::io(path, source);
    let found = file.metadata().map_err(fail)?.len();
    if found < length {
        let reason =
            format!("cut off: it has {found} bytes, {} says {length}. {ANEW}", journal.display());
        return Err(Error::format(path, Place::Whole, reason));
    }
    file.set_len(length).map_err(fail)?;
    file.seek(SeekFrom::End(0)).map(drop).map_err(fail)
}

fn flush(writer: &mut BufWriter<File>, path: &Path) -> Result<()> {
    let flushed = writer.flush().and_then(|()| writer.get_ref().sync_data());
    flushed.map_err(|source| Error::io(path, source))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path, error)),
        _ => Ok(()),
    }
}

impl PartialFile<'_> {
    /// The error for a corpus that is not the one that the stopped run was reading.
    pub(super) fn other_corpus(&self) -> Error {
        let reason = format!("the corpus is not the one that the stopped run was reading. {ANEW}");
        Error::format(&self.paths.journal, Place::Whole, reason)
    }
}
