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

/// The byte of each stand-in, sorted by character.
pub fn table() -> Vec<(char, u8)> {
    let mut table: Vec<(char, u8)> = (0..=255).map(|byte| (stand_in(byte), byte)).collect();
    table.sort_unstable();
    table
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
        assert!(table().windows(2).all(|two| two[0].0 < two[1].0));
    }
}
