"""Refusals in branches: they are raised when the branch is taken, not before.

A program may have paths that cannot be followed and that no call of it takes.
"""

from __future__ import annotations

from anadrome import runtime
from anadrome.errors import AnadromeError, Span
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.augmented_assignment import SharedUpdate
from anadrome.frontend.syntax.exits import leave_function
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Node
from anadrome.ir.types import NEVER, Other


def is_deferrable(it: Interpreter, error: AnadromeError) -> bool:
    """Whether a refusal may wait until the branch that it is in is taken."""
    if it.in_rule or isinstance(error, SharedUpdate):
        return False
    if it.prepare is not None and it.prepare.fixes_lists:
        # It is read again in another way.
        return False
    # The handlers of a `try` would take the refusal for Python's exception.
    return not any(level is not None for f in it.frames for level in f.levels)


def refuse_when_reached(it: Interpreter, error: AnadromeError, leaves: bool) -> None:
    """Raise a refusal when the program comes here; `leaves`: nothing follows."""
    before, it.span = it.span, error.span
    emit_refusal(it, error)
    it.span = before
    if leaves and not it.frame.levels:
        it.env[(it.frame.scope, "%return")] = UNDEFINED
        leave_function(it)


def emit_refusal(it: Interpreter, error: AnadromeError) -> None:
    """Write down a statement that refuses what was found wrong.

    It is a refusal also where Python would raise something: that may be later, after
    the branch has printed or changed something, or not at all.
    """
    path = error.path or (error.span.path if error.span is not None else ())
    places = tuple(map(_place, (*path, *([error.span] if error.span else ()))))
    args: list[Node] = [it.constant(runtime.refusal)]
    args += map(it.constant, (type(error).__name__, error.message, error.help))
    args.append(it.constant(places))
    made = it.emit(ops.PYCALL, tuple(args), Other(type(error)), target=True)
    it.emit(ops.RAISE, (made,), NEVER)


def _place(span: Span) -> tuple[str | int, ...]:
    return (
        span.file,
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        span.function,
    )
