"""Training of byte-pair encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import Corpus, as_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve
from textgrain.splitting import Normalizer, Split, split_spec
from textgrain.tokenizer import Tokenizer
from textgrain.trainers._names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BPE"]


@dataclass(frozen=True, kw_only=True)
class BPE:
    """Byte-pair encoding: the most frequent pair of neighboring tokens becomes a new token, again and again.

    Training is exact, and gives the same tokenizer for any number of threads.

    Parameters
    ----------
    vocab_size : int, optional
        Size of the whole vocabulary: alphabet, merged tokens, unknown and special tokens. Set this or
        `merges`.
    merges : int, optional
        Number of merges to make.
    split : str, Regex, mapping or sequence of them
        How documents are cut into pieces, which no token reaches across. ``"gpt2"``, ``"gpt4"``, ``"o200k"``,
        ``"llama3"``, ``"qwen2"`` and ``"deepseek"`` are published patterns and keep all white space;
        ``"whitespace"`` and ``"words"`` drop it; ``"metaspace"`` begins a piece at each space; ``"digits"``
        and ``"punctuation"`` cut at these; ``"none"`` does not cut. Also a :class:`Regex`, a pre-tokenizer as
        Hugging Face tokenizers writes it in a file, or several of these, each cutting the pieces of the one
        before.
    normalizer : str, mapping or sequence of them, optional
        What changes a text before it is cut, in training and in encoding: ``"nfc"``, ``"nfd"``, ``"nfkc"``,
        ``"nfkd"``, ``"lowercase"``, ``"strip_accents"``, ``"nmt"``, ``"bert"``, a normalizer as Hugging Face
        tokenizers writes it in a file, or several in a row. Nothing is changed by default, because what is
        changed cannot be decoded back.
    symbols : {"bytes", "characters"}
        What pieces start as. With bytes, every text can be encoded.
    end_of_word : str, optional
        A marker, such as ``"</w>"``, that is appended to each piece as a symbol of its own.
    space_prefix : bool
        A word keeps the space in front of it, so that joined tokens are the text; for
        ``split="whitespace"`` and ``"words"``.
    tie_break : {"first", "lowest-ids"}
        Among pairs with the same total, the one that occurs first in the corpus as it is cut by then, or
        the one with the smallest ids, which gives the merges of Hugging Face tokenizers.
    min_frequency : int
        Pairs that occur less often are not merged.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for characters that the alphabet does not have; without one they are an error. Only
        ``symbols="characters"`` needs it.

    Notes
    -----
    Ids: the alphabet in the order of code points (all 256 bytes for bytes), the marker, merged tokens in
    the order in which they were made, the unknown token, special tokens. The method is that of Sennrich,
    Haddow and Birch (2016).

    Examples
    --------
    >>> import textgrain as tg
    >>> trainer = tg.BPE(merges=3, split="whitespace", symbols="characters", end_of_word="</w>")
    >>> tokenizer = trainer.train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> tokenizer.encode("lowest").tokens
    ['l', 'o', 'w', 'est</w>']
    """

    vocab_size: int | None = None
    merges: int | None = None
    split: Split = "gpt2"
    normalizer: Normalizer | None = None
    symbols: Literal["bytes", "characters"] = "bytes"
    end_of_word: str | None = None
    space_prefix: bool = False
    tie_break: Literal["first", "lowest-ids"] = "first"
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Learn merges from a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, or mapping of words to counts
            Each word of a mapping is one piece; `split` is not applied to it.
        threads : int, optional
            Threads that count pieces; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is out of range; a vocabulary smaller than the alphabet tells the size it needs.
        CorpusError
            There is nothing to train on.
        """
        native, report = _native.train_bpe(
            as_corpus(corpus)._native,
            vocab_size=self.vocab_size,
            merges=self.merges,
            split=split_spec(self.split, self.normalizer),
            symbols=self.symbols,
            end_of_word=self.end_of_word,
            space_prefix=self.space_prefix,
            tie_break=self.tie_break,
            min_frequency=self.min_frequency,
            special_tokens=list(self.special_tokens),
            unknown_token=self.unknown_token,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return Tokenizer(native)
