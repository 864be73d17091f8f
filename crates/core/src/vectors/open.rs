//! Any vectors file: its kind is found from its content, never from its name.

use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use serde_json::{Map, Value};

use super::mapped::{self, Matrix};
use super::words::Repeated;
use super::{Format, WordVectors, Words, open_fasttext, open_finalfusion};
use crate::corpus::files::{is_compressed, open_reader, read_error};
use crate::error::{Error, Place, Result};
use crate::formats::vector_kind::{Header, Kind, detect, is_safetensors};
use crate::formats::vector_rows::{Faults, Replaced, Rows};
use crate::formats::{vector_binary, vector_text};
use crate::observe::{Observer, Pacer, Progress};

/// Bytes in which the kind of a file is looked for.
const START_BYTES: u64 = 1 << 20;

/// A first line longer than this is no line of vectors.
const LONGEST_FIRST_LINE: u64 = 1 << 26;

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// Whether rows that are damaged are left out and reported, instead of refusing the file.
    pub lenient: bool,
    /// Threads that read text.
    pub threads: usize,
    /// Compare a file of this project that is not compressed with its checksum, for which all of it is read; others
    /// are read anyway.
    pub verify: bool,
}

/// What was not as it should be in a file that was opened nevertheless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Words with bytes that are not UTF-8.
    pub replaced: Replaced,
    /// What was wrong and left out; empty unless the file was read leniently.
    pub faults: Faults,
    /// Rows that repeat the word of an earlier row; they were left out.
    pub repeated: Repeated,
}

impl OpenReport {
    /// A sentence on the words that are not valid UTF-8, if there are any.
    pub fn about_text(&self) -> Option<String> {
        let first = self.replaced.first.as_ref()?;
        let count = self.replaced.words;
        Some(format!(
            "{count} {} had bytes that are not UTF-8, which were replaced by U+FFFD; the first is now \
             {first:?}",
            if count == 1 { "word" } else { "words" }
        ))
    }

    /// A sentence on each kind of thing that was left out.
    pub fn about_rows(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(first) = &self.repeated.first {
            let count = self.repeated.rows.len();
            sentences.push(format!(
                "{count} {} a word that stands in an earlier row and {} left out; the first is {first:?}",
                if count == 1 { "row repeats" } else { "rows repeat" },
                if count == 1 { "was" } else { "were" },
            ));
        }
        if self.faults.count > 0 {
            let shown: Vec<String> =
                self.faults.first.iter().map(|(place, reason)| told(*place, reason)).collect();
            let rest = self.faults.count - shown.len() as u64;
            let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
            sentences.push(format!("what is damaged was left out: {}{more}", shown.join("; ")));
        }
        sentences
    }
}

fn told(place: Place, reason: &str) -> String {
    match place {
        Place::Whole => reason.to_owned(),
        Place::Byte(offset) => format!("byte {offset}: {reason}"),
        Place::Line(line) => format!("line {line}: {reason}"),
    }
}

impl WordVectors {
    /// Opens a vectors file of this project or of another program, plain or compressed.
    ///
    /// A file of this project that is not compressed is mapped; all others are read into memory.
    pub fn open(
        path: &Path,
        opening: Opening,
        observer: &mut dyn Observer,
    ) -> Result<(Self, OpenReport)> {
        let metadata = path.metadata().map_err(|source| Error::io(path, source))?;
        if !metadata.is_file() && !metadata.is_dir() {
            let reason =
                "is not a regular file; write it to one first, as it is read more than once";
            return Err(Error::io(path, io::Error::new(io::ErrorKind::Unsupported, reason)));
        }
        let mut content = Content::open(path)?;
        let compressed = content.is_compressed()?;
        content.read_start()?;
        let length = (!compressed).then_some(metadata.len());
        let (format, header, size) = match detect(path, &content.start, length)? {
            Kind::Safetensors if compressed => {
                let bytes = content.read_all(&mut Pacer::new(observer))?;
                return Ok((Self::from_bytes(path, &bytes)?, OpenReport::default()));
            }
            Kind::Safetensors => {
                return Ok((Self::map(path, opening.verify)?, OpenReport::default()));
            }
            Kind::FastText => {
                let content = content.whole(compressed, observer)?;
                return open_fasttext::open(path, &content, opening.threads, observer);
            }
            Kind::Finalfusion => {
                return open_finalfusion::open(path, content.whole(compressed, observer)?.bytes());
            }
            Kind::FloretTable(scheme, header) => {
                let layout =
                    vector_text::Layout { header: Some(header), size: header.size, lenient: false };
                let rows = vector_text::read(path, layout, opening.threads, observer)?;
                return open_fasttext::floret_table(path, scheme, rows, header.size);
            }
            Kind::Binary(header) => {
                let mut pacer = Pacer::new(observer);
                let lenient = opening.lenient;
                let (rows, matrix) = if compressed {
                    read_compressed_binary(path, header, lenient, &mut pacer)?
                } else {
                    read_binary(path, header, lenient, &mut pacer)?
                };
                return Ok(from_rows(rows, matrix, header.size, Format::Word2vecBinary.into()));
            }
            Kind::Text(header) => (Format::Word2vecText, Some(header), header.size),
            Kind::TextWithoutHeader { size } => (Format::GloveText, None, size),
        };
        let layout = vector_text::Layout { header, size, lenient: opening.lenient };
        let mut rows = vector_text::read(path, layout, opening.threads, observer)?;
        let matrix = Matrix::Owned(std::mem::take(&mut rows.numbers));
        Ok(from_rows(rows, matrix, size, format.into()))
    }
}

fn read_binary(
    path: &Path,
    header: Header,
    lenient: bool,
    pacer: &mut Pacer<'_>,
) -> Result<(Rows, Matrix)> {
    let file = mapped::map(path)?;
    let mut rest = file.get(header.length..).unwrap_or_default();
    let stated = (header.rows as usize).saturating_mul(header.size).saturating_mul(4);
    let mut memory =
        mapped::Memory::new(stated.min(rest.len())).map_err(|source| Error::io(path, source))?;
    let rows = vector_binary::read(path, &mut rest, header, lenient, pacer, &mut |bytes| {
        memory.push(bytes);
    })?;
    let length = rows.len() * header.size * 4;
    let matrix = memory.finish(length).map_err(|source| Error::io(path, source))?;
    Ok((rows, matrix))
}

fn read_compressed_binary(
    path: &Path,
    header: Header,
    lenient: bool,
    pacer: &mut Pacer<'_>,
) -> Result<(Rows, Matrix)> {
    let mut reader = BufReader::with_capacity(1 << 18, Content::open(path)?.reader);
    vector_binary::skip_header(path, &mut reader, header)?;
    // Grows with what is there, whatever the header says.
    let mut numbers: Vec<f32> = Vec::new();
    let rows = vector_binary::read(path, &mut reader, header, lenient, pacer, &mut |bytes| {
        let (floats, _) = bytes.as_chunks::<4>();
        numbers.extend(floats.iter().map(|&float| f32::from_le_bytes(float)));
    })?;
    numbers.truncate(rows.len() * header.size);
    Ok((rows, Matrix::Owned(numbers)))
}

/// Where rows come from, and what is known beside them.
pub(super) struct Origin {
    /// The name of the format.
    pub(super) format: &'static str,
    /// What the vectors were made with: an object, or nothing.
    pub(super) facts: Value,
    /// How often each word occurs.
    pub(super) counts: Option<Vec<u64>>,
}

impl From<Format> for Origin {
    fn from(format: Format) -> Self {
        Self { format: format.name(), facts: Value::Null, counts: None }
    }
}

/// Vectors from the rows of a file, without those that repeat a word.
pub(super) fn from_rows(
    rows: Rows,
    mut matrix: Matrix,
    size: usize,
    origin: Origin,
) -> (WordVectors, OpenReport) {
    let Rows { text, ends: mut offsets, faults, replaced, .. } = rows;
    offsets.insert(0, 0);
    let mut counts = origin.counts.unwrap_or_else(|| vec![0; offsets.len() - 1]);
    let (words, repeated) = Words::first_of_each(text, offsets);
    if !repeated.rows.is_empty() {
        let mut numbers = match matrix {
            Matrix::Owned(numbers) => numbers,
            Matrix::Mapped(..) => matrix.numbers().to_vec(),
        };
        remove_rows(&mut numbers, size, &repeated.rows);
        remove_rows(&mut counts, 1, &repeated.rows);
        matrix = Matrix::Owned(numbers);
    }
    let report = OpenReport { replaced, faults, repeated };
    let settings = settings_of(origin.format, origin.facts, &report);
    (WordVectors::assemble(words, matrix, size, counts, settings, Vec::new()), report)
}

/// Takes rows out of a matrix; `removed` rises.
fn remove_rows<T: Copy>(numbers: &mut Vec<T>, size: usize, removed: &[usize]) {
    let rows = numbers.len() / size;
    for (index, &row) in removed.iter().enumerate() {
        let next = removed.get(index + 1).copied().unwrap_or(rows);
        numbers.copy_within((row + 1) * size..next * size, (row - index) * size);
    }
    numbers.truncate((rows - removed.len()) * size);
}

/// Where the vectors come from, kept with them.
fn settings_of(format: &str, facts: Value, report: &OpenReport) -> Value {
    let mut settings = Map::new();
    settings.insert("read_from".to_owned(), format.into());
    if let Value::Object(facts) = facts {
        settings.extend(facts);
    }
    for (name, count) in [
        ("replaced_words", report.replaced.words),
        ("repeated_words", report.repeated.rows.len() as u64),
        ("faults", report.faults.count),
    ] {
        if count > 0 {
            settings.insert(name.to_owned(), count.into());
        }
    }
    settings.into()
}

/// The content of a file.
pub(super) enum Whole {
    /// Where it is.
    Mapped(Arc<Mmap>),
    /// Of a file that was compressed.
    Owned(Vec<u8>),
}

impl Whole {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(file) => file,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// A file that is being decompressed, and how it starts.
struct Content<'a> {
    path: &'a Path,
    reader: Box<dyn Read + Send>,
    start: Vec<u8>,
    read: Arc<AtomicU64>,
}

impl<'a> Content<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let read = Arc::new(AtomicU64::new(0));
        let reader = open_reader(path, Arc::clone(&read))?;
        Ok(Self { path, reader, start: Vec::new(), read })
    }

    fn is_compressed(&self) -> Result<bool> {
        let mut magic = Vec::new();
        let file = std::fs::File::open(self.path).map_err(|source| Error::io(self.path, source))?;
        file.take(4).read_to_end(&mut magic).map_err(|source| Error::io(self.path, source))?;
        Ok(is_compressed(&magic))
    }

    /// Reads on, by so many bytes or to the end.
    fn fill(&mut self, count: u64) -> Result<usize> {
        let outcome = (&mut *self.reader).take(count).read_to_end(&mut self.start);
        outcome.map_err(|source| read_error(self.path, self.start.len() as u64, source))
    }

    /// Reads enough to tell the kind of file: two whole lines, if it may be text and has so many.
    fn read_start(&mut self) -> Result<()> {
        self.fill(16)?;
        if is_safetensors(&self.start) {
            return Ok(());
        }
        let mut ended = self.fill(START_BYTES)? < START_BYTES as usize;
        while !ended && memchr::memchr_iter(b'\n', &self.start).nth(1).is_none() {
            if self.start.len() as u64 >= LONGEST_FIRST_LINE {
                break;
            }
            ended = self.fill(START_BYTES)? < START_BYTES as usize;
        }
        Ok(())
    }

    /// The whole file: mapped where it is not compressed.
    fn whole(self, compressed: bool, observer: &mut dyn Observer) -> Result<Whole> {
        if compressed {
            self.read_all(&mut Pacer::new(observer)).map(Whole::Owned)
        } else {
            mapped::map(self.path).map(|file| Whole::Mapped(Arc::new(file)))
        }
    }

    fn read_all(mut self, pacer: &mut Pacer<'_>) -> Result<Vec<u8>> {
        let total = self.path.metadata().ok().map(|metadata| metadata.len());
        while self.fill(START_BYTES)? > 0 {
            let done = self.read.load(Ordering::Relaxed);
            pacer.tick(|| Progress::new("reading vectors", done, total, "bytes"))?;
        }
        Ok(self.start)
    }
}
