//! What happens to a text before and after the model.

use super::Tokenizer;
use super::added::{AddedFinder, AddedToken};
use super::decoders::Decoder;
use super::post_processor::{PostProcessor, Slot, plain_layout};
use crate::normalize::Normalizer;
use crate::split::pre_tokenizer::PreTokenizer;

/// The stages around the model. A tokenizer that was trained here has an empty one unless something was
/// asked for: its settings say how text is cut and how tokens are joined again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Tokens that are found before a text is cut. If empty, they are the special tokens of the settings.
    pub added: Vec<AddedToken>,
    /// Changes the text.
    pub normalizer: Option<Normalizer>,
    /// Cuts the text; the settings hold the same rule if it changes nothing.
    pub pre_tokenizer: Option<PreTokenizer>,
    /// Puts special tokens around ids.
    pub post_processor: Option<PostProcessor>,
    /// Joins tokens to a text.
    pub decoder: Option<Decoder>,
    /// How many ids a text may have, if the file says so. It is kept, and not done unless it is asked for.
    pub truncation: Option<Truncation>,
    /// To which length texts are filled up, if the file says so. It is kept, and not done unless asked for.
    pub padding: Option<Padding>,
    /// Whether the file of another program said all this.
    pub foreign: bool,
}

/// A limit of the number of ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The most ids, with the special tokens around them.
    pub max_length: usize,
    /// As the format writes it: which of two texts is cut.
    pub strategy: String,
    /// How many ids the next part repeats.
    pub stride: usize,
    /// As the format writes it: `Left` or `Right`.
    pub direction: String,
}

/// A length to fill up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The length; that of the longest text if it is not said.
    pub length: Option<usize>,
    /// As the format writes it: `Left` or `Right`.
    pub direction: String,
    /// The length becomes a multiple of it.
    pub multiple_of: Option<usize>,
    /// What is filled in.
    pub pad_id: u32,
    /// Its kind of segment.
    pub pad_type_id: u32,
    /// Its name.
    pub pad_token: String,
}

/// What encoding needs beside the model where text is changed, or tokens are looked for by rules.
#[derive(Debug)]
pub(super) struct General {
    pub(super) raw: AddedFinder,
    pub(super) normalized: AddedFinder,
}

impl General {
    /// `None` where a text is only searched for special tokens and cut.
    pub(super) fn new(pipeline: &Pipeline) -> Option<Box<Self>> {
        let Pipeline { added, normalizer, pre_tokenizer, .. } = pipeline;
        let is_plain = |token: &AddedToken| {
            token.special && !(token.single_word || token.lstrip || token.rstrip)
        };
        let changes = pre_tokenizer.as_ref().is_some_and(PreTokenizer::changes_text);
        if normalizer.is_none() && !changes && added.iter().all(is_plain) {
            return None;
        }
        let finder = |normalized| AddedFinder::new(added, normalized, normalizer.as_ref());
        Some(Box::new(Self { raw: finder(false), normalized: finder(true) }))
    }
}

impl Tokenizer {
    /// The stages around the model.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The parts of what a model is given for one text, or for a pair of texts.
    pub fn layout(&self, is_pair: bool) -> Vec<Slot> {
        let layout = self.pipeline.post_processor.as_ref();
        layout.and_then(|step| step.layout(is_pair)).unwrap_or_else(|| plain_layout(is_pair))
    }
}
