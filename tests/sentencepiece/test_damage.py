"""Files that are no SentencePiece models, or damaged ones."""

import random
import re

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

PIECES = [("▁a", -1.0), ("a", -2.0), ("b", -3.0)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: b"", "the file holds no pieces"),
        (lambda content: content[:50], "bytes, but"),
        (lambda content: b"{}" + content, "byte 0"),
        (lambda content: content.replace(b"<unk>", b"<u\xffk>"), "is not UTF-8"),
        (lambda content: content.replace("▁a".encode(), b"a\0\0\0"), None),
        (lambda content: content.replace(b"\x0a\x01b", b"\x0a\x01a"), "is piece 4 too"),
        (lambda content: content.replace(b"\x18\x02", b"\x18\x01"), "no piece stands for unknown"),
        (lambda content: content.replace(b"\x18\x03", b"\x18\x02"), "both stand for unknown"),
        (lambda content: content.replace(b"\x18\x03", b"\x18\x09"), "kinds run from 1 to 6"),
        (lambda content: content.replace(b"\x00\x00\x80\xbf", b"\x00\x00\xc0\x7f"), "has the score NaN"),
    ],
)
def test_the_reason_is_told(model_content, open_model, change, reason):
    changed = change(model_content(PIECES))
    if reason is None:
        open_model(changed)
        return
    with pytest.raises(FormatError, match=re.escape(reason)):
        open_model(changed)


def test_missing_bytes_are_named(model_content, open_model):
    content = model_content(PIECES, byte_fallback=True).replace(b"<0x41>", b"<0x4a>")
    with pytest.raises(FormatError, match="needs a piece <0x41>"):
        open_model(content)


def test_nothing_panics(model_content, open_model):
    charsmap = (8).to_bytes(4, "little") + b"\x61\x05\0\0\0\0\0\x80b\0"
    content = model_content(PIECES, byte_fallback=True, charsmap=charsmap)
    generator = random.Random(5)
    for _ in range(600):
        changed = bytearray(content)
        for _ in range(generator.randrange(1, 4)):
            changed[generator.randrange(len(changed))] = generator.randrange(256)
        if generator.random() < 0.3:
            del changed[generator.randrange(len(changed)) :]
        try:
            tokenizer = open_model(bytes(changed))
        except FormatError:
            continue
        tokenizer.decode(tokenizer.encode_ids("a b ab é▁"))
        assert len(tokenizer.encode("a b ab é▁").offsets) == tokenizer.count("a b ab é▁")


def test_only_what_the_format_can_say_is_written(tmp_path):
    trained = tg.WordLevel().train(["a b"])
    with pytest.raises(ParameterError, match="must be one that a SentencePiece model can say"):
        trained.save_sentencepiece(tmp_path / "a.model")
