//! Classes of characters, from the Unicode version that `unicode_ranges.rs` was made from.

use std::sync::LazyLock;

use super::unicode_ranges::RANGES;

/// `\p{L}`.
pub(crate) const LETTER: u8 = 1;
/// `\p{N}`.
pub(crate) const NUMBER: u8 = 2;
/// `\s`, the property `White_Space`.
pub(crate) const WHITE: u8 = 4;
/// `\p{M}`.
pub(crate) const MARK: u8 = 8;

const BLOCK: usize = 128;
const CODE_POINTS: usize = 0x11_0000;

/// What kind of character it is; a set of the classes above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(pub(crate) u8);

impl Class {
    /// White space.
    pub fn is_white(self) -> bool {
        self.0 & WHITE != 0
    }

    /// A letter, a mark, a number or the underscore.
    pub fn is_word(self) -> bool {
        self.0 & (LETTER | NUMBER | MARK) != 0
    }
}

/// The class of every code point: blocks of 128, equal blocks kept once.
#[derive(Debug)]
pub struct Classes {
    index: Vec<u16>,
    blocks: Vec<[u8; BLOCK]>,
}

impl Classes {
    /// The class of a code point.
    ///
    /// # Panics
    ///
    /// If `character` is above U+10FFFF.
    #[inline]
    pub fn of(&self, character: u32) -> Class {
        let block = self.index[character as usize / BLOCK];
        Class(self.blocks[usize::from(block)][character as usize % BLOCK])
    }
}

/// The table of classes; a constant that is computed when it is first used.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(build);
    &CLASSES
}

fn build() -> Classes {
    let mut flat = vec![0_u8; CODE_POINTS];
    for &(first, last, class) in RANGES {
        for one in &mut flat[first as usize..=last as usize] {
            *one |= class;
        }
    }
    // The underscore joins words, as in `New_York`; no other class asks about it.
    flat['_' as usize] |= MARK;
    let (mut index, mut blocks) =
        (Vec::with_capacity(CODE_POINTS / BLOCK), Vec::<[u8; BLOCK]>::new());
    for part in flat.chunks_exact(BLOCK) {
        let known = blocks.iter().rposition(|block| block == part).unwrap_or_else(|| {
            let mut block = [0; BLOCK];
            block.copy_from_slice(part);
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(known as u16);
    }
    Classes { index, blocks }
}

/// The character of two or more bytes at the start of valid UTF-8, and its length.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> (u32, usize) {
    let continued = |place: usize| u32::from(bytes[place] & 0x3F);
    match bytes[0] {
        lead @ 0..0xE0 => (u32::from(lead & 0x1F) << 6 | continued(1), 2),
        lead @ 0xE0..0xF0 => (u32::from(lead & 0x0F) << 12 | continued(1) << 6 | continued(2), 3),
        lead => (
            u32::from(lead & 0x07) << 18 | continued(1) << 12 | continued(2) << 6 | continued(3),
            4,
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    fn ranges(pattern: &str) -> Vec<(u32, u32)> {
        let tree = regex_syntax::parse(pattern).unwrap();
        let HirKind::Class(Class::Unicode(class)) = tree.kind() else {
            panic!("{pattern} is a class")
        };
        class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
    }

    const PATTERNS: [(&str, u8); 4] =
        [(r"\p{L}", LETTER), (r"\p{N}", NUMBER), (r"\s", WHITE), (r"\p{M}", MARK)];

    #[test]
    fn the_table_agrees_with_the_regex_engine_on_every_code_point() {
        for (pattern, bit) in PATTERNS {
            let mut expected = vec![false; CODE_POINTS];
            for (first, last) in ranges(pattern) {
                expected[first as usize..=last as usize].fill(true);
            }
            for (character, expected) in
                expected.into_iter().enumerate().filter(|&(place, _)| place != '_' as usize)
            {
                let class = classes().of(character as u32);
                assert_eq!(class.0 & bit != 0, expected, "{pattern} of U+{character:04X}");
            }
        }
    }

    /// Run with `cargo test -p textgrain-core write_the_ranges -- --ignored` when `regex-syntax` moves on.
    #[test]
    #[ignore = "writes a source file"]
    fn write_the_ranges() {
        let mut source = String::from(
            "//! Made from `regex-syntax` by the test `write_the_ranges` in `unicode.rs`; do not edit.\n\n\
             /// First and last code point of each range, with its class.\n#[rustfmt::skip]\n\
             pub(super) const RANGES: &[(u32, u32, u8)] = &[\n",
        );
        for (pattern, bit) in PATTERNS {
            for part in ranges(pattern).chunks(5) {
                let line: Vec<_> = part
                    .iter()
                    .map(|(first, last)| format!("(0x{first:04X}, 0x{last:04X}, {bit}),"))
                    .collect();
                writeln!(source, "    {}", line.join(" ")).unwrap();
            }
        }
        source.push_str("];\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/split/unicode_ranges.rs");
        std::fs::write(path, source).unwrap();
    }
}
