"""Random programs do what plain Python does, in every mode, or are refused."""

from __future__ import annotations

import pytest
from fuzz.semantics.checking import check
from fuzz.semantics.kept import REGRESSIONS, examine, known_failures, slice_of
from fuzz.semantics.reducing import reduce_program
from fuzz.semantics.writer import HEADER, categories, write_program


def _compare(names: list[str]) -> None:
    found = examine(names)
    known = known_failures()
    failed = [n for n in names if found[n].failed]
    new = [f"{n}: {found[n]}" for n in failed if n not in known]
    assert not new, "\n".join(new)
    mended = [n for n in names if n in known and n not in failed]
    assert not mended, f"take {mended} out of known_failures.txt (run kept.py)"


@pytest.mark.parametrize("category", categories())
def test_programs_of_a_category(category: str) -> None:
    _compare(slice_of(category))


@pytest.mark.parametrize("part", range(4))
def test_programs_that_once_failed(part: int) -> None:
    _compare(list(REGRESSIONS)[part::4])


def test_known_failures_are_kept_programs() -> None:
    kept = {*REGRESSIONS, *(n for c in categories() for n in slice_of(c))}
    assert set(known_failures()) <= kept


def test_a_program_depends_on_its_seed_alone() -> None:
    assert write_program("loops", "5") == write_program("loops", "5")
    assert write_program("loops", "5") != write_program("loops", "6")


WRONG = """
def program(x, y):
    v1 = x * 2
    if v1 > 1.0:
        v1 = helped(v1)
    return v1


def helped(a):
    return a + 1


def arguments():
    x = number("float", 1.5)
    y = laid("F", "float32", (2, 3), 4)
    return x, y
"""


def test_a_program_is_checked_against_python() -> None:
    assert check(HEADER + WRONG).kind == "right"


def test_a_failure_is_made_smaller() -> None:
    def fails(text: str) -> bool:
        return "helped(v1)" in text and "program(x" in text

    text = reduce_program(HEADER + WRONG, fails, 20.0)
    assert "y" not in text.split("def program(")[1].split(")")[0]
    assert "if" not in text.split("def program(")[1].split("def helped")[0]
