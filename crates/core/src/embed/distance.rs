//! How far apart the processors are that two threads run on.
//!
//! Threads that change the same rows send each other what they changed, a line of the cache at a time. Between
//! processors that share a cache, or sit on one chip, that takes less time than a step; between two sockets, or
//! virtual processors that are placed on two, it takes so much more that two threads get less done than one. A
//! system moves threads while they run, so they look at it again and again: one throws a ball, a number in a
//! line of its own, as soon as the other is ready, and the time it takes to come back is what there is to know.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time from one processor to the other from which on a second thread takes more than it gives.
///
/// Measured: 40 to 75 ns where two threads do 1.6 to 1.9 times the work of one, 180 to 280 where they do 0.7 to
/// 1.1 times as much.
pub(crate) const FAR: Duration = Duration::from_nanos(130);

/// Time from one measurement to the next; each costs less than a thousandth of it.
const INTERVAL: Duration = Duration::from_millis(200);

/// How long the first waits for the other; working threads look every tenth of a millisecond or so.
const WAIT: Duration = Duration::from_millis(1);

/// How long a game may take; one that takes longer was interrupted.
const LONGEST_GAME: Duration = Duration::from_micros(500);

/// Throws of each thread in a set, of which the fastest counts: another one may have been interrupted.
const THROWS: u32 = 16;

/// Sets in a game.
const SETS: u32 = 4;

/// Nobody plays.
const IDLE: u32 = 0;

/// A thread waits for the other; with each throw the number grows by one.
const INVITED: u32 = 1;

/// The first number that the one who invited throws back.
const FIRST: u32 = INVITED + 1;

/// The number of the last throw of a game, to which there is no answer.
const LAST: u32 = FIRST + 2 * (THROWS * SETS - 1);

/// What two threads know of the distance between them.
#[derive(Debug)]
pub(crate) struct Distance {
    ball: Ball,
    /// When the threads began, from which times are counted.
    start: Instant,
    /// When the next measurement is due, in nanoseconds from the start.
    due: AtomicU64,
    /// The time that the ball last took from one to the other, in nanoseconds; zero before that is known.
    way: AtomicU64,
    /// The time from which on it is far.
    limit: u64,
}

/// A number that no other shares lines of the cache with, nor the one that is fetched along with them.
#[derive(Debug)]
#[repr(align(128))]
struct Ball(AtomicU32);

impl Distance {
    /// Of two threads that are about to start; those further apart than `limit` are far from each other.
    pub(crate) fn new(limit: Duration) -> Self {
        let ball = Ball(AtomicU32::new(IDLE));
        let (due, way) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { ball, start: Instant::now(), due, way, limit: limit.as_nanos() as u64 }
    }

    /// Whether the threads were far from each other when they last looked.
    pub(crate) fn is_far(&self) -> bool {
        self.way.load(Ordering::Relaxed) > self.limit
    }

    /// Measures, if that is due and the other thread looks as well; called often by both.
    pub(crate) fn look(&self) {
        if self.ball.0.load(Ordering::Relaxed) == INVITED {
            if self.throw(INVITED) {
                self.set(FIRST + 1..LAST, Instant::now() + LONGEST_GAME);
            }
        } else if self.is_due() && self.change(IDLE, INVITED) {
            if self.wait_for(FIRST, Instant::now() + WAIT)
                && let Some(time) = self.fastest_way()
            {
                self.way.store(time, Ordering::Relaxed);
            }
            let next = (self.start.elapsed() + INTERVAL).as_nanos() as u64;
            self.due.store(next, Ordering::Relaxed);
            self.ball.0.store(IDLE, Ordering::Release);
        }
    }

    fn is_due(&self) -> bool {
        self.start.elapsed().as_nanos() as u64 >= self.due.load(Ordering::Relaxed)
    }

    /// The time that the ball takes from one thread to the other, unless there was no set without interruption.
    fn fastest_way(&self) -> Option<u64> {
        let (mut begin, until) = (Instant::now(), Instant::now() + LONGEST_GAME);
        let mut fastest = None;
        for first in (FIRST..LAST).step_by(2 * THROWS as usize) {
            if !self.set(first..first + 2 * THROWS, until) {
                break;
            }
            let end = Instant::now();
            let time = (end - begin).as_nanos() as u64 / u64::from(2 * THROWS);
            fastest = Some(fastest.unwrap_or(u64::MAX).min(time).max(1));
            begin = end;
        }
        fastest
    }

    /// Throws the balls of these numbers that it gets, every other one; says whether all came in time.
    fn set(&self, numbers: Range<u32>, until: Instant) -> bool {
        numbers.step_by(2).all(|number| self.wait_for(number, until) && self.throw(number))
    }

    fn throw(&self, number: u32) -> bool {
        self.change(number, number + 1)
    }

    fn change(&self, before: u32, after: u32) -> bool {
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        self.ball.0.compare_exchange(before, after, success, failure).is_ok()
    }

    /// Waits until the ball has this number; says whether it had, in time and before the other gave up.
    fn wait_for(&self, number: u32, until: Instant) -> bool {
        /// Looks at the ball between two looks at the clock.
        const LOOKS: u32 = 64;
        loop {
            for _ in 0..LOOKS {
                // Without a pause, which on some processors takes as long as the way of the ball.
                match self.ball.0.load(Ordering::Acquire) {
                    IDLE => return false,
                    ball if ball == number => return true,
                    _ => {}
                }
            }
            if Instant::now() >= until {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Two threads that look until the ball has come and gone.
    fn measured(limit: Duration) -> Distance {
        let distance = Distance::new(limit);
        let looks = || {
            while distance.way.load(Ordering::Relaxed) == 0 {
                distance.look();
                // Where there is but one processor, or others take it, the game is tried again and again.
                thread::yield_now();
                distance.due.store(0, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            scope.spawn(looks);
            looks();
        });
        distance
    }

    #[test]
    fn two_threads_learn_how_far_apart_they_are() {
        assert!(measured(Duration::ZERO).is_far());
        assert!(!measured(Duration::from_secs(1)).is_far());
    }

    #[test]
    fn a_thread_that_nobody_answers_goes_on() {
        let distance = Distance::new(Duration::ZERO);
        distance.look();
        assert!(!distance.is_far() && !distance.is_due());
        assert!(distance.change(IDLE, INVITED), "another game can start");
    }

    #[test]
    fn a_thread_whose_game_is_broken_off_goes_on() {
        let distance = Distance::new(Duration::ZERO);
        assert!(distance.change(IDLE, INVITED));
        distance.look();
        assert_eq!(distance.ball.0.load(Ordering::Relaxed), FIRST, "it has answered, and waited");
        assert!(!distance.is_far());
    }
}
