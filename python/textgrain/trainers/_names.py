"""Names of special tokens as trainers take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def listed_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; a bare string, whose letters would become names, is refused."""
    if isinstance(names, str):
        raise TypeError(
            f"special_tokens must be a sequence of names, got the string {names!r}; write [{names!r}]"
        )
    return tuple(names)
