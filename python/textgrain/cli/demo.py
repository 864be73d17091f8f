"""`textgrain demo`: the whole path from text to a map of words, on the built-in sample."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from textgrain import BPE, EmbeddingTable, Tokenizer, Word2Vec, WordVectors, sample_corpus
from textgrain._text import visible
from textgrain.cli.terminal import Terminal
from textgrain.exceptions import UnknownWordError

_SENTENCE = "Unexpectedly high inflation hurts borrowers' creditworthiness."
_WORDS = ("inflation", "workers", "monopoly", "exports", "bank")
_UNSEEN = "hyperinflationary"
_GROUPS = {
    "money": ["money", "currency", "dollar", "euro", "yen", "exchange", "bank", "reserves"],
    "people": [
        "workers",
        "households",
        "consumers",
        "buyers",
        "sellers",
        "investors",
        "employees",
        "families",
    ],
    "trade": ["exports", "imports", "tariffs", "trade", "deficit", "surplus", "abroad", "foreign"],
    "industry": ["firms", "firm", "monopoly", "competition", "industry", "profits", "costs", "entry"],
    "policy": ["taxes", "spending", "fiscal", "monetary", "government", "federal", "congress", "regulation"],
    "swings": [
        "recession",
        "inflation",
        "unemployment",
        "growth",
        "boom",
        "crisis",
        "depression",
        "recovery",
    ],
}


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "demo",
        parents=[common],
        help="train on the built-in sample and show every step",
        description="Trains a tokenizer and word vectors on 2.8 MB of textbook prose and shows each step.",
    )
    parser.add_argument(
        "--output",
        "-o",
        default="demo-output",
        metavar="DIR",
        help="where the files go (default: demo-output)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    show = _Show(terminal)
    directory = Path(options.output)
    directory.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    tokenizer = _tokenizer(show)
    _cuts(show, tokenizer)
    _numbers(show, tokenizer)
    vectors = _vectors(show)
    _neighbors(show, vectors, tokenizer)
    _files(show, tokenizer, vectors, directory)
    show.text(f"\nAll of it took {time.monotonic() - started:.0f} seconds.")
    _what_next(show, directory)


class _Show:
    """Writes the demo's headings and paragraphs."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._step = 0

    def heading(self, text: str) -> None:
        self._step += 1
        self.terminal.out()
        self.terminal.out(self.terminal.style(f"{self._step}. {text}", "bold"))

    def text(self, text: str) -> None:
        self.terminal.out(text)


def _tokenizer(show: _Show) -> Tokenizer:
    show.heading("A tokenizer learns its pieces from text")
    show.text(
        "The sample is 2.8 MB of economics textbooks. Byte-pair encoding starts with the 256 bytes and\n"
        "glues the most frequent pair of neighbors into a new token, again and again, up to 8,000 tokens."
    )
    trainer = BPE(vocab_size=8000, split="gpt4", special_tokens=("<end>",))
    tokenizer = trainer.train(sample_corpus(), progress=show.terminal.progress)
    history = tokenizer.history
    assert history is not None, "training always records its history"
    show.text("")
    show.text(history.table(8))
    ties = [record for record in history if record.tied_pairs > 1]
    show.text(
        f"\nTies happen: {len(ties):,} of {len(history):,} merges had a rival with the same total. The first:"
    )
    for record in ties[:2]:
        pair = f"{visible(record.left)} + {visible(record.right)}"
        show.text(f"  merge {record.rank}, total {record.total:,}: {pair}  ({record.reason()})")
    return tokenizer


def _cuts(show: _Show, tokenizer: Tokenizer) -> None:
    show.heading("One sentence, cut four ways")
    show.text(str(tokenizer.compare_cuts(_SENTENCE)))


def _numbers(show: _Show, tokenizer: Tokenizer) -> None:
    show.heading("Tokens become ids, ids become rows")
    encoding = tokenizer.encode("Inflation hurts.")
    table = EmbeddingTable(tokenizer.vocab_size, 4, seed=0)
    rows = [
        [
            visible(token),
            int(token_id),
            np.array2string(row, precision=3, suppress_small=True, floatmode="fixed"),
        ]
        for token, token_id, row in zip(encoding.tokens, encoding.ids, table.rows(encoding.ids), strict=True)
    ]
    show.terminal.table(["token", "id", "row of the (untrained) embedding table"], rows)
    show.text(
        f"Decoded again: {tokenizer.decode(encoding.ids)!r}. Nothing is lost, in any language or script."
    )


def _vectors(show: _Show) -> WordVectors:
    show.heading("Word vectors learn meaning from neighbors")
    show.text("Skip-gram with negative sampling reads the same text; each pass lowers the mean loss:")
    # The rate stays well above zero, so that the last passes still learn something to see.
    trainer = Word2Vec(epochs=8, lowercase=True, min_learning_rate=0.01)
    vectors = trainer.train(sample_corpus(), progress=show.terminal.progress)
    losses = vectors.history
    low, high = min(losses), max(losses)
    for number, loss in enumerate(losses, start=1):
        bar = "▇" * (4 + round(36 * (loss - low) / (high - low or 1.0)))
        show.text(f"  epoch {number:>2}  {loss:.4f}  {show.terminal.style(bar, 'cyan')}")
    return vectors


def _neighbors(show: _Show, vectors: WordVectors, tokenizer: Tokenizer) -> None:
    show.heading("Words used alike have come to lie side by side")
    for word in _WORDS:
        found = ", ".join(f"{neighbor} {score:.2f}" for neighbor, score in vectors.most_similar(word, n=5))
        show.text(f"  {word:<10} {found}")
    show.text(f"\nA word that the text never held, {_UNSEEN!r}:")
    pieces = " ".join(tokenizer.encode(_UNSEEN).tokens)
    show.text(f"  the tokenizer spells it with pieces that it knows:  {pieces}")
    try:
        vectors.most_similar(_UNSEEN)
    except UnknownWordError as error:
        show.text(f"  the word vectors say so:  {error}")


def _files(show: _Show, tokenizer: Tokenizer, vectors: WordVectors, directory: Path) -> None:
    show.heading("All of it is kept in files")
    tokenizer.save(directory / "tokenizer.json")
    vectors.save(directory / "vectors.safetensors")
    made = ["tokenizer.json", "vectors.safetensors"]
    try:
        groups = {name: [word for word in words if word in vectors] for name, words in _GROUPS.items()}
        vectors.plot(groups, path=directory / "map.png")
        made.append("map.png")
    except ImportError as error:
        show.terminal.note(str(error))
    for name in made:
        path = directory / name
        show.text(f"  {path}  ({path.stat().st_size / 1e6:.1f} MB)")


def _what_next(show: _Show, directory: Path) -> None:
    show.text(show.terminal.style("\nTry next:", "bold"))
    commands = (
        f'textgrain explain {directory}/tokenizer.json "disinflation"',
        f"textgrain similar {directory}/vectors.safetensors recession tariffs",
        f"textgrain analogy {directory}/vectors.safetensors buyer demand seller",
        "textgrain train bpe your-text.txt --vocab-size 16000 -o tokenizer.json",
        "textgrain train word2vec your-text.txt --lowercase -o vectors.safetensors",
    )
    for command in commands:
        show.text(f"  {command}")
