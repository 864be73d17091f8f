"""The losses of a training, as a list and as a picture."""

import copy
import json
import pickle
from xml.etree import ElementTree

import pytest

import textgrain as tg


@pytest.fixture(scope="module")
def history():
    trainer = tg.Word2Vec(vector_size=4, epochs=3, min_count=1, subsample=0, shrink_window=False)
    return trainer.train(["the low lower lowest tower"] * 50, threads=1).history


def test_it_is_a_list_of_floats(history):
    plain = list(history)
    assert isinstance(history, list)
    assert history == plain
    assert plain == history
    assert (repr(history), json.dumps(history)) == (repr(plain), json.dumps(plain))
    assert type(history[0]) is float
    assert history[1:] == plain[1:]
    for again in (pickle.loads(pickle.dumps(history)), copy.copy(history), copy.deepcopy(history)):
        assert again == history
        assert type(again) is tg.LossHistory
    assert tg.WordVectors.from_mapping({"a": [1]}).history == []


def test_a_notebook_shows_a_curve_and_a_table():
    page = tg.LossHistory([2.0, 1.5, 1.8])._repr_html_()
    root = ElementTree.fromstring(page)
    table = [[cell.text for cell in row] for row in root.iter("tr")]
    assert table == [
        ["epoch", "mean loss", "change"],
        ["1", "2.0000", None],
        ["2", "1.5000", "−25.0 %"],
        ["3", "1.8000", "+20.0 %"],
    ]
    assert [title.text for title in root.iter("title")] == [
        "epoch 1: 2.0000", "epoch 2: 1.5000", "epoch 3: 1.8000",
    ]  # fmt: skip
    heights = [float(circle.get("cy")) for circle in root.iter("circle")]
    assert heights[0] < heights[2] < heights[1]
    assert "script" not in page
    # Text has the color of the page, light or dark.
    assert "currentColor" in page


def test_few_many_and_odd_losses():
    assert "not trained here" in tg.LossHistory()._repr_html_()
    one = tg.LossHistory([0.5])._repr_html_()
    assert ("0.5000" in one, "svg" in one) == (True, False)
    many = ElementTree.fromstring(tg.LossHistory([1 / n for n in range(1, 101)])._repr_html_())
    rows = [[cell.text for cell in row] for row in many.iter("tr")]
    assert len(rows) == 22
    assert rows[11] == ["… 80 more …"]
    assert [row[0] for row in rows[10:13]] == ["10", "… 80 more …", "91"]
    assert len(list(many.iter("circle"))) == 100
    odd = tg.LossHistory([float("nan"), 0.0, 1.0, float("inf")])._repr_html_()
    assert len(list(ElementTree.fromstring(odd).iter("circle"))) == 2
    ElementTree.fromstring(tg.LossHistory([float("nan")])._repr_html_())
    ElementTree.fromstring(tg.LossHistory([0.0, 0.0])._repr_html_())
