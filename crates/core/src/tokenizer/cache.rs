//! Tokens of pieces that were met before.
//!
//! Nearly all pieces of a text are short and were met before, so this is where encoding spends its time.
//! A piece of up to 15 bytes is one 128-bit number, its slot holds the ids themselves, two slots that may
//! hold a piece lie in one line of the processor's cache, and that line is fetched ahead while earlier pieces
//! are looked up. Pieces of up to 63 bytes have a table of their own, with room for more ids. The tables
//! never grow: their memory is bounded and they are as fast on the first pass as on later ones.
#![allow(clippy::inline_always, reason = "compiled inside a task, once for each level of processor")]

use crate::simd::level::Level;
use crate::simd::prefetch_line;

/// Pieces up to this many bytes are a number.
const SHORT: usize = 15;
/// Pieces up to this many bytes are kept.
const LONG: usize = 63;
/// Tokens that are kept of a short piece.
pub(super) const SHORT_IDS: usize = 4;
/// Tokens that are kept of a longer one.
pub(super) const LONG_IDS: usize = 15;
/// Lines of two slots for short pieces: 4 MB. Less forgets too much of English, more no longer fits the
/// second-level cache.
const SHORT_LINES: usize = 1 << 16;
/// Slots of two lines for longer pieces: 4 MB.
const LONG_SLOTS: usize = 1 << 15;
/// Ids share their number with the count of ids in the slot.
const COUNT_SHIFT: u32 = 24;

/// Words in a line of the processor's cache.
const LINE: usize = 8;
/// A slot for a short piece: key (low and high half), then four ids, the highest byte of which holds
/// their number.
const SLOT: usize = 4;
/// A slot for a longer piece: a line of bytes, the last of which is their number, and a line of ids, the
/// last of which is their number.
const LONG_SLOT: usize = 2 * LINE;

/// A bounded memory of pieces and their ids; newer pieces take the place of older ones.
#[derive(Debug)]
pub(super) struct PieceCache {
    short: Lines,
    long: Lines,
}

/// Words in whole lines. Memory that was never written to costs nothing.
#[derive(Debug)]
struct Lines {
    words: Vec<u64>,
    /// Where the first line begins.
    start: usize,
}

impl Lines {
    fn new(lines: usize) -> Self {
        let words = vec![0; (lines + 1) * LINE];
        let start = words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        Self { words, start }
    }

    #[inline(always)]
    fn get<const WORDS: usize>(&self, line: usize) -> &[u64; WORDS] {
        // Places come from `Place::new` and are below the number of lines, so there always is one.
        self.words[self.start + line * LINE..].first_chunk().unwrap_or(&[0; WORDS])
    }

    #[inline]
    fn get_mut(&mut self, line: usize, words: usize) -> &mut [u64] {
        &mut self.words[self.start + line * LINE..][..words]
    }
}

/// A piece as the tables know it, and where it lies in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// The bytes of a short piece with their number in the last byte.
    halves: [u64; 2],
    /// The line of its slot.
    line: u32,
}

/// What stands for the number of bytes of a piece that is not short.
const NOT_SHORT: u64 = 0xFF << 56;
/// The line of pieces that no table keeps.
const NOWHERE: u32 = u32::MAX;

impl Key {
    /// The piece between two offsets of a text.
    #[inline(always)]
    pub(super) fn new(level: impl Level, text: &[u8], start: u32, end: u32) -> Self {
        let (start, length) = (start as usize, (end - start) as usize);
        if length > SHORT {
            return Self::long(level, text, start, length);
        }
        let [low, high] = level.load16(text, start, length);
        let halves = [low, high | (length as u64) << 56];
        let mixed = level.mix(level.mix(0, halves[0]), halves[1]);
        Self { halves, line: (mixed as usize % SHORT_LINES) as u32 }
    }

    #[inline(always)]
    fn long(level: impl Level, text: &[u8], start: usize, length: usize) -> Self {
        let line = if length > LONG {
            NOWHERE
        } else {
            let words = level.load64(text, start, length);
            let mixed = words.iter().fold(length as u64, |seed, &word| level.mix(seed, word));
            (mixed as usize % LONG_SLOTS * 2) as u32
        };
        Self { halves: [0, NOT_SHORT], line }
    }

    /// Whether the piece is at most 15 bytes long.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.halves[1] < NOT_SHORT
    }
}

impl Default for PieceCache {
    fn default() -> Self {
        Self { short: Lines::new(SHORT_LINES), long: Lines::new(2 * LONG_SLOTS) }
    }
}

impl PieceCache {
    /// Has the slots of a piece fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: Key) {
        if key.is_short() {
            prefetch_line(&self.short.get::<1>(key.line as usize)[0]);
        } else if key.line != NOWHERE {
            let [bytes, .., ids] = self.long.get::<{ LINE + 1 }>(key.line as usize);
            prefetch_line(bytes);
            prefetch_line(ids);
        }
    }

    /// Writes the ids of a short piece to `ids` and returns their number, 0 if it is not known or not short.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, ids: &mut [u32; SHORT_IDS]) -> usize {
        // A line of the other table is one of this one too, and no slot holds the halves of a longer piece.
        let set: &[u64; LINE] = self.short.get(key.line as usize % SHORT_LINES);
        let [low, high] = key.halves;
        // Which of the two it is cannot be foreseen, so nothing branches on it.
        let slot = &set[usize::from(set[SLOT] == low && set[SLOT + 1] == high) * SLOT..][..SLOT];
        let known = slot[0] == low && slot[1] == high;
        let last = (slot[3] >> 32) as u32;
        *ids = [
            slot[2] as u32,
            (slot[2] >> 32) as u32,
            slot[3] as u32,
            last & ((1 << COUNT_SHIFT) - 1),
        ];
        if known { (last >> COUNT_SHIFT) as usize } else { 0 }
    }

    /// The same for a piece that is not short.
    #[inline]
    pub(super) fn get_long(&self, key: Key, piece: &[u8], ids: &mut [u32; LONG_IDS]) -> usize {
        if key.line == NOWHERE {
            return 0;
        }
        let slot: &[u64; LONG_SLOT] = self.long.get(key.line as usize);
        let (bytes, known) = slot.split_at(LINE);
        let expected = words_of(piece);
        if bytes.iter().zip(expected).fold(0, |other, (&word, expected)| other | (word ^ expected)) != 0 {
            return 0;
        }
        for (place, id) in ids.iter_mut().enumerate() {
            *id = (known[place / 2] >> (32 * (place % 2))) as u32;
        }
        (known[LINE - 1] >> 32) as usize
    }

    /// Keeps the ids of a piece that is not known yet.
    #[inline]
    pub(super) fn insert(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        if key.is_short() {
            if (1..=SHORT_IDS).contains(&ids.len()) && ids.iter().all(|id| id >> COUNT_SHIFT == 0) {
                self.insert_short(key, ids);
            }
        } else if key.line != NOWHERE && (1..=LONG_IDS).contains(&ids.len()) {
            self.insert_long(key, piece, ids);
        }
    }

    fn insert_long(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        let slot = self.long.get_mut(key.line as usize, LONG_SLOT);
        let (bytes, known) = slot.split_at_mut(LINE);
        bytes.copy_from_slice(&words_of(piece));
        known.fill(0);
        for (place, &id) in ids.iter().enumerate() {
            known[place / 2] |= u64::from(id) << (32 * (place % 2));
        }
        known[LINE - 1] |= (ids.len() as u64) << 32;
    }

    fn insert_short(&mut self, key: Key, ids: &[u32]) {
        let mut four = [0; SHORT_IDS];
        four[..ids.len()].copy_from_slice(ids);
        four[3] |= (ids.len() as u32) << COUNT_SHIFT;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let slot = [key.halves[0], key.halves[1], pair(four[0], four[1]), pair(four[2], four[3])];
        let set = self.short.get_mut(key.line as usize, LINE);
        set.copy_within(..SLOT, SLOT);
        set[..SLOT].copy_from_slice(&slot);
    }
}

/// The bytes of a piece of at most 63, with their number in the last one.
#[inline]
fn words_of(piece: &[u8]) -> [u64; LINE] {
    let mut bytes = [0; LINE * size_of::<u64>()];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[LONG] = piece.len() as u8;
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|place| u64::from_le_bytes(words[place]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::level::{self, Task};

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

    fn get(cache: &PieceCache, piece: &[u8]) -> Option<Vec<u32>> {
        let key = key(piece);
        let (mut short, mut long) = ([0; SHORT_IDS], [0; LONG_IDS]);
        let count = cache.get(key, &mut short);
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
        let mut cache = PieceCache::default();
        let mut found = [0, 0];
        for _ in 0..2 {
            for number in 0..200_000_u32 {
                let piece = format!("{number}{}", "x".repeat(number as usize % 63));
                let ids: Vec<u32> = (0..=number % 18).map(|index| number + index).collect();
                let key = key(piece.as_bytes());
                if let Some(known) = get(&cache, piece.as_bytes()) {
                    assert_eq!(known, ids);
                    found[usize::from(key.is_short())] += 1;
                }
                cache.insert(key, piece.as_bytes(), &ids);
                let kept = get(&cache, piece.as_bytes());
                let most = if key.is_short() { SHORT_IDS } else { LONG_IDS };
                let keeps = ids.len() <= most && piece.len() <= LONG;
                assert_eq!(kept.is_some(), keeps, "{piece}");
                assert!(kept.is_none_or(|known| known == ids));
            }
        }
        assert!(found.iter().all(|&found| found > 5_000), "{found:?}");
    }

    #[test]
    fn ids_beyond_24_bits_are_not_kept_in_a_short_slot() {
        let mut cache = PieceCache::default();
        let key = key(b"ab");
        cache.insert(key, b"ab", &[1 << COUNT_SHIFT]);
        cache.insert(key, b"ab", &[1, 2, 3, 4, 5]);
        assert_eq!(get(&cache, b"ab"), None);
        let largest = (1 << COUNT_SHIFT) - 1;
        cache.insert(key, b"ab", &[1, 2, 3, largest]);
        assert_eq!(get(&cache, b"ab"), Some(vec![1, 2, 3, largest]));
        let piece = b"longer than fifteen";
        let key = self::key(piece);
        cache.insert(key, piece, &[u32::MAX, 0, 7]);
        assert_eq!(get(&cache, piece), Some(vec![u32::MAX, 0, 7]));
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
