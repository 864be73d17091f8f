//! Decimal numbers to 32-bit floats, as fast as a file can be read.
//!
//! The digits are one whole number; it and a power of ten give a 64-bit float that is off by less than
//! two units in its last place. Rounding that to 32 bits is right unless it lies next to the middle
//! between two 32-bit floats, which happens about once in a hundred million numbers; those, and all that
//! is rare, go to the exact parser of the standard library.

/// The powers of ten that a 64-bit float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// More digits could overflow 64 bits.
const MOST_DIGITS: usize = 19;

/// The bits that a 64-bit float has beyond a 32-bit one.
const EXTRA_BITS: u32 = 29;

/// Whether this byte stands between the fields of a line.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The float nearest to the number at the start of a line, and the bytes that the number takes.
///
/// The number ends at a blank or at the end of the line; `None` if what stands there is not a number.
#[inline]
pub(super) fn leading(line: &[u8]) -> Option<(f32, usize)> {
    let negative = line.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut mantissa, whole) = digits(&line[start..], 0);
    let mut place = start + whole;
    let mut fraction = 0;
    if line.get(place) == Some(&b'.') {
        (mantissa, fraction) = digits(&line[place + 1..], mantissa);
        place += 1 + fraction;
    }
    let count = whole + fraction;
    if line.get(place).is_some_and(|&byte| !is_blank(byte)) || count == 0 || count > MOST_DIGITS {
        return exact(line);
    }
    let close = mantissa as f64 / POWERS[fraction];
    match narrow(close) {
        Some(value) => Some((if negative { -value } else { value }, place)),
        None => exact(line),
    }
}

/// Appends the digits at the start to a number; also how many they are.
#[inline]
fn digits(bytes: &[u8], mut number: u64) -> (u64, usize) {
    let mut count = 0;
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (number, count)
}

/// The nearest 32-bit float, if an error of a few units in the last place cannot change it.
#[inline]
fn narrow(close: f64) -> Option<f32> {
    let extra = close.to_bits() & ((1 << EXTRA_BITS) - 1);
    let near_middle = extra.abs_diff(1 << (EXTRA_BITS - 1)) <= 4;
    let ordinary =
        close == 0.0 || (close >= f64::from(f32::MIN_POSITIVE) && close < f64::from(f32::MAX));
    (ordinary && !near_middle).then_some(close as f32)
}

/// The same by the standard library: exponents, very long, very small and very large numbers.
#[cold]
fn exact(line: &[u8]) -> Option<(f32, usize)> {
    let end = line.iter().position(|&byte| is_blank(byte)).unwrap_or(line.len());
    let value = std::str::from_utf8(&line[..end]).ok()?.parse().ok()?;
    Some((value, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) {
        let expected: f32 = text.parse().unwrap();
        for line in [text.to_owned(), format!("{text} 1"), format!("{text}\t")] {
            let (found, length) = leading(line.as_bytes()).unwrap();
            assert_eq!((found.to_bits(), length), (expected.to_bits(), text.len()), "{line:?}");
        }
    }

    #[test]
    fn numbers_in_every_way_of_writing() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "1",
            "+1.5",
            ".5",
            "5.",
            "1e-05",
            "-1.5E+3",
            "0.1",
            "123456789.125",
            "0.418",
            "-0.00000012345",
            "16777217",
            "16777217.0000000001",
            "16777219",
            "3.4028235e38",
            "3.4028236e38",
            "1e-45",
            "0.00000000000000000000000000000000000001175494",
            "1e400",
            "nan",
            "inf",
            "-inf",
            "9999999999999999999",
            "99999999999999999999",
            "0.41799999773502350",
            "1.00000005960464477539062",
            "1.000000059604644775390625",
            "1.00000005960464477539063",
        ] {
            if text == "nan" {
                assert!(leading(b"nan").unwrap().0.is_nan());
            } else {
                check(text);
            }
        }
    }

    #[test]
    fn what_is_not_a_number() {
        for text in [
            "", " ", "-", ".", "-.", "a", "1a", "0x10", "1_000", "1,5", "--1", "e5", "\u{661}",
            "1\u{A0}",
        ] {
            assert_eq!(leading(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(leading(b"\xFF"), None);
    }

    proptest! {
        #[test]
        fn any_float_in_any_precision(bits: u32, places in 0_usize..25) {
            let value = f32::from_bits(bits);
            if value.is_finite() {
                check(&format!("{value:?}"));
                check(&format!("{value}"));
                check(&format!("{value:.places$}"));
                check(&format!("{value:.places$e}"));
            }
        }

        #[test]
        fn numbers_next_to_the_middle_of_two_floats(bits in 0x3000_0000_u32..0x4F00_0000, off in -3_i64..4) {
            let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let middle = f64::midpoint(f64::from(low), f64::from(high));
            check(&format!("{:?}", f64::from_bits((middle.to_bits() as i64 + off) as u64)));
        }
    }
}
