//! File formats that are not this project's own.

pub mod safetensors;
