//! The pieces of a corpus, long ones in parts.

use crate::split::PieceCounts;

/// Bytes of the longest part. Few pieces are longer, and the ends of parts change little; but the work and
/// the memory for one part are bounded, so that a run can be stopped at any time.
const LONGEST: usize = 1 << 12;

/// Pieces, and parts of long ones, with the counts of their pieces.
pub(super) struct Windows<'a> {
    pieces: &'a PieceCounts,
    /// Piece, first byte, end.
    parts: Vec<(u32, u32, u32)>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(pieces: &'a PieceCounts) -> Self {
        let mut parts = Vec::with_capacity(pieces.len());
        for (number, (piece, _)) in pieces.iter().enumerate() {
            let mut start = 0;
            while start < piece.len() {
                let mut end = piece.len().min(start + LONGEST);
                while end < piece.len() && piece[end] & 0xC0 == 0x80 {
                    end -= 1;
                }
                parts.push((number as u32, start as u32, end as u32));
                start = end;
            }
        }
        Self { pieces, parts }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The text of a part, and how often its piece occurs.
    pub(super) fn get(&self, number: usize) -> (&'a [u8], u64) {
        let (piece, start, end) = self.parts[number];
        let bytes = self.pieces.piece(piece as usize);
        (&bytes[start as usize..end as usize], self.pieces.count(piece as usize))
    }

    pub(super) fn pieces(&self) -> &'a PieceCounts {
        self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pieces_are_cut_between_characters() {
        let long = "\u{e9}".repeat(LONGEST) + "a";
        let pieces = PieceCounts::from_counts([("short", 3), (long.as_str(), 2)]).unwrap();
        let windows = Windows::new(&pieces);
        let parts: Vec<_> = (0..windows.len()).map(|number| windows.get(number)).collect();
        assert_eq!(parts[0], (&b"short"[..], 3));
        let whole: Vec<u8> = parts[1..].iter().flat_map(|(part, _)| part.iter().copied()).collect();
        assert_eq!(whole, long.as_bytes());
        assert!(parts.iter().all(|(part, _)| std::str::from_utf8(part).is_ok()));
    }
}
