//! Other ways to cut a text than the one that encoding gives: drawn by chance, or the best few.
//!
//! Models that are trained on texts cut in several ways know more about parts of words (Kudo, 2018;
//! Provilkov, Emelianenko and Voita, 2020).

use super::Look;
use super::special::SpecialPolicy;
use super::{Model, Tokenizer};
use crate::bpe::Unseen;
use crate::embed::random::Random;
use crate::error::{Error, Result};
use crate::unigram::UnigramModel;
use crate::unigram::lattice::{Lattice, Part, Way};

/// How ways are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampling {
    /// By the probability of the tokens of a unigram model, with its logarithm times this number.
    Alpha(f64),
    /// By leaving out each merge with this probability.
    Dropout(f64),
}

impl Sampling {
    /// The one of two settings that is given.
    pub fn parse(alpha: Option<f64>, dropout: Option<f64>) -> Result<Self> {
        let is_number = |number: f64| number >= 0.0 && number.is_finite();
        match (alpha, dropout) {
            (Some(alpha), None) if is_number(alpha) => Ok(Self::Alpha(alpha)),
            (Some(alpha), None) => {
                Err(Error::parameter("alpha", "must be a number of at least 0", alpha))
            }
            (None, Some(dropout)) if (0.0..=1.0).contains(&dropout) => Ok(Self::Dropout(dropout)),
            (None, Some(dropout)) => {
                Err(Error::parameter("dropout", "must be from 0 to 1", dropout))
            }
            (Some(_), Some(_)) => {
                Err(Error::parameter("dropout", "cannot be set together with `alpha`", "both"))
            }
            (None, None) => Err(Error::parameter("alpha", "or `dropout` must be set", "neither")
                .with_hint("alpha is for unigram models, dropout for merges")),
        }
    }
}

/// A piece as the model sees it, or an added token.
struct Piece {
    text: String,
    start: usize,
    /// The id of an added token.
    added: Option<u32>,
}

impl Tokenizer {
    /// The ids of a text that is cut by chance; the same seed gives the same ids.
    pub fn sample(
        &self,
        text: &str,
        policy: SpecialPolicy,
        sampling: Sampling,
        seed: u64,
        look: &mut Look<'_>,
    ) -> Result<Vec<u32>> {
        self.check_sampling(sampling)?;
        let mut random = Random::new(seed, 0);
        let mut ids = Vec::new();
        for piece in self.pieces_of(text, policy, look)? {
            if let Some(id) = piece.added {
                ids.push(id);
                continue;
            }
            let unseen = |unseen| self.unseen(text, piece.start, &piece.text, unseen);
            match (&self.model, sampling) {
                (Model::Unigram(model), Sampling::Alpha(alpha)) => {
                    let lattice = Lattice::new(model, &[Part::Piece(&piece.text)], look)?;
                    let way = lattice.sample(alpha, || random.uniform());
                    model.append(&piece.text, way.tokens, &mut ids).map_err(unseen)?;
                }
                (Model::Bpe(model), Sampling::Dropout(dropout)) => {
                    let skip = || random.uniform() < dropout;
                    let done = model.encode_with_dropout(&piece.text, skip, &mut ids, look)?;
                    done.map_err(unseen)?;
                }
                (Model::SentencePiece(model), Sampling::Alpha(alpha)) => {
                    let found = model.sample(&piece.text, alpha, || random.uniform(), look)?;
                    ids.extend(found.unwrap_or_default());
                }
                (Model::SentencePiece(model), Sampling::Dropout(dropout)) => {
                    let skip = || random.uniform() < dropout;
                    ids.extend(model.drop_merges(&piece.text, skip, look)?.unwrap_or_default());
                }
                // Refused above.
                _ => {}
            }
        }
        Ok(ids)
    }

    /// The best ways to cut a text with the sums of their scores, the best first.
    pub fn n_best(
        &self,
        text: &str,
        policy: SpecialPolicy,
        count: usize,
        look: &mut Look<'_>,
    ) -> Result<Vec<(Vec<u32>, f64)>> {
        self.check_sampling(Sampling::Alpha(1.0))?;
        let pieces = self.pieces_of(text, policy, look)?;
        match &self.model {
            Model::Unigram(model) => {
                let found = best_of_pieces(model, &pieces, count, look)?;
                found.map_err(|(piece, unseen)| self.unseen(text, piece.start, &piece.text, unseen))
            }
            Model::SentencePiece(model) => match pieces.as_slice() {
                [] => Ok(vec![(Vec::new(), 0.0)]),
                [piece] if piece.added.is_none() => {
                    Ok(model.n_best(&piece.text, count, look)?.unwrap_or_default())
                }
                _ => Err(Error::parameter(
                    "special",
                    "must be \"text\" for this tokenizer",
                    "another",
                )
                .with_hint("Its ways to cut a text are those of the whole text")),
            },
            // Refused above.
            _ => Ok(Vec::new()),
        }
    }

    /// Fails if this tokenizer cannot draw in this way.
    fn check_sampling(&self, sampling: Sampling) -> Result<()> {
        let fits = match (&self.model, sampling) {
            (Model::Unigram(_), Sampling::Alpha(_)) | (Model::Bpe(_), Sampling::Dropout(_)) => true,
            (Model::SentencePiece(model), Sampling::Alpha(_)) => model.has_probabilities(),
            (Model::SentencePiece(model), Sampling::Dropout(_)) => model.has_merges(),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let kind = self.settings.kind.name();
        let rule = match sampling {
            Sampling::Alpha(_) => {
                "must be a unigram model for this, whose tokens have probabilities"
            }
            Sampling::Dropout(_) => "must be one with merges for this",
        };
        Err(Error::parameter("tokenizer", rule, format!("a {kind} tokenizer")))
    }

    fn pieces_of(
        &self,
        text: &str,
        policy: SpecialPolicy,
        look: &mut Look<'_>,
    ) -> Result<Vec<Piece>> {
        let (mut pieces, mut ids) = (Vec::new(), Vec::new());
        self.with_worker(|worker| {
            self.encode_events(text, policy, worker, &mut ids, look, |event| {
                let piece = event.piece();
                let start = event.span(0..piece.len()).0;
                let added = event.ids.first().copied().filter(|_| event.added);
                pieces.push(Piece { text: piece.to_owned(), start, added });
            })
        })?;
        Ok(pieces)
    }
}

type Ways = Vec<(Vec<u32>, f64)>;

/// The best ways through all pieces; the inner error is a piece and what it holds that has no token.
fn best_of_pieces<'a>(
    model: &UnigramModel,
    pieces: &'a [Piece],
    count: usize,
    look: &mut Look<'_>,
) -> Result<Result<Ways, (&'a Piece, Unseen)>> {
    let part = |piece: &'a Piece| match piece.added {
        Some(id) => Part::Token(id, piece.text.len()),
        None => Part::Piece(&piece.text),
    };
    let parts: Vec<Part<'_>> = pieces.iter().map(part).collect();
    let lattice = Lattice::new(model, &parts, look)?;
    let mut ways = Vec::new();
    for Way { tokens, score } in lattice.best(count, look)? {
        let mut ids = Vec::with_capacity(tokens.len());
        let mut tokens = tokens.into_iter().peekable();
        let mut base = 0;
        for piece in pieces {
            let end = base + piece.text.len();
            let inside = std::iter::from_fn(|| tokens.next_if(|token| token.end <= end));
            let moved = inside.map(|mut token| {
                (token.start, token.end) = (token.start - base, token.end - base);
                token
            });
            if piece.added.is_some() {
                ids.extend(moved.filter_map(|token| token.id));
            } else if let Err(unseen) = model.append(&piece.text, moved, &mut ids) {
                return Ok(Err((piece, unseen)));
            }
            base = end;
        }
        ways.push((ids, score));
    }
    Ok(Ok(ways))
}
