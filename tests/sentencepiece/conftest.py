"""Models of SentencePiece, written field by field."""

import struct

import pytest

import textgrain as tg

KINDS = {"normal": 1, "unknown": 2, "control": 3, "user": 4, "unused": 5, "byte": 6}
ALGORITHMS = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def number_field(field, value):
    return varint(field << 3) + varint(value)


def bytes_field(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def piece_field(text, score, kind):
    message = bytes_field(1, text.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score)
    return bytes_field(1, message + number_field(3, KINDS[kind]))


def read_fields(message):
    """The fields of a message that are numbers or bytes, by number; floats are left out."""
    fields, place = {}, 0

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place, value, shift = place + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while place < len(message):
        tag = number()
        value = number() if tag & 7 in (0, 2) else None
        if tag & 7 == 2:
            place += value
            value = message[place - value : place]
        elif tag & 7 == 5:
            place += 4
        fields[tag >> 3] = value
    return fields


def make_model(
    pieces,
    algorithm="unigram",
    *,
    byte_fallback=False,
    suffix=False,
    dummy_prefix=True,
    remove_spaces=True,
    escape=True,
    charsmap=b"",
):
    """The content of a file; `pieces` are texts with a score, or with a score and a kind.

    ``<unk>``, ``<s>`` and ``</s>`` come first, and after them the bytes if there is a fallback to them.
    """
    entries = [("<unk>", 0.0, "unknown"), ("<s>", 0.0, "control"), ("</s>", 0.0, "control")]
    if byte_fallback:
        entries += [(f"<0x{byte:02X}>", 0.0, "byte") for byte in range(256)]
    entries += [(*piece, "normal")[:3] for piece in pieces]
    trainer = number_field(3, ALGORITHMS[algorithm]) + number_field(4, len(entries))
    trainer += number_field(24, suffix) + number_field(35, byte_fallback)
    normalizer = bytes_field(1, b"identity") + bytes_field(2, charsmap)
    flags = [dummy_prefix, remove_spaces, escape]
    normalizer += b"".join(number_field(3 + place, flag) for place, flag in enumerate(flags))
    content = b"".join(piece_field(*entry) for entry in entries)
    return content + bytes_field(2, trainer) + bytes_field(3, normalizer)


@pytest.fixture(scope="session")
def model_content():
    """`make_model`."""
    return make_model


@pytest.fixture(scope="session")
def map_of_characters():
    """Takes the map of characters out of the content of a file."""
    return lambda content: read_fields(read_fields(content)[3])[2]


@pytest.fixture(scope="session")
def open_model(tmp_path_factory):
    """A tokenizer from the content of a file."""
    path = tmp_path_factory.mktemp("models") / "a.model"

    def open_content(content):
        path.write_bytes(content)
        return tg.Tokenizer.from_sentencepiece(path)

    return open_content
