"""Checks that hold for whatever training returns."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_copies", "check_immutable", "expect", "file_bytes"]


def check_immutable(artifact: Any) -> None:  # noqa: ANN401
    """Check that nothing of an artifact can be changed from outside."""
    expect((AttributeError, TypeError), setattr, artifact, "a_name_that_nobody_uses", 1)
    for name in _public_attributes(artifact):
        value = getattr(artifact, name)
        expect((AttributeError, TypeError), setattr, artifact, name, value)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, f"the array `{name}` must be read-only"
        elif isinstance(value, (list, dict)):
            kept = copy.deepcopy(value)
            value.clear()
            assert getattr(artifact, name) == kept, f"`{name}` gives away its own {type(value).__name__}"


def check_copies(artifact: Any) -> list[Any]:  # noqa: ANN401
    """Check that files, pickles and copies hold all of an artifact, and return one of each."""
    expected = file_bytes(artifact)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "artifact with ünusual name")
        artifact.save(path)
        artifact.save(str(path))  # over itself
        assert [entry.name for entry in path.parent.iterdir()] == [path.name], "other files were left behind"
        loaded = type(artifact).load(path)
        assert file_bytes(loaded) == expected, "saving, loading and saving gave another file"
    pickled = pickle.loads(pickle.dumps(artifact))
    twins = [loaded, pickled, copy.copy(artifact), copy.deepcopy(artifact)]
    for twin in twins:
        assert file_bytes(twin) == expected, "a copy of the artifact gave another file"
    return twins


def _public_attributes(artifact: object) -> list[str]:
    names = [name for name in dir(type(artifact)) if not name.startswith("_")]
    return [name for name in names if not callable(getattr(type(artifact), name))]


def file_bytes(artifact: Any) -> bytes:  # noqa: ANN401
    """Save an artifact and read the file back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "artifact")
        artifact.save(path)
        return path.read_bytes()


def expect(
    kinds: type[BaseException] | tuple[type[BaseException], ...],
    call: Callable[..., object],
    *arguments: Any,  # noqa: ANN401
    **named: Any,  # noqa: ANN401
) -> BaseException:
    """Call, and return the exception; anything else is a failed check."""
    names = kinds.__name__ if isinstance(kinds, type) else " or ".join(kind.__name__ for kind in kinds)
    try:
        result = call(*arguments, **named)
    except kinds as error:
        return error
    except Exception as error:
        raise AssertionError(f"expected {names}, got {type(error).__name__}: {error}") from error
    raise AssertionError(f"expected {names}, got the result {result!r}")
