//! Vocabularies of whole words and of single characters.

use rustc_hash::FxHashMap;

use super::settings::{Kind, LevelSettings, WordOrder};
use super::vocabulary::{TokenKind, Vocabulary};
use super::{Model, Tokenizer};
use crate::bpe::character_ids;
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress};
use crate::split::PieceCounts;

/// Collects the words of a corpus.
pub fn train_word_level(
    pieces: &PieceCounts,
    settings: &LevelSettings,
    observer: &mut dyn Observer,
) -> Result<Tokenizer> {
    settings.validate()?;
    pieces.check_not_empty()?;
    let words = pieces.iter().map(|(piece, count)| (piece.to_vec(), count)).collect();
    let mut words = most_frequent(words, settings)?;
    report(words.len(), "words", observer)?;
    if settings.order == WordOrder::Alphabetical {
        words.sort_unstable();
    }
    let mut vocabulary = Vocabulary::new(None);
    for word in words {
        vocabulary.push(&word, TokenKind::Ordinary);
    }
    let unknown = append_names(&mut vocabulary, settings);
    Ok(Tokenizer::new(settings.into(), vocabulary, Model::WordLevel { unknown }, None))
}

/// Collects the characters of a corpus; their ids are in the order of their code points.
pub fn train_char_level(
    pieces: &PieceCounts,
    settings: &LevelSettings,
    observer: &mut dyn Observer,
) -> Result<Tokenizer> {
    settings.validate()?;
    pieces.check_not_empty()?;
    let mut counts: FxHashMap<char, u64> = FxHashMap::default();
    let mut in_order = Vec::new();
    for (piece, count) in pieces.iter() {
        for character in std::str::from_utf8(piece).unwrap_or_default().chars() {
            let total = counts.entry(character).or_insert_with(|| {
                in_order.push(character);
                0
            });
            *total += count;
        }
    }
    let counted = in_order.into_iter().map(|character| (character, counts[&character])).collect();
    let mut characters = most_frequent(counted, settings)?;
    characters.sort_unstable();
    report(characters.len(), "characters", observer)?;
    let mut vocabulary = Vocabulary::new(None);
    let alphabet = Alphabet::Characters(character_ids(&characters, &mut vocabulary));
    let unknown = append_names(&mut vocabulary, settings);
    let model = BpeModel::new(alphabet, Vec::new(), None, unknown, MergeOrder::DownTheList);
    Ok(Tokenizer::new(settings.into(), vocabulary, Model::Bpe(Box::new(model)), None))
}

fn report(count: usize, unit: &'static str, observer: &mut dyn Observer) -> Result<()> {
    observer.observe(&Progress::new("choosing tokens", count as u64, Some(count as u64), unit))
}

/// Those that are frequent enough and for which there is room, the most frequent first.
fn most_frequent<T>(mut counted: Vec<(T, u64)>, settings: &LevelSettings) -> Result<Vec<T>> {
    let largest = counted.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counted.retain(|(_, count)| *count >= settings.min_frequency);
    if counted.is_empty() {
        let unit = if settings.kind == Kind::CharLevel { "character" } else { "word" };
        let rule = format!("must be at most {largest}, the count of the most frequent {unit}");
        return Err(Error::parameter("min_frequency", rule, settings.min_frequency));
    }
    // The sort is stable, so equals stay in order of first appearance.
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.truncate(settings.room());
    Ok(counted.into_iter().map(|(item, _)| item).collect())
}

pub(super) fn append_names(vocabulary: &mut Vocabulary, settings: &LevelSettings) -> Option<u32> {
    let unknown = settings.unknown_token.as_ref();
    let unknown = unknown.map(|name| vocabulary.push(name.as_bytes(), TokenKind::Unknown));
    for name in &settings.special_tokens {
        vocabulary.push(name.as_bytes(), TokenKind::Special);
    }
    unknown
}
