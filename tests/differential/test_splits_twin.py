"""The split rules of the engine cut where the readable twins cut, whatever the character."""

import sys
import unicodedata

import pytest

import textgrain as tg
from textgrain.reference import splits

RULES = [splits.whitespace, splits.words]
BETWEEN = ["a{}b", "- {}", "{0}{0} 1", "_{}\u0301"]


def known_characters():
    """All characters but those that Python's Unicode tables, which may be older, do not know."""
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) not in ("Cn", "Cs"):
            yield character


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_character(rule, between):
    tokenizer = tg.BPE(merges=0, split=rule.__name__).train(["a"])
    text = " \n".join(between.format(character) for character in known_characters())
    pieces = [piece.text for piece in tokenizer.explain(text).pieces]
    assert pieces == rule(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_space_of_its_own(rule):
    """With the space in front, the pieces are the same but for it, and nothing is lost."""
    tokenizer = tg.BPE(merges=0, split=rule.__name__, space_prefix=True).train(["a"])
    text = "".join(f"a{character} b {character}{character}" for character in known_characters())
    pieces = [piece.text for piece in tokenizer.explain(text).pieces]
    assert "".join(pieces) == text
    assert [bare for bare in (piece.removeprefix(" ") for piece in pieces) if rule(bare)] == rule(text)
