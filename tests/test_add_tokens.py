"""Ordinary tokens that are found before a text is cut."""

import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError

TEXTS = ["low lower lowest", "the newest low é"]
TRAINERS = {
    "bytes": tg.BPE(merges=6, special_tokens=["<end>"]),
    "no special tokens": tg.BPE(merges=6, split="gpt4"),
    "characters": tg.BPE(merges=6, symbols="characters", split="words", unknown_token="?"),
    "marker": tg.BPE(
        merges=6, symbols="characters", split="whitespace", end_of_word="</w>", unknown_token="?"
    ),
    "words": tg.WordLevel(special_tokens=["<end>"], unknown_token="?"),
    "word piece": tg.WordPiece(vocab_size=60, special_tokens=["<end>"]),
    "unigram": tg.Unigram(vocab_size=290, special_tokens=["<end>"]),
    "normalized": tg.BPE(merges=6, normalizer="lowercase"),
}


@pytest.fixture(params=TRAINERS)
def trained(request):
    return TRAINERS[request.param].train(TEXTS)


def test_ids_are_appended_and_kept_in_files(trained, tmp_path):
    size = len(trained)
    first = trained.add_tokens(["lowest", "ECG"]) if "lowest" not in trained else trained.add_tokens(["ECG"])
    more = first.add_special_tokens(["<sep>"]).add_tokens([" mg"], normalized=False)
    assert more.vocabulary[:size] == trained.vocabulary
    assert more.vocabulary[-2:] == ["<sep>", " mg"]
    assert more.special_tokens == trained.special_tokens | {"<sep>": len(more) - 2}
    more.save(tmp_path / "tokenizer.json")
    loaded = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == more
    assert loaded.settings == more.settings
    text = "low ECG lower 5 mg<sep>"
    for special in ("text", "allow"):
        encoding = more.encode("low ECG lower<sep>", special)
        assert "ECG" in encoding.tokens
        assert encoding.ids.tolist() == loaded.encode_ids("low ECG lower<sep>", special).tolist()
        assert ("<sep>" in encoding.tokens) == (special == "allow")
    if trained.lossless:
        assert more.decode(more.encode_ids(text)) == text
    # Texts without them keep their ids.
    for known in TEXTS[:1]:
        if "lowest" in trained:
            assert more.encode_ids(known).tolist() == trained.encode_ids(known).tolist()


def test_more_merges_come_after_added_tokens(tmp_path):
    trained = TRAINERS["bytes"].train(TEXTS).add_tokens(["ECG"]).add_special_tokens(["<sep>"])
    extended = trained.extend(["fever fever fevers"], merges=3)
    assert extended.vocabulary[: len(trained)] == trained.vocabulary
    later = extended.add_tokens(["MRI"])
    for tokenizer in (extended, later):
        tokenizer.save(tmp_path / "tokenizer.json")
        loaded = tg.Tokenizer.load(tmp_path / "tokenizer.json")
        assert loaded == tokenizer
        assert loaded.encode("fever ECG<sep>", special="allow").tokens[-3:] == [" ", "ECG", "<sep>"]
    assert later.encode("MRI").tokens == ["MRI"]


def test_rules():
    trained = TRAINERS["bytes"].train(TEXTS)
    word = trained.add_tokens(["low"[:2] + "X"], single_word=True)
    assert word.encode("loX loXs").tokens[0] == "loX"
    assert word.encode("loX loXs").tokens[2:] != ["loX", "s"]
    strip = trained.add_tokens(["<m>"], lstrip=True, rstrip=True)
    assert strip.encode("a <m> b").tokens == ["a", "<m>", "b"]
    assert strip.encode("a <m> b").offsets == [(0, 1), (1, 6), (6, 7)]
    lower = TRAINERS["normalized"].train(TEXTS).add_tokens(["ECG"])
    assert lower.encode("an ecg").tokens[-1] == "ECG"
    exact = TRAINERS["normalized"].train(TEXTS).add_tokens(["ECG"], normalized=False)
    assert exact.encode("an ECG").tokens[-1] == "ECG"
    assert exact.encode("an ecg").tokens[-1] == "g"


def test_what_cannot_be_added(trained):
    with pytest.raises(ParameterError, match="a token that is there already"):
        trained.add_tokens(["ECG", "ECG"])
    with pytest.raises(ParameterError, match="an empty name"):
        trained.add_tokens([""])
    with pytest.raises(TypeError, match="sequence of names"):
        trained.add_tokens("ECG")


@pytest.mark.shared
def test_sentencepiece_models_have_no_place_for_them(shared_data):
    model = tg.Tokenizer.load(shared_data / "data/tokenizers/spm_test.model")
    for add in (model.add_tokens, model.add_special_tokens):
        with pytest.raises(ParameterError, match="whose file has no place for them"):
            add(["<new>"])
