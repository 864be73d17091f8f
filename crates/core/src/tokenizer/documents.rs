//! The documents of a corpus, one after the other, as they go into a file of ids.

use xxhash_rust::xxh3::Xxh3;

use super::Tokenizer;
use super::engine::{Look, Nobody};
use super::special::SpecialPolicy;
use crate::error::Result;

/// Ids that are put around each document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// In front of it.
    pub start: Option<u32>,
    /// After it.
    pub end: Option<u32>,
}

impl Tokenizer {
    /// Appends the ids of documents, each in its frame, and where each ends.
    pub(crate) fn encode_documents<'a>(
        &self,
        documents: impl Iterator<Item = &'a str>,
        policy: SpecialPolicy,
        frame: Frame,
        ids: &mut Vec<u32>,
        ends: &mut Vec<u64>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        self.with_worker(|worker| {
            for document in documents {
                look()?;
                ids.extend(frame.start);
                self.append_ids(document, policy, worker, ids, look, &mut Nobody)?;
                ids.extend(frame.end);
                ends.push(ids.len() as u64);
            }
            Ok(())
        })
    }

    /// A number that stands for what each id means: equal for tokenizers with the same tokens and ids.
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        for id in 0..self.vocabulary.len() as u32 {
            let bytes = self.vocabulary.bytes(id);
            hash.update(&[self.vocabulary.kind(id) as u8]);
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        hash.digest128()
    }
}
