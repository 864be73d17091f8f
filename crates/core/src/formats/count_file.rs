//! Files of counts: what was counted on one machine can be added up and trained from on another.
//!
//! A safetensors file: `pieces` (the bytes of all pieces, in order of first appearance), `piece_ends` (where each
//! ends) and `counts`, with the split rule, the number of documents and their bytes beside them.

use std::path::Path;

use super::safetensors::{self, Header, Kind, Tensor};
use super::split_spec;
use crate::corpus::ReadReport;
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::split::{PieceCounts, Splitter};

const VERSION: &str = "1";
const VERSION_KEY: &str = "textgrain.counts";

/// The counts of a corpus and the rule by which it was cut.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The pieces with their counts.
    pub pieces: PieceCounts,
    /// Where pieces begin and end.
    pub splitter: Splitter,
}

impl Counted {
    /// Writes the counts, whole or not at all; the same counts always give the same bytes.
    pub fn save(&self, path: &Path) -> Result<()> {
        let (mut text, mut end) = (Vec::with_capacity(self.pieces.distinct_bytes()), 0);
        let ends = bytes_of(self.pieces.iter().map(|(piece, _)| {
            end += piece.len() as u64;
            end.to_le_bytes()
        }));
        let counts = bytes_of(self.pieces.iter().map(|(_, count)| count.to_le_bytes()));
        for (piece, _) in self.pieces.iter() {
            text.extend_from_slice(piece);
        }
        let (length, shape) = ([self.pieces.len()], [text.len()]);
        let tensors = [
            Tensor { name: "piece_ends", kind: Kind::U64, shape: &length, bytes: &ends },
            Tensor { name: "counts", kind: Kind::U64, shape: &length, bytes: &counts },
            Tensor { name: "pieces", kind: Kind::U8, shape: &shape, bytes: &text },
        ];
        let metadata = [
            (VERSION_KEY, VERSION.to_owned()),
            ("split", split_spec::write(&self.splitter)),
            ("space_prefix", self.splitter.space_prefix().to_string()),
            ("documents", self.pieces.report.documents.to_string()),
            ("bytes", self.pieces.report.bytes.to_string()),
        ];
        safetensors::write(path, &tensors, &metadata)
    }

    /// Reads a file; a damaged one never loads.
    pub fn load(path: &Path) -> Result<Self> {
        let file = std::fs::read(path).map_err(|source| Error::io(path, source))?;
        let header = Header::read(path, &file)?;
        check_version(path, &header)?;
        safetensors::check_checksum(path, &header, &file)?;
        let fail = |reason: String| Error::format(path, Place::Byte(8), reason);
        let counts = read_numbers(path, &header, &file, "counts")?;
        let ends = read_numbers(path, &header, &file, "piece_ends")?;
        let (_, text) = header.tensor(path, "pieces", Kind::U8, 1)?;
        let text = simdutf8::compat::from_utf8(&file[text.clone()]).map_err(|error| {
            let place = Place::Byte((text.start + error.valid_up_to()) as u64);
            Error::format(path, place, "the pieces are not valid UTF-8")
        })?;
        header.verify(path, &file)?;
        if ends.len() != counts.len() || ends.last().copied().unwrap_or(0) != text.len() as u64 {
            return Err(fail(
                "the pieces, their ends and their counts do not fit together".to_owned(),
            ));
        }
        let mut start = 0;
        let pieces: Option<Vec<&str>> = ends
            .iter()
            .map(|&end| text.get(std::mem::replace(&mut start, end as usize)..end as usize))
            .collect();
        let pieces = pieces.ok_or_else(|| fail("a piece ends where none can end".to_owned()))?;
        let mut read = PieceCounts::from_counts(pieces.into_iter().zip(counts.iter().copied()))?;
        if read.len() != counts.len() {
            return Err(fail("a piece is empty, occurs twice or has a count of zero".to_owned()));
        }
        let number = |name: &str| header.metadata(name).and_then(|text| text.parse().ok());
        let (Some(documents), Some(bytes)) = (number("documents"), number("bytes")) else {
            return Err(fail("the number of documents or of bytes is missing".to_owned()));
        };
        read.report = ReadReport { documents, bytes, ..ReadReport::default() };
        let space_prefix = header.metadata("space_prefix") == Some("true");
        let splitter =
            split_spec::parse(header.metadata("split").unwrap_or_default(), space_prefix);
        Ok(Self { pieces: read, splitter: splitter.map_err(|error| fail(error.to_string()))? })
    }

    /// The counts of several corpora as if they had been one, in this order.
    pub fn merge(parts: &[&Self]) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Err(Error::corpus("there are no counts to merge"));
        };
        for part in parts {
            part.check_splitter("the counts to merge", &first.splitter)?;
        }
        let all = parts.iter().flat_map(|part| part.pieces.iter());
        let all = all.map(|(piece, count)| (std::str::from_utf8(piece).unwrap_or_default(), count));
        let mut pieces = PieceCounts::from_counts(all)?;
        for part in parts {
            pieces.report.merge(part.pieces.report.clone());
        }
        Ok(Self { pieces, splitter: first.splitter.clone() })
    }

    /// The pieces as text, each with its count.
    pub fn words(&self) -> Vec<(String, u64)> {
        let text = |piece| String::from_utf8_lossy(piece).into_owned();
        self.pieces.iter().map(|(piece, count)| (text(piece), count)).collect()
    }

    /// Fails if the pieces were cut by another rule.
    pub fn check_splitter(&self, who: &'static str, splitter: &Splitter) -> Result<()> {
        if self.splitter == *splitter {
            return Ok(());
        }
        let name = |splitter: &Splitter| {
            let prefix = if splitter.space_prefix() { " with space_prefix=True" } else { "" };
            format!("\"{}\"{prefix}", split_spec::write(splitter))
        };
        let rule = format!("of {who} must be {}, as of the other", name(&self.splitter));
        Err(Error::parameter("split", rule, name(splitter))
            .with_hint("Pieces that were cut by another rule would give tokens that fit no text"))
    }
}

fn check_version(path: &Path, header: &Header) -> Result<()> {
    let reason = match header.metadata(VERSION_KEY) {
        Some(VERSION) => return Ok(()),
        Some(other) => format!(
            "counts of layout {other:?}; this version reads {VERSION:?}. Install a newer textgrain"
        ),
        None => format!("a safetensors file without counts: its metadata lacks {VERSION_KEY:?}"),
    };
    Err(Error::format(path, Place::Byte(8), reason))
}

fn read_numbers(path: &Path, header: &Header, file: &[u8], name: &str) -> Result<Vec<u64>> {
    let (_, range) = header.tensor(path, name, Kind::U64, 1)?;
    let (numbers, _) = file[range].as_chunks::<8>();
    Ok(numbers.iter().map(|&number| u64::from_le_bytes(number)).collect())
}
