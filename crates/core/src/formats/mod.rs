//! Files: ours and other programs', one module a format.

mod base64;
pub mod byte_alphabet;
mod decimal;
mod hugging_face;
pub mod safetensors;
mod stages;
pub mod tiktoken;
mod tokenizer_foreign;
pub mod tokenizer_json;
mod tokenizer_parts;
mod tokenizer_read;
pub(crate) mod vector_binary;
pub(crate) mod vector_kind;
pub(crate) mod vector_rows;
pub(crate) mod vector_text;
