//! How a tokenizer does on a corpus: which tokens it uses, and for how much text.

use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{DocumentIds, Frame, Tokenizer};
use crate::corpus::{Batch, DocumentStream, ReadReport, map_in_order};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer};

/// What was counted in a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How often each id occurs.
    pub counts: Vec<u64>,
    /// Characters of the documents.
    pub characters: u64,
    /// Bytes of the documents, without what separates them.
    pub bytes: u64,
    /// Words: what stands between white space.
    pub words: u64,
    /// What was read.
    pub report: ReadReport,
}

impl Usage {
    fn add(&mut self, other: Self) {
        if self.counts.is_empty() {
            *self = other;
            return;
        }
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.characters += other.characters;
        self.bytes += other.bytes;
        self.words += other.words;
        self.report.merge(other.report);
    }
}

impl Tokenizer {
    /// Encodes a corpus and counts; sums do not depend on the number of threads.
    pub fn usage(
        &self,
        stream: &mut dyn DocumentStream,
        policy: SpecialPolicy,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Usage> {
        let new = || Usage { counts: vec![0; self.vocabulary.len()], ..Usage::default() };
        let states = map_in_order(
            stream,
            threads,
            "counting tokens",
            observer,
            || (new(), Vec::new()),
            |(usage, ids), batch, monitor| self.count_batch(batch, policy, usage, ids, monitor),
            |()| Ok(()),
        )?;
        let mut usage = new();
        for (other, _) in states {
            usage.add(other);
        }
        Ok(usage)
    }

    /// `ids` is room to work in.
    fn count_batch(
        &self,
        batch: &Batch,
        policy: SpecialPolicy,
        usage: &mut Usage,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let decoded = batch.decode()?;
        let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
        let mut ends = Vec::new();
        ids.clear();
        let documents = || decoded.documents().map(|(_, document)| document);
        let output = DocumentIds { ids, ends: &mut ends };
        self.encode_documents(documents(), policy, Frame::default(), output, &mut look)?;
        for &id in &*ids {
            usage.counts[id as usize] += 1;
        }
        for document in documents() {
            usage.bytes += document.len() as u64;
            usage.characters += document.chars().count() as u64;
            usage.words += document.split_whitespace().count() as u64;
        }
        usage.report.add(batch, &decoded);
        usage.report.documents += ends.len() as u64;
        Ok(())
    }

    /// The length of each token in bytes, and its kind: 0 ordinary, 1 special, 2 unknown, 3 no token.
    pub fn token_facts(&self) -> (Vec<u32>, Vec<u8>) {
        let kind = |id| match self.vocabulary.kind(id) {
            TokenKind::Ordinary | TokenKind::EndsWord | TokenKind::Byte | TokenKind::Added => 0,
            TokenKind::Special => 1,
            TokenKind::Unknown => 2,
            TokenKind::Absent => 3,
        };
        let ids = 0..self.vocabulary.len() as u32;
        ids.map(|id| (self.vocabulary.bytes(id).len() as u32, kind(id))).unzip()
    }
}
