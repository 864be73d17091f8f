"""Textgrain turns text into numbers: tokenizers and word vectors trained on your own text."""

from textgrain.corpus import Corpus
from textgrain.cuts import CutComparison, parameter_count
from textgrain.encoding import Encoding
from textgrain.explanation import EncodingExplanation
from textgrain.history import MergeHistory, MergeRecord
from textgrain.tokenizer import Tokenizer
from textgrain.trainers import BPE, CharLevel, WordLevel

__all__ = [
    "BPE",
    "CharLevel",
    "Corpus",
    "CutComparison",
    "Encoding",
    "EncodingExplanation",
    "MergeHistory",
    "MergeRecord",
    "Tokenizer",
    "WordLevel",
    "parameter_count",
]
