"""One door for tokenizers of all programs, and conversion among them."""

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

TEXTS = ["low lower lowest", "the newest é", "", "a low  tower"]
TRAINERS = {
    "json": tg.Unigram(vocab_size=280),
    "tiktoken": tg.BPE(merges=20, split="gpt4"),
    "gpt2": tg.BPE(merges=20),
    "bert": tg.WordPiece(vocab_size=60, normalizer="bert", split={"type": "BertPreTokenizer"}),
    "subword-nmt": tg.BPE(
        merges=20, symbols="characters", split="whitespace", end_of_word="</w>", unknown_token="?"
    ),
}
NAMES = {"gpt2": "notes-vocab.json", "bert": "anything", "json": "no-ending"}


@pytest.fixture(params=TRAINERS)
def saved(request, tmp_path):
    trained = TRAINERS[request.param].train(TEXTS * 3)
    path = tmp_path / NAMES.get(request.param, "file")
    trained.save(path, format=request.param)
    return request.param, trained, path


def test_what_was_written_is_opened_by_content(saved):
    name, trained, path = saved
    loaded = tg.Tokenizer.load(path, split="gpt4" if name == "tiktoken" else None)
    for text in TEXTS:
        assert loaded.encode(text).tokens == trained.encode(text).tokens
    if name == "gpt2":
        assert tg.Tokenizer.load(path.with_name("notes-merges.txt")) == loaded


def test_special_tokens_can_be_given_where_the_file_does_not_say_them(saved):
    name, _, path = saved
    if name in ("json", "bert"):
        with pytest.raises(ParameterError, match="`special_tokens` cannot be given for"):
            tg.Tokenizer.load(path, special_tokens=["<end>"])
    elif name == "tiktoken":
        loaded = tg.Tokenizer.load(path, split="gpt4", special_tokens={"<end>": 1000})
        assert loaded.special_tokens == {"<end>": 1000}
        with pytest.raises(TypeError, match="mapping of names to ids"):
            tg.Tokenizer.load(path, split="gpt4", special_tokens=["<end>"])
    elif name == "subword-nmt":
        loaded = tg.Tokenizer.load(path, special_tokens=["<end>"])
        assert loaded.special_tokens == {"<end>": len(loaded) - 1}
    else:
        assert tg.Tokenizer.load(path, special_tokens=["l"]).special_tokens.keys() == {"l"}


def test_a_split_rule_is_asked_for_where_only_the_caller_knows_it(saved):
    name, _, path = saved
    if name == "tiktoken":
        with pytest.raises(ParameterError, match="`split` must be set for"):
            tg.Tokenizer.load(path)
    else:
        with pytest.raises(ParameterError, match=r"`split` can only be used with a \.tiktoken file"):
            tg.Tokenizer.load(path, split="gpt4")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"a text\nlike any other\n", "not a file of another program that is known here"),
        (b"\x00\x01\x02", "not a tokenizer.json"),
        (b"#version: 0.2\nl o\n", "`path` must end in vocab.json or merges.txt"),
    ],
)
def test_other_files_are_refused(content, reason, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises((FormatError, ParameterError), match=reason):
        tg.Tokenizer.load(tmp_path / "file")


def test_formats_have_names(tmp_path):
    tokenizer = TRAINERS["gpt2"].train(TEXTS)
    with pytest.raises(ParameterError, match="`format` must be"):
        tokenizer.save(tmp_path / "file", format="txt")
    with pytest.raises(ParameterError, match=r"`path` must end in vocab\.json"):
        tokenizer.save(tmp_path / "file", format="gpt2")


@pytest.mark.shared
def test_chains_of_formats_keep_all_ids(shared_data, tmp_path):
    """GPT-2 from its two files to ranks and back."""
    import gzip

    data = shared_data / "data/tokenizers"
    for name, packed in [("vocab.json", "gpt2.encoder.json.gz"), ("merges.txt", "gpt2.vocab.bpe.gz")]:
        (tmp_path / name).write_bytes(gzip.decompress((data / packed).read_bytes()))
    first = tg.Tokenizer.load(tmp_path / "vocab.json", special_tokens=["<|endoftext|>"])
    first.save(tmp_path / "ranks", format="tiktoken")
    assert (tmp_path / "ranks").read_bytes() == gzip.decompress((data / "r50k_base.tiktoken.gz").read_bytes())
    second = tg.Tokenizer.load(tmp_path / "ranks")
    second.save(tmp_path / "tokenizer.json")
    third = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    third.save(tmp_path / "again-vocab.json", format="gpt2")
    assert (tmp_path / "again-merges.txt").read_bytes() == (tmp_path / "merges.txt").read_bytes()
