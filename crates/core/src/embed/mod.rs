//! Word vectors by skip-gram with negative sampling (Mikolov et al. 2013, arXiv:1310.4546).
//!
//! In the order in which a run uses them: [`config`] (settings and their ranges), [`words`] (a document
//! cut into words), `counting` (one pass over the corpus), [`vocab`] (which words get a row), `ids` (the
//! corpus as numbers), `schedule` (the learning rate), `windows` (which words predict each other),
//! `negative` (the noise), `update` (the one step that learns), `shared` (the weights), and
//! [`train()`], which puts them together.
//!
//! No module here knows how vectors are searched or stored; training returns a
//! [`WordVectors`](crate::vectors::WordVectors).

pub mod config;
pub(crate) mod counting;
pub(crate) mod ids;
mod negative;
pub(crate) mod random;
mod schedule;
mod shared;
mod train;
mod update;
pub mod vocab;
mod windows;
pub mod words;

pub use config::{Defaults, Word2VecConfig};
pub use train::{Trained, train};
pub use words::WordRule;
