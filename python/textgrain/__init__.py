"""Textgrain turns text into numbers: tokenizers and word vectors trained on your own text."""

from textgrain import curves
from textgrain._native import build_info
from textgrain.alignment import Alignment, align
from textgrain.association import Association, association_test
from textgrain.corpus import Corpus
from textgrain.counts import PieceCounts
from textgrain.cuts import CutComparison
from textgrain.documents import DocumentVectors, cut_words
from textgrain.embedding_table import EmbeddingTable, parameter_count
from textgrain.encoding import Encoding
from textgrain.evaluation import neighbor_overlap, stability
from textgrain.explanation import EncodingExplanation
from textgrain.explorer import explore, export_html
from textgrain.export import TokenMatrix, export_numpy, export_parquet, export_projector, token_matrix
from textgrain.history import MergeHistory, MergeRecord
from textgrain.idfile import IdFile
from textgrain.index import VectorIndex
from textgrain.loss_history import LossHistory
from textgrain.meaning import MeaningChange, meaning_change
from textgrain.padding import PaddedBatch
from textgrain.phrases import Phrase, PhraseTable
from textgrain.processor import processor_level, processor_levels
from textgrain.quantization import QuantizationReport, Quantized
from textgrain.sample import sample_corpus
from textgrain.splitting import Regex, split_pieces
from textgrain.statistics import TokenizerComparison, TokenStatistics, compare_tokenizers
from textgrain.stream import DecodeStream
from textgrain.subwords import Subwords
from textgrain.template import TemplateEncoding
from textgrain.tokenizer import Tokenizer
from textgrain.trainers import (
    BPE,
    CharLevel,
    Cooccurrence,
    Epoch,
    FastText,
    GloVe,
    Phrases,
    Unigram,
    Word2Vec,
    WordLevel,
    WordPiece,
)
from textgrain.vectors import WordVectors
from textgrain.word_explanation import ExplainedNgram, WordExplanation

__all__ = [
    "BPE",
    "Alignment",
    "Association",
    "CharLevel",
    "Cooccurrence",
    "Corpus",
    "CutComparison",
    "DecodeStream",
    "DocumentVectors",
    "EmbeddingTable",
    "Encoding",
    "EncodingExplanation",
    "Epoch",
    "ExplainedNgram",
    "FastText",
    "GloVe",
    "IdFile",
    "LossHistory",
    "MeaningChange",
    "MergeHistory",
    "MergeRecord",
    "PaddedBatch",
    "Phrase",
    "PhraseTable",
    "Phrases",
    "PieceCounts",
    "QuantizationReport",
    "Quantized",
    "Regex",
    "Subwords",
    "TemplateEncoding",
    "TokenMatrix",
    "TokenStatistics",
    "Tokenizer",
    "TokenizerComparison",
    "Unigram",
    "VectorIndex",
    "Word2Vec",
    "WordExplanation",
    "WordLevel",
    "WordPiece",
    "WordVectors",
    "align",
    "association_test",
    "build_info",
    "compare_tokenizers",
    "curves",
    "cut_words",
    "explore",
    "export_html",
    "export_numpy",
    "export_parquet",
    "export_projector",
    "meaning_change",
    "neighbor_overlap",
    "parameter_count",
    "processor_level",
    "processor_levels",
    "sample_corpus",
    "split_pieces",
    "stability",
    "token_matrix",
]
