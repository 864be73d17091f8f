import json
from pathlib import Path

import pytest

import textgrain as tg

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"


@pytest.fixture(scope="session")
def seeds():
    return json.loads((GOLDEN / "seeds.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def shared_data():
    """The large corpora and golden files beside the repository."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with large corpora and golden files is not there")
    return folder


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["tg"] = tg
