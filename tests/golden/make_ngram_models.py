"""Writes the small models in `ngram_models` and what their owners say the vectors of words are.

Needs fasttext-wheel 0.9.2, floret 0.10.5 and finalfusion 0.7.1; run as
``python tests/golden/make_ngram_models.py``.
"""

import json
import tempfile
from pathlib import Path

import fasttext
import finalfusion
import floret
import numpy as np
from finalfusion.norms import Norms
from finalfusion.storage import NdArray
from finalfusion.subword import ExplicitIndexer, FastTextIndexer, FinalfusionHashIndexer
from finalfusion.vocab import ExplicitVocab, FastTextVocab, FinalfusionBucketVocab

FOLDER = Path(__file__).parent / "ngram_models"
WORDS = ["the", "</s>", "low", "lower", "anana", "banana", "élan", "日本語", "zzz", "a", "", "unseen"]
LINES = [
    "the low lower lowest river",
    "the banana and the anana lie by the river",
    "élan and 日本語 and a low banana",
    "naïve anana lower the élan of a river",
]
SIZE = {"dim": 4, "minCount": 1, "thread": 1, "epoch": 5, "bucket": 40, "verbose": 0}


def models(text: str) -> None:
    expected = {}

    def keep(name: str, model: object, words: list[str] = WORDS) -> None:
        expected[name] = {word: [float(x) for x in model.get_word_vector(word)] for word in words}
        model.save_model(str(FOLDER / name))

    skip_gram = fasttext.train_unsupervised(text, model="skipgram", minn=2, maxn=4, **SIZE)
    keep("skipgram.bin", skip_gram)
    keep("cbow_hs.bin", fasttext.train_unsupervised(text, model="cbow", loss="hs", minn=3, maxn=6, **SIZE))
    keep("softmax_words.bin", fasttext.train_unsupervised(text, loss="softmax", minn=0, maxn=0, **SIZE))
    labelled = Path(text).with_suffix(".labels")
    labels = (f"__label__{number % 2} {line}" for number, line in enumerate(LINES * 80))
    labelled.write_text("\n".join(labels), encoding="utf-8")
    supervised = fasttext.train_supervised(str(labelled), minn=2, maxn=3, **SIZE)
    keep("supervised.bin", supervised)
    for name, options in {"pruned.ftz": {"cutoff": 300, "qnorm": True}, "quantised.ftz": {}}.items():
        supervised = fasttext.train_supervised(str(labelled), minn=2, maxn=3, **{**SIZE, "bucket": 400})
        supervised.quantize(input=str(labelled), dsub=3, thread=1, epoch=1, **options)
        keep(name, supervised)

    table = floret.train_unsupervised(text, mode="floret", hashCount=2, minn=2, maxn=4, **SIZE)
    keep("floret.bin", table)
    table.save_floret_vectors(str(FOLDER / "floret.floret"))
    expected["floret.floret"] = expected["floret.bin"]

    words = [word for word in skip_gram.words if word != "</s>"]
    random = np.random.default_rng(1)
    ngrams = ["<ba", "ana", "an", "low", "er>", "日本"]
    index = {ngram: place % 4 for place, ngram in enumerate(ngrams)}
    for name, vocabulary in {
        "buckets.fifu": FinalfusionBucketVocab(words, FinalfusionHashIndexer(5, 2, 4)),
        "fasttext.fifu": FastTextVocab(words, FastTextIndexer(30, 2, 4)),
        "explicit.fifu": ExplicitVocab(words, ExplicitIndexer(ngrams, 2, 4, index)),
    }.items():
        rows = random.normal(size=(vocabulary.upper_bound, 4)).astype(np.float32)
        norms = np.linalg.norm(rows[: len(words)], axis=1)
        rows[: len(words)] /= norms[:, None]
        embeddings = finalfusion.Embeddings(NdArray(rows), vocabulary, norms=Norms(norms))
        embeddings.write(str(FOLDER / name))
        vectors = {word: embeddings.embedding(word) for word in WORDS}
        scaled = {
            word: row * (norms[words.index(word)] if word in words else 1)
            for word, row in vectors.items()
            if row is not None
        }
        expected[name] = {
            word: None if row is None else scaled[word].tolist() for word, row in vectors.items()
        }
    (FOLDER / "vectors.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n".join(LINES * 80), encoding="utf-8")
        models(str(path))
