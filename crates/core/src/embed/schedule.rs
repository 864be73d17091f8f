//! The learning rate: falls in a straight line with the words that were processed.

/// A learning rate for each point of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    start: f64,
    floor: f64,
    total: f64,
}

impl Schedule {
    /// From `start` towards 0 over `total` words, never below `floor`.
    pub(crate) fn new(start: f64, floor: f64, total: u64) -> Self {
        Self { start, floor, total: total.max(1) as f64 }
    }

    /// The rate at the start.
    pub(crate) fn start(&self) -> f64 {
        self.start
    }

    /// The rate after `done` words.
    pub(crate) fn at(&self, done: u64) -> f64 {
        (self.start * (1.0 - done as f64 / self.total)).max(self.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_to_the_floor_or_stays() {
        let falling = Schedule::new(0.5, 0.1, 100);
        for (done, rate) in [(0, 0.5), (50, 0.25), (100, 0.1), (200, 0.1)] {
            assert!((falling.at(done) - rate).abs() < 1e-12, "{done}");
        }
        let constant = Schedule::new(0.5, 0.5, 100);
        assert!((constant.at(99) - 0.5).abs() < 1e-12);
    }
}
