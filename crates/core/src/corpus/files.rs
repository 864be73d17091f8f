//! Text files, plain or compressed, as a stream of documents.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use memchr::{memmem, memrchr};

use super::batch::{Batch, Boundaries, InvalidUtf8, Origin};
use super::{BATCH_BYTES, DocumentRule, DocumentStream};
use crate::error::{Error, Place, Result};

const GZIP_MAGIC: &[u8] = &[0x1F, 0x8B];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Files, and how they are cut into documents; opened anew for each reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCorpus {
    /// The files in reading order.
    pub paths: Vec<PathBuf>,
    /// How each file is cut.
    pub documents: DocumentRule,
    /// What to do with bytes that are not text.
    pub invalid: InvalidUtf8,
}

impl FileCorpus {
    /// Expands patterns such as `notes/*.txt.gz` and checks that each file can be opened.
    ///
    /// A path that exists is taken as it is, even if it holds `*` or `[`.
    pub fn from_patterns(
        patterns: &[PathBuf],
        documents: DocumentRule,
        invalid: InvalidUtf8,
    ) -> Result<Self> {
        if documents == DocumentRule::Separator(String::new()) {
            return Err(Error::parameter("documents", "must not be an empty separator", "''"));
        }
        let mut paths = Vec::new();
        for pattern in patterns {
            expand(pattern, &mut paths)?;
        }
        if paths.is_empty() {
            return Err(Error::corpus("no files were named: pass at least one path or pattern"));
        }
        for path in &paths {
            check_readable(path)?;
        }
        Ok(Self { paths, documents, invalid })
    }

    /// Starts reading from the first file.
    pub fn open(&self) -> Result<FileStream> {
        let mut total = 0;
        for path in &self.paths {
            total += path.metadata().map_err(|source| Error::io(path, source))?.len();
        }
        Ok(FileStream {
            corpus: self.clone(),
            next_path: 0,
            current: None,
            sequence: 0,
            position: 0,
            total,
            read: Arc::new(AtomicU64::new(0)),
        })
    }
}

fn expand(pattern: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let text = pattern.to_str().filter(|text| text.contains(['*', '?', '[']));
    let (Some(text), false) = (text, pattern.exists()) else {
        paths.push(pattern.to_owned());
        return Ok(());
    };
    let found = glob::glob(text)
        .map_err(|error| Error::corpus(format!("the pattern {text:?} is not valid: {error}")))?;
    let before = paths.len();
    for path in found {
        let path = path.map_err(|error| {
            let path = error.path().to_owned();
            Error::io(&path, error.into())
        })?;
        if path.is_file() {
            paths.push(path);
        }
    }
    if paths.len() == before {
        return Err(Error::corpus(format!("no file matches the pattern {text:?}")));
    }
    Ok(())
}

fn check_readable(path: &Path) -> Result<()> {
    if path.is_dir() {
        let reason =
            "is a directory; name its files, for example with a pattern that ends in /*.txt";
        return Err(Error::io(path, io::Error::new(io::ErrorKind::IsADirectory, reason)));
    }
    File::open(path).map(drop).map_err(|source| Error::io(path, source))
}

/// Counts the bytes that come off the disk, before decompression.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// The decompressed content of a file; plain, gzip and Zstandard are told apart by their first bytes.
///
/// `read` counts the bytes that come off the disk.
pub(crate) fn open_reader(path: &Path, read: Arc<AtomicU64>) -> Result<Box<dyn Read + Send>> {
    let fail = |source| Error::io(path, source);
    let file = File::open(path).map_err(fail)?;
    let mut raw = BufReader::with_capacity(1 << 17, Counted { file, read });
    let start = io::BufRead::fill_buf(&mut raw).map_err(fail)?;
    Ok(if start.starts_with(GZIP_MAGIC) {
        Box::new(MultiGzDecoder::new(raw))
    } else if start.starts_with(ZSTD_MAGIC) {
        Box::new(zstd::Decoder::with_buffer(raw).map_err(fail)?)
    } else {
        Box::new(raw)
    })
}

/// Whether these first bytes of a file say that it is compressed.
pub(crate) fn is_compressed(start: &[u8]) -> bool {
    start.starts_with(GZIP_MAGIC) || start.starts_with(ZSTD_MAGIC)
}

/// What went wrong while a file was read; `offset` counts decompressed bytes.
pub(crate) fn read_error(path: &Path, offset: u64, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Error::format(
                path,
                Place::Byte(offset),
                format!(
                    "the compressed data is damaged or cut off ({source}); the place counts decompressed bytes"
                ),
            )
        }
        _ => Error::io(path, source),
    }
}

struct OpenFile {
    path: Arc<PathBuf>,
    reader: Box<dyn Read + Send>,
    /// Bytes after the last whole document of the batch before.
    carried: Vec<u8>,
    /// Where `carried` starts in the decompressed file.
    offset: u64,
    /// Line ends before `carried`, where lines are counted.
    lines: u64,
    ended: bool,
}

/// Reads the files of a [`FileCorpus`] one after the other.
pub struct FileStream {
    corpus: FileCorpus,
    next_path: usize,
    current: Option<OpenFile>,
    sequence: u64,
    position: u64,
    total: u64,
    read: Arc<AtomicU64>,
}

impl DocumentStream for FileStream {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            if self.current.is_none() {
                let Some(path) = self.corpus.paths.get(self.next_path).cloned() else {
                    return Ok(None);
                };
                self.next_path += 1;
                self.current = Some(self.open_file(path)?);
            }
            let Some(file) = &mut self.current else { continue };
            let bytes = file.read_documents(&self.corpus.documents)?;
            let (offset, lines) = (file.offset, file.lines);
            file.offset += bytes.len() as u64;
            if matches!(self.corpus.documents, DocumentRule::JsonField(_)) {
                file.lines += memchr::memchr_iter(b'\n', &bytes).count() as u64;
            }
            let path = Arc::clone(&file.path);
            if file.ended {
                self.current = None;
            }
            if !bytes.is_empty() {
                return Ok(Some(self.batch(bytes, path, offset, lines)));
            }
        }
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.total)
    }

    fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl FileStream {
    fn open_file(&self, path: PathBuf) -> Result<OpenFile> {
        let reader = open_reader(&path, Arc::clone(&self.read))?;
        let path = Arc::new(path);
        let carried = Vec::new();
        let mut file = OpenFile { path, reader, carried, offset: 0, lines: 0, ended: false };
        file.skip_byte_order_mark()?;
        Ok(file)
    }

    fn batch(&mut self, bytes: Vec<u8>, path: Arc<PathBuf>, offset: u64, lines: u64) -> Batch {
        let boundaries = match &self.corpus.documents {
            DocumentRule::Lines => Boundaries::Lines,
            DocumentRule::Files => Boundaries::Ends(vec![bytes.len()]),
            DocumentRule::Separator(separator) => {
                Boundaries::Separator(separator.as_bytes().into())
            }
            DocumentRule::JsonField(name) => {
                Boundaries::Field { name: name.as_str().into(), first_line: lines + 1 }
            }
        };
        let (sequence, position) = (self.sequence, self.position);
        self.sequence += 1;
        self.position = Batch::position_after(position, bytes.len());
        let origin = Origin { path: Some(path), offset };
        Batch { bytes, boundaries, sequence, position, origin, invalid: self.corpus.invalid }
    }
}

impl OpenFile {
    fn skip_byte_order_mark(&mut self) -> Result<()> {
        self.fill(BYTE_ORDER_MARK.len())?;
        if self.carried.starts_with(BYTE_ORDER_MARK) {
            self.carried.clear();
            self.offset = BYTE_ORDER_MARK.len() as u64;
        }
        Ok(())
    }

    /// Reads at least `wanted` more bytes into `carried`, or to the end of the file.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let before = self.carried.len();
        let read = self.reader.by_ref().take(wanted as u64).read_to_end(&mut self.carried);
        read.map_err(|source| self.read_error(source))?;
        self.ended = self.carried.len() - before < wanted;
        Ok(())
    }

    /// Whole documents of about a batch; a document longer than that comes alone.
    fn read_documents(&mut self, rule: &DocumentRule) -> Result<Vec<u8>> {
        let mut searched = 0;
        while !self.ended {
            self.fill(BATCH_BYTES)?;
            if self.ended {
                break;
            }
            if let Some(end) = last_document_end(&self.carried, searched, rule) {
                let rest = self.carried.split_off(end);
                return Ok(std::mem::replace(&mut self.carried, rest));
            }
            // A separator may straddle the old and the new part.
            searched = self.carried.len().saturating_sub(separator_length(rule));
        }
        Ok(std::mem::take(&mut self.carried))
    }

    fn read_error(&self, source: io::Error) -> Error {
        read_error(&self.path, self.offset + self.carried.len() as u64, source)
    }
}

fn separator_length(rule: &DocumentRule) -> usize {
    match rule {
        DocumentRule::Lines | DocumentRule::JsonField(_) => 1,
        DocumentRule::Files => 0,
        DocumentRule::Separator(separator) => separator.len(),
    }
}

/// The end of the last delimiter at or after `from`.
fn last_document_end(bytes: &[u8], from: usize, rule: &DocumentRule) -> Option<usize> {
    let tail = &bytes[from..];
    match rule {
        DocumentRule::Lines | DocumentRule::JsonField(_) => {
            memrchr(b'\n', tail).map(|found| from + found + 1)
        }
        DocumentRule::Files => None,
        DocumentRule::Separator(separator) => {
            // From the front: a separator such as two newlines may overlap itself, and documents
            // must not depend on where a batch happens to end.
            memmem::find_iter(tail, separator.as_bytes())
                .last()
                .map(|found| from + found + separator.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn documents(paths: &[PathBuf], rule: DocumentRule) -> Vec<String> {
        let corpus = FileCorpus::from_patterns(paths, rule, InvalidUtf8::Strict).unwrap();
        let mut stream = corpus.open().unwrap();
        let mut all = Vec::new();
        while let Some(batch) = stream.next_batch().unwrap() {
            all.extend(batch.decode().unwrap().documents().map(|(_, text)| text.to_owned()));
        }
        all
    }

    #[test]
    fn plain_gzip_and_zstd_hold_the_same_text() {
        let directory = tempfile::tempdir().unwrap();
        let lines: Vec<String> =
            (0..60_000).map(|number| format!("line {number} é \u{1F600}")).collect();
        let text = lines.join("\n");
        let plain = directory.path().join("a.txt");
        std::fs::write(&plain, &text).unwrap();
        let gzip = directory.path().join("named-wrongly");
        let mut encoder = flate2::write::GzEncoder::new(
            File::create(&gzip).unwrap(),
            flate2::Compression::fast(),
        );
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
        let zst = directory.path().join("a.zst");
        std::fs::write(&zst, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
        for path in [plain, gzip, zst] {
            assert_eq!(documents(&[path], DocumentRule::Lines), lines);
        }
    }

    #[test]
    fn long_documents_and_separators_across_batches_stay_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        for length in [BATCH_BYTES - 1, BATCH_BYTES - 2, BATCH_BYTES, 3 * BATCH_BYTES] {
            let long = "x".repeat(length);
            std::fs::write(&path, format!("{long}<->b<->{long}")).unwrap();
            let found =
                documents(std::slice::from_ref(&path), DocumentRule::Separator("<->".into()));
            assert_eq!(found, [long.clone(), "b".into(), long]);
        }
    }

    #[test]
    fn lines_of_json_are_counted_through_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let line = |number: u32| format!("{{\"id\": {number}, \"text\": \"line {number}\"}}\n");
        let lines: Vec<String> = (0..100_000).map(line).collect();
        let text = lines.concat();
        let rule = DocumentRule::JsonField("text".to_owned());
        std::fs::write(&path, &text).unwrap();
        let found = documents(std::slice::from_ref(&path), rule.clone());
        assert_eq!(found.len(), 100_000);
        assert_eq!(found[99_999], "line 99999");
        std::fs::write(&path, text + "{}").unwrap();
        let corpus = FileCorpus::from_patterns(&[path], rule, InvalidUtf8::Strict).unwrap();
        let mut stream = corpus.open().unwrap();
        let error = loop {
            match stream.next_batch().unwrap().unwrap().decode() {
                Ok(_) => {}
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("a.jsonl, line 100001: is not a JSON object"), "{error}");
    }

    #[test]
    fn a_separator_that_overlaps_itself_is_found_from_the_front() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        for before in 0..5 {
            let (start, end) = ("x".repeat(BATCH_BYTES - before), "y".repeat(BATCH_BYTES));
            std::fs::write(&path, format!("{start}\n\n\n{end}")).unwrap();
            let found =
                documents(std::slice::from_ref(&path), DocumentRule::Separator("\n\n".into()));
            assert_eq!(found, [start, format!("\n{end}")]);
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_text_and_files_do_not_run_into_each_other() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("1.txt"), "\u{FEFF}one").unwrap();
        std::fs::write(directory.path().join("2.txt"), "two\n").unwrap();
        std::fs::write(directory.path().join("3.txt"), "").unwrap();
        let pattern = directory.path().join("*.txt");
        assert_eq!(documents(std::slice::from_ref(&pattern), DocumentRule::Lines), ["one", "two"]);
        assert_eq!(documents(&[pattern], DocumentRule::Files), ["one", "two\n"]);
    }

    #[test]
    fn cut_off_compression_is_an_error_with_a_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.zst");
        let whole = zstd::encode_all("some text ".repeat(1000).as_bytes(), 1).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let corpus =
            FileCorpus::from_patterns(&[path], DocumentRule::Lines, InvalidUtf8::Strict).unwrap();
        let message = corpus.open().unwrap().next_batch().unwrap_err().to_string();
        assert!(message.contains("damaged or cut off"), "{message}");
    }

    #[test]
    fn missing_files_directories_and_patterns_without_a_match() {
        let directory = tempfile::tempdir().unwrap();
        let open = |path: PathBuf| {
            FileCorpus::from_patterns(&[path], DocumentRule::Lines, InvalidUtf8::Strict)
                .unwrap_err()
                .to_string()
        };
        assert!(open(directory.path().join("none.txt")).contains("none.txt"));
        assert!(open(directory.path().to_owned()).contains("is a directory"));
        assert!(open(directory.path().join("*.txt")).contains("no file matches"));
    }
}
