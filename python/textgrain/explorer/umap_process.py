"""UMAP in a process of its own, which can be ended at any moment.

Standard input holds a line of JSON with the shape of the points and a seed, then the points; standard output
gets a line of JSON for each stage and round, and at the end one with the length of the places, then these.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

from textgrain._maps import map_by_library

__all__ = ["main"]


def main() -> None:
    """Read points, write places."""
    header = json.loads(sys.stdin.buffer.readline())
    points = np.frombuffer(sys.stdin.buffer.read(), dtype="<f4").reshape(header["shape"])
    output = sys.stdout.buffer
    # What the library prints must not come between the lines.
    sys.stdout = sys.stderr

    def say(**news: Any) -> None:  # noqa: ANN401 - JSON
        output.write(json.dumps(news).encode() + b"\n")
        output.flush()

    say(stage="finding neighbors", done=0, total=0)
    warnings.simplefilter("ignore")
    places = map_by_library(
        points.astype(np.float64),
        "umap",
        2,
        header["seed"],
        lambda done, total: say(stage="arranging", done=done, total=total),
    )
    content = places.astype("<f4").tobytes()
    say(places=len(content))
    output.write(content)


if __name__ == "__main__":
    main()
