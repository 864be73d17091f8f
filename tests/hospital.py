"""The small corpus of hospital sentences, whose words fall into six groups."""

from __future__ import annotations

import numpy as np

GROUPS = {
    "staff": ["doctor", "physician", "nurse", "surgeon", "pediatrician"],
    "place": ["hospital", "clinic", "ward", "pharmacy", "laboratory"],
    "month": ["january", "march", "may", "july", "october", "december"],
    "number": ["two", "three", "four", "five", "seven", "ten"],
    "symptom": ["fever", "cough", "headache", "nausea", "dizziness"],
    "vehicle": ["car", "bus", "bicycle", "train", "taxi"],
}

_FILLS = {**GROUPS, "doc": ["doctor", "physician"]}

_TEMPLATES = [
    "the {staff} examined the patient at the {place}",
    "the {staff} works at the {place} since {month}",
    "the patient saw the {staff} because of {symptom}",
    "the patient had {symptom} for {number} days",
    "the appointment is in {month} at the {place}",
    "she came to the {place} by {vehicle} with {symptom}",
    "he waited {number} hours for the {staff}",
    "the {vehicle} left the {place} after {number} minutes",
    "in {month} the {staff} treated {number} patients with {symptom}",
    "the {staff} took the {vehicle} to the {place}",
    "the {doc} prescribed antibiotics for the {symptom}",
    "the {doc} signed the discharge report in {month}",
]


def sentences(count: int = 4000) -> list[str]:
    """Sentences in the order in which NumPy's generator with seed 0 draws them."""
    random = np.random.default_rng(0)
    drawn = []
    for _ in range(count):
        template = _TEMPLATES[random.integers(len(_TEMPLATES))]
        fills = {name: words[random.integers(len(words))] for name, words in _FILLS.items()}
        drawn.append(template.format(**fills))
    return drawn


def wrong_neighbors(vectors) -> list[tuple[str, str]]:
    """Pairs of a word and one of its 4 nearest that is not of its group; 128 are looked at."""
    return [
        (word, neighbor)
        for group in GROUPS.values()
        for word in group
        for neighbor, _ in vectors.most_similar(word, n=4)
        if neighbor not in group
    ]
