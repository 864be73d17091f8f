//! The steps of a decoder, taken token by token.
//!
//! Up to the first step that joins all tokens, a step makes strings of strings. Most look at one token and
//! at whether it is the first; they are asked for one token at a time. From there on there is one string,
//! which comes in parts; a step that needs all of it holds it back until the end. What comes out, joined, is
//! what the decoder makes of all tokens together.

use super::decoders::{Decoder, byte_of_name};

/// A string and the number of the id that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) id: usize,
    pub(super) bytes: Vec<u8>,
}

/// How far the steps are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// Steps that are taken token by token.
    single: Vec<SingleStep>,
    /// Those after all tokens are joined.
    joined: Joined,
}

impl Steps {
    /// `as_bytes` if tokens come as the bytes that they stand for, not as files write them.
    pub(super) fn new(decoder: &Decoder, as_bytes: bool) -> Self {
        let mut flat = Vec::new();
        flatten(decoder, &mut flat);
        if as_bytes && decoder.begins_with_bytes() {
            // The first step has nothing to do but to join.
            flat[0] = Decoder::Fuse;
        }
        let join = flat.iter().position(|step| matches!(step, Decoder::Fuse | Decoder::ByteLevel));
        let mut rest = flat.split_off(join.unwrap_or(flat.len()));
        if rest.first() == Some(&Decoder::ByteLevel) {
            // Each token is translated by itself.
            flat.push(Decoder::ByteLevel);
        }
        if !rest.is_empty() {
            rest.remove(0);
        }
        let last = flat.len().saturating_sub(1);
        let single = flat.into_iter().enumerate();
        let single = single.map(|(number, step)| SingleStep::new(step, number == last)).collect();
        Self { single, joined: Joined::new(rest) }
    }

    /// Takes a token and appends what is ready.
    pub(super) fn push(&mut self, token: Part, ready: &mut Vec<Part>) {
        let mut tokens = vec![token];
        for step in &mut self.single {
            let mut next = Vec::new();
            for token in tokens {
                step.push(token, &mut next);
            }
            tokens = next;
        }
        self.joined.push(tokens, ready);
    }

    /// Appends what was held back.
    pub(super) fn finish(mut self, ready: &mut Vec<Part>) {
        let mut tokens = Vec::new();
        for step in &mut self.single {
            let mut next = Vec::new();
            for token in tokens {
                step.push(token, &mut next);
            }
            step.finish(&mut next);
            tokens = next;
        }
        self.joined.push(tokens, ready);
        self.joined.finish(ready);
    }
}

fn flatten(decoder: &Decoder, steps: &mut Vec<Decoder>) {
    match decoder {
        Decoder::Sequence(parts) => parts.iter().for_each(|part| flatten(part, steps)),
        step => steps.push(step.clone()),
    }
}

/// A step that is taken token by token.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SingleStep {
    step: Decoder,
    /// Whether nothing but joining comes after it.
    is_last: bool,
    /// Tokens that came.
    count: usize,
    /// What cannot be handed on before the next token comes.
    held: Option<Part>,
    /// The last token, for a step that drops repeated ones.
    previous: Option<Vec<u8>>,
}

impl SingleStep {
    fn new(step: Decoder, is_last: bool) -> Self {
        Self { step, is_last, count: 0, held: None, previous: None }
    }

    fn push(&mut self, token: Part, out: &mut Vec<Part>) {
        let is_first = self.count == 0;
        self.count += 1;
        match &self.step {
            Decoder::ByteFallback => self.push_byte(token, out),
            Decoder::Bpe { .. } => {
                // Only the last token loses its suffix without a space.
                let held = self.held.replace(token);
                out.extend(held.map(|held| {
                    self.applied(held, |step, token| {
                        step.apply(vec![token, Vec::new()]).swap_remove(0)
                    })
                }));
            }
            Decoder::Ctc { .. } => {
                if self.previous.as_ref() != Some(&token.bytes) {
                    let kept = self.step.apply(vec![token.bytes.clone()]).pop();
                    self.previous = Some(token.bytes);
                    out.extend(kept.map(|bytes| Part { id: token.id, bytes }));
                }
            }
            step if is_first || *step == Decoder::ByteLevel => {
                out.push(self.applied(token, |step, token| step.apply(vec![token]).concat()));
            }
            _ => out.push(self.applied(token, |step, token| {
                // In second place it is treated as any that is not the first.
                step.apply(vec![Vec::new(), token]).swap_remove(1)
            })),
        }
    }

    fn applied(&self, token: Part, apply: impl FnOnce(&Decoder, Vec<u8>) -> Vec<u8>) -> Part {
        Part { id: token.id, bytes: apply(&self.step, token.bytes) }
    }

    /// Bytes in a row are one string for the steps that follow.
    fn push_byte(&mut self, token: Part, out: &mut Vec<Part>) {
        match (byte_of_name(&token.bytes), &mut self.held) {
            (Some(byte), _) if self.is_last => out.push(Part { id: token.id, bytes: vec![byte] }),
            (Some(byte), Some(held)) => held.bytes.push(byte),
            (Some(byte), None) => self.held = Some(Part { id: token.id, bytes: vec![byte] }),
            (None, _) => {
                out.extend(self.held.take());
                out.push(token);
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<Part>) {
        let Some(held) = self.held.take() else { return };
        out.push(match &self.step {
            Decoder::Bpe { .. } => {
                self.applied(held, |step, token| step.apply(vec![token]).concat())
            }
            _ => held,
        });
    }
}

/// The steps after all tokens are joined to one string, which comes in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Joined {
    /// Drops a character at the start some times, and goes on with the rest.
    Strip(Stripping, Box<Joined>),
    /// Steps that need the whole string.
    Whole(Vec<Decoder>, Part),
    /// Nothing is left to do.
    Done,
}

impl Joined {
    fn new(mut steps: Vec<Decoder>) -> Self {
        match steps.first() {
            None => Self::Done,
            Some(Decoder::Fuse) => Self::new(steps.split_off(1)),
            Some(Decoder::Strip { content, start, stop: 0 }) => {
                let content = content.to_string().into_bytes();
                let stripping = Stripping { content, left: *start, begun: None };
                Self::Strip(stripping, Box::new(Self::new(steps.split_off(1))))
            }
            Some(_) => Self::Whole(steps, Part { id: 0, bytes: Vec::new() }),
        }
    }

    fn push(&mut self, parts: Vec<Part>, ready: &mut Vec<Part>) {
        match self {
            Self::Done => ready.extend(parts),
            Self::Whole(_, whole) => {
                whole.bytes.extend(parts.into_iter().flat_map(|part| part.bytes));
            }
            Self::Strip(stripping, next) => {
                let stripped = parts.into_iter().filter_map(|part| stripping.push(part)).collect();
                next.push(stripped, ready);
            }
        }
    }

    fn finish(self, ready: &mut Vec<Part>) {
        match self {
            Self::Done => {}
            Self::Whole(steps, whole) => {
                let bytes = Decoder::Sequence(steps).apply(vec![whole.bytes]).concat();
                ready.push(Part { id: whole.id, bytes });
            }
            Self::Strip(stripping, mut next) => {
                next.push(stripping.begun.into_iter().collect(), ready);
                next.finish(ready);
            }
        }
    }
}

/// What is still to be dropped at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stripping {
    content: Vec<u8>,
    left: usize,
    /// What may be the beginning of the next character to drop.
    begun: Option<Part>,
}

impl Stripping {
    fn push(&mut self, part: Part) -> Option<Part> {
        let mut part = match self.begun.take() {
            Some(mut begun) => {
                begun.bytes.extend(part.bytes);
                begun
            }
            None => part,
        };
        while self.left > 0 {
            if part.bytes.starts_with(&self.content) {
                part.bytes.drain(..self.content.len());
                self.left -= 1;
            } else if self.content.starts_with(&part.bytes) {
                self.begun = Some(part);
                return None;
            } else {
                self.left = 0;
            }
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::matcher::Matcher;
    use crate::split::pre_tokenizer::Prepend;

    /// What comes out after each token, and at the end.
    fn outcome(decoder: &Decoder, tokens: &[&str]) -> Vec<String> {
        let mut steps = Steps::new(decoder, false);
        let mut parts = Vec::new();
        let mut ready = Vec::new();
        let mut take = |ready: &mut Vec<Part>| {
            parts.push(ready.drain(..).flat_map(|part| part.bytes).collect::<Vec<u8>>());
        };
        for (id, token) in tokens.iter().enumerate() {
            steps.push(Part { id, bytes: token.as_bytes().to_vec() }, &mut ready);
            take(&mut ready);
        }
        steps.finish(&mut ready);
        take(&mut ready);
        let all = tokens.iter().map(|token| token.as_bytes().to_vec()).collect();
        assert_eq!(parts.concat(), decoder.apply(all).concat(), "{decoder:?} {tokens:?}");
        parts.iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect()
    }

    fn strip(content: char, start: usize, stop: usize) -> Decoder {
        Decoder::Strip { content, start, stop }
    }

    #[test]
    fn a_step_that_only_looks_at_a_token_hands_on_at_once() {
        let pieces = Decoder::WordPiece { prefix: "##".to_owned(), cleanup: true };
        assert_eq!(outcome(&pieces, &["un", "##do", "it", "."]), ["un", "do", " it", ".", ""]);
        let marks =
            Decoder::Metaspace { replacement: '\u{2581}', prepend: Prepend::Always, split: true };
        assert_eq!(outcome(&marks, &["\u{2581}I", "\u{2581}am"]), ["I", " am", ""]);
    }

    #[test]
    fn suffixes_wait_for_the_next_token() {
        let suffix = Decoder::Bpe { suffix: "</w>".to_owned() };
        assert_eq!(outcome(&suffix, &["lo", "w</w>", "x</w>"]), ["", "lo", "w ", "x"]);
        outcome(&suffix, &[]);
    }

    #[test]
    fn the_steps_of_sentence_pieces() {
        let steps = Decoder::Sequence(vec![
            Decoder::Replace(Matcher::literal("\u{2581}"), " ".to_owned()),
            Decoder::ByteFallback,
            Decoder::Fuse,
            strip(' ', 1, 0),
        ]);
        let tokens = ["\u{2581}\u{2581}a", "<0x41>", "<0x42>", "\u{2581}c"];
        assert_eq!(outcome(&steps, &tokens), [" a", "A", "B", " c", ""]);
        outcome(&steps, &["\u{2581}", "\u{2581}", "b"]);
        outcome(&steps, &["b", "\u{2581}"]);
    }

    #[test]
    fn every_order_of_steps_gives_the_whole_text() {
        let steps = [
            Decoder::ByteLevel,
            Decoder::ByteFallback,
            Decoder::Fuse,
            strip('a', 2, 0),
            strip('a', 1, 1),
            strip('\u{2581}', 1, 0),
            Decoder::Replace(Matcher::literal("b"), "a".to_owned()),
            Decoder::WordPiece { prefix: "a".to_owned(), cleanup: false },
            Decoder::Bpe { suffix: "b".to_owned() },
            Decoder::Ctc {
                pad_token: "b".to_owned(),
                word_delimiter_token: "|".to_owned(),
                cleanup: true,
            },
        ];
        let texts = [
            &["a", "a", "aab", "<0x61>", "<0x61>", "b"][..],
            &["<0x61>", "<0xE2>", "<0x96>", "\u{2581}", "b", "b", "a"],
            &["\u{2581}", "aa", "a"],
            &["ab"],
            &[],
        ];
        for first in &steps {
            for second in &steps {
                for third in &steps {
                    let all = vec![first.clone(), second.clone(), third.clone()];
                    for tokens in texts {
                        outcome(&Decoder::Sequence(all.clone()), tokens);
                    }
                }
            }
        }
    }
}
