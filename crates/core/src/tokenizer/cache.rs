//! Tokens of pieces that were met before.

use rustc_hash::FxHashMap;

/// Pieces up to this many bytes are kept inside their slot.
const SHORT: usize = 15;
/// Longer pieces than this are rare and not kept.
const LONG: usize = 96;
/// Tokens that are kept inside a slot.
const INLINE_IDS: usize = 3;
const SMALLEST: usize = 1 << 10;
/// Bounds the memory of a cache to about 12 MB.
const LARGEST: usize = 1 << 18;
const LONG_ENTRIES: usize = 1 << 15;
const SPILLED_IDS: usize = 1 << 20;

/// A bounded memory of pieces and their ids; it starts anew when it is full.
#[derive(Debug, Default)]
pub(super) struct PieceCache {
    slots: Vec<Slot>,
    used: usize,
    /// Ids of pieces with more than [`INLINE_IDS`].
    spilled: Vec<u32>,
    long: FxHashMap<Box<[u8]>, Box<[u32]>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The piece, and its length in the last byte; zero if the slot is free.
    key: u128,
    ids: [u32; INLINE_IDS],
    length: u32,
}

/// A piece on its way to the cache.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key<'a> {
    Short(u128),
    Long(&'a [u8]),
}

impl<'a> Key<'a> {
    /// The piece between two offsets of a text.
    #[inline]
    pub(super) fn new(text: &'a [u8], start: usize, end: usize) -> Self {
        let length = end - start;
        if length > SHORT {
            return Self::Long(&text[start..end]);
        }
        // A load of fixed size is several times faster than a copy of the exact length.
        let slack = text.get(start..start + 16).and_then(|bytes| bytes.try_into().ok());
        let bytes = if let Some(bytes) = slack {
            u128::from_le_bytes(bytes) & ((1 << (8 * length)) - 1)
        } else {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(bytes)
        };
        Self::Short(bytes | (length as u128) << 120)
    }
}

#[inline]
fn hash(key: u128) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product =
        u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
    (product as u64 ^ (product >> 64) as u64) as usize
}

impl PieceCache {
    /// The ids of a piece, if they are known.
    #[inline]
    pub(super) fn get(&self, key: Key<'_>) -> Option<&[u32]> {
        match key {
            Key::Short(key) => self.get_short(key),
            Key::Long(piece) => self.long.get(piece).map(AsRef::as_ref),
        }
    }

    #[inline]
    fn get_short(&self, key: u128) -> Option<&[u32]> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = &self.slots[self.find(key)];
        if slot.key != key {
            return None;
        }
        let length = slot.length as usize;
        if length <= INLINE_IDS {
            return Some(&slot.ids[..length]);
        }
        let start = slot.ids[0] as usize;
        Some(&self.spilled[start..start + length])
    }

    /// The slot of a key, or the free one where it belongs.
    #[inline]
    fn find(&self, key: u128) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(key) & mask;
        while self.slots[slot].key != key && self.slots[slot].key != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Keeps the ids of a piece that is not known yet.
    pub(super) fn insert(&mut self, key: Key<'_>, ids: &[u32]) {
        match key {
            Key::Short(key) => self.insert_short(key, ids),
            Key::Long(piece) if piece.len() <= LONG => {
                if self.long.len() >= LONG_ENTRIES {
                    self.long.clear();
                }
                self.long.insert(piece.into(), ids.into());
            }
            Key::Long(_) => {}
        }
    }

    fn insert_short(&mut self, key: u128, ids: &[u32]) {
        // At most half full, so that a search ends after a step or two.
        if self.used * 2 >= self.slots.len() || self.spilled.len() >= SPILLED_IDS {
            self.make_room();
        }
        let mut slot = Slot { key, ids: [0; INLINE_IDS], length: ids.len() as u32 };
        if ids.len() <= INLINE_IDS {
            slot.ids[..ids.len()].copy_from_slice(ids);
        } else {
            slot.ids[0] = self.spilled.len() as u32;
            self.spilled.extend_from_slice(ids);
        }
        let place = self.find(key);
        self.slots[place] = slot;
        self.used += 1;
    }

    #[cold]
    fn make_room(&mut self) {
        let full = self.slots.len() >= LARGEST || self.spilled.len() >= SPILLED_IDS;
        if full {
            self.slots.fill(Slot::default());
            self.spilled.clear();
            self.used = 0;
            return;
        }
        let length = (self.slots.len() * 4).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let place = self.find(slot.key);
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_through_growth_and_renewal() {
        let mut cache = PieceCache::default();
        let mut found = 0;
        for round in 0..2 {
            for number in 0..400_000_u32 {
                let piece = format!("{number}{}", "x".repeat(number as usize % 20));
                let key = Key::new(piece.as_bytes(), 0, piece.len());
                let ids: Vec<u32> = (0..number % 6).map(|index| number + index).collect();
                match cache.get(key) {
                    Some(known) => {
                        assert_eq!(known, ids);
                        found += 1;
                    }
                    None => cache.insert(key, &ids),
                }
                assert!(cache.get(key).is_some());
            }
            assert!(round == 1 || found == 0);
        }
        assert!(cache.slots.len() <= LARGEST);
    }

    #[test]
    fn the_text_after_a_piece_does_not_matter() {
        let text = b"ab cdefghijklmnopqrstuvw ab";
        let keys = [Key::new(text, 0, 2), Key::new(text, 25, 27)];
        let [Key::Short(one), Key::Short(two)] = keys else { panic!("short pieces") };
        assert_eq!(one, two);
        let Key::Short(other) = Key::new(b"ab\0", 0, 3) else { panic!("a short piece") };
        assert_ne!(one, other);
    }
}
