"""Parts of a statement that are read as statements of their own.

In the body of a `try` what may raise is caught statement by statement. The entry of a
context manager and its exit are calls that stand in no statement, so they become some.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.syntax.table import runs


class Step(ast.Expr):
    """Something that is done and may raise."""

    _fields = ()
    run: Callable[[], object]


class Part(ast.stmt):
    """Something that is read statement by statement itself."""

    _fields = ()
    run: Callable[[], object]


@runs(Step, Part)
def _run(it: Interpreter, s: Step | Part, rest: list[ast.stmt]) -> bool:
    s.run()
    return False


def run_steps(
    it: Interpreter,
    steps: list[Callable[[], object]],
    last: Callable[[], object] | None,
    live: frozenset[str],
) -> None:
    """Do steps in order, then what reads statements; none after one that raises."""
    from anadrome.frontend.syntax.statements import run_block

    made: list[ast.stmt] = []
    for kind, run in [*((Step, s) for s in steps), *([(Part, last)] if last else [])]:
        s = kind()
        s.run = run
        if it.span is not None:
            s.lineno, s.col_offset = it.span.line, it.span.column
            s.end_lineno, s.end_col_offset = it.span.end_line, it.span.end_column
        made.append(s)
    after = liveness_of(it.frame.source.node).after
    for s in made:
        after[s] = live | frozenset(it.frame.scope.locals)
    run_block(it, made)
