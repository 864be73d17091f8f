//! Merges for vocabularies that only give the order of their tokens.
//!
//! Such a vocabulary says: of all neighbors that form a token, join those whose token has the lowest id.
//! Where the merges of the tokens with lower ids leave each token in two parts, only that pair ever forms
//! it: when its id becomes the lowest that is left, everything inside it was merged as if it stood alone.
//! So one merge a token gives the same ids. Where some token is left in more parts, this does not hold, and
//! each way to form a token of two others becomes a merge.

use rustc_hash::FxHashSet;

use super::Pair;
use super::encode::{Alphabet, BpeModel, Merge, MergeOrder, Scratch};
use crate::error::Result;
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};

/// Tokens between two looks at the wish to stop.
const TOKENS_PER_LOOK: usize = 1 << 12;

/// The model of a vocabulary in which lower ids are merged first.
///
/// The inner error is a byte that no token stands for.
pub fn model(
    vocabulary: &Vocabulary,
    look: &mut dyn FnMut() -> Result<()>,
) -> Result<Result<BpeModel, u8>> {
    let mut alphabet = Box::new([0; 256]);
    for byte in 0..=255_u8 {
        match vocabulary.find(&[byte], TokenKind::Ordinary) {
            Some(id) => alphabet[byte as usize] = id,
            None => return Ok(Err(byte)),
        }
    }
    let alphabet = Alphabet::Bytes(alphabet);
    match one_merge_each(vocabulary, alphabet.clone(), look)? {
        Some(model) => Ok(Ok(model)),
        None => Ok(Ok(all_merges(vocabulary, alphabet, look)?)),
    }
}

fn tokens(vocabulary: &Vocabulary) -> impl Iterator<Item = (u32, &[u8])> {
    let ordinary = vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary);
    ordinary.map(|id| (id, vocabulary.bytes(id))).filter(|(_, bytes)| bytes.len() > 1)
}

/// `None` if a token is not left in two parts by the merges of lower ids.
fn one_merge_each(
    vocabulary: &Vocabulary,
    alphabet: Alphabet,
    look: &mut dyn FnMut() -> Result<()>,
) -> Result<Option<BpeModel>> {
    let mut model = BpeModel::new(alphabet, Vec::new(), None, None, MergeOrder::LowestToken);
    model.reserve(vocabulary.len());
    let mut scratch = Scratch::default();
    for (number, (token, bytes)) in tokens(vocabulary).enumerate() {
        if number % TOKENS_PER_LOOK == 0 {
            look()?;
        }
        let &[left, right] = model.merged_bytes(bytes, &mut scratch, look)? else {
            return Ok(None);
        };
        model.push(Merge { pair: Pair { left, right }, token });
    }
    // So far each token was left in its two parts by the merges before its own.
    model.set_reaches_all_tokens();
    Ok(Some(model))
}

fn all_merges(
    vocabulary: &Vocabulary,
    alphabet: Alphabet,
    look: &mut dyn FnMut() -> Result<()>,
) -> Result<BpeModel> {
    let lengths: FxHashSet<usize> = vocabulary.ids().map(|id| vocabulary.bytes(id).len()).collect();
    let find = |bytes| vocabulary.find(bytes, TokenKind::Ordinary);
    let mut merges = Vec::new();
    for (token, bytes) in tokens(vocabulary) {
        look()?;
        for (left, right) in (1..bytes.len()).map(|place| bytes.split_at(place)) {
            if lengths.contains(&left.len())
                && lengths.contains(&right.len())
                && let (Some(left), Some(right)) = (find(left), find(right))
            {
                merges.push(Merge { pair: Pair { left, right }, token });
            }
        }
    }
    Ok(BpeModel::new(alphabet, merges, None, None, MergeOrder::LowestToken))
}
