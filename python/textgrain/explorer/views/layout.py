"""A map by UMAP, made in the background in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain._rows import unit_rows
from textgrain.explorer.session import Question

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.explorer.session import Session

__all__ = ["Layout", "installed", "points", "start", "state", "stop"]

#: Words on a map; more would take an hour.
MOST_POINTS = 200_000
#: Fewer have no neighborhoods.
FEWEST_POINTS = 5
#: Layouts that are kept; an older one is forgotten.
MOST_LAYOUTS = 8


def installed() -> bool:
    """Whether the library of the method is there, without loading it."""
    return importlib.util.find_spec("umap") is not None


@dataclass(eq=False)
class Layout:
    """One map in the making."""

    process: subprocess.Popen[bytes]
    status: str = "running"
    reason: str = ""
    news: dict[str, Any] = field(default_factory=lambda: {"stage": "starting", "done": 0, "total": 0})
    places: npt.NDArray[np.float32] | None = None

    def follow(self, rows: npt.NDArray[np.float32]) -> None:
        """Hand the points over, and read how it goes until the end."""
        complaints: list[bytes] = []
        with self.process as process:
            stderr = process.stderr
            assert stderr is not None
            # A library that complains at length must not be kept waiting for a reader.
            reader = threading.Thread(target=lambda: complaints.extend(stderr), daemon=True)
            reader.start()
            try:
                self._exchange(rows)
            except (OSError, ValueError) as error:
                self.reason = str(error)
            reader.join()
        if self.places is not None:
            self.status = "done"
        elif self.status == "running":
            said = b"".join(complaints).decode("utf-8", "replace").strip().splitlines()
            self.reason = said[-1] if said else self.reason or "UMAP ended without a map"
            self.status = "failed"

    def _exchange(self, rows: npt.NDArray[np.float32]) -> None:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({"shape": rows.shape, "seed": 1}).encode() + b"\n")
        stdin.write(rows.tobytes())
        stdin.close()
        for line in stdout:
            news = json.loads(line)
            if "places" in news:
                self.places = np.frombuffer(stdout.read(news["places"]), dtype="<f4")
                return
            self.news = news


def start(session: Session, vectors: str, words: int = 10_000) -> dict[str, Any]:
    """Begin a map of so many of the most frequent words."""
    if not installed():
        raise Question("UMAP needs umap-learn; install it with `pip install 'textgrain[umap]'`")
    chosen = session.vectors_of(vectors)
    if not FEWEST_POINTS <= min(words, len(chosen)) <= MOST_POINTS:
        raise Question(f"UMAP takes {FEWEST_POINTS} to {MOST_POINTS} words, got {min(words, len(chosen))}")
    if any(layout.status == "running" for layout in session.layouts.values()):
        raise Question("a map is being made; cancel it first")
    rows = chosen._rows(np.arange(min(words, len(chosen))))
    rows = unit_rows(rows)
    process = subprocess.Popen(
        [sys.executable, "-m", "textgrain.explorer.umap_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    layout = Layout(process)
    number = max(session.layouts, default=0) + 1
    session.layouts[number] = layout
    session.layouts.pop(number - MOST_LAYOUTS, None)
    threading.Thread(target=layout.follow, args=(rows,), name="textgrain map", daemon=True).start()
    return {"layout": number}


def _layout(session: Session, number: int) -> Layout:
    if number not in session.layouts:
        raise Question(f"there is no map {number}")
    return session.layouts[number]


def state(session: Session, layout: int) -> dict[str, Any]:
    """How far a map is."""
    watched = _layout(session, layout)
    return {"status": watched.status, "reason": watched.reason, **watched.news}


def points(session: Session, layout: int) -> npt.NDArray[np.float32]:
    """The places of a map that is done, two numbers for each word."""
    places = _layout(session, layout).places
    if places is None:
        raise Question("the map is not done")
    return places


def stop(session: Session, layout: int) -> dict[str, Any]:
    """End a map that is not done."""
    watched = _layout(session, layout)
    if watched.status == "running":
        watched.status = "stopped"
        watched.process.kill()
    return {"status": watched.status}
