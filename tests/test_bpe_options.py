"""What a BPE trainer may be told beyond its main settings, and the errors that say what is possible."""

import random

import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownTokenError

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def character_trainer(**settings):
    return tg.BPE(symbols="characters", split="words", **settings)


def test_more_characters_than_the_vocabulary_can_hold():
    line = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    with pytest.raises(ParameterError) as raised:
        character_trainer(vocab_size=50, special_tokens=["<s>"]).train([line])
    assert "must be at least 301 to hold the alphabet of 300 symbols" in str(raised.value)
    assert "at most 600" in str(raised.value)
    assert "limit_alphabet" in str(raised.value)
    trainer = character_trainer(
        vocab_size=50, special_tokens=["<s>"], unknown_token="<unk>", limit_alphabet=40
    )
    tokenizer = trainer.train([line])
    assert tokenizer.vocab_size == 50
    assert tokenizer.encode(line[0] + line[299]).tokens == [line[0], "<unk>"]


def test_rare_characters_cut_a_word():
    tokenizer = character_trainer(merges=9, limit_alphabet=2, unknown_token="?").train({"abxab": 3, "a": 1})
    assert tokenizer.vocabulary == ["a", "b", "ab", "?"]
    assert tokenizer.encode("abxab").tokens == ["ab", "?", "ab"]
    without = character_trainer(merges=9, limit_alphabet=2).train({"abxab": 3})
    with pytest.raises(UnknownTokenError):
        without.encode("x")


def test_an_alphabet_of_ones_own():
    trainer = tg.BPE(vocab_size=9, split="none", symbols="characters", initial_alphabet="ACGTN")
    tokenizer = trainer.train(["ACGACGTACG", "AC"])
    assert tokenizer.vocabulary[:5] == list("ACGNT")
    assert tokenizer.vocab_size <= 9
    assert tokenizer.decode(tokenizer.encode_ids("NNACGT")) == "NNACGT"


def test_the_longest_token():
    tokenizer = tg.BPE(merges=50, split="none", max_token_length=3).train({"abcdefgh": 9})
    assert max(len(tokenizer.id_to_bytes(id_)) for id_ in range(tokenizer.vocab_size)) == 3
    assert tg.BPE(merges=9, max_token_length=1).train(["aaa"]).merges == []


def test_seed_merges_come_first_even_if_they_never_occur():
    trainer = character_trainer(merges=4, seed_merges=[("w", "i"), ("wi", "n"), ("e", "s")])
    tokenizer = trainer.train(WORDS)
    history = tokenizer.history
    assert [(record.pair, record.total) for record in history[:3]] == [
        (("w", "i"), 3),
        (("wi", "n"), 0),
        (("e", "s"), 9),
    ]
    assert history[3].pair == ("es", "t")
    assert tokenizer.encode("win").tokens == ["win"]


def test_seed_merges_of_bytes_and_markers():
    trainer = tg.BPE(merges=2, seed_merges=[("\\xc3", "\\xa9"), ("é", "s")])
    assert trainer.train(["x"]).encode("és").tokens == ["és"]
    marked = character_trainer(merges=2, end_of_word="</w>", seed_merges=[("t", "</w>"), ("s", "t</w>")])
    assert marked.train(WORDS).encode("lowest").tokens == ["l", "o", "w", "e", "st</w>"]


def test_forbidden_merges():
    free = character_trainer(merges=3).train(WORDS)
    assert [record.pair for record in free.history] == [("e", "s"), ("es", "t"), ("l", "o")]
    tokenizer = character_trainer(merges=3, forbidden_merges=[("es", "t")]).train(WORDS)
    assert [record.pair for record in tokenizer.history] == [("e", "s"), ("l", "o"), ("lo", "w")]
    assert tokenizer.history[1].runner_up == ("o", "w")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"symbols": "bytes", "limit_alphabet": 20}, "`limit_alphabet` can only be used with symbols"),
        ({"symbols": "bytes", "initial_alphabet": "ab"}, "`initial_alphabet` can only be used with symbols"),
        ({"initial_alphabet": ["ab"]}, 'must hold single characters, got "ab"'),
        ({"initial_alphabet": "abc", "limit_alphabet": 2}, "must be at least 3, the length of"),
        ({"limit_alphabet": 0}, "`limit_alphabet` must be a whole number of at least 1"),
        ({"max_token_length": 0}, "`max_token_length` must be a whole number of at least 1"),
        ({"seed_merges": [("l", "o")] * 2}, "must hold each pair only once"),
        ({"seed_merges": [("l", "o")], "forbidden_merges": [("l", "o")]}, "must not hold a pair of"),
        ({"seed_merges": [("l", "x")]}, 'and "x" is neither'),
        ({"merges": 1, "seed_merges": [("l", "o"), ("o", "w")]}, "`merges` must be at least 2"),
        ({"seed_merges": [("l", "o")], "max_token_length": 1}, "longer than `max_token_length`"),
        ({"seed_merges": [("</w>", "l")], "end_of_word": "</w>"}, "must not go on after the end of a word"),
    ],
)
def test_options_out_of_range(settings, message):
    with pytest.raises(ParameterError) as raised:
        tg.BPE(**{"merges": 2, "split": "words", "symbols": "characters", **settings}).train(WORDS)
    assert message in str(raised.value)


def test_seeds_need_room():
    with pytest.raises(ParameterError, match="9 symbols, 1 seed merges"):
        character_trainer(vocab_size=9, seed_merges=[("l", "o")]).train({"low": 1, "newstir": 1})


@pytest.mark.parametrize("pairs", [["lo"], [("l", "o", "w")], [("l", 1)]])
def test_pairs_must_be_pairs(pairs):
    with pytest.raises(TypeError, match="must be a sequence of pairs"):
        character_trainer(merges=1, forbidden_merges=pairs)


def test_a_piece_of_a_million_symbols():
    """Time and memory grow with the length; a peer's time grows with its square."""
    text = "".join(random.Random(1).choices("ACGT", k=1_000_000))
    tokenizer = tg.BPE(vocab_size=1000, split="none", symbols="characters").train([text])
    assert tokenizer.vocab_size == 1000
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text


def test_one_corpus_has_one_result():
    """A peer makes 60 different vocabularies of this in 60 runs."""
    line = "Wel come to the Tok en izers libr ary."
    for tie_break in ("first", "lowest-ids", "largest-text"):
        trainer = tg.BPE(vocab_size=60, split="words", symbols="characters", tie_break=tie_break)
        made = {tuple(trainer.train([line], threads=threads).vocabulary) for threads in (1, 2, 3) * 20}
        assert len(made) == 1


def test_settings_keep_all_options(tmp_path):
    options = {
        "limit_alphabet": 6,
        "initial_alphabet": ("l", "x"),
        "max_token_length": 3,
        "seed_merges": (("l", "o"),),
        "forbidden_merges": (("e", "s"), ("w", "e")),
    }
    trained = tg.BPE(merges=4, split="words", symbols="characters", unknown_token="?", **options).train(
        ["low lower lowest", "slow"]
    )
    trained.save(tmp_path / "tokenizer.json")
    for tokenizer in (trained, tg.Tokenizer.load(tmp_path / "tokenizer.json")):
        assert {name: tokenizer.settings[name] for name in options} == {
            name: list(value) if isinstance(value, tuple) else value for name, value in options.items()
        }
    plain = tg.BPE(merges=1).train(["low"]).settings
    assert (plain["limit_alphabet"], plain["initial_alphabet"], plain["seed_merges"]) == (None, [], [])
