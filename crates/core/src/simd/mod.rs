//! The few loops that are written for the processor.
//!
//! Each has a scalar twin that does the same, and is chosen when the program runs, so that one build is fast
//! everywhere. Besides the shared weight matrix this is the only place with `unsafe` code.
#![allow(unsafe_code, reason = "processor intrinsics; every block says why it is sound")]

pub(crate) mod classify;
