//! `.tiktoken`: a line for each token, its bytes in base64, a space, and its rank, which is its id.
//!
//! The file says neither how text is split nor which special tokens there are. It holds no merges either:
//! the ranks are the order of merging ([`bpe::ranks`](crate::bpe::ranks)).

use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::base64;
use crate::bpe::encode::{Alphabet, MergeOrder};
use crate::bpe::{BpeModel, ranks, settings};
use crate::error::{Error, Place, Result};
use crate::files;
use crate::split::Splitter;
use crate::tokenizer::ranked::{self, Refusal};
use crate::tokenizer::vocabulary::{TokenKind, Vocabulary};
use crate::tokenizer::{Kind, Look, Model, Tokenizer};

/// Lines between two looks at the wish to stop.
const LINES_PER_LOOK: usize = 1 << 14;

/// The largest id, so that the number of ids fits into 32 bits.
const LARGEST_ID: u32 = u32::MAX - 1;

/// Reads a rank file; the special tokens are given by name and id.
pub fn load(
    path: &Path,
    splitter: &Splitter,
    special: &[(String, i64)],
    look: &mut Look<'_>,
) -> Result<Tokenizer> {
    let special = checked_special(special)?;
    let content = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    let file = RankFile::parse(&content, path, look)?;
    ranked::tokenizer(&file.tokens(), &special, splitter.clone(), look)?
        .map_err(|refusal| refused(&refusal, &special, &file, path))
}

/// Whether this looks like the beginning of a rank file.
pub fn is_rank_file(content: &[u8]) -> bool {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
    parse_line(line, &mut Vec::new()).is_ok()
}

/// Names with their ids, ascending.
fn checked_special(special: &[(String, i64)]) -> Result<Vec<(u32, &[u8])>> {
    let names: Vec<String> = special.iter().map(|(name, _)| name.clone()).collect();
    settings::validate_names(&names, None)?;
    let mut checked = Vec::with_capacity(special.len());
    for (name, id) in special {
        let number = u32::try_from(*id).ok().filter(|&number| number <= LARGEST_ID);
        let number = number.ok_or_else(|| {
            let rule = format!("must have ids from 0 to {LARGEST_ID}");
            Error::parameter("special_tokens", rule, format!("{id} for {name:?}"))
        })?;
        checked.push((number, name.as_bytes()));
    }
    checked.sort_unstable();
    Ok(checked)
}

fn refused(refusal: &Refusal, special: &[(u32, &[u8])], file: &RankFile, path: &Path) -> Error {
    let named = |id: u32| special.iter().find(|(other, _)| *other == id);
    match refusal {
        Refusal::SameId(id) | Refusal::TooManyAbsent(id) if named(*id).is_some() => {
            let name =
                named(*id).map_or_else(Default::default, |(_, name)| String::from_utf8_lossy(name));
            let (rule, hint) = if matches!(refusal, Refusal::SameId(_)) {
                ("must have ids of their own", "Another token has this id already")
            } else {
                (
                    "must have ids near those of the file",
                    "Too many ids before it would have no token",
                )
            };
            Error::parameter("special_tokens", rule, format!("{id} for {name:?}")).with_hint(hint)
        }
        Refusal::SameId(id) | Refusal::TooManyAbsent(id) => {
            let line =
                file.entries.iter().find(|entry| entry.rank == *id).map_or(0, |one| one.line);
            Error::format(path, Place::Line(line), refusal.to_string())
        }
        Refusal::NoByte(_) => Error::format(path, Place::Whole, refusal.to_string()),
    }
}

/// The lines of a rank file, in the order of their ranks.
struct RankFile {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    rank: u32,
    line: u64,
    start: usize,
    end: usize,
}

impl RankFile {
    fn parse(content: &[u8], path: &Path, look: &mut Look<'_>) -> Result<Self> {
        let mut file = Self { bytes: Vec::with_capacity(content.len() / 2), entries: Vec::new() };
        for (number, line) in content.split(|&byte| byte == b'\n').enumerate() {
            if number % LINES_PER_LOOK == 0 {
                look()?;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // tiktoken passes over empty lines too.
            if line.is_empty() {
                continue;
            }
            let start = file.bytes.len();
            let number = number as u64 + 1;
            let rank = parse_line(line, &mut file.bytes)
                .map_err(|reason| Error::format(path, Place::Line(number), reason))?;
            file.entries.push(Entry { rank, line: number, start, end: file.bytes.len() });
        }
        if file.entries.is_empty() {
            return Err(Error::format(path, Place::Whole, "the file holds no tokens"));
        }
        file.entries.sort_by_key(|entry| entry.rank);
        file.check_unique(path)?;
        Ok(file)
    }

    fn check_unique(&self, path: &Path) -> Result<()> {
        let twice = |entry: &Entry, what: &str, first: &Entry| {
            let (line, other) = (entry.line.max(first.line), entry.line.min(first.line));
            let reason = format!("{what} is on line {other} already");
            Err(Error::format(path, Place::Line(line), reason))
        };
        for two in self.entries.windows(2) {
            if two[0].rank == two[1].rank {
                return twice(&two[1], &format!("the rank {}", two[0].rank), &two[0]);
            }
        }
        let mut seen: FxHashMap<&[u8], &Entry> = FxHashMap::default();
        seen.reserve(self.entries.len());
        for entry in &self.entries {
            let bytes = &self.bytes[entry.start..entry.end];
            if let Some(first) = seen.insert(bytes, entry) {
                return twice(entry, &format!("the token {}", shown(bytes)), first);
            }
        }
        Ok(())
    }

    fn tokens(&self) -> Vec<(u32, &[u8])> {
        let token = |entry: &Entry| (entry.rank, &self.bytes[entry.start..entry.end]);
        self.entries.iter().map(token).collect()
    }
}

/// Appends the bytes of a token and returns its rank.
fn parse_line(line: &[u8], bytes: &mut Vec<u8>) -> std::result::Result<u32, String> {
    let start = bytes.len();
    let Some(space) = line.iter().position(|&byte| byte == b' ') else {
        return Err(format!(
            "a token in base64, a space and its rank are needed, got {}",
            shown(line)
        ));
    };
    let (token, rank) = (&line[..space], &line[space + 1..]);
    if base64::decode(token, bytes).is_none() {
        return Err(format!("the token must be base64, got {}", shown(token)));
    }
    if bytes.len() == start {
        return Err("the token is empty".to_owned());
    }
    let is_number = !rank.is_empty() && rank.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(rank).ok().filter(|_| is_number);
    let number = number.and_then(|digits| digits.parse().ok()).filter(|&rank| rank <= LARGEST_ID);
    number.ok_or_else(|| {
        format!("the rank must be a number from 0 to {LARGEST_ID}, got {}", shown(rank))
    })
}

/// At most 40 bytes for a message.
fn shown(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(40)];
    let dots = if start.len() < bytes.len() { "..." } else { "" };
    format!("\"{}\"{dots}", start.escape_ascii())
}

/// Writes the rank file of a tokenizer whose ids tiktoken gives too.
///
/// The split rule and the special tokens are not part of the format.
pub fn save(tokenizer: &Tokenizer, path: &Path, look: &mut Look<'_>) -> Result<()> {
    if let Some(reason) = refusal(tokenizer, look)? {
        let rule = "must give the ids that the ranks of a .tiktoken file give";
        return Err(Error::parameter("tokenizer", rule, reason));
    }
    let vocabulary = tokenizer.vocabulary();
    let mut content = Vec::new();
    for id in ordinary(vocabulary) {
        base64::encode(vocabulary.bytes(id), &mut content);
        content.extend_from_slice(format!(" {id}\n").as_bytes());
    }
    files::write_atomically(path, |writer| writer.write_all(&content))
}

fn ordinary(vocabulary: &Vocabulary) -> impl Iterator<Item = u32> + '_ {
    vocabulary.ids().filter(|&id| vocabulary.kind(id) == TokenKind::Ordinary)
}

/// What the format cannot say of a tokenizer.
fn refusal(tokenizer: &Tokenizer, look: &mut Look<'_>) -> Result<Option<String>> {
    let model = match tokenizer.model() {
        Model::Bpe(model) if tokenizer.settings().kind == Kind::Bpe => model,
        _ => return Ok(Some(format!("a {} tokenizer", tokenizer.settings().kind.name()))),
    };
    if !matches!(model.alphabet, Alphabet::Bytes(_)) {
        return Ok(Some("one whose tokens are made of characters, not of bytes".to_owned()));
    }
    if model.marker.is_some() {
        return Ok(Some("one with an end-of-word marker".to_owned()));
    }
    if model.order() == MergeOrder::LowestToken {
        return Ok(None);
    }
    let by_rank = ranks::model(tokenizer.vocabulary(), look)?;
    Ok(match by_rank {
        Ok(by_rank) => different_merge(tokenizer.vocabulary(), model, &by_rank),
        Err(byte) => Some(Refusal::NoByte(byte).to_string()),
    })
}

fn different_merge(vocabulary: &Vocabulary, own: &BpeModel, by_rank: &BpeModel) -> Option<String> {
    let same = own.merges.iter().zip(&by_rank.merges).take_while(|(one, two)| one == two).count();
    let merge = own.merges.get(same).or(by_rank.merges.get(same))?;
    let token = vocabulary.text(merge.token);
    Some(format!("one whose token {token:?} would be merged at another place"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str) -> Result<Tokenizer> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ranks.tiktoken");
        std::fs::write(&path, text).unwrap();
        load(&path, &Splitter::whole(), &[("<s>".to_owned(), 300)], &mut || Ok(()))
    }

    fn bytes_and(tokens: &[&str]) -> String {
        let single = (0..=255_u8).map(|byte| vec![byte]);
        let all = single.chain(tokens.iter().map(|token| token.as_bytes().to_vec()));
        let mut text = Vec::new();
        for (rank, token) in all.enumerate() {
            base64::encode(&token, &mut text);
            text.extend_from_slice(format!(" {rank}\n").as_bytes());
        }
        String::from_utf8(text).unwrap()
    }

    fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
        let policy = crate::tokenizer::SpecialPolicy::Text;
        tokenizer.encode(text, policy, &mut || Ok(())).unwrap()
    }

    /// The rule itself: join the leftmost neighbors that form the token of the lowest rank.
    fn by_definition(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
        let vocabulary = tokenizer.vocabulary();
        let find = |bytes: &[u8]| vocabulary.find(bytes, TokenKind::Ordinary);
        if let Some(whole) = find(text.as_bytes()) {
            return vec![whole];
        }
        let mut parts: Vec<Vec<u8>> = text.bytes().map(|byte| vec![byte]).collect();
        loop {
            let joined = parts.windows(2).enumerate();
            let ranks = joined.filter_map(|(at, two)| Some((find(&two.concat())?, at)));
            let Some((_, at)) = ranks.min() else { break };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        parts.iter().map(|part| find(part).unwrap()).collect()
    }

    #[test]
    fn ranks_decide_even_where_tokens_do_not_build_on_each_other() {
        let vocabularies: [&[&str]; 4] = [
            &["ab", "abc", "bc", "abcd"],
            // "abcd" can only be reached whole, or over "bcd", which comes later.
            &["abcd", "bc", "bcd", "aa", "aaaa", "aaa"],
            &["aaa", "aa", "ba", "aab", "abaab"],
            &["aa", "aaa", "aaaaa", "aaaa", "bb", "bbbb", "abab"],
        ];
        for tokens in vocabularies {
            let tokenizer = load_text(&bytes_and(tokens)).unwrap();
            for number in 0..6_u32.pow(5) {
                // All texts of 5 symbols of an alphabet of 5 and "nothing", and a long one of each.
                let symbols = (0..5).map(|place| number / 6_u32.pow(place) % 6);
                let text: String =
                    symbols.filter_map(|symbol| "abcda".chars().nth(symbol as usize)).collect();
                assert_eq!(ids(&tokenizer, &text), by_definition(&tokenizer, &text), "{text}");
                if number % 97 == 0 {
                    let long = text.repeat(12) + "abc";
                    assert_eq!(ids(&tokenizer, &long), by_definition(&tokenizer, &long), "{long}");
                }
            }
        }
    }

    #[test]
    fn a_long_piece_takes_merges_in_proportion() {
        let powers = ["aa", "aaaa", "aaaaaaaa", "ab", "ba", "abab", "bb"];
        let tokenizer = load_text(&bytes_and(&powers)).unwrap();
        for unit in ["a", "ab", "abb", "aab", "b", "abababba"] {
            let text = unit.repeat(1_000_000 / unit.len());
            let mut looks = 0;
            let mut look = || {
                looks += 1;
                Ok(())
            };
            let policy = crate::tokenizer::SpecialPolicy::Text;
            let ids = tokenizer.encode(&text, policy, &mut look).unwrap();
            assert_eq!(tokenizer.decode(&ids).unwrap(), text.as_bytes());
            // Each pair is queued once at first and at most two new ones for each merge; the queue asks
            // the caller every 65,536 entries.
            assert!(looks <= 3 * text.len() / (1 << 16) + 1, "{unit}: {looks} looks");
        }
    }

    #[test]
    fn damage_is_found_with_its_line() {
        let good = bytes_and(&["ab", "abc"]);
        load_text(&good).unwrap();
        load_text(&good.replace('\n', "\r\n\r\n")).unwrap();
        for (damaged, reason) in [
            (good.replace("YWI= 256", "YWI=256"), "line 257: a token in base64"),
            (good.replace("YWI= 256", "YWI 256"), "line 257: the token must be base64"),
            (good.replace("YWI= 256", " 256"), "line 257: the token is empty"),
            (good.replace("YWI= 256", "YWI= "), "line 257: the rank must be a number"),
            (good.replace("YWI= 256", "YWI= +256"), "line 257: the rank must be a number"),
            (good.replace("YWI= 256", "YWI= 4294967295"), "line 257: the rank must be a number"),
            (good.replace("YWI= 256", "YWI= 255"), "line 257: the rank 255 is on line 256 already"),
            (good.replace("YWI= 256", "YWJj 256"), "line 258: the token \"abc\" is on line 257"),
            (good.replace("YWI= 256", "YWI= 4294967294"), "line 257: more than"),
            (good.replace("YQ== 97\n", ""), "no token stands for byte 0x61"),
            (String::new(), "the file holds no tokens"),
        ] {
            let error = load_text(&damaged).unwrap_err();
            assert!(matches!(error, Error::Format { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error} instead of {reason}");
        }
        let taken = load_text(&(good + "eHl6 300\n")).unwrap_err().to_string();
        assert!(taken.starts_with("`special_tokens` must have ids of their own"), "{taken}");
    }
}
