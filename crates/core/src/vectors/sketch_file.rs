//! The copy with a byte for each number in this project's file, where it waits for the first query.

use std::path::Path;

use super::file::Source;
use super::rows::Owned;
use super::sketch::Sketch;
use crate::error::{Error, Place, Result};
use crate::formats::safetensors::{Header, Kind};
use crate::simd::{BYTE_BLOCK, RowFacts};

/// The name of the bytes.
pub(super) const SKETCH: &str = "sketch";

const SCALES: &str = "sketch_scales";
const RESTS: &str = "sketch_rests";
const SUMS: &str = "sketch_sums";

impl Sketch {
    /// The tensors of a file.
    pub(super) fn tensors(&self) -> Vec<Owned<'_>> {
        let rows = self.facts.len();
        let column = |name: &str, kind, number: fn(&RowFacts) -> [u8; 4]| {
            let bytes = self.facts.iter().flat_map(number).collect();
            (name.to_owned(), kind, vec![rows], bytes)
        };
        vec![
            column(SCALES, Kind::F32, |facts| facts.scale.to_le_bytes()),
            column(RESTS, Kind::F32, |facts| facts.rest.to_le_bytes()),
            column(SUMS, Kind::I32, |facts| facts.sum.to_le_bytes()),
            (SKETCH.to_owned(), Kind::I8, vec![rows, self.width], self.stored()),
        ]
    }

    /// The copy in a file, if it has one.
    pub(super) fn read(
        path: &Path,
        header: &Header,
        source: &Source<'_>,
        (rows, size): (usize, usize),
    ) -> Result<Option<Self>> {
        if !header.has(SKETCH) {
            return Ok(None);
        }
        let (shape, range) = header.tensor(path, SKETCH, Kind::I8, 2)?;
        let column = |name: &str, kind| -> Result<&[[u8; 4]]> {
            let (_, range) = header.tensor(path, name, kind, 1)?;
            Ok(source.bytes()[range].as_chunks().0)
        };
        let (scales, rests) = (column(SCALES, Kind::F32)?, column(RESTS, Kind::F32)?);
        let sums = column(SUMS, Kind::I32)?;
        let width = size.next_multiple_of(BYTE_BLOCK);
        if shape != [rows, width] || [scales.len(), rests.len(), sums.len()] != [rows; 3] {
            let reason = format!("the sketch does not fit {rows} vectors of {size} numbers");
            return Err(Error::format(path, Place::Byte(8), reason));
        }
        let columns = scales.iter().zip(rests).zip(sums);
        let facts: Vec<RowFacts> = columns
            .map(|((&scale, &rest), &sum)| RowFacts {
                scale: f32::from_le_bytes(scale),
                rest: f32::from_le_bytes(rest),
                sum: i32::from_le_bytes(sum),
            })
            .collect();
        let is_possible =
            |facts: &RowFacts| facts.scale.is_finite() && facts.scale >= 0.0 && facts.rest >= 0.0;
        if let Some(row) = facts.iter().position(|facts| !is_possible(facts)) {
            let reason = format!("row {row} of the sketch has numbers that no row can have");
            return Err(Error::format(path, Place::Byte(range.start as u64), reason));
        }
        Ok(Some(Self::of_file(source.store(range), width, facts)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::write;
    use super::super::{Metric, Packed, Search, WordVectors};
    use crate::observe::Silent;

    fn vectors() -> WordVectors {
        let words: Vec<String> = (0..40).map(|row| format!("w{row}")).collect();
        let numbers = (0..200).map(|place| ((place * place % 47) as f32 - 20.0) / 9.0).collect();
        let words = words.iter().map(String::as_str);
        WordVectors::new(words, numbers, 5, vec![1; 40], serde_json::json!({}), vec![]).unwrap()
    }

    #[test]
    fn a_sketch_waits_in_the_file_and_changes_no_answer() {
        let (directory, plain) = (tempfile::tempdir().unwrap(), vectors());
        let (first, second) = (directory.path().join("1"), directory.path().join("2"));
        write(&plain, &first, Some(plain.sketch_to_keep(2, &mut Silent).unwrap())).unwrap();
        let (loaded, plain) = (WordVectors::load(&first).unwrap(), vectors());
        let sketch = loaded.sketch_if_worth_it(1, &mut Silent).unwrap().expect("kept");
        assert_eq!(sketch.bytes(&loaded).len(), 40 * 32);
        assert!(plain.sketch_if_worth_it(1, &mut Silent).unwrap().is_none());
        for metric in [Metric::Cosine, Metric::Euclidean, Metric::Dot] {
            let search = Search { metric, n: 7, among: None, exclude: &[2], threads: 1 };
            for row in 0..40 {
                let ask = |vectors: &WordVectors| {
                    vectors.nearest(&plain.row(row), search, &mut Silent).unwrap()
                };
                assert_eq!(ask(&loaded), ask(&plain));
            }
        }
        write(&loaded, &second, Some(sketch)).unwrap();
        assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap());
        // Other numbers have no use for it.
        let halves = loaded.with_numbers(Packed::half(vec![0; 200])).unwrap();
        assert!(halves.sketch_if_worth_it(1, &mut Silent).unwrap().is_none());
    }

    #[test]
    fn every_change_of_a_file_with_a_sketch_is_noticed() {
        let (directory, plain) = (tempfile::tempdir().unwrap(), vectors());
        let path = directory.path().join("a");
        write(&plain, &path, Some(plain.sketch_to_keep(1, &mut Silent).unwrap())).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x20;
            assert!(WordVectors::from_bytes(&path, &damaged).is_err(), "{place}");
            WordVectors::from_bytes(&path, &bytes[..place]).unwrap_err();
        }
    }
}
