"""`raise`, `try` and everything that must happen even when something is raised.

A `try` runs in a region of its own, each handler in another; which of them finished is
a value, so the derivative takes the same way back.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.liveness import assigned, liveness_of, reads
from anadrome.frontend.regions import _Join, _Side, branch
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import ANY, BOOL, NEVER, Other


def run_raise(it: Interpreter, s: ast.Raise) -> None:
    """`raise error from cause`."""
    from anadrome.frontend.expressions import evaluate

    if s.exc is None:
        it.emit(ops.RAISE, (), NEVER)
        return
    error = evaluate(it, s.exc)
    it.emit(ops.RAISE, (error,), NEVER)


def run_try(it: Interpreter, s: ast.Try) -> None:
    """A whole `try` statement."""
    from anadrome.frontend.statements import run_block

    if s.finalbody:
        inner = ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)
        liveness = liveness_of(it.frame.source.node)
        liveness.after[inner] = liveness.live_after(s) | _all_reads(s.finalbody)
        protect(
            it,
            lambda: run_try(it, inner) if s.handlers else run_block(it, s.body),
            lambda: run_block(it, s.finalbody),
            liveness.after[inner],
        )
        return
    live = liveness_of(it.frame.source.node).live_after(s)
    for h in s.handlers:
        live |= _all_reads(h.body)
    _refuse_partial_assignments(it, s, live)
    completed = (it.frame.scope, "%completed")

    def body() -> None:
        run_block(it, s.body)
        it.env[completed] = it.constant(True)

    def handler(h: ast.ExceptHandler) -> Callable[[Node], None]:
        def run(error: Node) -> None:
            it.env[completed] = it.constant(False)
            if h.name:
                it.env[(it.frame.scope, h.name)] = error
            run_block(it, h.body)
            if h.name:
                it.env.pop((it.frame.scope, h.name), None)

        return run

    handlers = [(_types(it, h), handler(h)) for h in s.handlers]
    attempt(it, body, handlers, live)
    done = it.env.pop(completed)
    if s.orelse:
        branch(it, done, lambda: run_block(it, s.orelse), lambda: None, live)


def _all_reads(body: list[ast.stmt]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for s in body:
        found |= reads(s)
    return found


def _types(it: Interpreter, h: ast.ExceptHandler) -> Node:
    from anadrome.frontend.expressions import evaluate

    return evaluate(it, h.type) if h.type is not None else it.constant(BaseException)


def _refuse_partial_assignments(it: Interpreter, s: ast.Try, live: frozenset[str]) -> None:
    """A value assigned before the exception would have to be undone backwards."""
    last = s.body[-1]
    early = assigned(s.body[:-1])
    if not isinstance(last, ast.Assign | ast.Return | ast.Expr | ast.AugAssign | ast.AnnAssign):
        early |= assigned([last])
    for h in s.handlers:
        for name in sorted(early & _all_reads(h.body)):
            raise it.fail(
                UnsupportedSyntax,
                f"the handler reads '{name}', which the try block assigns",
                "assign it before the try, or raise before assigning",
                it.frame.source.span(h),
            )
        always = not _leaves(h.body)
        for name in sorted((early & live) - assigned(h.body) - _all_reads(h.body)):
            if always and (it.frame.scope, name) in it.env:
                raise it.fail(
                    UnsupportedSyntax,
                    f"'{name}' is assigned before the exception and read after it",
                    "assign it in the handler too, or outside the try",
                    it.frame.source.span(h),
                )


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def attempt(
    it: Interpreter,
    body: Callable[[], None],
    handlers: list[tuple[Node, Callable[[Node], None]]],
    live: frozenset[str],
) -> None:
    """Read a body and its handlers into a TRY and join what they assign.

    More than one handler nests: the first is tried inside, the others around it.
    """
    if len(handlers) > 1:
        # One region for all handlers: the types are told apart inside it.
        from anadrome.frontend.expressions import choose_statement

        types = [t for t, _ in handlers]
        runners = [r for _, r in handlers]

        def dispatch(error: Node, k: int = 0) -> None:
            if k == len(runners) - 1:
                runners[k](error)
                return
            test = it.emit(ops.PYCALL, (it.constant(isinstance), error, types[k]), BOOL)
            choose_statement(
                it, test, lambda: runners[k](error), lambda: dispatch(error, k + 1), live
            )

        flat = it.emit(ops.PYCALL, (it.constant(_flatten_types), *types), Other(tuple))
        attempt(it, body, [(flat, dispatch)], live)
        return
    (kinds, run), = handlers
    before, items = it.env, it.known_items
    tried = _Side(it.new_region("try"), dict(before), dict(items))
    tried.run(it, body)
    caught = _Side(it.new_region("except"), dict(before), {})
    error = caught.graph.add_parameter(ANY, "error", it.span)
    error.type = Other(BaseException)
    caught.run(it, lambda: run(error))
    node = Apply(ops.TRY, (it.concrete(kinds),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (tried.graph, caught.graph)
    it.env = before
    _Join(it, node, tried, caught, live | frozenset(["%completed"]), before).run()
    it.known_items = {}


def _flatten_types(*kinds: object) -> tuple[type, ...]:
    found: list[type] = []
    for k in kinds:
        if isinstance(k, tuple):
            found += _flatten_types(*k)
        elif isinstance(k, type):
            found.append(k)
    return tuple(found)


def protect(
    it: Interpreter,
    body: Callable[[], None],
    cleanup: Callable[[], None],
    live: frozenset[str],
) -> None:
    """A body and what must happen after it, raised or not."""

    def on_error(error: Node) -> None:
        cleanup()
        it.emit(ops.RAISE, (), NEVER)
        for name in ("%return",):
            it.env.pop((it.frame.scope, name), None)

    attempt(it, body, [(it.constant(BaseException), on_error)], live)
    # The exits of the body wait until the cleanup has run.
    frame = it.frame
    kept = {
        k: v
        for k, v in it.env.items()
        if k[0] is frame.scope and k[1].startswith(("%done", "%skip", "%stop", "%return"))
    }
    for k in kept:
        if k[1] != "%return":
            it.env[k] = it.constant(False)
    cleanup()
    for k, v in kept.items():
        now = it.env.get(k)
        overridden = (
            now is not None and k[1] != "%return" and getattr(now, "value", None) is True
        )
        if not overridden:
            it.env[k] = v
