//! The codes of subword-nmt (Sennrich, Haddow and Birch, 2016): a merge a line, in the order of merging.
//!
//! Words are what spaces separate. In version 0.2 the mark of the end of a word is part of its last character,
//! in version 0.1, which has no header, it is a symbol of its own. The codes have no ids; a vocabulary, `TOKEN
//! COUNT` a line with `@@` after tokens that do not end a word, gives its order.

use std::path::Path;

use super::subword_nmt_read::{Codes, Version, read_names};
use super::text_files;
use crate::bpe::encode::{Alphabet, BpeModel, MergeOrder};
use crate::error::{Error, Place, Result};
use crate::files;
use crate::split::behavior::Behavior;
use crate::split::matcher::Pattern;
use crate::split::pre_tokenizer::PreTokenizer;
use crate::split::{SplitRule, Splitter};
use crate::tokenizer::vocabulary::TokenKind;
use crate::tokenizer::{Model, Tokenizer};

/// What marks the end of a word.
pub(super) const MARKER: &str = "</w>";
/// What a vocabulary writes after tokens that do not end a word.
pub(super) const SEPARATOR: &str = "@@";
/// What lies between words: the program reads line by line.
pub(super) const BETWEEN: &str = "[ \\n\\r]+";

const FORMAT: &str = "the codes of subword-nmt";

/// Tokens that the codes do not hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// What characters become that the codes do not have.
    pub unknown: Option<&'a str>,
    /// Tokens for other uses than text.
    pub special: &'a [String],
}

/// Reads codes and, for its ids, a vocabulary.
pub fn load(codes: &Path, vocabulary: Option<&Path>, names: Names<'_>) -> Result<Tokenizer> {
    crate::bpe::settings::validate_names(names.special, names.unknown)?;
    let text = text_files::read(codes)?;
    let read = Codes::parse(&text, codes)?;
    match (read.version, vocabulary) {
        (Version::MarkerInside, None) => read.with_marker_inside(Vec::new(), names, codes),
        (Version::MarkerInside, Some(path)) => {
            let text = text_files::read(path)?;
            read.with_marker_inside(read_names(&text, names, path)?, names, codes)
        }
        (Version::MarkerApart, None) => read.with_marker_apart(names, codes),
        (Version::MarkerApart, Some(path)) => {
            let rule = "can only be used with codes of version 0.2, whose tokens it lists";
            Err(Error::parameter(
                "vocabulary",
                rule,
                format!("{} with version 0.1", path.display()),
            ))
        }
    }
}

/// Cuts where the program cuts.
pub(super) fn splitter() -> Result<Splitter> {
    let between = Pattern::Regex(BETWEEN.to_owned());
    Ok(Splitter::custom(PreTokenizer::split(&between, Behavior::Removed, false)?))
}

/// Writes the codes, from which subword-nmt makes the same tokens, and a vocabulary with all of them.
pub fn save(tokenizer: &Tokenizer, codes: &Path, vocabulary: Option<&Path>) -> Result<()> {
    let (model, version) = sayable(tokenizer)?;
    let mut text = format!("#version: {}\n", version.name());
    for merge in &model.merges {
        for (id, end) in [(merge.pair.left, " "), (merge.pair.right, "\n")] {
            text.push_str(&token(tokenizer, id)?);
            text.push_str(end);
        }
    }
    let Some(path) = vocabulary else { return text_files::write(codes, &text) };
    let listed = vocabulary_text(tokenizer, version)?;
    files::check_writable(path)?;
    text_files::write(codes, &text)?;
    text_files::write(path, &listed)
}

/// The model and the version that says it, or the reason why none does.
fn sayable(tokenizer: &Tokenizer) -> Result<(&BpeModel, Version)> {
    let train =
        "Train with BPE(symbols=\"characters\", split=\"whitespace\", end_of_word=\"</w>\")";
    let refuse = |reason: &str| Err(text_files::refusal(FORMAT, reason).with_hint(train));
    let settings = tokenizer.settings();
    let Model::Bpe(model) = tokenizer.model() else {
        return refuse(&format!("of kind {}", settings.kind.name()));
    };
    let version = match &model.alphabet {
        Alphabet::Bytes(_) => return refuse("whose tokens are made of bytes, not of characters"),
        Alphabet::Characters(_) if settings.end_of_word.as_deref() == Some(MARKER) => {
            Version::MarkerApart
        }
        Alphabet::Spelled(spelling)
            if spelling.end_suffix.as_deref() == Some(MARKER)
                && spelling.continuing_prefix.is_none()
                && !spelling.byte_fallback() =>
        {
            Version::MarkerInside
        }
        _ => return refuse("whose tokens do not end a word with \"</w>\""),
    };
    if tokenizer.pipeline().normalizer.is_some() {
        return refuse("that changes texts");
    }
    if !splits_at_spaces(tokenizer)? {
        return refuse("that does not split text at white space");
    }
    if model.takes_whole() {
        return refuse("that takes whole words as tokens, whatever merges would make of them");
    }
    if let Some(added) = tokenizer.pipeline().added.iter().find(|token| !token.special) {
        return refuse(&format!("with the added token {:?}, which no merges form", added.content));
    }
    // Where each merge makes a token of its own, the lowest rank is always the next in the list.
    let all_new = || model.merges.windows(2).all(|two| two[0].token < two[1].token);
    if model.order() != MergeOrder::LowestRank && !all_new() {
        return refuse(
            "with two merges that make the same token, which it would apply in another order",
        );
    }
    Ok((model, version))
}

fn splits_at_spaces(tokenizer: &Tokenizer) -> Result<bool> {
    let rule = &tokenizer.settings().splitter;
    let at_whitespace = rule.rule() == SplitRule::Whitespace && !rule.space_prefix();
    let by_stage = rule.pre_tokenizer().is_some_and(|rule| *rule == PreTokenizer::WhitespaceSplit);
    Ok(at_whitespace || by_stage || rule.pre_tokenizer() == splitter()?.pre_tokenizer())
}

/// A token as the codes write it.
fn token(tokenizer: &Tokenizer, id: u32) -> Result<String> {
    let vocabulary = tokenizer.vocabulary();
    let shown = String::from_utf8_lossy(&vocabulary.shown(id)).into_owned();
    let is_marked = shown.ends_with(MARKER);
    if shown.contains([' ', '\n', '\r'])
        || is_marked != (vocabulary.kind(id) == TokenKind::EndsWord)
    {
        let reason = format!("with the token {shown:?}, which the codes would read as another");
        return Err(text_files::refusal(FORMAT, reason));
    }
    Ok(shown)
}

/// All tokens in the order of their ids; the counts, which the ids do not depend on, are 1.
fn vocabulary_text(tokenizer: &Tokenizer, version: Version) -> Result<String> {
    if version == Version::MarkerApart {
        let reason = "whose mark of the end of a word is a token of its own";
        return Err(text_files::refusal("a vocabulary of subword-nmt", reason)
            .with_hint("Leave the vocabulary out, and write the codes alone"));
    }
    let vocabulary = tokenizer.vocabulary();
    let refuse = |reason: String| text_files::refusal("a vocabulary of subword-nmt", reason);
    let mut text = String::new();
    for id in 0..vocabulary.len() as u32 {
        let bytes = String::from_utf8_lossy(vocabulary.bytes(id));
        let name = match vocabulary.kind(id) {
            TokenKind::Absent => return Err(refuse(format!("whose id {id} has no token"))),
            TokenKind::Ordinary => format!("{bytes}{SEPARATOR}"),
            _ => bytes.into_owned(),
        };
        let ends_word = vocabulary.kind(id) == TokenKind::EndsWord;
        let unclear = ends_word && name.ends_with(SEPARATOR);
        if name.is_empty() || unclear || name.contains([' ', '\n', '\r']) {
            let shown = vocabulary.text(id);
            return Err(refuse(format!(
                "with the token {shown:?}, which it would read as another"
            )));
        }
        text.extend([&name, " 1\n"]);
    }
    Ok(text)
}

/// The error at a line of the codes or of the vocabulary.
pub(super) fn at_line(path: &Path, line: u64, reason: impl Into<String>) -> Error {
    Error::format(path, Place::Line(line), reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tokenizer_json;
    use crate::tokenizer::SpecialPolicy;

    const CODES: &str = "#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\n";

    fn load_text(codes: &str, vocabulary: Option<&str>) -> Result<Tokenizer> {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let vocabulary = vocabulary.map(|text| write("vocabulary", text));
        let names = Names { unknown: Some("<unk>"), special: &[] };
        load(&write("codes", codes), vocabulary.as_deref(), names)
    }

    fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let ids = tokenizer.encode(text, SpecialPolicy::Text, &mut || Ok(())).unwrap();
        ids.iter().map(|&id| tokenizer.vocabulary().text(id)).collect()
    }

    fn again(tokenizer: &Tokenizer, with_vocabulary: bool) -> Result<(String, String)> {
        let directory = tempfile::tempdir().unwrap();
        let (codes, vocabulary) =
            (directory.path().join("codes"), directory.path().join("vocabulary"));
        save(tokenizer, &codes, with_vocabulary.then_some(&vocabulary))?;
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        Ok((read(&codes), read(&vocabulary)))
    }

    #[test]
    fn the_end_of_a_word_is_part_of_its_last_character() {
        let tokenizer = load_text(CODES, None).unwrap();
        assert_eq!(
            tokens(&tokenizer, "low lower\nl  zo"),
            ["low</w>", "low", "er</w>", "l</w>", "<unk>", "o</w>"]
        );
        assert_eq!(again(&tokenizer, false).unwrap().0, CODES);
    }

    #[test]
    fn a_vocabulary_gives_the_ids() {
        let tokenizer = load_text(CODES, Some("er 9\nlow 7\n<unk> 3\nlow@@ 1\nl@@ 1\n")).unwrap();
        let known: Vec<_> = (0..5).map(|id| tokenizer.vocabulary().text(id)).collect();
        assert_eq!(known, ["er</w>", "low</w>", "<unk>", "low", "l"]);
        assert_eq!(tokens(&tokenizer, "lower"), ["low", "er</w>"]);
        let (codes, vocabulary) = again(&tokenizer, true).unwrap();
        let twin = load_text(&codes, Some(&vocabulary)).unwrap();
        assert_eq!(tokenizer_json::to_bytes(&twin), tokenizer_json::to_bytes(&tokenizer));
    }

    #[test]
    fn in_old_codes_it_is_a_symbol_of_its_own() {
        let codes = "#version: 0.1\nl o\nlo w\nw </w>\nlow </w>\n";
        let tokenizer = load_text(&codes[14..], None).unwrap();
        assert_eq!(tokens(&tokenizer, "low wo"), ["low</w>", "w", "o", "</w>"]);
        assert_eq!(again(&tokenizer, false).unwrap().0, codes);
        let bytes = tokenizer_json::to_bytes(&tokenizer);
        let loaded = tokenizer_json::from_bytes(&bytes, Path::new("a.json")).unwrap();
        assert_eq!(tokens(&loaded, "low wo"), tokens(&tokenizer, "low wo"));
        let refused = again(&tokenizer, true).unwrap_err().to_string();
        assert!(refused.contains("a token of its own"), "{refused}");
    }

    #[test]
    fn damage_is_found_with_its_line() {
        for (codes, vocabulary, reason) in [
            ("#version: 0.3\na b\n", None, "line 1: version \"0.3\" is not known"),
            ("#version: 0.2\na b c\n", None, "line 2: a merge must be two tokens"),
            ("a b\nabc d\n", None, "line 2: no merge before it makes \"abc\""),
            ("#version: 0.2\n", None, "the file holds no merges"),
            (CODES, Some("a 1\nb\n"), "line 2: a token and its count are needed"),
            (CODES, Some("a 1\nb 2\na 3\n"), "line 3: the token \"a\" is on line 1 already"),
            ("a b\n", Some("a 1\n"), "can only be used with codes of version 0.2"),
        ] {
            let error = load_text(codes, vocabulary).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
