//! Tokens of pieces that were met before.
//!
//! Nearly all pieces of a text are short and were met before, so this is where encoding spends its time.
//! A piece of up to 15 bytes is one 128-bit number, its slot holds the ids themselves, two slots that may
//! hold a piece lie in one line of the processor's cache, and that line is fetched ahead while earlier pieces
//! are looked up. Pieces of up to 63 bytes have a table of their own, with room for more ids. Memory is
//! bounded: the first table grows with the number of different pieces, from 1 MB up to 16 MB, the second
//! takes up to 4 MB.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::lines::{Lines, Word};
use crate::error::Result;
use crate::simd::level::{self, Level, Task};
use crate::simd::prefetch_bytes;

/// Pieces up to this many bytes are a number.
const SHORT: usize = 15;
/// Pieces up to this many bytes are kept.
const LONG: usize = 63;
/// Tokens that are kept of a short piece.
pub(super) const SHORT_IDS: usize = 4;
/// Tokens that are kept of a longer one.
pub(super) const LONG_IDS: usize = 15;
/// Lines of two slots for short pieces, 1 MB, to begin with.
const FEWEST_LINES: usize = 1 << 14;
/// As many as there can be, 16 MB: 100 MB of English have 240,000 different pieces.
const MOST_LINES: usize = 1 << 18;
/// Slots of two lines for longer pieces: 4 MB.
const LONG_SLOTS: usize = 1 << 15;
/// Ids share their number with the count of ids in the slot.
const COUNT_SHIFT: u32 = 24;

/// Words in a line.
const LINE: usize = 8;
/// A slot for a short piece: its number of 128 bits, then four ids, the highest byte of which holds their
/// number.
const SLOT: usize = 4;
/// A slot for a longer piece: a line of bytes, the last of which is their number, and a line of ids, the
/// last of which is their number.
const LONG_SLOT: usize = 2 * LINE;

/// A bounded memory of pieces and their ids; newer pieces take the place of older ones.
#[derive(Debug)]
pub(super) struct PieceCache {
    short: Lines,
    long: Lines,
    /// Short pieces that were kept since the table last grew.
    kept: usize,
}

/// A piece as the tables know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// The bytes of a short piece with their number in the last byte.
    halves: [u64; 2],
    /// Where it lies in its table.
    hash: u32,
    /// Whether a table keeps it.
    is_kept: bool,
}

/// What stands for the number of bytes of a piece that is not short.
const NOT_SHORT: u64 = 0xFF << 56;

impl Key {
    /// The piece between two offsets of a text.
    #[inline(always)]
    pub(super) fn new(level: impl Level, text: &[u8], start: u32, end: u32) -> Self {
        let (start, length) = (start as usize, (end - start) as usize);
        if length > SHORT {
            return Self::long(level, text, start, length);
        }
        let [low, high] = level.load16(text, start, length);
        Self::short(level, [low, high | (length as u64) << 56])
    }

    #[inline(always)]
    fn short(level: impl Level, halves: [u64; 2]) -> Self {
        let hash = level.mix(level.mix(0, halves[0]), halves[1]) as u32;
        Self { halves, hash, is_kept: true }
    }

    #[inline(always)]
    fn long(level: impl Level, text: &[u8], start: usize, length: usize) -> Self {
        let is_kept = length <= LONG;
        let mut hash = 0;
        if is_kept {
            let words = level.load64(text, start, length);
            let mut mixed = length as u64;
            for word in words {
                mixed = level.mix(mixed, word);
            }
            hash = mixed as u32;
        }
        Self { halves: [0, NOT_SHORT], hash, is_kept }
    }

    /// Whether the piece is at most 15 bytes long.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.halves[1] < NOT_SHORT
    }
}

impl PieceCache {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { short: Lines::new(FEWEST_LINES)?, long: Lines::new(2 * LONG_SLOTS)?, kept: 0 })
    }

    /// Has the slots of a piece fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: Key) {
        if key.is_short() {
            let [line] = self.short.get(key.hash as usize);
            prefetch_bytes(line);
        } else if key.is_kept {
            let [bytes, .., ids] = self.long.get::<{ LINE + 1 }>(2 * key.hash as usize);
            prefetch_bytes(bytes);
            prefetch_bytes(ids);
        }
    }

    /// Writes the ids of a short piece to `ids` and returns their number, 0 if it is not known or not short.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, ids: &mut [u32; SHORT_IDS]) -> usize {
        // No slot holds the halves of a longer piece.
        let line: &[Word; LINE] = self.short.get(key.hash as usize);
        // Which of the two it is cannot be foreseen, so nothing branches on it.
        let slot = usize::from(difference(line, SLOT, key) == 0) * SLOT;
        let is_known = difference(line, slot, key) == 0;
        let [.., low, high] = line[slot..slot + SLOT] else { return 0 };
        let (low, high) = (u64::from_le_bytes(low), u64::from_le_bytes(high));
        let last = (high >> 32) as u32;
        let fourth = last & ((1 << COUNT_SHIFT) - 1);
        *ids = [low as u32, (low >> 32) as u32, high as u32, fourth];
        usize::from(is_known) * (last >> COUNT_SHIFT) as usize
    }

    /// The same in the line beside, where slots go that were pushed out of their own.
    #[inline(never)]
    pub(super) fn get_beside(&mut self, key: Key, ids: &mut [u32; SHORT_IDS]) -> usize {
        if !key.is_short() {
            return 0;
        }
        let beside = key.hash ^ 1;
        let line = self.short.get_mut(beside as usize, LINE);
        for place in [0, SLOT] {
            let slot = take(line, place);
            if slot[..2] == key.halves.map(u64::to_le_bytes) {
                // It comes first in its own line, and the last of that one goes where it was.
                let out = put_first(self.short.get_mut(key.hash as usize, LINE), slot);
                self.short.get_mut(beside as usize, LINE)[place..place + SLOT]
                    .copy_from_slice(&out);
                return self.get(key, ids);
            }
        }
        0
    }

    /// The same for a piece that is not short.
    #[inline]
    pub(super) fn get_long(&self, key: Key, piece: &[u8], ids: &mut [u32; LONG_IDS]) -> usize {
        if !key.is_kept {
            return 0;
        }
        let slot: &[Word; LONG_SLOT] = self.long.get(2 * key.hash as usize);
        let (bytes, known) = slot.split_at(LINE);
        if bytes != words_of(piece) {
            return 0;
        }
        let known = known.as_flattened().as_chunks().0;
        for (id, &known) in ids.iter_mut().zip(known) {
            *id = u32::from_le_bytes(known);
        }
        known.last().map_or(0, |&count| u32::from_le_bytes(count) as usize)
    }

    /// Keeps the ids of a piece that is not known yet.
    #[inline]
    pub(super) fn insert(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        if key.is_short() {
            if (1..=SHORT_IDS).contains(&ids.len()) && ids.iter().all(|id| id >> COUNT_SHIFT == 0) {
                self.insert_short(key, ids);
            }
        } else if key.is_kept && (1..=LONG_IDS).contains(&ids.len()) {
            self.insert_long(key, piece, ids);
        }
    }

    fn insert_long(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        let slot = self.long.get_mut(2 * key.hash as usize, LONG_SLOT);
        let (bytes, known) = slot.split_at_mut(LINE);
        bytes.copy_from_slice(&words_of(piece));
        let known = known.as_flattened_mut().as_chunks_mut().0;
        for (known, id) in known.iter_mut().zip(ids) {
            *known = id.to_le_bytes();
        }
        if let Some(count) = known.last_mut() {
            *count = (ids.len() as u32).to_le_bytes();
        }
    }

    fn insert_short(&mut self, key: Key, ids: &[u32]) {
        let mut four = [0; SHORT_IDS];
        four[..ids.len()].copy_from_slice(ids);
        four[3] |= (ids.len() as u32) << COUNT_SHIFT;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [low, high] = key.halves;
        let slot = [low, high, pair(four[0], four[1]), pair(four[2], four[3])];
        put(&mut self.short, key.hash, slot.map(u64::to_le_bytes));
        self.kept += 1;
    }

    /// Grows if so many pieces were kept that others are soon forgotten. Without the memory for it, forgetting
    /// is all that happens.
    #[inline]
    pub(super) fn make_room(&mut self) {
        if self.kept >= self.short.len() / 2 && self.short.len() < MOST_LINES {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.kept = 0;
        if let Ok(mut larger) = Lines::new(2 * self.short.len()) {
            level::run(Move { from: &self.short, to: &mut larger });
            self.short = larger;
        }
    }
}

/// Zero if the key is the one of a slot.
#[inline(always)]
fn difference(line: &[Word; LINE], slot: usize, key: Key) -> u64 {
    (u64::from_le_bytes(line[slot]) ^ key.halves[0])
        | (u64::from_le_bytes(line[slot + 1]) ^ key.halves[1])
}

fn take(line: &[Word], place: usize) -> [Word; SLOT] {
    let mut slot = [[0; 8]; SLOT];
    slot.copy_from_slice(&line[place..place + SLOT]);
    slot
}

/// Puts a slot in front of the other one of its line; returns the one that had the last place.
#[inline]
fn put_first(line: &mut [Word], slot: [Word; SLOT]) -> [Word; SLOT] {
    let out = take(line, SLOT);
    line.copy_within(..SLOT, SLOT);
    line[..SLOT].copy_from_slice(&slot);
    out
}

/// Puts a slot first in its line; what that pushes out takes the last place of the line beside.
#[inline]
fn put(table: &mut Lines, hash: u32, slot: [Word; SLOT]) {
    let out = put_first(table.get_mut(hash as usize, LINE), slot);
    if out[1] != [0; 8] {
        let beside = table.get_mut((hash ^ 1) as usize, LINE);
        let place = if beside[1] == [0; 8] { 0 } else { SLOT };
        beside[place..place + SLOT].copy_from_slice(&out);
    }
}

/// Copies all slots of short pieces to another table.
struct Move<'a> {
    from: &'a Lines,
    to: &'a mut Lines,
}

impl Task for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, level: impl Level) {
        for line in 0..self.from.len() {
            let [first, second]: &[[Word; SLOT]; 2] =
                match self.from.get::<LINE>(line).as_chunks().0 {
                    [first, second] => &[*first, *second],
                    _ => continue,
                };
            for slot in [second, first].into_iter().filter(|slot| slot[1] != [0; 8]) {
                let halves = [u64::from_le_bytes(slot[0]), u64::from_le_bytes(slot[1])];
                put(self.to, Key::short(level, halves).hash, *slot);
            }
        }
    }
}

/// The bytes of a piece of at most 63, with their number in the last one.
#[inline]
fn words_of(piece: &[u8]) -> [Word; LINE] {
    let mut words = [[0; 8]; LINE];
    let bytes = words.as_flattened_mut();
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[LONG] = piece.len() as u8;
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Make<'a>(&'a [u8], u32, u32);

    impl Task for Make<'_> {
        type Output = Key;

        fn run(self, level: impl Level) -> Key {
            Key::new(level, self.0, self.1, self.2)
        }
    }

    fn key(piece: &[u8]) -> Key {
        level::run(Make(piece, 0, piece.len() as u32))
    }

    fn get(cache: &mut PieceCache, piece: &[u8]) -> Option<Vec<u32>> {
        let key = key(piece);
        let (mut short, mut long) = ([0; SHORT_IDS], [0; LONG_IDS]);
        let mut count = cache.get(key, &mut short);
        if count == 0 {
            count = cache.get_beside(key, &mut short);
        }
        let long_count = if key.is_short() { 0 } else { cache.get_long(key, piece, &mut long) };
        assert!(count == 0 || long_count == 0);
        match (count, long_count) {
            (0, 0) => None,
            (0, count) => Some(long[..count].to_vec()),
            (count, _) => Some(short[..count].to_vec()),
        }
    }

    #[test]
    fn what_comes_back_is_what_was_kept() {
        let mut cache = PieceCache::new().unwrap();
        let mut found = [0, 0];
        for _ in 0..2 {
            for number in 0..200_000_u32 {
                let piece = format!("{number}{}", "x".repeat(number as usize % 63));
                let ids: Vec<u32> = (0..=number % 18).map(|index| number + index).collect();
                let key = key(piece.as_bytes());
                if let Some(known) = get(&mut cache, piece.as_bytes()) {
                    assert_eq!(known, ids);
                    found[usize::from(key.is_short())] += 1;
                }
                cache.make_room();
                cache.insert(key, piece.as_bytes(), &ids);
                let kept = get(&mut cache, piece.as_bytes());
                let most = if key.is_short() { SHORT_IDS } else { LONG_IDS };
                let keeps = ids.len() <= most && piece.len() <= LONG;
                assert_eq!(kept.is_some(), keeps, "{piece}");
                assert!(kept.is_none_or(|known| known == ids));
            }
        }
        assert!(found.iter().all(|&found| found > 1_000), "{found:?}");
        assert!(cache.short.len() > FEWEST_LINES && cache.short.len() <= MOST_LINES);
    }

    #[test]
    fn ids_beyond_24_bits_are_not_kept_in_a_short_slot() {
        let mut cache = PieceCache::new().unwrap();
        let key = key(b"ab");
        cache.insert(key, b"ab", &[1 << COUNT_SHIFT]);
        cache.insert(key, b"ab", &[1, 2, 3, 4, 5]);
        assert_eq!(get(&mut cache, b"ab"), None);
        let largest = (1 << COUNT_SHIFT) - 1;
        cache.insert(key, b"ab", &[1, 2, 3, largest]);
        assert_eq!(get(&mut cache, b"ab"), Some(vec![1, 2, 3, largest]));
        let piece = b"longer than fifteen";
        let key = self::key(piece);
        cache.insert(key, piece, &[u32::MAX, 0, 7]);
        assert_eq!(get(&mut cache, piece), Some(vec![u32::MAX, 0, 7]));
    }

    #[test]
    fn the_text_around_a_piece_does_not_matter() {
        let text = b"ab cdefghijklmnopqrstuvw ab";
        let part = |start, end| level::run(Make(text, start, end));
        assert_eq!(part(0, 2), part(25, 27));
        assert_ne!(part(0, 2), key(b"ab\0"));
        assert!(!part(0, 16).is_short() && part(0, 15).is_short());
        assert_eq!(part(3, 24), key(b"cdefghijklmnopqrstuvw"));
    }
}
