"""Corpora for the benchmarks: how documents lie in a file, and texts that can be made anywhere.

A text file holds one document a line. A file whose name ends in `.docs` holds documents of several lines,
with the character U+001E between them.

    python -m benchmarks.corpora code code.docs --megabytes 10
    python -m benchmarks.corpora new-words new-words.txt --megabytes 10
    python -m benchmarks.corpora endless endless.txt --megabytes 1000
    python -m benchmarks.corpora languages languages.txt --megabytes 10
"""

from __future__ import annotations

import argparse
import random
import string
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

SEPARATOR = "\x1e"
CODE_DOCUMENT = 4096


def documents(path: Path) -> list[str]:
    parts = path.read_text(encoding="utf-8").split(_end_of_document(path))
    return parts[:-1] if parts[-1] == "" else parts


def write(path: Path, documents: Iterable[str]) -> None:
    end = _end_of_document(path)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{document}{end}" for document in documents)


def _end_of_document(path: Path) -> str:
    return SEPARATOR if path.suffix == ".docs" else "\n"


def new_words(megabytes: float, seed: int = 1) -> Iterator[str]:
    """Lines of random lower-case words of 6 to 13 letters: hardly any comes twice."""
    random_numbers, size = random.Random(seed), 0
    while size < megabytes * 1e6:
        words = (
            "".join(random_numbers.choices(string.ascii_lowercase, k=random_numbers.randint(6, 13)))
            for _ in range(40)
        )
        line = " ".join(words)
        size += len(line) + 1
        yield line


#: Of syllables words are made; 40 of them make words about as long as those of English.
SYLLABLES = [first + second for first in "bdklmnst" for second in "aeiou"]
WORDS_A_LINE = 60


def endless(megabytes: float, seed: int = 1) -> Iterator[str]:
    """Lines of words as frequent as in a language (Zipf), so that new ones keep coming."""
    random_numbers, size = np.random.default_rng(seed), 0
    while size < megabytes * 1e6:
        ranks = random_numbers.zipf(1.4, WORDS_A_LINE * 4096)
        different, places = np.unique(ranks, return_inverse=True)
        words = np.array([_word(rank) for rank in different.tolist()], dtype=object)[places]
        for line in words.reshape(-1, WORDS_A_LINE).tolist():
            text = " ".join(line)
            size += len(text) + 1
            yield text


def _word(rank: int) -> str:
    """Each rank has a word of its own, and the frequent ones are short."""
    syllables = []
    while rank > 0:
        rank, syllable = divmod(rank - 1, len(SYLLABLES))
        syllables.append(SYLLABLES[syllable])
    return "".join(syllables)


#: The letters of some of the world's scripts: first and last code point, letters in a word, what ends a word.
SCRIPTS = (
    ("a", "z", 5, " "),
    ("à", "ö", 6, " "),
    ("α", "ω", 7, " "),
    ("а", "я", 7, " "),
    ("א", "ת", 5, " "),
    ("ب", "ي", 5, " "),
    ("अ", "ह", 5, " "),
    ("অ", "হ", 5, " "),
    ("அ", "ஹ", 8, " "),
    ("ก", "ฮ", 30, " "),
    ("가", "깋", 3, " "),
    ("ぁ", "ん", 12, "、"),
    ("一", "仿", 12, "，"),
)


def languages(megabytes: float, seed: int = 1) -> Iterator[str]:
    """Lines of words as frequent as in a language, each line in the script of another one."""
    random_numbers, size = np.random.default_rng(seed), 0
    while size < megabytes * 1e6:
        for first, last, length, end in SCRIPTS:
            letters = [chr(code) for code in range(ord(first), ord(last) + 1)]
            ranks = random_numbers.zipf(1.3, 25) % 100_000
            words = [_spelled(int(rank), letters, length) for rank in ranks]
            text = end.join(words) + (". " if end == " " else "。")
            size += len(text.encode()) + 1
            yield text


def _spelled(rank: int, letters: list[str], length: int) -> str:
    """The word of a rank, of about this many letters."""
    draw = random.Random(rank)
    return "".join(draw.choices(letters, k=draw.randint(1, 2 * length - 1)))


def code(megabytes: float) -> Iterator[str]:
    """Documents of about 4 KB from the sources of Python's own library and the C headers of the system."""
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [*library.rglob("*.py"), *Path("/usr/include").rglob("*.h")]
    random.Random(1).shuffle(files)
    size = 0
    for file in files:
        try:
            text = file.read_text(encoding="utf-8").replace(SEPARATOR, " ")
        except (OSError, UnicodeDecodeError):
            continue
        for start in range(0, len(text), CODE_DOCUMENT):
            document = text[start : start + CODE_DOCUMENT]
            size += len(document.encode())
            yield document
            if size >= megabytes * 1e6:
                return


KINDS = {"code": code, "endless": endless, "languages": languages, "new-words": new_words}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=10)
    options = parser.parse_args()
    if (options.kind == "code") != (options.path.suffix == ".docs"):
        parser.error("code, whose documents have several lines, goes to a .docs file, and nothing else does")
    write(options.path, KINDS[options.kind](options.megabytes))


if __name__ == "__main__":
    main()
