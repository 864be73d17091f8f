"""Trainers: settings and one method, ``train``, which returns a new immutable artifact."""

from textgrain.trainers._runs import Epoch, OnEpoch
from textgrain.trainers.bpe import BPE
from textgrain.trainers.char_level import CharLevel
from textgrain.trainers.fasttext import FastText
from textgrain.trainers.glove import Cooccurrence, GloVe
from textgrain.trainers.phrases import Phrases
from textgrain.trainers.unigram import Unigram
from textgrain.trainers.word2vec import Word2Vec
from textgrain.trainers.word_level import WordLevel
from textgrain.trainers.word_piece import WordPiece

__all__ = [
    "BPE",
    "CharLevel",
    "Cooccurrence",
    "Epoch",
    "FastText",
    "GloVe",
    "OnEpoch",
    "Phrases",
    "Unigram",
    "Word2Vec",
    "WordLevel",
    "WordPiece",
]
