//! Files: ours and other programs', one module a format.

mod base64;
pub(crate) mod binary;
pub mod byte_alphabet;
pub mod count_file;
mod decimal;
pub(crate) mod fasttext_bin;
pub(crate) mod finalfusion;
mod hugging_face;
pub mod precompiled;
mod protobuf;
pub mod safetensors;
pub mod sentencepiece;
pub mod split_spec;
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
