"""The texts of errors: what, where, a caret, the calls that led there, a way out."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anadrome as ad
from anadrome.errors import AnadromeError, RecursionTooDeep
from anadrome.frontend.program import read
from anadrome.ir.types import is_differentiable
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.transform.reverse.walk import reverse

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from bad_programs import BAD, recursion_without_end  # noqa: E402


def differentiate(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Read a program and write its derivative."""
    program = read(function, copy.deepcopy(args), {})
    remove_dead_code(program.graph)
    sources = [a for _, a in program.arguments if is_differentiable(a.type)]
    reverse(program.graph, sources, "gradient", seeded=False, value=False)


def error_of(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """The error that reading and differentiating a program ends in."""
    with pytest.raises(AnadromeError) as caught:
        differentiate(function, args)
    return str(caught.value).replace(f"{HERE}/", "").strip() + "\n"


@pytest.mark.parametrize(
    ("function", "args"), BAD, ids=[function.__name__ for function, _ in BAD]
)
def test_error_text(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    golden: Callable[[str, str], None],
) -> None:
    text = error_of(function, args)
    assert 'File "bad_programs.py", line ' in text
    assert "^" in text
    assert "\nhelp: " in text
    golden(f"errors/{function.__name__}", text)


def test_there_are_many_kinds_of_errors() -> None:
    heads = {
        next(line for line in error_of(*b).splitlines() if line[:1].isupper())
        for b in BAD
    }
    assert len(heads) >= 45


def test_the_calls_that_led_to_an_error_are_shown() -> None:
    function = next(b for b in BAD if b[0].__name__ == "error_in_a_callee")
    text = error_of(*function)
    assert text.index("in error_in_a_callee") < text.index("in outer_helper")
    assert text.index("in outer_helper") < text.index("in inner_helper")


def test_text_of_a_recursion_that_is_too_deep(
    golden: Callable[[str, str], None],
) -> None:
    with pytest.raises(RecursionTooDeep) as caught:
        ad.grad(recursion_without_end)(0.5)
    text = str(caught.value).replace(f"{HERE}/", "").strip() + "\n"
    limit = str(sys.getrecursionlimit())
    golden("errors/recursion_without_end", text.replace(limit, "1000"))
