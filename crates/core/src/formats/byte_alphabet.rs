//! The printable stand-ins that GPT-2's files write for bytes.

/// The character that stands for a byte: printable Latin-1 characters for themselves, the other bytes
/// in order from U+0100.
pub fn stand_in(byte: u8) -> char {
    let is_itself = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if is_itself(byte) {
        return char::from(byte);
    }
    let shifted = (0..byte).filter(|&other| !is_itself(other)).count() as u32;
    char::from_u32(0x100 + shifted).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The stand-ins have code points below this.
const END: usize = 0x144;

/// The byte of each stand-in.
#[derive(Clone, Debug)]
pub struct Bytes([Option<u8>; END]);

impl Default for Bytes {
    fn default() -> Self {
        let mut bytes = [None; END];
        for byte in 0..=255 {
            bytes[stand_in(byte) as usize] = Some(byte);
        }
        Self(bytes)
    }
}

impl Bytes {
    /// The byte that a character stands for.
    pub fn byte(&self, stand_in: char) -> Option<u8> {
        self.0.get(stand_in as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_stand_ins() {
        assert_eq!(stand_in(b' '), 'Ġ');
        assert_eq!(stand_in(b'\n'), 'Ċ');
        assert_eq!(stand_in(b'a'), 'a');
        assert_eq!(stand_in(0xAD), '\u{143}');
        let bytes = Bytes::default();
        assert!((0..=255).all(|byte| bytes.byte(stand_in(byte)) == Some(byte)));
        assert_eq!(bytes.byte(' '), None);
        assert_eq!(bytes.byte('中'), None);
    }
}
