"""Textgrain turns text into numbers: tokenizers and word vectors trained on your own text."""

from textgrain._native import build_info
from textgrain.corpus import Corpus
from textgrain.counts import PieceCounts
from textgrain.cuts import CutComparison
from textgrain.embedding_table import EmbeddingTable, parameter_count
from textgrain.encoding import Encoding
from textgrain.explanation import EncodingExplanation
from textgrain.history import MergeHistory, MergeRecord
from textgrain.sample import sample_corpus
from textgrain.splitting import Regex, split_pieces
from textgrain.subwords import Subwords
from textgrain.tokenizer import Tokenizer
from textgrain.trainers import (
    BPE,
    CharLevel,
    Cooccurrence,
    Epoch,
    GloVe,
    Unigram,
    Word2Vec,
    WordLevel,
    WordPiece,
)
from textgrain.vectors import WordVectors
from textgrain.word_explanation import ExplainedNgram, WordExplanation

__all__ = [
    "BPE",
    "CharLevel",
    "Cooccurrence",
    "Corpus",
    "CutComparison",
    "EmbeddingTable",
    "Encoding",
    "EncodingExplanation",
    "Epoch",
    "ExplainedNgram",
    "GloVe",
    "MergeHistory",
    "MergeRecord",
    "PieceCounts",
    "Regex",
    "Subwords",
    "Tokenizer",
    "Unigram",
    "Word2Vec",
    "WordExplanation",
    "WordLevel",
    "WordPiece",
    "WordVectors",
    "build_info",
    "parameter_count",
    "sample_corpus",
    "split_pieces",
]
