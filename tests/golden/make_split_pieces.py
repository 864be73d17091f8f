"""Write split_pieces.json: checksums of the pieces that tiktoken finds around every code point.

Run with tiktoken 0.14.0 installed: ``python tests/golden/make_split_pieces.py``. A vocabulary that holds
every part of a text makes each piece one token, so the pieces can be read off the tokens.
"""

import json
import zlib
from pathlib import Path

import tiktoken
from tiktoken_ext import openai_public

BLOCK = 4096
# The other planes hold ideographs only, are unassigned or for private use.
BLOCKS = [*range(0x20000 // BLOCK), *range(0xE0000 // BLOCK, 0xE1000 // BLOCK)]
TEMPLATES = [
    "{}",
    "a{}b",
    " {}1",
    "'{}x",
    "{}{} ",
    "\n{} a",
    "1{}\r\n",
    "!{}a",
    "\t{}\u0301",
    "A{}B",
    "AB{}cD",
    "x{}/\n",
]
PATTERNS = {
    "gpt2": openai_public.r50k_pat_str,
    # As in openai_public.cl100k_base, which would fetch its vocabulary from the network.
    "gpt4": (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
        r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
    # As in openai_public.o200k_base.
    "o200k": (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"""
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)?"""
        r"""|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"""
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)?"""
        r"""|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
}


def checksum(pattern, block):
    texts = []
    for code_point in range(block * BLOCK, (block + 1) * BLOCK):
        if not 0xD800 <= code_point < 0xE000:
            texts += [template.replace("{}", chr(code_point)) for template in TEMPLATES]
    parts = {
        text[start:end].encode()
        for text in texts
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
    }
    parts = sorted(parts)
    core = tiktoken._tiktoken.CoreBPE({part: rank for rank, part in enumerate(parts)}, {}, pattern)
    value = 0
    for text in texts:
        pieces = [parts[token] for token in core.encode_ordinary(text)]
        assert b"".join(pieces) == text.encode()
        value = zlib.crc32(b"".join(piece + b"\xff" for piece in pieces), value)
    return value


def main():
    assert tiktoken.__version__ == "0.14.0"
    checksums = {
        name: {str(block): checksum(pattern, block) for block in BLOCKS} for name, pattern in PATTERNS.items()
    }
    document = {"tiktoken": tiktoken.__version__, "block": BLOCK, "templates": TEMPLATES, **checksums}
    path = Path(__file__).with_name("split_pieces.json")
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
