"""Write code_point_ids.json: checksums of the ids that tiktoken gives to every code point in a context.

Run with tiktoken 0.14.0 installed and the shared data beside the repository:
``python tests/golden/make_code_point_ids.py``; it takes a few minutes.
"""

import base64
import gzip
import json
import zlib
from pathlib import Path

import numpy as np
import tiktoken

BLOCK = 4096
BLOCKS = range(0x110000 // BLOCK)
TEMPLATE = "Ab{0}c {0}x{0}{0}1\n{0}'s"
DATA = Path(__file__).parents[3] / "shared" / "data"


def encoding(name):
    facts = json.loads(gzip.decompress((DATA / "golden" / f"tiktoken_{name}.json.gz").read_bytes()))
    lines = gzip.decompress((DATA / "tokenizers" / f"{name}.tiktoken.gz").read_bytes()).splitlines()
    ranks = {}
    for line in lines:
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(name, pat_str=facts["pat_str"], mergeable_ranks=ranks, special_tokens={})


def checksum(coder, block):
    code_points = range(block * BLOCK, (block + 1) * BLOCK)
    texts = [TEMPLATE.format(chr(point)) for point in code_points if not 0xD800 <= point < 0xE000]
    ids = [token for text in texts for token in coder.encode_ordinary(text)]
    return zlib.crc32(np.array(ids, dtype="<u4").tobytes())


def main():
    assert tiktoken.__version__ == "0.14.0"
    document = {"tiktoken": tiktoken.__version__, "block": BLOCK, "template": TEMPLATE}
    for name in ("cl100k_base", "o200k_base"):
        coder = encoding(name)
        document[name] = [checksum(coder, block) for block in BLOCKS]
    path = Path(__file__).with_name("code_point_ids.json")
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
