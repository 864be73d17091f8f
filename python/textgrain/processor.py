"""Which instructions of the processor the engine uses.

One build runs everywhere: it has its loops several times, for each level of processor, and takes the highest
that this one has. ``TEXTGRAIN_SIMD`` in the environment, read when textgrain is imported, keeps it to a lower
one, so that machines of several kinds give the same bytes.
"""

from __future__ import annotations

from textgrain import _native

__all__ = ["processor_level", "processor_levels"]


def processor_level() -> str:
    """The level in use: ``"portable"``, ``"neon"``, ``"avx2"`` or ``"avx512"``.

    Ids, merges and counts are the same on every level. Vectors agree within rounding, and to the bit only
    when they were trained on one level.

    Examples
    --------
    >>> import textgrain as tg
    >>> tg.processor_level() in tg.processor_levels()
    True
    """
    return _native.processor_level()


def processor_levels() -> list[str]:
    """All levels that this processor has, lowest first: the values that ``TEXTGRAIN_SIMD`` may have here.

    Examples
    --------
    >>> import textgrain as tg
    >>> tg.processor_levels()[0]
    'portable'
    """
    return _native.processor_levels()
