"""Word vectors: looked up, compared, searched, drawn, saved and loaded.

:class:`textgrain.WordVectors` is one class; each file here holds the methods of one role.
"""

from textgrain.vectors.word_vectors import WordVectors

__all__ = ["WordVectors"]
