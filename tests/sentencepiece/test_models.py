"""Small models with every kind of piece and setting, beside SentencePiece and beside the readable twin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgrain.reference import unigram as twin

ALPHABET = "aab▁ <é中"
many = settings(max_examples=300, deadline=None)
texts = st.text(alphabet=ALPHABET, max_size=30)
# Few scores, so that ties come all the time.
scores = st.sampled_from([-1.0, -2.0, -2.5, -3.0, -0.1, -7.3])
kinds = st.sampled_from(["normal"] * 12 + ["user", "unused"])


def pieces(kinds=kinds):
    listed = st.dictionaries(
        st.text(alphabet="aab▁<é中", min_size=1, max_size=5),
        st.tuples(scores, kinds),
        min_size=1,
        max_size=20,
    )
    return listed.map(lambda listed: [(text, *rest) for text, rest in listed.items()])


@pytest.mark.peer
@pytest.mark.parametrize("algorithm", ["unigram", "bpe", "word", "char"])
@many
@given(data=st.data())
def test_ids_are_those_of_sentencepiece(algorithm, model_content, open_model, data):
    sentencepiece = pytest.importorskip("sentencepiece")
    flags = ["byte_fallback", "suffix", "dummy_prefix", "remove_spaces"]
    chosen = {flag: data.draw(st.booleans(), label=flag) for flag in flags}
    content = model_content(data.draw(pieces()), algorithm, **chosen)
    peer = sentencepiece.SentencePieceProcessor(model_proto=content)
    tokenizer = open_model(content)
    for text in data.draw(st.lists(texts, min_size=1, max_size=5)):
        ids = peer.encode(text)
        assert tokenizer.normalize(text) == peer.normalize(text)
        assert tokenizer.encode_ids(text).tolist() == ids, f"{text!r}"
        assert tokenizer.decode(ids) == peer.decode(ids), f"{ids} of {text!r}"


@many
@given(pieces=pieces(st.just("normal")), text=st.text(alphabet="aab▁é中", max_size=40))
def test_the_twin_finds_the_same_way(model_content, open_model, pieces, text):
    tokenizer = open_model(model_content(pieces, dummy_prefix=False, remove_spaces=False))
    listed = {piece: score for piece, score, _ in pieces}
    expected = twin.best_cut(text, listed)
    # Scores that 32 bits hold exactly; others may make ties that rounding decides.
    if all(score * 2 == int(score * 2) for score in listed.values()):
        assert tokenizer.encode(text).tokens == [
            token if token in listed else "<unk>" for token in twin.with_unknown_joined(expected, listed)
        ]


def test_symbols_of_the_user_are_never_cut(model_content, open_model):
    listed = [("<ab>", 0.0, "user"), ("▁", -1.0), ("a", -1.0), ("b", -1.0), ("▁a", -1.5), ("<ab", -0.1)]
    for algorithm in ("unigram", "bpe", "char"):
        tokenizer = open_model(model_content(listed, algorithm))
        assert "<ab>" in tokenizer.encode("a<ab>a b").tokens, algorithm


def test_control_symbols_are_special_tokens(model_content, open_model):
    tokenizer = open_model(model_content([("▁", -1.0), ("s", -1.0), ("<", -1.0), (">", -1.0)]))
    assert tokenizer.special_tokens == {"<s>": 1, "</s>": 2}
    assert tokenizer.encode("<s>").tokens == ["▁", "<", "s", ">"]
    assert tokenizer.encode("<s>s", special="allow").tokens == ["<s>", "▁", "s"]
    assert tokenizer.decode([1, 4, 2]) == "s"


def test_offsets_are_those_of_the_text_as_it_was(model_content, open_model):
    listed = [("▁", -1.0), ("▁a", -1.0), ("b", -1.0)]
    tokenizer = open_model(model_content(listed, byte_fallback=True))
    encoding = tokenizer.encode("  a  ébb a ")
    assert encoding.tokens == ["▁a", "▁", "<0xC3>", "<0xA9>", "b", "b", "▁a"]
    assert encoding.offsets == [(2, 3), (3, 5), (5, 6), (5, 6), (6, 7), (7, 8), (8, 10)]


def test_bytes_are_decoded_together(model_content, open_model):
    tokenizer = open_model(model_content([("▁", -1.0)], byte_fallback=True))
    ids = tokenizer.encode_ids("\U0001f600").tolist()
    assert tokenizer.decode(ids) == "\U0001f600"
    assert tokenizer.decode_bytes(ids[:3]) == b"\xf0\x9f"
