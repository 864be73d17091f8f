//! Word vectors by skip-gram with negative sampling (Mikolov et al. 2013, arXiv:1310.4546).
//!
//! In the order in which a run uses them: [`config`] (settings and their ranges), [`words`] (a document
//! cut into words), `counting` and `numbering` (one pass over the corpus), [`vocab`] (which words get a row), `ids` (the
//! corpus as numbers), `reading` (those three together), `shared` (the weights), `schedule` (the learning
//! rate), `windows` (which words predict each other), `method` (what a method of learning is), `negative`
//! (the noise), `skip_gram` (a method), `epochs` (the loop over the corpus, whatever the method), and
//! [`train()`], which puts them together.
//!
//! No module here knows how vectors are searched or stored; training returns a
//! [`WordVectors`](crate::vectors::WordVectors).

pub(crate) mod cbow;
pub(crate) mod checkpoint;
pub mod config;
pub(crate) mod counting;
mod distance;
mod encoded;
pub(crate) mod epochs;
pub(crate) mod ids;
pub(crate) mod kept;
pub(crate) mod loss;
pub(crate) mod method;
pub(crate) mod negative;
mod numbering;
pub(crate) mod pauses;
pub(crate) mod random;
pub(crate) mod reading;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod shared;
pub(crate) mod skip_gram;
mod stretch;
mod tokens;
pub(crate) mod train;
#[cfg(test)]
pub(crate) mod twins;
pub mod vocab;
pub(crate) mod windows;
pub mod words;

pub use checkpoint::Checkpoint;
pub use config::{Architecture, Defaults, LossKind, Word2VecConfig};
pub use counting::CutWords;
pub use reading::Input;
pub use tokens::with_cut;
pub use train::{AfterEpoch, EpochEnd, Extras, Trained, train};
pub use words::WordRule;
