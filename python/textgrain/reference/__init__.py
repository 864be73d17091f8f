"""Readable twins of the algorithms in the engine.

Each module here explains one algorithm and is meant to be read: plain Python and NumPy, no tricks. The
engine does the same faster; property tests hold the two to the same results. Start with
:mod:`textgrain.reference.bpe`, and then open the function of the same name in ``crates/core/src/bpe/``.

* :mod:`~textgrain.reference.splits`: how a document is cut into pieces
* :mod:`~textgrain.reference.bpe`: how subwords are learned and applied
* :mod:`~textgrain.reference.bpe_by_rank`: how they are applied without walking the whole list
* :mod:`~textgrain.reference.bpe_model`: what that starts from and leaves behind
* :mod:`~textgrain.reference.bpe_options`: how the caller may have a say in what is learned
* :mod:`~textgrain.reference.unigram`: how text is cut into the most probable tokens
* :mod:`~textgrain.reference.unigram_training`: how such tokens and their probabilities are learned
* :mod:`~textgrain.reference.word2vec`: how vectors are learned from neighbours in the text
* :mod:`~textgrain.reference.negative_sampling`: the loss that they are learned with, and its derivatives
* :mod:`~textgrain.reference.hierarchical_softmax`: another loss, by turns in a tree of words
* :mod:`~textgrain.reference.window_by_window`: skip-gram and CBOW in the order of the engine
* :mod:`~textgrain.reference.gradient_check`: how one makes sure that a derivative is right
* :mod:`~textgrain.reference.glove`: how vectors are fitted to a table of co-occurrences
* :mod:`~textgrain.reference.ngrams`: how an unseen word gets a vector
* :mod:`~textgrain.reference.fasttext`: how the rows of n-grams are learned
* :mod:`~textgrain.reference.similarity`: how near two vectors are
* :mod:`~textgrain.reference.document_vectors`: how a sentence gets a vector from its words
* :mod:`~textgrain.reference.product_quantization`: how a vector becomes a few bytes
* :mod:`~textgrain.reference.hospital`: a corpus for which the right answer is known
"""

__all__ = [
    "bpe",
    "bpe_by_rank",
    "bpe_model",
    "bpe_options",
    "document_vectors",
    "fasttext",
    "glove",
    "gradient_check",
    "hierarchical_softmax",
    "hospital",
    "negative_sampling",
    "ngrams",
    "product_quantization",
    "similarity",
    "splits",
    "unigram",
    "unigram_training",
    "window_by_window",
    "word2vec",
]

from textgrain.reference import (
    bpe,
    bpe_by_rank,
    bpe_model,
    bpe_options,
    document_vectors,
    fasttext,
    glove,
    gradient_check,
    hierarchical_softmax,
    hospital,
    negative_sampling,
    ngrams,
    product_quantization,
    similarity,
    splits,
    unigram,
    unigram_training,
    window_by_window,
    word2vec,
)
