"""`textgrain explore`: a local page that shows how text becomes numbers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from textgrain import BPE, Corpus, Word2Vec, WordVectors, sample_corpus
from textgrain.cli.inspect import is_tokenizer
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import open_tokenizer
from textgrain.explorer import explore, export_html

#: The models that are trained where none is named: large enough to be worth a look, ready in seconds.
SAMPLE_TOKENS = 4000


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "explore",
        parents=[common],
        help="see how text becomes numbers, on a local page",
        description="Opens a page in the browser that shows tokenizers and word vectors at work. Only this "
        "machine can reach it, and only with the token in its address. Without files it shows models that "
        "are trained at once on the built-in sample.",
    )
    parser.add_argument("files", nargs="*", help="tokenizers and vectors files, of any format that is read")
    parser.add_argument("--corpus", nargs="+", default=[], metavar="FILE", help="text files to learn from")
    parser.add_argument(
        "--folder", action="append", default=[], metavar="FOLDER", help="where the page may read and save"
    )
    parser.add_argument("--port", type=int, default=0, help="of the server (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument(
        "--export", metavar="PAGE.html", help="write the pictures to one file instead, and start nothing"
    )
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text whose cuts the exported page shows",
    )
    parser.add_argument(
        "--words",
        type=int,
        default=argparse.SUPPRESS,
        help="most frequent words on the exported map (default: 5000)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    shown: dict[str, object] = {}
    for file in options.files:
        path = Path(file)
        artifact = open_tokenizer(file, None) if is_tokenizer(path) else WordVectors.load(path)
        shown[_name(path, shown)] = artifact
    if options.corpus:
        shown["corpus"] = Corpus.from_files(*options.corpus)
    if not options.files:
        terminal.status("no model was named: training on the built-in sample")
        sample = sample_corpus()
        shown["sample tokenizer"] = BPE(vocab_size=SAMPLE_TOKENS).train(sample)
        shown["sample vectors"] = Word2Vec(
            vector_size=50, min_count=3, subsample=0, shrink_window=False
        ).train(sample)
    if options.export:
        _export(options, terminal, shown)
        return
    explorer = explore(shown, folders=options.folder, port=options.port, open_browser=not options.no_browser)
    if options.json:
        terminal.out_json({"url": explorer.url})
    else:
        terminal.out(explorer.url)
    terminal.status("Ctrl-C stops it")
    explorer.wait()


def _export(options: argparse.Namespace, terminal: Terminal, shown: dict[str, object]) -> None:
    chosen = {"words": options.words} if "words" in options else {}
    page = export_html(options.export, shown, texts=options.text, **chosen)
    size = page.stat().st_size
    if options.json:
        terminal.out_json({"path": str(page), "bytes": size})
    else:
        terminal.out(f"{page}: {size / 1e6:.1f} MB, opens in any browser without a network")


def _name(path: Path, taken: dict[str, object]) -> str:
    """The name of the file without its endings; with them where two would be the same."""
    short = path.name.split(".")[0] or path.name
    if short in ("tokenizer", "vectors") and path.resolve().parent.name:
        short = f"{path.resolve().parent.name}/{short}"
    return short if short not in taken else str(path)
