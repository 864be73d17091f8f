"""Small corpora to learn from: words with their counts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, kw_only=True)
class Example:
    """A corpus for a lesson, and how to train on it."""

    name: str
    words: dict[str, int]
    merges: int
    end_of_word: str = ""


EXAMPLES = (
    Example(
        name="Twelve words in two languages",
        merges=18,
        words={
            "love": 11, "LLM": 12, "LLMs": 3, "aime": 6, "les": 14, "grand": 6, "grands": 3, "modèle": 12,
            "modèles": 2, "I": 4, "J": 2, "’": 3,
        },
    ),
    Example(
        name="Four words, with a mark at the end",
        merges=10,
        end_of_word="</w>",
        words={"low": 5, "lower": 2, "newest": 6, "widest": 3},
    ),
    Example(
        name="Forty medical words",
        merges=80,
        end_of_word="_",
        words={
            "hypertension": 30, "hypotension": 18, "hyperglycemia": 22, "hypoglycemia": 20, "glycemia": 8,
            "hyperthermia": 10, "hypothermia": 12, "tachycardia": 15, "bradycardia": 12, "cardiology": 20,
            "cardiologist": 14, "neurology": 16, "neurologist": 12, "dermatology": 14, "dermatologist": 10,
            "fibrillation": 16, "defibrillator": 8, "defibrillation": 6, "patient": 60, "patients": 40,
            "treatment": 30, "the": 120, "of": 60, "and": 60, "with": 40, "pain": 30, "chest": 20,
            "fever": 25, "dose": 20, "doses": 10, "insulin": 15, "test": 25, "tests": 15, "monitor": 20,
            "ventilator": 12, "doctor": 40, "indicator": 8, "dehydration": 12, "decompensation": 6,
            "detection": 10,
        },
    ),
)  # fmt: skip
