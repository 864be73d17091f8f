//! Ids to text.

use super::{PieceKind, SPACE, SentencePiece};

impl SentencePiece {
    /// The bytes that ids stand for; all ids must be ids of pieces.
    ///
    /// Control symbols stand for nothing. The space that was put in front of the text is taken away.
    pub(crate) fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let normalizer = &self.settings.normalizer;
        let drops_space = normalizer.add_dummy_prefix || normalizer.remove_extra_whitespaces;
        let mut bytes = Vec::with_capacity(ids.len() * 5);
        let (mut at_start, mut dropped) = (true, false);
        for &id in ids {
            let piece = &self.pieces[id as usize];
            if piece.kind == PieceKind::Byte {
                bytes.extend(u8::from_str_radix(piece.text.get(3..5).unwrap_or_default(), 16));
                continue;
            }
            at_start &= !dropped && bytes.is_empty();
            dropped = false;
            match piece.kind {
                PieceKind::Control => {}
                PieceKind::Unknown => {
                    bytes.extend_from_slice(self.settings.unknown_surface.as_bytes());
                }
                _ => {
                    let mut text = piece.text.as_str();
                    if at_start
                        && drops_space
                        && let Some(rest) = text.strip_prefix(SPACE)
                    {
                        text = rest;
                        // Where extra spaces are removed, all of them at the beginning are.
                        dropped = !normalizer.remove_extra_whitespaces;
                    }
                    for (number, part) in text.split(SPACE).enumerate() {
                        if number > 0 {
                            bytes.push(b' ');
                        }
                        bytes.extend_from_slice(part.as_bytes());
                    }
                }
            }
        }
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
