"""Training of WordPiece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textgrain.splitting import Normalizer, Split, split_spec
from textgrain.trainers._levels import train_level
from textgrain.trainers._names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus
    from textgrain.progress import Progress
    from textgrain.tokenizer import Tokenizer

__all__ = ["WordPiece"]


@dataclass(frozen=True, kw_only=True)
class WordPiece:
    """WordPiece: joins the neighbors that belong together most, and cuts words into the longest tokens.

    Of all pairs of neighboring tokens the one of the highest ``count / (count of the first * count of the
    second)`` becomes a token: the one that raises the likelihood of the corpus most each time it occurs. The
    trainer of that name in Hugging Face tokenizers joins the most frequent pair, which is byte-pair encoding
    with other marks; for that use :class:`BPE`.

    Parameters
    ----------
    vocab_size : int
        Size of the whole vocabulary, at most: characters that begin words, characters inside words, joined
        tokens, unknown and special tokens.
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
    min_frequency : int
        Pairs that occur less often are not joined. Rare pairs of rare characters score highest, so a higher
        value gives more useful tokens on a larger corpus.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for words with a character that the vocabulary does not have; with ``None`` they are an error.

    Notes
    -----
    A token that goes on with a word is written with ``##`` in front. Equal scores: the more frequent pair
    comes first, then the one with the smaller ids. Encoding takes the longest token that fits, again and
    again; a word of more than 100 characters is unknown as a whole, as with BERT. The method is that of
    Schuster and Nakajima (2012).

    Examples
    --------
    >>> import textgrain as tg
    >>> trainer = tg.WordPiece(vocab_size=24)
    >>> tokenizer = trainer.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> tokenizer.encode("hugs bugs").tokens
    ['hugs', 'bu', '##gs']
    """

    vocab_size: int
    split: Split = "words"
    normalizer: Normalizer | None = None
    min_frequency: int = 2
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = "[UNK]"

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Learn tokens from a corpus.

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
            A setting is out of range; a vocabulary smaller than the alphabet tells the size it needs.
        CorpusError
            There is nothing to train on.
        """
        return train_level(
            self,
            corpus,
            kind="word_piece",
            split=split_spec(self.split, self.normalizer),
            order="frequency",
            threads=threads,
            progress=progress,
        )
