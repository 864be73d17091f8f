"""What several test files share: golden numbers, large data beside the repository, a corpus."""

import json
from pathlib import Path

import pytest

import textgrain as tg
from textgrain.reference.hospital import make_sentences

TESTS = Path(__file__).parent

#: A trainer of each kind of tokenizer, with the texts that it is trained on.
TOKENIZER_TEXTS = [
    "low lower  lowest\n\n newest",
    "J’aime les grands modèles ⭢ \U0001f600!",
    "",
    "  ",
    "a\u0301 'S don't 12345 \u2581 \u3000x",
    "aaaa" * 50,
]
TOKENIZER_TRAINERS = {
    "bytes": tg.BPE(vocab_size=300, split="gpt4", special_tokens=["<end>", "<pad>"]),
    "bytes of words": tg.BPE(vocab_size=300, split="words"),
    "bytes with spaces": tg.BPE(vocab_size=300, split="whitespace", space_prefix=True),
    "characters": tg.BPE(merges=30, split="words", symbols="characters", unknown_token="<unk>"),
    "marker": tg.BPE(
        merges=40, split="whitespace", symbols="characters", end_of_word="</w>", unknown_token="?"
    ),
    "words": tg.WordLevel(special_tokens=["<end>"]),
    "single characters": tg.CharLevel(unknown_token="<unk>"),
}


@pytest.fixture(scope="session")
def seeds():
    """The numbers that must come out; see tests/golden/README.md."""
    return json.loads((TESTS / "golden" / "seeds.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def shared_data():
    """The folder of large corpora and reference files that lies beside the repository in CI."""
    folder = TESTS.parents[1] / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the shared data folder at {folder}")
    return folder


@pytest.fixture(params=TOKENIZER_TRAINERS, scope="session")
def each_tokenizer(request):
    """One tokenizer of each kind that the library trains."""
    return TOKENIZER_TRAINERS[request.param].train(TOKENIZER_TEXTS)


@pytest.fixture(scope="session")
def tokenizer_texts():
    """Odd texts that each of them can encode."""
    return TOKENIZER_TEXTS


@pytest.fixture(scope="session")
def hospital_corpus(seeds):
    """4000 sentences, each a list of words, about six groups of words."""
    corpus = seeds["hospital_corpus"]
    return make_sentences(corpus["groups"], corpus["templates"], corpus["sentences"], seed=0)


@pytest.fixture(scope="session")
def hospital_groups(seeds):
    """The six groups; the seventh in the file only repeats two members of the first."""
    return {name: words for name, words in seeds["hospital_corpus"]["groups"].items() if name != "doc"}


@pytest.fixture(scope="session")
def hospital_sentences(hospital_corpus):
    """The same sentences, each as a text."""
    return [" ".join(words) for words in hospital_corpus]


@pytest.fixture(scope="session")
def hospital_vectors(hospital_sentences):
    """Vectors of the hospital words, trained in a few hundredths of a second."""
    trainer = tg.Word2Vec(vector_size=16, window=2, subsample=0, shrink_window=False)
    return trainer.train(hospital_sentences, threads=1)
