"""Words without a vector of their own: vectors from n-grams, or what else the caller wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from textgrain.exceptions import ParameterError, UnknownWordError
from textgrain.vectors.search import Search
from textgrain.word_explanation import ExplainedNgram, WordExplanation

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.vectors.lookup import Vector

    Exact: TypeAlias = npt.NDArray[np.float64]
    Unseen: TypeAlias = Literal["error", "subword", "zero", "skip"]

__all__ = ["UnseenWords"]

_POLICIES = ("error", "subword", "zero", "skip")


class UnseenWords(Search):
    """The methods of :class:`textgrain.WordVectors` for words outside the vocabulary."""

    __slots__ = ()

    def can_vectorize(self, word: str) -> bool:
        """Whether a word has a vector of its own, or n-grams that have one.

        ``word in vectors`` only says whether it has one of its own.

        Examples
        --------
        >>> ngrams = {"<wh": [1, 0], "her": [0, 2]}
        >>> vectors = tg.WordVectors.from_mapping({"where": [1, 2]}, ngrams=ngrams)
        >>> "whether" in vectors, vectors.can_vectorize("whether"), vectors.can_vectorize("xyz")
        (False, True, False)
        """
        subwords = self.subwords
        return word in self or (subwords is not None and subwords.vector(word) is not None)

    def vector(self, word: str, *, oov: Unseen | Sequence[Unseen] = "subword") -> Vector:
        """Return the vector of a word, as a read-only array.

        Parameters
        ----------
        word : str
            The word.
        oov : {"subword", "error", "zero"} or sequence of them
            What to do about a word outside the vocabulary: take its vector from its n-grams, raise an
            error, or return zeros. Of several the first that works is taken; when none does, it is an
            error.

        Raises
        ------
        UnknownWordError
            The word has no vector.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"where": [1, 2]}, ngrams={"<wh": [1, 0], "her": [0, 2]})
        >>> vectors.vector("whether").tolist(), vectors.vector("xyz", oov="zero").tolist()
        ([1.0, 2.0], [0.0, 0.0])
        """
        policies = _checked(oov, _POLICIES[:-1])
        vector = self._vector_of(word, policies)
        assert vector is not None, "only words to be skipped have none"
        return vector

    def lookup(self, words: Iterable[str], *, oov: Unseen | Sequence[Unseen] = "subword") -> Vector:
        """Return the vectors of words, one in each row.

        Parameters
        ----------
        words : iterable of str
            The words; one that occurs twice has two rows.
        oov : {"subword", "error", "zero", "skip"} or sequence of them
            As in :meth:`vector`; "skip" leaves the word out, so that there are fewer rows than words.

        Raises
        ------
        UnknownWordError
            A word has no vector.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"low": [1, 2], "high": [3, 4]})
        >>> vectors.lookup(["high", "unseen", "low"], oov="skip").tolist()
        [[3.0, 4.0], [1.0, 2.0]]
        """
        if isinstance(words, str):
            raise ParameterError(f"`words` must be a list of words, got the text {words!r}", "words")
        policies = _checked(oov, _POLICIES)
        found = [vector for word in words if (vector := self._vector_of(word, policies)) is not None]
        return np.stack(found) if found else np.zeros((0, self.vector_size), dtype=np.float32)

    def explain(self, word: str, *, n: int = 3) -> WordExplanation:
        """Return the parts that made up the vector of a word: its n-grams, and what each gives.

        Parameters
        ----------
        word : str
            The word, in the vocabulary or not.
        n : int
            How many neighbors to find for each part.

        Raises
        ------
        UnknownWordError
            The word has no vector.

        Examples
        --------
        >>> ngrams = {"<wh": [1, 0], "her": [0, 2]}
        >>> vectors = tg.WordVectors.from_mapping({"where": [1, 2]}, ngrams=ngrams)
        >>> [part.ngram for part in vectors.explain("whether").parts if part.known]
        ['<wh', 'her']
        """
        vector = self[word]
        parts = self._parts(word, vector)
        length = float(np.dot(vector.astype(np.float64), vector))
        return WordExplanation(
            word=word,
            in_vocabulary=word in self,
            vector=vector,
            parts=[
                ExplainedNgram(
                    ngram=ngram,
                    known=part is not None,
                    weight=float(np.dot(part, vector)) / length if part is not None and length > 0 else None,
                    neighbors=[] if part is None else self.most_similar(part.astype(np.float32), n=n),
                )
                for ngram, part in parts
            ],
        )

    def _parts(self, word: str, vector: Vector) -> list[tuple[str, Exact | None]]:
        """What each part adds to the vector, and the word itself where it has a row of its own."""
        subwords = self.subwords
        whole = vector.astype(np.float64)
        if subwords is None or (word in self and subwords.combine == "unit"):
            return [(word, whole)]
        row = self._native.row(word)
        # floret takes in the row of its first word only.
        has_row = (
            row == 0 if subwords.naming == "floret" else row is not None and subwords.naming == "fasttext"
        )
        parts = subwords.parts(word, others=int(has_row))
        if has_row:
            # What the n-grams leave over is what the row of the word itself gives.
            rest = whole - sum((part for _, part in parts if part is not None), np.zeros_like(whole))
            parts.insert(0, (word, rest))
        return parts

    def _vector_of(self, word: str, policies: Sequence[str]) -> Vector | None:
        row = self._native.row(word)
        if row is not None:
            own: Vector = self._native.vector(row)
            return own
        for policy in policies:
            if policy == "zero":
                zeros = np.zeros(self.vector_size, dtype=np.float32)
                zeros.setflags(write=False)
                return zeros
            if policy == "skip":
                return None
            if policy == "subword" and (vector := self._from_ngrams(word)) is not None:
                return vector
        raise UnknownWordError(self._unknown(word))


def _checked(oov: str | Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    policies = (oov,) if isinstance(oov, str) else tuple(oov)
    for policy in policies:
        if policy not in known:
            names = ", ".join(f'"{name}"' for name in known)
            raise ParameterError(f"`oov` must be one of {names}, or several of them, got {policy!r}", "oov")
    return policies
