"""Textgrain turns text into numbers: tokenizers and word vectors trained on your own text."""

from textgrain.corpus import Corpus
from textgrain.embedding_table import EmbeddingTable, parameter_count
from textgrain.trainers.word2vec import Word2Vec
from textgrain.vectors import WordVectors

__all__ = ["Corpus", "EmbeddingTable", "Word2Vec", "WordVectors", "parameter_count"]
