//! A new tokenizer from an old one: the ids that there are stay, new ones come after them.

use super::pipeline::Pipeline;
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
        self.check_takes_tokens("special_tokens")?;
        let mut parts = self.parts();
        // Where nothing else is looked for, the special tokens of the settings are all there is to say.
        let listed = self.pipeline.foreign || !self.pipeline.added.is_empty();
        for name in names {
            check_new("special_tokens", name, &parts.vocabulary)?;
            parts.append(AddedToken::special(0, name));
        }
        if !listed {
            parts.pipeline.added.clear();
        }
        Ok(parts.into_tokenizer(self))
    }

    /// Appends tokens that are found in a text before it is cut; their ids are given here.
    pub fn with_added_tokens(&self, tokens: &[AddedToken]) -> Result<Self> {
        self.check_takes_tokens("tokens")?;
        let mut parts = self.parts();
        for token in tokens {
            check_new("tokens", &token.content, &parts.vocabulary)?;
            parts.append(token.clone());
        }
        Ok(parts.into_tokenizer(self))
    }

    /// The tokenizer with the added tokens of a file, in their order; the error says what cannot be.
    pub(crate) fn with_tokens_of_file(&self, tokens: Vec<AddedToken>) -> Result<Self, String> {
        let mut parts = self.parts();
        parts.pipeline.added.clear();
        for token in tokens {
            let id = token.id;
            if !token.in_model {
                if id as usize != parts.vocabulary.len() {
                    return Err(format!("the added token {:?} has not the next id", token.content));
                }
                check_new("tokens", &token.content, &parts.vocabulary)
                    .map_err(|error| error.to_string())?;
                parts.append(token);
            } else if parts.vocabulary.has(id)
                && parts.vocabulary.bytes(id) == token.content.as_bytes()
                && (parts.vocabulary.kind(id) == TokenKind::Special) == token.special
            {
                parts.pipeline.added.push(token);
            } else {
                return Err(format!("the added token {:?} is not that of id {id}", token.content));
            }
        }
        Ok(parts.into_tokenizer(self))
    }

    fn check_takes_tokens(&self, name: &'static str) -> Result<()> {
        if !matches!(self.model, Model::SentencePiece(_)) {
            return Ok(());
        }
        let rule = "cannot be added to a model of SentencePiece, whose file has no place for them";
        Err(Error::parameter(name, rule, "some")
            .with_hint("Give them to its trainer as control symbols or as user-defined symbols"))
    }

    fn parts(&self) -> Growing {
        let mut pipeline = self.pipeline.clone();
        if !pipeline.foreign && pipeline.added.is_empty() {
            let named = self.special_ids().zip(&self.settings.special_tokens);
            pipeline.added = named
                .map(|(id, name)| AddedToken { in_model: true, ..AddedToken::special(id, name) })
                .collect();
        }
        Growing { vocabulary: self.vocabulary.clone(), settings: self.settings.clone(), pipeline }
    }
}

/// What changes where tokens are added.
struct Growing {
    vocabulary: Vocabulary,
    settings: TokenizerSettings,
    pipeline: Pipeline,
}

impl Growing {
    fn append(&mut self, token: AddedToken) {
        let kind = if token.special { TokenKind::Special } else { TokenKind::Added };
        let id = self.vocabulary.push(token.content.as_bytes(), kind);
        if token.special {
            self.settings.special_tokens.push(token.content.clone());
        }
        self.pipeline.added.push(AddedToken { id, in_model: false, ..token });
    }

    fn into_tokenizer(self, old: &Tokenizer) -> Tokenizer {
        let Self { vocabulary, settings, mut pipeline } = self;
        // Where all are special tokens of the settings, they need not be listed.
        if !pipeline.foreign && pipeline.added.iter().all(|token| token.special && token.in_model) {
            pipeline.added.clear();
        }
        let (model, history) = (old.model.clone(), old.history.clone());
        Tokenizer::with_pipeline(settings, vocabulary, model, history, pipeline)
    }
}

fn check_new(parameter: &'static str, name: &str, vocabulary: &Vocabulary) -> Result<()> {
    if name.is_empty() {
        return Err(Error::parameter(parameter, "must not hold an empty name", "''"));
    }
    if let Some(id) = vocabulary.id_of(name.as_bytes()) {
        let rule = format!("must not name a token that is there already, with id {id}");
        return Err(Error::parameter(parameter, rule, format!("{name:?}")));
    }
    Ok(())
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
