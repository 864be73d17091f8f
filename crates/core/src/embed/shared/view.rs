//! A thread's way to the rows of a matrix: the rows themselves, or copies of its own.
//!
//! Copies make a result that does not depend on when threads run: each thread learns from rows as they were at
//! the start of a round, and at its end the changes of all are added in a fixed order.

use rustc_hash::FxHashMap;

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
    /// The row of each copy, and how often it was asked for.
    taken: Vec<(u32, u32)>,
}

/// How often a thread must learn from a row for its changes to count about half of what they would alone.
const SETTLING: f32 = 128.0;

impl<'m> View<'m> {
    pub(super) fn new(matrix: &'m SharedMatrix, copies: bool) -> Result<Self> {
        let copies = if copies {
            let rows = SharedMatrix::new(matrix.rows, matrix.size)?;
            Some(Copies { rows, places: vec![NO_COPY; matrix.rows], taken: Vec::new() })
        } else {
            None
        };
        Ok(Self { matrix, copies })
    }

    /// Where the thread finds a row.
    #[inline]
    pub(super) fn row(&mut self, row: u32) -> *mut f32 {
        match &mut self.copies {
            None => self.matrix.row(row),
            Some(copies) => copies.row(row, self.matrix),
        }
    }

    /// Puts where the thread finds rows into `places`, in place of what is there.
    ///
    /// One by one: to extend a vector takes calls, which for a few rows take as long as the work.
    #[inline]
    pub(super) fn point(&mut self, rows: &[u32], places: &mut Vec<*mut f32>) {
        places.clear();
        for &row in rows {
            places.push(self.row(row));
        }
    }

    /// Turns the copies into the changes that were made to them.
    pub(super) fn subtract(&mut self) {
        let Some(copies) = &self.copies else { return };
        for (place, &(row, _)) in (0..).zip(&copies.taken) {
            // SAFETY: as in `Copies::row`.
            unsafe { add(self.matrix.row(row), -1.0, copies.rows.row(place), self.matrix.width) };
        }
    }

    /// Starts a new round.
    pub(super) fn forget(&mut self) {
        if let Some(copies) = &mut self.copies {
            for (row, _) in copies.taken.drain(..) {
                copies.places[row as usize] = NO_COPY;
            }
        }
    }
}

impl Copies {
    /// The copy of a row of `matrix`, made if there is none.
    fn row(&mut self, row: u32, matrix: &SharedMatrix) -> *mut f32 {
        let place = self.places[row as usize];
        if place != NO_COPY {
            self.taken[place as usize].1 += 1;
            return self.rows.row(place);
        }
        let place = self.taken.len() as u32;
        self.places[row as usize] = place;
        self.taken.push((row, 1));
        let (from, to) = (matrix.row(row), self.rows.row(place));
        // SAFETY: both are rows of matrices of one width, and apart; nobody writes the matrix while threads
        // work on copies.
        unsafe { to.copy_from_nonoverlapping(from, matrix.width) };
        to
    }
}

/// Adds the changes of all threads, in order, to those rows whose number leaves `share` when divided by `shares`.
///
/// Changes of rows that a round hardly touched add up, as if one thread had made them after the other. A row
/// that was learned from many times has gone in each thread to where it wants to be, and there the mean of the
/// changes is right; their sum would overshoot.
///
/// Only one thread may do so for a share at a time, and none may work on rows meanwhile.
pub(super) fn add_changes<'v, 'm: 'v>(
    views: impl Iterator<Item = &'v View<'m>> + Clone,
    share: u32,
    shares: u32,
) {
    // The threads that changed a row, and how often they learned from it in all.
    let mut touched: FxHashMap<u32, (f32, f32)> = FxHashMap::default();
    let copies = views.clone().filter_map(|view| view.copies.as_ref());
    for &(row, times) in copies.flat_map(|copies| &copies.taken) {
        if row % shares == share {
            let (threads, total) = touched.entry(row).or_default();
            *threads += 1.0;
            *total += times as f32;
        }
    }
    for view in views {
        let Some(copies) = &view.copies else { continue };
        for (place, &(row, _)) in (0..).zip(&copies.taken) {
            if let Some((threads, total)) = touched.get(&row) {
                let settled = total / threads / SETTLING;
                let factor = (1.0 + settled) / (1.0 + threads * settled);
                let (from, to) = (copies.rows.row(place), view.matrix.row(row));
                // SAFETY: as in `View::row`; the share belongs to this thread.
                unsafe { add(from, factor, to, view.matrix.width) };
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
