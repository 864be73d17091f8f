//! Files: written whole or not at all, and checked for writability before long work starts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Writes a file so that `path` holds either its old content or all of the new one.
///
/// The content goes to a temporary file in the same directory, is flushed to the disk, and takes the
/// place of `path` in one step.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<()> {
    let fail = |source| Error::io(path, source);
    let temporary = temporary_beside(path)?;
    let mut writer = BufWriter::with_capacity(1 << 20, temporary.as_file());
    write(&mut writer).map_err(fail)?;
    writer.flush().map_err(fail)?;
    drop(writer);
    temporary.as_file().sync_all().map_err(fail)?;
    copy_permissions(path, temporary.as_file()).map_err(fail)?;
    temporary.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Fails now if a file could not be written to `path` later.
///
/// Long training runs call this first, so that hours of work are not lost to a missing directory.
pub fn check_writable(path: &Path) -> Result<()> {
    if path.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a file");
        return Err(Error::io(path, source));
    }
    let mut temporary = temporary_beside(path)?;
    // One block: a full disk accepts an empty file and refuses the first byte.
    temporary
        .write_all(&[0; 4096])
        .and_then(|()| temporary.flush())
        .map_err(|source| Error::io(path, source))
}

fn temporary_beside(path: &Path) -> Result<NamedTempFile> {
    let directory = directory_of(path);
    if !directory.is_dir() {
        let source = io::Error::new(
            io::ErrorKind::NotFound,
            "the directory does not exist; create it first",
        );
        return Err(Error::io(&directory, source));
    }
    NamedTempFile::with_prefix_in(".textgrain-", &directory)
        .map_err(|source| Error::io(path, source))
}

fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Temporary files are private to their owner; a finished file gets the permissions of the one it
/// replaces, or those that a newly made file would have.
#[cfg(unix)]
fn copy_permissions(path: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match fs::metadata(path) {
        Ok(metadata) => metadata.permissions().mode(),
        Err(_) => 0o644,
    };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn copy_permissions(_path: &Path, _file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let failed = write_atomically(&path, |writer| {
            writer.write_all(b"new")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_missing_directory_is_found_before_the_work() {
        let directory = tempfile::tempdir().unwrap();
        let error = check_writable(&directory.path().join("missing/a.txt")).unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
    }
}
