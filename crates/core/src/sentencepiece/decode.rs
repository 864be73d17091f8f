//! Ids to text.

use super::{PieceKind, SPACE, SentencePiece};

/// What decoding remembers of the ids that came: whether the text has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    at_start: bool,
    dropped: bool,
    is_empty: bool,
}

impl Default for Beginning {
    fn default() -> Self {
        Self { at_start: true, dropped: false, is_empty: true }
    }
}

impl SentencePiece {
    /// The bytes that ids stand for; all ids must be ids of pieces.
    ///
    /// Control symbols stand for nothing. The space that was put in front of the text is taken away.
    pub(crate) fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let mut beginning = Beginning::default();
        for &id in ids {
            self.append(id, &mut beginning, &mut bytes);
        }
        self.denormalized(bytes)
    }

    /// Appends the bytes of the next id.
    pub(crate) fn append(&self, id: u32, beginning: &mut Beginning, bytes: &mut Vec<u8>) {
        let normalizer = &self.settings.normalizer;
        let drops_space = normalizer.add_dummy_prefix || normalizer.remove_extra_whitespaces;
        let before = bytes.len();
        let piece = &self.pieces[id as usize];
        if piece.kind == PieceKind::Byte {
            bytes.extend(u8::from_str_radix(piece.text.get(3..5).unwrap_or_default(), 16));
            beginning.is_empty &= bytes.len() == before;
            return;
        }
        beginning.at_start &= !beginning.dropped && beginning.is_empty;
        beginning.dropped = false;
        match piece.kind {
            PieceKind::Control => {}
            PieceKind::Unknown => {
                bytes.extend_from_slice(self.settings.unknown_surface.as_bytes());
            }
            _ => {
                let mut text = piece.text.as_str();
                if beginning.at_start
                    && drops_space
                    && let Some(rest) = text.strip_prefix(SPACE)
                {
                    text = rest;
                    // Where extra spaces are removed, all of them at the beginning are.
                    beginning.dropped = !normalizer.remove_extra_whitespaces;
                }
                for (number, part) in text.split(SPACE).enumerate() {
                    if number > 0 {
                        bytes.push(b' ');
                    }
                    bytes.extend_from_slice(part.as_bytes());
                }
            }
        }
        beginning.is_empty &= bytes.len() == before;
    }

    /// Whether the text as a whole is changed at the end.
    pub(crate) fn denormalizes(&self) -> bool {
        self.denormalizer.is_some()
    }

    /// The text after the last change.
    pub(crate) fn denormalized(&self, bytes: Vec<u8>) -> Vec<u8> {
        match &self.denormalizer {
            Some(denormalizer) => {
                let text = String::from_utf8_lossy(&bytes);
                let mut changed = String::new();
                denormalizer.normalize::<false>(&text, &mut changed, &mut Vec::new());
                changed.into_bytes()
            }
            None => bytes,
        }
    }
}
