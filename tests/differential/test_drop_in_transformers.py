"""The tokenizer for the transformers library gives the ids that ours gives."""

import sys

import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError

TEXTS = ["low lower", "", "J’aime  Málaga ⭢ \U0001f600\n"]


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(vocab_size=300, special_tokens=["<pad>", "<end>"]).train(TEXTS)


@pytest.mark.peer
def test_equal_ids(tokenizer, tmp_path):
    transformers = pytest.importorskip("transformers")
    fast = tokenizer.as_transformers(pad_token="<pad>", eos_token="<end>", model_max_length=20)
    assert isinstance(fast, transformers.PreTrainedTokenizerFast)
    assert len(fast) == len(tokenizer)
    for text in TEXTS:
        ids = fast(text).input_ids
        assert ids == tokenizer.encode_ids(text).tolist()
        assert fast.decode(ids, clean_up_tokenization_spaces=False) == text
    batch = fast(TEXTS, padding=True, truncation=True)
    ours = tokenizer.encode_padded(TEXTS, max_length=20)
    assert batch["input_ids"] == ours.ids.tolist()
    assert batch["attention_mask"] == ours.attention_mask.tolist()
    assert fast.pad_token_id == tokenizer.token_to_id("<pad>")
    assert fast.eos_token_id == tokenizer.token_to_id("<end>")
    fast.save_pretrained(tmp_path)
    assert (
        tg.Tokenizer.load(tmp_path / "tokenizer.json").encode_ids(TEXTS[0]).tolist()
        == fast(TEXTS[0]).input_ids
    )


def test_what_the_library_cannot_do_is_said():
    trainer = tg.BPE(merges=5, split="words", symbols="characters", end_of_word="</w>")
    tokenizer = trainer.train(["low lower"])
    with pytest.raises(ParameterError, match=r"must be one that Hugging Face tokenizers can load.*end"):
        tokenizer.as_transformers()


def test_without_the_library(tokenizer, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ImportError, match="pip install transformers"):
        tokenizer.as_transformers()
