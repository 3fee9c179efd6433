"""Facts about the files of the project that no tool checks by itself."""

from __future__ import annotations

import ast
import collections
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_test_files_have_names_of_their_own() -> None:
    names = collections.Counter(path.name for path in ROOT.glob("tests/**/test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_license_is_the_one_declared() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text.split("\n\n")[0]
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()


ROOMS = sorted(p.parent for p in (ROOT / "src" / "anadrome").rglob("__init__.py"))[1:]


@pytest.mark.parametrize("room", ROOMS, ids=lambda r: "/".join(r.parts[-2:]))
def test_rooms_have_signs_and_are_not_crowded(room: Path) -> None:
    sign = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    assert re.search(r"^In: .*\nOut: ", sign, re.M | re.S), (
        "what comes in, what goes out"
    )
    assert len(list(room.glob("*.py"))) <= 31


def test_picture_of_the_rooms_is_true() -> None:
    spec = importlib.util.spec_from_file_location(
        "draw_rooms", ROOT / "tools" / "draw_rooms.py"
    )
    tool = importlib.util.module_from_spec(spec)
    # Its records look up their module.
    sys.modules["draw_rooms"] = tool
    spec.loader.exec_module(tool)
    assert tool.PICTURE.read_text() == tool.draw(), "run python tools/draw_rooms.py"
