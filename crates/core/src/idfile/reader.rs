//! A file of ids, read in place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use xxhash_rust::xxh3::Xxh3;

use super::{DOCUMENT_OFFSETS, IDS, VERSION, VERSION_KEY};
use crate::error::{Error, Place, Result};
use crate::formats::safetensors::{Header, Kind};
use crate::observe::{Observer, Pacer, Progress};
use crate::vectors::mapped;

/// Bytes between two looks at the wish to stop: a few milliseconds from a slow disk.
const PART: usize = 1 << 22;

/// The ids of a corpus and its documents; opened in a moment, whatever the size.
#[derive(Debug)]
pub struct IdFile {
    path: PathBuf,
    file: Mmap,
    kind: Kind,
    /// Where the ids and the offsets lie in the file, in bytes.
    ids: Range<usize>,
    offsets: Range<usize>,
    checksum: String,
    fingerprint: String,
    vocab_size: u64,
    text_bytes: u64,
}

impl IdFile {
    /// Opens a file; its header and all lengths are verified, its ids by [`verify`](Self::verify).
    pub fn open(path: &Path) -> Result<Self> {
        let file = mapped::map(path)?;
        let header = Header::read(path, &file)?;
        check_version(path, &header)?;
        header.verify(path, &file)?;
        let (kind, ids) = match header.tensor(path, IDS, Kind::U16, 1) {
            Ok((_, range)) => (Kind::U16, range),
            Err(_) => (Kind::U32, header.tensor(path, IDS, Kind::U32, 1)?.1),
        };
        let (_, offsets) = header.tensor(path, DOCUMENT_OFFSETS, Kind::U64, 1)?;
        let text = |name: &str| header.metadata(name).unwrap_or_default().to_owned();
        let number = |name: &str| text(name).parse().unwrap_or(0);
        let opened = Self {
            path: path.to_owned(),
            kind,
            ids,
            offsets,
            checksum: text("checksum"),
            fingerprint: text("tokenizer"),
            vocab_size: number("vocab_size"),
            text_bytes: number("text_bytes"),
            file,
        };
        opened.check_ends()?;
        Ok(opened)
    }

    /// The first and the last document must be where the ids begin and end.
    fn check_ends(&self) -> Result<()> {
        let documents = self.offsets.len() / 8;
        if documents == 0 || self.offset(0) != 0 || self.offset(documents - 1) != self.len() {
            let reason = format!(
                "damaged: the documents do not run from the first of {} ids to the last",
                self.len()
            );
            return Err(Error::format(&self.path, self.place(&self.offsets), reason));
        }
        Ok(())
    }

    #[allow(clippy::unused_self, reason = "a place in this file")]
    fn place(&self, range: &Range<usize>) -> Place {
        Place::Byte(range.start as u64)
    }

    /// The number of ids.
    pub fn len(&self) -> u64 {
        (self.ids.len() / self.kind.bytes()) as u64
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The number of documents.
    pub fn documents(&self) -> u64 {
        (self.offsets.len() / 8) as u64 - 1
    }

    /// The ids of a document, by their numbers; `None` if there is no such document.
    ///
    /// A damaged file may give a range that is not one of its ids, which [`read`](Self::read) refuses.
    pub fn document(&self, number: u64) -> Option<Range<u64>> {
        let number =
            usize::try_from(number).ok().filter(|&number| (number as u64) < self.documents())?;
        Some(self.offset(number)..self.offset(number + 1))
    }

    fn offset(&self, number: usize) -> u64 {
        let bytes = self.file[self.offsets.clone()][8 * number..].first_chunk();
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Appends the ids of a range to `ids`.
    pub fn read(&self, range: Range<u64>, ids: &mut Vec<u32>) -> Result<()> {
        if range.start > range.end || range.end > self.len() {
            let reason = format!(
                "damaged: ids {} to {} are asked for, there are {}",
                range.start,
                range.end,
                self.len()
            );
            return Err(Error::format(&self.path, self.place(&self.offsets), reason));
        }
        let size = self.kind.bytes();
        let bytes = &self.file[self.ids.clone()];
        let bytes = &bytes[range.start as usize * size..range.end as usize * size];
        if self.kind == Kind::U16 {
            let (numbers, _) = bytes.as_chunks();
            ids.extend(numbers.iter().map(|&number| u32::from(u16::from_le_bytes(number))));
        } else {
            let (numbers, _) = bytes.as_chunks();
            ids.extend(numbers.iter().map(|&number| u32::from_le_bytes(number)));
        }
        Ok(())
    }

    /// The error of an id that the tokenizer does not have.
    pub fn unknown(&self, place: u64, id: u32) -> Error {
        let byte = self.ids.start as u64 + place * self.kind.bytes() as u64;
        let reason = format!(
            "damaged: id {id} at place {place}, but its tokenizer has only {} ids",
            self.vocab_size
        );
        Error::format(&self.path, Place::Byte(byte), reason)
    }

    /// Reads the whole file and compares it with its checksum.
    pub fn verify(&self, observer: &mut dyn Observer) -> Result<()> {
        let mut pacer = Pacer::new(observer);
        let data = &self.file[self.ids.start.min(self.offsets.start)..];
        let (mut checksum, mut done, total) = (Xxh3::new(), 0, Some(data.len() as u64));
        for part in data.chunks(PART) {
            checksum.update(part);
            done += part.len() as u64;
            pacer.tick(|| Progress::new("verifying", done, total, "bytes"))?;
        }
        let found = format!("xxh3:{:016x}", checksum.digest());
        if found != self.checksum {
            let reason =
                format!("damaged: the checksum is {found}, the header says {}", self.checksum);
            return Err(Error::format(&self.path, self.place(&self.ids), reason));
        }
        pacer.report(&Progress::new("verifying", done, total, "bytes"))
    }

    /// The size of an id in the file, in bytes, and where the ids begin in it.
    pub fn layout(&self) -> (usize, usize) {
        (self.kind.bytes(), self.ids.start)
    }

    /// Where the offsets of the documents begin in the file, in bytes.
    pub fn offsets_start(&self) -> usize {
        self.offsets.start
    }

    /// What stands for the tokens of the tokenizer that made the ids.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The number of ids of that tokenizer.
    pub fn vocab_size(&self) -> u64 {
        self.vocab_size
    }

    /// The length of the text, in bytes.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }
}

fn check_version(path: &Path, header: &Header) -> Result<()> {
    let reason = match header.metadata(VERSION_KEY) {
        Some(VERSION) => return Ok(()),
        Some(other) => {
            format!(
                "ids of layout {other:?}; this version reads {VERSION:?}. Install a newer textgrain"
            )
        }
        None => format!("a safetensors file without ids: its metadata lacks {VERSION_KEY:?}"),
    };
    Err(Error::format(path, Place::Byte(8), reason))
}
