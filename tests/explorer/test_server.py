"""Every question of the page, what it answers, and who is not answered."""

import json
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import textgrain as tg

pytest.importorskip("starlette", reason="the explore extra is not installed")

from starlette.testclient import TestClient

from textgrain.explorer import app, explore
from textgrain.explorer.guard import LARGEST_BODY, TOKEN_HEADER
from textgrain.explorer.session import Question, Session

TOKEN = "a-token-of-this-test"
HOST = "127.0.0.1:7777"
DOCUMENTS = ["the patient had a fever", "the nurse saw the patient at the ward", "été 😀 東京"] * 10


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    bytes_ = tg.BPE(merges=40, special_tokens=["<end>"]).train(DOCUMENTS)
    letters = tg.BPE(merges=10, split="words", symbols="characters", unknown_token="?").train(DOCUMENTS)
    numbers = np.random.default_rng(3).normal(size=(30, 4)).astype(np.float32)
    words = ["the", "patient", "nurse", "ward", *(f"word{number}" for number in range(26))]
    vectors = tg.WordVectors.from_mapping(dict(zip(words, numbers, strict=True)))
    return Session.of([bytes_, letters, vectors], [tmp_path_factory.mktemp("open")])


@pytest.fixture(scope="module")
def client(session):
    made = app.make_app(session, token=TOKEN, hosts=[HOST])
    return TestClient(made, base_url=f"http://{HOST}", headers={TOKEN_HEADER: TOKEN})


def ask(client, question, **fields):
    answer = client.post(f"/api/{question}", json=fields)
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"] == "application/octet-stream":
        return np.frombuffer(answer.content, "<f4")
    return answer.json()


def refused(client, question, status=422, **fields):
    answer = client.post(f"/api/{question}", json=fields)
    assert answer.status_code == status, answer.text
    return answer.json()["error"]


# ---- Answers ------------------------------------------------------------------------------------


def test_overview(client, session):
    found = ask(client, "overview")
    assert [each["name"] for each in found["tokenizers"]] == ["tokenizer", "tokenizer 2"]
    assert found["tokenizers"][0]["size"] == len(session.tokenizers["tokenizer"])
    assert found["vectors"] == [{"name": "vectors", "words": 30, "size": 4}]


@pytest.mark.parametrize("text", ["the patient", "", "a 😀 été\n\n  東京 👩‍⚕️ x", "the ward " * 500])
def test_cut_places_are_those_of_a_browser(client, session, text):
    tokenizer = session.tokenizers["tokenizer"]
    found = ask(client, "cut", text=text, tokenizers=["tokenizer"])
    (row,) = found["tokenizers"]
    units = text.encode("utf-16-le")
    expected = [text[start:end] for start, end in tokenizer.encode(text).offsets]
    cuts = zip(row["starts"], row["ends"], strict=True)
    assert [units[2 * start : 2 * end].decode("utf-16-le") for start, end in cuts] == expected
    assert row["ids"] == tokenizer.encode_ids(text).tolist()
    assert (row["count"], row["cells"]) == (len(row["ids"]), len(row["ids"]) ** 2)
    assert row["parameters"] == len(tokenizer) * 512
    assert found["characters"]["count"] == len(text)
    assert found["bytes"]["count"] == len(text.encode())
    words = zip(found["words"]["starts"], found["words"]["ends"], strict=True)
    assert [units[2 * start : 2 * end].decode("utf-16-le") for start, end in words] == text.split()


def test_cut_marks_words_without_a_vector(client):
    found = ask(client, "cut", text="The “patient”, sneezed... at the ward.", tokenizers=[])
    assert found["words"]["unseen"] == [2, 3]


def test_tree_joins_to_the_token(client, session):
    tokenizer = session.tokenizers["tokenizer"]
    id = max(tokenizer.encode_ids("the patient").tolist())
    root = ask(client, "cut/tree", tokenizer="tokenizer", id=id)

    def leaves(node):
        return leaves(node["left"]) + leaves(node["right"]) if "left" in node else node["bytes"]

    assert bytes(leaves(root)) == tokenizer.id_to_bytes(id) == bytes(root["bytes"])
    assert root["total"] == tokenizer.history[root["rank"] - 1].total


def test_steps_are_those_of_explain(client, session):
    found = ask(client, "cut/steps", tokenizer="tokenizer", text="the ward")
    pieces = session.tokenizers["tokenizer"].explain("the ward").pieces
    assert [piece["ids"] for piece in found["pieces"]] == [list(piece.ids) for piece in pieces]
    assert [step["rank"] for step in found["pieces"][0]["steps"]] == [step.rank for step in pieces[0].steps]


def test_lesson_counts_pairs_as_the_training_did(client):
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    lesson = ask(client, "learn/train", words=words, merges=10, end_of_word="</w>")
    history = (
        tg.BPE(merges=10, split="whitespace", symbols="characters", end_of_word="</w>").train(words).history
    )
    for step, record in enumerate(history):
        state = ask(client, "learn/state", lesson=lesson["lesson"], step=step)
        winner = next(pair for pair in state["pairs"] if (pair["left"], pair["right"]) == record.pair)
        assert winner["total"] == record.total == state["pairs"][0]["total"]
        tied = [pair for pair in state["pairs"] if pair["tied"]]
        assert len(tied) == record.tied_pairs
        assert (tied[0]["left"], tied[0]["right"]) == record.pair
        assert state["next"]["reason"] == record.reason()
        assert state["size"] == lesson["alphabet"] + step
    last = ask(client, "learn/state", lesson=lesson["lesson"], step=99)
    assert (last["step"], last["next"]) == (10, None)


def test_records(client, session):
    history = session.tokenizers["tokenizer"].history
    found = ask(client, "learn/records", tokenizer="tokenizer", first=5, count=3)
    assert found["total"] == len(history)
    assert [record["rank"] for record in found["records"]] == [6, 7, 8]
    assert found["records"][0]["token"] == history[5].token


def test_sizes_end_at_what_the_tokenizer_gives(client, session):
    tokenizer, text = session.tokenizers["tokenizer"], "the patient at the ward"
    found = ask(client, "learn/sizes", tokenizer="tokenizer", text=text)
    assert found["tokens"][0] == len(text.encode())
    assert found["tokens"][-1] == len(tokenizer.encode_ids(text))
    assert found["sizes"][-1] == len(tokenizer) - len(tokenizer.special_tokens)
    assert found["tokens"] == sorted(found["tokens"], reverse=True)


def test_strip_and_rows(client, session):
    tokenizer = session.tokenizers["tokenizer"]
    found = ask(client, "numbers/strip", tokenizer="tokenizer", first=250, count=200)
    assert (found["alphabet"], found["merges"], found["special"]) == (256, 40, [296])
    kinds = {token["id"]: token["kind"] for token in found["tokens"]}
    assert (kinds[255], kinds[256], kinds[296]) == ("alphabet", "merge", "special")
    rows = ask(client, "numbers/rows", tokenizer="tokenizer", text="the ward", width=5, seed=2)
    table = tg.EmbeddingTable(len(tokenizer), 5, seed=2)
    assert np.allclose(rows["matrix"], table.rows(tokenizer.encode_ids("the ward")), atol=1e-4)
    assert rows["parameters"]["5"] == 5 * len(tokenizer)


def test_points_are_principal_components(client, session):
    vectors = session.vectors["vectors"]
    found = ask(client, "space/points", vectors="vectors")
    expected = vectors.project(vectors.words)
    assert np.allclose(found[:2], expected.explained, atol=1e-5)
    places = found[2:].reshape(-1, 2)
    for column in (0, 1):
        # An axis may point either way.
        given, wanted = places[:, column], expected.coordinates[:, column]
        assert np.allclose(given, wanted, atol=1e-4) or np.allclose(given, -wanted, atol=1e-4)


def test_neighbors_by_angle_and_by_distance(client, session):
    vectors = session.vectors["vectors"]
    found = ask(client, "space/neighbors", vectors="vectors", word="nurse", n=5)
    assert [(each["word"], pytest.approx(each["score"])) for each in found["cosine"]] == vectors.most_similar(
        "nurse", n=5
    )
    others = [word for word in vectors.words if word != "nurse"]
    nearest = sorted(others, key=lambda word: vectors.distance("nurse", word))[:5]
    assert [each["word"] for each in found["euclidean"]] == nearest
    assert found["euclidean"][0]["score"] == pytest.approx(vectors.distance("nurse", nearest[0]), rel=1e-4)
    assert found["norm"] == pytest.approx(float(np.linalg.norm(vectors["nurse"])))


def test_an_unseen_word_has_the_neighbors_of_its_ngrams():
    ngrams = {"<wh": [1, 0, 1], "her": [0, 2, 0], "er>": [0.5, 0, 3]}
    vectors = tg.WordVectors.from_mapping(
        {"where": [1, 2, 1], "here": [0, 2, 0.5], "ox": [1, -1, 1]}, ngrams=ngrams
    )
    made = app.make_app(Session.of([vectors]), token=TOKEN, hosts=[HOST])
    client = TestClient(made, base_url=f"http://{HOST}", headers={TOKEN_HEADER: TOKEN})
    found = ask(client, "space/neighbors", vectors="vectors", word="whether", n=2)
    assert found["row"] == -1
    assert {part["ngram"] for part in found["parts"] if part["known"]} == {"<wh", "her", "er>"}
    assert [each["word"] for each in found["cosine"]] == [
        word for word, _ in vectors.most_similar(vectors["whether"], n=2)
    ]
    assert len(found["euclidean"]) == 2
    assert "xyz" in refused(client, "space/neighbors", vectors="vectors", word="xyz")


def test_words_completion_analogy_axis_and_length(client, session):
    vectors = session.vectors["vectors"]
    assert ask(client, "space/words", vectors="vectors", rows=[2, 0])["words"] == ["nurse", "the"]
    found = ask(client, "space/complete", vectors="vectors", beginning="word1")["found"]
    assert found[0] == {"word": "word1", "row": 5}
    answer = ask(client, "space/analogy", vectors="vectors", a="the", b="nurse", c="ward", n=3)
    assert [each["word"] for each in answer["found"]] == [
        word for word, _ in vectors.analogy("the", "nurse", "ward", n=3)
    ]
    along = ask(client, "space/axis", vectors="vectors", pairs=[["the", "nurse"]])
    assert len(along) == 30
    assert along[2] > along[0]
    longer = ask(client, "space/scaled", vectors="vectors", word="the", other="nurse")
    assert longer["cosine"][0] == pytest.approx(longer["cosine"][1], abs=1e-6)
    assert longer["euclidean"][0] != pytest.approx(longer["euclidean"][1])


def test_columns_and_lengths_color_the_map(client, session):
    vectors = session.vectors["vectors"]
    assert ask(client, "space/lengths", vectors="vectors").tolist() == [len(word) for word in vectors.words]
    groups = ask(client, "space/column", vectors="vectors", values={"the": "b", "nurse": "a", "unknown": "c"})
    assert (groups[0], groups[2], np.isnan(groups).sum()) == (1, 0, 28)
    numbers = ask(client, "space/column", vectors="vectors", values={"the": "2.5", "nurse": 3})
    assert (numbers[0], numbers[2]) == (2.5, 3)
    assert "none of the words" in refused(client, "space/column", vectors="vectors", values={"unknown": 1})


def test_distances(client):
    found = ask(client, "distances", dimension=1000, vectors="vectors")
    assert found["random"]["ratio"] == pytest.approx(1.15, abs=0.05)
    assert sum(found["random"]["counts"]) == 999
    assert found["vectors_dimension"] == 4


def test_tour_holds_the_known_numbers(client):
    found = ask(client, "tour")
    assert [row["count"] for row in found["cuts"]["rows"]] == [6, 36, 36]
    assert (found["alphabet"], found["size"], len(found["merges"])) == (18, 39, 18)
    assert (found["merges"][0]["total"], found["merges"][2]["tied"]) == (28, 2)
    assert found["applied"][0]["ids"] == [0, 28, 21, 14]
    assert found["parameters"]["39"] == 19_968
    assert found["plane"]["pairs"][2]["euclidean"] == pytest.approx(1.581, abs=1e-3)
    assert [round(each["ratio"], 2) for each in found["concentration"]] == [91.05, 3.78, 1.5, 1.15]
    near = {word for word, _ in found["learned"]["neighbors"]["march"]}
    assert near == {"january", "july", "october"}
    own = ask(client, "tour/own", text="the patient")
    assert own["vectors"]["word"] == "patient"


# ---- Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "fields", "reason"),
    [
        ("cut", {"text": "a", "tokenizers": ["none"]}, "no tokenizer named 'none'"),
        ("cut", {"text": "a", "tokenizers": ["tokenizer"] * 5}, "up to 4"),
        ("cut", {"text": 5, "tokenizers": []}, "'text' must be of the kind str"),
        ("cut", {"text": "a"}, "needs 'tokenizers'"),
        ("cut", {"text": "a", "tokenizers": [], "extra": 1}, "takes no 'extra'"),
        ("cut", {"text": "a", "tokenizers": [1]}, "must be of the kind list[str]"),
        ("cut/tree", {"tokenizer": "tokenizer", "id": 10**9}, "1000000000"),
        ("cut/tree", {"tokenizer": "tokenizer", "id": -1}, "-1"),
        ("cut/tree", {"tokenizer": "tokenizer", "id": True}, "must be of the kind int"),
        ("cut/steps", {"tokenizer": "tokenizer", "text": "a" * 5000}, "up to 2000"),
        ("learn/train", {"words": {}}, "empty"),
        ("learn/train", {"words": {"a": 1.5}}, "whole number"),
        ("learn/train", {"words": {f"w{n}": 1 for n in range(6000)}}, "up to 5000"),
        ("learn/train", {"words": {"ab": 1}, "merges": -1}, "merges"),
        ("learn/state", {"lesson": 10**6, "step": 0}, "start it again"),
        ("numbers/rows", {"tokenizer": "tokenizer", "text": "a", "width": 0}, "1 to 64"),
        ("space/neighbors", {"vectors": "vectors", "word": "zebra"}, "zebra"),
        ("space/words", {"vectors": "vectors", "rows": [30]}, "rows go from 0 to 29"),
        ("space/words", {"vectors": "vectors", "rows": [0] * 6000}, "up to 5000"),
        ("space/axis", {"vectors": "vectors", "pairs": []}, "at least one pair"),
        ("space/axis", {"vectors": "vectors", "pairs": [["a"]]}, "at least one pair"),
        ("distances", {"dimension": 0}, "from 1 to 2000"),
        ("distances", {"dimension": 10**9}, "from 1 to 2000"),
    ],
)
def test_questions_that_cannot_be_answered_say_why(client, question, fields, reason):
    assert reason in refused(client, question, **fields)


def test_no_such_question_and_no_json(client):
    assert refused(client, "nothing/here", status=404)
    for content in (b"{", b"[]", b"\xff\xfe", b"[" * 100_000):
        assert client.post("/api/overview", content=content).status_code in (400, 422)


# ---- Who may ask --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({TOKEN_HEADER: "wrong"}, 403),
        ({TOKEN_HEADER: ""}, 403),
        ({TOKEN_HEADER: b"\xe9"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-length": str(LARGEST_BODY + 1)}, 413),
        ({"content-length": "-1"}, 413),
    ],
)
def test_others_are_refused(client, headers, status):
    answer = client.post("/api/overview", content=b"{}", headers=headers)
    assert answer.status_code == status
    assert "textgrain" not in answer.text.lower() or "token" not in answer.text.lower()


def test_a_large_body_without_a_length_is_refused(client):
    parts = (b" " * (1 << 20) for _ in range(10))
    assert client.post("/api/overview", content=parts).status_code == 413


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/%2e%2e/app.py", "/assets//etc/passwd", "/etc/passwd"]
)
def test_only_the_page_is_given_out(client, path):
    assert client.get(path).status_code == 404


def test_the_page_may_not_be_framed_and_runs_only_its_own_code(client):
    headers = client.get("/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_paths_stay_below_the_folders(session, tmp_path):
    (folder,) = session.folders
    assert session.path("a/b.txt") == folder / "a" / "b.txt"
    for outside in ("../x", "/etc/passwd", str(tmp_path), "a/../../x"):
        with pytest.raises(Question, match="not below a folder"):
            session.path(outside)
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(Question, match="not below a folder"):
        session.path("link/x")


# ---- The running server -------------------------------------------------------------------------


def test_explore_serves_on_loopback_and_stops():
    tokenizer = tg.BPE(merges=3).train(["low lower"])
    before = threading.active_count()
    with explore(tokenizer, open_browser=False) as explorer:
        assert explorer.url.startswith("http://127.0.0.1:")
        address, token = explorer.url.split("/?token=")
        question = urllib.request.Request(
            f"{address}/api/overview", data=b"{}", headers={TOKEN_HEADER: token}
        )
        with urllib.request.urlopen(question) as answer:
            assert json.load(answer)["tokenizers"][0]["size"] == len(tokenizer)
        with pytest.raises(urllib.error.HTTPError, match="403") as refusal:
            urllib.request.urlopen(f"{address}/api/overview", data=b"{}")
        refusal.value.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)
    assert threading.active_count() <= before + 1


def test_what_cannot_be_shown_is_refused_with_its_kind():
    with pytest.raises(tg.exceptions.ParameterError, match="got list"):
        explore([1, 2], open_browser=False)


# ---- Training from the page ---------------------------------------------------------------------


@pytest.fixture
def trainable(tmp_path):
    session = Session.of([tg.Corpus.from_iterable(DOCUMENTS)], [tmp_path])
    (tmp_path / "notes.txt").write_text("\n".join(DOCUMENTS), encoding="utf-8")
    made = app.make_app(session, token=TOKEN, hosts=[HOST])
    return TestClient(made, base_url=f"http://{HOST}", headers={TOKEN_HEADER: TOKEN}), session


SETTINGS = {"vector_size": 8, "min_count": 1, "epochs": 4}


def wait_for(client, run, **fields):
    for _ in range(600):
        state = ask(client, "training/state", run=run, pinned=["patient"], **fields)
        if state["status"] != "running":
            return state
        time.sleep(0.05)
    pytest.fail("the training does not end")


@pytest.mark.parametrize("where", [{"corpus": "corpus"}, {"path": "notes.txt"}])
def test_training_shows_the_loss_that_the_vectors_keep(trainable, tmp_path, where):
    client, session = trainable
    run = ask(client, "training/start", settings=SETTINGS, **where)["run"]
    state = wait_for(client, run)
    assert (state["status"], len(state["epochs"]), state["planned"]) == ("done", 4, 4)
    vectors = session.vectors[f"training {run}"]
    assert [epoch["loss"] for epoch in state["epochs"]] == pytest.approx(vectors.history)
    assert [near["word"] for near in state["neighbors"]["patient"]] == [
        w for w, _ in vectors.most_similar("patient", n=6)
    ]
    drawn = ask(client, "training/plane", run=run, count=5)
    assert drawn["words"] == vectors.words[:5]
    ask(client, "training/save", run=run, path="out.safetensors")
    assert tg.WordVectors.load(tmp_path / "out.safetensors").words == vectors.words


def test_training_can_be_stopped_and_only_one_runs(trainable):
    client, _ = trainable
    run = ask(
        client, "training/start", settings=SETTINGS | {"epochs": 100, "vector_size": 300}, corpus="corpus"
    )["run"]
    assert "stop it first" in refused(client, "training/start", settings=SETTINGS, corpus="corpus")
    ask(client, "training/stop", run=run)
    assert wait_for(client, run)["status"] in ("stopped", "done")


@pytest.mark.parametrize(
    ("question", "fields", "reason"),
    [
        ("training/start", {"settings": {}}, "either a corpus"),
        ("training/start", {"settings": {}, "path": "../x"}, "not below a folder"),
        ("training/start", {"settings": {"epochs": 10**9}, "corpus": "corpus"}, "from 1 to 100"),
        ("training/start", {"settings": {"checkpoint": "/x"}, "corpus": "corpus"}, "cannot be set"),
        ("training/state", {"run": 99, "pinned": []}, "no training 99"),
        ("training/save", {"run": 99, "path": "x"}, "no training 99"),
    ],
)
def test_trainings_that_cannot_be(trainable, question, fields, reason):
    assert reason in refused(trainable[0], question, **fields)


def test_a_training_that_fails_says_why(trainable):
    client, _ = trainable
    run = ask(client, "training/start", settings={"min_count": 9999}, corpus="corpus")["run"]
    state = wait_for(client, run)
    assert state["status"] == "failed"
    assert "min_count" in state["reason"]
