//! A thread's way to the rows of a matrix: the rows themselves, or copies of its own.
//!
//! Copies make a result that does not depend on when threads run: each thread learns from rows as they were at
//! the start of a round, and at its end the changes of all are added in a fixed order.

use super::SharedMatrix;
use crate::error::Result;

/// Stands for a row without a copy.
const NO_COPY: u32 = u32::MAX;

/// Where a thread finds rows.
#[derive(Debug)]
pub(super) struct View<'m> {
    pub(super) matrix: &'m SharedMatrix,
    copies: Option<Copies>,
}

/// Copies of the rows that were asked for.
#[derive(Debug)]
struct Copies {
    rows: SharedMatrix,
    /// The copy of each row of the matrix, or [`NO_COPY`].
    places: Vec<u32>,
    /// The row of each copy.
    taken: Vec<u32>,
}

impl<'m> View<'m> {
    pub(super) fn new(matrix: &'m SharedMatrix, copies: bool) -> Result<Self> {
        let copies = if copies {
            let rows = SharedMatrix::new(matrix.rows, matrix.width)?;
            Some(Copies { rows, places: vec![NO_COPY; matrix.rows], taken: Vec::new() })
        } else {
            None
        };
        Ok(Self { matrix, copies })
    }

    /// Where the thread finds a row.
    pub(super) fn row(&mut self, row: u32) -> *mut f32 {
        let Some(copies) = &mut self.copies else {
            return self.matrix.row(row);
        };
        let place = copies.places[row as usize];
        if place != NO_COPY {
            return copies.rows.row(place);
        }
        let place = copies.taken.len() as u32;
        copies.places[row as usize] = place;
        copies.taken.push(row);
        let (from, to) = (self.matrix.row(row), copies.rows.row(place));
        // SAFETY: both are rows of matrices of one width, and apart; nobody writes the matrix while threads
        // work on copies.
        unsafe { to.copy_from_nonoverlapping(from, self.matrix.width) };
        to
    }

    /// Turns the copies into the changes that were made to them.
    pub(super) fn subtract(&mut self) {
        let Some(copies) = &self.copies else { return };
        for (place, &row) in (0..).zip(&copies.taken) {
            // SAFETY: as in `row`.
            unsafe { add(self.matrix.row(row), -1.0, copies.rows.row(place), self.matrix.width) };
        }
    }

    /// Adds the changes to those rows of the matrix whose number leaves `share` when divided by `shares`.
    ///
    /// Only one thread may do so for a share at a time, and none may work on rows meanwhile.
    pub(super) fn add_changes(&self, share: u32, shares: u32) {
        let Some(copies) = &self.copies else { return };
        for (place, &row) in (0..).zip(&copies.taken) {
            if row % shares == share {
                let (from, to) = (copies.rows.row(place), self.matrix.row(row));
                // SAFETY: as in `row`; the share belongs to this thread.
                unsafe { add(from, 1.0, to, self.matrix.width) };
            }
        }
    }

    /// Starts a new round.
    pub(super) fn forget(&mut self) {
        if let Some(copies) = &mut self.copies {
            for row in copies.taken.drain(..) {
                copies.places[row as usize] = NO_COPY;
            }
        }
    }
}

/// Adds a row times `factor` to another.
///
/// # Safety
///
/// Both are valid for `width` floats and do not overlap.
unsafe fn add(from: *const f32, factor: f32, to: *mut f32, width: usize) {
    for at in 0..width {
        // SAFETY: by the caller's promise.
        unsafe { *to.add(at) += factor * *from.add(at) };
    }
}
