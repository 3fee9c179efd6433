"""Random programs: their derivatives are right, or they are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.checking import FIRST_ORDER, check
from fuzz.native import check_native
from fuzz.programs import write_program
from fuzz.reducing import reduce_program
from fuzz.run import program_text
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.py"))


@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    # Programs are made smaller statement by statement, which is quicker.
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data(), point=st.integers(0, 1000))
def test_derivatives_of_random_programs(data: st.DataObject, point: int) -> None:
    text = write_program(lambda n: data.draw(st.integers(0, n - 1)))
    verdict = check(text, point)
    if verdict.failed:
        stages = [verdict.stage]
        small = reduce_program(text, lambda t: check(t, point, stages).failed, 30.0)
        pytest.fail(f"{verdict.stage}: {verdict.detail}\nPOINT = {point}\n\n{small}")


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_program_that_once_failed(path: Path) -> None:
    text = path.read_text()
    point = int(text.split("\n", 1)[0].removeprefix("POINT = "))
    verdict = check(text, point, (*FIRST_ORDER, "second order"))
    assert not verdict.failed, f"{verdict.stage}: {verdict.detail}"
    assert verdict.kind != "skipped", verdict.detail


@pytest.mark.parametrize("number", range(16))
def test_random_program_in_native_code(number: int) -> None:
    verdict = check_native(program_text(7, number), number)
    assert not verdict.failed, f"{verdict.stage}: {verdict.detail}"
