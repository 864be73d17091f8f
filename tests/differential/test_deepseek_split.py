"""The scanner for the patterns of DeepSeek cuts as the expressions do, whatever the character."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

PUNCTUATION = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
#: In brackets, so that they are not recognized and cut by the scanner too.
EXPRESSIONS = [
    r"(?:\p{N}{1,3})",
    "(?:[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+)",
    rf"(?:{PUNCTUATION}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+| ?[\p{{P}}\p{{S}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+)",
]
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
    "中{}!",
    "  {}",
    "\0{}\0A",
]


def by_expressions(text):
    return tg.split_pieces(text, [tg.Regex(expression) for expression in EXPRESSIONS])


def check(text):
    pieces = tg.split_pieces(text, "deepseek")
    expected = by_expressions(text)
    if pieces != expected:
        first = next(n for n, both in enumerate(zip(pieces, expected, strict=False)) if both[0] != both[1])
        near = slice(max(first - 2, 0), first + 3)
        raise AssertionError(f"{pieces[near]} and not {expected[near]}")


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_character(template):
    characters = (chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number < 0xE000)
    check("x\n".join(template.replace("{}", character) for character in characters))


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                "aZs'!$_~ \n\r\t129é中のカー゛・\u3099\u9fa6Éʰ²“€\U0001f600\u0301\xa0\u3000\0\x7f\u200d\ue000"
            ),
            st.integers(1, 70),
        ),
        max_size=30,
    )
)
def test_random_texts(runs):
    check("".join(character * count for character, count in runs))


def test_a_rule_from_a_file_is_recognized(tmp_path):
    tokenizer = tg.BPE(vocab_size=300, split="deepseek").train(["low lower 12345 中文, don't\n\n ok"] * 3)
    assert tokenizer.settings["split"] == "deepseek"
    tokenizer.save(tmp_path / "tokenizer.json")
    again = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert again.settings["split"] == "deepseek"
    text = "1234 中文, don't\0 x"
    assert again.encode_ids(text).tolist() == tokenizer.encode_ids(text).tolist()
