"""The map of characters as Hugging Face tokenizers applies it, which is not quite how SentencePiece does."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

ODD = "aéｅ\u0301\u0300ﬁ½ﾊﾟガ\u3099①㌔ \u00a0\u3000\t\n\u200bᄒᆞᆫ각\U0001f469\u200d\U0001f52cك\u064b\u0915\u093f"


@pytest.fixture(scope="module")
def pair(shared_data, map_of_characters, tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    path = shared_data / "data" / "tokenizers" / "trained" / "spm_word.model"
    encoded = base64.b64encode(map_of_characters(path.read_bytes())).decode()
    document = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": encoded},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["e", -2.0]]},
    }
    path = tmp_path_factory.mktemp("map") / "tokenizer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return tg.Tokenizer.load(path), tokenizers.Tokenizer.from_file(str(path))


@pytest.mark.shared
@pytest.mark.peer
@settings(max_examples=500, deadline=None)
@given(text=st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=20))
def test_equal_texts_and_offsets(pair, text):
    ours, theirs = pair
    assert ours.normalize(text) == theirs.normalizer.normalize_str(text)
    encoded = theirs.encode(text)
    assert ours.encode_ids(text).tolist() == encoded.ids
    assert ours.encode(text).offsets == encoded.offsets
