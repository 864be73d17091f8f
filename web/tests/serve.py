"""The explorer that the browser tests look at: small models, the same each time."""

import os
import sys
from pathlib import Path

import textgrain as tg

# A stand-in for umap-learn, for this process and for the one that makes the map.
LIBRARY = str(Path(__file__).parent / "library")
sys.path.insert(0, LIBRARY)
os.environ["PYTHONPATH"] = LIBRARY

DOCUMENTS = [
    "the doctor saw the patient at the hospital in march",
    "the nurse saw the patient at the clinic in july",
    "the patient came to the hospital by car with a fever",
    "a doctor and a nurse took the bus to the clinic in october",
    "the fever and the cough of the patient began in january",
] * 40

small = tg.BPE(vocab_size=300, special_tokens=["<end>"]).train(DOCUMENTS)
letters = tg.BPE(merges=30, split="words", symbols="characters", unknown_token="?").train(DOCUMENTS)
vectors = tg.Word2Vec(
    vector_size=12, min_count=1, epochs=20, learning_rate=0.05, subsample=0, shrink_window=False, seed=1
).train(DOCUMENTS, threads=1)
parts = tg.FastText(vector_size=8, min_count=1, epochs=2, buckets=1000, seed=1).train(DOCUMENTS, threads=1)
corpus = tg.Corpus.from_iterable(DOCUMENTS)
# The same without a server, for the tests of the file.
tg.export_html(
    sys.argv[1],
    {"small": small, "letters": letters, "wards": vectors},
    texts=["the doctor has a fever 😀", "<b>the</b> hospital"],
    words=20,
)
explorer = tg.explore(
    {"small": small, "letters": letters, "wards": vectors, "parts": parts, "notes": corpus},
    open_browser=False,
)
sys.stdout.write(explorer.url + "\n")
sys.stdout.flush()
# The tests close this end when they are over.
sys.stdin.read()
explorer.stop()
