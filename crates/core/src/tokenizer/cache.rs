//! Tokens of pieces that were met before.
//!
//! Nearly all pieces of a text are short and were met before, so this is where encoding spends its time.
//! A piece of up to 15 bytes is one 128-bit number, its slot holds the ids themselves, two slots that may
//! hold a piece lie in one line of the processor's cache, and that line is fetched ahead while earlier pieces
//! are looked up. The table never grows: its memory is bounded and it is as fast on the first pass as on
//! later ones.

use rustc_hash::FxHashMap;

use crate::simd::prefetch_line;

/// Pieces up to this many bytes are kept inside their slot.
const SHORT: usize = 15;
/// Longer pieces than this are rare and not kept.
const LONG: usize = 96;
/// Tokens that are kept inside a slot.
pub(super) const INLINE_IDS: usize = 4;
/// Sets of two slots: 4 MB. Less forgets too much of English, more no longer fits the second-level cache.
const SETS: usize = 1 << 16;
const LONG_ENTRIES: usize = 1 << 15;
/// Ids share their number with the count of ids in the slot.
const COUNT_SHIFT: u32 = 24;

/// A slot: key (low and high half), then four ids, the highest byte of which holds their number.
const SLOT: usize = 4;
/// Two slots: a line of the processor's cache.
const SET: usize = 2 * SLOT;

/// A bounded memory of pieces and their ids; newer pieces take the place of older ones.
#[derive(Debug, Default)]
pub(super) struct PieceCache {
    /// Sets of slots; empty until the first piece is kept.
    slots: Vec<u64>,
    /// Where the first set begins, so that each has a cache line of its own.
    start: usize,
    long: FxHashMap<Box<[u8]>, Box<[u32]>>,
}

/// A piece of at most 15 bytes, or zero for a longer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key(u128);

impl Key {
    /// The piece between two offsets of a text.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize) -> Self {
        let length = end - start;
        if length > SHORT || length == 0 {
            return Self(0);
        }
        // A load of fixed size is several times faster than a copy of the exact length.
        let bytes = if let Some(bytes) = text[start..].first_chunk() {
            u128::from_le_bytes(*bytes) & ((1 << (8 * length)) - 1)
        } else {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(bytes)
        };
        Self(bytes | (length as u128) << 120)
    }

    /// Whether the piece fits into a slot.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.0 != 0
    }

    /// Where the set of the piece begins, from the first one on.
    #[inline]
    fn set(self) -> usize {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let product =
            u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
        (product as u64 ^ (product >> 64) as u64) as usize % SETS * SET
    }
}

impl PieceCache {
    /// Has the slots of a piece fetched.
    #[inline]
    pub(super) fn prefetch(&self, key: Key) {
        if let Some(first) = self.slots.get(self.start + key.set()) {
            prefetch_line(first);
        }
    }

    /// Writes the ids of a short piece to the start of `ids` and returns their number, 0 if it is not known.
    ///
    /// What follows them in `ids` is overwritten.
    #[inline]
    pub(super) fn get(&self, key: Key, ids: &mut [u32; INLINE_IDS]) -> usize {
        let at = self.start + key.set();
        let Some(set) = self.slots.get(at..at + SET) else { return 0 };
        let (low, high) = (key.0 as u64, (key.0 >> 64) as u64);
        // Which of the two it is cannot be foreseen, so nothing branches on it.
        let slot = &set[usize::from(set[SLOT] == low && set[SLOT + 1] == high) * SLOT..][..SLOT];
        if slot[0] != low || slot[1] != high {
            return 0;
        }
        let last = (slot[3] >> 32) as u32;
        *ids = [
            slot[2] as u32,
            (slot[2] >> 32) as u32,
            slot[3] as u32,
            last & ((1 << COUNT_SHIFT) - 1),
        ];
        (last >> COUNT_SHIFT) as usize
    }

    /// The ids of a long piece, if they are known.
    pub(super) fn get_long(&self, piece: &[u8]) -> Option<&[u32]> {
        self.long.get(piece).map(AsRef::as_ref)
    }

    /// Keeps the ids of a piece that is not known yet.
    pub(super) fn insert(&mut self, key: Key, piece: &[u8], ids: &[u32]) {
        if !key.is_short() {
            if piece.len() <= LONG {
                self.insert_long(piece, ids);
            }
        } else if (1..=INLINE_IDS).contains(&ids.len())
            && ids.iter().all(|id| id >> COUNT_SHIFT == 0)
        {
            self.insert_short(key, ids);
        }
    }

    fn insert_long(&mut self, piece: &[u8], ids: &[u32]) {
        if self.long.len() >= LONG_ENTRIES {
            self.long.clear();
        }
        self.long.insert(piece.into(), ids.into());
    }

    fn insert_short(&mut self, key: Key, ids: &[u32]) {
        if self.slots.is_empty() {
            // Zeroed memory costs nothing until it is touched.
            self.slots = vec![0; (SETS + 1) * SET];
            self.start = self.slots.as_ptr().align_offset(SET * size_of::<u64>()).min(SET);
        }
        let mut four = [0; INLINE_IDS];
        four[..ids.len()].copy_from_slice(ids);
        four[3] |= (ids.len() as u32) << COUNT_SHIFT;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let slot =
            [key.0 as u64, (key.0 >> 64) as u64, pair(four[0], four[1]), pair(four[2], four[3])];
        let at = self.start + key.set();
        self.slots.copy_within(at..at + SLOT, at + SLOT);
        self.slots[at..at + SLOT].copy_from_slice(&slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &PieceCache, piece: &[u8]) -> Option<Vec<u32>> {
        let key = Key::new(piece, 0, piece.len());
        if !key.is_short() {
            return cache.get_long(piece).map(<[u32]>::to_vec);
        }
        let mut ids = [0; INLINE_IDS];
        let count = cache.get(key, &mut ids);
        (count > 0).then(|| ids[..count].to_vec())
    }

    #[test]
    fn what_comes_back_is_what_was_kept() {
        let mut cache = PieceCache::default();
        let mut found = 0;
        for _ in 0..2 {
            for number in 0..200_000_u32 {
                let piece = format!("{number}{}", "x".repeat(number as usize % 20));
                let ids: Vec<u32> = (0..=number % 5).map(|index| number + index).collect();
                if let Some(known) = get(&cache, piece.as_bytes()) {
                    assert_eq!(known, ids);
                    found += 1;
                }
                cache.insert(Key::new(piece.as_bytes(), 0, piece.len()), piece.as_bytes(), &ids);
                let kept = get(&cache, piece.as_bytes());
                assert!(kept.is_none_or(|known| known == ids));
            }
        }
        assert!(found > 10_000, "{found}");
        assert!(cache.slots.len() == (SETS + 1) * SET && cache.long.len() <= LONG_ENTRIES);
    }

    #[test]
    fn ids_beyond_24_bits_and_more_than_four_are_not_kept_in_a_slot() {
        let mut cache = PieceCache::default();
        let key = Key::new(b"ab", 0, 2);
        cache.insert(key, b"ab", &[1 << COUNT_SHIFT]);
        cache.insert(key, b"ab", &[1, 2, 3, 4, 5]);
        assert_eq!(get(&cache, b"ab"), None);
        let largest = (1 << COUNT_SHIFT) - 1;
        cache.insert(key, b"ab", &[1, 2, 3, largest]);
        assert_eq!(get(&cache, b"ab"), Some(vec![1, 2, 3, largest]));
    }

    #[test]
    fn the_text_after_a_piece_does_not_matter() {
        let text = b"ab cdefghijklmnopqrstuvw ab";
        assert_eq!(Key::new(text, 0, 2), Key::new(text, 25, 27));
        assert_ne!(Key::new(text, 0, 2), Key::new(b"ab\0", 0, 3));
        assert!(!Key::new(text, 0, 16).is_short());
    }
}
