"""Names of tokens as trainers take them."""

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


def listed_pairs(setting: str, pairs: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    """Return pairs of tokens as a tuple; what is not a pair of two texts is refused."""
    listed = []
    for pair in pairs:
        sides = () if isinstance(pair, str) else tuple(pair)
        if len(sides) != 2 or not all(isinstance(side, str) for side in sides):
            raise TypeError(f"{setting} must be a sequence of pairs such as ('t', 'h'), got {pair!r}")
        listed.append((sides[0], sides[1]))
    return tuple(listed)
