"""The same work on every level of processor that this machine has, each in a process of its own.

Ids, pieces, merges and files are the same; vectors and scores agree within rounding.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import textgrain as tg

WORK = Path(__file__).with_name("work.py")


def start(level, *arguments):
    environment = os.environ | {"TEXTGRAIN_SIMD": level}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process):
    output, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    return json.loads(output)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What each level did: digests by name, and the arrays that are rounded."""
    folders = {level: tmp_path_factory.mktemp(level) for level in tg.processor_levels()}
    running = {level: start(level, WORK, folder, "exact") for level, folder in folders.items()}
    found = {level: finished(process) for level, process in running.items()}
    for level, report in found.items():
        report["arrays"] = dict(np.load(folders[level] / "rounded.npz"))
    return found


@pytest.fixture(params=tg.processor_levels()[1:])
def level(request):
    return request.param


def test_each_process_was_on_its_level(reports):
    assert {level: report["level"] for level, report in reports.items()} == {name: name for name in reports}


def test_what_is_exact_is_the_same(reports, level):
    assert reports[level]["exact"] == reports["portable"]["exact"]


def test_searches_find_the_same_words(reports, level):
    assert reports[level]["answers"] == reports["portable"]["answers"]
    accuracy = {name: value for name, value in reports[level]["answers"].items() if name.startswith("3cos")}
    assert accuracy["3cosadd, 20"] == accuracy["3cosadd, 100"] == 1


def test_vectors_and_scores_agree_within_rounding(reports, level):
    for name, expected in reports["portable"]["arrays"].items():
        np.testing.assert_allclose(reports[level]["arrays"][name], expected, rtol=0, atol=2e-4, err_msg=name)


def test_one_level_gives_the_same_bytes_each_time(reports, tmp_path):
    level = tg.processor_levels()[-2:][0]
    assert finished(start(level, WORK, tmp_path))["rounded"] == reports[level]["rounded"]


def test_levels_differ_in_more_than_their_names(reports):
    """Otherwise all that is compared above would be one path of the code."""
    assert len({report["rounded"]["skip-gram: vectors"] for report in reports.values()}) == len(reports)


@pytest.mark.parametrize("name", ["AVX2", "sse", "best"])
def test_a_level_that_is_not_there(name):
    process = start(name, "-c", "import textgrain")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    last = errors.splitlines()[-1]
    assert last.startswith("ImportError: `TEXTGRAIN_SIMD` must be")
    assert all(f'"{known}"' in last for known in (name, *tg.processor_levels()))
    assert "Unset it" in last


def test_an_empty_value_is_none():
    process = start("", "-c", "import textgrain as tg; print(tg.processor_level())")
    assert process.communicate(timeout=60)[0].strip() == tg.processor_levels()[-1]
