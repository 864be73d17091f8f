//! Files: ours and other programs', one module a format.

pub mod byte_alphabet;
mod hugging_face;
pub mod safetensors;
pub mod tokenizer_json;
mod tokenizer_parts;
mod tokenizer_read;
