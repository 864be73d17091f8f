//! Small numbers side by side in 16 bytes.

use super::low_bits;

/// Numbers that are taken out of 16 bytes at once.
pub(crate) const MOST_NUMBERS: usize = 8;

/// Bits that numbers may have, so that each lies in four bytes wherever it begins.
const MOST_BITS: u32 = 25;

/// How many bits numbers have that lie side by side, the first from the lowest bit on; the highest byte is not
/// theirs.
#[derive(Debug)]
#[repr(C, align(32))]
pub(crate) struct Fields {
    /// For each number the four bytes that it lies in, for an instruction that takes their numbers modulo 16; only
    /// bits above the number can come from such a byte.
    pub(super) bytes: [u8; 4 * MOST_NUMBERS],
    /// The lowest bit of each number in its four bytes.
    pub(super) shifts: [u32; MOST_NUMBERS],
    /// The bits of each number, once it is moved down.
    pub(super) masks: [u32; MOST_NUMBERS],
    bits: u32,
}

impl Fields {
    /// Numbers up to `largest`, or as large as there is room for.
    pub(crate) fn new(largest: u32) -> Self {
        let bits = (u32::BITS - largest.leading_zeros()).clamp(1, MOST_BITS);
        let (mut bytes, mut shifts) = ([0; 4 * MOST_NUMBERS], [0; MOST_NUMBERS]);
        for (number, shift) in shifts.iter_mut().enumerate() {
            let place = number as u32 * bits;
            *shift = place % 8;
            for byte in 0..4 {
                bytes[4 * number + byte] = (place / 8) as u8 + byte as u8;
            }
        }
        Self { bytes, shifts, masks: [low_bits(bits) as u32; MOST_NUMBERS], bits }
    }

    /// How many numbers there is room for.
    pub(crate) fn room(&self) -> usize {
        MOST_NUMBERS.min(120 / self.bits as usize)
    }

    /// The largest number there is room for.
    fn largest(&self) -> u32 {
        self.masks[0]
    }

    /// The numbers side by side, with `top` as the highest byte; nothing if one is too large, or they are too many.
    pub(crate) fn pack(&self, numbers: &[u32], top: u8) -> Option<[u8; 16]> {
        let fits =
            numbers.len() <= self.room() && numbers.iter().all(|&number| number <= self.largest());
        let mut packed = u128::from(top) << 120;
        for (place, &number) in (0..).step_by(self.bits as usize).zip(numbers) {
            packed |= u128::from(number).checked_shl(place).unwrap_or(0);
        }
        fits.then_some(packed.to_le_bytes())
    }

    /// The numbers, and anything after them; [`Level::numbers`](super::level::Level::numbers) is faster.
    #[inline]
    pub(crate) fn unpack(&self, packed: &[u8; 16]) -> [u32; MOST_NUMBERS] {
        let packed = u128::from_le_bytes(*packed);
        let number = |index| packed.unbounded_shr(index as u32 * self.bits) as u32 & self.largest();
        std::array::from_fn(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::level::{self, Level, Portable, Task};

    struct Take<'a>(&'a [u8; 16], &'a Fields);

    impl Task for Take<'_> {
        type Output = [u32; MOST_NUMBERS];

        fn run(self, level: impl Level) -> Self::Output {
            let mut numbers = [0; MOST_NUMBERS];
            level.numbers(self.0, self.1, &mut numbers);
            numbers
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(bits in 0_u32..33, numbers in prop::collection::vec(any::<u32>(), 0..10), top: u8) {
            let fields = Fields::new(low_bits(bits) as u32);
            let numbers: Vec<u32> = numbers.iter().map(|number| number & fields.largest()).collect();
            let packed = fields.pack(&numbers, top);
            prop_assert_eq!(packed.is_some(), numbers.len() <= fields.room());
            if let Some(packed) = packed {
                prop_assert_eq!(packed[15], top);
                for found in [level::run(Take(&packed, &fields)), Take(&packed, &fields).run(Portable)] {
                    prop_assert_eq!(&found[..numbers.len()], &numbers[..]);
                }
            }
        }
    }

    #[test]
    fn larger_numbers_have_no_room() {
        let room = |largest: u32| Fields::new(largest).room();
        assert_eq!([0, 1 << 14, 50_000, 100_276, 200_018, 262_143].map(room), [8, 8, 7, 7, 6, 6]);
        assert_eq!([1 << 20, u32::MAX].map(room), [5, 4]);
        assert_eq!(Fields::new(u32::MAX).pack(&[1 << MOST_BITS], 1), None);
    }
}
