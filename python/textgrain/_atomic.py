"""Files that are written whole or not at all, as the engine writes its own."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["writing"]


@contextlib.contextmanager
def writing(path: Path, mode: str = "wb", **settings: Any) -> Iterator[IO[Any]]:  # noqa: ANN401
    """Open a temporary file beside ``path``, which takes its place at the end; an error leaves nothing."""
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "the directory does not exist", str(path.parent))
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, mode, **settings) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # As a file that is opened in the ordinary way.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
