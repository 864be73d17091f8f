"""UMAP in the background: how it goes, how it ends, and what is said where it cannot be."""

import time

import numpy as np
import pytest

import textgrain as tg
from textgrain.explorer.session import Session
from textgrain.explorer.views import layout, overview

#: Stands for the library: says how far it is as the library does, and doubles two columns.
FAKE = """
import time

class UMAP:
    def __init__(self, tqdm_kwds, **settings):
        self.file = tqdm_kwds["file"]
        assert settings["random_state"] == 1

    def fit_transform(self, rows):
        print("a line that nobody asked for")
        for done in range({rounds}):
            self.file.write("\\r")
            self.file.write(f"{{done}}/{rounds}")
            time.sleep({pause})
        {end}
"""


@pytest.fixture
def session():
    numbers = np.random.default_rng(3).normal(size=(60, 4)).astype(np.float32)
    vectors = tg.WordVectors.from_mapping({f"word{number}": row for number, row in enumerate(numbers)})
    found = Session.of([vectors])
    yield found
    found.close()


@pytest.fixture
def library(tmp_path, monkeypatch):
    def install(rounds=3, pause=0, end="return 2 * rows[:, :2]"):
        (tmp_path / "umap.py").write_text(FAKE.format(rounds=rounds, pause=pause, end=end), "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return install


def end_of(session, number):
    seen = []
    for _ in range(3000):
        state = layout.state(session, number)
        seen.append(state)
        if state["status"] != "running":
            return seen
        time.sleep(0.01)
    pytest.fail("the map does not end")


def test_a_map_is_made_of_unit_vectors_in_the_order_of_the_words(session, library):
    library()
    assert overview.overview(session)["umap"]
    number = layout.start(session, "vectors", 50)["layout"]
    assert end_of(session, number)[-1]["status"] == "done"
    matrix = session.vectors["vectors"].matrix[:50]
    unit = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True))[:, :2] * 2
    expected = (unit - unit.mean(axis=0)).ravel()
    np.testing.assert_allclose(layout.points(session, number), expected, atol=1e-5)


def test_a_map_tells_how_far_it_is_and_can_be_ended(session, library):
    library(rounds=10_000, pause=0.01)
    number = layout.start(session, "vectors")["layout"]
    for _ in range(3000):
        state = layout.state(session, number)
        if state["done"] > 2:
            break
        time.sleep(0.01)
    assert (state["stage"], state["total"]) == ("arranging", 10_000)
    with pytest.raises(ValueError, match="cancel it first"):
        layout.start(session, "vectors")
    with pytest.raises(ValueError, match="not done"):
        layout.points(session, number)
    assert layout.stop(session, number) == {"status": "stopped"}
    assert session.layouts[number].process.wait(10) != 0
    assert end_of(session, number)[-1]["status"] == "stopped"


def test_a_map_that_fails_says_why(session, library):
    library(end="raise RuntimeError('no memory for this')")
    number = layout.start(session, "vectors")["layout"]
    state = end_of(session, number)[-1]
    assert (state["status"], state["reason"]) == ("failed", "RuntimeError: no memory for this")


def test_what_cannot_be_mapped_is_refused(session, library, monkeypatch):
    with pytest.raises(ValueError, match="no map 7"):
        layout.state(session, 7)
    monkeypatch.setattr(layout, "installed", lambda: False)
    with pytest.raises(ValueError, match=r"pip install 'textgrain\[umap\]'"):
        layout.start(session, "vectors")
    monkeypatch.undo()
    library()
    with pytest.raises(ValueError, match="UMAP takes 5 to 200000 words, got 4"):
        layout.start(session, "vectors", 4)


@pytest.mark.peer
@pytest.mark.timeout(300)
def test_the_library_itself(session):
    pytest.importorskip("umap", reason="the umap extra is not installed")
    number = layout.start(session, "vectors")["layout"]
    for _ in range(25):
        if layout.state(session, number)["status"] != "running":
            break
        time.sleep(10)
    assert layout.state(session, number)["status"] == "done"
    assert len(layout.points(session, number)) == 120
