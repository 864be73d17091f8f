//! Tokens of pieces that were met before.
//!
//! Nearly all pieces of a text are short and were met before, so this is where encoding spends its time.
//! A piece of up to 15 bytes is one 128-bit number, its slot holds the ids themselves, two slots that may
//! hold a piece lie in one line of the processor's cache, and that line is fetched ahead while earlier pieces
//! are looked up. Longer pieces, and those of more than four tokens, have records ([`Records`]). Memory is
//! bounded: the table of slots grows with the number of different pieces, from 1 MB up to 16 MB, and so do
//! records, up to 18 MB.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::lines::{Lines, Word};
use super::records::{MOST_BYTES, Place, Records};
use crate::error::Result;
use crate::simd::level::{self, Level, Task};

/// Pieces up to this many bytes are a number.
const SHORT: usize = 15;
/// Tokens that are kept in a slot.
pub(super) const SLOT_IDS: usize = 4;
/// Lines of two slots for short pieces, 1 MB, to begin with.
const FEWEST_LINES: usize = 1 << 14;
/// As many as there can be, 16 MB: 100 MB of English have 240,000 different pieces.
const MOST_LINES: usize = 1 << 18;
/// Ids share their number with the count of ids in the slot.
const COUNT_SHIFT: u32 = 24;

/// What stands for the number of ids of a piece that has a record.
const HAS_RECORD: u32 = 0xFF;

/// Words in a line.
const LINE: usize = 8;
/// A slot for a short piece: its number of 128 bits, then four ids, the highest byte of which holds their
/// number.
const SLOT: usize = 4;
/// A bounded memory of pieces and their ids; newer pieces take the place of older ones.
#[derive(Debug)]
pub(super) struct PieceCache {
    short: Lines,
    records: Records,
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
}

/// What stands for the number of bytes of a piece that is not short.
const NOT_SHORT: u64 = 0xFE << 56;
/// What stands for it if the piece is so long that it is not kept.
const NOT_KEPT: u64 = 0xFF << 56;
/// Bytes of a longer piece that are mixed at a time.
const PART: usize = 64;

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
        Self { halves, hash }
    }

    #[inline(always)]
    fn long(level: impl Level, text: &[u8], start: usize, length: usize) -> Self {
        if length > MOST_BYTES {
            return Self { halves: [0, NOT_KEPT], hash: 0 };
        }
        let mut mixed = length as u64;
        for part in (0..length).step_by(PART) {
            for word in level.load64(text, start + part, (length - part).min(PART)) {
                mixed = level.mix(mixed, word);
            }
        }
        Self { halves: [0, NOT_SHORT], hash: mixed as u32 }
    }

    /// Whether the piece is at most 15 bytes long.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.halves[1] < NOT_SHORT
    }

    #[inline]
    fn is_kept(self) -> bool {
        self.halves[1] < NOT_KEPT
    }
}

impl PieceCache {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { short: Lines::new(FEWEST_LINES)?, records: Records::new()?, kept: 0 })
    }

    /// Has the slots of a piece fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: Key) {
        if key.is_short() {
            self.short.prefetch(key.hash as usize);
        } else if key.is_kept() {
            self.records.prefetch(key.hash);
        }
    }

    /// Writes the ids of a piece to `ids` and returns their number, or another number if its slot does not hold
    /// them.
    #[inline(always)]
    fn get(&self, key: Key, ids: &mut [u32; SLOT_IDS]) -> usize {
        // No slot holds the halves of a longer piece.
        let line: &[Word; LINE] = self.short.get(key.hash as usize);
        // Which of the two it is cannot be foreseen, so nothing branches on it. The newer one comes first.
        let slot = usize::from(difference(line, 0, key) != 0) * SLOT;
        if difference(line, slot, key) != 0 {
            return 0;
        }
        let (low, high) = (u64::from_le_bytes(line[slot + 2]), u64::from_le_bytes(line[slot + 3]));
        let fourth = (high >> 32) as u32 & ((1 << COUNT_SHIFT) - 1);
        *ids = [low as u32, (low >> 32) as u32, high as u32, fourth];
        (high >> (u32::BITS + COUNT_SHIFT)) as usize
    }

    /// Writes the ids of pieces to `ids` from `filled` on, each over what is left of the four before, and stops
    /// at the first whose slot does not hold them. Returns the number of pieces, and where the last ids end.
    #[inline]
    pub(super) fn get_all(
        &self,
        keys: &[Key],
        ids: &mut [u32],
        mut filled: usize,
    ) -> (usize, usize) {
        let mut number = 0;
        while number < keys.len()
            && let Some((_, room)) = ids.split_at_mut_checked(filled)
            && let Some(room) = room.first_chunk_mut()
        {
            let count = self.get(keys[number], room);
            if !(1..=SLOT_IDS).contains(&count) {
                break;
            }
            (filled, number) = (filled + count, number + 1);
        }
        (number, filled)
    }

    /// Appends the ids of a piece, wherever they are kept; returns whether it is known.
    #[inline(never)]
    pub(super) fn append(&mut self, key: Key, piece: &[u8], ids: &mut Vec<u32>) -> bool {
        let record = if key.is_short() {
            let mut slot = [0; SLOT_IDS];
            let mut count = self.get(key, &mut slot);
            // Nothing was pushed out of a line that has room.
            let is_full = self.short.get::<LINE>(key.hash as usize)[SLOT + 1] != [0; 8];
            if count == 0 && is_full {
                if self.is_beside(key) {
                    count = self.get(key, &mut slot);
                } else {
                    let record = self.records.find(key.hash, piece);
                    return record.map(|record| ids.extend(record.ids())).is_some();
                }
            }
            if (1..=SLOT_IDS).contains(&count) {
                ids.extend_from_slice(&slot[..count]);
                return true;
            }
            let [word, age, ..] = slot;
            if count == 0 { None } else { self.records.at(Place { word, age }) }
        } else if key.is_kept() {
            self.records.find(key.hash, piece)
        } else {
            None
        };
        record.map(|record| ids.extend(record.ids())).is_some()
    }

    /// Whether the line beside, where slots go that were pushed out of their own, holds a short piece; it is
    /// moved back then.
    fn is_beside(&mut self, key: Key) -> bool {
        let beside = key.hash ^ 1;
        let line = self.short.get_mut(beside as usize, LINE);
        for place in [0, SLOT] {
            let slot = take(line, place);
            if slot[..2] == key.halves.map(u64::to_le_bytes) {
                // It comes first in its own line, and the last of that one goes where it was.
                let out = put_first(self.short.get_mut(key.hash as usize, LINE), slot);
                self.short.get_mut(beside as usize, LINE)[place..place + SLOT]
                    .copy_from_slice(&out);
                return true;
            }
        }
        false
    }

    /// Keeps the ids of a piece that is not known yet.
    #[inline]
    pub(super) fn insert(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        if !key.is_kept() {
            return;
        }
        let is_narrow = || ids.iter().all(|id| id >> COUNT_SHIFT == 0);
        if key.is_short() && (1..=SLOT_IDS).contains(&ids.len()) && is_narrow() {
            let mut four = [0; SLOT_IDS];
            four[..ids.len()].copy_from_slice(ids);
            self.insert_short(key, four, ids.len() as u32);
        } else if let Some(place) = self.records.insert(piece, ids) {
            if key.is_short() {
                self.insert_short(key, [place.word, place.age, 0, 0], HAS_RECORD);
            } else {
                self.records.list(key.hash, place);
            }
        }
    }

    fn insert_short(&mut self, key: Key, mut four: [u32; SLOT_IDS], count: u32) {
        four[3] |= count << COUNT_SHIFT;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [low, high] = key.halves;
        let slot = [low, high, pair(four[0], four[1]), pair(four[2], four[3])];
        self.kept += 1;
        if let Some(out) = put(&mut self.short, key.hash, slot.map(u64::to_le_bytes)) {
            self.keep_elsewhere(out);
        }
    }

    /// Gives what no line has room for a record.
    #[cold]
    fn keep_elsewhere(&mut self, slot: [Word; SLOT]) {
        let [low, high, first, last] = slot.map(u64::from_le_bytes);
        let mut bytes = [low, high].map(u64::to_le_bytes);
        let bytes = bytes.as_flattened_mut();
        let length = std::mem::take(&mut bytes[SHORT]) as usize;
        let hash = level::run(MakeShortKey([low, high])).hash;
        let (count, fourth) = ((last >> 32) as u32 >> COUNT_SHIFT, (last >> 32) as u32);
        let fourth = fourth & ((1 << COUNT_SHIFT) - 1);
        let ids = [first as u32, (first >> 32) as u32, last as u32, fourth];
        if count == HAS_RECORD {
            let place = Place { word: ids[0], age: ids[1] };
            if self.records.at(place).is_some() {
                self.records.list(hash, place);
            }
        } else if let Some(place) =
            self.records.insert(&bytes[..length], &ids[..SLOT_IDS.min(count as usize)])
        {
            self.records.list(hash, place);
        }
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

/// Puts a slot first in its line; what that pushes out takes the last place of the line beside, and what was
/// there comes back.
#[inline]
fn put(table: &mut Lines, hash: u32, slot: [Word; SLOT]) -> Option<[Word; SLOT]> {
    let mut out = put_first(table.get_mut(hash as usize, LINE), slot);
    if out[1] != [0; 8] {
        let beside = table.get_mut((hash ^ 1) as usize, LINE);
        let place = if beside[1] == [0; 8] { 0 } else { SLOT };
        beside[place..place + SLOT].swap_with_slice(&mut out);
    }
    (out[1] != [0; 8]).then_some(out)
}

/// Makes the key of a short piece from its bytes and their number.
struct MakeShortKey([u64; 2]);

impl Task for MakeShortKey {
    type Output = Key;

    #[inline(always)]
    fn run(self, level: impl Level) -> Key {
        Key::short(level, self.0)
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
                // What the larger table has no room for is forgotten.
                put(self.to, Key::short(level, halves).hash, *slot);
            }
        }
    }
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
        let mut slot = [0; SLOT_IDS];
        let count = cache.get(key, &mut slot);
        if (1..=SLOT_IDS).contains(&count) {
            return Some(slot[..count].to_vec());
        }
        let mut ids = Vec::new();
        cache.append(key, piece, &mut ids).then_some(ids)
    }

    #[test]
    fn what_comes_back_is_what_was_kept() {
        let mut cache = PieceCache::new().unwrap();
        let mut found = [0, 0];
        for _ in 0..2 {
            for number in 0..100_000_u32 {
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
                assert_eq!(kept, Some(ids), "{piece}");
            }
        }
        assert!(found.iter().all(|&found| found > 1_000), "{found:?}");
        assert!(cache.short.len() > FEWEST_LINES && cache.short.len() <= MOST_LINES);
    }

    #[test]
    fn what_does_not_fit_a_slot_has_a_record() {
        let mut cache = PieceCache::new().unwrap();
        let key = key(b"ab");
        for ids in [vec![1 << COUNT_SHIFT], vec![1, 2, 3, 4, 5], vec![7; 255]] {
            cache.insert(key, b"ab", &ids);
            assert_eq!(get(&mut cache, b"ab"), Some(ids));
        }
        let mut cache = PieceCache::new().unwrap();
        cache.insert(key, b"ab", &[7; 256]);
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
