"""Files of ids: what is in them, runs that are stopped, damage."""

import copy
import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import CorpusError, FormatError, InvalidTextWarning, UnknownTokenError


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(merges=20, special_tokens=["<start>", "<end>"]).train(["low lower lowest newer"])


@settings(max_examples=30, deadline=None)
@given(documents=st.lists(st.text(alphabet="low er\n⭢", max_size=12), max_size=6), threads=st.integers(1, 3))
def test_documents_are_what_encode_gives(each_tokenizer, tmp_path_factory, documents, threads):
    path = tmp_path_factory.mktemp("ids") / "out.ids"
    ids = each_tokenizer.encode_files(documents, path, threads=threads)
    assert [part.tolist() for part in ids.documents] == [
        each_tokenizer.encode_ids(document).tolist() for document in documents
    ]
    assert len(ids) == sum(map(len, ids.documents))
    ids.verify()


def test_an_id_file_is_like_an_array(tokenizer, tmp_path):
    ids = tokenizer.encode_files(
        ["low", "", "newer low"], tmp_path / "a.ids", start_token="<start>", end_token="<end>"
    )
    start, end = tokenizer.token_to_id("<start>"), tokenizer.token_to_id("<end>")
    assert tokenizer.decode(ids.ids) == "<start>low<end><start><end><start>newer low<end>"
    assert ids.dtype == np.uint16
    assert ids.documents[1].tolist() == [start, end]
    assert ids.documents[-1].tolist() == ids[int(ids.documents.offsets[2]) :].tolist()
    assert [part.tolist() for part in ids.documents[1:]] == [
        ids.documents[1].tolist(),
        ids.documents[2].tolist(),
    ]
    assert ids.documents.lengths.tolist() == [3, 2, len(ids) - 5]
    assert ids[0] == start
    assert ids[-1] == end
    assert list(ids) == ids.ids.tolist()
    assert repr(ids) == f"<IdFile of {len(ids)} ids in 3 documents, uint16>"
    assert (ids.text_bytes, ids.vocab_size) == (12, tokenizer.vocab_size)
    assert ids.fingerprint == tokenizer.fingerprint
    for wrong in (3, -4):
        with pytest.raises(IndexError, match="there is no document"):
            ids.documents[wrong]
    with pytest.raises(ValueError, match="read-only"):
        ids.ids[0] = 1
    for twin in (pickle.loads(pickle.dumps(ids)), copy.deepcopy(ids)):
        np.testing.assert_array_equal(twin.ids, ids.ids)
        assert twin.path == ids.path


def test_other_programs_can_read_it(tokenizer, tmp_path):
    """The layout that docs/files.md describes, read by hand."""
    path = tmp_path / "a.ids"
    ids = tokenizer.encode_files(["low", "newer"], path)
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert header["ids"] == {"dtype": "U16", "shape": [len(ids)], "data_offsets": [0, 2 * len(ids)]}
    assert header["document_offsets"]["dtype"] == "U64"
    numbers = np.frombuffer(content, dtype="<u2", offset=8 + length, count=len(ids))
    np.testing.assert_array_equal(numbers, ids.ids)
    assert np.fromfile(path, dtype="<u2", offset=1024, count=len(ids)).tolist() == ids.ids.tolist()


def test_large_vocabularies_have_32_bits(tmp_path):
    tokenizer = tg.CharLevel().train(
        ["".join(map(chr, range(0x4E00, 0x9000))) + "".join(map(chr, range(0x20000, 0x2C000)))]
    )
    assert tokenizer.vocab_size > 65_536
    ids = tokenizer.encode_files(["一\U0002bfff"], tmp_path / "a.ids")
    assert ids.dtype == np.uint32
    assert ids.ids.tolist() == [0, tokenizer.token_to_id("\U0002bfff")]


def test_any_number_of_threads_and_any_packing_give_the_same_bytes(tokenizer, tmp_path):
    text = "\n".join(f"lower {number} newest" for number in range(200_000))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode(), 1))
    for name, threads in [("a.txt", 1), ("a.txt", 3), ("a.gz", 2)]:
        tokenizer.encode_files(tmp_path / name, tmp_path / f"{name}{threads}.ids", threads=threads)
    files = {path.read_bytes() for path in tmp_path.glob("*.ids")}
    assert len(files) == 1
    ids = tg.IdFile(tmp_path / "a.txt1.ids")
    assert len(ids.documents) == 200_000
    assert tokenizer.decode(ids.documents[7]) == "lower 7 newest"


def test_only_text_is_encoded(tokenizer, tmp_path):
    with pytest.raises(CorpusError, match="2 word counts, which is no text"):
        tokenizer.encode_files(tg.Corpus.from_counts({"a": 1, "b": 2}), tmp_path / "a.ids")
    with pytest.raises(UnknownTokenError, match="'<none>' is not one token"):
        tokenizer.encode_files(["a"], tmp_path / "a.ids", end_token="<none>")
    with pytest.raises(TypeError, match="documents must be str, got int"):
        tokenizer.encode_files(["a", 3], tmp_path / "a.ids")
    with pytest.raises(OSError, match="does not exist"):
        tokenizer.encode_files(["a"], tmp_path / "missing" / "a.ids")
    with pytest.raises(OSError, match="device or a pipe"):
        tokenizer.encode_files(["a"], "/dev/null")
    assert list(tmp_path.iterdir()) == []


def test_invalid_bytes_are_told_once_the_file_is_there(tokenizer, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"low\xff\nnewer\n")
    with pytest.warns(InvalidTextWarning, match=r"1 invalid UTF-8 sequence replaced.*a\.txt byte 3"):
        ids = tokenizer.encode_files(tmp_path / "a.txt", tmp_path / "a.ids")
    assert tokenizer.decode(ids.documents[0]) == "low\ufffd"
    strict = tg.Corpus.from_files(tmp_path / "a.txt", errors="strict")
    with pytest.raises(FormatError, match="byte 3: not valid UTF-8"):
        tokenizer.encode_files(strict, tmp_path / "b.ids")


# ---- Runs that are stopped --------------------------------------------------------------------------


class StopError(Exception):
    pass


def stops_after(looks):
    """A progress callable that ends the run at one of its calls."""
    left = [looks]

    def progress(*_):
        left[0] -= 1
        if left[0] <= 0:
            raise StopError

    return progress


class Slow:
    """Documents that come slowly enough for a run to be stopped in their middle."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for number in range(self.count):
            time.sleep(0.03)
            yield f"lower {number} " * 40_000


def test_a_stopped_run_goes_on(tokenizer, tmp_path):
    corpus = Slow(30)
    tokenizer.encode_files(corpus, tmp_path / "whole.ids")
    path = tmp_path / "out.ids"
    stops = 0
    for looks in range(3, 100, 4):
        try:
            ids = tokenizer.encode_files(corpus, path, progress=stops_after(looks), threads=2)
            break
        except StopError:
            stops += 1
            assert not path.exists()
    assert stops > 0
    assert len(ids.documents) == 30
    assert path.read_bytes() == (tmp_path / "whole.ids").read_bytes()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out.ids", "whole.ids"]


def test_what_is_left_is_only_used_for_the_same_job(tokenizer, tmp_path):
    path = tmp_path / "out.ids"
    with pytest.raises(StopError):
        tokenizer.encode_files(Slow(30), path, progress=stops_after(8))
    assert (tmp_path / "out.ids.partial-journal").exists()
    with pytest.raises(FormatError, match=r"another tokenizer or other settings\. Use resume=False"):
        tokenizer.encode_files(Slow(30), path, end_token="<end>")
    with pytest.raises(FormatError, match="the corpus is not the one"):
        tokenizer.encode_files(["something else"], path)
    ids = tokenizer.encode_files(["something else"], path, resume=False)
    assert tokenizer.decode(ids.ids) == "something else"
    assert [item.name for item in tmp_path.iterdir()] == ["out.ids"]


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_ctrl_c_stops_at_once_and_a_killed_run_starts_where_it_can(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    program = textwrap.dedent("""
        import sys, textgrain as tg
        def documents():
            for number in range(10**9):
                yield f"lower {number} " * 1000
                if number == 3000:
                    print("running", flush=True)
        class Endless:
            def __iter__(self):
                return documents()
        tg.Tokenizer.load("tokenizer.json").encode_files(Endless(), "out.ids")
    """)
    for kind in (signal.SIGINT, signal.SIGKILL):
        child = subprocess.Popen(
            [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            assert child.stdout.readline() == b"running\n"
            sent = time.monotonic()
            child.send_signal(kind)
            _, errors = child.communicate(timeout=60)
            assert time.monotonic() - sent < 20
        finally:
            child.kill()
        if kind == signal.SIGINT:
            assert b"KeyboardInterrupt" in errors
        assert not (tmp_path / "out.ids").exists()
    ids = tokenizer.encode_files(["low"], tmp_path / "out.ids", resume=False)
    assert tokenizer.decode(ids.ids) == "low"


# ---- Damage -----------------------------------------------------------------------------------------


def test_damage_is_noticed(tokenizer, tmp_path):
    path = tmp_path / "a.ids"
    tokenizer.encode_files(["low", "newer"], path)
    content = path.read_bytes()
    for length in (0, 7, 500, 1023, 1024, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(FormatError):
            tg.IdFile(path)
    path.write_bytes(content[:1024] + bytes([content[1024] ^ 1]) + content[1025:])
    opened = tg.IdFile(path)
    with pytest.raises(FormatError, match=r"byte 1024: damaged: the checksum is"):
        opened.verify()
    vectors = tmp_path / "vectors.safetensors"
    tg.WordVectors.from_mapping({"a": [1.0]}).save(vectors)
    with pytest.raises(FormatError, match=r'without ids: its metadata lacks "textgrain\.ids"'):
        tg.IdFile(vectors)
    with pytest.raises(FileNotFoundError):
        tg.IdFile(tmp_path / "none.ids")


def test_the_fingerprint_is_that_of_the_vocabulary(tokenizer):
    same = tg.BPE(merges=20, special_tokens=["<start>", "<end>"]).train(["low lower lowest newer"] * 2)
    assert same.fingerprint == tokenizer.fingerprint
    other = tg.BPE(merges=20, special_tokens=["<end>", "<start>"]).train(["low lower lowest newer"])
    assert other.fingerprint != tokenizer.fingerprint
