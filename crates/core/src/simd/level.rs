//! Work on the bytes of a text, compiled once for each level of the processor.
//!
//! A [`Task`] is plain code that is generic over a [`Level`]; [`run`] compiles it for each level and calls
//! the best one that the processor has. What a level computes never depends on the level, except for
//! [`Level::mix`], of which only the spread matters.
#![allow(clippy::inline_always, reason = "a task must be compiled inside its wrapper")]

use super::classify::{self, Masks};
use super::fields::{Fields, MOST_NUMBERS};
#[cfg(target_arch = "x86_64")]
use super::processor::{self, Feature};

/// What one kind of processor can do with bytes.
pub(crate) trait Level: Copy {
    /// The masks of the first 64 bytes of `bytes`, which start at a character and are valid UTF-8.
    fn masks(self, bytes: &[u8]) -> Masks;
    /// The masks of 64 bytes if all are ASCII characters; a processor for which this takes as long as a loop
    /// over the bytes never has them.
    fn narrow_masks(self, bytes: &[u8; 64]) -> Option<Masks>;
    /// A bit for each of 64 bytes that is this one.
    fn equals(self, bytes: &[u8; 64], byte: u8) -> u64;
    /// Writes the position of each bit that is set, plus `offset`, in order; what comes after them is
    /// overwritten with anything.
    fn positions(self, bits: u64, offset: u32, out: &mut [u32; 64]);
    /// At most 16 bytes of a text, with zeros after them.
    fn load16(self, text: &[u8], start: usize, length: usize) -> [u64; 2];
    /// At most 64 bytes of a text, with zeros after them.
    fn load64(self, text: &[u8], start: usize, length: usize) -> [u64; 8];
    /// Takes out numbers that lie side by side, and anything after them.
    fn numbers(self, packed: &[u8; 16], fields: &Fields, out: &mut [u32; MOST_NUMBERS]);
    /// A number that is well spread over 32 bits.
    fn mix(self, seed: u64, word: u64) -> u64;
}

/// Plain code to be compiled for each level.
pub(crate) trait Task {
    type Output;
    /// Must be inlined, as must all that it calls with the level.
    fn run(self, level: impl Level) -> Self::Output;
}

/// Runs a task on the best level that the processor has and may use.
#[inline]
pub(crate) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if processor::has(Feature::Avx512Compress) {
            // SAFETY: the processor has all features of the level.
            return unsafe { x86::run_avx512(task) };
        }
        if processor::has(Feature::Avx2Bits) {
            // SAFETY: as above.
            return unsafe { x86::run_avx2(task) };
        }
    }
    task.run(Portable)
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Level for Portable {
    #[inline]
    fn masks(self, bytes: &[u8]) -> Masks {
        classify::masks_scalar(bytes)
    }

    #[inline(always)]
    fn narrow_masks(self, _: &[u8; 64]) -> Option<Masks> {
        None
    }

    #[inline(always)]
    fn equals(self, bytes: &[u8; 64], byte: u8) -> u64 {
        let mut bits = 0;
        for (place, &other) in bytes.iter().enumerate() {
            bits |= u64::from(other == byte) << place;
        }
        bits
    }

    #[inline(always)]
    fn positions(self, mut bits: u64, offset: u32, out: &mut [u32; 64]) {
        for position in out.iter_mut().take(bits.count_ones() as usize) {
            *position = offset + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
    }

    #[inline(always)]
    fn load16(self, text: &[u8], start: usize, length: usize) -> [u64; 2] {
        // A load of fixed size is several times faster than a copy of the exact length.
        let bytes = if let Some(bytes) = text[start..].first_chunk() {
            u128::from_le_bytes(*bytes) & u128::MAX.unbounded_shr(128 - 8 * length as u32)
        } else {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[start..start + length]);
            u128::from_le_bytes(bytes)
        };
        [bytes as u64, (bytes >> 64) as u64]
    }

    #[inline(always)]
    fn load64(self, text: &[u8], start: usize, length: usize) -> [u64; 8] {
        let mut bytes = [0; 64];
        bytes[..length].copy_from_slice(&text[start..start + length]);
        std::array::from_fn(|word| {
            u64::from_le_bytes(std::array::from_fn(|byte| bytes[word * 8 + byte]))
        })
    }

    #[inline(always)]
    fn numbers(self, packed: &[u8; 16], fields: &Fields, out: &mut [u32; MOST_NUMBERS]) {
        *out = fields.unpack(packed);
    }

    #[inline(always)]
    fn mix(self, seed: u64, word: u64) -> u64 {
        let product =
            u128::from(seed ^ 0x9E37_79B9_7F4A_7C15) * u128::from(word ^ 0xD6E8_FEB8_6659_FD93);
        product as u64 ^ (product >> 64) as u64
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _mm_crc32_u64, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_loadu_si128,
        _mm_maskz_loadu_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
        _mm256_load_si256, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
        _mm256_shuffle_epi8, _mm256_srlv_epi32, _mm256_storeu_si256, _mm512_add_epi32,
        _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi32,
        _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_maskz_compress_epi8,
        _mm512_maskz_loadu_epi8, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_storeu_si512,
    };

    use super::super::low_bits;
    use super::{Fields, Level, MOST_NUMBERS, Masks, Portable, Task, classify};

    /// AVX-512 with byte compression, in processors since Ice Lake and Zen 4.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Avx512(());

    /// AVX2.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Avx2(());

    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt,sse4.2"
    )]
    pub(super) fn run_avx512<T: Task>(task: T) -> T::Output {
        task.run(Avx512(()))
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,sse4.2")]
    pub(super) fn run_avx2<T: Task>(task: T) -> T::Output {
        task.run(Avx2(()))
    }

    // SAFETY of all intrinsics below: a value of a level is only made where its features are there.

    impl Level for Avx512 {
        #[inline(always)]
        fn masks(self, bytes: &[u8]) -> Masks {
            // SAFETY: see above.
            unsafe { classify::masks_avx512(bytes) }
        }

        #[inline(always)]
        fn narrow_masks(self, bytes: &[u8; 64]) -> Option<Masks> {
            // SAFETY: see above.
            let (masks, wide, _) = unsafe { classify::narrow_masks_avx512(bytes) };
            (wide == 0).then_some(masks)
        }

        #[inline(always)]
        fn equals(self, bytes: &[u8; 64], byte: u8) -> u64 {
            // SAFETY: see above; the load is of 64 bytes and has no alignment to keep.
            unsafe {
                let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
                _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte.cast_signed()))
            }
        }

        #[inline(always)]
        fn positions(self, bits: u64, offset: u32, out: &mut [u32; 64]) {
            // SAFETY: see above; each store is of 16 numbers of the 64 that there is room for.
            unsafe {
                let bytes = _mm512_loadu_si512(BYTES.as_ptr().cast());
                let packed = _mm512_maskz_compress_epi8(bits, bytes);
                let offset = _mm512_set1_epi32(offset.cast_signed());
                let store = |part: __m128i, place: usize, out: &mut [u32; 64]| {
                    let positions = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), offset);
                    _mm512_storeu_si512(out[place..place + 16].as_mut_ptr().cast(), positions);
                };
                store(_mm512_castsi512_si128(packed), 0, out);
                let count = bits.count_ones();
                if count > 16 {
                    store(_mm512_extracti32x4_epi32::<1>(packed), 16, out);
                    if count > 32 {
                        store(_mm512_extracti32x4_epi32::<2>(packed), 32, out);
                        store(_mm512_extracti32x4_epi32::<3>(packed), 48, out);
                    }
                }
            }
        }

        #[inline(always)]
        fn load16(self, text: &[u8], start: usize, length: usize) -> [u64; 2] {
            let bytes = &text[start..start + length];
            // SAFETY: see above; bytes that the mask leaves out are not read.
            unsafe {
                let mask = ((1_u32 << (length % 32)) - 1) as u16;
                let bytes = _mm_maskz_loadu_epi8(mask, bytes.as_ptr().cast());
                [
                    _mm_cvtsi128_si64(bytes).cast_unsigned(),
                    _mm_extract_epi64::<1>(bytes).cast_unsigned(),
                ]
            }
        }

        #[inline(always)]
        fn load64(self, text: &[u8], start: usize, length: usize) -> [u64; 8] {
            let bytes = &text[start..start + length];
            let mut words = [0; 8];
            // SAFETY: see above; bytes that the mask leaves out are not read.
            unsafe {
                let bytes = _mm512_maskz_loadu_epi8(low_bits(length as u32), bytes.as_ptr().cast());
                _mm512_storeu_si512(words.as_mut_ptr().cast(), bytes);
            }
            words
        }

        #[inline(always)]
        fn numbers(self, packed: &[u8; 16], fields: &Fields, out: &mut [u32; MOST_NUMBERS]) {
            // SAFETY: see above.
            unsafe { take_numbers(packed, fields, out) }
        }

        #[inline(always)]
        fn mix(self, seed: u64, word: u64) -> u64 {
            // SAFETY: see above.
            unsafe { _mm_crc32_u64(seed, word) }
        }
    }

    impl Level for Avx2 {
        #[inline(always)]
        fn masks(self, bytes: &[u8]) -> Masks {
            // SAFETY: see above.
            unsafe { classify::masks_avx2(bytes) }
        }

        #[inline(always)]
        fn narrow_masks(self, bytes: &[u8; 64]) -> Option<Masks> {
            // SAFETY: see above.
            let (masks, wide, _) = unsafe { classify::narrow_masks_avx2(bytes) };
            (wide == 0).then_some(masks)
        }

        #[inline(always)]
        fn equals(self, bytes: &[u8; 64], byte: u8) -> u64 {
            let (low, high) = bytes.split_at(32);
            // SAFETY: see above; the loads are of 32 bytes each and have no alignment to keep.
            unsafe {
                let byte = _mm256_set1_epi8(byte.cast_signed());
                let low = _mm256_cmpeq_epi8(_mm256_loadu_si256(low.as_ptr().cast()), byte);
                let high = _mm256_cmpeq_epi8(_mm256_loadu_si256(high.as_ptr().cast()), byte);
                u64::from(_mm256_movemask_epi8(low).cast_unsigned())
                    | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
            }
        }

        #[inline(always)]
        fn positions(self, bits: u64, offset: u32, out: &mut [u32; 64]) {
            Portable.positions(bits, offset, out);
        }

        #[inline(always)]
        fn load16(self, text: &[u8], start: usize, length: usize) -> [u64; 2] {
            Portable.load16(text, start, length)
        }

        #[inline(always)]
        fn load64(self, text: &[u8], start: usize, length: usize) -> [u64; 8] {
            Portable.load64(text, start, length)
        }

        #[inline(always)]
        fn numbers(self, packed: &[u8; 16], fields: &Fields, out: &mut [u32; MOST_NUMBERS]) {
            // SAFETY: see above.
            unsafe { take_numbers(packed, fields, out) }
        }

        #[inline(always)]
        fn mix(self, seed: u64, word: u64) -> u64 {
            // SAFETY: see above.
            unsafe { _mm_crc32_u64(seed, word) }
        }
    }

    /// Has each of eight lanes get its four bytes, and moves its number down.
    ///
    /// # Safety
    ///
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn take_numbers(packed: &[u8; 16], fields: &Fields, out: &mut [u32; MOST_NUMBERS]) {
        // SAFETY: by the condition above; loads and the store are of as many bytes as their arrays have.
        unsafe {
            let both = _mm256_broadcastsi128_si256(_mm_loadu_si128(packed.as_ptr().cast()));
            let bytes = _mm256_load_si256(fields.bytes.as_ptr().cast());
            let shifts = _mm256_load_si256(fields.shifts.as_ptr().cast());
            let moved = _mm256_srlv_epi32(_mm256_shuffle_epi8(both, bytes), shifts);
            let masks = _mm256_load_si256(fields.masks.as_ptr().cast());
            _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_and_si256(moved, masks));
        }
    }

    /// The numbers from 0 to 63.
    static BYTES: [u8; 64] = {
        let mut bytes = [0; 64];
        let mut at = 0;
        while at < 64 {
            bytes[at] = at as u8;
            at += 1;
        }
        bytes
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` with every level that this processor has.
    struct Compare<'a>(&'a [u8]);

    impl Task for Compare<'_> {
        type Output = ();

        fn run(self, level: impl Level) {
            let text = self.0;
            for start in 0..text.len().min(5) {
                for length in 0..=(text.len() - start).min(64) {
                    assert_eq!(
                        level.load64(text, start, length),
                        Portable.load64(text, start, length)
                    );
                    if length <= 16 {
                        assert_eq!(
                            level.load16(text, start, length),
                            Portable.load16(text, start, length)
                        );
                    }
                }
            }
            if let Some(bytes) = text.first_chunk() {
                assert_eq!(level.equals(bytes, 9), Portable.equals(bytes, 9));
            }
            let mut bits = 0x0123_4567_89AB_CDEF_u64;
            for step in 0..200 {
                let bits = match step {
                    0 => 0,
                    1 => u64::MAX,
                    _ => {
                        bits = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
                        bits & bits.rotate_left(step % 7)
                    }
                };
                let (mut found, mut expected) = ([0; 64], [0; 64]);
                level.positions(bits, 100, &mut found);
                Portable.positions(bits, 100, &mut expected);
                let count = bits.count_ones() as usize;
                assert_eq!(found[..count], expected[..count]);
            }
        }
    }

    #[test]
    fn all_levels_do_the_same() {
        let text: Vec<u8> = (1..=80).collect();
        for length in [0, 1, 15, 16, 17, 63, 64, 80] {
            run(Compare(&text[..length]));
            #[cfg(target_arch = "x86_64")]
            if processor::has(Feature::Avx2Bits) {
                // SAFETY: the processor has all features of the level.
                unsafe { x86::run_avx2(Compare(&text[..length])) };
            }
            Compare(&text[..length]).run(Portable);
        }
    }
}
