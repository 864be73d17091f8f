"""The pictures of the explorer in one file that needs neither a server nor a network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

from textgrain._atomic import writing
from textgrain.exceptions import ParameterError, TextgrainError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["export_html"]

STATIC = Path(__file__).parent / "static"
#: Characters of one text; the cuts of a longer one would make a file that is slow to open.
MOST_CHARACTERS = 100_000

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="textgrain {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript>The pictures are drawn with JavaScript, which is switched off in this browser.</noscript>
<script type="application/gzip" id="answers">{answers}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def export_html(
    path: str | os.PathLike[str],
    *artifacts: object,
    texts: str | Iterable[str] = (),
    words: int = 5_000,
    title: str = "Textgrain",
) -> Path:
    """Write the pictures of tokenizers and word vectors to one HTML file, and return its path.

    The file is the page of :func:`explore` with the answers written into it: it opens from anywhere,
    asks nothing of the network, and runs under a content security policy that allows only its own script.
    It shows the cuts of the texts, the merges of every token in them, the training of byte-pair encoding step
    by step, ids and rows, a map with true neighbors, and distances. What needs the engine (other texts,
    unseen words, analogies, training) is left to the explorer. Equal input gives equal bytes.

    Parameters
    ----------
    path : path-like
        Where the page is written.
    *artifacts : Tokenizer, WordVectors, or mapping of names to them
        What to show. A corpus is left out: the page holds none of its text.
    texts : str or iterable of str
        Texts whose cuts are shown, each of at most 100,000 characters; an example where none is given.
    words : int
        So many of the most frequent words are drawn on a map; their neighbors are found among all words.
    title : str
        Of the page.

    Raises
    ------
    ParameterError
        A text is too long, or ``words`` is below 2.
    TextgrainError
        The package was installed from sources without its page.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> tokenizer = tg.BPE(merges=10).train(["low lower lowest"])
    >>> page = tg.export_html("page.html", tokenizer, texts="the lowest of all")
    >>> 100_000 < page.stat().st_size < 400_000
    True
    """
    import textgrain
    from textgrain.explorer.recording import record
    from textgrain.explorer.session import Session
    from textgrain.explorer.views.tour import SENTENCE

    if words < 2:
        raise ParameterError(f"`words` must be at least 2, got {words}", "words")
    listed = list(dict.fromkeys([texts] if isinstance(texts, str) else texts)) or [SENTENCE]
    for text in listed:
        if len(text) > MOST_CHARACTERS:
            message = (
                f"a text of `texts` must have at most {MOST_CHARACTERS:,} characters, got {len(text):,}; "
                "show a part of it, or the whole with `textgrain.explore`"
            )
            raise ParameterError(message, "texts")
    style, script = _built("index.css"), _built("page.js")
    answers = json.dumps(
        record(Session.of(artifacts), listed, words), ensure_ascii=False, separators=(",", ":")
    )
    packed = gzip.compress(answers.encode("utf-8", "surrogatepass"), 9, mtime=0)
    page = _PAGE.format(
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'",
        version=dict(textgrain.build_info())["version"],
        title=html.escape(title),
        style=style,
        answers=base64.b64encode(packed).decode("ascii"),
        script=script,
    )
    target = Path(path)
    with writing(target, "w", encoding="utf-8", newline="\n") as file:
        file.write(page)
    return target


def _built(name: str) -> str:
    """A part of the page, as it may stand inside an element."""
    file = STATIC / "assets" / name
    if not file.exists():
        raise TextgrainError("the page was not built; run `make web` in the source tree")
    text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
    # In a string of a script the backslash changes nothing; it keeps the text from ending its element.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"
