//! Files of other programs and our own.

pub mod byte_alphabet;
