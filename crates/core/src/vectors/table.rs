//! A plain table of floats in one safetensors file.

use std::path::Path;

use super::mapped;
use crate::error::{Error, Place, Result};
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{self, Header, Kind, Tensor};

const VERSION: &str = "1";
const VERSION_KEY: &str = "textgrain.table";

/// Rows of floats, one after the other, and what they were made with.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The numbers.
    pub numbers: Vec<f32>,
    /// How many numbers a row has.
    pub width: usize,
    /// Text for the reader.
    pub settings: String,
}

impl Table {
    /// Writes the table to a file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = bytes_of(self.numbers.iter().map(|number| number.to_le_bytes()));
        let shape = [self.numbers.len() / self.width.max(1), self.width];
        let tensors = [Tensor { name: "rows", kind: Kind::F32, shape: &shape, bytes: &bytes }];
        let metadata = [(VERSION_KEY, VERSION.to_owned()), ("settings", self.settings.clone())];
        safetensors::write(path, &tensors, &metadata)
    }

    /// Reads a table; a damaged file never loads.
    pub fn load(path: &Path) -> Result<Self> {
        let file = mapped::map(path)?;
        let header = Header::read(path, &file)?;
        if header.metadata(VERSION_KEY) != Some(VERSION) {
            let reason =
                format!("a safetensors file without a table: its metadata lacks {VERSION_KEY:?} 1");
            return Err(Error::format(path, Place::Byte(8), reason));
        }
        safetensors::check_checksum(path, &header, &file)?;
        let (shape, range) = header.tensor(path, "rows", Kind::F32, 2)?;
        let (floats, _) = file[range].as_chunks::<4>();
        let settings = header.metadata("settings").unwrap_or("{}").to_owned();
        if shape[1] == 0 {
            return Err(Error::format(path, Place::Byte(8), "the rows of the table are empty"));
        }
        header.verify(path, &file)?;
        let numbers = floats.iter().map(|&float| f32::from_le_bytes(float)).collect();
        Ok(Self { numbers, width: shape[1], settings })
    }
}
