//! The numbers of a matrix: in memory, or in a file that the system reads when they are needed.
#![allow(unsafe_code, reason = "mapping a file, and reading its bytes as floats")]

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut};

use crate::error::{Error, Result};

/// A file as bytes.
pub(crate) fn map(path: &Path) -> Result<Mmap> {
    let fail = |source| Error::io(path, source);
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        let source =
            std::io::Error::new(std::io::ErrorKind::IsADirectory, "is a directory, not a file");
        return Err(fail(source));
    }
    // SAFETY: the bytes are plain data, so that a change of the file by another program can make numbers
    // wrong but nothing else. This project itself replaces files and never changes them; a file that is
    // cut short while it is mapped makes the system stop the program, as for every mapped file.
    unsafe { Mmap::map(&file) }.map_err(fail)
}

/// Memory for floats whose bytes come one part after the other.
///
/// A large matrix takes longer to get from the system in small pages than to fill.
pub(super) struct Memory {
    pages: Option<MmapMut>,
    filled: usize,
}

impl Memory {
    /// Room for so many bytes, which take up memory only when they are filled.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let pages = (bytes > 0).then(|| MmapMut::map_anon(bytes)).transpose()?;
        #[cfg(target_os = "linux")]
        if let Some(pages) = &pages {
            // Refused where large pages are switched off; the small ones do as well.
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        Ok(Self { pages, filled: 0 })
    }

    /// Appends bytes, which must fit.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(pages) = &mut self.pages {
            pages[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
            self.filled += bytes.len();
        }
    }

    /// The first bytes as floats.
    pub(super) fn finish(self, bytes: usize) -> io::Result<Matrix> {
        match self.pages {
            Some(pages) => Ok(Matrix::from_file(Arc::new(pages.make_read_only()?), 0..bytes)),
            None => Ok(Matrix::Owned(Vec::new())),
        }
    }
}

/// A number that any bytes of its size are.
pub(super) trait Plain: Copy + private::Sealed {
    /// From its little-endian bytes, as many as it has.
    fn read(bytes: &[u8]) -> Self;
    /// Appends its little-endian bytes.
    fn write(self, bytes: &mut Vec<u8>);
}

mod private {
    pub(in super::super) trait Sealed {}
}

macro_rules! plain {
    ($($number:ty),*) => {
        $(
            impl private::Sealed for $number {}

            impl Plain for $number {
                fn read(bytes: &[u8]) -> Self {
                    let mut number = [0; size_of::<Self>()];
                    number.copy_from_slice(bytes);
                    Self::from_le_bytes(number)
                }

                fn write(self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }
            }
        )*
    };
}

plain!(f32, u16, u8, i8);

/// Numbers one after the other.
#[derive(Clone, Debug)]
pub(super) enum Store<T> {
    /// In memory.
    Owned(Vec<T>),
    /// In a mapped file; the range is aligned for the numbers and inside the file.
    Mapped(Arc<Mmap>, Range<usize>),
}

/// Floats, in row order.
pub(super) type Matrix = Store<f32>;

impl<T: Plain> Store<T> {
    /// The numbers in this range of a file: mapped where the processor can read them in place.
    pub(super) fn from_file(file: Arc<Mmap>, range: Range<usize>) -> Self {
        let bytes = &file[range.clone()];
        let aligned = bytes.as_ptr().align_offset(align_of::<T>()) == 0;
        if cfg!(target_endian = "little") && aligned && bytes.len().is_multiple_of(size_of::<T>()) {
            return Self::Mapped(file, range);
        }
        Self::from_bytes(bytes)
    }

    /// A copy of numbers that lie in memory as in a file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self::Owned(bytes.chunks_exact(size_of::<T>()).map(T::read).collect())
    }

    /// The numbers as little-endian bytes, without a copy where they lie so in memory.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Mapped(file, range) => Cow::Borrowed(&file[range.clone()]),
            Self::Owned(numbers) if cfg!(target_endian = "little") => {
                // SAFETY: a number of these types has no byte that is not set, and the slice covers exactly
                // those of the vector.
                Cow::Borrowed(unsafe {
                    std::slice::from_raw_parts(
                        numbers.as_ptr().cast(),
                        size_of_val(numbers.as_slice()),
                    )
                })
            }
            Self::Owned(numbers) => {
                let mut bytes = Vec::with_capacity(size_of_val(numbers.as_slice()));
                for &number in numbers {
                    number.write(&mut bytes);
                }
                Cow::Owned(bytes)
            }
        }
    }

    /// The numbers.
    pub(super) fn numbers(&self) -> &[T] {
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(file, range) => {
                let bytes = &file[range.clone()];
                #[allow(clippy::cast_ptr_alignment, reason = "checked by `from_file`")]
                let start = bytes.as_ptr().cast();
                // SAFETY: `from_file` checked alignment and length, and any bytes are a number.
                unsafe { std::slice::from_raw_parts(start, bytes.len() / size_of::<T>()) }
            }
        }
    }
}
