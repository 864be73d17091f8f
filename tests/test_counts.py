"""Counts of pieces as files that can be added up, and training from them."""

import copy
import pickle
import random
import struct

import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, FormatError, ParameterError

WORDS = [
    "fever",
    "the",
    "nurse",
    "patient",
    "ward",
    "aaaa",
    "a piece that is longer than a slot",
    "中文",
    "é\0",
]


@pytest.fixture(scope="module")
def parts():
    generator = random.Random(3)
    return [[" ".join(generator.choices(WORDS, k=9)) for _ in range(200)] for _ in range(3)]


def saved(tokenizer, path):
    tokenizer.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("split", ["gpt2", "words"])
def test_parts_that_are_added_up_train_the_same_tokenizer(parts, split, tmp_path):
    trainer = tg.BPE(vocab_size=300, split=split)
    whole = saved(trainer.train([line for part in parts for line in part]), tmp_path / "whole.json")
    files = []
    for number, part in enumerate(parts):
        files.append(tmp_path / f"{number}.counts")
        tg.PieceCounts.count(part, split=split, threads=1 + number).save(files[-1])
    assert saved(trainer.train_from_counts(files), tmp_path / "a.json") == whole
    merged = tg.PieceCounts.merge(map(tg.PieceCounts.load, files))
    merged.save(tmp_path / "all.counts")
    for counts in (merged, tmp_path / "all.counts", str(tmp_path / "all.counts"), dict(merged)):
        assert saved(trainer.train_from_counts(counts), tmp_path / "b.json") == whole
    assert saved(trainer.train(tg.Corpus.from_counts(merged)), tmp_path / "c.json") == whole


def test_what_counts_tell():
    counts = tg.PieceCounts.count(["to be or not to be", "", "be"], split="words")
    assert dict(counts) == {"to": 2, "be": 3, "or": 1, "not": 1}
    assert list(counts)[:2] == [("to", 2), ("be", 3)]
    assert counts.most_common(2) == [("be", 3), ("to", 2)]
    assert (len(counts), counts.total, counts.documents, counts.bytes) == (4, 7, 2, 20)
    assert (counts.split, counts.space_prefix) == ("words", False)
    assert repr(counts) == "<PieceCounts of 4 pieces, split='words'>"


def test_copies_and_files_are_equal(tmp_path):
    counts = tg.PieceCounts.count(["a b  c"], split="words", space_prefix=True)
    counts.save(tmp_path / "one.counts")
    loaded = tg.PieceCounts.load(tmp_path / "one.counts")
    for other in (loaded, pickle.loads(pickle.dumps(counts)), copy.deepcopy(counts)):
        assert other == counts
        assert hash(other) == hash(counts)
        other.save(tmp_path / "two.counts")
        assert (tmp_path / "two.counts").read_bytes() == (tmp_path / "one.counts").read_bytes()
    corpus = pickle.loads(pickle.dumps(tg.Corpus.from_counts(counts)))
    trainer = tg.BPE(merges=3, split="words", space_prefix=True)
    assert trainer.train(corpus).merges == trainer.train(counts).merges


def test_counts_of_a_mapping_and_of_more_than_32_bits():
    counts = tg.PieceCounts.count({"the": 3_000_000_000, "cat": 10, "hat": 10})
    assert counts.most_common(1) == [("the", 3_000_000_000)]
    doubled = tg.PieceCounts.merge([counts, counts])
    history = tg.BPE(merges=2).train(doubled).history
    assert [(record.pair, record.total) for record in history] == [
        (("t", "h"), 6_000_000_000),
        (("th", "e"), 6_000_000_000),
    ]


def test_other_trainers_take_counts(parts):
    counts = tg.PieceCounts.count(parts[0], split="words")
    assert tg.WordLevel().train(counts).vocabulary == tg.WordLevel().train(parts[0]).vocabulary


def test_counts_of_another_rule_are_refused():
    counts = tg.PieceCounts.count(["a b"], split="words")
    with pytest.raises(ParameterError, match=r'`split` of the trainer must be "words".*got "gpt2"'):
        tg.BPE(merges=1).train(counts)
    with pytest.raises(ParameterError, match="space_prefix=True"):
        tg.PieceCounts.merge([tg.PieceCounts.count(["a"], split="words", space_prefix=True), counts])


def test_nothing_to_add_up_or_to_train_on():
    with pytest.raises(CorpusError, match="no counts to merge"):
        tg.PieceCounts.merge([])
    empty = tg.PieceCounts.count([])
    assert (len(empty), empty.total) == (0, 0)
    with pytest.raises(CorpusError):
        tg.BPE(merges=1).train(empty)


def test_damage_is_found(parts, tmp_path):
    path = tmp_path / "part.counts"
    tg.PieceCounts.count(parts[0]).save(path)
    content = path.read_bytes()
    generator = random.Random(1)
    for _ in range(300):
        place = generator.randrange(len(content))
        damaged = bytearray(content)
        damaged[place] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(FormatError):
            tg.PieceCounts.load(path)
    for length in (0, 7, 8, 100, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(FormatError):
            tg.PieceCounts.load(path)
    path.write_bytes(struct.pack("<Q", 2) + b"{}")
    with pytest.raises(FormatError, match="without counts"):
        tg.PieceCounts.load(path)
    with pytest.raises(FileNotFoundError):
        tg.PieceCounts.load(tmp_path / "none")


def test_other_programs_can_read_the_file(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    tg.PieceCounts.count({"é": 3, "ab": 1}).save(tmp_path / "a.counts")
    tensors = numpy.load_file(tmp_path / "a.counts")
    assert tensors["pieces"].tobytes() == "éab".encode()
    assert (tensors["piece_ends"].tolist(), tensors["counts"].tolist()) == ([2, 4], [3, 1])
