//! The classes of characters that split rules tell apart.
//!
//! The table is generated from `regex-syntax`, whose Unicode version is the one of the regular
//! expressions that published vocabularies were made with; a test compares all code points.

use super::class_table::{BLOCK_OF, BLOCKS};

/// A set of classes; each character has exactly one bit.
pub type Classes = u8;

/// General categories Lu and Lt.
pub const UPPER: Classes = 1;
/// General category N.
pub const NUMBER: Classes = 2;
/// Property `White_Space`.
pub const SPACE: Classes = 4;
/// General category M.
pub const MARK: Classes = 8;
/// Neither letter, mark, number, punctuation, symbol nor white space.
pub const OTHER: Classes = 16;
/// General category Ll.
pub const LOWER: Classes = 32;
/// Letters without case: general categories Lm and Lo.
pub const CASELESS: Classes = 64;
/// General categories P and S.
pub const PUNCTUATION: Classes = 128;
/// General category L.
pub const LETTER: Classes = UPPER | LOWER | CASELESS;

const BLOCK_LENGTH: usize = 256;

/// The class of a code point.
#[inline]
pub fn class_of(code_point: u32) -> Classes {
    let block = BLOCK_OF[code_point as usize / BLOCK_LENGTH];
    BLOCKS[block as usize][code_point as usize % BLOCK_LENGTH]
}

/// The class and the length in bytes of the character that starts at `at` in valid UTF-8.
#[inline]
pub(super) fn class_at(text: &[u8], at: usize) -> (Classes, usize) {
    #[cfg(test)]
    work::add(1);
    let first = text[at];
    if first < 0x80 {
        return (BLOCKS[0][first as usize], 1);
    }
    let (code_point, length) = decode(text, at, first);
    (class_of(code_point), length)
}

/// The code point of more than one byte that starts at `at`, and its length.
#[inline]
pub(crate) fn decode(text: &[u8], at: usize, first: u8) -> (u32, usize) {
    let tail = |offset: usize| u32::from(text[at + offset] & 0x3F);
    let head = u32::from(first);
    if first < 0xE0 {
        ((head & 0x1F) << 6 | tail(1), 2)
    } else if first < 0xF0 {
        ((head & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        ((head & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
    }
}

/// The end of the run of characters of `classes` that starts at `at`.
#[inline]
pub(super) fn run_end(text: &[u8], mut at: usize, classes: Classes) -> usize {
    while at < text.len() {
        let (class, length) = class_at(text, at);
        if class & classes == 0 {
            break;
        }
        at += length;
    }
    at
}

/// Counts the characters that scanners look at, so that tests can hold them to the length of a text.
#[cfg(test)]
pub(super) mod work {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn add(characters: usize) {
        LOOKS.set(LOOKS.get() + characters);
    }

    pub(crate) fn take() -> usize {
        LOOKS.take()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// The classes as `regex-syntax` has them.
    fn expected() -> Vec<Classes> {
        let mut classes = vec![OTHER; 0x11_0000];
        for (pattern, class) in [
            (r"[\p{Lu}\p{Lt}]", UPPER),
            (r"\p{Ll}", LOWER),
            (r"[\p{Lm}\p{Lo}]", CASELESS),
            (r"\p{N}", NUMBER),
            (r"\s", SPACE),
            (r"\p{M}", MARK),
            (r"[\p{P}\p{S}]", PUNCTUATION),
        ] {
            let parsed = regex_syntax::parse(pattern).unwrap();
            let HirKind::Class(Class::Unicode(set)) = parsed.kind() else { panic!("not a class") };
            for range in set.ranges() {
                for known in &mut classes[range.start() as usize..=range.end() as usize] {
                    assert_eq!(*known, OTHER, "classes do not overlap");
                    *known = class;
                }
            }
        }
        classes
    }

    #[test]
    fn the_table_holds_what_regex_syntax_holds() {
        for (code_point, class) in expected().into_iter().enumerate() {
            assert_eq!(class_of(code_point as u32), class, "U+{code_point:04X}");
        }
    }

    #[test]
    #[ignore = "writes the source file of the table; run it after an update of regex-syntax"]
    fn write_the_table() {
        let classes = expected();
        let mut blocks: Vec<&[u8]> = Vec::new();
        let mut block_of = Vec::new();
        for block in classes.chunks(BLOCK_LENGTH) {
            let number = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
                blocks.push(block);
                blocks.len() - 1
            });
            block_of.push(u8::try_from(number).unwrap());
        }
        let rows = |numbers: &[u8], indent: &str| {
            numbers.chunks(32).fold(String::new(), |mut rows, row| {
                let row: Vec<_> = row.iter().map(u8::to_string).collect();
                writeln!(rows, "{indent}{},", row.join(",")).unwrap();
                rows
            })
        };
        let mut source = String::from(
            "//! Character classes in two levels. Generated from `regex-syntax` by\n\
             //! `cargo test -p textgrain-core write_the_table -- --ignored`; do not edit.\n\n",
        );
        writeln!(
            source,
            "/// The number in [`BLOCKS`] of each block of {BLOCK_LENGTH} code points."
        )
        .unwrap();
        writeln!(
            source,
            "#[rustfmt::skip]\npub(super) static BLOCK_OF: [u8; {}] = [",
            block_of.len()
        )
        .unwrap();
        source.push_str(&rows(&block_of, "    "));
        source.push_str("];\n\n/// The class of each code point of a block.\n");
        writeln!(
            source,
            "#[rustfmt::skip]\npub(super) static BLOCKS: [[u8; {BLOCK_LENGTH}]; {}] = [",
            blocks.len()
        )
        .unwrap();
        for block in blocks {
            writeln!(source, "    [\n{}    ],", rows(block, "        ")).unwrap();
        }
        source.push_str("];\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/split/class_table.rs");
        std::fs::write(path, source).unwrap();
    }
}
