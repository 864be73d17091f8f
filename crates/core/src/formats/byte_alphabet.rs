//! The printable stand-ins that GPT-2's files write for bytes.

/// Whether a byte stands for itself: printable Latin-1 characters do.
const fn is_itself(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The stand-ins have code points below this.
const END: usize = 0x144;

/// The character of each byte; those that do not stand for themselves follow in order from U+0100.
static STAND_INS: [char; 256] = {
    let mut stand_ins = ['\0'; 256];
    let (mut byte, mut shifted) = (0, 0);
    while byte < 256 {
        if is_itself(byte as u8) {
            stand_ins[byte] = byte as u8 as char;
        } else {
            stand_ins[byte] = match char::from_u32(0x100 + shifted) {
                Some(character) => character,
                None => char::REPLACEMENT_CHARACTER,
            };
            shifted += 1;
        }
        byte += 1;
    }
    stand_ins
};

/// The byte of each stand-in.
static BYTES: Bytes = {
    let mut bytes = [None; END];
    let mut byte = 0;
    while byte < 256 {
        bytes[STAND_INS[byte] as usize] = Some(byte as u8);
        byte += 1;
    }
    Bytes(bytes)
};

/// The character that stands for a byte.
pub fn stand_in(byte: u8) -> char {
    STAND_INS[byte as usize]
}

/// The byte of each stand-in.
#[derive(Debug)]
pub struct Bytes([Option<u8>; END]);

/// The byte of each stand-in.
pub fn bytes() -> &'static Bytes {
    &BYTES
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
        assert!((0..=255).all(|byte| bytes().byte(stand_in(byte)) == Some(byte)));
        assert_eq!(bytes().byte(' '), None);
        assert_eq!(bytes().byte('中'), None);
    }
}
