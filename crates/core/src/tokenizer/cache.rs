//! Tokens of pieces that were met before.
//!
//! Nearly all pieces of a text are short and were met before, so this is where encoding spends its time.
//! A piece of up to 15 bytes is one 128-bit number, its slot holds the ids themselves, each in as few bits as the
//! vocabulary needs, two slots that may hold a piece lie in one line of the processor's cache, and that line is
//! fetched ahead while earlier pieces are looked up. Longer pieces, and those of more tokens than a slot has room
//! for (seven of 100,000 different ones), have records ([`Records`]). Memory is bounded: the table of slots grows
//! with the number of different pieces, from 1 MB up to 16 MB, and so do records, up to 18 MB.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use super::key::{Key, MakeShortKey, SHORT};
use super::lines::{LINE, Lines, Word};
use super::records::{Place, Records};
use super::slots::{Ids, SLOT, Slots, Spread, put, put_first, take};
use crate::error::Result;
use crate::simd::fields::Fields;
use crate::simd::level::{self, Level, Task};

/// Tokens of a piece that are written without a longer look.
pub(super) const MOST_KNOWN: usize = 16;
/// Lines of two slots for short pieces, 1 MB, to begin with.
const FEWEST_LINES: usize = 1 << 14;
/// As many as there can be, 16 MB: 100 MB of English have 240,000 different pieces.
const MOST_LINES: usize = 1 << 18;

/// What stands for the number of ids of a piece that has a record.
const HAS_RECORD: u8 = 0xFF;

/// A bounded memory of pieces and their ids; newer pieces take the place of older ones.
#[derive(Debug)]
pub(super) struct PieceCache {
    short: Lines,
    /// How ids lie in a slot.
    fields: Fields,
    records: Records,
    /// Short pieces that were kept since the table last grew.
    kept: usize,
}

impl PieceCache {
    /// A memory for ids that are smaller than `vocabulary`; others only find room in records.
    pub(super) fn new(vocabulary: usize) -> Result<Self> {
        let largest = u32::try_from(vocabulary.saturating_sub(1)).unwrap_or(u32::MAX);
        let (short, fields) = (Lines::new(FEWEST_LINES, MOST_LINES)?, Fields::new(largest));
        Ok(Self { short, fields, records: Records::new()?, kept: 0 })
    }

    /// The slots of short pieces.
    #[inline(always)]
    pub(super) fn slots(&self) -> Slots<'_> {
        Slots { lines: self.short.all(), is_crowded: self.short.len() == MOST_LINES }
    }

    /// Has what tells where the record of a longer piece is fetched.
    #[inline]
    pub(super) fn prefetch_long(&self, key: Key) {
        if key.is_kept() {
            self.records.prefetch(key.hash);
        }
    }

    /// Has the record of a longer piece fetched, once what tells where it is has come.
    #[inline]
    pub(super) fn prefetch_record(&self, key: Key) {
        if key.is_kept() {
            self.records.prefetch_record(key.hash);
        }
    }

    /// The second half of the slot of a piece.
    #[inline]
    fn get(&self, key: Key) -> Option<&Ids> {
        self.slots().get(key)
    }

    /// Writes the ids of pieces to `ids` from `filled` on, each over what is left of those before, and stops at the
    /// first that is not known, or takes a longer look. Returns the number of pieces, and where the last ids end.
    #[inline]
    pub(super) fn get_all(
        &self,
        pieces: &Keyed<'_>,
        ids: &mut [u32],
        filled: usize,
    ) -> (usize, usize) {
        level::run(GetAll { cache: self, pieces, ids, filled })
    }

    /// Writes the ids of a longer piece to `ids` from `filled` on and returns their number; zero if this is none, if it
    /// is not known, or if it has too many.
    #[inline(never)]
    fn copy_long(
        &self,
        pieces: &Keyed<'_>,
        number: usize,
        ids: &mut [u32],
        filled: usize,
    ) -> usize {
        let Keyed { keys, starts, ends, text } = *pieces;
        let room = ids.get_mut(filled..).and_then(<[u32]>::first_chunk_mut::<MOST_KNOWN>);
        let (Some(key), Some(room)) = (keys.get(number), room) else { return 0 };
        if key.is_short() || !key.is_kept() {
            return 0;
        }
        let piece = &text[starts[number] as usize..ends[number] as usize];
        self.records.copy(key.hash, piece, room)
    }

    /// Appends the ids of a piece, wherever they are kept; returns whether it is known.
    #[inline(never)]
    pub(super) fn append(&mut self, key: Key, piece: &[u8], ids: &mut Vec<u32>) -> bool {
        let record = if key.is_short() {
            let mut found = self.get(key).copied();
            // Nothing was pushed out of a line that has room.
            let is_full = self.short.get(key.hash as usize)[SLOT + 1] != [0; 8];
            if found.is_none() && is_full {
                if self.is_beside(key) {
                    found = self.get(key).copied();
                } else {
                    let record = self.records.find(key.hash, piece);
                    return record.map(|record| ids.extend(record.ids())).is_some();
                }
            }
            let Some(found) = found else { return false };
            let count = found[SHORT];
            if count != HAS_RECORD {
                ids.extend_from_slice(&self.fields.unpack(&found)[..usize::from(count)]);
                return true;
            }
            self.records.at(place_in(&found))
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
        if key.is_short()
            && !ids.is_empty()
            && let Some(packed) = self.fields.pack(ids, ids.len() as u8)
        {
            self.insert_short(key, packed);
        } else if let Some(place) = self.records.insert(piece, ids) {
            if key.is_short() {
                self.insert_short(key, bytes_of(place));
            } else {
                self.records.list(key.hash, place);
            }
        }
    }

    fn insert_short(&mut self, key: Key, ids: Ids) {
        let [low, high] = key.halves.map(u64::to_le_bytes);
        let mut slot = [low, high, [0; 8], [0; 8]];
        slot[2..].as_flattened_mut().copy_from_slice(&ids);
        self.kept += 1;
        if let Some(out) = put(&mut self.short, key.hash, slot) {
            self.keep_elsewhere(out);
        }
    }

    /// Gives what no line has room for a record.
    #[cold]
    fn keep_elsewhere(&mut self, slot: [Word; SLOT]) {
        let [low, high, ..] = slot.map(u64::from_le_bytes);
        let hash = level::run(MakeShortKey([low, high])).hash;
        let (bytes, found) = slot.as_flattened().split_at(size_of::<Ids>());
        let (length, found) = (usize::from(bytes[SHORT]), found.first_chunk().unwrap_or(&[0; 16]));
        if found[SHORT] == HAS_RECORD {
            let place = place_in(found);
            if self.records.at(place).is_some() {
                self.records.list(hash, place);
            }
            return;
        }
        let ids = self.fields.unpack(found);
        let count = ids.len().min(usize::from(found[SHORT]));
        if let Some(place) = self.records.insert(&bytes[..length], &ids[..count]) {
            self.records.list(hash, place);
        }
    }

    /// Grows if so many pieces were kept that others are soon forgotten.
    #[inline]
    pub(super) fn make_room(&mut self) {
        if self.kept >= self.short.len() / 2 && self.short.len() < MOST_LINES {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.kept = 0;
        let before = self.short.len();
        self.short.double();
        level::run(Spread { table: &mut self.short, before });
    }
}

/// What stands in a slot for a record.
fn bytes_of(Place { word, age }: Place) -> Ids {
    let place = u64::from(word) | u64::from(age) << u32::BITS;
    (u128::from(place) | u128::from(HAS_RECORD) << 120).to_le_bytes()
}

fn place_in(slot: &Ids) -> Place {
    let place = u128::from_le_bytes(*slot) as u64;
    Place { word: place as u32, age: (place >> u32::BITS) as u32 }
}

/// Neighboring pieces with their keys.
#[derive(Debug)]
pub(super) struct Keyed<'a> {
    pub(super) keys: &'a [Key],
    pub(super) starts: &'a [u32],
    pub(super) ends: &'a [u32],
    /// What starts and ends are counted in.
    pub(super) text: &'a [u8],
}

/// Writes the ids of pieces one after the other.
struct GetAll<'a> {
    cache: &'a PieceCache,
    pieces: &'a Keyed<'a>,
    ids: &'a mut [u32],
    filled: usize,
}

impl Task for GetAll<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(self, level: impl Level) -> (usize, usize) {
        let Self { cache, pieces, ids, mut filled } = self;
        let keys = pieces.keys;
        let slots = cache.slots();
        let mut number = 0;
        loop {
            while number < keys.len()
                && let Some((_, room)) = ids.split_at_mut_checked(filled)
                && let Some(room) = room.first_chunk_mut()
                && let Some(found) = slots.get(keys[number])
                && found[SHORT] != HAS_RECORD
            {
                level.numbers(found, &cache.fields, room);
                (filled, number) = (filled + usize::from(found[SHORT]), number + 1);
            }
            // Few pieces come here, and what they need must not take registers from the others.
            let count = cache.copy_long(pieces, number, ids, filled);
            if count == 0 {
                return (number, filled);
            }
            (filled, number) = (filled + count, number + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: usize = 120_000;

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
        let mut room = [0; MOST_KNOWN];
        let (starts, ends) = (&[0], &[piece.len() as u32]);
        let pieces = Keyed { keys: &[key], starts, ends, text: piece };
        if let (1, count) = cache.get_all(&pieces, &mut room, 0) {
            return Some(room[..count].to_vec());
        }
        let mut ids = Vec::new();
        cache.append(key, piece, &mut ids).then_some(ids)
    }

    #[test]
    fn what_comes_back_is_what_was_kept() {
        let mut cache = PieceCache::new(VOCABULARY).unwrap();
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
        let mut cache = PieceCache::new(VOCABULARY).unwrap();
        let key = key(b"ab");
        for ids in [vec![1 << 17], vec![1; 7], vec![1; 8], vec![7; 255]] {
            cache.insert(key, b"ab", &ids);
            assert_eq!(get(&mut cache, b"ab"), Some(ids));
        }
        let mut cache = PieceCache::new(VOCABULARY).unwrap();
        cache.insert(key, b"ab", &[7; 256]);
        assert_eq!(get(&mut cache, b"ab"), None);
        let largest = VOCABULARY as u32 - 1;
        cache.insert(key, b"ab", &[1, 2, 3, 4, 5, 6, largest]);
        assert_eq!(get(&mut cache, b"ab"), Some(vec![1, 2, 3, 4, 5, 6, largest]));
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
