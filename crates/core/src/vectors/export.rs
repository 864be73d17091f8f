//! Vectors in the files of other programs.

use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use rustc_hash::FxHashSet;

use super::{WordVectors, file};
use crate::corpus::resolve_threads;
use crate::error::{Error, Result};
use crate::files;
use crate::formats::{vector_binary, vector_text};
use crate::observe::{Observer, Pacer, Progress};

/// A format of vectors files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// This project's own, which also holds counts, settings and history.
    Safetensors,
    /// A header, then a word and its decimal numbers on each line; also known as .vec.
    Word2vecText,
    /// A header, then each word and its floats as bytes.
    Word2vecBinary,
    /// A word and its decimal numbers on each line.
    GloveText,
    /// A model of fastText, which also holds counts and n-grams.
    FastText,
}

impl Format {
    const ALL: [Self; 5] = [
        Self::Safetensors,
        Self::Word2vecText,
        Self::Word2vecBinary,
        Self::GloveText,
        Self::FastText,
    ];

    /// The format of this name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(|format| format!("{:?}", format.name())).join(", ");
            Error::parameter("format", format!("must be one of {names}"), format!("{name:?}"))
        })
    }

    /// The name as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Word2vecText => "word2vec-text",
            Self::Word2vecBinary => "word2vec-binary",
            Self::GloveText => "glove-text",
            Self::FastText => "fasttext",
        }
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub struct Saving<'a> {
    /// Whose file it becomes.
    pub format: Format,
    /// What is written in place of white space in words, for formats that cannot hold it.
    pub spaces: Option<&'a str>,
    /// Whether the copy of the matrix is kept that lets the first query read a quarter of the memory.
    pub sketch: bool,
}

impl WordVectors {
    /// Writes a file in any format, whole or not at all.
    ///
    /// The formats of other programs are compressed where the name of the file ends in .gz or .zst, and
    /// cannot hold words with white space: such words are refused, or written with `spaces` in place
    /// of each such character. Only this project's format holds a sketch.
    pub fn save_as(
        &self,
        path: &Path,
        Saving { format, spaces, sketch }: Saving<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let compression = Compression::named_by(path);
        if let Some(other) =
            self.stored().or((format != Format::Safetensors).then(|| format.name()))
            && sketch
        {
            let rule = "must only be given for floats in the format \"safetensors\"";
            return Err(Error::parameter("sketch", rule, format!("it with {other:?}")));
        }
        if format == Format::Safetensors {
            if compression != Compression::None {
                let rule = "must not end in .gz or .zst in this format, which is read in place";
                return Err(Error::parameter("path", rule, path.display()));
            }
            let threads = resolve_threads(None);
            let sketch = sketch.then(|| self.sketch_to_keep(threads, observer)).transpose()?;
            return file::write(self, path, sketch);
        }
        let replace = spaces.unwrap_or_default();
        self.check_words(format, spaces)?;
        let model = match format {
            Format::FastText => Some(self.as_fasttext()?),
            _ => None,
        };
        let mut pacer = Pacer::new(observer);
        let mut stopped = None;
        let written = files::write_atomically(path, |writer| {
            let mut write = |writer: &mut dyn Write| {
                let writing = &mut Writing { pacer: &mut pacer, stopped: &mut stopped };
                match &model {
                    Some(model) => self.write_fasttext(writer, model, replace, writing),
                    None => self.write_rows(writer, format, replace, writing),
                }
            };
            match compression {
                Compression::None => write(writer),
                Compression::Gzip => {
                    let mut encoder = GzEncoder::new(writer, flate2::Compression::default());
                    write(&mut encoder).and_then(|()| encoder.finish().map(drop))
                }
                Compression::Zstandard => {
                    let mut encoder = zstd::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                    write(&mut encoder).and_then(|()| encoder.finish().map(drop))
                }
            }
        });
        stopped.map_or(written, Err)
    }

    fn write_rows(
        &self,
        writer: &mut dyn Write,
        format: Format,
        replace: &str,
        writing: &mut Writing<'_, '_>,
    ) -> io::Result<()> {
        if format != Format::GloveText {
            vector_text::write_header(writer, self.len(), self.size)?;
        }
        for (row, word) in self.words.iter().enumerate() {
            writing.look(row, self.len(), "words")?;
            let word = without_spaces(word, replace);
            match format {
                Format::Word2vecBinary => vector_binary::write_row(writer, &word, &self.row(row))?,
                _ => vector_text::write_row(writer, &word, &self.row(row))?,
            }
        }
        Ok(())
    }

    /// Finds words that a reader of the file could not tell from two words, or from another word.
    fn check_words(&self, format: Format, spaces: Option<&str>) -> Result<()> {
        if let Some(replacement) = spaces
            && (replacement.is_empty() || replacement.contains(is_space))
        {
            let rule = "must be text without white space";
            return Err(Error::parameter("spaces", rule, format!("{replacement:?}")));
        }
        let mut changed = FxHashSet::default();
        for word in self.words.iter() {
            let has_spaces = word.contains(is_space);
            if word.is_empty() || (has_spaces && spaces.is_none()) {
                let rule = format!("cannot hold a word that is empty or has white space: {word:?}");
                let error = Error::parameter("format", rule, format!("{:?}", format.name()));
                return Err(error.with_hint(
                    "Write such words with `spaces=\"_\"`, or use \"safetensors\", which holds any word",
                ));
            }
            if has_spaces {
                let written = without_spaces(word, spaces.unwrap_or_default());
                if self.words.row(&written).is_some() || !changed.insert(written.clone()) {
                    let rule =
                        format!("must leave words distinct, but {word:?} would become {written:?}");
                    let value = format!("{:?}", spaces.unwrap_or_default());
                    return Err(Error::parameter("spaces", rule, value));
                }
            }
        }
        Ok(())
    }
}

/// Progress of a file that is being written.
pub(super) struct Writing<'a, 'observer> {
    pacer: &'a mut Pacer<'observer>,
    /// What the observer answered when it wanted no more.
    stopped: &'a mut Option<Error>,
}

impl Writing<'_, '_> {
    /// Tells the observer, and fails where it wants no more.
    pub(super) fn look(&mut self, done: usize, total: usize, unit: &'static str) -> io::Result<()> {
        let progress = || Progress::new("writing vectors", done as u64, Some(total as u64), unit);
        self.pacer.tick(progress).map_err(|error| {
            *self.stopped = Some(error);
            io::Error::other("stopped")
        })
    }
}

/// The white space that ends a word for the programs that read these files.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C')
}

pub(super) fn without_spaces(word: &str, replacement: &str) -> String {
    word.replace(is_space, replacement)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstandard,
}

impl Compression {
    fn named_by(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstandard,
            _ => Self::None,
        }
    }
}
