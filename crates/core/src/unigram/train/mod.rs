//! Learning which tokens a text is made of, and how probable each is (Kudo, 2018).
//!
//! Start with many more tokens than are wanted: all characters, and the repeated strings that cover most of
//! the text (`seed.rs`). Then, again and again, fit their probabilities so that the text becomes as probable
//! as it can (`expect.rs`), and drop those whose loss costs the least (`prune.rs`).
//!
//! Threads share out pieces, and what they add up are whole numbers: expected counts are multiples of a
//! small unit. So the sums do not depend on the order of addition, and the result not on the number of
//! threads.

mod blocks;
mod expect;
mod prune;
mod seed;
pub mod settings;
mod windows;

use rustc_hash::FxHashMap;

use super::model::{Flavor, UNKNOWN_PENALTY, UnigramModel};
use crate::error::Result;
use crate::observe::{Observer, Pacer, Progress};
use crate::split::PieceCounts;
use settings::UnigramSettings;
use windows::Windows;

/// A token and its score, the logarithm of its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The bytes of the token.
    pub text: Box<[u8]>,
    /// Its score.
    pub score: f64,
    /// Whether it is a character of the alphabet, which is never dropped.
    pub is_character: bool,
}

/// What training yields.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The characters of the alphabet, by code point, and then the other tokens, the best first.
    pub tokens: Vec<Scored>,
    /// The mean loss of a piece, in nats, after each time that scores were fitted.
    pub losses: Vec<f64>,
}

/// What tokens may be made of, and how often each character occurs.
fn alphabet(pieces: &PieceCounts, coverage: f64) -> Vec<(char, u64)> {
    let mut counts: FxHashMap<char, u64> = FxHashMap::default();
    for (piece, count) in pieces.iter() {
        for character in std::str::from_utf8(piece).unwrap_or_default().chars() {
            *counts.entry(character).or_default() += count;
        }
    }
    let mut counts: Vec<(char, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(character, count)| (std::cmp::Reverse(count), character));
    let total: u128 = counts.iter().map(|&(_, count)| u128::from(count)).sum();
    let mut covered = 0_u128;
    let enough = |covered: u128| covered as f64 >= coverage * total as f64;
    let kept = counts.iter().take_while(|&&(_, count)| {
        let is_needed = !enough(covered);
        covered += u128::from(count);
        is_needed
    });
    let kept = kept.count();
    counts.truncate(kept);
    counts.sort_unstable();
    counts
}

/// A model of the tokens, for the search for ways.
pub(super) fn model_of(tokens: &[Scored]) -> UnigramModel {
    let lowest = tokens.iter().map(|token| token.score).fold(f64::INFINITY, f64::min);
    UnigramModel::new(
        tokens.iter().zip(0..).map(|(token, id)| (&*token.text, id)),
        tokens.iter().map(|token| token.score).collect(),
        Flavor::HuggingFace,
        None,
        lowest - UNKNOWN_PENALTY,
        None,
    )
}

/// Learns the tokens of a corpus; the result does not depend on the number of threads.
pub fn train(
    pieces: &PieceCounts,
    settings: &UnigramSettings,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    settings.validate()?;
    pieces.check_not_empty()?;
    let mut pacer = Pacer::new(observer);
    let alphabet = alphabet(pieces, settings.character_coverage);
    let room = settings.tokens_to_learn(alphabet.iter().map(|&(character, _)| character))?;
    let mut tokens = seed::tokens(pieces, &alphabet, settings, threads, &mut pacer)?;
    // More than wanted, so that the last choice is made among fitted scores.
    let wanted = alphabet.len() + (room as f64 * 1.1) as usize;
    let start = tokens.len();
    let windows = Windows::new(pieces);
    let mut losses = Vec::new();
    loop {
        for _ in 0..settings.iterations {
            let model = model_of(&tokens);
            let expected = expect::counts(&model, &windows, threads, &mut pacer)?;
            losses.push(expected.loss);
            tokens = fitted(tokens, &expected.counts);
            let total = start.saturating_sub(wanted);
            // Fitting may drop more than must go.
            let done = total.min(start.saturating_sub(tokens.len()));
            let (done, total) = (done as u64, Some(total as u64));
            let mut progress = Progress::new("choosing tokens", done, total, "tokens dropped");
            progress.figures.push(("loss", expected.loss));
            pacer.report(&progress)?;
        }
        if tokens.len() <= wanted {
            break;
        }
        let fewer = wanted.max((settings.shrink_factor * tokens.len() as f64) as usize);
        tokens = prune::keep_best(tokens, fewer, &windows, threads, &mut pacer)?;
    }
    Ok(Learned { tokens: chosen(tokens, room), losses })
}

/// Expected counts below this are too small to tell anything of a token.
const LEAST_EXPECTED: f64 = 0.5;

/// New scores from expected counts. The function digamma in place of the logarithm takes a little away from
/// rare tokens, as if scores had a sparse prior (a step of variational Bayes).
fn fitted(tokens: Vec<Scored>, counts: &[f64]) -> Vec<Scored> {
    let is_kept = |token: &Scored, count: f64| token.is_character || count >= LEAST_EXPECTED;
    let kept = tokens.into_iter().zip(counts).filter(|(token, count)| is_kept(token, **count));
    let kept: Vec<(Scored, f64)> =
        kept.map(|(token, count)| (token, count.max(LEAST_EXPECTED))).collect();
    let total = digamma(kept.iter().map(|(_, count)| count).sum());
    let score = |(token, count)| Scored { score: digamma(count) - total, ..token };
    kept.into_iter().map(score).collect()
}

/// All characters, and as many of the other tokens as there is room for, the best first.
fn chosen(tokens: Vec<Scored>, room: usize) -> Vec<Scored> {
    let (mut characters, mut others): (Vec<_>, Vec<_>) =
        tokens.into_iter().partition(|token| token.is_character);
    others
        .sort_by(|one, two| two.score.total_cmp(&one.score).then_with(|| one.text.cmp(&two.text)));
    others.truncate(room);
    characters.sort_by(|one, two| one.text.cmp(&two.text));
    characters.extend(others);
    characters
}

/// The derivative of the logarithm of the gamma function, for numbers above zero: its recurrence up to 7,
/// then its asymptotic series (Bernardo, 1976).
fn digamma(mut number: f64) -> f64 {
    let mut below = 0.0;
    while number < 7.0 {
        below += 1.0 / number;
        number += 1.0;
    }
    let middle = number - 0.5;
    let square = 1.0 / (middle * middle);
    let series = square
        * (1.0 / 24.0
            - square * (7.0 / 960.0 - square * (31.0 / 8064.0 - square * 127.0 / 30720.0)));
    middle.ln() + series - below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;
    use crate::split::{SplitRule, Splitter};

    #[test]
    fn digamma_is_what_tables_say() {
        for (number, value) in [
            (0.5, -1.963_510_026_021_423_5),
            (1.0, -0.577_215_664_901_532_9),
            (10.0, 2.251_752_589_066_721),
            (1e6, 13.815_510_057_964_19),
        ] {
            assert!((digamma(number) - value).abs() < 1e-9, "{number}: {}", digamma(number));
        }
    }

    fn settings(vocab_size: u64) -> UnigramSettings {
        UnigramSettings {
            vocab_size,
            splitter: Splitter::new(SplitRule::Words, true).unwrap(),
            byte_fallback: false,
            character_coverage: 1.0,
            max_token_length: 16,
            seed_size: 1000,
            shrink_factor: 0.75,
            iterations: 2,
            special_tokens: Vec::new(),
            unknown_token: Some("<unk>".to_owned()),
        }
    }

    /// Words of three syllables, of which the first is far more frequent than the others.
    fn words() -> PieceCounts {
        let syllables = ["low", "er", "new", "est", "wid", "ing", "show", "s"];
        let word = |number: usize| {
            let syllable = |place: u32| syllables[number * number / 8_usize.pow(place) % 8];
            format!(" {}{}{}", syllable(0), syllable(1), syllable(2))
        };
        let words: Vec<(String, u64)> =
            (0..512).map(|number| (word(number), 1 + number as u64 % 7)).collect();
        PieceCounts::from_counts(words.iter().map(|(word, count)| (word.as_str(), *count))).unwrap()
    }

    #[test]
    fn syllables_are_found_by_any_number_of_threads() {
        let pieces = words();
        let learned = |threads| train(&pieces, &settings(40), threads, &mut Silent).unwrap();
        let one = learned(1);
        assert_eq!(one.tokens, learned(2).tokens);
        assert_eq!(one.tokens, learned(5).tokens);
        assert_eq!(one.losses, learned(3).losses);
        let texts: Vec<&[u8]> = one.tokens.iter().map(|token| &*token.text).collect();
        for syllable in ["low", "new", "est", "wid", "ing"] {
            assert!(texts.iter().any(|text| text.ends_with(syllable.as_bytes())), "{syllable}");
        }
        assert!(one.losses.iter().all(|loss| loss.is_finite() && *loss > 0.0));
        let total: f64 = one.tokens.iter().map(|token| token.score.exp()).sum();
        assert!(total > 0.8 && total < 1.001, "{total}");
    }

    #[test]
    fn long_pieces_need_logarithms_and_give_the_same() {
        let unit = "abcabdabe";
        let long = unit.repeat(200);
        let pieces = PieceCounts::from_counts([(long.as_str(), 2)]).unwrap();
        let learned = train(&pieces, &settings(20), 2, &mut Silent).unwrap();
        assert!(learned.tokens.iter().any(|token| token.text.len() > 3), "{:?}", learned.tokens);
    }

    #[test]
    fn a_vocabulary_that_is_too_small_is_told_what_it_needs() {
        let error = train(&words(), &settings(5), 1, &mut Silent).unwrap_err().to_string();
        assert!(
            error.starts_with("`vocab_size` must be at least 14 to hold 13 characters"),
            "{error}"
        );
    }

    #[test]
    fn the_alphabet_is_cut_where_it_covers_enough() {
        let pieces = PieceCounts::from_counts([("aab", 3), ("cb", 1)]).unwrap();
        assert_eq!(alphabet(&pieces, 1.0), [('a', 6), ('b', 4), ('c', 1)]);
        assert_eq!(alphabet(&pieces, 0.9), [('a', 6), ('b', 4)]);
    }
}
