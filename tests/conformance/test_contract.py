"""Every trainer and everything that it makes keeps the contract in textgrain.testing."""

import time
import warnings

import pytest

import textgrain as tg
from textgrain.exceptions import SmallCorpusNotice
from textgrain.testing import check_interruption, check_tokenizer, check_trainer, check_vectors

SPECIAL = ("<start>", "<end>", "<pad>")
SENTENCES = [
    "The patient had a fever, and the fever went down.",
    "the nurse saw the patient at the ward",
    "J’aime les grands modèles; aaaa aaa 12345",
    "the doctor saw the nurse and the patient",
    "हिन्दी 中文 \U0001f600\u200d\U0001f680",
] * 20
ODD = [
    "the patients' fever",
    " two  spaces ",
    "\tthe\r\n\n nurse\u2028",
    "aaaaaaaaaaaaa",
    "<start>the<end>",
    "the nurse " * 500,
]
ODDER = [
    *ODD,
    "\0\x01\x7f",
    "\U0001f469\u200d\U0001f52c e\u0301 \ufeff\ufffd",
    "▁Ġ</w>_",
    "\U0010ffff" * 9,
    "z" * 5000,
]

# Name, trainer, texts beside the sentences that its tokenizers can encode.
TOKENIZERS = [
    ("byte-level", tg.BPE(vocab_size=300, special_tokens=SPECIAL), ODDER),
    ("gpt4", tg.BPE(merges=40, split="gpt4"), ODDER),
    (
        "largest text",
        tg.BPE(merges=60, tie_break="largest-text", split="script", special_tokens=SPECIAL),
        ODDER,
    ),
    ("lowest ids", tg.BPE(merges=60, tie_break="lowest-ids", special_tokens=SPECIAL), ODDER),
    ("one piece", tg.BPE(merges=60, split="none"), ODDER),
    ("space prefix", tg.BPE(merges=30, split="words", space_prefix=True), ODDER),
    ("words", tg.BPE(merges=30, split="words", special_tokens=SPECIAL), ODDER),
    ("marker", tg.BPE(merges=50, split="whitespace", end_of_word="</w>", special_tokens=SPECIAL), ODDER),
    (
        "characters",
        tg.BPE(merges=50, split="words", symbols="characters", unknown_token="<unk>", special_tokens=SPECIAL),
        ODDER,
    ),
    (
        "characters with marker",
        tg.BPE(merges=50, split="whitespace", symbols="characters", end_of_word="_", unknown_token="<unk>"),
        ODDER,
    ),
    ("no merges", tg.BPE(merges=0), ODDER),
    ("min frequency", tg.BPE(merges=9999, min_frequency=40), ODDER),
    ("word piece", tg.WordPiece(vocab_size=120, special_tokens=SPECIAL), ODDER),
    ("word piece, kept spaces", tg.WordPiece(vocab_size=140, split="gpt4"), ODDER),
    ("word level", tg.WordLevel(special_tokens=SPECIAL), ODDER),
    ("word level, cut", tg.WordLevel(vocab_size=8, split="whitespace", min_frequency=2), ODDER),
    ("char level", tg.CharLevel(special_tokens=SPECIAL), ODDER),
    ("unigram", tg.Unigram(vocab_size=400, special_tokens=SPECIAL), ODDER),
    ("unigram, few characters", tg.Unigram(vocab_size=300, character_coverage=0.9, split="none"), ODDER),
    (
        "unigram, unknown",
        tg.Unigram(
            vocab_size=80,
            split="words",
            character_coverage=0.9,
            byte_fallback=False,
            unknown_token="<unk>",
            special_tokens=SPECIAL,
        ),
        ODDER,
    ),
]
VECTORS = [
    ("plain", tg.Word2Vec(vector_size=8, window=2, min_count=1, epochs=2, subsample=0, shrink_window=False)),
    (
        "odd width",
        tg.Word2Vec(vector_size=7, window=1, min_count=2, epochs=1, negative=1, seed=9, lowercase=True),
    ),
    ("fasttext", tg.FastText(vector_size=8, window=2, min_count=1, epochs=2)),
    (
        "explicit n-grams",
        tg.FastText(vector_size=7, ngrams="explicit", min_n=1, max_n=2, architecture="cbow"),
    ),
    ("glove", tg.GloVe(vector_size=8, min_count=1, epochs=3)),
    (
        "glove, left only",
        tg.GloVe(vector_size=17, window=2, optimizer="sgd", symmetric=False, distance_weighting=False),
    ),
    (
        "glove, some held out",
        tg.GloVe(vector_size=8, min_count=1, epochs=3, held_out=0.3, patience=3),
    ),
    ("large corpus rules", tg.Word2Vec(vector_size=17, min_count=1, subsample=0.01, shrink_window=True)),
]


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=[case[0] for case in cases])


@pytest.fixture(autouse=True)
def small_corpora_are_meant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCorpusNotice)
        yield


@named(TOKENIZERS)
def test_tokenizer_trainers(case):
    check_trainer(case[1], SENTENCES)


@named(TOKENIZERS)
def test_tokenizers(case):
    check_tokenizer(case[1].train(SENTENCES), [*SENTENCES[:5], *case[2]])


@named(VECTORS)
def test_vector_trainers(case):
    check_trainer(case[1], SENTENCES)


@named(VECTORS)
def test_vectors(case):
    check_vectors(case[1].train(SENTENCES))


@pytest.fixture(scope="module")
def long_text(tmp_path_factory):
    """Lines of two words that take each stage of each trainer a while: 300,000 different words."""
    path = tmp_path_factory.mktemp("long") / "text.txt"
    with path.open("w", encoding="utf-8") as file:
        for number in range(1_500_000):
            file.write(f"{number * 7919 % 99_991:x} w{number * 104_729 % 199_999:x}\n")
    return path


@pytest.mark.parametrize(
    ("trainer", "after"),
    [
        pytest.param(tg.BPE(vocab_size=200_000), 0.05, id="bpe-early"),
        pytest.param(tg.BPE(vocab_size=200_000, split="none"), 0.6, id="bpe"),
        pytest.param(tg.BPE(vocab_size=200_000, split="none", tie_break="lowest-ids"), 1.2, id="bpe-late"),
        pytest.param(tg.Word2Vec(epochs=50, min_count=1), 0.05, id="word2vec-early"),
        pytest.param(tg.Word2Vec(epochs=50, min_count=1), 1.0, id="word2vec"),
        pytest.param(tg.Word2Vec(epochs=50, min_count=1), 3.0, id="word2vec-late"),
        pytest.param(tg.FastText(epochs=50, min_count=1), 0.4, id="fasttext-early"),
        pytest.param(tg.FastText(epochs=50, min_count=1), 3.0, id="fasttext-late"),
        pytest.param(tg.GloVe(epochs=500, min_count=1), 0.05, id="glove-early"),
        pytest.param(tg.GloVe(epochs=500, min_count=1), 1.0, id="glove"),
        pytest.param(tg.GloVe(epochs=500, min_count=1), 3.0, id="glove-late"),
    ],
)
def test_control_c_stops_training(trainer, long_text, after):
    within = 0.5 if isinstance(trainer, tg.BPE) else 0.2
    check_interruption(trainer, tg.Corpus.from_files(long_text), after=after, within=within)


class EnoughError(Exception):
    """Raised by the caller's own code."""


TRAINERS = pytest.mark.parametrize(
    "trainer", [tg.BPE(vocab_size=50_000), tg.Word2Vec(), tg.GloVe()], ids=["bpe", "word2vec", "glove"]
)


@TRAINERS
def test_an_exception_of_the_progress_callable_stops_training(trainer, long_text):
    def enough(*_):
        raise EnoughError

    started = time.monotonic()
    with pytest.raises(EnoughError):
        trainer.train(tg.Corpus.from_files(long_text), progress=enough)
    assert time.monotonic() - started < 2


@TRAINERS
def test_an_exception_of_the_source_stops_training(trainer):
    class Source:
        def __iter__(self):
            yield "one"
            raise EnoughError

    with pytest.raises(EnoughError):
        trainer.train(tg.Corpus.from_iterable(Source()))
