"""The page in one file: whole, safe, the same each time."""

import base64
import gzip
import hashlib
import json
import re

import numpy as np
import pytest

import textgrain as tg
from textgrain.cli.main import main
from textgrain.explorer import export
from textgrain.explorer.session import Session
from textgrain.explorer.views import cut, space

DOCUMENTS = ["the patient had a fever", "the nurse saw the patient at the ward", "été 😀 東京"] * 10
#: What a page may weigh on its way, beside its data.
LARGEST_PAGE = 200 << 10


@pytest.fixture(scope="module", autouse=True)
def built():
    if not (export.STATIC / "index.html").exists():
        pytest.skip("the page was not built")


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(merges=40, special_tokens=["<end>"]).train(DOCUMENTS)


@pytest.fixture(scope="module")
def vectors():
    numbers = np.random.default_rng(3).normal(size=(30, 4)).astype(np.float32)
    return tg.WordVectors.from_mapping({f"word{number}": row for number, row in enumerate(numbers)})


def answers_of(page):
    packed = re.search(r'<script type="application/gzip" id="answers">([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def floats(packed):
    return np.frombuffer(base64.b64decode(packed), "<f4")


def test_the_page_is_light():
    files = [file for file in export.STATIC.rglob("*") if file.is_file()]
    assert sum(len(gzip.compress(file.read_bytes(), 9)) for file in files) <= LARGEST_PAGE


def test_equal_input_gives_equal_bytes(tmp_path, tokenizer, vectors):
    pages = [
        tg.export_html(tmp_path / name, tokenizer, vectors, texts="the ward").read_bytes() for name in "ab"
    ]
    assert pages[0] == pages[1]


def test_only_what_is_in_the_file_may_run(tmp_path, tokenizer):
    page = tg.export_html(tmp_path / "a.html", tokenizer, title="<b> & </title>").read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    for kind, element in (
        ("script", r'<script type="module">(.*?)</script>'),
        ("style", "<style>(.*?)</style>"),
    ):
        (content,) = re.findall(element, page, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "<title>&lt;b&gt; &amp; &lt;/title&gt;</title>" in page
    assert not re.search(r'(src|href)="', page[: page.index("<script")])


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "a\ud800b", "<!--", "\0 \u2028"])
def test_any_text_stays_data(tmp_path, tokenizer, text):
    page = tg.export_html(tmp_path / "a.html", {"</script>": tokenizer}, texts=text).read_text("utf-8")
    assert page.count("</script") == 2
    assert text in answers_of(page)["answers"][0][2]["texts"]


def test_answers_are_those_of_the_views(tmp_path, tokenizer, vectors):
    session = Session.of([tokenizer, vectors])
    page = tg.export_html(tmp_path / "a.html", tokenizer, vectors, texts=["the nurse 😀", "été"], words=10)
    found = answers_of(page.read_text("utf-8"))
    asked = {(question, json.dumps(fields)): answer for question, fields, answer in found["answers"]}
    for text in ("the nurse 😀", "été"):
        fields = {"text": text, "tokenizers": ["tokenizer"]}
        expected = json.loads(json.dumps(cut.cut(session, **fields)))
        assert asked["cut", json.dumps(fields)] == expected
        for token in tokenizer.encode_ids(text).tolist():
            tree = cut.tree(session, "tokenizer", token)
            node = found["tokenizers"]["tokenizer"]["nodes"][str(token)]
            assert node.get("left") == tree.get("left", {}).get("id")
            assert node.get("reason") == tree.get("reason")
    recorded = found["spaces"]["vectors"]
    np.testing.assert_array_equal(floats(recorded["points"]), space.points(session, "vectors")[:22])
    for row, word in enumerate(vectors.words[:10]):
        near = space.neighbors(session, "vectors", word, n=10)
        for metric in ("cosine", "euclidean"):
            places = np.frombuffer(base64.b64decode(recorded["near"][metric]["rows"]), "<u4").reshape(10, -1)
            assert [recorded["words"][place] for place in places[row]] == [
                each["word"] for each in near[metric]
            ]
        first = near["cosine"][0]["word"]
        expected = space.scaled(session, "vectors", word, first)["euclidean"]
        assert floats(recorded["stretched"]).reshape(10, 2)[row] == pytest.approx(expected, rel=1e-5)


def test_merges_of_a_long_history_are_cut_off(tmp_path, monkeypatch, tokenizer):
    monkeypatch.setattr("textgrain.explorer.recording.MOST_RECORDED", 7)
    found = answers_of(tg.export_html(tmp_path / "a.html", tokenizer).read_text("utf-8"))
    records = found["tokenizers"]["tokenizer"]["records"]
    assert records["total"] == 40
    assert [record["rank"] for record in records["records"]] == list(range(1, 8))


def test_what_cannot_be_shown_is_refused(tmp_path, tokenizer, monkeypatch):
    target = tmp_path / "a.html"
    with pytest.raises(tg.exceptions.ParameterError, match="at most 100,000 characters, got 100,001"):
        tg.export_html(target, tokenizer, texts="x" * 100_001)
    with pytest.raises(tg.exceptions.ParameterError, match="`words` must be at least 2, got 1"):
        tg.export_html(target, tokenizer, words=1)
    with pytest.raises(tg.exceptions.ParameterError, match="got str"):
        tg.export_html(target, "tokenizer")
    with pytest.raises(FileNotFoundError):
        tg.export_html(tmp_path / "no" / "a.html", tokenizer)
    monkeypatch.setattr(export, "STATIC", tmp_path)
    with pytest.raises(tg.exceptions.TextgrainError, match="make web"):
        tg.export_html(target, tokenizer)
    assert not target.exists()


def test_command(tmp_path, capsys, tokenizer):
    tokenizer.save(tmp_path / "tokenizer.json")
    page = tmp_path / "page.html"
    arguments = ["explore", str(tmp_path / "tokenizer.json"), "--export", str(page), "--text", "the ward"]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": str(page), "bytes": page.stat().st_size}
    assert answers_of(page.read_text("utf-8"))["answers"][0][2]["texts"] == ["the ward"]
