//! The files that tokenizers are kept in.

pub mod byte_alphabet;
mod hugging_face;
pub mod tokenizer_json;
mod tokenizer_parts;
