//! The first tokens of a text, without a look at the rest of it.

use std::ops::Range;

use super::Tokenizer;
use super::engine::{Look, Nobody, Part, Worker};
use super::special::SpecialPolicy;
use crate::error::Result;

/// Pieces between two looks at the wish to stop: well under a millisecond of work on short pieces.
const PIECES_PER_LOOK: usize = 1 << 10;

impl Tokenizer {
    /// The first `limit` ids of a text, and whether there are more.
    ///
    /// They are those of the whole text: what follows them may decide how it is cut, but is not encoded,
    /// unless the text is changed before it is cut.
    pub fn encode_at_most(
        &self,
        text: &str,
        policy: SpecialPolicy,
        limit: usize,
        look: &mut Look<'_>,
    ) -> Result<(Vec<u32>, bool)> {
        let mut ids = Vec::new();
        // One more than is wanted tells whether there are more.
        let reach = limit.saturating_add(1);
        self.with_worker(|worker| {
            if self.general.is_none() {
                self.encode_parts_at_most(text, policy, reach, worker, &mut ids, look, |_| {})
            } else {
                // What is changed before it is cut is changed as a whole.
                self.append_ids(text, policy, worker, &mut ids, look, &mut Nobody)
            }
        })?;
        let more = ids.len() > limit;
        ids.truncate(limit);
        Ok((ids, more))
    }

    /// As `encode_parts`, up to and including the part that brings the ids to `limit`.
    #[allow(clippy::too_many_arguments, reason = "those of `encode_parts`, and the limit")]
    pub(super) fn encode_parts_at_most(
        &self,
        text: &str,
        policy: SpecialPolicy,
        limit: usize,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        mut told: impl FnMut(Part<'_>),
    ) -> Result<()> {
        let mut from = 0;
        if policy != SpecialPolicy::Text {
            for found in self.special.find(text.as_bytes()) {
                if policy == SpecialPolicy::Error {
                    return Err(self.special_in_text(text, found.id, found.start));
                }
                let between = from..found.start;
                self.encode_range_at_most(text, between, limit, worker, ids, look, &mut told)?;
                if ids.len() >= limit {
                    return Ok(());
                }
                ids.push(found.id);
                told(Part { start: found.start, end: found.end, ids: &[found.id] });
                from = found.end;
            }
        }
        self.encode_range_at_most(text, from..text.len(), limit, worker, ids, look, &mut told)
    }

    #[allow(clippy::too_many_arguments, reason = "those of `encode_ordinary`, and the limit")]
    fn encode_range_at_most(
        &self,
        text: &str,
        range: Range<usize>,
        limit: usize,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        told: &mut impl FnMut(Part<'_>),
    ) -> Result<()> {
        let pieces = self.settings.splitter.pieces(&text[range.clone()]);
        for (number, (start, piece)) in pieces.enumerate() {
            if ids.len() >= limit {
                break;
            }
            if number % PIECES_PER_LOOK == 0 {
                look()?;
            }
            let (start, before) = (range.start + start, ids.len());
            self.encode_piece(piece, &mut worker.scratch, ids, look)?
                .map_err(|unseen| self.unseen(text, start, piece, unseen))?;
            told(Part { start, end: start + piece.len(), ids: &ids[before..] });
        }
        Ok(())
    }
}
