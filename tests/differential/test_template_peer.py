"""Templates, pairs and their truncation, against Hugging Face tokenizers on its own files."""

import random

import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError

tokenizers = pytest.importorskip("tokenizers")

pytestmark = [pytest.mark.peer, pytest.mark.shared]

TEXTS = [
    "What is a tokenizer?",
    "",
    "A tokenizer cuts text into tokens, and gives each of them a number; it is trained on text, too.",
    " Málaga 中文 \U0001f600\n\n",
    "one two three four five six seven eight nine ten eleven twelve",
]
#: With two texts: [CLS] A [SEP] B [SEP] in several spellings, and one that turns the texts round.
PROCESSORS = {
    "bert": tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
    "roberta": tokenizers.processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2), trim_offsets=False),
    "template": tokenizers.processors.TemplateProcessing(
        single="[CLS]:5 $A:4 [SEP]:3",
        pair="$B:2 [SEP]:1 $A:7 [CLS]:6",
        special_tokens=[("[SEP]", 3), ("[CLS]", 2)],
    ),
    "none": None,
}


def opened(path):
    """Our tokenizer and theirs."""
    theirs = tokenizers.Tokenizer.from_file(str(path))
    theirs.no_truncation()
    theirs.no_padding()
    return tg.Tokenizer.load(path), theirs


@pytest.fixture(scope="module")
def both(foreign_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "tokenizer.json"
    path.write_bytes(foreign_file[1])
    return opened(path)


@pytest.fixture(scope="module", params=PROCESSORS)
def made(request, shared_data, decompressed, tmp_path_factory):
    """The two with a post-processor of any kind."""
    path = tmp_path_factory.mktemp("template") / "tokenizer.json"
    file = shared_data / "data/tokenizers/trained/hf_wordpiece8k.tokenizer.json.gz"
    path.write_bytes(decompressed(file))
    theirs = tokenizers.Tokenizer.from_file(str(path))
    theirs.post_processor = PROCESSORS[request.param]
    theirs.save(str(path))
    return opened(path)


@pytest.mark.parametrize("add_special_tokens", [True, False])
def test_one_text_or_a_pair(both, add_special_tokens):
    check_texts(*both, add_special_tokens=add_special_tokens)


@pytest.mark.parametrize("add_special_tokens", [True, False])
def test_one_text_or_a_pair_in_any_template(made, add_special_tokens):
    check_texts(*made, add_special_tokens=add_special_tokens)


def check_texts(ours, theirs, *, add_special_tokens):
    for text in TEXTS:
        for pair in [None, *TEXTS]:
            want = theirs.encode(text, pair, add_special_tokens=add_special_tokens)
            got = ours.encode_template(text, pair, add_special_tokens=add_special_tokens, special="allow")
            assert got.ids.tolist() == want.ids
            assert got.type_ids.tolist() == want.type_ids
            assert got.offsets == want.offsets
            assert [None if number < 0 else number for number in got.sequence_ids] == want.sequence_ids
            assert len(got) == len(want.ids)


def rows_of(theirs, inputs, settings, *, add_special_tokens):
    """Every row that they make, first ones and overflow."""
    theirs.enable_truncation(
        settings["max_length"],
        stride=settings["stride"] or 0,
        strategy=settings["truncation"],
        direction=settings["truncation_side"],
    )
    rows = []
    for texts in inputs:
        encoding = theirs.encode(*texts, add_special_tokens=add_special_tokens)
        rows += [encoding, *(encoding.overflowing if settings["stride"] is not None else ())]
    return rows


def test_rows(both):
    check_rows(*both)


def test_rows_in_any_template(made):
    check_rows(*made)


def check_rows(ours, theirs):
    draw = random.Random(5)
    refused = 0
    for _ in range(150):
        settings = {
            "max_length": draw.randint(1, 24),
            "stride": draw.choice([None, 0, 1, 3]),
            "truncation": draw.choice(["longest_first", "only_first", "only_second"]),
            "truncation_side": draw.choice(["left", "right"]),
        }
        side, special = draw.choice(["left", "right"]), draw.random() < 0.8
        texts = draw.sample(TEXTS, 3)
        pairs = draw.choice([None, draw.sample(TEXTS, 3)])
        inputs = [(text,) for text in texts] if pairs is None else list(zip(texts, pairs, strict=True))
        try:
            batch = ours.encode_padded(
                texts, pairs, padding_side=side, special="allow", add_special_tokens=special, **settings
            )
        except ParameterError:
            refused += 1
            # Where a row has no room for any id of a text they give templates around nothing, or end.
            continue
        rows = rows_of(theirs, inputs, settings, add_special_tokens=special)
        assert len(batch) == len(rows)
        for number, row in enumerate(rows):
            used = batch.attention_mask[number].astype(bool)
            assert used.sum() == len(row.ids)
            assert batch.ids[number][used].tolist() == row.ids
            # In the overflow they keep the kind that a text had before the template gave it another.
            if number == 0 or batch.texts[number] != batch.texts[number - 1]:
                assert batch.type_ids[number][used].tolist() == row.type_ids
            assert used[-1 if side == "left" else 0] or not row.ids
            # They lose the text of an id where texts are cut, so that is compared with the texts.
            for which, of in enumerate([texts] if pairs is None else [texts, pairs]):
                start = (batch.starts, batch.pair_starts)[which][number]
                length = (batch.lengths, batch.pair_lengths)[which][number]
                whole = ours.encode_ids(of[batch.texts[number]], special="allow")
                ids = batch.ids[number][batch.sequence_ids[number] == which]
                assert ids.tolist() == whole[start : start + length].tolist()
    assert refused < 100


def test_what_they_refuse_is_refused(both):
    """A text that is not to be cut must not leave less than one id of the other."""
    ours, theirs = both
    long = "one two three four five six seven eight nine ten eleven"
    theirs.enable_truncation(8, strategy="only_first")
    with pytest.raises(Exception, match="too short"):
        theirs.encode("one", long)
    with pytest.raises(ParameterError, match="`truncation` cannot be 'only_first' for pair 0"):
        ours.encode_padded(["one"], [long], max_length=8, truncation="only_first")
