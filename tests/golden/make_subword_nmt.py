"""Write subword_nmt/: codes and a vocabulary that subword-nmt learned, and the tokens that it makes of texts.

Run with subword-nmt 0.3.8 installed: ``python tests/golden/make_subword_nmt.py``.
"""

import gzip
import io
import json
import re
from pathlib import Path

from subword_nmt.apply_bpe import BPE
from subword_nmt.get_vocab import get_vocab
from subword_nmt.learn_bpe import learn_bpe

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "subword_nmt"
MERGES = 300
TEXTS = [
    "low lower lowest  lowlands",
    " a price\u00a0floor, or\ta price-ceiling?",
    "\u00e9conomie \u4e2d\u6587 x",
    "@@ a@@ </w> #",
    "I",
    "",
]


def main():
    text = gzip.decompress((ROOT / "python/textgrain/data/economics.txt.gz").read_bytes()).decode()
    paragraphs = text.splitlines()[:400]
    sample = "\n".join(re.sub(r"\s+", " ", paragraph) for paragraph in paragraphs) + "\n"
    codes = io.StringIO()
    learn_bpe(io.StringIO(sample), codes, MERGES)
    (FOLDER / "codes").write_text(codes.getvalue(), encoding="utf-8")
    # The same merges as old files write them, with the mark of the end of a word as a symbol of its own.
    merges = [line.split(" ") for line in codes.getvalue().splitlines()[1:]]
    merges = [pair for pair in merges if not any(token.endswith("</w>") for token in pair)]
    old = "".join(f"{left} {right}\n" for left, right in merges) + "s </w>\ne </w>\nd </w>\ned </w>\n"
    (FOLDER / "old-codes").write_text(old, encoding="utf-8")
    texts = [*TEXTS, *paragraphs[:20]]
    results = {}
    for name in ("codes", "old-codes"):
        with (FOLDER / name).open(encoding="utf-8") as file:
            program = BPE(file)
        results[name] = [program.segment(text).split(" ") if text else [] for text in texts]
        if name == "codes":
            cut, vocabulary = io.StringIO(program.process_line(sample)), io.StringIO()
            get_vocab(cut, vocabulary)
            (FOLDER / "vocabulary").write_text(vocabulary.getvalue(), encoding="utf-8")
    tokens = json.dumps({"texts": texts, **results}, ensure_ascii=False, indent=0)
    (FOLDER / "tokens.json").write_text(tokens + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
