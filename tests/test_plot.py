"""Maps of words: files, groups, labels that keep clear of each other."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownWordError

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")]
)
def test_the_suffix_says_what_is_written(hospital_vectors, tmp_path, suffix, start):
    path = tmp_path / f"map{suffix}"
    hospital_vectors.plot(["doctor", "nurse", "car"], path)
    assert path.read_bytes().startswith(start)


def labels(figure):
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    return {text.get_text(): text.get_window_extent(renderer) for text in figure.axes[0].texts}


@pytest.mark.parametrize("style", ["light", "dark"])
def test_groups_get_a_legend_and_labels_do_not_overlap(hospital_vectors, hospital_groups, style):
    figure = hospital_vectors.plot(hospital_groups, style=style, title="Hospital")
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(hospital_groups)
    assert "% of the variance" in axes.get_xlabel()
    boxes = labels(figure)
    assert set(boxes) == {word for group in hospital_groups.values() for word in group}
    listed = list(boxes.values())
    covered = [(a, b) for place, a in enumerate(listed) for b in listed[:place] if a.overlaps(b)]
    assert covered == []
    colors = {tuple(points.get_facecolor()[0]) for points in axes.collections}
    assert len(colors) == 6


def test_without_words_the_most_frequent_are_drawn(hospital_vectors):
    assert len(labels(hospital_vectors.plot())) == 66


def test_a_crowd_still_gives_a_picture(tmp_path):
    random = np.random.default_rng(0)
    crowd = {f"word{row}": random.normal(size=4) for row in range(300)}
    tg.WordVectors.from_mapping(crowd).plot(list(crowd), tmp_path / "crowd.png")
    same = tg.WordVectors.from_mapping({f"w{row}": [1, 1] for row in range(5)})
    same.plot(path=tmp_path / "same.png")


def test_odd_words_are_drawn_as_they_are(tmp_path):
    names = ["$x$", "a_b", "line\nbreak", "\\", "100 %"]
    vectors = tg.WordVectors.from_mapping({name: [row, row**2] for row, name in enumerate(names)})
    vectors.plot(names, tmp_path / "odd.svg")


def test_what_cannot_be_drawn(hospital_vectors, tmp_path):
    with pytest.raises(ParameterError, match=r"must end in \.png, \.svg or \.pdf"):
        hospital_vectors.plot(["car", "bus"], tmp_path / "map.bmp")
    with pytest.raises(ParameterError, match='`style` must be "light" or "dark"'):
        hospital_vectors.plot(style="gray")
    with pytest.raises(ParameterError, match="the single word 'car'"):
        hospital_vectors.plot("car")
    with pytest.raises(ParameterError, match="at least 2"):
        hospital_vectors.plot([])
    with pytest.raises(UnknownWordError):
        hospital_vectors.plot(["car", "nothing"])


def test_words_with_their_neighbors(hospital_vectors, tmp_path):
    figure = hospital_vectors.plot(neighbors_of=["doctor", "car"], neighbors=4, path=tmp_path / "near.png")
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["doctor", "car"]
    near = {word for word, _ in hospital_vectors.most_similar("doctor", n=4)}
    assert {"doctor", "car", *near} <= set(labels(figure))
    assert len(labels(hospital_vectors.plot(neighbors_of="doctor", neighbors=4))) == 5
    with pytest.raises(ParameterError, match="must not be given together with `words`"):
        hospital_vectors.plot(["car", "bus"], neighbors_of="doctor")
    with pytest.raises(ParameterError, match="`neighbors` must be at least 1"):
        hospital_vectors.plot(neighbors_of="doctor", neighbors=0)


@pytest.mark.parametrize("method", ["tsne", "umap", "pacmap"])
def test_maps_of_other_libraries(hospital_vectors, method, monkeypatch):
    from textgrain import _maps

    module, package = _maps._LIBRARIES[method]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=rf"pip install {package}\. \"pca\" needs nothing"):
            hospital_vectors.plot(method=method)
    pytest.importorskip(module)
    first, again = (hospital_vectors.project(method=method, seed=3) for _ in range(2))
    assert first.explained is None
    assert first.coordinates.shape == (66, 2)
    assert np.allclose(first.coordinates, again.coordinates)
    with pytest.raises(ParameterError, match="at least 5 words"):
        hospital_vectors.project(["car", "bus"], method=method)


def test_unknown_methods_are_refused(hospital_vectors):
    with pytest.raises(ParameterError, match='`method` must be "pca", "tsne", "umap" or "pacmap"'):
        hospital_vectors.plot(method="mds")


def test_without_matplotlib_the_way_out_is_named(hospital_vectors, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'textgrain\[plot\]'"):
        hospital_vectors.plot()
