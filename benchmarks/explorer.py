"""How long the explorer takes in a browser without a graphics card: first paint, many points, much text.

    python benchmarks/explorer.py --points 1000000 --rounds 3

Needs Node, the packages of `web/` and Chromium, as `make test-browser` does. Each figure is the median of the
rounds, with the slowest behind it; bars are what the page promises. Processor time, of server and browser
together, tells more than the clock where the machine has other work.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

import numpy as np

import textgrain as tg

WEB = Path(__file__).parents[1] / "web"
#: What is measured, where it stands in the answer of the browser, and the bar in milliseconds.
MEASURED = [
    ("first paint", "paint", "paint", 1000),
    ("page can be used", "paint", "ready", None),
    ("processor time for it", "paint", "work", None),
    ("all points drawn", "map", "drawn", 5000),
    ("processor time for it", "map", "work", None),
    ("a frame while the map moves", "map", "frame", None),
    ("a megabyte of text is cut", "paste", "cut", None),
    ("longest pause while it is pasted", "paste", "pasting", None),
    ("longest pause while it is scrolled", "paste", "scrolling", None),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=50, help="numbers in a vector")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    matrix = np.random.default_rng(1).normal(size=(options.points, options.size)).astype(np.float32)
    vectors = tg.WordVectors.from_mapping({f"word{row}": numbers for row, numbers in enumerate(matrix)})
    tokenizer = tg.BPE(vocab_size=4000).train(tg.sample_corpus())
    with tg.explore(tokenizer, vectors, open_browser=False) as explorer:
        node = shutil.which("node") or "node"
        environment = os.environ | {"CHROMIUM": shutil.which(os.environ.get("CHROMIUM", "chromium")) or ""}
        done = subprocess.run(
            [node, "benchmarks/measure.mjs", explorer.url, str(options.rounds), str(os.getpid())],
            cwd=WEB,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    found = json.loads(done.stdout)
    if options.json:
        print(json.dumps({"points": options.points, "rounds": found}))
        return
    print(f"{options.points:,} vectors of {options.size} numbers, {options.rounds} rounds")
    print(f"{'':36} {'median':>9} {'slowest':>9}   bar")
    for name, view, field, bar in MEASURED:
        times = [each[field] for each in found[view]]
        verdict = "" if bar is None else f"{bar:,} ms: {'kept' if max(times) <= bar else 'MISSED'}"
        print(f"{name:36} {statistics.median(times):6,.0f} ms {max(times):6,.0f} ms   {verdict}")


if __name__ == "__main__":
    main()
