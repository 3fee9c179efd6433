"""Facts about the files of the project that no tool checks by itself."""

from __future__ import annotations

import collections
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_test_files_have_names_of_their_own() -> None:
    names = collections.Counter(path.name for path in ROOT.glob("tests/**/test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_license_is_the_one_declared() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text.split("\n\n")[0]
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()
