"""Pictures of figures: what is drawn is what was measured."""

import numpy as np
import pytest

import textgrain as tg
from textgrain import curves
from textgrain.exceptions import ParameterError

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(vocab_size=300).train(["the low lower lowest tower"] * 3)


def points_of(line):
    return [list(map(float, values)) for values in line.get_data()]


@pytest.mark.parametrize("style", ["light", "dark"])
def test_losses(hospital_vectors, tmp_path, style):
    figure = curves.plot_loss(hospital_vectors, tmp_path / "loss.svg", style=style)
    [line] = figure.axes[0].lines
    assert points_of(line) == [[1, 2, 3, 4, 5], hospital_vectors.history]
    assert figure.axes[0].get_legend() is None
    assert (tmp_path / "loss.svg").read_bytes().startswith(b"<?xml")
    several = curves.plot_loss({"one": hospital_vectors, "other": [3.0, 2.0, 1.5]})
    assert [text.get_text() for text in several.axes[0].get_legend().get_texts()] == ["one", "other"]
    for nothing in (tg.WordVectors.from_mapping({"a": [1]}), {}, {"a": []}):
        with pytest.raises(ParameterError, match="at least one loss"):
            curves.plot_loss(nothing)


def test_merges(tokenizer, tmp_path):
    figure = curves.plot_merges(tokenizer, tmp_path / "merges.png")
    [line] = figure.axes[0].lines
    assert points_of(line)[1] == [record.total for record in tokenizer.history]
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")
    with pytest.raises(ParameterError, match="must have a history"):
        curves.plot_merges({"none": tg.CharLevel().train(["abc"])})


def test_lengths_of_tokens(tokenizer, tmp_path):
    figure = curves.plot_token_lengths(tokenizer, tmp_path / "lengths.pdf")
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    expected = np.bincount([len(token) for token in tokenizer.vocabulary])[1:]
    assert heights == expected.tolist()
    long = tg.WordLevel().train(["a " + "b" * 40])
    ticks = curves.plot_token_lengths({"a": tokenizer, "b": long}).axes[0].get_xticklabels()
    assert ticks[-1].get_text() == ">24"
    with pytest.raises(ParameterError, match="at least one tokenizer"):
        curves.plot_token_lengths({})


def test_distances(hospital_vectors, tmp_path):
    figure = curves.plot_concentration(hospital_vectors, tmp_path / "far.png", style="dark")
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["2 dimensions, random", "16 dimensions, random", "16 dimensions, these vectors"]
    for line in figure.axes[0].lines:
        across, up = points_of(line)
        assert sum(up) * (across[1] - across[0]) == pytest.approx(1, abs=0.02)
    with pytest.raises(ParameterError, match="at least 3"):
        curves.plot_concentration(hospital_vectors, points=2)


def test_the_space_in_four_panels(hospital_vectors, tmp_path):
    figure = curves.plot_space(hospital_vectors, tmp_path / "space.png")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Dimensions used", "Cosines of random pairs", "Lengths", "Hubs",
    ]  # fmt: skip
    assert points_of(figure.axes[0].lines[0])[1][-1] == pytest.approx(100)
    with pytest.raises(ParameterError, match="at least 3 vectors"):
        curves.plot_space(tg.WordVectors.from_mapping({"a": [1]}))


def test_settings_are_checked(hospital_vectors, tmp_path):
    with pytest.raises(ParameterError, match='`style` must be "light" or "dark"'):
        curves.plot_loss(hospital_vectors, style="grey")
    with pytest.raises(ParameterError, match="must end in"):
        curves.plot_loss(hospital_vectors, tmp_path / "loss.txt")
