"""`with`: context managers, and code put into the backward pass."""

from __future__ import annotations

import ast

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.cleanup import protect
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.insert_grad import InsertGradOf
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import ANY, NONE, Object, strip_optional


def run_with(it: Interpreter, s: ast.With) -> None:
    """A `with` statement, its items one inside the other."""
    if len(s.items) > 1:
        inner = ast.copy_location(ast.With(s.items[1:], s.body), s)
        liveness = liveness_of(it.frame.source.node)
        liveness.after[inner] = liveness.live_after(s)
        s = ast.copy_location(ast.With(s.items[:1], [inner]), s)
        liveness.after[s] = liveness.after[inner]
    from anadrome.frontend.syntax.expressions import evaluate
    from anadrome.frontend.syntax.statements import run_block

    item = s.items[0]
    syntax = item.context_expr
    if isinstance(syntax, ast.Call):
        function = evaluate(it, syntax.func)
        if isinstance(function, Constant) and function.value is InsertGradOf:
            _insert(it, s, syntax, item.optional_vars)
            return
    manager = evaluate(it, syntax)
    entered = _enter(it, manager)
    if item.optional_vars is not None:
        from anadrome.frontend.syntax.assignment import bind

        bind(it, item.optional_vars, entered)
    live = liveness_of(it.frame.source.node).live_after(s)
    protect(it, lambda: run_block(it, s.body), lambda: _exit(it, manager), live)


def _enter(it: Interpreter, manager: Node) -> Node:
    from anadrome.frontend.calls.calls import call_method

    if isinstance(strip_optional(manager.type), Object):
        return call_method(it, manager, "__enter__", [], {})
    return it.emit(ops.PYCALL, (it.constant(enter), manager), ANY)


def _exit(it: Interpreter, manager: Node) -> None:
    from anadrome.frontend.calls.calls import call_method

    if isinstance(strip_optional(manager.type), Object):
        none = it.constant(None)
        call_method(it, manager, "__exit__", [none, none, none], {})
        return
    it.emit(ops.PYCALL, (it.constant(leave), manager), NONE)


def enter(manager: object) -> object:
    """What a context manager gives on entry."""
    return type(manager).__enter__(manager)  # type: ignore[attr-defined]


def leave(manager: object) -> None:
    """Leave a context manager normally."""
    type(manager).__exit__(manager, None, None, None)  # type: ignore[attr-defined]


def _insert(
    it: Interpreter, s: ast.With, syntax: ast.Call, target: ast.expr | None
) -> None:
    from anadrome.frontend.syntax.expressions import evaluate
    from anadrome.frontend.syntax.statements import run_block

    if len(syntax.args) != 1 or not isinstance(syntax.args[0], ast.Name):
        raise it.fail(
            UnsupportedSyntax,
            "insert_grad_of takes one variable",
            "write `with ad.insert_grad_of(x) as dx:`",
        )
    if not isinstance(target, ast.Name):
        raise it.fail(
            UnsupportedSyntax,
            "insert_grad_of needs a name for the gradient",
            "write `with ad.insert_grad_of(x) as dx:`",
        )
    name = syntax.args[0].id
    value = evaluate(it, syntax.args[0])
    region = it.new_region("inserted")
    scope = it.frame.scope
    before, items = dict(it.env), dict(it.known_items)
    with it.region(region):
        given = region.add_parameter(value.type, target.id, it.span)
        it.env[(scope, target.id)] = given
        run_block(it, s.body)
        region.results = [it.concrete(it.env[(scope, target.id)])]
    it.env, it.known_items = before, items
    made = it.emit(ops.INSERT, (value,), value.type, regions=(region,))
    made.name = name
    it.assign(scope, name, made)
