//! Which characters a corpus is spelled in.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::BpeOptions;
use crate::split::PieceCounts;
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};

/// Pieces are parts of texts, so they are texts.
pub(super) fn text(piece: &[u8]) -> &str {
    std::str::from_utf8(piece).unwrap_or_default()
}

/// All characters of a corpus, in the order of their code points.
pub(crate) fn characters(pieces: &PieceCounts) -> Vec<char> {
    let mut seen: FxHashSet<char> = FxHashSet::default();
    for (piece, _) in pieces.iter() {
        seen.extend(text(piece).chars());
    }
    sorted(seen)
}

/// The characters that the options ask for, in the order of their code points: those that must be there,
/// then the most frequent ones, of equals the one with the lower code point.
pub(super) fn chosen(pieces: &PieceCounts, options: &BpeOptions) -> Vec<char> {
    let initial: FxHashSet<char> =
        options.initial_alphabet.iter().flat_map(|text| text.chars()).collect();
    let Some(limit) = options.limit_alphabet else {
        return sorted(initial.into_iter().chain(characters(pieces)).collect());
    };
    let mut counts: FxHashMap<char, u64> = FxHashMap::default();
    for (piece, count) in pieces.iter() {
        for character in text(piece).chars() {
            *counts.entry(character).or_insert(0) += count;
        }
    }
    let mut others: Vec<_> = counts
        .into_iter()
        .filter(|(character, _)| !initial.contains(character))
        .map(|(character, count)| (Reverse(count), character))
        .collect();
    others.sort_unstable();
    others.truncate((limit as usize).saturating_sub(initial.len()));
    sorted(initial.into_iter().chain(others.into_iter().map(|(_, character)| character)).collect())
}

fn sorted(characters: FxHashSet<char>) -> Vec<char> {
    let mut sorted: Vec<char> = characters.into_iter().collect();
    sorted.sort_unstable();
    sorted
}

/// Appends characters to a vocabulary.
pub(crate) fn character_ids(
    characters: &[char],
    vocabulary: &mut Vocabulary,
) -> FxHashMap<char, u32> {
    let push = |&character: &char| {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        (character, vocabulary.push(bytes, TokenKind::Ordinary))
    };
    characters.iter().map(push).collect()
}
