//! Maps of characters as SentencePiece compiles them: a double array of rules, and what they put in place.
//!
//! The layout: the size of the array in bytes, the array, and all replacements, each ended by a zero byte.
//! A unit of the array holds, from the lowest bit: the label (8 bits), whether a rule ends here (bit 8), a
//! mark for wide offsets (bit 9), the offset (from bit 10). A unit with bit 31 holds the value of a rule.
//! Every place that a unit names is checked when it is followed, so a damaged map cannot lead outside.

/// Longest chains of replacements that are looked through for a rule; longer keys do not occur.
const LONGEST_KEY: usize = 256;

/// Rules that replace the longest sequence of characters they know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterMap {
    /// The file's own bytes, which are written back as they are.
    content: Vec<u8>,
    units: Vec<u32>,
    /// Where the replacements begin in `content`.
    replacements: usize,
    /// Whether some rule begins with this byte.
    starts: [bool; 256],
    /// Whether no rule is this byte alone, nor goes on with another one of ASCII.
    plain: [bool; 128],
}

/// What a rule does at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced<'a> {
    /// The bytes that it takes away.
    pub length: usize,
    /// What it puts there.
    pub text: &'a str,
}

impl CharacterMap {
    /// Reads a map; the error says what is wrong with it.
    pub fn new(content: &[u8]) -> Result<Self, String> {
        let Some((size, rest)) = content.split_first_chunk::<4>() else {
            return Err(format!("a map of characters has {} bytes, fewer than 4", content.len()));
        };
        let size = u32::from_le_bytes(*size) as usize;
        if size >= rest.len() || !size.is_multiple_of(4) || size == 0 {
            let left = rest.len();
            return Err(format!(
                "a map of characters states {size} bytes of rules, but must have some, in whole units of 4, \
                 and fewer than the {left} that are left"
            ));
        }
        let (rules, replacements) = rest.split_at(size);
        if std::str::from_utf8(replacements).is_err() || !replacements.ends_with(b"\0") {
            return Err("the replacements of a map of characters are not text".to_owned());
        }
        let unit = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &one| sum << 8 | u32::from(one));
        let units = rules.chunks_exact(4).map(unit).collect();
        let content = content.to_vec();
        let mut map = Self {
            content,
            units,
            replacements: 4 + size,
            starts: [false; 256],
            plain: [false; 128],
        };
        let root = map.root();
        map.starts = std::array::from_fn(|byte| map.step(root, byte as u8).is_some());
        map.plain = std::array::from_fn(|byte| match map.step(root, byte as u8) {
            None => true,
            Some((_, unit)) if has_rule(unit) => false,
            Some((place, _)) => (0..128).all(|next| map.step(place, next).is_none()),
        });
        Ok(map)
    }

    fn root(&self) -> usize {
        self.units.first().map_or(0, |&unit| offset(unit))
    }

    /// Whether this byte stays as it is where another byte of ASCII, or nothing, follows.
    #[inline]
    pub fn is_plain(&self, byte: u8) -> bool {
        self.plain.get(byte as usize).copied().unwrap_or(false)
    }

    /// The map as it is written to files.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Whether some rule begins with this byte.
    #[inline]
    pub fn may_start(&self, byte: u8) -> bool {
        self.starts[byte as usize]
    }

    /// The place after a byte, and its unit.
    #[inline]
    fn step(&self, place: usize, byte: u8) -> Option<(usize, u32)> {
        let place = place ^ byte as usize;
        let unit = *self.units.get(place)?;
        // The label of a unit that holds a value has its highest bit set, so no byte equals it.
        (unit & (1 << 31 | 0xFF) == u32::from(byte)).then(|| (place ^ offset(unit), unit))
    }

    /// What the rule for the longest beginning of `text` does.
    #[inline]
    pub fn longest(&self, text: &str) -> Option<Replaced<'_>> {
        let bytes = text.as_bytes();
        if !bytes.first().is_some_and(|&byte| self.may_start(byte)) {
            return None;
        }
        let mut place = self.root();
        let mut found = None;
        for (index, &byte) in bytes.iter().take(LONGEST_KEY).enumerate() {
            let Some((after, unit)) = self.step(place, byte) else { break };
            place = after;
            if has_rule(unit) && text.is_char_boundary(index + 1) {
                let value = self.units.get(place).map(|unit| (unit & 0x7FFF_FFFF) as usize);
                found = value.map(|value| (index + 1, value)).or(found);
            }
        }
        let (length, value) = found?;
        Some(Replaced { length, text: self.replacement(value)? })
    }

    /// What the rule for the shortest beginning of `text` puts in its place.
    pub fn shortest(&self, text: &str) -> Option<&str> {
        let mut place = self.root();
        for &byte in text.as_bytes() {
            let (after, unit) = self.step(place, byte)?;
            place = after;
            if has_rule(unit) {
                return self.replacement((self.units.get(place)? & 0x7FFF_FFFF) as usize);
            }
        }
        None
    }

    fn replacement(&self, value: usize) -> Option<&str> {
        let text = self.content.get(self.replacements.checked_add(value)?..)?;
        let end = memchr::memchr(0, text)?;
        std::str::from_utf8(&text[..end]).ok()
    }
}

#[inline]
fn has_rule(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

#[inline]
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_map_of_anything_leads_nowhere_outside(
            units in proptest::collection::vec(any::<u32>(), 1..64),
            text: String,
        ) {
            let mut content = (units.len() as u32 * 4).to_le_bytes().to_vec();
            content.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
            content.extend_from_slice("é\0ab\0\0".as_bytes());
            let map = CharacterMap::new(&content).unwrap();
            for (place, _) in text.char_indices() {
                if let Some(replaced) = map.longest(&text[place..]) {
                    prop_assert!(text[place..].is_char_boundary(replaced.length));
                }
            }
        }
    }

    #[test]
    fn sizes_are_checked() {
        for content in
            [&b""[..], b"abc", b"\x04\0\0\0abc", b"\0\0\0\0a\0", b"\xFF\xFF\xFF\xFF\0\0\0\0\0"]
        {
            assert!(CharacterMap::new(content).is_err());
        }
        assert!(CharacterMap::new(b"\x04\0\0\0\0\0\0\0\0").is_ok());
        assert!(CharacterMap::new(b"\x04\0\0\0\0\0\0\0\xFF\0").is_err());
    }
}
