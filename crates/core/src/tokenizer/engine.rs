//! The way of a text through the cutter, the memory of known pieces and the model.
#![allow(
    clippy::inline_always,
    reason = "compiled inside a task, once for each level of processor"
)]

use std::ops::Range;

use super::cache::{Keyed, MOST_KNOWN, PieceCache};
use super::key::Key;
use super::special::SpecialPolicy;
use super::vocabulary::TokenKind;
use super::{Model, Tokenizer};
use crate::bpe::{self, Unseen};
use crate::error::{Error, Result};
use crate::sentencepiece;
use crate::simd::level::{self, Level, Task};
use crate::split::Pieces;
use crate::split::cuts::{Cuts, MOST_CUTS, Receiver};
use crate::unigram;

/// Chunks of pieces between two looks at the wish to stop: less than a millisecond of work on known pieces.
const CHUNKS_PER_LOOK: u32 = 1 << 5;

/// Asked now and then whether to go on.
pub type Look<'a> = dyn FnMut() -> Result<()> + 'a;

/// What one call works with.
#[derive(Debug)]
pub(super) struct Worker {
    cache: PieceCache,
    chunk: Box<Chunk>,
    pub(super) scratch: Scratches,
    /// Room for the ids of a short text.
    pub(super) ids: Vec<u32>,
}

/// Room for the models to work in.
#[derive(Debug, Default)]
pub(super) struct Scratches {
    bpe: bpe::Scratch,
    unigram: unigram::Scratch,
    sentencepiece: sentencepiece::Scratch,
}

/// Neighboring pieces on their way through the cache.
#[derive(Debug)]
struct Chunk {
    cuts: Cuts,
    keys: [Key; MOST_CUTS],
    /// The numbers of long pieces.
    long: [u16; MOST_CUTS],
    /// The ids of known pieces, not appended to the others yet.
    known: Vec<u32>,
}

impl Default for Chunk {
    fn default() -> Self {
        let (keys, known) = ([Key::default(); MOST_CUTS], vec![0; MOST_CUTS * MOST_KNOWN]);
        Self { cuts: Cuts::default(), keys, long: [0; MOST_CUTS], known }
    }
}

impl Worker {
    /// For ids that are smaller than `vocabulary`.
    pub(super) fn new(vocabulary: usize) -> Result<Self> {
        let (cache, scratch) = (PieceCache::new(vocabulary)?, Scratches::default());
        Ok(Self { cache, chunk: Box::default(), scratch, ids: Vec::new() })
    }

    /// Adds the next pieces to the chunk, as many as fit.
    #[inline]
    pub(super) fn meet(&mut self, pieces: &mut Pieces<'_>) -> Met {
        let (number, place) = (self.chunk.cuts.len(), pieces.at());
        level::run(Meet { pieces, worker: self });
        Met { numbers: number..self.chunk.cuts.len(), bytes: place..pieces.at() }
    }

    /// Whether more pieces fit into the chunk.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.chunk.cuts.has_room()
    }

    /// Starts a new chunk.
    #[inline]
    pub(super) fn forget_chunk(&mut self) {
        self.chunk.cuts.clear();
    }
}

/// Pieces that were added to a chunk at once.
#[derive(Clone, Debug)]
pub(super) struct Met {
    /// Their numbers in the chunk.
    numbers: Range<usize>,
    /// Where they lie in the text.
    bytes: Range<usize>,
}

impl Met {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Cuts off the next pieces and has their slots fetched.
struct Meet<'a, 'b> {
    pieces: &'a mut Pieces<'b>,
    worker: &'a mut Worker,
}

impl Task for Meet<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, level: impl Level) {
        let Worker { cache, chunk, .. } = self.worker;
        cache.make_room();
        let Chunk { cuts, keys, long, .. } = &mut **chunk;
        let (met, text) = (cuts.len(), self.pieces.rest());
        let mut keys = MakeKeys { keys, met, long, long_met: 0, text, cache };
        self.pieces.cut(level, cuts, &mut keys);
        // What tells where their records are has come meanwhile.
        let mut place = 0;
        while place < keys.long_met.min(MOST_CUTS) {
            cache.prefetch_record(keys.keys[usize::from(keys.long[place]) % MOST_CUTS]);
            place += 1;
        }
    }
}

/// Makes the keys of pieces while the next ones are cut: each has the processor wait where the other has it
/// work.
struct MakeKeys<'a> {
    keys: &'a mut [Key; MOST_CUTS],
    /// The number of keys that are made.
    met: usize,
    /// The numbers of long pieces, and how many there are.
    long: &'a mut [u16; MOST_CUTS],
    long_met: usize,
    text: &'a [u8],
    cache: &'a PieceCache,
}

impl Receiver for MakeKeys<'_> {
    #[inline(always)]
    fn met(&mut self, level: impl Level, cuts: &Cuts) {
        let (starts, ends) = cuts.places();
        let slots = self.cache.slots();
        let until = cuts.len().min(MOST_CUTS);
        let mut number = self.met;
        while number < until {
            let key = Key::new(level, self.text, starts[number], ends[number]);
            self.keys[number] = key;
            if key.is_short() {
                slots.prefetch(key);
            } else if self.long_met < MOST_CUTS {
                self.cache.prefetch_long(key);
                self.long[self.long_met] = number as u16;
                self.long_met += 1;
            }
            number += 1;
        }
        self.met = number;
    }
}

/// Makes the key of one piece.
struct MakeKey<'a>(&'a [u8]);

impl Task for MakeKey<'_> {
    type Output = Key;

    #[inline(always)]
    fn run(self, level: impl Level) -> Key {
        Key::new(level, self.0, 0, u32::try_from(self.0.len()).unwrap_or(u32::MAX))
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

/// Who follows how a text becomes ids.
pub(super) trait Listener {
    /// Whether each part is of interest.
    const FOLLOWS: bool = false;
    /// A piece or a special token has got its ids.
    fn part(&mut self, _part: Part<'_>) {}
    /// Some more ids were appended.
    fn appended(&mut self, _ids: &mut Vec<u32>) {}
}

/// Only the ids matter.
pub(super) struct Nobody;

impl Listener for Nobody {}

/// Counts ids and keeps none.
#[derive(Default)]
pub(super) struct Count(pub(super) usize);

impl Listener for Count {
    fn appended(&mut self, ids: &mut Vec<u32>) {
        self.0 += ids.len();
        ids.clear();
    }
}

/// Calls a function for each part.
pub(super) struct Parts<F>(pub(super) F);

impl<F: FnMut(Part<'_>)> Listener for Parts<F> {
    const FOLLOWS: bool = true;

    fn part(&mut self, part: Part<'_>) {
        self.0(part);
    }
}

impl Tokenizer {
    /// Appends the ids of a text, and lets a listener follow.
    pub(super) fn encode_parts(
        &self,
        text: &str,
        policy: SpecialPolicy,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        listener: &mut impl Listener,
    ) -> Result<()> {
        if policy == SpecialPolicy::Text {
            return self.encode_ordinary(text, 0..text.len(), worker, ids, look, listener);
        }
        let mut from = 0;
        for found in self.special.find(text.as_bytes()) {
            if policy == SpecialPolicy::Error {
                return Err(self.special_in_text(text, found.id, found.start));
            }
            self.encode_ordinary(text, from..found.start, worker, ids, look, listener)?;
            ids.push(found.id);
            listener.part(Part { start: found.start, end: found.end, ids: &[found.id] });
            listener.appended(ids);
            from = found.end;
        }
        self.encode_ordinary(text, from..text.len(), worker, ids, look, listener)
    }

    pub(super) fn encode_ordinary(
        &self,
        text: &str,
        range: Range<usize>,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        listener: &mut impl Listener,
    ) -> Result<()> {
        let document = &text[range.clone()];
        if let Model::SentencePiece(model) = &self.model {
            let before = ids.len();
            model.encode(document, &mut worker.scratch.sentencepiece, ids, look)?;
            listener.part(Part { start: range.start, end: range.end, ids: &ids[before..] });
            listener.appended(ids);
            return Ok(());
        }
        let mut pieces = self.settings.splitter.pieces(document);
        let mut until_look = CHUNKS_PER_LOOK;
        loop {
            worker.forget_chunk();
            let met = worker.meet(&mut pieces);
            if met.is_empty() {
                return Ok(());
            }
            self.encode_met(text, range.start, met, worker, ids, look, listener)?;
            listener.appended(ids);
            until_look -= 1;
            if until_look == 0 {
                look()?;
                until_look = CHUNKS_PER_LOOK;
            }
        }
    }

    /// Appends the ids of pieces that the worker has met in the part of a text that starts at `origin`.
    #[allow(clippy::too_many_arguments, reason = "what one text needs, and what one call needs")]
    pub(super) fn encode_met<L: Listener>(
        &self,
        text: &str,
        origin: usize,
        Met { numbers, bytes }: Met,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
        listener: &mut L,
    ) -> Result<()> {
        let Worker { cache, chunk, scratch, .. } = worker;
        let Chunk { cuts, keys, known, .. } = &mut **chunk;
        let (mut number, mut filled) = (numbers.start, 0);
        let (start_of_first, end_of_last) = (origin + bytes.start, origin + bytes.end);
        // Only the last piece can be too long for 32 bits.
        let place = |number| match cuts.piece(number) {
            (start, _) if number + 1 == numbers.end => {
                (start_of_first + start as usize, end_of_last)
            }
            (start, end) => (start_of_first + start as usize, start_of_first + end as usize),
        };
        let (starts, ends) = cuts.places();
        while number < numbers.end {
            let together = number..if L::FOLLOWS { number + 1 } else { numbers.end };
            let pieces = Keyed {
                keys: &keys[together.clone()],
                starts: &starts[together.clone()],
                ends: &ends[together],
                text: &text.as_bytes()[start_of_first..],
            };
            let (met, end) = cache.get_all(&pieces, known, filled);
            if met > 0 {
                if L::FOLLOWS {
                    let (start, piece_end) = place(number);
                    listener.part(Part { start, end: piece_end, ids: &known[filled..end] });
                }
                (number, filled) = (number + met, end);
                continue;
            }
            let (start, end) = place(number);
            let key = keys[number];
            number += 1;
            ids.extend_from_slice(&known[..filled]);
            filled = 0;
            let before = ids.len();
            self.append_piece(text, start..end, key, cache, scratch, ids, look)?;
            listener.part(Part { start, end, ids: &ids[before..] });
        }
        ids.extend_from_slice(&known[..filled]);
        Ok(())
    }

    /// Appends the ids of one piece of a text.
    pub(super) fn encode_one(
        &self,
        text: &str,
        range: Range<usize>,
        worker: &mut Worker,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let Worker { cache, scratch, .. } = worker;
        cache.make_room();
        let key = level::run(MakeKey(text[range.clone()].as_bytes()));
        self.append_piece(text, range, key, cache, scratch, ids, look)
    }

    /// The same with the key of the piece; what is worked out is kept.
    #[allow(clippy::too_many_arguments, reason = "parts of one worker, borrowed apart")]
    fn append_piece(
        &self,
        text: &str,
        range: Range<usize>,
        key: Key,
        cache: &mut PieceCache,
        scratch: &mut Scratches,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<()> {
        let (before, start, piece) = (ids.len(), range.start, &text[range]);
        if !cache.append(key, piece.as_bytes(), ids) {
            self.encode_piece(piece, scratch, ids, look)?
                .map_err(|unseen| self.unseen(text, start, piece, unseen))?;
            cache.insert(key, piece.as_bytes(), &ids[before..]);
        }
        Ok(())
    }

    pub(super) fn encode_piece(
        &self,
        piece: &str,
        scratch: &mut Scratches,
        ids: &mut Vec<u32>,
        look: &mut Look<'_>,
    ) -> Result<Result<(), Unseen>> {
        match &self.model {
            Model::Bpe(model) => {
                if model.takes_whole()
                    && !model.reaches_all_tokens()
                    && let Some(id) = self.vocabulary.find(piece.as_bytes(), TokenKind::Ordinary)
                {
                    ids.push(id);
                    return Ok(Ok(()));
                }
                model.encode_piece(piece, &mut scratch.bpe, ids, look)
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
            Model::Unigram(model) => model.encode(piece, &mut scratch.unigram, ids, look),
            Model::SentencePiece(model) => {
                model.encode(piece, &mut scratch.sentencepiece, ids, look).map(Ok)
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
