//! Numbers as they were after the last good epoch, for the error of a run that diverges later.
//!
//! They lie in a temporary file without a name: a run takes no more memory for them, and one sequential write an
//! epoch. Without room for the file a run goes on, and an error has no vectors; so it is with numbers so many that
//! writing them would be felt, for which there are checkpoints.

use std::fs::File;
use std::io;

use super::ids::{read_bytes_at, write_bytes_at};
use crate::error::Result;
use crate::observe::{Observer, Pacer, Progress};

/// Twice as many bytes are in the file; a table of n-grams may take many times as many.
const MOST_BYTES: u64 = 512 << 20;

/// The last good state, and what else is known of it.
#[derive(Debug)]
pub(crate) struct Kept<Facts> {
    file: Option<File>,
    /// Which of two places in the file holds the state; the other one is written next.
    last: Option<(u64, Facts)>,
}

impl<Facts> Default for Kept<Facts> {
    fn default() -> Self {
        Self { file: None, last: None }
    }
}

impl<Facts> Kept<Facts> {
    /// Keeps floats, which come in some parts of `length` bytes in all, in place of what was kept before; says
    /// whether all are finite. If not, what was kept before stays.
    pub(crate) fn keep(
        &mut self,
        facts: Facts,
        length: u64,
        parts: impl Iterator<Item = impl AsRef<[u8]>>,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        let mut pacer = Pacer::new(observer);
        let place = self.last.as_ref().map_or(0, |(place, _)| 1 - place);
        let (start, mut done) = (place * length, 0);
        let mut written = self.open(length);
        for part in parts {
            pacer.tick(|| Progress::new("keeping the epoch", done, Some(length), "bytes"))?;
            let bytes = part.as_ref();
            let floats = bytes.as_chunks::<4>().0.iter().map(|&float| f32::from_ne_bytes(float));
            if !floats.fold(true, |all, float| all & float.is_finite()) {
                return Ok(false);
            }
            written = written.and_then(|file| {
                write_bytes_at(file, bytes, start + done)?;
                Ok(file)
            });
            done += bytes.len() as u64;
        }
        self.last = written.is_ok().then_some((place, facts));
        Ok(true)
    }

    fn open(&mut self, length: u64) -> io::Result<&File> {
        if length > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile()?);
        }
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Writes what was kept to `bytes`, which are as many, and returns what else is known of it.
    pub(crate) fn restore(self, bytes: &mut [u8]) -> Option<Facts> {
        let (place, facts) = self.last?;
        read_bytes_at(&self.file?, bytes, place * bytes.len() as u64).ok()?;
        Some(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;

    fn bytes(floats: [f32; 2]) -> [u8; 8] {
        let [a, b] = floats.map(f32::to_ne_bytes);
        std::array::from_fn(|at| if at < 4 { a[at] } else { b[at - 4] })
    }

    #[test]
    fn the_last_finite_state_is_kept() {
        let mut kept = Kept::default();
        for (epoch, floats) in
            [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, f32::NAN]].into_iter().enumerate()
        {
            let parts = bytes(floats);
            let finite = kept.keep(epoch, 8, parts.chunks(4), &mut Silent).unwrap();
            assert_eq!(finite, epoch < 3);
        }
        let mut found = [0; 8];
        assert_eq!(kept.restore(&mut found), Some(2));
        assert_eq!(found, bytes([5.0, 6.0]));
        assert_eq!(Kept::<usize>::default().restore(&mut found), None);
    }
}
