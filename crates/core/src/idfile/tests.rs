use std::fs;
use std::path::{Path, PathBuf};

use super::partial::{EncodedBatch, PartialFile};
use super::*;
use crate::corpus::{DocumentRule, FileCorpus, InvalidUtf8, ReadReport};
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Silent};
use crate::split::{PieceCounts, Splitter};
use crate::tokenizer::levels::train_char_level;
use crate::tokenizer::{Frame, Kind as Model, LevelSettings, SpecialPolicy, Tokenizer, WordOrder};

/// Each of these characters is a token.
fn letters(characters: &str) -> Tokenizer {
    let settings = LevelSettings {
        kind: Model::CharLevel,
        vocab_size: None,
        splitter: Splitter::whole(),
        order: WordOrder::Frequency,
        min_frequency: 1,
        special_tokens: Vec::new(),
        unknown_token: None,
    };
    let counts = PieceCounts::from_counts([(characters, 1)]).unwrap();
    train_char_level(&counts, &settings, &mut Silent).unwrap()
}

const SETTINGS: IdFileSettings = IdFileSettings {
    policy: SpecialPolicy::Text,
    frame: Frame { start: None, end: Some(0) },
    resume: true,
};

fn run(
    tokenizer: &Tokenizer,
    text: &Path,
    path: &Path,
    settings: &IdFileSettings,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<ReadReport> {
    let paths = [text.to_owned()];
    let corpus = FileCorpus::from_patterns(&paths, DocumentRule::Lines, InvalidUtf8::Replace)?;
    encode(tokenizer, &mut corpus.open()?, path, settings, threads, observer)
}

fn files_in(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// A folder with a text of several batches.
fn folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("text");
    fs::write(&text, "abc\n\nb\n".repeat(350_000)).unwrap();
    let ids = directory.path().join("ids");
    (directory, text, ids)
}

/// Stops after so many looks.
struct StopsAfter(u32);

impl Observer for StopsAfter {
    fn observe(&mut self, _progress: &Progress) -> Result<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Err(Error::Cancelled) } else { Ok(()) }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let (text, path) = (directory.path().join("text"), directory.path().join("ids"));
    fs::write(&text, "abc\n\nbc").unwrap();
    let report = run(&letters("abc"), &text, &path, &SETTINGS, 2, &mut Silent).unwrap();
    assert_eq!((report.documents, report.bytes), (3, 7));
    let file = IdFile::open(&path).unwrap();
    assert_eq!((file.len(), file.documents(), file.text_bytes()), (8, 3, 7));
    assert_eq!((file.vocab_size(), file.layout()), (3, (2, HEADER_BYTES)));
    let mut ids = Vec::new();
    for number in 0..3 {
        file.read(file.document(number).unwrap(), &mut ids).unwrap();
        ids.push(9);
    }
    assert_eq!(ids, [0, 1, 2, 0, 9, 0, 9, 1, 2, 0, 9]);
    assert_eq!(file.document(3), None);
    file.read(7..9, &mut ids).unwrap_err();
    file.verify(&mut Silent).unwrap();
    assert_eq!(files_in(directory.path()), 2, "nothing else is left");
}

#[test]
fn large_vocabularies_get_32_bits() {
    let directory = tempfile::tempdir().unwrap();
    let (text, path) = (directory.path().join("text"), directory.path().join("ids"));
    let characters: String = ('\u{20}'..'\u{1_1000}').collect();
    fs::write(&text, "\u{10FFF}").unwrap();
    run(&letters(&characters), &text, &path, &SETTINGS, 1, &mut Silent).unwrap();
    let file = IdFile::open(&path).unwrap();
    let mut ids = Vec::new();
    file.read(0..2, &mut ids).unwrap();
    assert_eq!(ids[0] as usize, characters.chars().count() - 1);
    assert_eq!(file.layout().0, 4);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bytes() {
    let (directory, text, path) = folder();
    let tokenizer = letters("abc");
    run(&tokenizer, &text, &path, &SETTINGS, 1, &mut Silent).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let mut stopped = 0;
    for looks in (0..).map(|number| 1 << number) {
        // Each run gets a little further than the one before it.
        match run(&tokenizer, &text, &path, &SETTINGS, 3, &mut StopsAfter(looks)) {
            Err(Error::Cancelled) => stopped += 1,
            other => {
                other.unwrap();
                break;
            }
        }
        assert!(!path.exists());
    }
    assert!(stopped > 0);
    assert!(fs::read(&path).unwrap() == whole);
    assert_eq!(files_in(directory.path()), 2);
}

fn job() -> String {
    "job".to_owned()
}

/// Writes a batch as a run does that is killed at some point after it.
fn killed_after_a_batch(path: &Path, commit: bool) {
    let mut file = PartialFile::open(path, &job, Kind::U16, true).unwrap();
    let batch = |ids: &[u8]| EncodedBatch {
        ids: ids.to_vec(),
        ends: vec![ids.len() as u64 / 2],
        text: 7,
        report: ReadReport::default(),
    };
    file.append(batch(&[1, 0, 2, 0])).unwrap();
    if commit {
        file.commit().unwrap();
        file.append(batch(&[3, 0])).unwrap();
    }
}

#[test]
fn what_was_not_committed_is_cut_off() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ids");
    killed_after_a_batch(&path, false);
    assert_eq!(PartialFile::open(&path, &job, Kind::U16, true).unwrap().journal.batches, 0);
    killed_after_a_batch(&path, true);
    let file = PartialFile::open(&path, &job, Kind::U16, true).unwrap();
    assert_eq!((file.journal.batches, file.journal.ids, file.journal.documents), (1, 2, 1));
    file.finish(&[]).unwrap();
    let read = IdFile::open(&path).unwrap();
    read.verify(&mut Silent).unwrap();
    assert_eq!((read.len(), read.document(0)), (2, Some(0..2)));
    assert_eq!(files_in(directory.path()), 1);
}

#[test]
fn another_job_another_corpus_and_damage_are_refused() {
    let (directory, text, path) = folder();
    let tokenizer = letters("abc");
    let is_stopped = |looks| {
        let stopped = run(&tokenizer, &text, &path, &SETTINGS, 1, &mut StopsAfter(looks)).is_err();
        stopped && path.with_extension("partial-journal").exists()
    };
    if !(1..=6).rev().any(is_stopped) {
        // The machine was so fast that nothing was left to stop.
        return;
    }
    let message = |settings: &IdFileSettings, tokenizer: &Tokenizer| {
        run(tokenizer, &text, &path, settings, 1, &mut Silent).unwrap_err().to_string()
    };
    let other = IdFileSettings { frame: Frame::default(), ..SETTINGS };
    assert!(message(&other, &tokenizer).contains("other settings. Use resume=False"));
    assert!(message(&SETTINGS, &letters("abcd")).contains("another tokenizer"));
    fs::write(&text, "cba\n").unwrap();
    assert!(message(&SETTINGS, &tokenizer).contains("corpus is not the one"));
    fs::write(path.with_extension("partial"), "").unwrap();
    assert!(message(&SETTINGS, &tokenizer).contains("cut off"));
    fs::write(path.with_extension("partial-journal"), "{").unwrap();
    assert!(message(&SETTINGS, &tokenizer).contains("not a journal"));
    let anew = IdFileSettings { resume: false, ..SETTINGS };
    run(&tokenizer, &text, &path, &anew, 1, &mut Silent).unwrap();
    assert_eq!(IdFile::open(&path).unwrap().len(), 4);
    assert_eq!(files_in(directory.path()), 2);
}

#[test]
fn two_runs_do_not_write_the_same_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ids");
    let _first = PartialFile::open(&path, &job, Kind::U16, true).unwrap();
    let second = PartialFile::open(&path, &job, Kind::U16, true).map(drop).unwrap_err();
    assert!(second.to_string().contains("another run is writing"), "{second}");
}

#[test]
fn every_truncation_and_every_flipped_byte_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let (text, path) = (directory.path().join("text"), directory.path().join("ids"));
    fs::write(&text, "abc\nb").unwrap();
    run(&letters("abc"), &text, &path, &SETTINGS, 1, &mut Silent).unwrap();
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        IdFile::open(&path).unwrap_err();
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        let noticed = IdFile::open(&path).and_then(|file| file.verify(&mut Silent));
        assert!(noticed.is_err(), "{place}");
    }
}

#[test]
fn nothing_is_left_of_a_run_that_wrote_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (text, path) = (directory.path().join("text"), directory.path().join("ids"));
    fs::write(&text, "x").unwrap();
    run(&letters("abc"), &text, &path, &SETTINGS, 1, &mut Silent).unwrap_err();
    assert_eq!(files_in(directory.path()), 1);
}
