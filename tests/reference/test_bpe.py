"""Every BPE number of the golden file, against the readable twin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgrain.reference import splits
from textgrain.reference.bpe import count_pairs, encode, merge, train
from textgrain.reference.bpe_by_rank import encode_by_rank
from textgrain.reference.bpe_model import start_symbols, visible_first


def as_golden(merges):
    return [
        {"pair": [step.left, step.right], "total": step.total, "tied_pairs": step.tied_pairs}
        for step in merges
    ]


@pytest.fixture(scope="module")
def medical(seeds):
    golden = seeds["medical_bpe"]
    return train(golden["word_counts"], merges=80, end_of_word=golden["end_of_word"])


@pytest.fixture(scope="module")
def translation(seeds):
    return train(dict(seeds["translation_bpe"]["word_counts"]), merges=18)


class TestMedical:
    def test_merges_totals_and_ties(self, seeds, medical):
        assert as_golden(medical.merges) == seeds["medical_bpe"]["merges"]

    def test_alphabet(self, seeds, medical):
        assert len(medical.alphabet) == seeds["medical_bpe"]["alphabet_size"]
        assert medical.alphabet[-1] == "_"

    def test_tokens_in_use(self, seeds, medical):
        golden = seeds["medical_bpe"]
        used = {token for word in golden["word_counts"] for token in encode(word, medical)}
        assert len(used) == golden["tokens_in_use"]

    def test_segmentations(self, seeds, medical):
        golden = seeds["medical_bpe"]["segmentations"]
        assert {word: encode(word, medical) for word in golden} == golden


class TestLowest:
    def test_merges_until_dry(self, seeds):
        golden = seeds["lowest_bpe"]
        model = train(golden["word_counts"], end_of_word=golden["end_of_word"])
        assert as_golden(model.merges) == golden["merges_until_dry"]

    def test_segmentations_after_10_merges(self, seeds):
        golden = seeds["lowest_bpe"]
        model = train(golden["word_counts"], merges=10, end_of_word=golden["end_of_word"])
        assert {word: encode(word, model) for word in golden["after_10_merges"]} == golden["after_10_merges"]


class TestTranslation:
    def test_merges_totals_and_ties(self, seeds, translation):
        assert as_golden(translation.merges) == seeds["translation_bpe"]["merges"]

    def test_three_more_merges(self, seeds, translation):
        golden = seeds["translation_bpe"]
        model = train(dict(golden["word_counts"]), merges=21)
        assert model.merges[:18] == translation.merges[:18]
        assert as_golden(model.merges[18:]) == golden["merges_after_18"]

    def test_vocabulary(self, seeds, translation):
        golden = seeds["translation_bpe"]
        assert list(translation.alphabet) == golden["alphabet_in_id_order"]
        assert len(translation.vocabulary) == golden["vocabulary_size"]
        markers = [*translation.vocabulary, *golden["markers"]]
        assert [markers[number] for number in golden["markers"].values()] == list(golden["markers"])
        assert len(markers) == golden["vocabulary_with_markers"]

    def test_pieces_tokens_and_ids(self, seeds, translation):
        golden = seeds["translation_bpe"]
        for text, pieces in golden["pieces"].items():
            assert splits.words(text) == pieces
            tokens = [token for piece in pieces for token in encode(piece, translation)]
            assert tokens == golden["tokens"][text]
            assert translation.ids(tokens) == golden["ids"][text]

    def test_sizes(self, seeds, translation):
        sizes = seeds["translation_bpe"]["sizes"]
        french = "J’aime les grands modèles"
        assert len(french) == sizes["french_characters"]
        assert len(french.encode()) == sizes["french_bytes"]
        assert len(start_symbols("modèles")) == sizes["modeles_symbols"]
        assert len(start_symbols("modèles", "bytes")) == sizes["modeles_bytes"]
        assert 512 * (len(translation.vocabulary) + 3) == sizes["39x512"]
        assert sizes["37000x512"] == 512 * 37_000
        assert sizes["100000x512"] == 512 * 100_000
        for side in (3, 10, 11, 50):
            assert side**2 == sizes[f"grid_{side}"]


class TestRules:
    def test_overlapping_pairs_count_and_merge_from_the_left(self):
        assert count_pairs([("aaaa", 1)]) == {("a", "a"): 3}
        assert merge("aaaaa", ("a", "a")) == ["aa", "aa", "a"]
        assert merge([], ("a", "a")) == []

    def test_the_first_met_pair_wins_a_tie_in_the_current_segmentation(self):
        assert [step.token for step in train({"cd": 1, "ab": 1}).merges] == ["cd", "ab"]
        assert [step.token for step in train({"ab": 1, "cd": 1}).merges] == ["ab", "cd"]

    def test_the_race_is_described(self):
        step = train({"ab": 5, "cd": 5, "ef": 2}).merges[0]
        assert (step.tied_pairs, step.runner_up, step.runner_up_total) == (2, ("c", "d"), 5)
        assert train({"ab": 5}).merges[0].runner_up is None

    def test_min_frequency(self):
        assert [step.token for step in train({"ab": 2, "cd": 1}, min_frequency=2).merges] == ["ab"]

    def test_words_that_never_occur_are_ignored(self):
        assert train({"xy": 0, "ab": 1}).vocabulary == ("a", "b", "ab")

    def test_bytes_start_from_all_256(self):
        model = train({"è": 3}, symbols="bytes")
        assert len(model.alphabet) == 256
        assert [step.token.encode("latin-1") for step in model.merges] == ["è".encode()]
        assert model.ids(encode("è", model)) == [256]

    def test_large_counts_are_exact(self):
        assert train({"the": 3_000_000_000, "then": 2**40}).merges[0].total == 3_000_000_000 + 2**40

    def test_a_marker_that_a_word_contains_is_refused(self):
        with pytest.raises(ValueError, match="contains the end-of-word marker"):
            train({"a_b": 1}, end_of_word="_")


class TestLowestIds:
    def test_a_tie_goes_to_the_lowest_ids(self):
        assert [step.token for step in train({"cd": 1, "ab": 1}, tie_break="lowest-ids").merges] == [
            "ab",
            "cd",
        ]

    def test_bytes_are_numbered_by_their_stand_ins(self):
        order = [ord(symbol) for symbol in visible_first([chr(byte) for byte in range(256)])]
        assert sorted(order) == list(range(256))
        assert order[:2] == [0x21, 0x22]
        assert order[188:190] == [0x00, 0x01]
        assert order[-1] == 0xAD


@pytest.mark.parametrize("tie_break", ["first", "lowest-ids"])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_merges_never_spell_the_same_and_both_ways_of_encoding_agree(tie_break, data):
    word = st.text(alphabet=data.draw(st.sampled_from(["a", "ab", "abc"])), min_size=1, max_size=14)
    counts = data.draw(st.dictionaries(word, st.integers(1, 4), min_size=1, max_size=8))
    model = train(counts, tie_break=tie_break)
    assert len(model.vocabulary) == len(model.alphabet) + len(model.merges)
    for text in [*counts, data.draw(word)]:
        assert encode_by_rank(text, model) == encode(text, model)
        assert "".join(encode(text, model)) == text
