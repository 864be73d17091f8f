"""`vocab.json` and `merges.txt`."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

TEXTS = ["low lower lowest # ## the\n\n  newest é中\U0001f600", "<|end|>low", " #", ""]


@pytest.fixture
def trained():
    return tg.BPE(merges=40, tie_break="lowest-ids", special_tokens=["<|end|>"]).train(TEXTS)


@pytest.fixture
def paths(tmp_path):
    return tmp_path / "vocab.json", tmp_path / "merges.txt"


def test_a_tokenizer_comes_back(trained, paths):
    trained.save_gpt2(*paths)
    loaded = tg.Tokenizer.from_gpt2(*paths, special_tokens=["<|end|>"])
    assert loaded.vocabulary == trained.vocabulary
    assert loaded.special_tokens == trained.special_tokens
    for text in TEXTS:
        for special in ("text", "allow"):
            assert loaded.encode_ids(text, special).tolist() == trained.encode_ids(text, special).tolist()
        assert loaded.decode(loaded.encode_ids(text)) == text
    loaded.save_gpt2(paths[0].with_name("again.json"), paths[1].with_name("again.txt"))
    assert paths[1].read_bytes() == paths[1].with_name("again.txt").read_bytes()


@pytest.mark.parametrize(
    ("vocabulary", "merges", "file", "line", "reason"),
    [
        ("{", "", 0, 1, "not a vocabulary in JSON"),
        ("[]", "", 0, None, "must be an object"),
        ('{"a": "b"}', "", 0, None, "must be a whole number"),
        (None, "#version: 0.2\nl o w\n", 1, 2, "two tokens with a space"),
        (None, "l \n", 1, 1, "two tokens with a space"),
        (None, "x yz\n", 1, 1, 'the merge of "x" and "yz" needs "yz"'),
    ],
)
def test_damage_is_found_with_its_place(trained, paths, vocabulary, merges, file, line, reason):
    trained.save_gpt2(*paths)
    for path, content in zip(paths, [vocabulary, merges], strict=True):
        if content is not None:
            path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=reason) as raised:
        tg.Tokenizer.from_gpt2(*paths)
    assert (raised.value.path, raised.value.line) == (paths[file], line)


def test_special_tokens_must_be_tokens(trained, paths):
    trained.save_gpt2(*paths)
    with pytest.raises(ParameterError, match="must be tokens of"):
        tg.Tokenizer.from_gpt2(*paths, special_tokens=["<|other|>"])


@pytest.mark.parametrize(
    ("trainer", "reason"),
    [
        (tg.BPE(merges=3, split="gpt4"), "does not split text as GPT-2 does"),
        (tg.WordLevel(), "of type WordLevel"),
        (tg.BPE(merges=3, symbols="characters", split="words"), "does not split text as GPT-2 does"),
    ],
)
def test_what_the_files_cannot_say_is_refused(trainer, reason, paths):
    with pytest.raises(ParameterError, match=reason):
        trainer.train(TEXTS).save_gpt2(*paths)
    assert not paths[0].exists()


@pytest.mark.shared
def test_the_files_of_gpt2(shared_data, paths):
    data = shared_data / "data"
    for path, packed in zip(paths, ["gpt2.encoder.json.gz", "gpt2.vocab.bpe.gz"], strict=True):
        path.write_bytes(gzip.decompress((data / "tokenizers" / packed).read_bytes()))
    tokenizer = tg.Tokenizer.from_gpt2(*paths, special_tokens=["<|endoftext|>"])
    texts = json.loads(gzip.decompress((data / "golden" / "texts.json.gz").read_bytes()))
    golden = json.loads(gzip.decompress((data / "golden" / "hf_gpt2.json.gz").read_bytes()))
    for text, ids in zip(texts, golden["ids"], strict=True):
        assert tokenizer.encode_ids(text, special="allow").tolist() == ids
    tokenizer.save_gpt2(paths[0].with_name("again.json"), paths[1].with_name("again.txt"))
    assert paths[1].with_name("again.txt").read_bytes() == paths[1].read_bytes()
    again = json.loads(paths[0].with_name("again.json").read_text(encoding="utf-8"))
    assert again == json.loads(paths[0].read_text(encoding="utf-8"))


@pytest.mark.peer
@settings(max_examples=100, deadline=None)
@given(text=st.text(st.one_of(st.sampled_from("low newst#\n"), st.characters(exclude_categories=["Cs"]))))
def test_the_owner_gives_the_same_ids(loaded_by_owner, text):
    ours, theirs = loaded_by_owner
    assert ours.encode_ids(text).tolist() == theirs.encode(text).ids


@pytest.fixture(scope="module")
def loaded_by_owner(tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("gpt2")
    trained = tg.BPE(merges=40, tie_break="lowest-ids").train(TEXTS)
    trained.save_gpt2(folder / "vocab.json", folder / "merges.txt")
    model = tokenizers.models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return trained, theirs
