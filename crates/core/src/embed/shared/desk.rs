//! Where a thread works: its way to both matrices, and the steps that it makes on their rows.

use super::SharedMatrix;
use super::view::{self, View};
use crate::embed::method::Tally;
use crate::error::Result;
use crate::simd::{BLOCK, Kernels, Line, Losses, Pattern, Tile, prefetch};

/// The place of one thread.
#[derive(Debug)]
pub(crate) struct Desk<'m> {
    input: View<'m>,
    output: View<'m>,
    kernels: Kernels,
    /// Floats of a row that are worked on.
    used: usize,
    inputs: Vec<*mut f32>,
    targets: Vec<*mut f32>,
    /// The mean of rows that a step is made on.
    mean: Vec<Line>,
    gradients: Vec<f32>,
    scratch: Vec<f32>,
    /// The losses of the steps since the last [`Desk::take_tally`], and how many words they predicted.
    losses: Losses,
    predictions: u64,
}

// SAFETY: the pointers are made anew at the start of each step and never read after its end.
unsafe impl Send for Desk<'_> {}
// SAFETY: with a shared reference nobody can make or read the pointers of a desk.
unsafe impl Sync for Desk<'_> {}

impl<'m> Desk<'m> {
    /// A desk that works on the rows of two matrices of one width, or on copies of them.
    pub(crate) fn new(
        input: &'m SharedMatrix,
        output: &'m SharedMatrix,
        copies: bool,
    ) -> Result<Self> {
        assert_eq!(input.size, output.size, "rows of one size");
        let kernels = Kernels::best();
        Ok(Self {
            input: View::new(input, copies)?,
            output: View::new(output, copies)?,
            kernels,
            used: kernels.width_of(input.size),
            inputs: Vec::new(),
            targets: Vec::new(),
            mean: vec![Line([0.0; BLOCK]); input.width / BLOCK],
            gradients: Vec::new(),
            scratch: Vec::new(),
            losses: Losses::default(),
            predictions: 0,
        })
    }

    /// Takes note of words that were predicted by steps.
    pub(crate) fn count(&mut self, predictions: u64) {
        self.predictions += predictions;
    }

    /// What steps lost since the last call.
    pub(crate) fn take_tally(&mut self) -> Tally {
        let loss = std::mem::take(&mut self.losses).total();
        Tally { loss, predictions: std::mem::take(&mut self.predictions) }
    }

    /// Asks for an input row that will be needed soon.
    pub(crate) fn prefetch_input(&self, row: u32) {
        prefetch(self.input.matrix.row(row), self.input.matrix.width);
    }

    /// Asks for output rows that will be needed soon.
    pub(crate) fn prefetch_targets(&self, rows: &[u32]) {
        for &row in rows {
            prefetch(self.output.matrix.row(row), self.output.matrix.width);
        }
    }

    /// One step of gradient descent on all pairs of an input and a target row, each listed once.
    ///
    /// Products, gradients and both sides of the update are computed from the rows as they were before.
    pub(crate) fn descend(&mut self, inputs: &[u32], targets: &[u32], pattern: &Pattern<'_>) {
        self.input.point(inputs, &mut self.inputs);
        self.step(targets, pattern);
    }

    /// One step of gradient descent on the mean of input rows and each target row; the input rows move as the mean
    /// does, each as often as it is listed.
    pub(crate) fn descend_mean(&mut self, inputs: &[u32], targets: &[u32], pattern: &Pattern<'_>) {
        self.input.point(inputs, &mut self.inputs);
        self.output.point(targets, &mut self.targets);
        let (stride, width) = (Tile::stride_for(targets.len()), self.used);
        let Self { gradients, mean, .. } = self;
        if gradients.len() < stride {
            gradients.resize(stride, 0.0);
        }
        let mean = [mean.as_mut_ptr().cast()];
        let tile = Tile { inputs: &mean, targets: &self.targets, width, stride };
        // SAFETY: as in `step`; the lines of the mean hold one row.
        self.losses += unsafe {
            self.kernels.descend_mean(&self.inputs, tile, pattern, &mut gradients[..stride])
        };
    }

    /// Floats in a row, padding included.
    pub(super) fn width(&self) -> usize {
        self.input.matrix.width
    }

    /// Writes `factor` times the sum of input rows, each as often as it is listed, to the lines of one row.
    pub(super) fn gather_into(&mut self, inputs: &[u32], factor: f32, sum: &mut [Line]) {
        assert_eq!(sum.len() * BLOCK, self.width(), "the lines of one row");
        self.input.point(inputs, &mut self.inputs);
        // SAFETY: the rows are of a matrix of this width, which lives as long as `self`; the lines hold one row,
        // by the assertion, and are borrowed mutably.
        unsafe { self.kernels.gather(&self.inputs, factor, self.used, sum.as_mut_ptr().cast()) };
    }

    /// Adds the lines of one row to input rows, as often as each is listed.
    pub(super) fn scatter_from(&mut self, change: &[Line], inputs: &[u32]) {
        assert_eq!(change.len() * BLOCK, self.width(), "the lines of one row");
        self.input.point(inputs, &mut self.inputs);
        // SAFETY: as in `gather_into`; no reference to a row exists.
        unsafe { self.kernels.scatter(change.as_ptr().cast(), self.used, &self.inputs) };
    }

    /// One step of gradient descent on all pairs of a slot of `slots` and a target row.
    ///
    /// Each slot holds `lines` lines. A slot and a target row are listed once.
    pub(super) fn descend_on(
        &mut self,
        slots: &mut [Line],
        lines: usize,
        inputs: &[usize],
        targets: &[u32],
        pattern: &Pattern<'_>,
    ) {
        assert_eq!(lines * BLOCK, self.width(), "the lines of one row");
        self.inputs.clear();
        for (number, &slot) in inputs.iter().enumerate() {
            assert!(!inputs[..number].contains(&slot), "each slot once");
            self.inputs.push(slots[slot * lines..(slot + 1) * lines].as_mut_ptr().cast());
        }
        self.step(targets, pattern);
    }

    fn step(&mut self, targets: &[u32], pattern: &Pattern<'_>) {
        let Self { inputs, gradients, scratch, .. } = self;
        self.output.point(targets, &mut self.targets);
        let stride = Tile::stride_for(targets.len());
        let room = inputs.len() * stride;
        // Gradients of an earlier step are finite, or its loss was not, so they may stay.
        if gradients.len() < room {
            gradients.resize(room, 0.0);
        }
        let tile = Tile { inputs, targets: &self.targets, width: self.used, stride };
        // SAFETY: the pointers were just made from rows of matrices of at least this width, or from lines of this
        // desk, which live as long as `self`; rows of different numbers and of the two matrices do not
        // overlap, and no reference to one exists.
        self.losses +=
            unsafe { self.kernels.descend(tile, pattern, &mut gradients[..room], scratch) };
    }

    /// Ends the thread's part of a round: what it learned on copies becomes changes.
    pub(crate) fn subtract(&mut self) {
        self.input.subtract();
        self.output.subtract();
    }

    /// Adds the changes of all desks, in order, to one of `shares` shares of the rows of both matrices.
    pub(crate) fn add_changes(desks: &[&Self], share: u32, shares: u32) {
        view::add_changes(desks.iter().map(|desk| &desk.input), share, shares);
        view::add_changes(desks.iter().map(|desk| &desk.output), share, shares);
    }

    /// Starts a new round.
    pub(crate) fn forget(&mut self) {
        self.input.forget();
        self.output.forget();
    }
}
