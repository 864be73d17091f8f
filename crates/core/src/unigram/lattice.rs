//! All ways to cut a text.
