//! Files: ours and other programs', one module a format.

pub mod byte_alphabet;
mod decimal;
mod hugging_face;
pub mod safetensors;
pub mod tokenizer_json;
mod tokenizer_parts;
pub(crate) mod vector_binary;
pub(crate) mod vector_kind;
pub(crate) mod vector_rows;
pub(crate) mod vector_text;
