//! Places in a text, in characters.

/// Bytes between two places whose number of characters is kept.
const STRIDE: usize = 256;

/// Tells how many characters lie before a byte.
#[derive(Debug)]
pub(super) struct Characters<'a> {
    text: &'a [u8],
    /// Characters that begin before each stride; empty where each byte is a character.
    before: Vec<usize>,
}

fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

impl<'a> Characters<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        if text.is_ascii() {
            return Self { text, before: Vec::new() };
        }
        let mut count = 0;
        let before = text.chunks(STRIDE).map(|chunk| {
            let before = count;
            count += chunk.iter().filter(|&&byte| begins(byte)).count();
            before
        });
        Self { text, before: before.collect() }
    }

    /// The characters that begin before a byte.
    fn begin_before(&self, byte: usize) -> usize {
        if self.before.is_empty() {
            return byte;
        }
        // A text of a whole number of strides has none after it.
        let stride = (byte / STRIDE).min(self.before.len() - 1);
        let rest = &self.text[stride * STRIDE..byte];
        self.before[stride] + rest.iter().filter(|&&byte| begins(byte)).count()
    }

    /// The characters of which any byte lies between two places.
    pub(super) fn span(&self, (start, end): (usize, usize)) -> (usize, usize) {
        if start == end {
            let place = self.begin_before(start);
            return (place, place);
        }
        (self.begin_before(start + 1) - 1, self.begin_before(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_cover_whole_characters() {
        for text in ["aé中\u{1F600}b".repeat(100), "é".repeat(256), "abc".to_owned()] {
            let characters = Characters::new(&text);
            let starts: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
            for start in 0..text.len() {
                let first = starts.partition_point(|&at| at <= start) - 1;
                assert_eq!(characters.span((start, start + 1)), (first, first + 1), "{start}");
            }
            assert_eq!(characters.span((0, text.len())), (0, starts.len()));
            assert_eq!(characters.span((text.len(), text.len())), (starts.len(), starts.len()));
        }
    }
}
