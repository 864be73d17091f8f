//! Text to ids.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::cache::{INLINE_IDS, Key, PieceCache};
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{Model, Tokenizer};
use crate::bpe::{Scratch, Unseen};
use crate::error::{Error, Result};
use crate::observe::{Monitor, Observer, POLL_INTERVAL, Pacer, Progress};
use crate::sentencepiece;
use crate::split::Pieces;
use crate::unigram;

/// A guess for how much room the ids of a text take; English has more bytes a token than most.
const BYTES_PER_TOKEN: usize = 4;
/// Pieces whose slots in the cache are fetched ahead; enough to hide the way to memory.
const PIECES_PER_BLOCK: usize = 64;
/// Blocks between two looks at the wish to stop: less than a millisecond of work on known pieces.
const BLOCKS_PER_LOOK: u32 = 1 << 7;

/// Asked now and then whether to go on.
pub type Look<'a> = dyn FnMut() -> Result<()> + 'a;

/// The ids of some texts, and where each text ends in them.
type Encoded = (Vec<u32>, Vec<usize>);

/// What one call works with.
#[derive(Debug, Default)]
pub(super) struct Worker {
    cache: PieceCache,
    scratch: Scratch,
    unigram: unigram::Scratch,
    sentencepiece: sentencepiece::Scratch,
}

/// A piece on its way to the cache.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    key: Key,
    start: usize,
    end: usize,
}

/// Takes the next pieces and has their slots fetched; returns how many there are.
#[inline]
fn meet(pieces: &mut Pieces<'_>, bytes: &[u8], cache: &PieceCache, block: &mut [Met]) -> usize {
    let mut count = 0;
    for (met, (start, piece)) in block.iter_mut().zip(pieces) {
        let end = start + piece.len();
        *met = Met { key: Key::new(bytes, start, end), start, end };
        cache.prefetch(met.key);
        count += 1;
    }
    count
}

impl Worker {
    /// Appends the ids of a piece if they are known.
    #[inline]
    pub(super) fn recall(
        &self,
        key: Key,
        text: &[u8],
        piece: Range<usize>,
        ids: &mut Vec<u32>,
    ) -> bool {
        if key.is_short() {
            let mut known = [0; INLINE_IDS];
            let count = self.cache.get(key, &mut known);
            ids.extend_from_slice(&known);
            ids.truncate(ids.len() - INLINE_IDS + count);
            return count > 0;
        }
        let known = self.cache.get_long(&text[piece]);
        ids.extend_from_slice(known.unwrap_or_default());
        known.is_some_and(|ids| !ids.is_empty())
    }

    /// Keeps the ids of a piece that is not known yet.
    pub(super) fn remember(&mut self, key: Key, piece: &str, ids: &[u32]) {
        self.cache.insert(key, piece.as_bytes(), ids);
    }
}

/// A part of a text and the number of tokens that it became.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// Its place, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) ids: &'a [u32],
}

impl Tokenizer {
    /// The ids of a text.
    pub fn encode(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(text.len() / BYTES_PER_TOKEN + 16);
        self.with_worker(|worker| self.append_ids(text, policy, worker, &mut ids, look))?;
        Ok(ids)
    }

    /// The ids of all texts, one after the other, and where each text begins and ends in them.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        threads: usize,
        policy: SpecialPolicy,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let parts = self.encode_shares(texts, threads, policy, observer)?;
        let mut ids = Vec::with_capacity(parts.iter().map(|(ids, _)| ids.len()).sum());
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        for (part, ends) in parts {
            let start = ids.len();
            offsets.extend(ends.into_iter().map(|end| (start + end) as u64));
            ids.extend_from_slice(&part);
        }
        Ok((ids, offsets))
    }

    /// Hands shares of neighboring texts to threads; results are in the order of the texts.
    fn encode_shares(
        &self,
        texts: &[&str],
        threads: usize,
        policy: SpecialPolicy,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Encoded>> {
        let shares = shares(texts);
        let threads = threads.min(shares.len()).max(1);
        let (monitor, next) = (Monitor::default(), AtomicUsize::new(0));
        let total = texts.iter().map(|text| text.len() as u64).sum();
        let work = || self.encode_next_shares(&shares, policy, &next, &monitor);
        let mut pacer = Pacer::new(observer);
        let mut tick =
            || pacer.tick(|| Progress::new("encoding", monitor.done(), Some(total), "bytes"));
        let mut done = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut outcome = Ok(());
            let waiting = std::time::Instant::now();
            while outcome.is_ok() && workers.iter().any(|worker| !worker.is_finished()) {
                // Small batches are over before the first full interval.
                let short = waiting.elapsed().min(POLL_INTERVAL) / 4;
                thread::park_timeout(short.max(std::time::Duration::from_micros(20)));
                outcome = tick();
            }
            if outcome.is_err() {
                monitor.stop();
            }
            let mut done = Vec::with_capacity(shares.len());
            for worker in workers {
                match worker.join() {
                    Ok(Ok(part)) => done.extend(part),
                    // The caller's own error comes first.
                    Ok(Err(error)) => outcome = outcome.and(Err(error)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            outcome.map(|()| done)
        })?;
        done.sort_unstable_by_key(|(share, _)| *share);
        Ok(done.into_iter().map(|(_, part)| part).collect())
    }

    fn encode_next_shares(
        &self,
        shares: &[&[&str]],
        policy: SpecialPolicy,
        next: &AtomicUsize,
        monitor: &Monitor,
    ) -> Result<Vec<(usize, Encoded)>> {
        let mut look = || if monitor.stopped() { Err(Error::Cancelled) } else { Ok(()) };
        let mut done = Vec::new();
        self.with_worker(|worker| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(share) = shares.get(number) else { return Ok(()) };
                let bytes: usize = share.iter().map(|text| text.len()).sum();
                let mut ids = Vec::with_capacity(bytes / BYTES_PER_TOKEN + 16);
                let mut ends = Vec::with_capacity(share.len());
                for text in *share {
                    look()?;
                    let encoded = self.append_ids(text, policy, worker, &mut ids, &mut look);
                    if encoded.is_err() {
                        monitor.stop();
                    }
                    encoded?;
                    ends.push(ids.len());
                    monitor.advance(text.len() as u64);
                }
                done.push((number, (ids, ends)));
            }
        })?;
        Ok(done)
    }

    /// Appends the ids of a text, and tells `told` of each piece and each special token with its ids.
    pub(super) fn encode_parts(
        &self,
        text: &str,
        policy: SpecialPolicy,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        mut told: impl FnMut(Part<'_>),
    ) -> Result<()> {
        if policy == SpecialPolicy::Text {
            return self.encode_ordinary(text, 0..text.len(), worker, ids, look, &mut told);
        }
        let mut from = 0;
        for found in self.special.find(text.as_bytes()) {
            if policy == SpecialPolicy::Error {
                return Err(self.special_in_text(text, found.id, found.start));
            }
            self.encode_ordinary(text, from..found.start, worker, ids, look, &mut told)?;
            ids.push(found.id);
            told(Part { start: found.start, end: found.end, ids: &[found.id] });
            from = found.end;
        }
        self.encode_ordinary(text, from..text.len(), worker, ids, look, &mut told)
    }

    pub(super) fn encode_ordinary(
        &self,
        text: &str,
        range: Range<usize>,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        told: &mut impl FnMut(Part<'_>),
    ) -> Result<()> {
        let document = &text[range.clone()];
        if let Model::SentencePiece(model) = &self.model {
            let before = ids.len();
            model.encode(document, &mut worker.sentencepiece, ids, look)?;
            told(Part { start: range.start, end: range.end, ids: &ids[before..] });
            return Ok(());
        }
        let bytes = document.as_bytes();
        let mut pieces = self.settings.splitter.pieces(document);
        let mut block = [Met::default(); PIECES_PER_BLOCK];
        let mut until_look = BLOCKS_PER_LOOK;
        loop {
            let count = meet(&mut pieces, bytes, &worker.cache, &mut block);
            if count == 0 {
                return Ok(());
            }
            for &Met { key, start, end } in &block[..count] {
                let before = ids.len();
                if !worker.recall(key, bytes, start..end, ids) {
                    let piece = &document[start..end];
                    self.encode_piece(piece, worker, ids, look)?
                        .map_err(|unseen| self.unseen(text, range.start + start, piece, unseen))?;
                    worker.cache.insert(key, piece.as_bytes(), &ids[before..]);
                }
                told(Part {
                    start: range.start + start,
                    end: range.start + end,
                    ids: &ids[before..],
                });
            }
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = BLOCKS_PER_LOOK;
            }
        }
    }

    pub(super) fn encode_piece(
        &self,
        piece: &str,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<Result<(), Unseen>> {
        match &self.model {
            Model::Bpe(model) => {
                if model.takes_whole()
                    && let Some(id) = self.vocabulary.find(piece.as_bytes(), TokenKind::Ordinary)
                {
                    ids.push(id);
                    return Ok(Ok(()));
                }
                model.encode_piece(piece, &mut worker.scratch, ids, look)
            }
            Model::WordLevel { unknown } => {
                let id = self.vocabulary.find(piece.as_bytes(), TokenKind::Ordinary).or(*unknown);
                let character = piece.chars().next().unwrap_or_default();
                Ok(id.map(|id| ids.push(id)).ok_or(Unseen { character, offset: 0 }))
            }
            Model::WordPiece(model) => {
                let character = piece.chars().next().unwrap_or_default();
                let known = model.encode_piece(piece, ids);
                Ok(known.then_some(()).ok_or(Unseen { character, offset: 0 }))
            }
            Model::Unigram(model) => model.encode(piece, &mut worker.unigram, ids, look),
            Model::SentencePiece(model) => {
                model.encode(piece, &mut worker.sentencepiece, ids, look).map(Ok)
            }
        }
    }

    #[cold]
    pub(super) fn unseen(&self, text: &str, start: usize, piece: &str, unseen: Unseen) -> Error {
        let place = text[..start + unseen.offset].chars().count();
        let message = match &self.model {
            Model::WordLevel { .. } | Model::WordPiece(_) => format!(
                "the word {piece:?} at character {place} is not in the vocabulary. Train with \
                 unknown_token=\"<unk>\" to give such words an id"
            ),
            Model::Unigram(_) => format!(
                "the character {:?} (U+{:04X}) at character {place} has no token, and the model has no \
                 unknown token and no tokens for bytes",
                unseen.character, unseen.character as u32
            ),
            Model::Bpe(_) | Model::SentencePiece(_) => format!(
                "the character {:?} (U+{:04X}) at character {place} is not in the alphabet. Train with \
                 unknown_token=\"<unk>\" to give such characters an id, or with symbols=\"bytes\", which \
                 can encode every text",
                unseen.character, unseen.character as u32
            ),
        };
        Error::UnknownToken { message }
    }

    #[cold]
    pub(super) fn special_in_text(&self, text: &str, id: u32, start: usize) -> Error {
        let name = String::from_utf8_lossy(self.vocabulary.bytes(id));
        let place = text[..start].chars().count();
        Error::parameter(
            "text",
            "must not hold the name of a special token",
            format!("{name:?} at character {place}"),
        )
        .with_hint(
            "Use special=\"allow\" to turn it into the special token, or special=\"text\" to encode it \
             as ordinary text",
        )
    }
}

/// Bytes of text in a share: enough to make its hand-over cheap.
const SHARE_BYTES: usize = 1 << 18;

/// Cuts a batch into shares of about equal size.
fn shares<'a>(texts: &'a [&'a str]) -> Vec<&'a [&'a str]> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        // An empty text costs something too.
        bytes += text.len() + 16;
        if bytes >= SHARE_BYTES {
            shares.push(&texts[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        shares.push(&texts[start..]);
    }
    shares
}
