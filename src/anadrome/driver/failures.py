"""Failures of compiled programs: Python is asked whether it fails as well.

A program has to fail where its function does, and with the same exception. Where nobody
can tell that the function ran once more, it is run when a program has failed, and what
it does is what counts. A program that does not fail costs nothing of this.
"""

from __future__ import annotations

import copy
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from anadrome import errors
from anadrome.errors import AnadromeError, CompilerError, Span

if TYPE_CHECKING:
    from anadrome.driver.program import Compiled, NativeProgram

PATIENCE = 0.02
"""Seconds in which native code has failed for Python, which is slower, to be asked."""


def confirm_native(
    program: NativeProgram,
    error: Exception,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """The result that Python has where native code failed; else the failure is raised.

    If Python fails with the same class of exception it is the one of native code, which
    shows the line.
    """
    from anadrome.backends.native.repeatable import may_start_over

    if program.original is None or isinstance(error, MemoryError):
        raise error
    if _is_raised_by_the_user(error):
        raise error
    if not may_start_over(program.graph):
        raise error
    began = time.perf_counter()
    try:
        program.function(*program.checked(args, keywords))
    except Exception:
        if time.perf_counter() - began > PATIENCE:
            raise error from None
    try:
        result = program.original(*args, **keywords)
    except Exception as own:
        if isinstance(error, type(own)):
            raise error from None
        raise
    refusal = _defect("native code fails here where Python does not", error, None)
    program.tell(refusal)
    return result


def confirm_derivative(
    program: Compiled,
    error: Exception,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    span: Span | None,
) -> Exception:
    """What to raise where a derivative failed: what its function raises.

    Where the function has a value, dividing by zero and the like say that it has no
    derivative there; whatever else fails is a defect. That a derivative needs more
    memory than its function, or more of the stack, is none.
    """
    function = program.differentiated
    if isinstance(error, MemoryError | RecursionError | Warning):
        return error
    if function is None or not _runs_unseen(program):
        return error
    try:
        given = copy.deepcopy((args, keywords))
    except Exception:
        return error
    try:
        function(*given[0], **given[1])
    except Exception as own:
        return error if isinstance(error, type(own)) else own
    if isinstance(error, ArithmeticError) or not _is_of_the_compiler(error):
        return error
    return _defect("the derivative fails here where the function does not", error, span)


def _is_raised_by_the_user(error: Exception) -> bool:
    """Whether native code says of an exception that it stands in the user's code."""
    notes = getattr(error, "__notes__", ())
    return any("\n    raise" in note or "\n    assert" in note for note in notes)


def _is_of_the_compiler(error: Exception) -> bool:
    """Whether what failed is nothing that the user wrote: no rule, and no `raise`."""
    frames = traceback.extract_tb(error.__traceback__)
    printed = [k for k, f in enumerate(frames) if f.filename.startswith("<anadrome ")]
    if not printed:
        return False
    *_, last = printed
    if (frames[last].line or "").startswith(("raise", "assert")):
        return False
    return all(f.filename.startswith(_LIBRARIES) for f in frames[last + 1 :])


_LIBRARIES = tuple(str(Path(str(m.__file__)).parent) for m in (errors, np, scipy))


def _runs_unseen(program: Compiled) -> bool:
    """Whether nobody can tell that the function of a derivative runs again."""
    from anadrome.backends.native.repeatable import is_unnoticed
    from anadrome.ir.types import holds_stored

    captured = [c.parameter for c in program.program.captures]
    if any(holds_stored(p.type) for p in captured):
        return False
    return is_unnoticed(program.graph)


def _defect(what: str, error: Exception, span: Span | None) -> AnadromeError:
    text = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(": ")
    found = CompilerError(
        f"{what} ({text})",
        span,
        "this is a defect of Anadrome: write this part differently, and report it",
    )
    found.__cause__ = error
    return found


__all__ = ["confirm_derivative", "confirm_native"]
