"""`textgrain train`: a corpus goes in, a tokenizer or word vectors come out."""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Any

from textgrain import (
    BPE,
    CharLevel,
    Corpus,
    FastText,
    GloVe,
    IdFile,
    Phrases,
    PhraseTable,
    Tokenizer,
    Unigram,
    Word2Vec,
    WordLevel,
    WordPiece,
    WordVectors,
    _native,
)
from textgrain.cli.options import add_corpus_options, add_trainer_options, corpus_from, trainer_from
from textgrain.cli.terminal import Terminal
from textgrain.exceptions import DivergenceError, ParameterError

_TRAINERS: dict[str, tuple[type[Any], str, str]] = {
    "bpe": (BPE, "tokenizer.json", "a subword tokenizer by byte-pair encoding"),
    "wordpiece": (WordPiece, "tokenizer.json", "a subword tokenizer by WordPiece"),
    "unigram": (Unigram, "tokenizer.json", "a subword tokenizer by a unigram model"),
    "word-level": (WordLevel, "tokenizer.json", "a tokenizer of whole words"),
    "char-level": (CharLevel, "tokenizer.json", "a tokenizer of single characters"),
    "phrases": (Phrases, "phrases.json", "a table of phrases: pairs of words that belong together"),
    "word2vec": (Word2Vec, "vectors.safetensors", "word vectors by word2vec (skip-gram or CBOW)"),
    "fasttext": (FastText, "vectors.safetensors", "word vectors made of n-grams, for unseen words too"),
    "glove": (GloVe, "vectors.safetensors", "word vectors by GloVe, from counts of words near each other"),
}

# Trainers that cut documents into words.
_BY_WORD = (Phrases, Word2Vec, FastText, GloVe)

# Trainers that can cut them into the tokens of a tokenizer instead, or read their ids, and whose runs can be
# written down and started from vectors.
_OF_VECTORS = (Word2Vec, FastText, GloVe)


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser("train", help="train a tokenizer or word vectors on text files")
    kinds = parser.add_subparsers(metavar="method", required=True)
    for name, (trainer, output, text) in _TRAINERS.items():
        kind = kinds.add_parser(name, parents=[common], help=text, description=f"Trains {text}.")
        add_corpus_options(kind)
        kind.add_argument(
            "--output", "-o", default=output, metavar="FILE", help=f"where to write (default: {output})"
        )
        kind.add_argument(
            "--threads", type=int, metavar="N", help="threads to use (default: all of the machine)"
        )
        if trainer in _BY_WORD:
            kind.add_argument(
                "--phrases", metavar="FILE", help="join the phrases of this table to one word each"
            )
        if trainer in _OF_VECTORS:
            _add_run_options(kind)
            kind.add_argument(
                "--tokenizer",
                metavar="FILE",
                help="learn vectors of the tokens of this tokenizer, not of words",
            )
            kind.add_argument(
                "--ids",
                action="store_true",
                help="the file holds ids that `textgrain encode --output` wrote with this tokenizer",
            )
        add_trainer_options(kind.add_argument_group("settings"), trainer)
        kind.set_defaults(run=run, trainer=trainer)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--init-from", metavar="FILE", help="vectors to go on from, in any format; their words are kept"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="where to write the state of the run; a run that finds the file goes on from it",
    )
    parser.add_argument(
        "--checkpoint-minutes",
        type=float,
        default=10.0,
        metavar="X",
        help="how often it is written (default: 10)",
    )


def _save_last_good(vectors: WordVectors, options: argparse.Namespace) -> Path:
    """Write the vectors of a run that diverged beside where its result would be."""
    output = Path(options.output)
    path = output.with_name(f"{output.stem}-epoch{len(vectors.history)}{output.suffix}")
    vectors.save(path)
    return path


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    # Hours of training must not end at a directory that does not exist.
    _native.check_writable(options.output)
    trainer = trainer_from(options.trainer, options)
    if getattr(options, "tokenizer", None) is not None:
        trainer = dataclasses.replace(trainer, split=Tokenizer.load(options.tokenizer))
    if getattr(options, "phrases", None) is not None:
        trainer = dataclasses.replace(trainer, split=PhraseTable.load(options.phrases))
    started = time.monotonic()
    names = ("init_from", "checkpoint", "checkpoint_minutes") if options.trainer in _OF_VECTORS else ()
    extras = {name: getattr(options, name) for name in names}
    try:
        artifact = trainer.train(
            _source(options), threads=options.threads, progress=terminal.progress, **extras
        )
    except DivergenceError as error:
        if error.vectors is not None:
            terminal.note(
                f"the vectors of the last good epoch are in {_save_last_good(error.vectors, options)}"
            )
        raise
    artifact.save(options.output)
    seconds = time.monotonic() - started
    summary = _summary(artifact, Path(options.output), seconds)
    text = summary.pop("text")
    if options.json:
        terminal.out_json(summary)
    else:
        terminal.status(f"{text} in {seconds:.1f} s; written to {options.output}")


def _source(options: argparse.Namespace) -> Corpus | IdFile:
    if not getattr(options, "ids", False):
        return corpus_from(options)
    if len(options.corpus) > 1:
        given = len(options.corpus)
        raise ParameterError(f"`--ids` takes one file of ids, got {given}. Encode all text into one", "ids")
    return IdFile(options.corpus[0])


def _summary(
    artifact: Tokenizer | WordVectors | PhraseTable, output: Path, seconds: float
) -> dict[str, object]:
    facts: dict[str, object] = {
        "output": str(output),
        "bytes": output.stat().st_size,
        "seconds": round(seconds, 3),
    }
    if isinstance(artifact, WordVectors):
        losses = artifact.history
        words, size = artifact.matrix.shape
        facts |= {"words": words, "vector_size": size, "mean_loss_per_epoch": losses}
        notes = ("init_from", "held_out_loss_per_epoch")
        facts |= {name: artifact.settings[name] for name in notes if name in artifact.settings}
        text = f"{words:,} vectors of {size} numbers (mean loss {losses[0]:.3f} to {losses[-1]:.3f})"
    elif isinstance(artifact, PhraseTable):
        facts |= {"phrases": len(artifact), "settings": artifact.settings}
        text = f"{len(artifact):,} phrases"
    else:
        facts |= {"vocab_size": artifact.vocab_size, "settings": artifact.settings}
        text = f"{artifact.vocab_size:,} tokens"
    return facts | {"text": text}
