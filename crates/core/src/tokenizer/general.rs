//! Encoding of texts that are changed before they are cut, or hold tokens that are found by rules.
//!
//! Added tokens are found first, the rest is normalized, tokens that are looked for in normalized text are
//! found, and what is left is cut and encoded. Where a step would change nothing, the fast way is taken.

use std::ops::Range;

use super::Tokenizer;
use super::engine::{Listener, Look, Part, Parts, Worker};
use super::pipeline::General;
use super::special::SpecialPolicy;
use crate::error::Result;
use crate::normalize::{Aligned, Span};
use crate::split::pre_tokenizer::{Draft, PreTokenizer};

/// Pieces between two looks at the wish to stop.
const PIECES_PER_LOOK: usize = 1 << 10;

/// A piece or an added token with its ids, in the text that the model sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    /// The text that the model sees, or the source if it was not changed.
    text: Seen<'a>,
    start: usize,
    end: usize,
    pub(super) ids: &'a [u32],
    /// An added token, which stands for all of it.
    pub(super) added: bool,
}

#[derive(Clone, Copy, Debug)]
enum Seen<'a> {
    Source(&'a str),
    Changed(&'a Aligned),
}

impl<'a> Event<'a> {
    /// What the model sees.
    pub(super) fn piece(&self) -> &'a str {
        match self.text {
            Seen::Source(text) => &text[self.start..self.end],
            Seen::Changed(aligned) => &aligned.text()[self.start..self.end],
        }
    }

    /// Where bytes of the piece come from in the source.
    pub(super) fn span(&self, bytes: Range<usize>) -> Span {
        let bytes = self.start + bytes.start..self.start + bytes.end;
        match self.text {
            Seen::Source(_) => (bytes.start, bytes.end),
            Seen::Changed(aligned) => aligned.span(bytes).unwrap_or_default(),
        }
    }
}

/// What stays the same during a call.
struct Call<'a, 'b, 'c> {
    text: &'a str,
    policy: SpecialPolicy,
    /// Whether it must be known where changed text came from.
    tracked: bool,
    worker: &'b mut Worker,
    ids: &'b mut Vec<u32>,
    look: &'b mut Look<'c>,
}

impl Tokenizer {
    /// Appends the ids of a text, and lets a listener know when there are more; it does not hear of parts.
    pub(super) fn append_ids(
        &self,
        text: &str,
        policy: SpecialPolicy,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        listener: &mut impl Listener,
    ) -> Result<()> {
        match &self.general {
            None => self.encode_parts(text, policy, worker, ids, look, listener),
            Some(general) => {
                let mut call = Call { text, policy, tracked: false, worker, ids, look };
                self.encode_general(general, &mut call, &mut |_| {})?;
                listener.appended(ids);
                Ok(())
            }
        }
    }

    /// Appends the ids of a text and tells of each piece and each added token.
    pub(super) fn encode_events(
        &self,
        text: &str,
        policy: SpecialPolicy,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        mut told: impl FnMut(Event<'_>),
    ) -> Result<()> {
        match &self.general {
            None => {
                let mut parts = Parts(|part: Part<'_>| told(self.event(text, part)));
                self.encode_parts(text, policy, worker, ids, look, &mut parts)
            }
            Some(general) => {
                let mut call = Call { text, policy, tracked: true, worker, ids, look };
                self.encode_general(general, &mut call, &mut told)
            }
        }
    }

    fn encode_general(
        &self,
        general: &General,
        call: &mut Call<'_, '_, '_>,
        told: &mut impl FnMut(Event<'_>),
    ) -> Result<()> {
        let mut from = 0;
        for found in general.raw.find(call.text, call.policy) {
            if found.special && call.policy == SpecialPolicy::Error {
                return Err(self.special_in_text(call.text, found.id, found.start));
            }
            self.encode_stretch(general, from..found.start, call, told)?;
            call.ids.push(found.id);
            let text = Seen::Source(call.text);
            told(Event { text, start: found.start, end: found.end, ids: &[found.id], added: true });
            from = found.end;
        }
        self.encode_stretch(general, from..call.text.len(), call, told)
    }

    /// Encodes what lies between tokens that were found in the source.
    fn encode_stretch(
        &self,
        general: &General,
        range: Range<usize>,
        call: &mut Call<'_, '_, '_>,
        told: &mut impl FnMut(Event<'_>),
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let source = &call.text[range.clone()];
        let pipeline = &self.pipeline;
        let changing = pipeline.pre_tokenizer.as_ref().filter(|rule| rule.changes_text());
        let normalizer = pipeline.normalizer.as_ref().filter(|rule| !rule.keeps(source));
        if normalizer.is_none() && changing.is_none() {
            let found = general.normalized.find(source, call.policy);
            if found.is_empty() {
                return self.encode_source(range, call, told);
            }
        }
        let tracked = call.tracked || changing.is_some_and(PreTokenizer::needs_places);
        let mut aligned = Aligned::new(call.text, range.clone(), tracked);
        if let Some(normalizer) = normalizer {
            normalizer.apply(&mut aligned);
        }
        let at_start = range.start == 0;
        let mut from = 0;
        for found in general.normalized.find(aligned.text(), call.policy) {
            if found.special && call.policy == SpecialPolicy::Error {
                let (start, _) = aligned.span(found.start..found.end).unwrap_or_default();
                return Err(self.special_in_text(call.text, found.id, start));
            }
            let before = (from..found.start, at_start && from == 0);
            self.encode_changed(&aligned, before, changing, call, told)?;
            call.ids.push(found.id);
            let text = Seen::Changed(&aligned);
            told(Event { text, start: found.start, end: found.end, ids: &[found.id], added: true });
            from = found.end;
        }
        let rest = (from..aligned.text().len(), at_start && from == 0);
        self.encode_changed(&aligned, rest, changing, call, told)
    }

    fn encode_source(
        &self,
        range: Range<usize>,
        call: &mut Call<'_, '_, '_>,
        told: &mut impl FnMut(Event<'_>),
    ) -> Result<()> {
        let text = call.text;
        let mut parts = Parts(|Part { start, end, ids }: Part<'_>| {
            told(Event { text: Seen::Source(text), start, end, ids, added: false });
        });
        self.encode_ordinary(text, range, call.worker, call.ids, call.look, &mut parts)
    }

    /// Encodes part of a changed text, which the pre-tokenizer may change further.
    fn encode_changed(
        &self,
        aligned: &Aligned,
        (range, at_start): (Range<usize>, bool),
        changing: Option<&PreTokenizer>,
        call: &mut Call<'_, '_, '_>,
        told: &mut impl FnMut(Event<'_>),
    ) -> Result<()> {
        let Some(rule) = changing else {
            let text = aligned.text();
            let mut parts = Parts(|Part { start, end, ids }: Part<'_>| {
                told(Event { text: Seen::Changed(aligned), start, end, ids, added: false });
            });
            return self.encode_ordinary(text, range, call.worker, call.ids, call.look, &mut parts);
        };
        // What was put in front of the text, or took its place, need not stand for its start.
        let first = aligned.span(range.start..range.end.min(range.start + 1));
        let at_start = first.map_or(at_start, |(start, _)| start == 0);
        let mut draft = Draft::new(aligned.part(range), at_start);
        draft.apply(rule);
        let text = draft.text.text();
        for (number, &(start, end)) in draft.cuts.iter().enumerate() {
            if number % PIECES_PER_LOOK == 0 {
                (call.look)()?;
            }
            let before = call.ids.len();
            self.encode_one(text, start..end, call.worker, call.ids, call.look)?;
            let seen = Seen::Changed(&draft.text);
            told(Event { text: seen, start, end, ids: &call.ids[before..], added: false });
        }
        Ok(())
    }

    /// What is told of a part of a text that nothing changed.
    pub(super) fn event<'a>(&self, text: &'a str, part: Part<'a>) -> Event<'a> {
        let Part { start, end, ids } = part;
        let added = self.is_name(ids, &text[start..end]);
        Event { text: Seen::Source(text), start, end, ids, added }
    }

    /// Whether these are the ids of a name that was found, not of a piece.
    fn is_name(&self, ids: &[u32], piece: &str) -> bool {
        // The unknown token stands for pieces too, and for its own name where that is asked for.
        self.is_special(ids)
            || matches!(ids, [id] if self.vocabulary.kind(*id) == super::vocabulary::TokenKind::Unknown
                && self.vocabulary.bytes(*id) == piece.as_bytes())
    }

    pub(super) fn is_special(&self, ids: &[u32]) -> bool {
        use super::vocabulary::TokenKind::{Added, Special};
        matches!(ids, [id] if matches!(self.vocabulary.kind(*id), Special | Added))
    }
}
