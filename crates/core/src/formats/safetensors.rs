//! Safetensors (huggingface.co/docs/safetensors): a length, a JSON header, then the bytes of all tensors.
//!
//! The header says for each tensor its type, its shape and the range of its bytes. Reading trusts
//! nothing: every length is checked against what the file holds before it is used.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::block_checksum::BlockChecksum;
use crate::error::{Error, Place, Result};
use crate::files;

/// Bytes of the length in front of the header.
const LENGTH_BYTES: usize = 8;

/// The longest header that is read, as in the reference implementation.
pub(super) const LONGEST_HEADER: u64 = 100_000_000;

/// The tensors start at a multiple of this, so that mapped rows start on cache lines.
const ALIGNMENT: usize = 64;

/// The key of the header that holds text for the reader instead of a tensor.
const METADATA: &str = "__metadata__";

/// How each header that this project writes begins; sixteen digits of a checksum follow.
///
/// The checksum covers the length and the header, with zeros in its own place. Names, types, shapes and
/// settings are as much a part of the file as the numbers are.
const HEADER_START: &str = r#"{"__metadata__":{"header_checksum":"xxh3:"#;

/// Where in the file these digits are.
const HEADER_DIGITS: Range<usize> =
    LENGTH_BYTES + HEADER_START.len()..LENGTH_BYTES + HEADER_START.len() + 16;

/// The types of numbers that this project writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 16-bit floats.
    F16,
    /// 32-bit floats.
    F32,
    /// Bytes with a sign.
    I8,
    /// 64-bit whole numbers.
    U64,
    /// 32-bit whole numbers with a sign.
    I32,
    /// 32-bit whole numbers.
    U32,
    /// 16-bit whole numbers.
    U16,
    /// Bytes.
    U8,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::F16 => "F16",
            Self::F32 => "F32",
            Self::I8 => "I8",
            Self::U64 => "U64",
            Self::I32 => "I32",
            Self::U32 => "U32",
            Self::U16 => "U16",
            Self::U8 => "U8",
        }
    }

    /// The length of one number, in bytes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::U64 => 8,
            Self::F16 | Self::U16 => 2,
            Self::I8 | Self::U8 => 1,
        }
    }
}

/// A tensor to be written; its bytes are little-endian.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// The name.
    pub name: &'a str,
    /// The type of its numbers.
    pub kind: Kind,
    /// The length of each dimension.
    pub shape: &'a [usize],
    /// Its numbers, in row order.
    pub bytes: &'a [u8],
}

/// Writes a file whose tensors lie in the order given, and their checksum; `metadata` is further text by name.
pub fn write(path: &Path, tensors: &[Tensor<'_>], metadata: &[(&str, String)]) -> Result<()> {
    let header = header_of(tensors, metadata);
    files::write_atomically(path, |writer| {
        writer.write_all(&header)?;
        for tensor in tensors {
            writer.write_all(tensor.bytes)?;
        }
        io::Result::Ok(())
    })
}

/// The bytes of the file that [`write()`] writes.
pub fn to_bytes(tensors: &[Tensor<'_>], metadata: &[(&str, String)]) -> Vec<u8> {
    let mut bytes = header_of(tensors, metadata);
    bytes.reserve_exact(tensors.iter().map(|tensor| tensor.bytes.len()).sum());
    for tensor in tensors {
        bytes.extend_from_slice(tensor.bytes);
    }
    bytes
}

/// The length and the header, with the checksum of the tensors.
fn header_of(tensors: &[Tensor<'_>], metadata: &[(&str, String)]) -> Vec<u8> {
    let mut checksum = BlockChecksum::default();
    for tensor in tensors {
        checksum.update(tensor.bytes);
    }
    let metadata = [metadata, &[("checksum", checksum.text())]].concat();
    let entries: Vec<_> =
        tensors.iter().map(|tensor| (tensor.name, tensor.kind, tensor.shape)).collect();
    header_of_shapes(&entries, &metadata, 0)
}

/// The length and the header, of at least so many bytes, for tensors whose bytes are written elsewhere.
pub(crate) fn header_of_shapes(
    tensors: &[(&str, Kind, &[usize])],
    metadata: &[(&str, String)],
    least: usize,
) -> Vec<u8> {
    let mut entries = Map::new();
    let checksum = [("header_checksum", "xxh3:0000000000000000")].into_iter();
    let text: Map<String, Value> = checksum
        .chain(metadata.iter().map(|(name, text)| (*name, text.as_str())))
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    entries.insert(METADATA.to_owned(), text.into());
    let mut start = 0;
    for &(name, kind, shape) in tensors {
        let end = start + kind.bytes() * shape.iter().product::<usize>();
        let entry = serde_json::json!({
            "dtype": kind.name(), "shape": shape, "data_offsets": [start, end],
        });
        entries.insert(name.to_owned(), entry);
        start = end;
    }
    let mut header = vec![0; LENGTH_BYTES];
    header.extend_from_slice(Value::from(entries).to_string().as_bytes());
    header.resize(header.len().next_multiple_of(ALIGNMENT).max(least), b' ');
    let length = (header.len() - LENGTH_BYTES) as u64;
    header[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    let digits = format!("{:016x}", xxh3_64(&header));
    header[HEADER_DIGITS].copy_from_slice(digits.as_bytes());
    header
}

/// What the header of a file says, checked against the file.
#[derive(Debug)]
pub struct Header {
    entries: Map<String, Value>,
    /// Where the bytes of the tensors start in the file.
    data_start: usize,
    data_length: usize,
}

impl Header {
    /// Reads the header of a file that holds `bytes`.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self> {
        let fail = |offset: usize, reason: String| {
            Err(Error::format(path, Place::Byte(offset as u64), reason))
        };
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
            let found = bytes.len();
            return fail(
                0,
                format!("not a safetensors file: {found} bytes, at least 8 are needed"),
            );
        };
        let length = u64::from_le_bytes(*length);
        if length > LONGEST_HEADER {
            return fail(
                0,
                format!("not a safetensors file: a header of {length} bytes is too long"),
            );
        }
        let length = length as usize;
        let Some(header) = rest.get(..length) else {
            let found = rest.len();
            return fail(
                0,
                format!("cut off: the header has {length} bytes, the file only {found} more"),
            );
        };
        let entries = match serde_json::from_slice::<Value>(header) {
            Ok(Value::Object(entries)) => entries,
            Ok(_) => return fail(8, "the header is not a JSON object".to_owned()),
            Err(error) => return fail(8, format!("the header is not valid JSON: {error}")),
        };
        let header =
            Self { entries, data_start: LENGTH_BYTES + length, data_length: rest.len() - length };
        header.check_covered(path)?;
        Ok(header)
    }

    /// The tensors must cover the rest of the file, each byte once: a gap could hide anything.
    fn check_covered(&self, path: &Path) -> Result<()> {
        let mut ranges = Vec::new();
        for name in self.entries.keys().filter(|name| *name != METADATA) {
            ranges.push((self.offsets(path, name)?, name));
        }
        ranges.sort_by_key(|(range, _)| (range.start, range.end));
        let mut end = 0;
        for (range, name) in ranges {
            if range.start != end {
                let reason = format!(
                    "tensor {name:?} starts at byte {} of the data, not at {end} where the one before it ends",
                    range.start
                );
                return Err(self.wrong(path, reason));
            }
            end = range.end;
        }
        if end != self.data_length {
            let reason =
                format!("the tensors have {end} bytes, the file holds {}", self.data_length);
            return Err(Error::format(path, Place::Byte(self.data_start as u64), reason));
        }
        Ok(())
    }

    fn wrong(&self, path: &Path, reason: String) -> Error {
        let _ = self;
        Error::format(path, Place::Byte(LENGTH_BYTES as u64), reason)
    }

    fn offsets(&self, path: &Path, name: &str) -> Result<Range<usize>> {
        let numbers = self.numbers(path, name, "data_offsets")?;
        match numbers[..] {
            [start, end] if start <= end && end <= self.data_length => Ok(start..end),
            _ => {
                let held = self.data_length;
                let reason = format!(
                    "tensor {name:?} has data_offsets {numbers:?}, the data has {held} bytes; the file is cut \
                     off or damaged"
                );
                Err(self.wrong(path, reason))
            }
        }
    }

    fn numbers(&self, path: &Path, name: &str, key: &str) -> Result<Vec<usize>> {
        let value = self.entries.get(name).and_then(|entry| entry.get(key));
        let numbers = value.and_then(Value::as_array).and_then(|numbers| {
            let whole = |number: &Value| number.as_u64().and_then(|n| usize::try_from(n).ok());
            numbers.iter().map(whole).collect::<Option<Vec<_>>>()
        });
        numbers.ok_or_else(|| {
            self.wrong(path, format!("tensor {name:?} needs {key:?}, a list of whole numbers"))
        })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        name != METADATA && self.entries.contains_key(name)
    }

    /// The shape of a tensor and the place of its bytes in the file.
    ///
    /// The type must be `kind`, the number of dimensions `dimensions`, and both agree with the bytes.
    pub fn tensor(
        &self,
        path: &Path,
        name: &str,
        kind: Kind,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Range<usize>)> {
        let Some(entry) = self.entries.get(name).filter(|_| name != METADATA) else {
            return Err(self.wrong(path, format!("there is no tensor {name:?}")));
        };
        let found = entry.get("dtype").and_then(Value::as_str).unwrap_or("nothing");
        if found != kind.name() {
            let reason = format!("tensor {name:?} must hold {}, it holds {found}", kind.name());
            return Err(self.wrong(path, reason));
        }
        let shape = self.numbers(path, name, "shape")?;
        if shape.len() != dimensions {
            let reason =
                format!("tensor {name:?} must have {dimensions} dimensions, it has {shape:?}");
            return Err(self.wrong(path, reason));
        }
        let range = self.offsets(path, name)?;
        let bytes =
            shape.iter().try_fold(kind.bytes(), |product, &length| product.checked_mul(length));
        if bytes != Some(range.len()) {
            let reason =
                format!("tensor {name:?} of shape {shape:?} cannot have {} bytes", range.len());
            return Err(self.wrong(path, reason));
        }
        Ok((shape, self.data_start + range.start..self.data_start + range.end))
    }

    /// The text of this name beside the tensors.
    pub fn metadata(&self, name: &str) -> Option<&str> {
        self.entries.get(METADATA)?.get(name)?.as_str()
    }

    /// Compares the header with its own checksum; for files that this project wrote.
    pub fn verify(&self, path: &Path, file: &[u8]) -> Result<()> {
        let mut header = file[..self.data_start].to_vec();
        let starts = header[LENGTH_BYTES..].starts_with(HEADER_START.as_bytes());
        let Some(digits) = header.get_mut(HEADER_DIGITS).filter(|_| starts) else {
            return Err(self.wrong(path, "it does not begin with its checksum".to_owned()));
        };
        let expected = String::from_utf8_lossy(digits).into_owned();
        digits.fill(b'0');
        let found = format!("{:016x}", xxh3_64(&header));
        if found == expected {
            return Ok(());
        }
        Err(self.wrong(path, format!("damaged: its checksum is {found}, it says {expected}")))
    }

    /// Where the bytes of the tensors start in the file.
    pub fn data_start(&self) -> usize {
        self.data_start
    }
}

/// Compares the bytes of all tensors with the checksum in the header, which earlier versions took of all bytes at
/// once.
pub(crate) fn check_checksum(path: &Path, header: &Header, file: &[u8]) -> Result<()> {
    let data = &file[header.data_start()..];
    let found = if header.is_checked_by_blocks() {
        let mut blocks = BlockChecksum::default();
        blocks.update(data);
        blocks.text()
    } else {
        format!("xxh3:{:016x}", xxh3_64(data))
    };
    compare_checksum(path, header, &found)
}

/// The same where the checksum was taken already.
pub(crate) fn compare_checksum(path: &Path, header: &Header, found: &str) -> Result<()> {
    match header.metadata("checksum") {
        Some(expected) if expected == found => Ok(()),
        Some(expected) => {
            let reason = format!("damaged: the checksum is {found}, the header says {expected}");
            Err(Error::format(path, Place::Byte(header.data_start() as u64), reason))
        }
        None => Err(Error::format(path, Place::Byte(8), "the header has no checksum")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.safetensors");
        let tensors = [
            Tensor { name: "x", kind: Kind::F32, shape: &[1, 2], bytes: &[1; 8] },
            Tensor { name: "y", kind: Kind::U8, shape: &[3], bytes: b"abc" },
        ];
        write(&path, &tensors, &[("made by", "a test".to_owned())]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (directory, path, bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let (_directory, path, bytes) = written();
        let header = Header::read(&path, &bytes).unwrap();
        assert_eq!(header.data_start() % 64, 0);
        let (shape, range) = header.tensor(&path, "x", Kind::F32, 2).unwrap();
        assert_eq!((shape, &bytes[range]), (vec![1, 2], &[1; 8][..]));
        assert_eq!(&bytes[header.tensor(&path, "y", Kind::U8, 1).unwrap().1], b"abc");
        assert_eq!(header.metadata("made by"), Some("a test"));
        for (name, kind, dimensions) in
            [("z", Kind::U8, 1), ("y", Kind::F32, 1), ("y", Kind::U8, 2), (METADATA, Kind::U8, 1)]
        {
            header.tensor(&path, name, kind, dimensions).unwrap_err();
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let (_directory, path, bytes) = written();
        for length in 0..bytes.len() {
            Header::read(&path, &bytes[..length]).unwrap_err();
        }
        Header::read(&path, &[&bytes[..], b"more"].concat()).unwrap_err();
    }

    #[test]
    fn every_change_of_the_header_is_noticed() {
        let (_directory, path, bytes) = written();
        let header = Header::read(&path, &bytes).unwrap();
        header.verify(&path, &bytes).unwrap();
        for place in 0..header.data_start() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x20;
            let read = Header::read(&path, &damaged);
            assert!(read.and_then(|read| read.verify(&path, &damaged)).is_err(), "{place}");
        }
    }

    #[test]
    fn lying_headers_are_errors() {
        let path = Path::new("a");
        let headers = [
            "[]",
            "{",
            r#"{"x":1}"#,
            r#"{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,5]}}"#,
            r#"{"x":{"dtype":"U8","shape":[4],"data_offsets":[1,4]}}"#,
            r#"{"x":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}}"#,
            r#"{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4,4]}}"#,
            r#"{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,-4]}}"#,
            r#"{"x":{"dtype":"U8","shape":[3],"data_offsets":[0,4]}}"#,
            r#"{"x":{"dtype":"U8","shape":[18446744073709551615,2],"data_offsets":[0,4]}}"#,
            r#"{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#,
        ];
        for header in headers {
            let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
            bytes.extend_from_slice(header.as_bytes());
            bytes.extend_from_slice(&[0; 4]);
            let read = Header::read(path, &bytes);
            let outcome = read.and_then(|read| read.tensor(path, "x", Kind::U8, 1).map(drop));
            assert!(outcome.is_err(), "{header}");
        }
    }
}
