"""A small corpus with known groups of words, made from templates.

Real text is no test of whether word vectors came out right: nobody knows the right answer. Here we do. Each
sentence is a template with gaps, such as ``the {staff} works at the {place}``, and each gap is filled from
a group of words that are used alike. A trainer that works must find these groups again.

Examples
--------
>>> groups = {"staff": ["doctor", "nurse"], "place": ["ward", "clinic"]}
>>> make_sentences(groups, ["the {staff} left the {place}"], number=2)
[['the', 'nurse', 'left', 'the', 'clinic'], ['the', 'nurse', 'left', 'the', 'ward']]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["make_sentences"]


def make_sentences(
    groups: Mapping[str, Sequence[str]], templates: Sequence[str], number: int = 4000, seed: int = 0
) -> list[list[str]]:
    """Sentences as lists of words.

    For each sentence one number is drawn for the template, then one for every group in turn, whether the
    template has a gap for it or not.
    """
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(number):
        template = templates[int(random.integers(len(templates)))]
        fillings = {name: members[int(random.integers(len(members)))] for name, members in groups.items()}
        sentences.append(template.format_map(fillings).split())
    return sentences
