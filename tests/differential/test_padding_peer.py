"""Rows of padded matrices against Hugging Face tokenizers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

tokenizers = pytest.importorskip("tokenizers")

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def ours():
    return tg.BPE(merges=5, special_tokens=["<pad>"]).train(["low lower lowest"])


def theirs(ours, folder, padding, truncation):
    ours.save(folder / "tokenizer.json")
    peer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    peer.enable_padding(pad_id=ours.token_to_id("<pad>"), pad_token="<pad>", **padding)
    if truncation:
        peer.enable_truncation(**truncation)
    return peer


@settings(max_examples=100, deadline=None)
@given(
    texts=st.lists(st.text(alphabet="low er", max_size=12), min_size=1, max_size=5),
    multiple=st.integers(1, 4),
    padding_side=st.sampled_from(["left", "right"]),
    truncation_side=st.sampled_from(["left", "right"]),
    max_length=st.none() | st.integers(1, 6),
    overlap=st.none() | st.integers(0, 5),
    fixed=st.booleans(),
)
def test_equal_rows(
    ours, tmp_path_factory, texts, multiple, padding_side, truncation_side, max_length, overlap, fixed
):
    padding = {"direction": padding_side, "pad_to_multiple_of": multiple}
    truncation, stride = None, None
    if max_length is not None:
        stride = None if overlap is None else overlap % max_length
        truncation = {"max_length": max_length, "stride": stride or 0, "direction": truncation_side}
    fixed = fixed and max_length is not None
    if fixed:
        padding["length"] = max_length
    peer = theirs(ours, tmp_path_factory.mktemp("peer"), padding, truncation)
    rows = []
    for encoding in peer.encode_batch(texts):
        rows += [encoding, *(encoding.overflowing if stride is not None else ())]
    batch = ours.encode_padded(
        texts,
        padding="max_length" if fixed else "longest",
        max_length=max_length,
        stride=stride,
        pad_to_multiple_of=multiple,
        padding_side=padding_side,
        truncation_side=truncation_side,
    )
    assert batch.ids.tolist() == [row.ids for row in rows]
    assert batch.attention_mask.tolist() == [row.attention_mask for row in rows]
