"""Textgrain turns text into numbers: tokenizers and word vectors trained on your own text."""

from textgrain.corpus import Corpus

__all__ = ["Corpus"]
