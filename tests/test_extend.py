"""More merges and special tokens for a tokenizer that exists: old ids stay, new ones come after them."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import CorpusError, ParameterError
from textgrain.reference.bpe import merge

many = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
words = st.text(alphabet="abc", min_size=1, max_size=9)
corpora = st.lists(words, min_size=1, max_size=8)

TRAINERS = {
    "bytes": tg.BPE(merges=6, split="none"),
    "characters": tg.BPE(merges=6, split="none", symbols="characters", unknown_token="?"),
    "marker": tg.BPE(merges=6, split="none", symbols="characters", end_of_word="_", special_tokens=["<s>"]),
    "largest text": tg.BPE(merges=6, split="script", tie_break="largest-text", special_tokens=["<a>", "<b>"]),
    "lowest ids": tg.BPE(merges=6, split="none", tie_break="lowest-ids", special_tokens=["<a>", "<b>"]),
}


def check_ids(old, new, text):
    """The new ids are the old ones with the new merges applied to them, in order."""
    # Each id is written as a character, so that one of the twin's symbols tells what it is made of.
    names = {id_: chr(0x4E00 + id_) for id_ in range(len(old))}
    expected = [names[id_] for id_ in old.encode_ids(text).tolist()]
    for left, right, token in new._native.merges()[len(old.merges) :]:
        expected = merge(expected, (names[left], names[right]))
        names[token] = names[left] + names[right]
    assert [names[id_] for id_ in new.encode_ids(text).tolist()] == expected


@pytest.mark.parametrize("kind", TRAINERS)
def test_old_ids_stay_unless_a_new_merge_applies(kind, tmp_path_factory):
    path = tmp_path_factory.mktemp("extended") / "tokenizer.json"

    @many
    @given(corpora, corpora, st.lists(words, max_size=5), st.integers(0, 20), st.sampled_from([1, 3]))
    def check(first, second, texts, merges, threads):
        old = TRAINERS[kind].train(["abc", *first])
        new = old.extend(second, merges=merges, threads=threads)
        assert [new.id_to_bytes(id_) for id_ in range(len(old))] == [
            old.id_to_bytes(id_) for id_ in range(len(old))
        ]
        assert new.special_tokens == old.special_tokens
        assert new.merges[: len(old.merges)] == old.merges
        made = len(new.merges) - len(old.merges)
        assert len(new) == len(old) + made <= len(old) + merges
        assert len(new.history) == len(new.merges)
        for text in [*first, *second, *texts]:
            check_ids(old, new, text)
            assert new.decode(new.encode_ids(text)) == text
        new.save(path)
        again = tg.Tokenizer.load(path)
        for text in [*first, *second, *texts]:
            assert again.encode_ids(text).tolist() == new.encode_ids(text).tolist()
        assert again.special_tokens == new.special_tokens

    check()


def test_new_text_gets_shorter_and_old_text_stays():
    old = tg.BPE(vocab_size=265, special_tokens=["<end>"]).train(["the cat sat on the mat"] * 9)
    new = old.extend(["tachycardia and bradycardia"] * 5, vocab_size=275)
    assert (len(old), len(new)) == (265, 275)
    assert new.special_tokens == old.special_tokens
    assert new.encode_ids("the cat").tolist() == old.encode_ids("the cat").tolist()
    assert new.count("tachycardia") < old.count("tachycardia")
    assert new.settings["vocab_size"] == 275
    twice = new.extend(["<end> more text"] * 5, vocab_size=280).add_special_tokens(["<pad>"])
    assert twice.special_tokens == {"<end>": old.special_tokens["<end>"], "<pad>": 280}


def test_special_tokens_come_last(tmp_path):
    old = tg.BPE(merges=5, special_tokens=["<a>"]).train(["some text"])
    new = old.add_special_tokens(["<b>", "<c>"])
    assert old.special_tokens == {"<a>": len(old) - 1}
    assert new.special_tokens == {"<a>": len(old) - 1, "<b>": len(old), "<c>": len(old) + 1}
    assert new.encode_ids("x<c>", special="allow").tolist()[-1] == len(old) + 1
    assert new.encode_ids("x<c>").tolist() == old.encode_ids("x<c>").tolist()
    new.save(tmp_path / "a.json")
    assert tg.Tokenizer.load(tmp_path / "a.json").special_tokens == new.special_tokens
    with pytest.raises(ParameterError, match="there already, with id"):
        new.add_special_tokens(["<b>"])
    with pytest.raises(TypeError):
        new.add_special_tokens("<d>")
    levels = tg.WordLevel().train(["a b"]).add_special_tokens(["<d>"])
    assert levels.special_tokens == {"<d>": len(levels) - 1}


def test_settings_of_extending():
    tokenizer = tg.BPE(merges=3).train(["abcabc"])
    for options, message in [
        ({}, "must be set, not both, got neither"),
        ({"vocab_size": 300, "merges": 4}, "must be set, not both, got both"),
        ({"vocab_size": 20}, "must be at least 259, the size that the vocabulary has"),
        ({"merges": -1}, "`merges` must be a whole number"),
    ]:
        with pytest.raises(ParameterError) as raised:
            tokenizer.extend(["abc"], **options)
        assert message in str(raised.value)
    with pytest.raises(CorpusError):
        tokenizer.extend([], merges=1)
    with pytest.raises(ParameterError, match="must be one of byte-pair encoding"):
        tg.WordLevel().train(["a b"]).extend(["a"], merges=1)
    short = tokenizer.extend(["xyzxyzxyz"], merges=20, max_token_length=2)
    assert max(len(short.id_to_bytes(id_)) for id_ in range(len(tokenizer), len(short))) == 2
    assert len(tokenizer.extend(["qrst"], merges=20, min_frequency=2)) == len(tokenizer)


def test_counts_can_be_extended_from():
    tokenizer = tg.BPE(merges=3, split="words").train(["abc abc"])
    text = ["low lower", "lowest low"]
    counts = tg.PieceCounts.count(text, split="words")
    expected = tokenizer.extend(text, merges=4).merges
    assert tokenizer.extend(counts, merges=4).merges == expected
    assert tokenizer.extend(dict(counts), merges=4).merges == expected


NEW_TEXT = ["pneumonoultramicroscopic tachyarrhythmia, tachycardia; Ærøskøbing 東京都 東京都"] * 6


@pytest.mark.shared
@pytest.mark.parametrize(("name", "split"), [("r50k_base", "gpt2"), ("cl100k_base", "gpt4")])
def test_ranks_of_tiktoken(shared_data, name, split, tmp_path):
    path = tmp_path / f"{name}.tiktoken"
    path.write_bytes(gzip.decompress((shared_data / f"data/tokenizers/{name}.tiktoken.gz").read_bytes()))
    old = tg.Tokenizer.from_tiktoken(path, split=split, special_tokens=name)
    new = old.extend(NEW_TEXT, merges=20)
    assert len(new) == len(old) + 20
    assert new.special_tokens == old.special_tokens
    texts = json.loads(gzip.decompress((shared_data / "data/golden/texts.json.gz").read_bytes()))
    for text in texts[:150]:
        before = old.encode_ids(text).tolist()
        after = new.encode_ids(text).tolist()
        assert new.decode(after) == text
        if max(after, default=0) < len(old):
            assert after == before
    assert new.count(NEW_TEXT[0]) < old.count(NEW_TEXT[0])
    new.save(tmp_path / "new.json")
    again = tg.Tokenizer.load(tmp_path / "new.json")
    assert again.encode_ids(NEW_TEXT[0]).tolist() == new.encode_ids(NEW_TEXT[0]).tolist()


@pytest.mark.shared
@pytest.mark.parametrize("name", ["gpt2", "claude", "mistral_v1"])
def test_files_of_hugging_face(shared_data, name, tmp_path):
    path = tmp_path / f"{name}.json"
    path.write_bytes(
        gzip.decompress((shared_data / f"data/tokenizers/{name}.tokenizer.json.gz").read_bytes())
    )
    old = tg.Tokenizer.load(path)
    new = old.extend(NEW_TEXT, merges=10)
    assert len(new) == len(old) + 10
    assert new.count(NEW_TEXT[0]) < old.count(NEW_TEXT[0])
    texts = json.loads(gzip.decompress((shared_data / "data/golden/texts.json.gz").read_bytes()))
    for text in texts[:150]:
        after = new.encode_ids(text).tolist()
        if max(after, default=0) < len(old):
            assert after == old.encode_ids(text).tolist()
    new.save(tmp_path / "new.json")
    again = tg.Tokenizer.load(tmp_path / "new.json")
    assert again.special_tokens == new.special_tokens
    peer = pytest.importorskip("tokenizers").Tokenizer.from_file(str(tmp_path / "new.json"))
    for text in [*texts[:150], *NEW_TEXT]:
        ids = new.encode_ids(text, special="allow").tolist()
        assert again.encode_ids(text, special="allow").tolist() == ids
        assert peer.encode(text, add_special_tokens=False).ids == ids
