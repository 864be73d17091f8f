//! A new tokenizer from an old one: the ids that there are stay, new ones come after them.

use super::settings::TokenizerSettings;
use super::special::SpecialPolicy;
use super::vocabulary::{TokenKind, Vocabulary};
use super::{AddedToken, Model, Tokenizer};
use crate::bpe::{ExtendSettings, Extended, MergeHistory, extend};
use crate::corpus::DocumentStream;
use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::split::{PieceCounts, counts};

impl Tokenizer {
    /// Counts the pieces of a corpus as the model is given them.
    pub fn count_pieces(
        &self,
        stream: &mut dyn DocumentStream,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<PieceCounts> {
        if self.general.is_none() {
            return counts::count_pieces(stream, &self.settings.splitter, threads, observer);
        }
        counts::count_cut(stream, threads, observer, |document, look, tell| {
            let mut ids = Vec::new();
            self.with_worker(|worker| {
                self.encode_events(document, SpecialPolicy::Text, worker, &mut ids, look, |event| {
                    if !event.added {
                        tell(event.piece());
                    }
                })
            })
        })
    }

    /// Learns further merges from pieces that were counted by [`count_pieces`](Self::count_pieces).
    pub fn extend(
        &self,
        pieces: &PieceCounts,
        settings: &ExtendSettings,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        settings.validate(self)?;
        let Model::Bpe(model) = &self.model else { return Ok(self.clone()) };
        let Extended { model, vocabulary, history } =
            extend(model, &self.vocabulary, pieces, settings, observer)?;
        let history = self.history.as_ref().map(|old| joined(old, history));
        let mut pipeline = self.pipeline.clone();
        for token in &mut pipeline.added {
            // Ids that lie before new ones must be named with them, or other programs would move them.
            token.in_model = true;
        }
        let all = self.settings.merges.zip(settings.merges).map(|(old, new)| old + new);
        let settings = TokenizerSettings {
            vocab_size: settings.vocab_size,
            merges: all.filter(|_| settings.vocab_size.is_none()),
            ..self.settings.clone()
        };
        let model = Model::Bpe(Box::new(model));
        Ok(Self::with_pipeline(settings, vocabulary, model, history, pipeline))
    }

    /// Appends special tokens.
    pub fn with_special_tokens(&self, names: &[String]) -> Result<Self> {
        let (mut vocabulary, mut settings) = (self.vocabulary.clone(), self.settings.clone());
        let mut pipeline = self.pipeline.clone();
        let by_rules = pipeline.foreign || !pipeline.added.is_empty();
        for name in names {
            let id = special_id(&mut vocabulary, name)?;
            settings.special_tokens.push(name.clone());
            if by_rules {
                pipeline.added.push(added(id, name));
            }
        }
        let (model, history) = (self.model.clone(), self.history.clone());
        Ok(Self::with_pipeline(settings, vocabulary, model, history, pipeline))
    }
}

fn special_id(vocabulary: &mut Vocabulary, name: &str) -> Result<u32> {
    if name.is_empty() {
        return Err(Error::parameter("special_tokens", "must not hold an empty name", "''"));
    }
    if let Some(id) = vocabulary.id_of(name.as_bytes()) {
        let rule = format!("must not name a token that is there already, with id {id}");
        return Err(Error::parameter("special_tokens", rule, format!("{name:?}")));
    }
    Ok(vocabulary.push(name.as_bytes(), TokenKind::Special))
}

fn added(id: u32, name: &str) -> AddedToken {
    AddedToken {
        id,
        content: name.to_owned(),
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
        in_model: false,
    }
}

/// The records of old and new merges.
fn joined(old: &MergeHistory, new: MergeHistory) -> MergeHistory {
    let mut all = old.clone();
    let pieces = all.pieces.len() as u32;
    for mut record in new.records {
        record.first_pieces =
            record.first_pieces.map(|(winner, other)| (winner + pieces, other + pieces));
        all.records.push(record);
    }
    all.pieces.extend(new.pieces);
    all
}
