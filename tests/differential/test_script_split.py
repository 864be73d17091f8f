"""The rule "script" of the engine against its twin, with the scripts that another library knows."""

import functools
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.reference import splits

regex = pytest.importorskip("regex")

pytestmark = pytest.mark.peer

NAMES = """
    Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil
    Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Khmer
    Mongolian Hiragana Katakana Bopomofo Han Yi Gothic Deseret Tifinagh Coptic
"""
ANY = regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in NAMES.split()))
#: Characters of scripts that are not listed, and those that the library does not know, are left out.
OTHER = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")


@functools.cache
def script_of(character):
    found = ANY.fullmatch(character)
    return found.lastgroup if found else None


def is_known(character):
    """Characters that one of the libraries is too old for have another script, or none."""
    if unicodedata.category(character) in {"Cn", "Cs"}:
        return False
    return script_of(character) is not None or OTHER.fullmatch(character) is not None


def check(text):
    pieces = tg.split_pieces(text, "script")
    assert pieces == splits.script(text, script_of)
    assert "".join(pieces) == text


def test_every_character_after_each_script():
    characters = [
        c for c in map(chr, range(sys.maxunicode + 1)) if not "\ud800" <= c <= "\udfff" and is_known(c)
    ]
    assert len(characters) > 120_000
    check("".join(f"a{character}б1{character} " for character in characters))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="aé бя αω 中の カー 한 ا 1,.-\u0301\u200d\U0001f600", max_size=30))
def test_random_texts(text):
    check(text)
