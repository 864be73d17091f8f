//! The documents of a corpus, one after the other, as they go into a file of ids.

use xxhash_rust::xxh3::Xxh3;

use super::engine::{Look, Met, Nobody, Worker};
use super::special::SpecialPolicy;
use super::{Model, Tokenizer};
use crate::error::Result;
use crate::simd::prefetch_start;

/// Texts that wait in a chunk: empty ones would fill none.
const MOST_STRETCHES: usize = 256;

/// Ids that are put around each document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// In front of it.
    pub start: Option<u32>,
    /// After it.
    pub end: Option<u32>,
}

/// Pieces that were met in one text.
#[derive(Debug)]
struct Stretch<'a> {
    text: &'a str,
    met: Met,
    /// Whether the text begins with them.
    begins: bool,
    /// Whether it ends with them.
    ends: bool,
}

/// What the documents become: their ids, and where each ends in them.
#[derive(Debug)]
pub(crate) struct DocumentIds<'a> {
    pub(crate) ids: &'a mut Vec<u32>,
    pub(crate) ends: &'a mut Vec<u64>,
}

impl DocumentIds<'_> {
    fn end_document(&mut self) {
        self.ends.push(self.ids.len() as u64);
    }
}

impl Tokenizer {
    /// Appends the ids of documents, each in its frame, and where each ends.
    pub(crate) fn encode_documents<'a>(
        &self,
        documents: impl Iterator<Item = &'a str>,
        policy: SpecialPolicy,
        frame: Frame,
        mut output: DocumentIds<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        self.with_worker(|worker| {
            self.encode_documents_with(worker, documents, policy, frame, &mut output, look)
        })
    }

    /// The same with a worker that is at hand.
    pub(super) fn encode_documents_with<'a>(
        &self,
        worker: &mut Worker,
        documents: impl Iterator<Item = &'a str>,
        policy: SpecialPolicy,
        frame: Frame,
        output: &mut DocumentIds<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let has_only_pieces = policy == SpecialPolicy::Text
            && self.general.is_none()
            && !matches!(self.model, Model::SentencePiece(_));
        if has_only_pieces {
            return self.encode_together(worker, documents, frame, output, look);
        }
        for document in documents {
            look()?;
            output.ids.extend(frame.start);
            self.append_ids(document, policy, worker, output.ids, look, &mut Nobody)?;
            output.ids.extend(frame.end);
            output.end_document();
        }
        Ok(())
    }

    /// The same for texts that are nothing but pieces: those of short texts share a chunk, so that the way to memory
    /// for one text is hidden behind the work on others.
    fn encode_together<'a>(
        &self,
        worker: &mut Worker,
        documents: impl Iterator<Item = &'a str>,
        frame: Frame,
        output: &mut DocumentIds<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let mut stretches = Vec::new();
        worker.forget_chunk();
        let mut documents = documents.peekable();
        while let Some(text) = documents.next() {
            if let Some(next) = documents.peek() {
                prefetch_start(next.as_bytes());
            }
            let mut pieces = self.settings.splitter.pieces(text);
            let mut begins = true;
            loop {
                let met = worker.meet(&mut pieces);
                let ends = worker.has_room();
                stretches.push(Stretch { text, met, begins, ends });
                if ends && stretches.len() < MOST_STRETCHES {
                    break;
                }
                self.encode_stretches(&mut stretches, frame, worker, output, look)?;
                if ends {
                    break;
                }
                begins = false;
            }
        }
        self.encode_stretches(&mut stretches, frame, worker, output, look)
    }

    /// Empties the chunk.
    fn encode_stretches(
        &self,
        stretches: &mut Vec<Stretch<'_>>,
        frame: Frame,
        worker: &mut Worker,
        output: &mut DocumentIds<'_>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        look()?;
        for Stretch { text, met, begins, ends } in stretches.drain(..) {
            output.ids.extend(frame.start.filter(|_| begins));
            self.encode_met(text, 0, met, worker, output.ids, look, &mut Nobody)?;
            if ends {
                output.ids.extend(frame.end);
                output.end_document();
            }
        }
        worker.forget_chunk();
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::{SplitRule, Splitter};
    use crate::tokenizer::ranked;

    #[test]
    fn texts_that_share_a_chunk_become_what_they_are_alone() {
        let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
        let mut tokens: Vec<(u32, &[u8])> =
            (0..).zip(bytes.iter().map(<[u8; 1]>::as_slice)).collect();
        tokens.extend([(256, b"lo".as_slice()), (257, b"low"), (258, b" low")]);
        let long = "low lower, lowest! 12345 中文 ".repeat(500);
        let parts = ["", "l", " low", "low's\n", "é\u{301}", "lowlowlowlowlowlowlow", &long, " "];
        let texts: Vec<&str> =
            (0..3000_usize).map(|n| parts[n * n % 11 % parts.len()]).chain([""; 700]).collect();
        for rule in [SplitRule::Gpt2, SplitRule::O200k, SplitRule::Words, SplitRule::None] {
            let splitter = Splitter::new(rule, false).unwrap();
            let made = ranked::tokenizer(&tokens, &[], splitter, &mut || Ok(()));
            let tokenizer = made.unwrap().unwrap();
            for frame in [Frame::default(), Frame { start: Some(1), end: Some(2) }] {
                let (mut expected, mut expected_ends) = (Vec::new(), Vec::new());
                for text in &texts {
                    expected.extend(frame.start);
                    let ids = tokenizer.encode(text, SpecialPolicy::Text, &mut || Ok(()));
                    expected.extend(ids.unwrap());
                    expected.extend(frame.end);
                    expected_ends.push(expected.len() as u64);
                }
                for policy in [SpecialPolicy::Text, SpecialPolicy::Allow] {
                    let (mut ids, mut ends) = (Vec::new(), Vec::new());
                    let output = DocumentIds { ids: &mut ids, ends: &mut ends };
                    let texts = texts.iter().copied();
                    tokenizer
                        .encode_documents(texts, policy, frame, output, &mut || Ok(()))
                        .unwrap();
                    assert!(ids == expected && ends == expected_ends, "{rule:?} {frame:?}");
                }
            }
        }
    }
}
