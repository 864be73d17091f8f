//! What is put around the ids of a text or of a pair of texts.

/// One of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first.
    First,
    /// The second.
    Second,
}

/// A part of what a model is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The ids of a text.
    Text {
        /// Of which one.
        which: Which,
        /// The kind of segment that the model is told.
        type_id: u32,
    },
    /// A special token.
    Special {
        /// Its id.
        id: u32,
        /// The kind of segment that the model is told.
        type_id: u32,
    },
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// A text.
    Text {
        /// Which one.
        which: Which,
        /// The kind of segment that the model is told.
        type_id: u32,
    },
    /// Special tokens, by the name of their entry in the template.
    Special {
        /// The name.
        name: String,
        /// The kind of segment that the model is told.
        type_id: u32,
    },
}

/// What the name of special tokens in a template stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateTokens {
    /// The name.
    pub name: String,
    /// The ids.
    pub ids: Vec<u32>,
    /// How the tokens are written.
    pub tokens: Vec<String>,
}

/// A special token with its id.
pub type Named = (String, u32);

/// What happens after the model, in the vocabulary of Hugging Face tokenizers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostProcessor {
    /// Texts and special tokens in any order.
    Template {
        /// For one text.
        single: Vec<TemplatePart>,
        /// For a pair.
        pair: Vec<TemplatePart>,
        /// What the names stand for.
        special: Vec<TemplateTokens>,
    },
    /// Offsets leave out the white space of a token.
    ByteLevel {
        /// Whether a space was put in front of the text.
        add_prefix_space: bool,
        /// Whether anything is done.
        trim_offsets: bool,
        /// Has no influence here.
        use_regex: bool,
    },
    /// `[CLS] A [SEP]`, `[CLS] A [SEP] B [SEP]`.
    Bert {
        /// Between and after texts.
        sep: Named,
        /// At the start.
        cls: Named,
    },
    /// `<s> A </s>`, `<s> A </s></s> B </s>`.
    Roberta {
        /// Between and after texts.
        sep: Named,
        /// At the start.
        cls: Named,
        /// As for [`PostProcessor::ByteLevel`].
        trim_offsets: bool,
        /// As for [`PostProcessor::ByteLevel`].
        add_prefix_space: bool,
    },
    /// One after the other.
    Sequence(Vec<PostProcessor>),
}

impl PostProcessor {
    /// The parts around one text or a pair; `None` if nothing is put there.
    pub fn layout(&self, is_pair: bool) -> Option<Vec<Slot>> {
        let text = |which, type_id| Slot::Text { which, type_id };
        match self {
            Self::Template { single, pair, special } => {
                let parts = if is_pair { pair } else { single };
                Some(parts.iter().flat_map(|part| slots(part, special)).collect())
            }
            Self::ByteLevel { .. } => None,
            Self::Bert { sep, cls } => {
                let special = |id, type_id| Slot::Special { id, type_id };
                let mut slots = vec![special(cls.1, 0), text(Which::First, 0), special(sep.1, 0)];
                if is_pair {
                    slots.extend([text(Which::Second, 1), special(sep.1, 1)]);
                }
                Some(slots)
            }
            Self::Roberta { sep, cls, .. } => {
                let special = |id| Slot::Special { id, type_id: 0 };
                let mut slots = vec![special(cls.1), text(Which::First, 0), special(sep.1)];
                if is_pair {
                    slots.extend([special(sep.1), text(Which::Second, 0), special(sep.1)]);
                }
                Some(slots)
            }
            Self::Sequence(steps) => steps.iter().rev().find_map(|step| step.layout(is_pair)),
        }
    }

    /// Whether the offsets of tokens leave out white space, and if so, whether a space was put in front of
    /// the text.
    pub fn trimming(&self) -> Option<bool> {
        match self {
            Self::ByteLevel { trim_offsets: true, add_prefix_space, .. }
            | Self::Roberta { trim_offsets: true, add_prefix_space, .. } => Some(*add_prefix_space),
            Self::Sequence(steps) => steps.iter().find_map(Self::trimming),
            _ => None,
        }
    }
}

fn slots(part: &TemplatePart, special: &[TemplateTokens]) -> Vec<Slot> {
    match part {
        TemplatePart::Text { which, type_id } => {
            vec![Slot::Text { which: *which, type_id: *type_id }]
        }
        TemplatePart::Special { name, type_id } => {
            let entry = special.iter().find(|entry| entry.name == *name);
            let ids = entry.map(|entry| entry.ids.as_slice()).unwrap_or_default();
            ids.iter().map(|&id| Slot::Special { id, type_id: *type_id }).collect()
        }
    }
}

/// The parts where nothing else is said: one text after the other.
pub fn plain_layout(is_pair: bool) -> Vec<Slot> {
    let mut slots = vec![Slot::Text { which: Which::First, type_id: 0 }];
    if is_pair {
        slots.push(Slot::Text { which: Which::Second, type_id: 1 });
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(slots: &[Slot]) -> Vec<i64> {
        let id = |slot: &Slot| match slot {
            Slot::Text { which, type_id } => {
                -1 - i64::from(*which == Which::Second) - 10 * i64::from(*type_id)
            }
            Slot::Special { id, type_id } => i64::from(*id) + 10 * i64::from(*type_id),
        };
        slots.iter().map(id).collect()
    }

    #[test]
    fn published_layouts() {
        let (sep, cls) = (("[SEP]".to_owned(), 3), ("[CLS]".to_owned(), 2));
        let bert = PostProcessor::Bert { sep: sep.clone(), cls: cls.clone() };
        assert_eq!(ids(&bert.layout(false).unwrap()), [2, -1, 3]);
        assert_eq!(ids(&bert.layout(true).unwrap()), [2, -1, 3, -12, 13]);
        let roberta =
            PostProcessor::Roberta { sep, cls, trim_offsets: true, add_prefix_space: false };
        assert_eq!(ids(&roberta.layout(true).unwrap()), [2, -1, 3, 3, -2, 3]);
        assert_eq!((roberta.trimming(), bert.trimming()), (Some(false), None));
        let both = PostProcessor::Sequence(vec![roberta, bert.clone()]);
        assert_eq!(both.layout(true), bert.layout(true));
        assert_eq!(ids(&plain_layout(true)), [-1, -12]);
    }

    #[test]
    fn a_name_of_a_template_can_stand_for_several_tokens() {
        let text = TemplatePart::Text { which: Which::First, type_id: 1 };
        let start = TemplatePart::Special { name: "start".to_owned(), type_id: 0 };
        let special =
            vec![TemplateTokens { name: "start".to_owned(), ids: vec![5, 6], tokens: Vec::new() }];
        let template =
            PostProcessor::Template { single: vec![start, text], pair: Vec::new(), special };
        assert_eq!(ids(&template.layout(false).unwrap()), [5, 6, -11]);
    }
}
