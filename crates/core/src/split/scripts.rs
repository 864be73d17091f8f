//! Pieces of one script.
//!
//! A piece begins where the script changes. Characters that several scripts share, such as spaces, digits,
//! punctuation and combining marks, and those without a script belong to what is before them, or at the start of
//! a text to what follows. Han, Hiragana and Katakana, which Japanese mixes within words, count as one, as
//! they do for SentencePiece.

use super::behavior::Cut;
use super::script_table::RANGES;

/// Shared by several scripts, or of none.
const SHARED: u8 = 0;
/// The number of the script of the letters of ASCII.
const LATIN: u8 = 70;

/// The number of the script of a character.
fn script_of(character: char) -> u8 {
    if character.is_ascii() {
        return if character.is_ascii_alphabetic() { LATIN } else { SHARED };
    }
    let code_point = character as u32;
    let after = RANGES.partition_point(|&(first, ..)| first <= code_point);
    match after.checked_sub(1).map(|place| RANGES[place]) {
        Some((_, last, script)) if code_point <= last => script,
        _ => SHARED,
    }
}

/// Appends the pieces of the stretch that begins at `start`.
pub(super) fn cut(text: &str, start: usize, cuts: &mut Vec<Cut>) {
    let (mut from, mut current) = (0, SHARED);
    for (at, character) in text.char_indices() {
        let script = script_of(character);
        if script == SHARED || script == current {
            continue;
        }
        if current != SHARED {
            cuts.push((start + from, start + at));
            from = at;
        }
        current = script;
    }
    cuts.push((start + from, start + text.len()));
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// All scripts but `Common` and `Inherited`; `Hiragana` and `Katakana` have no number of their own.
    const NAMES: &str = "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak \
        Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian \
        Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan \
        Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic \
        Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi \
        Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Imperial_Aramaic \
        Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Kawi Kayah_Li \
        Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu \
        Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen \
        Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs \
        Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa \
        Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic \
        Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic \
        Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician \
        Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting \
        Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa \
        Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh \
        Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi \
        Zanabazar_Square";

    /// The number of the script of each code point, as `regex-syntax` has it.
    fn expected() -> Vec<u8> {
        let mut scripts = vec![SHARED; 0x11_0000];
        let names: Vec<&str> = NAMES.split_ascii_whitespace().collect();
        for name in names.iter().chain(&["Hiragana", "Katakana"]) {
            let counted_as = if matches!(*name, "Hiragana" | "Katakana") { "Han" } else { name };
            let number = names.iter().position(|known| *known == counted_as).unwrap() as u8 + 1;
            let parsed = regex_syntax::parse(&format!(r"\p{{Script={name}}}")).unwrap();
            let HirKind::Class(Class::Unicode(set)) = parsed.kind() else { panic!("not a class") };
            for range in set.ranges() {
                for known in &mut scripts[range.start() as usize..=range.end() as usize] {
                    assert_eq!(*known, SHARED, "a character has one script");
                    *known = number;
                }
            }
        }
        scripts
    }

    #[test]
    fn the_table_holds_what_regex_syntax_holds() {
        let expected = expected();
        for character in '\0'..=char::MAX {
            assert_eq!(script_of(character), expected[character as usize], "{character:?}");
        }
        // A script that the names lack would be shared too.
        let rest = r"[\p{Script=Common}\p{Script=Inherited}\p{Cn}\p{Co}]";
        let HirKind::Class(Class::Unicode(set)) = regex_syntax::parse(rest).unwrap().into_kind()
        else {
            panic!("not a class")
        };
        let mut is_shared = vec![false; 0x11_0000];
        for range in set.ranges() {
            is_shared[range.start() as usize..=range.end() as usize].fill(true);
        }
        for character in '\0'..=char::MAX {
            assert_eq!(
                script_of(character) == SHARED,
                is_shared[character as usize],
                "{character:?}"
            );
        }
    }

    fn pieces(text: &str) -> Vec<&str> {
        let mut cuts = Vec::new();
        cut(text, 0, &mut cuts);
        cuts.into_iter().map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn what_scripts_share_belongs_to_what_is_before() {
        let text = " 1. hello, мир! 123 \u{301}한국 日本のカタカナー words";
        assert_eq!(
            pieces(text),
            [" 1. hello, ", "мир! 123 \u{301}", "한국 ", "日本のカタカナー ", "words"]
        );
        assert_eq!(pieces("12 34"), ["12 34"]);
        assert_eq!(pieces("αβγabc\u{E000}"), ["αβγ", "abc\u{E000}"]);
    }

    #[test]
    #[ignore = "writes the source file of the table; run it after an update of regex-syntax"]
    fn write_the_scripts() {
        let mut ranges: Vec<(usize, usize, u8)> = Vec::new();
        for (code_point, script) in expected().into_iter().enumerate() {
            match ranges.last_mut() {
                Some((_, last, known)) if *known == script && *last + 1 == code_point => {
                    *last = code_point;
                }
                _ if script == SHARED => {}
                _ => ranges.push((code_point, code_point, script)),
            }
        }
        let mut source = String::from(
            "//! Scripts of characters. Generated from `regex-syntax` by\n\
             //! `cargo test -p textgrain-core write_the_scripts -- --ignored`; do not edit.\n\n\
             /// The first and the last code point of each range of characters of one script, and its number.\n",
        );
        let length = ranges.len();
        writeln!(
            source,
            "#[rustfmt::skip]\npub(super) static RANGES: [(u32, u32, u8); {length}] = ["
        )
        .unwrap();
        for row in ranges.chunks(6) {
            let row: Vec<_> = row
                .iter()
                .map(|(first, last, script)| format!("({first:#X}, {last:#X}, {script}),"))
                .collect();
            writeln!(source, "    {}", row.join(" ")).unwrap();
        }
        source.push_str("];\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/split/script_table.rs");
        std::fs::write(path, source).unwrap();
    }
}
