"""Files that the caller names by an address: the only place of this package that opens a connection."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from textgrain._atomic import writing
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from textgrain.progress import Progress

__all__ = ["fetched"]

# Seconds without a byte after which the other side counts as gone.
_PATIENCE = 30.0
_AT_ONCE = 1 << 20
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_WAY_OUT = "Try again, or download the file in another way and give its path"


@contextlib.contextmanager
def fetched(address: str, keep: Path | None, progress: Progress | None) -> Iterator[Path]:
    """Yield the path of the file behind an address; it is deleted afterwards, unless ``keep`` names a place.

    A file that is in that place already is not fetched again.
    """
    _check(address)
    if keep is not None:
        if not keep.exists():
            with writing(keep) as file:
                _fetch(address, file, keep.parent, progress)
        yield keep
        return
    # Where a mapped file cannot be deleted, the system does so later.
    with tempfile.TemporaryDirectory(prefix="textgrain-", ignore_cleanup_errors=True) as directory:
        path = Path(directory) / (Path(unquote(urlsplit(address).path)).name or "file")
        with path.open("wb") as file:
            _fetch(address, file, path.parent, progress)
        yield path


def _check(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme.lower() != "https" and parts.hostname not in _THIS_MACHINE:
        raise ParameterError(
            f"`path` must begin with https://, got {address!r}: on another way anyone could change the file",
            "path",
        )


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows an address that was moved, by the same rule as the first."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        _check(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _fetch(address: str, file: IO[bytes], directory: Path, progress: Progress | None) -> None:
    request = urllib.request.Request(address, headers={"Accept-Encoding": "identity"})
    opener = urllib.request.build_opener(_Redirects)
    try:
        with opener.open(request, timeout=_PATIENCE) as answer:
            stated = answer.headers.get("Content-Length")
            total = int(stated) if stated is not None and stated.isdigit() else None
            room = shutil.disk_usage(directory).free
            if total is not None and total > room:
                message = f"{address} has {total:,} bytes, and {directory} has room for {room:,}"
                raise OSError(28, message)
            done = 0
            while part := answer.read(_AT_ONCE):
                file.write(part)
                done += len(part)
                if progress is not None:
                    progress("downloading", done, total, "bytes", [])
    except urllib.error.HTTPError as error:
        message = f"{address} was refused: {error.code} {error.reason}. Check the address"
        raise ConnectionError(message) from error
    except urllib.error.URLError as error:
        raise ConnectionError(f"{address} cannot be reached: {error.reason}. {_WAY_OUT}") from error
    except http.client.HTTPException as error:
        raise ConnectionError(f"{address} broke off: {error!r}. {_WAY_OUT}") from error
    except TimeoutError as error:
        message = f"{address} sent nothing for {_PATIENCE:.0f} seconds. {_WAY_OUT}"
        raise ConnectionError(message) from error
    if total is not None and done != total:
        raise ConnectionError(f"{address} broke off after {done:,} of {total:,} bytes. {_WAY_OUT}")
