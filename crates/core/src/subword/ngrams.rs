//! The runs of characters of a marked word.

/// Whether a byte goes on with the character of the byte before it.
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Calls `visit` with each run of `min_n` to `max_n` characters of `marked`, by start and then by length.
///
/// A character is a byte with the bytes after it that continue it in UTF-8, so that any bytes are cut as
/// fastText cuts them. A run of one character at either end is a mark alone; `lone_marks` says whether it
/// counts.
pub fn each<'a>(
    marked: &'a [u8],
    min_n: u32,
    max_n: u32,
    lone_marks: bool,
    mut visit: impl FnMut(&'a [u8]),
) {
    for start in 0..marked.len() {
        if continues(marked[start]) {
            continue;
        }
        let (mut end, mut length) = (start, 0);
        while end < marked.len() && length < max_n {
            end += 1;
            while end < marked.len() && continues(marked[end]) {
                end += 1;
            }
            length += 1;
            let lone_mark = length == 1 && (start == 0 || end == marked.len());
            if length >= min_n && (lone_marks || !lone_mark) {
                visit(&marked[start..end]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(marked: &str, min_n: u32, max_n: u32, lone_marks: bool) -> Vec<String> {
        let mut found = Vec::new();
        each(marked.as_bytes(), min_n, max_n, lone_marks, |ngram| {
            found.push(String::from_utf8_lossy(ngram).into_owned());
        });
        found
    }

    #[test]
    fn runs_of_characters_by_start_then_by_length() {
        assert_eq!(all("<ab>", 2, 3, false), ["<a", "<ab", "ab", "ab>", "b>"]);
        assert_eq!(all("<日本>", 3, 6, false), ["<日本", "<日本>", "日本>"]);
        assert_eq!(all("<é>", 1, 1, false), ["é"]);
        assert_eq!(all("<é>", 1, 1, true), ["<", "é", ">"]);
        assert_eq!(all("<where>", 3, 6, false).len(), 14);
        assert!(all("<>", 3, 6, false).is_empty());
        assert!(all("<abc>", 0, 0, false).is_empty());
    }

    #[test]
    fn bytes_that_are_not_text_are_cut_too() {
        let mut found = Vec::new();
        each(b"<\xE9\x80>", 1, 2, false, |ngram| found.push(ngram.to_vec()));
        assert_eq!(found, [&b"<\xE9\x80"[..], b"\xE9\x80", b"\xE9\x80>"]);
    }
}
