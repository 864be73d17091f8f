//! How a text became its tokens, step by step.

use super::characters::Characters;
use super::engine::Look;
use super::special::SpecialPolicy;
use super::{Model, Tokenizer};
use crate::error::Result;

/// One piece of a text and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedPiece {
    /// The text of the piece.
    pub text: String,
    /// Where it begins, in characters of the whole text.
    pub start: usize,
    /// What it started as; empty if no merges are involved.
    pub symbols: Vec<u32>,
    /// The merges that were applied.
    pub steps: Vec<Step>,
    /// What it became.
    pub ids: Vec<u32>,
}

/// One merge, applied everywhere in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rank of the merge, from 0.
    pub rank: u32,
    /// The piece after it.
    pub symbols: Vec<u32>,
}

impl Tokenizer {
    /// The pieces of a text with every merge that was applied to them.
    pub fn explain(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<ExplainedPiece>> {
        let mut pieces = Vec::new();
        let characters = Characters::new(text);
        let mut ids = Vec::new();
        self.with_worker(|worker| {
            self.encode_events(text, policy, worker, &mut ids, look, |event| {
                let piece = event.piece();
                pieces.push(ExplainedPiece {
                    text: piece.to_owned(),
                    start: characters.span(event.span(0..piece.len())).0,
                    symbols: Vec::new(),
                    steps: Vec::new(),
                    ids: event.ids.to_vec(),
                });
            })
        })?;
        let Model::Bpe(model) = &self.model else { return Ok(pieces) };
        for piece in &mut pieces {
            look()?;
            // The name of a special token is no piece; nor is anything in it known to fail.
            let mut symbols = Vec::new();
            if self.is_special(&piece.ids) || model.symbols(&piece.text, &mut symbols).is_err() {
                continue;
            }
            piece.symbols.clone_from(&symbols);
            let steps = model.steps(symbols).into_iter();
            piece.steps = steps.map(|(rank, symbols)| Step { rank, symbols }).collect();
            // A piece that was taken whole need not be what merges make of it.
            if piece.steps.last().map_or(&piece.symbols, |step| &step.symbols) != &piece.ids {
                piece.symbols.clone_from(&piece.ids);
                piece.steps.clear();
            }
        }
        Ok(pieces)
    }
}
