"""What users of other tokenizers reported, with the value that must come out here.

Each test names the case by what was fed in; what other libraries make of it stands in the comment.
"""

import contextlib
import io
import json
import time
import warnings

import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, FormatError, InvalidTextWarning, ParameterError, TextgrainError


def words(text, **settings):
    return tg.BPE(split="words", symbols="characters", **settings).train([text])


def test_more_characters_than_the_vocabulary_may_hold():
    """Elsewhere the vocabulary grows beyond the size that was asked for."""
    line = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    with pytest.raises(ParameterError, match="must be at least 301"):
        words(line, vocab_size=50, special_tokens=["<s>"])
    limited = words(line, vocab_size=50, special_tokens=["<s>"], limit_alphabet=48, unknown_token="<unk>")
    assert limited.vocab_size <= 50


@pytest.mark.parametrize(
    "trainer",
    [
        tg.WordPiece(vocab_size=60, unknown_token="[UNK]"),
        tg.BPE(vocab_size=60, split="words", symbols="characters"),
        tg.Unigram(vocab_size=40, split="words", byte_fallback=False, unknown_token="<unk>"),
    ],
    ids=lambda trainer: type(trainer).__name__,
)
def test_sixty_trainings_are_one(trainer, tmp_path):
    """Elsewhere 60 runs give 60 vocabularies, and two ways to cut the second line."""
    files = set()
    for threads in (1, 2, 3) * 20:
        tokenizer = trainer.train(["Wel come to the Tok en izers libr ary."], threads=threads)
        tokenizer.save(tmp_path / "tokenizer.json")
        files.add((tmp_path / "tokenizer.json").read_bytes())
    assert len(files) == 1


@pytest.mark.parametrize("corpus", [[], [""], ["", "\n\n", "  "], iter(()), {}])
def test_nothing_to_train_on(corpus):
    """Elsewhere: ``max() arg is an empty sequence``, or a vocabulary of nothing without a word."""
    with pytest.raises(CorpusError, match=r"no text|empty|nothing"):
        tg.BPE(merges=5, split="whitespace").train(corpus)


def test_one_character_gives_an_alphabet():
    assert words("a", merges=5).vocabulary == ["a"]


def test_long_lines_are_used_whole(tmp_path):
    """Elsewhere lines over 4,192 bytes are left out, and what stands only in them is unknown."""
    lines = [" ".join(f"{name}{number}" for number in range(1500)) for name in "vwxyz"]
    assert min(map(len, lines)) > 4192
    (tmp_path / "long.txt").write_text("\n".join([*lines, "short line"]), encoding="utf-8")
    tokenizer = tg.WordLevel(split="whitespace").train(tg.Corpus.from_files(tmp_path / "long.txt"))
    assert {word for line in lines for word in line.split()} < set(tokenizer.vocabulary)
    assert len(tokenizer.encode("z1499 v0 line")) == 3


def test_counts_of_thousands_of_millions():
    """Elsewhere the sum leaves 32 bits, and the most frequent word is never merged."""
    tokenizer = tg.BPE(merges=2).train_from_counts({"the": 3_000_000_000, "cat": 10, "hat": 10})
    assert [record.token for record in tokenizer.history] == ["th", "the"]
    assert tokenizer.history[0].total == 3_000_000_000


def test_unseen_characters_do_not_vanish():
    """Elsewhere ``mug 😀`` becomes ``ug``, at the wrong place."""
    text, corpus = "mug \U0001f600", ["hug pug pun bun hugs"]
    tokenizer = tg.BPE(vocab_size=258).train(corpus)
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    assert encoding.offsets[encoding.tokens.index("ug")] == (1, 3)
    known = tg.BPE(merges=1, symbols="characters", split="none", unknown_token="<unk>").train(corpus)
    encoding = known.encode(text)
    assert list(zip(encoding.tokens, encoding.offsets, strict=True)) == [
        ("<unk>", (0, 1)),
        ("ug", (1, 3)),
        (" ", (3, 4)),
        ("<unk>", (4, 5)),
    ]
    with pytest.raises(TextgrainError, match="'m'"):
        tg.BPE(merges=1, symbols="characters", split="none").train(corpus).encode(text)


@pytest.mark.parametrize("split", ["gpt2", "gpt4", "o200k", "llama3", "qwen2"])
@pytest.mark.parametrize("text", [" " * 10**6, " " * 10**6 + "x", " \n" * 500_000, "^" * 10**6])
def test_a_million_of_one_character(split, text):
    """Elsewhere a panic that ``except Exception`` does not catch."""
    tokenizer = tg.BPE(vocab_size=300, split=split).train(["a  b\n^^ " * 50])
    started = time.monotonic()
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    assert time.monotonic() - started < 20


def test_a_special_token_right_after_a_text(tmp_path):
    """Elsewhere a normalizer that prepends hides the first, and the second is cut to pieces."""
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": 0, "content": "<|b|>", "single_word": False, "lstrip": False, "rstrip": False}
            | {"normalized": False, "special": True}
        ],
        "normalizer": {"type": "Prepend", "prepend": "_"},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"<|b|>": 0, "_hello": 1, "?": 2}, "unk_token": "?"},
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    tokenizer = tg.Tokenizer.load(path)
    assert tokenizer.encode("<|b|>hello<|b|>", special="allow").tokens == ["<|b|>", "_hello", "<|b|>"]


def test_a_special_token_that_a_user_typed():
    """Elsewhere a control id, or an error."""
    tokenizer = tg.BPE(merges=5, special_tokens=["<|end|>"]).train(["user typed here"])
    text, end = "user typed <|end|> here", tokenizer.token_to_id("<|end|>")
    assert end not in tokenizer.encode_ids(text)
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    assert tokenizer.encode_ids(text, special="allow").tolist().count(end) == 1
    with pytest.raises(TextgrainError, match=r"<\|end\|>"):
        tokenizer.encode(text, special="error")


def test_offsets_inside_one_character():
    encoding = tg.BPE(merges=0).train(["x"]).encode("i ⭢ j")
    assert encoding.offsets == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]
    assert "".join(dict.fromkeys(encoding.text[start:end] for start, end in encoding.offsets)) == "i ⭢j"


def test_decoding_as_ids_come():
    """Elsewhere four replacement characters for a face, and no spaces."""
    tokenizer = tg.BPE(merges=0).train(["x"])
    stream = tokenizer.stream()
    assert [stream.push(id_) for id_ in tokenizer.encode_ids("a\U0001f917b")] == [
        "a",
        "",
        "",
        "",
        "\U0001f917",
        "b",
    ]
    broken = [*b"a", *"\U0001f917".encode()[:2], *b"valid"]
    stream = tokenizer.stream()
    assert "".join([stream.push(id_) for id_ in broken]) + stream.finish() == tokenizer.decode(broken)
    spaced = tg.BPE(merges=9, split="metaspace").train(["I am I am"])
    stream = spaced.stream()
    assert "".join([stream.push(id_) for id_ in spaced.encode_ids("I am I")]) + stream.finish() == "I am I"


@pytest.mark.parametrize("text", ["  the  cat\n\tsat  ", "abc▁d d", " ⁇ "])
@pytest.mark.parametrize(
    "trainer",
    [
        tg.BPE(vocab_size=270),
        tg.BPE(vocab_size=270, split="metaspace"),
        tg.BPE(vocab_size=270, split="whitespace", space_prefix=True),
        tg.Unigram(vocab_size=300, split="whitespace", space_prefix=True, byte_fallback=True),
    ],
    ids=["gpt2", "metaspace", "space prefix", "unigram"],
)
def test_white_space_and_the_marker_survive(trainer, text):
    """Elsewhere spaces, line ends and tabs are gone, and a ``▁`` comes back as a space."""
    tokenizer = trainer.train(["the cat sat on the mat, the cat did"] * 3)
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text


def test_invalid_text_in_a_file(tmp_path):
    """Elsewhere training stops without the name of the file and the place."""
    path = tmp_path / "f.txt"
    path.write_bytes(b"first line\nbad \xff\xfe line\nthird line\n")
    with pytest.warns(InvalidTextWarning, match=r"2 invalid .*f\.txt byte 15"):
        tokenizer = tg.WordLevel(split="whitespace").train(tg.Corpus.from_files(path))
    assert {"first", "third"} <= set(tokenizer.vocabulary)
    with pytest.raises(FormatError, match=r"f\.txt, byte 15: not valid UTF-8") as caught:
        tg.WordLevel().train(tg.Corpus.from_files(path, errors="strict"))
    assert caught.value.offset == 15


def test_only_a_line_feed_ends_a_line(tmp_path):
    """Elsewhere U+2028, U+2029 and U+0085 make more lines of one."""
    path = tmp_path / "f.txt"
    path.write_text("a\u2028b\u2029c\x85d\n", encoding="utf-8", newline="")
    tokenizer = tg.BPE(merges=0, split="none").train(["x"])
    ids = tokenizer.encode_files(path, tmp_path / "f.ids")
    assert [tokenizer.decode(document) for document in ids.documents] == ["a\u2028b\u2029c\x85d"]


def test_a_string_is_no_list_of_letters():
    with pytest.raises(TypeError, match="a single string is not a corpus"):
        tg.BPE(merges=1).train("hello world")


def test_a_lone_surrogate_is_replaced():
    tokenizer = tg.BPE(merges=0).train(["x"])
    assert tokenizer.decode(tokenizer.encode_ids("a\ud800b")) == "a\ufffdb"


def test_a_nul_is_a_character_like_any_other(tmp_path):
    """Elsewhere a model that cannot be loaded."""
    tokenizer = tg.BPE(vocab_size=300).train(["a\0b a\0b a\0c"])
    tokenizer.save(tmp_path / "tokenizer.json")
    assert tg.Tokenizer.load(tmp_path / "tokenizer.json").decode(tokenizer.encode_ids("a\0b")) == "a\0b"


def test_a_corpus_that_can_be_read_only_once():
    """Elsewhere the second pass finds nothing."""
    corpus = tg.Corpus.from_iterable(line for line in ["low lower", "lowest low"])
    first = tg.BPE(merges=3).train(corpus)
    assert first.vocabulary == tg.BPE(merges=3).train(corpus).vocabulary


def test_twenty_thousand_special_tokens():
    """Elsewhere loading takes minutes."""
    names = [f"<extra_{number}>" for number in range(20_000)]
    started = time.monotonic()
    tokenizer = tg.BPE(merges=1, special_tokens=names).train(["low low"])
    ids = tokenizer.encode_ids("".join(names[:1000]), special="allow")
    assert ids.tolist() == [tokenizer.token_to_id(name) for name in names[:1000]]
    assert time.monotonic() - started < 20


def test_an_endless_word_of_four_letters():
    """Elsewhere a million letters of DNA do not end in 200 seconds."""
    text = "ACGT" * 50_000 + "AACCGGTT" * 50_000
    started = time.monotonic()
    tokenizer = tg.BPE(vocab_size=100, split="none", symbols="characters").train([text])
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    assert time.monotonic() - started < 20


def test_an_alphabet_for_dna_and_what_is_not_in_it():
    """Elsewhere 256 bytes are in the vocabulary whether they are wanted or not."""
    settings = {"split": "none", "symbols": "characters", "initial_alphabet": "ACGTN", "limit_alphabet": 5}
    reads = ["ACGACGTACGNN", "ACGRYACG"]
    strict = tg.BPE(vocab_size=8, **settings).train(reads)
    assert strict.vocabulary[:5] == list("ACGNT")
    assert strict.vocab_size <= 8
    assert strict.decode(strict.encode_ids("NTACG")) == "NTACG"
    with pytest.raises(TextgrainError, match="'R'"):
        strict.encode("ACGR")
    known = tg.BPE(vocab_size=9, unknown_token="?", **settings).train(reads)
    assert known.encode("RYACG").tokens == ["?", "?", "ACG"]
    assert known.encode("RYACG").offsets == [(0, 1), (1, 2), (2, 5)]


def test_progress_without_any_set_up():
    """Elsewhere a log has to be set up first, or the bar stands at its end for hours."""
    stages = {}

    def note(stage, done, total, _unit, _figures):
        assert total is None or done <= total
        stages.setdefault(stage, []).append(done)

    tg.BPE(vocab_size=2000).train(tg.sample_corpus(), progress=note)
    assert all(done == sorted(done) for done in stages.values())
    assert len(stages) > 1


def test_nothing_is_printed_or_warned_of():
    out, error = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        warnings.simplefilter("error")
        tg.BPE(vocab_size=300).train(["low lower"] * 5).encode_batch(["a", "b"], threads=2)
    assert out.getvalue() == error.getvalue() == ""
