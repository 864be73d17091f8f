"""A damaged file never loads: cut anywhere, changed anywhere, or of another kind."""

import os
import random
import subprocess
import sys
import threading

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, InternalError
from textgrain.testing.artifacts import file_bytes

DOCUMENTS = ["the patient had a fever", "the nurse saw the patient at the ward"] * 10


def make(kind):
    if kind == "table":
        return tg.EmbeddingTable(5, 3)
    if kind == "vectors":
        trainer = tg.Word2Vec(vector_size=4, min_count=1, epochs=1, subsample=0, shrink_window=False)
        return trainer.train(DOCUMENTS, threads=1)
    trainers = {
        "byte-level": tg.BPE(merges=20, special_tokens=["<end>"]),
        "marker": tg.BPE(merges=20, split="words", symbols="characters", end_of_word="_", unknown_token="?"),
        "words": tg.WordLevel(),
        "characters": tg.CharLevel(),
    }
    return trainers[kind].train(DOCUMENTS)


CLASSES = pytest.mark.parametrize("kind", [tg.Tokenizer, tg.WordVectors, tg.EmbeddingTable])
KINDS = ["byte-level", "marker", "words", "characters", "vectors", "table"]


@pytest.fixture(scope="module", params=KINDS)
def artifact(request):
    return make(request.param)


def load(artifact, path, content):
    """Load damaged bytes; None if they are refused as they should be."""
    path.write_bytes(content)
    try:
        return type(artifact).load(path)
    except FormatError as error:
        refused = error
    except InternalError as error:
        pytest.fail(f"a defect: {error}")
    assert (refused.path, bool(refused.reason), str(path) in str(refused)) == (path, True, True)
    return None


def test_cut_anywhere(artifact, tmp_path):
    whole = file_bytes(artifact)
    for length in [*range(min(len(whole), 300)), *range(300, len(whole), max(1, len(whole) // 400))]:
        assert load(artifact, tmp_path / "cut", whole[:length]) is None, (
            f"cut after {length} of {len(whole)} bytes"
        )
    loaded = load(artifact, tmp_path / "cut", whole[:-1])
    # The last byte of a JSON file may be a newline that means nothing.
    assert loaded is None or whole.endswith(b"\n")


def test_longer_than_it_should_be(artifact, tmp_path):
    whole = file_bytes(artifact)
    for more in (b"\0", b"x", b"{}", whole):
        assert load(artifact, tmp_path / "long", whole + more) is None, f"{more[:9]!r} was added"


@pytest.mark.parametrize(
    "change", ["one bit", "another byte", "a run of zeros", "a doubled part", "a missing part"]
)
def test_changed_anywhere(artifact, tmp_path, change):
    """A change is found, unless it is one that means nothing."""
    whole = file_bytes(artifact)
    draw = random.Random(change)
    for _ in range(500):
        damaged = bytearray(whole)
        place = draw.randrange(len(damaged))
        if change == "one bit":
            damaged[place] ^= 1 << draw.randrange(8)
        elif change == "another byte":
            damaged[place] = draw.randrange(256)
        elif change == "zeros":
            damaged[place : place + 8] = bytes(len(damaged[place : place + 8]))
        elif change == "a doubled part":
            damaged[place:place] = damaged[place : place + draw.randrange(1, 30)]
        else:
            del damaged[place : place + draw.randrange(1, 30)]
        loaded = load(artifact, tmp_path / "changed", bytes(damaged))
        if loaded is not None:
            assert file_bytes(loaded) == whole, (
                f"{change} at {place}: {bytes(damaged[place - 20 : place + 20])!r}"
            )


def header(text):
    """Start a safetensors file: the length of the header, and the header."""
    return len(text).to_bytes(8, "little") + text.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 1000,
        b"{}",
        b"[]",
        b"null",
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"model":' * 50_000,
        b'{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}',
        b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 4294967295}, "merges": []}}',
        b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}}',
        b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}}',
        b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": -1, "b": 1e99}, "merges": null}}',
        b"\xff" * 8 + b"{}",
        (2**63).to_bytes(8, "little") + b"{}",
        (100).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{}",
        header('{"vectors":{"dtype":"F32","shape":[9,9],"data_offsets":[0,324]}}'),
        header('{"vectors":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}'),
        header('{"vectors":{"dtype":"F32","shape":[1,1],"data_offsets":[4,0]}}') + b"1234",
        b"PK\x03\x04" + b"\0" * 60,
        b"\x1f\x8b\x08" + b"\0" * 60,
        "not a tokenizer\n".encode("utf-16"),
    ],
    ids=lambda content: repr(content[:30]),
)
@pytest.mark.parametrize(
    "kind", [tg.Tokenizer, tg.WordVectors, tg.EmbeddingTable], ids=lambda kind: kind.__name__
)
def test_a_file_of_another_kind(kind, content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        kind.load(path)
    assert caught.value.path == path
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_not_taken_for_each_other(kind, tmp_path):
    artifact = make(kind)
    path = tmp_path / "file"
    artifact.save(path)
    for other in (tg.Tokenizer, tg.WordVectors, tg.EmbeddingTable):
        if other is not type(artifact):
            with pytest.raises(FormatError):
                other.load(path)


@pytest.mark.parametrize(
    "kind", [tg.Tokenizer, tg.WordVectors, tg.EmbeddingTable], ids=lambda kind: kind.__name__
)
def test_places_that_hold_no_file(kind, tmp_path):
    with pytest.raises(FileNotFoundError):
        kind.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        kind.load(tmp_path)


def test_places_that_cannot_be_written(artifact, tmp_path):
    with pytest.raises(FileNotFoundError):
        artifact.save(tmp_path / "missing" / "file")
    with pytest.raises(IsADirectoryError):
        artifact.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, sys
import textgrain as tg

documents = ["low lower lowest"] * 9
artifact = {artifact}
artifact.save("file")
before = open("file", "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # writing more fails, as on a full disk
try:
    artifact.save("file")
except OSError as error:
    print(type(error).__name__, error.filename)
assert open("file", "rb").read() == before
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
@pytest.mark.parametrize("artifact", ["tg.BPE(merges=3).train(documents)", "tg.EmbeddingTable(99, 9)"])
def test_a_full_disk_leaves_the_old_file(artifact, tmp_path):
    command = [sys.executable, "-c", FULL.format(artifact=artifact)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "OSError file\n", done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_what_is_no_file_is_written_into_and_never_replaced(artifact, tmp_path):
    """A pipe or a device keeps its place; the bytes go through it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    artifact.save(pipe)
    assert pipe.is_fifo()
    reader.join(10)
    assert received == [file_bytes(artifact)]


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_a_link_stays_a_link(artifact, tmp_path):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "file", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    artifact.save(link)
    assert link.is_symlink()
    assert target.read_bytes() == file_bytes(artifact)
