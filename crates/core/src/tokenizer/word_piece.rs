//! Pieces to tokens by the longest match, as BERT does it (Schuster and Nakajima, 2012; Wu et al., 2016).

use rustc_hash::FxHashMap;

/// Tokens that begin a word, and tokens that go on with one.
#[derive(Clone, Debug, Default)]
pub struct WordPieceModel {
    /// What files write in front of a token that goes on with a word.
    pub prefix: String,
    /// A word of more characters is unknown as a whole.
    pub max_characters: usize,
    /// What a word becomes that no tokens make up.
    pub unknown: Option<u32>,
    /// Tokens at the start of a word, by their bytes.
    first: FxHashMap<Box<[u8]>, u32>,
    /// Tokens after it, by their bytes without the prefix.
    inner: FxHashMap<Box<[u8]>, u32>,
    /// Bytes of the longest token.
    longest: usize,
}

impl WordPieceModel {
    /// A model of these tokens, as files write them.
    pub fn new<'a>(
        tokens: impl Iterator<Item = (u32, &'a [u8])>,
        prefix: &str,
        max_characters: usize,
        unknown: Option<u32>,
    ) -> Self {
        let prefix = prefix.to_owned();
        let mut model = Self { prefix, max_characters, unknown, ..Self::default() };
        for (id, token) in tokens {
            model.longest = model.longest.max(token.len());
            // A text may hold the prefix itself, so such a token can begin a word too.
            model.first.entry(token.into()).or_insert(id);
            if let Some(inner) = token.strip_prefix(model.prefix.as_bytes()) {
                model.inner.entry(inner.into()).or_insert(id);
            }
        }
        model
    }

    /// Appends the tokens of a word, or returns `false` if some part of it has none.
    pub fn encode_piece(&self, piece: &str, ids: &mut Vec<u32>) -> bool {
        let before = ids.len();
        if piece.chars().nth(self.max_characters).is_some() {
            return self.give_up(ids);
        }
        let mut start = 0;
        while start < piece.len() {
            let tokens = if start == 0 { &self.first } else { &self.inner };
            let mut end = piece.len().min(start + self.longest);
            while !piece.is_char_boundary(end) {
                end -= 1;
            }
            let found = loop {
                if end <= start {
                    break None;
                }
                if let Some(&id) = tokens.get(&piece.as_bytes()[start..end]) {
                    break Some(id);
                }
                end -= piece[start..end].chars().next_back().map_or(1, char::len_utf8);
            };
            let Some(id) = found else {
                ids.truncate(before);
                return self.give_up(ids);
            };
            ids.push(id);
            start = end;
        }
        true
    }

    fn give_up(&self, ids: &mut Vec<u32>) -> bool {
        ids.extend(self.unknown);
        self.unknown.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> WordPieceModel {
        let tokens = ["[UNK]", "un", "##aff", "##able", "##a", "é", "##é", "##"];
        let tokens = tokens.iter().zip(0..).map(|(token, id)| (id, token.as_bytes()));
        WordPieceModel::new(tokens, "##", 10, Some(0))
    }

    fn ids(piece: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        assert!(model().encode_piece(piece, &mut ids));
        ids
    }

    #[test]
    fn the_longest_token_wins_and_a_word_is_known_as_a_whole_or_not() {
        assert_eq!(ids("unaffable"), [1, 2, 3]);
        assert_eq!(ids("éaé"), [5, 4, 6]);
        assert_eq!(ids("unx"), [0]);
        assert_eq!(ids("unaaaaaaaaa"), [0]);
        assert_eq!(ids("unaaaaaaaa"), [1, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert_eq!(ids("##a"), [3 + 1]);
        assert_eq!(ids("##"), [7]);
    }
}
