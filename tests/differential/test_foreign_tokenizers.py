"""tokenizer.json files of Hugging Face tokenizers give the ids, offsets and texts that this library gives."""

import gzip
import hashlib
import json

import pytest

import textgrain as tg

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def texts(shared_data, decompressed):
    return json.loads(decompressed(shared_data / "data/golden/texts.json.gz"))


@pytest.fixture(scope="module")
def case(foreign_file, shared_data, decompressed, tmp_path_factory):
    name, content = foreign_file
    path = tmp_path_factory.mktemp("foreign") / "tokenizer.json"
    path.write_bytes(content)
    golden = json.loads(decompressed(shared_data / f"data/golden/hf_{name}.json.gz"))
    return name, tg.Tokenizer.load(path), golden


def test_ids_offsets_and_text(case, texts):
    _, tokenizer, golden = case
    for text, ids, offsets, decoded in zip(
        texts, golden["ids"], golden["offsets"], golden["decoded"], strict=True
    ):
        encoding = tokenizer.encode(text, special="allow")
        assert encoding.ids.tolist() == ids, text
        assert [list(span) for span in encoding.offsets] == offsets, text
        assert tokenizer.decode(ids) == (text if decoded is None else decoded)


def test_a_stream_of_ids_gives_the_whole_text(case, texts):
    _, tokenizer, golden = case
    stream = tokenizer.stream()
    for number, (text, ids, decoded) in enumerate(zip(texts, golden["ids"], golden["decoded"], strict=True)):
        parts = [stream.push(id_) for id_ in ids]
        assert "".join(parts) + stream.finish() == (text if decoded is None else decoded)
        # The same ids without their beginning, and backwards: half characters, words without a start.
        if number % 10 == 0:
            for odd in (ids[1:], ids[::-1]):
                assert "".join([stream.push(id_) for id_ in odd]) + stream.finish() == tokenizer.decode(odd)
                again, spans = tokenizer.decode_with_offsets(odd)
                assert again == tokenizer.decode(odd)
                assert spans == sorted(spans)


def test_the_start_of_a_text_and_spans_in_bytes(case, texts):
    _, tokenizer, _ = case
    for text in texts[::10]:
        encoding = tokenizer.encode(text)
        for (first, last), (start, end) in zip(encoding.offsets, encoding.byte_offsets, strict=True):
            assert len(text[:first].encode()) <= start
            assert end <= len(text[:last].encode())
        start_of = tokenizer.encode(text, max_tokens=5)
        assert start_of.ids.tolist() == encoding.ids[:5].tolist()
        assert start_of.offsets == encoding.offsets[:5]
        assert start_of.truncated == (len(encoding) > 5)


def test_a_copy_is_the_same(case, texts, tmp_path):
    _, tokenizer, golden = case
    tokenizer.save(tmp_path / "first.json")
    copy = tg.Tokenizer.load(tmp_path / "first.json")
    copy.save(tmp_path / "second.json")
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()
    assert copy.special_tokens == tokenizer.special_tokens
    for text, ids in zip(texts, golden["ids"], strict=True):
        assert copy.encode_ids(text, special="allow").tolist() == ids


@pytest.mark.peer
def test_the_owner_loads_what_is_written(case, texts, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    _, tokenizer, golden = case
    tokenizer.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()
    for text, ids, with_special in zip(texts, golden["ids"], golden["ids_with_special"], strict=True):
        assert theirs.encode(text, add_special_tokens=False).ids == ids
        assert theirs.encode(text).ids == (ids if with_special is None else with_special)


def test_bulk(case, shared_data):
    """Over more text: the number of ids and a checksum of them all."""
    name, tokenizer, _ = case
    bulk = json.loads((shared_data / "data/golden/bulk.json").read_text())
    corpora = {"en_first_1MB": "en_1m.txt.gz", "multi_every_40th_line": "multi_sample.tsv.gz"}
    for corpus, file in corpora.items():
        content = gzip.decompress((shared_data / "data/corpora" / file).read_bytes()).decode()
        lines = [line.split("\t", 1)[-1] for line in content.split("\n")[:-1]]
        ids, _ = tokenizer.encode_ids_batch(lines, special="allow")
        expected = bulk[f"hf_{name}"][corpus]
        assert len(ids) == expected["tokens"]
        assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == expected["sha256"]
