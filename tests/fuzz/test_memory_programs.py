"""Random programs about memory layouts: as in Python, or refused."""

from __future__ import annotations

import pytest
from fuzz.memory import Case, check, load

CASES = [Case(1, k) for k in range(40)]


@pytest.fixture(scope="module")
def programs():
    return load(CASES)


def failures(verdicts: dict[str, str]) -> list[str]:
    return [
        f"{mode} {verdict}"
        for mode, verdict in verdicts.items()
        if mode != "python" and verdict not in ("right", "refused")
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_derivatives(programs, case):
    found = failures(check(getattr(programs, case.name), case, native=False))
    assert not found, f"{case.text}\n{case.layouts}\n{found}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES[:8], ids=lambda c: c.name)
def test_native_code(programs, case):
    found = failures(check(getattr(programs, case.name), case, native=True))
    assert not found, f"{case.text}\n{case.layouts}\n{found}"
