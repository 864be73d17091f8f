"""How time and memory of training grow with the text and with the vocabulary.

Each training runs in a process of its own, on the first so many megabytes of a file with a document a line.
The text must be as long as the largest size: a text that is repeated has no new words, and words are what
costs.

    python -m benchmarks.growth english.txt --megabytes 25 50 100 200 --vocab-sizes 8000 32000 100000
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def train(path: Path, megabytes: float, vocab_size: int, split: str) -> dict[str, Any]:
    """Train in this process; seconds of processor time and of the clock, and the peak of memory."""
    import textgrain as tg

    part = _Part(path, megabytes)
    memory_before = _peak()
    counts = tg.PieceCounts.count(part, split=split, threads=1)
    counted, started = time.process_time(), time.perf_counter()
    tokenizer = tg.BPE(vocab_size=vocab_size, split=split).train(counts, threads=1)
    return {
        "megabytes": megabytes,
        "vocab_size": len(tokenizer),
        "pieces": len(counts),
        "count_seconds": counted,
        "merge_seconds": time.process_time() - counted,
        "wall_seconds": time.perf_counter() - started,
        "peak_mb": _peak(),
        "start_mb": memory_before,
        "last_total": tokenizer.history[-1].total,
    }


class _Part:
    """The first lines of a file, which are read anew each time."""

    def __init__(self, path: Path, megabytes: float) -> None:
        self._path, self._size = path, megabytes * 1e6

    def __iter__(self) -> Iterator[str]:
        size = 0
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                size += len(line.encode())
                if size > self._size:
                    return
                yield line.removesuffix("\n")
        if size < 0.97 * self._size:
            raise SystemExit(f"{self._path} holds only {size / 1e6:.0f} MB, not {self._size / 1e6:.0f}")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[25, 50, 100, 200])
    parser.add_argument("--vocab-sizes", type=int, nargs="+", default=[8_000, 32_000, 100_000])
    parser.add_argument("--split", default="gpt2")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each training")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, vocab_size = options.megabytes[0], options.vocab_sizes[0]
        print(json.dumps(train(options.file, size, vocab_size, options.split)))
        return
    if not options.json:
        print(
            "| MB | vocabulary | pieces | counting, s | merging, s | µs a piece | peak, MB |\n"
            + "| --: " * 7
            + "|"
        )
    for size, vocab_size in itertools.product(options.megabytes, options.vocab_sizes):
        command = [sys.executable, "-m", "benchmarks.growth", str(options.file), "--one"]
        command += ["--megabytes", str(size), "--vocab-sizes", str(vocab_size), "--split", options.split]
        done = subprocess.run(command, cwd=ROOT, env=os.environ, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        if options.json:
            print(json.dumps(row), flush=True)
            continue
        each = row["merge_seconds"] / row["pieces"] * 1e6
        print(
            f"| {size:.0f} | {row['vocab_size']:,} | {row['pieces']:,} | {row['count_seconds']:.1f} "
            f"| {row['merge_seconds']:.1f} | {each:.1f} | {row['peak_mb']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
