"""Tokenizers with the methods of other libraries, for code that was written for those."""

from textgrain.compat.huggingface import HuggingFaceTokenizer
from textgrain.compat.huggingface_encoding import HuggingFaceEncoding
from textgrain.compat.tiktoken import TiktokenEncoding

__all__ = ["HuggingFaceEncoding", "HuggingFaceTokenizer", "TiktokenEncoding"]
