"""Vectors behind an address, from a server on this machine."""

import http.server
import threading

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked = {}, []

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.removeprefix("/")
        self.server.asked.append(name)
        if name in ("moved", "moved-away"):
            self.send_response(302)
            self.send_header("Location", "/vectors" if name == "moved" else "http://example.org/vectors")
            self.end_headers()
            return
        content = self.server.files.get(name.removeprefix("cut-"))
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        if not name.startswith("open-"):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if name.startswith("cut-") else content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def vectors(tmp_path, server):
    made = tg.WordVectors.from_mapping({f"w{row}": [row, 1, -row] for row in range(200)})
    for name, format in (("vectors", "safetensors"), ("vectors.txt.gz", "word2vec-text")):
        made.save(tmp_path / name, format=format)
        server.files[name] = server.files[f"open-{name}"] = (tmp_path / name).read_bytes()
    return made


@pytest.mark.parametrize("name", ["vectors", "vectors.txt.gz", "open-vectors", "moved"])
def test_fetched_and_opened(server, vectors, name):
    seen = []
    loaded = tg.WordVectors.load(server.url(name), progress=lambda *step: seen.append(step[:4]))
    assert loaded.words == vectors.words
    assert loaded["w3"].tolist() == [3, 1, -3]
    size = len(server.files["vectors" if name == "moved" else name])
    total = None if name == "open-vectors" else size
    assert ("downloading", size, total, "bytes") in seen


def test_kept_only_where_the_caller_says(server, vectors, tmp_path):
    tg.WordVectors.load(server.url("vectors"))
    tg.WordVectors.load(server.url("vectors"))
    assert server.asked == ["vectors", "vectors"]
    path = tmp_path / "kept.safetensors"
    first = tg.WordVectors.load(server.url("vectors"), keep=path)
    again = tg.WordVectors.load(server.url("vectors"), keep=path)
    assert first == again == vectors
    assert len(server.asked) == 3
    assert path.read_bytes() == server.files["vectors"]
    with pytest.raises(ParameterError, match="`keep` must only be given with an address"):
        tg.WordVectors.load(path, keep=path)


def test_what_goes_wrong_is_said_and_leaves_nothing(server, vectors, tmp_path):
    path = tmp_path / "folder" / "kept"
    path.parent.mkdir()
    with pytest.raises(ConnectionError, match="refused: 404 Not Found"):
        tg.WordVectors.load(server.url("nothing"), keep=path)
    with pytest.raises(ConnectionError, match=r"broke off.*Try again"):
        tg.WordVectors.load(server.url("cut-vectors"), keep=path)
    server.files["text"] = b"<html>not vectors</html>"
    with pytest.raises(FormatError):
        tg.WordVectors.load(server.url("text"))
    assert list(path.parent.iterdir()) == []
    port = server.server_port
    server.shutdown()
    server.server_close()
    with pytest.raises(ConnectionError, match="cannot be reached"):
        tg.WordVectors.load(f"http://127.0.0.1:{port}/vectors")


@pytest.mark.parametrize("name", ["http://example.org/vectors", "HTTP://example.org/vectors"])
def test_only_addresses_that_nobody_can_change_on_the_way(name):
    with pytest.raises(ParameterError, match="must begin with https://"):
        tg.WordVectors.load(name)


def test_a_moved_address_keeps_to_the_rule(server, vectors):
    with pytest.raises(ParameterError, match="must begin with https://, got 'http://example"):
        tg.WordVectors.load(server.url("moved-away"))
    with pytest.raises(FileNotFoundError):
        tg.WordVectors.load("ftp://example.org/vectors")
