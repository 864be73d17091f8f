//! A run written down, so that another process can go on with it.
//!
//! A safetensors file with the tables of numbers that the run changes; the rest is text in its header. The corpus
//! is not in it: it is read again, and must be the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::epochs::Standing;
use super::ids::IdCorpus;
use super::vocab::Vocabulary;
use crate::error::{Error, Place, Result};
use crate::files;
use crate::formats::binary::bytes_of;
use crate::formats::safetensors::{self, Header, Kind, Tensor};

/// The version of the layout; a reader refuses those that it does not know.
const VERSION: &str = "1";

/// The name under which the layout's version is found.
const VERSION_KEY: &str = "textgrain.checkpoint";

/// Settings that may change: a run that diverged goes on from its last good state at a lower rate.
const RATES: [&str; 2] = ["learning_rate", "min_learning_rate"];

/// Ids that are read at a time.
const CHUNK: u64 = 1 << 16;

/// Where a run is written down, and how often.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The file.
    pub path: PathBuf,
    /// How long a run goes on without writing it.
    pub every: Duration,
}

impl Checkpoint {
    /// Fails where it cannot be written, before time is spent on what it is to keep.
    pub(crate) fn check(&self) -> Result<()> {
        files::check_writable(&self.path)
    }
}

/// What a run must have in common with the one that was written down, but for its rates.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The settings, an object.
    pub(super) settings: Value,
    /// Of the words and their order in the corpus.
    pub(super) fingerprint: String,
}

impl Identity {
    pub(crate) fn new(settings: Value, vocabulary: &Vocabulary, ids: &IdCorpus) -> Result<Self> {
        let mut hash = Xxh3::new();
        for word in &vocabulary.words {
            hash.update(word.as_bytes());
            hash.update(&[0]);
        }
        let mut buffer = Vec::new();
        for start in (0..ids.len()).step_by(CHUNK as usize) {
            let (ids, core) = ids.part(start, ids.len().min(start + CHUNK), 0, &mut buffer)?;
            hash.update(&bytes_of(ids[core].iter().map(|id| id.to_le_bytes())));
        }
        Ok(Self { settings, fingerprint: format!("xxh3:{:016x}", hash.digest()) })
    }

    /// Fails if the file was written by another run; `settings` and `fingerprint` are what it says.
    fn check(&self, path: &Path, settings: &Value, fingerprint: &str) -> Result<()> {
        let other = |what: String| {
            let rule = format!("must be of the same run, but {what}");
            Err(Error::parameter("checkpoint", rule, path.display())
                .with_hint("Remove the file to start anew, or name another"))
        };
        let empty = serde_json::Map::new();
        let (ours, theirs) = (self.settings.as_object(), settings.as_object());
        let (ours, theirs) = (ours.unwrap_or(&empty), theirs.unwrap_or(&empty));
        for (name, value) in ours.iter().filter(|(name, _)| !RATES.contains(&name.as_str())) {
            let was = theirs.get(name).unwrap_or(&Value::Null);
            if was != value {
                return other(format!("{name} was {was} and is now {value}"));
            }
        }
        if fingerprint != self.fingerprint {
            return other("the corpus is another".to_owned());
        }
        Ok(())
    }
}

/// A table of floats that a run changes, as it is written down.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) shape: [usize; 2],
    pub(crate) bytes: Vec<u8>,
}

/// Writes down where a run stands.
pub(crate) fn save(
    path: &Path,
    identity: &Identity,
    tables: &[Table],
    standing: &Standing,
) -> Result<()> {
    let tensors = tables.iter().map(|Table { name, shape, bytes }| {
        let kind = Kind::F32;
        Tensor { name, kind, shape, bytes }
    });
    let tensors: Vec<Tensor<'_>> = tensors.collect();
    let standing = serde_json::to_string(standing)
        .map_err(|error| Error::format(path, Place::Whole, error.to_string()))?;
    let metadata = [
        (VERSION_KEY, VERSION.to_owned()),
        ("settings", identity.settings.to_string()),
        ("corpus", identity.fingerprint.clone()),
        ("standing", standing),
    ];
    safetensors::write(path, &tensors, &metadata)
}

/// A run that was written down: where it stands, and its tables.
#[derive(Debug)]
pub(crate) struct Resumed {
    pub(crate) standing: Standing,
    path: PathBuf,
    file: Vec<u8>,
    header: Header,
}

impl Resumed {
    /// The run of a file, if there is one, and of no other run than this.
    pub(crate) fn read(path: &Path, identity: &Identity) -> Result<Option<Self>> {
        let file = match std::fs::read(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, error)),
        };
        let header = Header::read(path, &file)?;
        let fail = |reason: &str| Err(Error::format(path, Place::Byte(8), reason));
        if header.metadata(VERSION_KEY) != Some(VERSION) {
            return fail("not a checkpoint of word vectors, or one of another version");
        }
        safetensors::check_checksum(path, &header, &file)?;
        let text = |name| header.metadata(name).unwrap_or("null");
        let settings = serde_json::from_str(text("settings")).unwrap_or(Value::Null);
        identity.check(path, &settings, text("corpus"))?;
        header.verify(path, &file)?;
        let standing = match serde_json::from_str(text("standing")) {
            Ok(standing) => standing,
            Err(error) => return fail(&format!("it does not say where its run stands: {error}")),
        };
        Ok(Some(Self { standing, path: path.to_owned(), file, header }))
    }

    /// The floats of a table, a row after the other.
    pub(crate) fn floats(&self, name: &str, shape: [usize; 2]) -> Result<&[[u8; 4]]> {
        let (found, range) = self.header.tensor(&self.path, name, Kind::F32, 2)?;
        if found != shape {
            let reason = "its matrices are not those of this run";
            return Err(Error::format(&self.path, Place::Byte(8), reason));
        }
        Ok(self.file[range].as_chunks::<4>().0)
    }
}
