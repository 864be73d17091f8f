"""The views in a notebook: what a message is answered, and what the widget brings along."""

import sys

import numpy as np
import pytest

import textgrain as tg
from textgrain.explorer import widget
from textgrain.explorer.session import Session
from textgrain.explorer.views import cut, space


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(merges=20).train(["the patient had a fever", "the nurse saw the patient"])


@pytest.fixture(scope="module")
def vectors():
    numbers = np.random.default_rng(3).normal(size=(9, 4)).astype(np.float32)
    return tg.WordVectors.from_mapping({f"word{number}": row for number, row in enumerate(numbers)})


def ask(session, view, question, **fields):
    return widget.answer(session, view, {"id": "1", "question": question, "fields": fields})


def test_answers_are_those_of_the_views(tokenizer, vectors):
    session = Session.of([tokenizer, vectors])
    fields = {"text": "the patient", "tokenizers": ["tokenizer"]}
    assert ask(session, "cut", "cut", **fields) == ({"id": "1", "answer": cut.cut(session, **fields)}, [])
    reply, (buffer,) = ask(session, "map", "space/points", vectors="vectors")
    assert reply == {"id": "1"}
    np.testing.assert_array_equal(np.frombuffer(buffer, "<f4"), space.points(session, "vectors"))
    reply, _ = ask(session, "map", "overview")
    assert reply["answer"]["vectors"] == [{"name": "vectors", "words": 9, "size": 4}]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({"id": "1"}, "needs a name"),
        ({"id": "1", "question": "cut", "fields": []}, "needs a name"),
        ({"id": "1", "question": ["cut"], "fields": {}}, "needs a name"),
        (
            {"id": "1", "question": "space/points", "fields": {"vectors": "vectors"}},
            "no question 'space/points'",
        ),
        ({"id": "1", "question": "training/save", "fields": {"run": 1, "path": "x"}}, "no question"),
        ({"id": "1", "question": "cut", "fields": {"text": 3, "tokenizers": []}}, "'text' must be"),
        ({"id": "1", "question": "cut", "fields": {"text": ""}}, "needs 'tokenizers'"),
        ({"id": "1", "question": "cut/tree", "fields": {"tokenizer": "x", "id": 1}}, "no tokenizer named"),
        ({"id": "1", "question": "cut/tree", "fields": {"tokenizer": "tokenizer", "id": -1}}, "-1"),
    ],
)
def test_what_cannot_be_answered_has_a_reason(tokenizer, content, reason):
    reply, buffers = widget.answer(Session.of([tokenizer]), "cut", content)
    assert reason in reply["error"]
    assert buffers == []


def test_without_the_library_the_way_out_is_named(monkeypatch, tokenizer, vectors):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widget._widget_class.cache_clear()
    for make in (tokenizer.widget, vectors.widget):
        with pytest.raises(tg.exceptions.TextgrainError, match=r"pip install 'textgrain\[notebook\]'"):
            make()


@pytest.mark.peer
def test_the_widget_carries_its_page_and_answers_messages(monkeypatch, tokenizer, vectors):
    pytest.importorskip("anywidget", reason="the notebook extra is not installed")
    if not (widget.STATIC / "widget.js").exists():
        pytest.skip("the page was not built")
    widget._widget_class.cache_clear()
    made = tokenizer.widget("the nurse")
    assert (made.view, made.settings) == ("cut", {"text": "the nurse"})
    state = made.get_state()
    assert "Point at a token" in state["_esm"]
    assert "https://" not in state["_esm"].replace("https://svelte.dev", "")
    sent = []
    monkeypatch.setattr(made, "send", lambda reply, buffers: sent.append((reply, buffers)))
    made._handle_custom_msg({"id": "7", "question": "overview", "fields": {}}, [])
    assert (sent[0][0]["id"], sent[0][0]["answer"]["tokenizers"][0]["size"]) == ("7", len(tokenizer))
    assert vectors.widget("word3").settings == {"word": "word3"}
    assert vectors.widget().view == "map"
