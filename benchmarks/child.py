"""Runs one task with one engine in this process and prints one line of JSON."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path


def main() -> None:
    engine, task, corpus, threads, work = sys.argv[1:]
    module = importlib.import_module(f"benchmarks.engines.{engine}")
    seconds, facts = getattr(module, task)(Path(corpus), int(threads), Path(work))
    print(json.dumps({"version": module.VERSION, "seconds": seconds, "facts": facts}))


if __name__ == "__main__":
    main()
