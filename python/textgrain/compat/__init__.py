"""Tokenizers with the methods of other libraries, for code that was written for those."""

from textgrain.compat.tiktoken import TiktokenEncoding

__all__ = ["TiktokenEncoding"]
