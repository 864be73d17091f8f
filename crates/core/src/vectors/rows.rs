//! The numbers of vectors, row after row: as floats, or with fewer bits.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::mapped::Matrix;
use super::packed::Packed;
use crate::formats::safetensors::Kind;
use crate::simd::prefetch;

/// Rows of `size` numbers.
#[derive(Debug)]
pub(super) struct Rows {
    numbers: Numbers,
    count: usize,
    size: usize,
    /// All of them as floats, where somebody asked for that.
    floats: OnceLock<Vec<f32>>,
}

#[derive(Debug)]
enum Numbers {
    Floats(Matrix),
    Packed(Packed),
}

/// Name, type, shape and bytes of a tensor.
pub(super) type Owned<'a> = (String, Kind, Vec<usize>, Cow<'a, [u8]>);

impl Rows {
    /// Rows of floats.
    pub(super) fn of_floats(matrix: Matrix, size: usize) -> Self {
        let count = matrix.numbers().len() / size.max(1);
        Self { numbers: Numbers::Floats(matrix), count, size, floats: OnceLock::new() }
    }

    /// Rows with fewer bits, or what does not fit together.
    pub(super) fn of_packed(packed: Packed, count: usize, size: usize) -> Result<Self, String> {
        packed.check(count, size)?;
        Ok(Self { numbers: Numbers::Packed(packed), count, size, floats: OnceLock::new() })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// How many numbers each has.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How they are stored, if with fewer bits.
    pub(super) fn packed(&self) -> Option<&Packed> {
        match &self.numbers {
            Numbers::Floats(_) => None,
            Numbers::Packed(packed) => Some(packed),
        }
    }

    /// All numbers as floats; those with fewer bits are written out once, and stay.
    pub(super) fn all(&self) -> &[f32] {
        match &self.numbers {
            Numbers::Floats(matrix) => matrix.numbers(),
            Numbers::Packed(packed) => self.floats.get_or_init(|| {
                let mut floats = vec![0.0; self.count * self.size];
                packed.decode(0..self.count, self.size, &mut floats);
                floats
            }),
        }
    }

    /// All numbers as floats, if they are in memory so.
    fn ready(&self) -> Option<&[f32]> {
        match &self.numbers {
            Numbers::Floats(matrix) => Some(matrix.numbers()),
            Numbers::Packed(_) => self.floats.get().map(Vec::as_slice),
        }
    }

    /// Where in a file the floats lie, if these are floats of this file.
    pub(super) fn range_in(&self, file: &[u8]) -> Option<Range<usize>> {
        let Numbers::Floats(Matrix::Mapped(mapped, range)) = &self.numbers else { return None };
        std::ptr::eq(mapped.as_ref().as_ref(), file).then(|| range.clone())
    }

    #[cfg(test)]
    pub(super) fn is_mapped(&self) -> bool {
        matches!(self.numbers, Numbers::Floats(Matrix::Mapped(..)))
    }

    /// One row.
    pub(super) fn row(&self, row: usize) -> Cow<'_, [f32]> {
        match self.ready() {
            Some(floats) => Cow::Borrowed(&floats[row * self.size..(row + 1) * self.size]),
            None => Cow::Owned(self.reader().row(row).to_vec()),
        }
    }

    /// For reading many rows.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { rows: self, ready: self.ready(), room: Vec::new() }
    }

    /// The tensors of a file; their names begin with `prefix`.
    pub(super) fn tensors(&self, prefix: &str) -> Vec<Owned<'_>> {
        match &self.numbers {
            Numbers::Floats(matrix) => {
                let name = format!("{prefix}vectors");
                vec![(name, Kind::F32, vec![self.count, self.size], matrix.bytes())]
            }
            Numbers::Packed(packed) => packed.tensors(prefix, self.count, self.size),
        }
    }
}

/// Reads rows as floats, with room for those that are not.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rows: &'a Rows,
    ready: Option<&'a [f32]>,
    room: Vec<f32>,
}

impl Reader<'_> {
    /// One row.
    pub(super) fn row(&mut self, row: usize) -> &[f32] {
        self.range(row..row + 1)
    }

    /// Asks the processor for a row that is read soon; its own guesses end with a page.
    pub(super) fn fetch(&self, row: usize) {
        if let Some(numbers) = self.ready.and_then(|floats| floats.get(row * self.rows.size..)) {
            prefetch(numbers.as_ptr(), numbers.len().min(self.rows.size));
        }
    }

    /// Rows that lie together.
    pub(super) fn range(&mut self, range: Range<usize>) -> &[f32] {
        let size = self.rows.size;
        if let Some(floats) = self.ready {
            return &floats[range.start * size..range.end * size];
        }
        let numbers = range.len() * size;
        self.room.resize(self.room.len().max(numbers), 0.0);
        if let Numbers::Packed(packed) = &self.rows.numbers {
            packed.decode(range, size, &mut self.room[..numbers]);
        }
        &self.room[..numbers]
    }
}
