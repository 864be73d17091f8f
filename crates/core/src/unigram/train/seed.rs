//! The tokens to begin with: all characters, and of the strings that occur more than once those that cover
//! the most text.
//!
//! All beginnings of strings are sorted, so that equal strings lie next to each other (a suffix array, here
//! of the distinct pieces, sorted only as deep as tokens may be long). A string is of interest if what
//! follows it differs, or if it ends a piece: any other could be made longer and would occur as often.

use std::cmp::Reverse;
use std::sync::Mutex;

use super::Scored;
use super::blocks::in_blocks;
use super::settings::UnigramSettings;
use crate::error::{Error, Result};
use crate::observe::{Pacer, Progress};
use crate::split::PieceCounts;
use crate::threads::lock;

/// Ends each piece, and stands for each character that is not in the alphabet; no byte of a text.
const END: u8 = 0xFF;
/// Bytes that are compared at a time.
const WIDTH: usize = 8;
/// Characters between two looks at the wish to stop.
const CHARACTERS_PER_LOOK: usize = 1 << 16;

/// The characters of the alphabet and the best strings, with their first scores.
pub(super) fn tokens(
    pieces: &PieceCounts,
    alphabet: &[(char, u64)],
    settings: &UnigramSettings,
    threads: usize,
    pacer: &mut Pacer<'_>,
) -> Result<Vec<Scored>> {
    let text = Text::new(pieces, alphabet, pacer)?;
    let limit = (settings.seed_size as usize).saturating_sub(alphabet.len());
    let longest = settings.max_token_length as usize;
    let strings = if longest > 1 { text.best(longest, limit, threads, pacer)? } else { Vec::new() };
    let mut buffer = [0; 4];
    let characters = alphabet.iter().map(|&(character, count)| {
        let text: Box<[u8]> = character.encode_utf8(&mut buffer).as_bytes().into();
        (text, u128::from(count), true)
    });
    let mut counted: Vec<(Box<[u8]>, u128, bool)> = characters.collect();
    counted.extend(strings.iter().map(|string| (string.of(&text).into(), string.worth, false)));
    let total = counted.iter().map(|(_, worth, _)| *worth as f64).sum::<f64>().ln();
    let scored = |(text, worth, is_character)| Scored {
        text,
        score: (worth as f64).ln() - total,
        is_character,
    };
    Ok(counted.into_iter().map(scored).collect())
}

/// All distinct pieces, one after the other.
struct Text<'a> {
    pieces: &'a PieceCounts,
    bytes: Vec<u8>,
    /// Where each piece begins in `bytes`.
    starts: Vec<u32>,
}

/// A string: what it is worth, a place where it occurs, its length in bytes.
#[derive(Clone, Copy)]
struct Candidate {
    worth: u128,
    place: u32,
    length: u32,
}

impl Candidate {
    fn of<'a>(&self, text: &'a Text<'_>) -> &'a [u8] {
        &text.bytes[self.place as usize..][..self.length as usize]
    }
}

impl<'a> Text<'a> {
    fn new(
        pieces: &'a PieceCounts,
        alphabet: &[(char, u64)],
        pacer: &mut Pacer<'_>,
    ) -> Result<Self> {
        let size = pieces.distinct_bytes() + pieces.len() + WIDTH;
        if u32::try_from(size).is_err() {
            let reason = format!("the corpus has {size} bytes of distinct pieces, more than 2**32");
            return Err(Error::corpus(reason));
        }
        let mut text = Self { pieces, bytes: Vec::with_capacity(size), starts: Vec::new() };
        let is_known =
            |character: char| alphabet.binary_search_by_key(&character, |&(one, _)| one).is_ok();
        for (number, (piece, _)) in pieces.iter().enumerate() {
            if number % CHARACTERS_PER_LOOK == 0 {
                let (done, total) = (number as u64, pieces.len() as u64);
                pacer.tick(|| Progress::new("preparing pieces", done, Some(total), "pieces"))?;
            }
            text.starts.push(text.bytes.len() as u32);
            for character in std::str::from_utf8(piece).unwrap_or_default().chars() {
                if is_known(character) {
                    text.bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    text.bytes.push(END);
                }
            }
            text.bytes.push(END);
        }
        text.bytes.extend_from_slice(&[END; WIDTH]);
        Ok(text)
    }

    /// The `limit` strings that are worth the most, best first.
    fn best(
        &self,
        longest: usize,
        limit: usize,
        threads: usize,
        pacer: &mut Pacer<'_>,
    ) -> Result<Vec<Candidate>> {
        let mut places = self.places();
        // Strings of two characters or more begin with the same two bytes, so each group is complete.
        let mut groups = Vec::new();
        let mut rest = places.as_mut_slice();
        while let Some(&first) = rest.first() {
            let key = self.two(first);
            let length = rest.partition_point(|&place| self.two(place) == key);
            let (group, after) = rest.split_at_mut(length);
            groups.push(Mutex::new(group));
            rest = after;
        }
        let make_state = || Best { limit, found: Vec::new() };
        let states = in_blocks(groups.len(), 1, threads, "finding strings", pacer, make_state, {
            |best: &mut Best, _, items| {
                for group in &groups[items] {
                    // Each group is taken once, so nobody waits.
                    let group = &mut *lock(group);
                    self.sort(group, 0, 4 * longest);
                    self.collect(group, longest, best);
                }
            }
        })?;
        let mut all = Best { limit, found: Vec::new() };
        all.found = states.into_iter().flat_map(|best| best.found).collect();
        all.shrink(self);
        Ok(all.found)
    }

    /// The first byte of each character, in the order of its two first bytes.
    fn places(&self) -> Vec<u32> {
        let is_start = |place: u32| {
            let byte = self.bytes[place as usize];
            byte & 0xC0 != 0x80 && byte != END
        };
        let end = (self.bytes.len() - WIDTH) as u32;
        let mut ends = vec![0_usize; (1 << 16) + 1];
        for place in (0..end).filter(|&place| is_start(place)) {
            ends[self.two(place) as usize + 1] += 1;
        }
        for key in 1..ends.len() {
            ends[key] += ends[key - 1];
        }
        let mut places = vec![0; ends[1 << 16]];
        for place in (0..end).filter(|&place| is_start(place)) {
            let slot = &mut ends[self.two(place) as usize];
            places[*slot] = place;
            *slot += 1;
        }
        places
    }

    fn two(&self, place: u32) -> u16 {
        let place = place as usize;
        u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]])
    }

    /// The bytes from a place on as a number; all that is behind an end is equal.
    fn key(&self, place: usize) -> u64 {
        let Some(Some(&bytes)) = self.bytes.get(place..).map(<[u8]>::first_chunk::<WIDTH>) else {
            return u64::MAX;
        };
        let key = u64::from_be_bytes(bytes);
        match bytes.iter().position(|&byte| byte == END) {
            Some(end) => key | u64::MAX >> (8 * end),
            None => key,
        }
    }

    /// Sorts places by what is there, up to `depth` bytes; of equals the first comes first.
    fn sort(&self, places: &mut [u32], from: usize, depth: usize) {
        if places.len() < 2 || from >= depth {
            return;
        }
        let key = |&place: &u32| (self.key(place as usize + from), place);
        let mut keyed: Vec<(u64, u32)> = places.iter().map(key).collect();
        keyed.sort_unstable();
        for (place, &(_, sorted)) in places.iter_mut().zip(&keyed) {
            *place = sorted;
        }
        let mut start = 0;
        for group in keyed.chunk_by(|one, two| one.0 == two.0) {
            let end = start + group.len();
            let has_ended = group[0].0 as u8 == END;
            if !has_ended {
                self.sort(&mut places[start..end], from + WIDTH, depth);
            }
            start = end;
        }
    }

    /// The string from a place to the end of its piece, of at most `longest` characters: characters, bytes.
    fn extent(&self, place: u32, longest: usize) -> Extent {
        self.common(place, place, longest)
    }

    /// The characters and bytes that two places have in common.
    fn common(&self, one: u32, two: u32, longest: usize) -> Extent {
        let (one, two) = (&self.bytes[one as usize..], &self.bytes[two as usize..]);
        let mut extent = Extent { characters: 0, bytes: 0 };
        let mut characters = 0;
        for (length, (&left, &right)) in one.iter().zip(two).enumerate() {
            let begins = left & 0xC0 != 0x80 || left == END;
            if begins && right & 0xC0 != 0x80 {
                extent = Extent { characters, bytes: length as u32 };
                characters += 1;
            }
            if left != right || left == END || extent.characters as usize == longest {
                break;
            }
        }
        extent
    }

    fn weight(&self, place: u32) -> u64 {
        let piece = self.starts.partition_point(|&start| start <= place) - 1;
        self.pieces.count(piece)
    }

    /// Takes all strings of interest of sorted places.
    fn collect(&self, places: &[u32], longest: usize, best: &mut Best) {
        let mut open: Vec<Open> = Vec::new();
        let mut total = 0_u64;
        let mut before = None;
        for &place in places {
            let common =
                before.map_or(Extent::default(), |before| self.common(before, place, longest));
            let start = self.close(&mut open, common, total, before.unwrap_or(place), best);
            let is_longer = |open: &[Open], extent: Extent| {
                open.last().map_or(0, |open| open.extent.characters) < extent.characters
            };
            if is_longer(&open, common) {
                open.push(Open { extent: common, start });
            }
            let own = self.extent(place, longest);
            if is_longer(&open, own) {
                open.push(Open { extent: own, start: total });
            }
            total += self.weight(place);
            before = Some(place);
        }
        if let Some(last) = before {
            self.close(&mut open, Extent::default(), total, last, best);
        }
    }

    /// Ends all strings longer than what goes on; returns where the last of them began.
    fn close(
        &self,
        open: &mut Vec<Open>,
        common: Extent,
        total: u64,
        place: u32,
        best: &mut Best,
    ) -> u64 {
        let mut start = total;
        while let Some(last) = open.pop_if(|last| last.extent.characters > common.characters) {
            start = last.start;
            let count = total - start;
            if count > 1 && last.extent.characters > 1 {
                let worth = u128::from(count) * u128::from(last.extent.characters);
                best.push(Candidate { worth, place, length: last.extent.bytes }, self);
            }
        }
        start
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    characters: u32,
    bytes: u32,
}

/// A string that the places looked at begin with, and the sum of weights before the first of them.
struct Open {
    extent: Extent,
    start: u64,
}

/// The best strings so far, and some that are not.
struct Best {
    limit: usize,
    found: Vec<Candidate>,
}

impl Best {
    fn push(&mut self, candidate: Candidate, text: &Text<'_>) {
        self.found.push(candidate);
        if self.found.len() >= 2 * self.limit.max(1 << 10) {
            self.shrink(text);
        }
    }

    /// Drops all but the best; no two are equal, so which are kept does not depend on the order.
    fn shrink(&mut self, text: &Text<'_>) {
        self.found.sort_unstable_by_key(|one| (Reverse(one.worth), one.of(text)));
        self.found.truncate(self.limit);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::alphabet;
    use super::*;
    use crate::observe::Silent;

    /// All strings that occur more than once and could not be made longer, by counting.
    fn counted(words: &[(String, u64)], longest: usize) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut followers: BTreeMap<String, std::collections::BTreeSet<Option<char>>> =
            BTreeMap::new();
        for (word, count) in words {
            let characters: Vec<char> = word.chars().collect();
            for start in 0..characters.len() {
                for end in start + 2..=characters.len().min(start + longest) {
                    let string: String = characters[start..end].iter().collect();
                    *counts.entry(string.clone()).or_default() += count;
                    followers.entry(string).or_default().insert(characters.get(end).copied());
                }
            }
        }
        counts.retain(|string, count| {
            let next = &followers[string];
            let ends = next.len() > 1 || next.contains(&None) || string.chars().count() == longest;
            *count > 1 && ends
        });
        counts
    }

    proptest! {
        #[test]
        fn strings_are_those_that_counting_finds(
            words in vec(("[ab\u{e9}\u{4e2d}]{1,9}", 1_u64..4), 1..12),
            longest in 2_usize..6,
            threads in 1_usize..4,
        ) {
            let listed = words.iter().map(|(word, count)| (word.as_str(), *count));
            let pieces = PieceCounts::from_counts(listed).unwrap();
            let text = Text::new(&pieces, &alphabet(&pieces, 1.0), &mut Pacer::new(&mut Silent)).unwrap();
            let found = text.best(longest, 1000, threads, &mut Pacer::new(&mut Silent)).unwrap();
            let found: BTreeMap<String, u128> = found
                .iter()
                .map(|one| (String::from_utf8(one.of(&text).to_vec()).unwrap(), one.worth))
                .collect();
            let distinct: BTreeMap<String, u64> = words.iter().fold(BTreeMap::new(), |mut sum, (word, count)| {
                *sum.entry(word.clone()).or_default() += count;
                sum
            });
            let distinct: Vec<(String, u64)> = distinct.into_iter().collect();
            let expected = counted(&distinct, longest).into_iter().map(|(string, count)| {
                let worth = u128::from(count) * string.chars().count() as u128;
                (string, worth)
            });
            prop_assert_eq!(found, expected.collect::<BTreeMap<_, _>>());
        }
    }
}
