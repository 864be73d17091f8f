"""`textgrain extend`: a tokenizer and new text go in, a larger tokenizer comes out."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import _native
from textgrain.cli.options import add_corpus_options, corpus_from
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, add_tokenizer_argument, open_tokenizer


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "extend",
        parents=[common],
        help="add merges or special tokens; ids stay",
        description="Learns further merges for a tokenizer from new text. Ids that there are stay, new ones "
        "come after them.",
    )
    add_tokenizer_argument(parser)
    add_corpus_options(parser)
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="where to write the new one")
    parser.add_argument("--vocab-size", type=int, metavar="N", help="the size of vocabulary to reach")
    parser.add_argument("--merges", type=int, metavar="N", help="the number of merges to add")
    parser.add_argument("--min-frequency", type=int, default=1, metavar="N", help="of a pair (default: 1)")
    parser.add_argument(
        "--special-tokens", nargs="*", default=[], metavar="TEXT", help="special tokens to add"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all)")
    add_split_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _native.check_writable(options.output)
    old = open_tokenizer(options.tokenizer, options.split)
    new = old.extend(
        corpus_from(options),
        vocab_size=options.vocab_size,
        merges=options.merges,
        min_frequency=options.min_frequency,
        threads=options.threads,
        progress=terminal.progress,
    ).add_special_tokens(options.special_tokens)
    new.save(options.output)
    facts = {"output": options.output, "vocab_size": len(new), "added": len(new) - len(old)}
    if options.json:
        terminal.out_json(facts)
    else:
        terminal.status(f"{len(new):,} tokens, {facts['added']:,} of them new; written to {options.output}")
