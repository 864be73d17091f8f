"""Write tiktoken_ids.json: checksums of ids that tiktoken gives to every code point and to long texts.

Run with tiktoken 0.14.0 installed and the shared data beside the repository:
``python tests/golden/make_tiktoken_ids.py``.
"""

import base64
import gzip
import json
import zlib
from pathlib import Path

import numpy as np
import tiktoken
from long_texts import long_text

BLOCK = 4096
BLOCKS = range(0x110000 // BLOCK)
TEMPLATE = "Ab{0}c {0}x{0}{0}1\n{0}'s"
# Each text is drawn from its characters.
LONG = {
    "letter": "a",
    "spaces": " ",
    "newlines": "\n",
    "line ends": "\r\n",
    "digits": "7",
    "quotes": "'",
    "ideographs": "\u4e2d\u6587\u5b57\u7b26\u5f88\u591a",
    "marks": "\u0301\u0302\u0903",
    "letters": "abcdefghijklmnopqrstuvwxyz",
    "mixed case": "abcdeABCDE\u01c5\u02b0",
    "punctuation": "!?.,;:/-\n",
    "everything": "aB1 \n'\u0301\u4e2d/\u017f!\u3000",
}
DATA = Path(__file__).parents[3] / "shared" / "data"


def encoding(name):
    facts = json.loads(gzip.decompress((DATA / "golden" / f"tiktoken_{name}.json.gz").read_bytes()))
    lines = gzip.decompress((DATA / "tokenizers" / f"{name}.tiktoken.gz").read_bytes()).splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    return tiktoken.Encoding(name, pat_str=facts["pat_str"], mergeable_ranks=ranks, special_tokens={})


def checksum(ids):
    return zlib.crc32(np.array(ids, dtype="<u4").tobytes())


def block_checksum(coder, block):
    code_points = range(block * BLOCK, (block + 1) * BLOCK)
    texts = [TEMPLATE.format(chr(point)) for point in code_points if not 0xD800 <= point < 0xE000]
    return checksum([token for text in texts for token in coder.encode_ordinary(text)])


def long_checksum(coder, characters, length=1_000_000):
    try:
        return length, checksum(coder.encode_ordinary(long_text(characters, length)))
    except BaseException as error:
        # Its regular expression can run out of stack; a panic is no Exception.
        if type(error).__name__ != "PanicException" or length < 1_000_000:
            raise
        return long_checksum(coder, characters, 200_000)


def main():
    assert tiktoken.__version__ == "0.14.0"
    document = {"tiktoken": tiktoken.__version__, "block": BLOCK, "template": TEMPLATE}
    document |= {"long": LONG, "code_points": {}, "long_ids": {}}
    coders = {name: encoding(name) for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")}
    for name in ("cl100k_base", "o200k_base"):
        document["code_points"][name] = [block_checksum(coders[name], block) for block in BLOCKS]
    for name, coder in coders.items():
        document["long_ids"][name] = {
            kind: long_checksum(coder, characters) for kind, characters in LONG.items()
        }
    path = Path(__file__).with_name("tiktoken_ids.json")
    path.write_text(json.dumps(document, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
