"""Checks that every trainer, tokenizer and set of vectors must pass.

A class that follows the contract of this package can be put where one of its own stands. The contract is
these checks: call them from a test of your own class, with a small corpus or a few texts. Each check raises
an :class:`AssertionError` that says what was expected and what was found.

Examples
--------
>>> import textgrain as tg
>>> from textgrain.testing import check_tokenizer, check_trainer
>>> trainer = tg.BPE(merges=5, split="words", symbols="characters")
>>> check_trainer(trainer, ["low lower lowest", "new newer newest"])
>>> check_tokenizer(trainer.train(["low lower lowest"]), ["slower", "w"])
"""

from __future__ import annotations

from textgrain.testing.interruption import check_interruption
from textgrain.testing.tokenizers import check_tokenizer
from textgrain.testing.trainers import check_trainer
from textgrain.testing.vectors import check_vectors

__all__ = ["check_interruption", "check_tokenizer", "check_trainer", "check_vectors"]
