//! Base64 (RFC 4648): the standard alphabet, with padding.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each digit; 255 for other bytes.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 64 {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Appends the digits of bytes.
pub(super) fn encode(bytes: &[u8], text: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 0x3F;
            text.push(if digit <= group.len() { DIGITS[value as usize] } else { b'=' });
        }
    }
}

/// Appends the bytes of digits; `None` if they are not exactly what [`encode`] writes.
pub(super) fn decode(text: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|&&digit| digit == b'=').count();
    let last = text.len() / 4;
    for (number, group) in (1..).zip(text.chunks_exact(4)) {
        let padding = if number == last { padding } else { 0 };
        let mut bits = 0_u32;
        for (index, digit) in group.iter().enumerate() {
            let value = if index < 4 - padding { VALUES[*digit as usize] } else { 0 };
            if value == u8::MAX {
                return None;
            }
            bits = bits << 6 | u32::from(value);
        }
        let decoded = bits.to_be_bytes();
        let (kept, dropped) = decoded[1..].split_at(3 - padding);
        if dropped.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(text.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn the_examples_of_the_standard() {
        let examples = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, text) in examples.into_iter().enumerate() {
            let mut encoded = Vec::new();
            encode(&b"foobar"[..length], &mut encoded);
            assert_eq!(encoded, text.as_bytes());
            assert_eq!(decoded(text).unwrap(), b"foobar"[..length]);
        }
        for damaged in
            ["Z", "Zg", "Zg=", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "Zm9v=", "====", "Zm9\n"]
        {
            assert_eq!(decoded(damaged), None, "{damaged:?}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            let mut text = Vec::new();
            encode(&bytes, &mut text);
            let mut back = Vec::new();
            prop_assert!(decode(&text, &mut back).is_some());
            prop_assert_eq!(back, bytes);
        }
    }
}
