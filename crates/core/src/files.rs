//! Files: written whole or not at all, and checked for writability before long work starts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Writes a file so that `path` holds either its old content or all of the new one.
///
/// The content goes to a temporary file in the same directory, is flushed to the disk, and takes the
/// place of `path` in one step. A link stays a link: the file that it leads to is replaced. A device or
/// a pipe, such as `/dev/stdout`, is written into.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<()> {
    let fail = |source| Error::io(path, source);
    if is_stream(path) {
        let stream = File::options().write(true).open(path).map_err(fail)?;
        let mut writer = BufWriter::with_capacity(1 << 20, &stream);
        return write(&mut writer).and_then(|()| writer.flush()).map_err(fail);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = temporary_beside(&target)?;
    let mut writer = BufWriter::with_capacity(1 << 20, temporary.as_file());
    write(&mut writer).map_err(fail)?;
    writer.flush().map_err(fail)?;
    drop(writer);
    temporary.as_file().sync_all().map_err(fail)?;
    copy_permissions(&target, temporary.as_file()).map_err(fail)?;
    temporary.persist(&target).map_err(|error| fail(error.error))?;
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
    if is_stream(path) {
        // Opening a pipe and closing it again would tell its reader that all is over.
        return Ok(());
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut temporary = temporary_beside(&target)?;
    // One block: a full disk accepts an empty file and refuses the first byte.
    temporary
        .write_all(&[0; 4096])
        .and_then(|()| temporary.flush())
        .map_err(|source| Error::io(path, source))
}

/// Whether something that is neither a file nor a directory stands there; renaming would replace it.
pub(crate) fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
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

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_what_is_no_file_is_never_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, |writer| writer.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        // A socket stands for devices, which a failing test must not put at risk.
        let socket = directory.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        check_writable(&socket).unwrap();
        write_atomically(&socket, |writer| writer.write_all(b"new")).unwrap_err();
        assert!(is_stream(&socket));
    }

    #[test]
    fn a_missing_directory_is_found_before_the_work() {
        let directory = tempfile::tempdir().unwrap();
        let error = check_writable(&directory.path().join("missing/a.txt")).unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
    }
}
