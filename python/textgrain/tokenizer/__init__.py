"""Tokenizers: text to ids and back.

:class:`textgrain.Tokenizer` is one class; each file here holds the methods of one role.
"""

from textgrain.tokenizer.tokenizer import Tokenizer
from textgrain.tokenizer.vocabulary import SpecialPolicy

__all__ = ["SpecialPolicy", "Tokenizer"]
