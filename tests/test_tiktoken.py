"""Rank files: the ids of tiktoken, exactly, there and back."""

import base64
import copy
import gzip
import hashlib
import importlib.util
import json
import pickle
import zlib
from pathlib import Path

import numpy as np
import pytest

import textgrain as tg
from textgrain import _native
from textgrain._tiktoken import KNOWN, identify
from textgrain.exceptions import FormatError, ParameterError, UnknownIdError
from textgrain.testing import check_tokenizer

GOLDEN = Path(__file__).parent / "golden"


def encoded(tokens):
    """The lines of a rank file."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in tokens)


def single_bytes():
    return [(byte, bytes([byte])) for byte in range(256)]


@pytest.fixture
def rank_file(tmp_path):
    path = tmp_path / "small.tiktoken"
    tokens = [*single_bytes(), (256, b"ab"), (300, b"abc"), (303, " é".encode())]
    path.write_bytes(encoded(tokens))
    return path


@pytest.fixture
def small(rank_file):
    return tg.Tokenizer.from_tiktoken(rank_file, split="o200k", special_tokens={"<b>": 310, "<a>": 301})


def test_ids_without_a_token(small):
    assert len(small) == small.vocab_size == 311
    assert small.special_tokens == {"<a>": 301, "<b>": 310}
    assert small.vocabulary[299:304] == ["", "abc", "<a>", "", " é"]
    assert small.encode_ids("abcab é<b>", special="allow").tolist() == [300, 256, 303, 310]
    assert small.encode_ids("<b>").tolist() == [60, 98, 62]
    for absent in (257, 302, 309):
        with pytest.raises(UnknownIdError, match=rf"id {absent} .* from 0 to 310 with gaps"):
            small.decode([97, absent])
        with pytest.raises(UnknownIdError):
            small.id_to_token(absent)
    with pytest.raises(UnknownIdError, match=r"from 0 to 310$"):
        small.decode([311])
    assert "" not in small
    assert small.history is None
    # " é" is made of no two tokens and can only be found as a whole piece.
    assert small.merges == [("a", "b"), ("ab", "c")]


def test_the_contract(small):
    check_tokenizer(small, ["abc ab é", "ab<a>\r\n\u0301 don'ſt", "中" * 50])


def test_copies_and_files(small, rank_file, tmp_path):
    path = tmp_path / "tokenizer.json"
    small.save(path)
    for twin in (tg.Tokenizer.load(path), pickle.loads(pickle.dumps(small)), copy.deepcopy(small)):
        assert twin == small
        assert twin.special_tokens == small.special_tokens
        assert twin.encode_ids("abcabé ab").tolist() == small.encode_ids("abcabé ab").tolist()
    small.save_tiktoken(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == rank_file.read_bytes()


def test_a_trained_tokenizer_as_ranks(tmp_path):
    trained = tg.BPE(merges=60, split="gpt4", special_tokens=["<end>"]).train(["low lower lowest abba"] * 3)
    path = tmp_path / "trained.tiktoken"
    trained.save_tiktoken(path)
    loaded = tg.Tokenizer.from_tiktoken(path, split="gpt4", special_tokens=trained.special_tokens)
    for text in ("low lower lowest abba", "slow babble <end>", ""):
        assert loaded.encode_ids(text).tolist() == trained.encode_ids(text).tolist()
    assert loaded.explain("lowest").pieces[0].tokens == trained.explain("lowest").pieces[0].tokens


@pytest.mark.parametrize(
    ("trainer", "reason"),
    [
        (tg.WordLevel(), "a word_level tokenizer"),
        (tg.CharLevel(), "a char_level tokenizer"),
        (tg.BPE(merges=2, symbols="characters"), "made of characters"),
        (tg.BPE(merges=2, end_of_word="</w>"), "an end-of-word marker"),
    ],
)
def test_what_ranks_cannot_say_is_refused(trainer, reason, tmp_path):
    path = tmp_path / "refused.tiktoken"
    with pytest.raises(ParameterError, match=reason):
        trainer.train(["low lower lowest"]).save_tiktoken(path)
    assert not path.exists()


def test_tokens_that_pairs_form_in_several_ways(tmp_path):
    """The parts of "abcd" have higher ranks than itself, and "aab" has two pairs of parts."""
    path = tmp_path / "odd.tiktoken"
    tokens = [(256, b"abcd"), (257, b"bc"), (258, b"bcd"), (259, b"aab"), (260, b"aa"), (261, b"ab")]
    path.write_bytes(encoded([*single_bytes(), *tokens]))
    odd = tg.Tokenizer.from_tiktoken(path, split="none")
    odd.save(tmp_path / "odd.json")
    for tokenizer in (odd, tg.Tokenizer.load(tmp_path / "odd.json")):
        assert tokenizer.encode_ids("abcd").tolist() == [256]
        assert tokenizer.encode_ids("xabcd").tolist() == [120, 256]
        assert tokenizer.encode_ids("xaabab").tolist() == [120, 259, 261]
        assert tokenizer.explain("abcd").pieces[0].ids == (256,)
    assert "several pairs" in odd.hugging_face_reason


@pytest.mark.parametrize(
    ("special_tokens", "reason"),
    [
        ({"<a>": 97}, "must have ids of their own, got 97"),
        ({"<a>": 400, "<b>": 400}, "must have ids of their own, got 400"),
        ({"<a>": -1}, "must have ids from 0"),
        ({"<a>": 2**32}, "must have ids from 0"),
        ({"<a>": 2**31}, "must have ids near those of the file"),
        ({"": 400}, "must not hold an empty name"),
        ("o300k_base", 'or one of "r50k_base"'),
    ],
)
def test_special_tokens_that_cannot_be(special_tokens, reason, rank_file):
    with pytest.raises(ParameterError, match=reason) as caught:
        tg.Tokenizer.from_tiktoken(rank_file, split="gpt4", special_tokens=special_tokens)
    assert caught.value.name == "special_tokens"


def test_damage_has_a_line(rank_file):
    lines = rank_file.read_bytes().splitlines(keepends=True)
    for damaged, line in [
        (b"YWI=\n", 257),
        (b"YWI 256\n", 257),
        (b"YWI= x\n", 257),
        (b"YWI= 255\n", 257),
        (b"YQ== 256\n", 257),
        (b"YWI= 99999999999\n", 257),
        (b"YWI= 4000000000\n", 257),
    ]:
        rank_file.write_bytes(b"".join([*lines[:256], damaged, *lines[257:]]))
        with pytest.raises(FormatError) as caught:
            tg.Tokenizer.from_tiktoken(rank_file, split="gpt4")
        assert caught.value.line == line, str(caught.value)
        assert caught.value.path == rank_file
    rank_file.write_bytes(b"".join(lines[1:]))
    with pytest.raises(FormatError, match="no token stands for byte 0x00"):
        tg.Tokenizer.from_tiktoken(rank_file, split="gpt4")


def test_a_file_cut_off_anywhere_never_loads_as_whole(rank_file):
    whole = rank_file.read_bytes()
    for length in range(0, len(whole) - 1, 7):
        rank_file.write_bytes(whole[:length])
        try:
            loaded = tg.Tokenizer.from_tiktoken(rank_file, split="gpt4")
        except FormatError:
            continue
        assert len(loaded) < 304


def test_load_says_what_it_needs(rank_file):
    with pytest.raises(ParameterError, match='For example split="gpt4"'):
        tg.Tokenizer.load(rank_file)


# ---- The published files ----------------------------------------------------------------------------


@pytest.fixture(scope="module", params=KNOWN)
def published(request, shared_data, tmp_path_factory):
    name = request.param
    path = tmp_path_factory.mktemp("ranks") / f"{name}.tiktoken"
    path.write_bytes(
        gzip.decompress((shared_data / "data" / "tokenizers" / f"{name}.tiktoken.gz").read_bytes())
    )
    return name, path


@pytest.fixture(scope="module")
def loaded(published):
    name, path = published
    return tg.Tokenizer.from_tiktoken(path, split=KNOWN[name].split, special_tokens=name)


@pytest.fixture(scope="module")
def golden(published, shared_data):
    folder = shared_data / "data" / "golden"
    texts = json.loads(gzip.decompress((folder / "texts.json.gz").read_bytes()))
    facts = json.loads(gzip.decompress((folder / f"tiktoken_{published[0]}.json.gz").read_bytes()))
    with_special = [
        facts["ordinary"][index] if ids is None else ids for index, ids in enumerate(facts["with_special"])
    ]
    return texts, facts["ordinary"], with_special, facts["special"]


@pytest.mark.shared
def test_golden_texts(loaded, golden):
    texts, ordinary, with_special, special = golden
    assert loaded.special_tokens == special
    for text, plain, allowed in zip(texts, ordinary, with_special, strict=True):
        assert loaded.encode_ids(text).tolist() == plain, text
        assert loaded.encode_ids(text, special="allow").tolist() == allowed, text
        assert loaded.decode(plain) == loaded.decode(allowed) == text
        assert loaded.decode_bytes(plain) == text.encode()


@pytest.mark.shared
def test_our_file_gives_the_same_ids(published, loaded, golden, tmp_path):
    assert loaded.hugging_face_reason is None
    loaded.save(tmp_path / "tokenizer.json")
    again = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert again == loaded
    assert again.special_tokens == loaded.special_tokens
    twin = pickle.loads(pickle.dumps(loaded))
    texts, ordinary, with_special, _ = golden
    for text, plain, allowed in zip(texts, ordinary, with_special, strict=True):
        assert again.encode_ids(text).tolist() == twin.encode_ids(text).tolist() == plain
        assert again.encode_ids(text, special="allow").tolist() == allowed
    again.save_tiktoken(tmp_path / "ranks")
    assert (tmp_path / "ranks").read_bytes() == published[1].read_bytes()


@pytest.mark.shared
@pytest.mark.peer
def test_hugging_face_gives_the_same_ids_from_our_file(loaded, golden, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    loaded.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts, _, with_special, special = golden
    # That library always takes the names of special tokens for the tokens.
    for text, allowed in zip(texts, with_special, strict=True):
        assert theirs.encode(text, add_special_tokens=False).ids == allowed, text
    assert {name: theirs.token_to_id(name) for name in special} == special


@pytest.mark.shared
@pytest.mark.parametrize("part", ["en_first_1MB", "multi_every_40th_line"])
def test_bulk(part, published, loaded, shared_data):
    corpora = shared_data / "data" / "corpora"
    expected = json.loads((shared_data / "data" / "golden" / "bulk.json").read_text(encoding="utf-8"))
    if part == "en_first_1MB":
        lines = gzip.decompress((corpora / "en_1m.txt.gz").read_bytes()).decode().split("\n")[:-1]
    else:
        table = gzip.decompress((corpora / "multi_sample.tsv.gz").read_bytes()).decode()
        lines = [line.split("\t", 1)[1] for line in table.split("\n")[:-1]]
    ids, _ = loaded.encode_ids_batch(lines)
    wanted = expected[f"tiktoken_{published[0]}"][part]
    assert len(ids) == wanted["tokens"]
    assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == wanted["sha256"]


@pytest.fixture(scope="module")
def checksums():
    return json.loads((GOLDEN / "tiktoken_ids.json").read_text(encoding="utf-8"))


@pytest.mark.shared
def test_every_code_point(published, loaded, checksums):
    expected = checksums["code_points"].get(published[0])
    if expected is None:
        pytest.skip("the same split rule and vocabulary kind is covered by the split tests")
    block, template = checksums["block"], checksums["template"]
    for number, wanted in enumerate(expected):
        points = range(number * block, (number + 1) * block)
        texts = [template.format(chr(point)) for point in points if not 0xD800 <= point < 0xE000]
        ids, _ = loaded.encode_ids_batch(texts)
        assert zlib.crc32(ids.astype("<u4").tobytes()) == wanted, f"from U+{number * block:04X}"


@pytest.mark.shared
def test_long_texts_of_one_kind(published, loaded, checksums):
    """A piece of a million characters, or a million pieces; all equal to tiktoken."""
    specification = importlib.util.spec_from_file_location("long_texts", GOLDEN / "long_texts.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for kind, characters in checksums["long"].items():
        length, wanted = checksums["long_ids"][published[0]][kind]
        ids = loaded.encode_ids(module.long_text(characters, length))
        assert zlib.crc32(ids.astype("<u4").tobytes()) == wanted, kind
        text = module.long_text(characters, 1_000_000)
        assert loaded.decode(loaded.encode_ids(text)) == text


@pytest.mark.shared
def test_a_million_spaces_before_a_word(loaded):
    """Where the regular expression of tiktoken runs out of stack; the ids are those of the two pieces."""
    spaces = " " * 1_000_000
    pieces = [loaded.encode_ids(spaces[:-1]), loaded.encode_ids(" x")]
    np.testing.assert_array_equal(loaded.encode_ids(spaces + "x"), np.concatenate(pieces))


@pytest.mark.shared
def test_odd_characters(published, loaded):
    """The long s ends a contraction where case is ignored; Roman numerals and fractions are numbers."""
    pieces = {
        "gpt2": ["don", "'", "ſt", " ⅫⅫⅫⅫ½"],
        "gpt4": ["don", "'ſ", "t", " ", "ⅫⅫⅫ", "Ⅻ½"],
        "o200k": ["don'ſ", "t", " ", "ⅫⅫⅫ", "Ⅻ½"],
    }
    found = [piece.text for piece in loaded.explain("don'ſt ⅫⅫⅫⅫ½").pieces]
    assert found == pieces[KNOWN[published[0]].split]


@pytest.mark.shared
def test_half_characters_in_decoding(loaded):
    ids = [loaded.token_to_id(bytes([byte])) for byte in b"\xf0\x9f\x98\x80"]
    for length in range(1, 4):
        assert loaded.decode_bytes(ids[:length]) == b"\xf0\x9f\x98\x80"[:length]
        assert loaded.decode(ids[:length]) == "\ufffd"
        with pytest.raises(ParameterError, match="valid UTF-8"):
            loaded.decode(ids[:length], errors="strict")
    assert loaded.decode(ids) == "😀"
    assert loaded.decode([*ids[:2], loaded.token_to_id("a")]) == "\ufffda"


@pytest.mark.shared
def test_published_files_are_known_by_content(published):
    name, path = published
    assert _native.recognize_tokenizer(path) == "tiktoken"
    assert identify(path) == name
    assert tg.Tokenizer.from_tiktoken(path, split=KNOWN[name].split).special_tokens == {}
