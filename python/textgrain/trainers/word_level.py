"""Vocabularies of whole words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain.splitting import Normalizer, Split, split_spec
from textgrain.trainers._levels import train_level
from textgrain.trainers._names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus
    from textgrain.progress import Progress
    from textgrain.tokenizer import Tokenizer

__all__ = ["WordLevel"]


@dataclass(frozen=True, kw_only=True)
class WordLevel:
    """One token for each word.

    Parameters
    ----------
    vocab_size : int, optional
        Size of the whole vocabulary, unknown and special tokens included; the most frequent words stay.
    split : str, Regex, mapping or sequence of them
        How documents are cut into pieces, which no token reaches across. ``"gpt2"``, ``"gpt4"``, ``"o200k"``,
        ``"llama3"``, ``"qwen2"`` and ``"deepseek"`` are published patterns and keep all white space;
        ``"whitespace"`` and ``"words"`` drop it; ``"metaspace"`` begins a piece at each space; ``"digits"``
        and ``"punctuation"`` cut at these; ``"script"`` begins a piece where the script changes (what scripts
        share, such as spaces and digits, stays with what is before it); ``"none"`` does not cut. Also a
        :class:`Regex`, a pre-tokenizer as Hugging Face tokenizers writes it in a file, or several of these,
        each cutting the pieces of the one before.
    normalizer : str, mapping or sequence of them, optional
        What changes a text before it is cut, in training and in encoding: ``"nfc"``, ``"nfd"``, ``"nfkc"``,
        ``"nfkd"``, ``"lowercase"``, ``"strip_accents"``, ``"nmt"``, ``"bert"``, a normalizer as Hugging Face
        tokenizers writes it in a file, or several in a row. Nothing is changed by default, because what is
        changed cannot be decoded back.
    order : {"frequency", "alphabetical"}
        Ids by falling count, equals in order of first appearance; or by code points.
    min_frequency : int
        Words that occur less often are left out.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for words that are not in the vocabulary; with ``None`` they are an error.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.WordLevel(order="alphabetical").train(["the patient has a critical condition"])
    >>> tokenizer.encode("the patient has a critical condition").ids.tolist()
    [5, 4, 3, 0, 2, 1]
    >>> tokenizer.encode("the doctor").tokens
    ['the', '<unk>']
    """

    vocab_size: int | None = None
    split: Split = "words"
    normalizer: Normalizer | None = None
    order: Literal["frequency", "alphabetical"] = "frequency"
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = "<unk>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Collect the words of a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, or mapping of words to counts
            Each word of a mapping is one word; `split` is not applied to it.
        threads : int, optional
            Threads that count words; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is out of range.
        CorpusError
            There is nothing to train on.
        """
        return train_level(
            self,
            corpus,
            kind="word_level",
            split=split_spec(self.split, self.normalizer),
            order=self.order,
            threads=threads,
            progress=progress,
        )
