//! Up to 64 bytes of text to one bit mask for each class of character.

use super::low_bits;
use crate::split::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER, class_of};

/// Bit `i` tells about byte `i`; all bytes of a character are in the character's class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    /// `\p{L}`.
    pub(crate) letter: u64,
    /// `[\p{Lu}\p{Lt}]`.
    pub(crate) upper: u64,
    /// `\p{Ll}`.
    pub(crate) lower: u64,
    /// `\p{M}`.
    pub(crate) mark: u64,
    /// `\p{N}`.
    pub(crate) number: u64,
    /// `\s`.
    pub(crate) white: u64,
    /// `\n` and `\r`.
    pub(crate) newline: u64,
    /// U+0020.
    pub(crate) blank: u64,
    /// U+002F.
    pub(crate) slash: u64,
    /// The apostrophe U+0027.
    pub(crate) quote: u64,
    /// The second and further bytes of a character.
    pub(crate) inner: u64,
    /// How many bytes are covered: whole characters only.
    pub(crate) length: u32,
}

impl Masks {
    /// One bit for each byte that is covered.
    pub(crate) fn valid(&self) -> u64 {
        low_bits(self.length)
    }

    /// The masks from bit `place` on, where a character starts.
    #[inline]
    pub(crate) fn from(self, place: u32) -> Self {
        Self {
            letter: self.letter >> place,
            upper: self.upper >> place,
            lower: self.lower >> place,
            mark: self.mark >> place,
            number: self.number >> place,
            white: self.white >> place,
            newline: self.newline >> place,
            blank: self.blank >> place,
            slash: self.slash >> place,
            quote: self.quote >> place,
            inner: self.inner >> place,
            length: self.length - place,
        }
    }

    /// Adds the characters that are not ASCII; `wide` has a bit for each of their bytes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "`of` must be compiled for the processor")]
    fn with_wide(mut self, classes: &Wide, wide: u64, inner: u64, of: impl Of) -> Self {
        let valid = low_bits(classes.length);
        let wide = wide & valid;
        let Wide { bytes: classes, length } = classes;
        self.letter = (self.letter & valid) | (of.of(classes, LETTER) & wide);
        self.upper = (self.upper & valid) | (of.of(classes, UPPER) & wide);
        self.lower = (self.lower & valid) | (of.of(classes, LOWER) & wide);
        self.mark = of.of(classes, MARK) & wide;
        self.number = (self.number & valid) | (of.of(classes, NUMBER) & wide);
        self.white = (self.white & valid) | (of.of(classes, SPACE) & wide);
        self.inner = inner & valid;
        self.length = *length;
        self
    }
}

/// The class of each byte of the characters that are not ASCII; other bytes have any.
struct Wide {
    bytes: [u8; PADDED],
    /// Bytes up to the end of the last character that is whole.
    length: u32,
}

/// Finds classes among 64 bytes.
trait Of: Copy {
    /// A bit for each byte that has one of `classes`. Must be inlined.
    fn of(self, bytes: &[u8; PADDED], classes: u8) -> u64;
}

impl Wide {
    /// `leads` are the first bytes of the characters.
    #[inline]
    fn sort(bytes: &[u8], mut leads: u64) -> Self {
        let mut text = [0; PADDED];
        if let Some(window) = bytes.first_chunk::<64>() {
            text[..64].copy_from_slice(window);
        } else {
            text[..bytes.len()].copy_from_slice(bytes);
        }
        let mut length = bytes.len();
        if let Some(last) = leads.checked_ilog2()
            && last as usize + length_of(text[last as usize]) > length
        {
            // It goes on after the window.
            length = last as usize;
            leads &= !(1 << last);
        }
        let mut classes = [0; PADDED];
        while leads != 0 {
            let at = leads.trailing_zeros() as usize;
            leads &= leads - 1;
            let Some(&word) = text[at..].first_chunk() else { break };
            let word = u32::from_le_bytes(word);
            let (second, third, fourth) =
                ((word >> 8) & 0x3F, (word >> 16) & 0x3F, (word >> 24) & 0x3F);
            let first = word & 0xFF;
            let code_point = if first < 0xE0 {
                (first & 0x1F) << 6 | second
            } else if first < 0xF0 {
                (first & 0x0F) << 12 | second << 6 | third
            } else {
                (first & 0x07) << 18 | second << 12 | third << 6 | fourth
            };
            // What this writes too far the next character overwrites.
            if let Some(bytes) = classes[at..].first_chunk_mut::<MOST_LENGTH>() {
                *bytes = [class_of(code_point); MOST_LENGTH];
            }
        }
        Self { bytes: classes, length: length as u32 }
    }
}

/// Bytes of the longest character.
const MOST_LENGTH: usize = 4;
/// Bytes of a window, and of a character that starts with its last byte.
const PADDED: usize = 64 + MOST_LENGTH;

fn length_of(lead: u8) -> usize {
    match lead {
        0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// Byte by byte.
#[derive(Clone, Copy)]
struct OfScalar;

impl Of for OfScalar {
    fn of(self, bytes: &[u8; PADDED], classes: u8) -> u64 {
        let bit = |(place, &byte): (usize, &u8)| u64::from(byte & classes != 0) << place;
        bytes[..64].iter().enumerate().map(bit).sum()
    }
}

fn all_if(condition: bool) -> u64 {
    0_u64.wrapping_sub(u64::from(condition))
}

/// The lowest byte, as a signed number, that starts a character of several bytes; those below are inner ones.
#[cfg(target_arch = "x86_64")]
const FIRST_LEAD: i8 = 0xC0_u8.cast_signed();

/// Whether a byte is not the first of its character.
fn is_inner(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The masks of the first 64 bytes of `bytes`, which start at a character and are valid UTF-8.
pub(super) fn masks_scalar(bytes: &[u8]) -> Masks {
    let window = &bytes[..bytes.len().min(64)];
    let mut masks = Masks { length: window.len() as u32, ..Masks::default() };
    let (mut wide, mut inner) = (0, 0);
    for (place, byte) in window.iter().enumerate() {
        let bit = 1 << place;
        match byte {
            b'a'..=b'z' => masks.lower |= bit,
            b'A'..=b'Z' => masks.upper |= bit,
            b'/' => masks.slash |= bit,
            b'0'..=b'9' => masks.number |= bit,
            b'\'' => masks.quote |= bit,
            0x80.. => wide |= bit,
            _ => {}
        }
        masks.white |= bit & all_if(matches!(byte, b'\t'..=b'\r' | b' '));
        masks.newline |= bit & all_if(matches!(byte, b'\n' | b'\r'));
        masks.blank |= bit & all_if(*byte == b' ');
        inner |= bit & all_if(is_inner(*byte));
    }
    masks.letter = masks.lower | masks.upper;
    if wide == 0 {
        return masks;
    }
    masks.with_wide(&Wide::sort(window, wide & !inner), wide, inner, OfScalar)
}

/// As [`masks_scalar`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn masks_avx2(bytes: &[u8]) -> Masks {
    let (masks, wide, inner) = narrow_masks_avx2(bytes);
    if wide == 0 {
        return masks;
    }
    let classes = Wide::sort(&bytes[..masks.length as usize], wide & !inner);
    masks.with_wide(&classes, wide, inner, x86::OfAvx2)
}

/// The masks of the ASCII characters, where the bytes of others are, and all but the first bytes of those.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn narrow_masks_avx2(bytes: &[u8]) -> (Masks, u64, u64) {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_sub_epi8,
    };

    let mut copy = [0; 64];
    let length = bytes.len().min(64);
    let window: &[u8; 64] = bytes.first_chunk().unwrap_or_else(|| {
        copy[..length].copy_from_slice(bytes);
        &copy
    });
    let (low, high) = window.split_at(32);
    // SAFETY: both halves hold 32 bytes, and the load has no alignment to keep.
    let halves = unsafe {
        [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())]
    };
    let mask = |half: __m256i| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    let both =
        |test: &dyn Fn(__m256i) -> __m256i| mask(test(halves[0])) | mask(test(halves[1])) << 32;
    let is = |half, byte: u8| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte.cast_signed()));
    // Unsigned: first <= byte < first + count.
    let within = |half, first: u8, count: u8| {
        let distance = _mm256_sub_epi8(half, _mm256_set1_epi8(first.cast_signed()));
        _mm256_cmpeq_epi8(
            _mm256_min_epu8(distance, _mm256_set1_epi8((count - 1).cast_signed())),
            distance,
        )
    };
    let valid = low_bits(length as u32);
    let wide = both(&|half| half) & valid;
    let inner = both(&|half| _mm256_cmpgt_epi8(_mm256_set1_epi8(FIRST_LEAD), half)) & valid;
    let blank = both(&|half| is(half, b' '));
    let lower = both(&|half| within(half, b'a', 26));
    let upper = both(&|half| within(half, b'A', 26));
    let masks = Masks {
        letter: lower | upper,
        upper,
        lower,
        mark: 0,
        number: both(&|half| within(half, b'0', 10)),
        white: blank | both(&|half| within(half, b'\t', 5)),
        newline: both(&|half| _mm256_or_si256(is(half, b'\n'), is(half, b'\r'))),
        blank,
        slash: both(&|half| is(half, b'/')),
        quote: both(&|half| is(half, b'\'')),
        inner: 0,
        length: length as u32,
    };
    (masks, wide, inner)
}

/// As [`masks_scalar`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn masks_avx512(bytes: &[u8]) -> Masks {
    let (masks, wide, inner) = narrow_masks_avx512(bytes);
    if wide == 0 {
        return masks;
    }
    let classes = Wide::sort(&bytes[..masks.length as usize], wide & !inner);
    masks.with_wide(&classes, wide, inner, x86::OfAvx512)
}

/// As [`narrow_masks_avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn narrow_masks_avx512(bytes: &[u8]) -> (Masks, u64, u64) {
    use std::arch::x86_64::{
        _mm512_cmpeq_epi8_mask, _mm512_cmplt_epi8_mask, _mm512_cmplt_epu8_mask,
        _mm512_maskz_loadu_epi8, _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_sub_epi8,
    };

    let length = bytes.len().min(64);
    // SAFETY: bytes that the mask leaves out are not read.
    let window = unsafe { _mm512_maskz_loadu_epi8(low_bits(length as u32), bytes.as_ptr().cast()) };
    let every = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let is = |byte: u8| _mm512_cmpeq_epi8_mask(window, every(byte));
    // Unsigned: first <= byte < first + count.
    let within = |first: u8, count: u8| {
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(window, every(first)), every(count))
    };
    let wide = _mm512_movepi8_mask(window);
    let inner = _mm512_cmplt_epi8_mask(window, _mm512_set1_epi8(FIRST_LEAD));
    let blank = is(b' ');
    let lower = within(b'a', 26);
    let upper = within(b'A', 26);
    let masks = Masks {
        letter: lower | upper,
        upper,
        lower,
        mark: 0,
        number: within(b'0', 10),
        white: blank | within(b'\t', 5),
        newline: is(b'\n') | is(b'\r'),
        blank,
        slash: is(b'/'),
        quote: is(b'\''),
        inner: 0,
        length: length as u32,
    };
    (masks, wide, inner)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm512_loadu_si512, _mm512_set1_epi8,
        _mm512_test_epi8_mask,
    };

    use super::{Of, PADDED};

    /// For a caller that was compiled for AVX2.
    #[derive(Clone, Copy)]
    pub(super) struct OfAvx2;

    impl Of for OfAvx2 {
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "compiled for the processor of its caller")]
        fn of(self, bytes: &[u8; PADDED], classes: u8) -> u64 {
            // SAFETY: the caller has the feature; both halves hold 32 bytes, and the loads have no alignment
            // to keep.
            unsafe {
                let classes = _mm256_set1_epi8(classes.cast_signed());
                let none = _mm256_setzero_si256();
                let low = _mm256_loadu_si256(bytes.as_ptr().cast());
                let high = _mm256_loadu_si256(bytes[32..].as_ptr().cast());
                let low = _mm256_cmpeq_epi8(_mm256_and_si256(low, classes), none);
                let high = _mm256_cmpeq_epi8(_mm256_and_si256(high, classes), none);
                let low = u64::from(_mm256_movemask_epi8(low).cast_unsigned());
                !(low | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32)
            }
        }
    }

    /// For a caller that was compiled for AVX-512.
    #[derive(Clone, Copy)]
    pub(super) struct OfAvx512;

    impl Of for OfAvx512 {
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "compiled for the processor of its caller")]
        fn of(self, bytes: &[u8; PADDED], classes: u8) -> u64 {
            // SAFETY: the caller has the features; the load is of 64 bytes and has no alignment to keep.
            unsafe {
                let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
                _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(classes.cast_signed()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::simd::processor::{self, Feature};

    #[test]
    fn all_ways_agree_on_every_length() {
        let text = "It's 12 o'clock,\r\n\tß Straße… 中文 \u{1F600}\u{300}x ٣ \u{3000}² end of a longer line of text";
        for start in text.char_indices().map(|(at, _)| at) {
            for length in 0..=70 {
                let end = (start + length).min(text.len());
                if let Some(part) = text.get(start..end) {
                    let expected = masks_scalar(part.as_bytes());
                    #[cfg(target_arch = "x86_64")]
                    if processor::has(Feature::Avx2) {
                        // SAFETY: the processor has the feature.
                        let found = unsafe { masks_avx2(part.as_bytes()) };
                        assert_eq!(found, expected, "{part:?}");
                    }
                    #[cfg(target_arch = "x86_64")]
                    if processor::has(Feature::Avx512Bytes) {
                        // SAFETY: the processor has the feature.
                        let found = unsafe { masks_avx512(part.as_bytes()) };
                        assert_eq!(found, expected, "{part:?}");
                    }
                    assert_eq!(expected.valid(), low_bits(expected.length));
                }
            }
        }
    }
}
