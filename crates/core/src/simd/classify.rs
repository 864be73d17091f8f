//! Up to 64 bytes of text to one bit mask for each class of character.

use super::low_bits;
use crate::split::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER, class_of, decode};

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

    /// Adds the characters that are not ASCII, whose bytes are `high`.
    #[inline]
    fn with_wide(mut self, bytes: &[u8], high: u64) -> Self {
        let wide = Wide::sort(bytes, high);
        let valid = low_bits(wide.length);
        self.letter = (self.letter & valid) | wide.letter;
        self.upper = (self.upper & valid) | wide.upper;
        self.lower = (self.lower & valid) | wide.lower;
        self.mark = wide.mark;
        self.number = (self.number & valid) | wide.number;
        self.white = (self.white & valid) | wide.white;
        self.inner = wide.inner;
        self.length = wide.length;
        self
    }
}

/// The classes of the characters that are not ASCII, as in [`Masks`].
struct Wide {
    letter: u64,
    upper: u64,
    lower: u64,
    mark: u64,
    number: u64,
    white: u64,
    inner: u64,
    length: u32,
}

impl Wide {
    fn sort(bytes: &[u8], mut high: u64) -> Self {
        let length = bytes.len() as u32;
        let mut wide =
            Self { letter: 0, upper: 0, lower: 0, mark: 0, number: 0, white: 0, inner: 0, length };
        while high != 0 {
            let at = high.trailing_zeros() as usize;
            let Some(character) = bytes.get(at..at + length_of(bytes[at])) else {
                // The character goes on after the window.
                wide.length = at as u32;
                break;
            };
            let (character, length) = decode(character, 0, character[0]);
            let bits = low_bits(length as u32) << at;
            let class = class_of(character);
            wide.letter |= bits & all_if(class & LETTER != 0);
            wide.upper |= bits & all_if(class & UPPER != 0);
            wide.lower |= bits & all_if(class & LOWER != 0);
            wide.mark |= bits & all_if(class & MARK != 0);
            wide.number |= bits & all_if(class & NUMBER != 0);
            wide.white |= bits & all_if(class & SPACE != 0);
            wide.inner |= bits & (bits << 1);
            high &= !bits;
        }
        wide
    }
}

fn length_of(lead: u8) -> usize {
    match lead {
        0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

fn all_if(condition: bool) -> u64 {
    0_u64.wrapping_sub(u64::from(condition))
}

/// The masks of the first 64 bytes of `bytes`, which start at a character and are valid UTF-8.
pub(super) fn masks_scalar(bytes: &[u8]) -> Masks {
    let window = &bytes[..bytes.len().min(64)];
    let mut masks = Masks { length: window.len() as u32, ..Masks::default() };
    let mut high = 0;
    for (place, byte) in window.iter().enumerate() {
        let bit = 1 << place;
        match byte {
            b'a'..=b'z' => masks.lower |= bit,
            b'A'..=b'Z' => masks.upper |= bit,
            b'/' => masks.slash |= bit,
            b'0'..=b'9' => masks.number |= bit,
            b'\'' => masks.quote |= bit,
            0x80.. => high |= bit,
            _ => {}
        }
        masks.white |= bit & all_if(matches!(byte, b'\t'..=b'\r' | b' '));
        masks.newline |= bit & all_if(matches!(byte, b'\n' | b'\r'));
        masks.blank |= bit & all_if(*byte == b' ');
    }
    masks.letter = masks.lower | masks.upper;
    if high != 0 { masks.with_wide(window, high) } else { masks }
}

/// As [`masks_scalar`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn masks_avx2(bytes: &[u8]) -> Masks {
    let (masks, wide) = narrow_masks_avx2(bytes);
    if wide != 0 { masks.with_wide(&bytes[..masks.length as usize], wide) } else { masks }
}

/// The masks of the ASCII characters, and where the others are.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn narrow_masks_avx2(bytes: &[u8]) -> (Masks, u64) {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_set1_epi8, _mm256_sub_epi8,
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
    (masks, wide)
}

/// As [`masks_scalar`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn masks_avx512(bytes: &[u8]) -> Masks {
    let (masks, wide) = narrow_masks_avx512(bytes);
    if wide != 0 { masks.with_wide(&bytes[..masks.length as usize], wide) } else { masks }
}

/// As [`narrow_masks_avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn narrow_masks_avx512(bytes: &[u8]) -> (Masks, u64) {
    use std::arch::x86_64::{
        _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_maskz_loadu_epi8,
        _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_sub_epi8,
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
    (masks, wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_agree_on_every_length() {
        let text = "It's 12 o'clock,\r\n\tß Straße… 中文 \u{1F600}\u{300}x ٣ \u{3000}² end of a longer line of text";
        for start in text.char_indices().map(|(at, _)| at) {
            for length in 0..=70 {
                let end = (start + length).min(text.len());
                if let Some(part) = text.get(start..end) {
                    let expected = masks_scalar(part.as_bytes());
                    #[cfg(target_arch = "x86_64")]
                    if std::arch::is_x86_feature_detected!("avx2") {
                        // SAFETY: the processor has the feature.
                        let found = unsafe { masks_avx2(part.as_bytes()) };
                        assert_eq!(found, expected, "{part:?}");
                    }
                    #[cfg(target_arch = "x86_64")]
                    if std::arch::is_x86_feature_detected!("avx512bw") {
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
