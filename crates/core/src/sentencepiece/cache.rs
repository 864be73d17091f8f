//! A memory of short words and what they become, of fixed size.

use crate::simd::prefetch_line;

/// Bytes of the longest word that is kept.
pub(super) const LONGEST_WORD: usize = 31;
/// Tokens that a kept word may become.
pub(super) const MOST_IDS: usize = 6;
/// Bytes that can be read behind the end of a word, whatever its length.
pub(super) const PADDING: usize = 32;
/// Slots of 64 bytes: together 1 MiB, which fits the second level of caches.
const SLOTS: usize = 1 << 14;

/// The lowest bytes of a number, by how many.
const MASKS: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut bytes = 0;
    while bytes < 8 {
        masks[bytes] = (1 << (8 * bytes)) - 1;
        bytes += 1;
    }
    masks
};

/// A word as it is compared: its bytes, then zeros, and its length in the last byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key([u64; 4]);

/// What a word becomes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Slot {
    /// The first number is what is fetched ahead.
    key: Key,
    /// By how much its best way is ahead of the second, in 32 bits.
    pub(super) lead: f32,
    count: u32,
    ids: [u32; MOST_IDS],
}

impl Slot {
    #[inline]
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids[..self.count as usize]
    }
}

/// Direct-mapped: a word takes the place of another with the same slot.
#[derive(Debug, Default)]
pub(super) struct WordCache {
    slots: Vec<Slot>,
}

impl Key {
    /// The key of the word of `length` bytes at `start`, behind which [`PADDING`] bytes can be read.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, length: usize) -> Option<Self> {
        if length > LONGEST_WORD {
            return None;
        }
        let bytes: &[u8; 32] = text.get(start..start + 32)?.try_into().ok()?;
        let (eights, _) = bytes.as_chunks::<8>();
        let mut words = [0; 4];
        for (number, (word, &eight)) in words.iter_mut().zip(eights).enumerate() {
            let kept = length.saturating_sub(8 * number).min(8);
            *word = u64::from_le_bytes(eight) & MASKS[kept];
        }
        words[3] |= (length as u64 + 1) << 56;
        Some(Self(words))
    }

    #[inline]
    fn slot(self) -> usize {
        let [one, two, three, four] = self.0;
        let low = fold(one ^ 0x9E37_79B9_7F4A_7C15, two ^ 0xD1B5_4A32_D192_ED03);
        let high = fold(three ^ 0xA076_1D64_78BD_642F, four ^ 0xE703_7ED1_A0B4_28DB);
        (low ^ high.rotate_left(29)) as usize & (SLOTS - 1)
    }
}

#[inline]
fn fold(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    product as u64 ^ (product >> 64) as u64
}

impl WordCache {
    /// Has the slot of a word brought near.
    #[inline]
    pub(super) fn prefetch(&self, key: Key) {
        if let Some(slot) = self.slots.get(key.slot()) {
            prefetch_line(&slot.key.0[0]);
        }
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<&Slot> {
        let slot = self.slots.get(key.slot())?;
        (slot.key == key).then_some(slot)
    }

    pub(super) fn insert(&mut self, key: Key, lead: f32, ids: &[u32]) {
        if ids.len() > MOST_IDS {
            return;
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::default());
        }
        let slot = &mut self.slots[key.slot()];
        *slot = Slot { key, lead, count: ids.len() as u32, ids: [0; MOST_IDS] };
        slot.ids[..ids.len()].copy_from_slice(ids);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        let mut text: Vec<u8> = (0..40).collect();
        text.resize(40 + PADDING, 7);
        let mut cache = WordCache::default();
        let key = |start, length| Key::new(&text, start, length);
        assert_eq!(key(0, LONGEST_WORD + 1), None);
        for length in 0..=LONGEST_WORD {
            let one = key(1, length).unwrap();
            assert!(cache.get(one).is_none(), "{length}");
            cache.insert(one, 1.0, &[length as u32]);
            assert_eq!(cache.get(one).unwrap().ids(), [length as u32]);
        }
        assert_ne!(key(0, 3), key(1, 3));
        cache.insert(key(5, 3).unwrap(), 1.0, &[1; MOST_IDS + 1]);
        assert!(cache.get(key(5, 3).unwrap()).is_none());
    }
}
