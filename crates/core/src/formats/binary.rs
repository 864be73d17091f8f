//! A file's bytes, read from front to back; every length is checked against what is left.

use std::path::Path;

use crate::error::{Error, Place, Result};

/// Numbers as their bytes; collected as arrays this is one loop, byte by byte it takes several times as long.
pub(crate) fn bytes_of<const BYTES: usize>(numbers: impl Iterator<Item = [u8; BYTES]>) -> Vec<u8> {
    numbers.collect::<Vec<_>>().into_flattened()
}

/// Where a reader of binary data stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    path: &'a Path,
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    /// The start of a file's content.
    pub(crate) fn new(path: &'a Path, all: &'a [u8]) -> Self {
        Self { path, all, at: 0 }
    }

    /// Bytes before the reader.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Bytes that are still to be read.
    pub(crate) fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// An error at the place of the reader.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::format(self.path, Place::Byte(self.at as u64), reason)
    }

    /// The next `count` items of `size` bytes each; `what` they are, for an error.
    pub(crate) fn take(&mut self, count: usize, size: usize, what: &str) -> Result<&'a [u8]> {
        let needed = count.checked_mul(size).filter(|&needed| needed <= self.left());
        let Some(needed) = needed else {
            let bytes = (count as u128) * (size as u128);
            let left = self.left();
            return Err(self.error(format!(
                "cut off or damaged: {what} should have {bytes} bytes, the file holds {left} more"
            )));
        };
        let taken = &self.all[self.at..self.at + needed];
        self.at += needed;
        Ok(taken)
    }

    /// The bytes up to the next zero, which is passed over.
    pub(crate) fn until_zero(&mut self, what: &str) -> Result<&'a [u8]> {
        let rest = &self.all[self.at..];
        let Some(end) = memchr::memchr(0, rest) else {
            return Err(self.error(format!("cut off or damaged: {what} does not end")));
        };
        self.at += end + 1;
        Ok(&rest[..end])
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(1, N, what)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self, what: &str) -> Result<i32> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub(crate) fn i64(&mut self, what: &str) -> Result<i64> {
        self.array(what).map(i64::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self, what: &str) -> Result<f64> {
        self.array(what).map(f64::from_le_bytes)
    }

    /// A length that the file states as a 32-bit or 64-bit whole number.
    pub(crate) fn length(
        &self,
        number: impl TryInto<usize> + Copy + std::fmt::Display,
        what: &str,
    ) -> Result<usize> {
        number.try_into().map_err(|_| self.error(format!("damaged: {what} cannot be {number}")))
    }

    /// Fails where anything is left.
    pub(crate) fn end(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error(format!("damaged: {left} bytes follow the end of the model"))),
        }
    }
}

/// Little-endian floats.
pub(crate) fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|&float| f32::from_le_bytes(float))
}
