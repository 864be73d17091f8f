"""Training of byte-pair encoding, against worked examples and by its own rules."""

import itertools
import random

import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, ParameterError

THREADS = [1, 2, 4]


def character_trainer(**settings):
    return tg.BPE(symbols="characters", split="words", **settings)


def repeated(counts):
    """A corpus in which the words occur that often, first in the given order."""
    words = list(counts)
    return words + [word for word, count in counts.items() for _ in range(count - 1)]


def check_merges(tokenizer, expected):
    found = [
        {"pair": list(record.pair), "total": record.total, "tied_pairs": record.tied_pairs}
        for record in tokenizer.history
    ]
    assert found == expected


@pytest.mark.parametrize("threads", THREADS)
def test_medical_words(seeds, threads):
    seed = seeds["medical_bpe"]
    trainer = character_trainer(merges=80, end_of_word=seed["end_of_word"])
    for corpus in (seed["word_counts"], repeated(seed["word_counts"])):
        tokenizer = trainer.train(corpus, threads=threads)
        check_merges(tokenizer, seed["merges"])
        assert len(tokenizer) - len(tokenizer.merges) == seed["alphabet_size"]
        for word, tokens in seed["segmentations"].items():
            assert tokenizer.encode(word).tokens == tokens
        in_use = {token for word in seed["word_counts"] for token in tokenizer.encode(word).tokens}
        assert len(in_use) == seed["tokens_in_use"]


@pytest.mark.parametrize("threads", THREADS)
def test_lowest(seeds, threads):
    seed = seeds["lowest_bpe"]
    dry = character_trainer(merges=1000, end_of_word=seed["end_of_word"])
    check_merges(dry.train(seed["word_counts"], threads=threads), seed["merges_until_dry"])
    ten = character_trainer(merges=10, end_of_word=seed["end_of_word"], unknown_token="<unk>")
    tokenizer = ten.train(repeated(seed["word_counts"]), threads=threads)
    for word, tokens in seed["after_10_merges"].items():
        if word == "widely":
            # The alphabet has no y.
            tokens = [token.replace("y", "<unk>") for token in tokens]
        assert tokenizer.encode(word).tokens == tokens


@pytest.mark.parametrize("threads", THREADS)
def test_translation(seeds, threads):
    seed = seeds["translation_bpe"]
    counts = dict(seed["word_counts"])
    trainer = character_trainer(merges=18, special_tokens=list(seed["markers"]))
    for corpus in (counts, repeated(counts)):
        tokenizer = trainer.train(corpus, threads=threads)
        check_merges(tokenizer, seed["merges"])
        alphabet = seed["alphabet_in_id_order"]
        assert tokenizer.vocabulary[: len(alphabet)] == alphabet
        assert tokenizer.special_tokens == seed["markers"]
        assert len(tokenizer) == seed["vocabulary_with_markers"]
        for text, pieces in seed["pieces"].items():
            assert [piece.text for piece in tokenizer.explain(text).pieces] == pieces
            assert tokenizer.encode(text).tokens == seed["tokens"][text]
        for text, ids in seed["ids"].items():
            assert tokenizer.encode_ids(text).tolist() == ids
    later = character_trainer(merges=21).train(counts, threads=threads)
    check_merges(later, seed["merges"] + seed["merges_after_18"])
    by_size = character_trainer(vocab_size=39, special_tokens=list(seed["markers"]))
    assert by_size.train(counts).merges == tokenizer.merges


def test_sizes(seeds):
    sizes = seeds["translation_bpe"]["sizes"]
    for rows in (100_000, 37_000, 39):
        assert tg.parameter_count(rows, 512) == sizes[f"{rows}x512"]
    tokenizer = tg.BPE(merges=0).train(["abc"])
    french = tokenizer.compare_cuts("J’aime les grands modèles")
    assert french["character"].count == sizes["french_characters"]
    assert french["byte"].count == sizes["french_bytes"]
    word = tokenizer.compare_cuts("modèles")
    assert (word["character"].count, word["byte"].count) == (sizes["modeles_symbols"], sizes["modeles_bytes"])
    for count in (3, 11, 10, 50):
        assert tokenizer.compare_cuts("a" * count)["character"].grid == sizes[f"grid_{count}"]


def test_three_cuts(seeds):
    seed = seeds["three_cuts"]
    tokenizer = tg.WordLevel(order="alphabetical").train([seed["sentence"].lower()])
    assert tokenizer.encode_ids(seed["sentence"].lower()).tolist() == seed["ids_of_lowercased_sorted_words"]
    cuts = tokenizer.compare_cuts(seed["sentence"])
    assert (cuts["word"].count, cuts["character"].count) == (seed["words"], seed["characters"])
    assert "The|patient|has" in str(cuts)


def naive_training(words, merges):
    """Merges by recounting everything each time."""
    words = [(list(word), count) for word, count in words.items()]
    made = []
    for _ in range(merges):
        totals = {}
        for symbols, count in words:
            for pair in itertools.pairwise(symbols):
                totals[pair] = totals.get(pair, 0) + count
        if not totals:
            break
        best = max(totals, key=totals.get)
        tied = sum(total == totals[best] for total in totals.values())
        made.append((best, totals[best], tied))
        words = [(naive_merge(symbols, best), count) for symbols, count in words]
    return made


def naive_merge(symbols, pair):
    merged = []
    for symbol in symbols:
        # The last symbol must not be a token that was merged just now.
        if merged and not merged[-1][1] and (merged[-1][0], symbol) == pair:
            merged[-1] = (merged[-1][0] + symbol, True)
        else:
            merged.append((symbol, False))
    return [symbol for symbol, _ in merged]


def naive_encoding(word, merges):
    symbols = list(word)
    for pair in merges:
        symbols = naive_merge(symbols, pair)
    return symbols


@pytest.mark.parametrize("letters", ["ab", "abc", "abcdefgh"])
def test_training_and_encoding_equal_the_plain_method(letters):
    generator = random.Random(len(letters))
    for _ in range(400):
        words = {
            "".join(generator.choices(letters, k=generator.randint(1, 12))): generator.randint(1, 6)
            for _ in range(generator.randint(1, 12))
        }
        merges = generator.randint(0, 40)
        tokenizer = character_trainer(merges=merges).train(words)
        expected = naive_training(words, merges)
        assert [(record.pair, record.total, record.tied_pairs) for record in tokenizer.history] == expected
        for length in (3, 12, 60):
            word = "".join(generator.choices(letters, k=length))
            if set(word) <= set(tokenizer.vocabulary):
                pairs = [pair for pair, _, _ in expected]
                assert tokenizer.encode(word).tokens == naive_encoding(word, pairs)
                steps = tokenizer.explain(word).pieces[0].steps
                assert (steps[-1].tokens if steps else tuple(word)) == tuple(naive_encoding(word, pairs))


def test_threads_and_batches_do_not_matter(tmp_path):
    generator = random.Random(5)
    words = ["".join(generator.choices("abcdefgh", k=generator.randint(1, 9))) for _ in range(3000)]
    lines = [" ".join(generator.choices(words, k=8)) for _ in range(40_000)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines))
    whole = tmp_path / "tokenizer.json"
    tg.BPE(vocab_size=900).train(lines, threads=1).save(whole)
    for threads in (1, 2, 7, 16):
        tg.BPE(vocab_size=900).train(tg.Corpus.from_files(path), threads=threads).save(
            tmp_path / "again.json"
        )
        assert (tmp_path / "again.json").read_bytes() == whole.read_bytes()


def test_vocabulary_order():
    trainer = tg.BPE(
        merges=1,
        split="words",
        symbols="characters",
        end_of_word="_",
        unknown_token="?",
        special_tokens=["<a>", "<b>"],
    )
    tokenizer = trainer.train({"ba": 1})
    assert tokenizer.vocabulary == ["a", "b", "_", "ba", "?", "<a>", "<b>"]
    assert tokenizer.special_tokens == {"<a>": 5, "<b>": 6}
    tokenizer = tg.BPE(vocab_size=257, split="words").train({"ba": 1})
    assert tokenizer.id_to_bytes(200) == b"\xc8"
    assert tokenizer.vocabulary[255:] == ["\\xff", "ba"]


def test_a_marker_is_not_its_characters():
    tokenizer = tg.BPE(merges=9, split="whitespace", symbols="characters", end_of_word="_").train(
        {"a_": 2, "a": 1}
    )
    assert tokenizer.vocabulary == ["_", "a", "_", "a_", "a__", "a_"]
    assert tokenizer.decode(tokenizer.encode_ids("a_ a")) == "a_ a"


def test_the_history_says_why():
    history = (
        character_trainer(merges=9, end_of_word="</w>")
        .train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
        .history
    )
    first = history[0]
    assert (first.runner_up, first.runner_up_total) == (("s", "t"), 9)
    assert (first.first_piece, first.runner_up_first_piece) == ("newest", "newest")
    assert history[-1].rank == 9
    assert "newest" in str(history)
    assert history[3].runner_up_first_piece == "low"
    assert len(history[2:5]) == 3
    with pytest.raises(IndexError):
        history[99]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "`vocab_size` or `merges` must be set"),
        ({"vocab_size": 300, "merges": 3}, "cannot be set together"),
        ({"vocab_size": 10}, "`vocab_size` must be at least 256"),
        ({"vocab_size": 257, "special_tokens": ["<a>", "<b>"]}, "must be at least 258"),
        ({"vocab_size": 2, "symbols": "characters"}, "must be at least 3 to hold the alphabet"),
        ({"vocab_size": -5}, "`vocab_size` must be a whole number of at least 1, got -5"),
        ({"vocab_size": float("nan")}, "got nan"),
        ({"vocab_size": 300.0}, "must be a whole number"),
        ({"vocab_size": True}, "must be a whole number"),
        ({"merges": -1}, "`merges` must be a whole number"),
        ({"merges": 1, "min_frequency": -1}, "`min_frequency`"),
        ({"merges": 1, "split": "gpt5"}, "`split` must be one of"),
        ({"merges": 1, "symbols": "letters"}, "`symbols` must be"),
        ({"merges": 1, "tie_break": "last"}, "`tie_break` must be"),
        ({"merges": 1, "end_of_word": ""}, "`end_of_word` must not be empty"),
        ({"merges": 1, "space_prefix": True}, "`space_prefix` can only be used"),
        ({"merges": 1, "split": "words", "space_prefix": True, "end_of_word": "_"}, "cannot be set together"),
        ({"merges": 1, "special_tokens": ["a", "a"]}, "only once"),
        ({"merges": 1, "special_tokens": [""]}, "empty name"),
        ({"merges": 1, "special_tokens": ["?"], "unknown_token": "?"}, "unknown token"),
    ],
)
def test_settings_out_of_range(settings, message):
    with pytest.raises(ParameterError) as raised:
        tg.BPE(**settings).train(["abc"])
    assert message in str(raised.value)


def test_names_must_not_be_a_bare_string():
    with pytest.raises(TypeError, match=r"write \['<pad>'\]"):
        tg.BPE(merges=1, special_tokens="<pad>")


@pytest.mark.parametrize("threads", [0, -1, 1.5])
def test_threads_out_of_range(threads):
    with pytest.raises(ParameterError, match="`threads`"):
        tg.BPE(merges=1).train(["abc"], threads=threads)


@pytest.mark.parametrize("corpus", [[], [""], {}, {"a": 0}])
def test_an_empty_corpus(corpus):
    with pytest.raises(CorpusError, match="empty"):
        tg.BPE(merges=1).train(corpus)


def test_only_blank_lines():
    with pytest.raises(CorpusError, match="2 documents are only white space"):
        tg.BPE(merges=1, split="words").train([" ", "\n"])
    assert len(tg.BPE(merges=5).train([" ", "\n"])) == 256


def test_one_character():
    tokenizer = tg.BPE(merges=5, symbols="characters").train(["a"])
    assert tokenizer.vocabulary == ["a"]
    assert tokenizer.merges == []


def test_counts_beyond_32_bits():
    history = character_trainer(merges=2).train({"the": 3_000_000_000, "then": 2_500_000_000}).history
    assert history[0].total == 5_500_000_000
    assert [record.pair for record in history] == [("t", "h"), ("th", "e")]


def test_min_frequency():
    history = character_trainer(merges=99, min_frequency=3).train({"ab": 3, "cd": 2}).history
    assert [record.pair for record in history] == [("a", "b")]


def test_surrogates_in_a_corpus():
    tokenizer = tg.BPE(merges=0, symbols="characters").train(["a\ud800b"])
    assert tokenizer.vocabulary == ["a", "b", "\ufffd"]
