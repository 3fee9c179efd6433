"""`with`: context managers, and code put into the backward pass."""

from __future__ import annotations

import ast
import contextlib
import dis
import inspect
import warnings
from functools import partial
from typing import Any

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.captures import Guard
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.assignment import bind
from anadrome.frontend.syntax.cleanup import protect
from anadrome.frontend.syntax.expressions import evaluate
from anadrome.frontend.syntax.generator_managers import manager_class
from anadrome.frontend.syntax.known_managers import run_known
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.syntax.statements import run_block
from anadrome.frontend.syntax.steps import run_steps
from anadrome.frontend.values.bindings import flag_key, unbound
from anadrome.frontend.values.operators import truth
from anadrome.insert_grad import InsertGradOf
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import ANY, BOOL, NONE, Object, Other, strip_optional


def run_with(it: Interpreter, s: ast.With) -> None:
    """A `with` statement, its items one inside the other."""
    if len(s.items) > 1:
        inner = ast.copy_location(ast.With(s.items[1:], s.body), s)
        liveness = liveness_of(it.frame.source.node)
        liveness.after[inner] = liveness.live_after(s)
        s = ast.copy_location(ast.With(s.items[:1], [inner]), s)
        liveness.after[s] = liveness.after[inner]
    item = s.items[0]
    live = liveness_of(it.frame.source.node).live_after(s)
    syntax = item.context_expr
    if isinstance(syntax, ast.Call) and _is_path(syntax.func):
        function = evaluate(it, syntax.func)
        if isinstance(function, Constant) and function.value is InsertGradOf:
            _insert(it, s, syntax, item.optional_vars)
            return
        if isinstance(function, Constant):
            if run_known(it, s, syntax, function.value, live):
                return
            cls = manager_class(function.value)
            if cls is not None:
                # Its code and its defaults can be replaced.
                again = partial(manager_class, function.value)
                it.guards.append(Guard(again, cls, (id(cls), "manager")))
                made = ast.copy_location(ast.Constant(cls), syntax)  # type: ignore[arg-type]
                call = ast.Call(made, syntax.args, syntax.keywords)
                syntax = ast.copy_location(call, syntax)
    held = (it.frame.scope, f"%held {id(s)}")
    found: list[Node] = []

    def take() -> None:
        it.env[held] = evaluate(it, syntax)

    def go_in() -> None:
        found.append(it.env[held])
        it.env[held] = _enter(it, found[-1])

    def go_on() -> None:
        _protected(it, s, found[-1], it.env.pop(held), live)

    run_steps(it, [take, go_in], go_on, live)
    it.env.pop(held, None)


def _protected(
    it: Interpreter, s: ast.With, manager: Node, entered: Node, live: frozenset[str]
) -> None:
    first = _binding(it, s.items[0].optional_vars, entered)
    protect(
        it,
        lambda: run_block(it, [*first, *s.body]),
        lambda: _exit(it, manager),
        live,
        on_error=lambda error: _exit(it, manager, error),
    )


def _is_path(syntax: ast.expr) -> bool:
    """Whether this is a name or an attribute of one, which can be read twice."""
    while isinstance(syntax, ast.Attribute):
        syntax = syntax.value
    return isinstance(syntax, ast.Name)


def _binding(it: Interpreter, target: ast.expr | None, entered: Node) -> list[ast.stmt]:
    """The assignment of what a manager gave, which belongs to the block."""
    if target is None:
        return []
    if isinstance(target, ast.Name):
        bind(it, target, entered)
        return []
    name = f"%entered{len(it.frame.levels)}"
    it.env[(it.frame.scope, name)] = entered
    given = ast.copy_location(ast.Name(name, ast.Load()), target)
    first = ast.copy_location(ast.Assign([target], given), target)
    locals = frozenset(it.frame.scope.locals)
    liveness_of(it.frame.source.node).after[first] = locals
    return [first]


def _enter(it: Interpreter, manager: Node) -> Node:
    from anadrome.frontend.calls.calls import call_method

    t = strip_optional(manager.type)
    if not isinstance(t, Object):
        return it.emit(ops.PYCALL, (it.constant(enter), manager), ANY)
    for name in ("__enter__", "__exit__"):
        if not hasattr(t.cls, name):
            text = f"'{t.cls.__name__}' object does not support the context manager "
            text += "protocol" + (" (missed __exit__ method)" if "x" in name else "")
            raise unbound(it, TypeError, text, text, f"define '{name}' in its class")
    return call_method(it, manager, "__enter__", [], {})


def _exit(it: Interpreter, manager: Node, error: Node | None = None) -> Node:
    """Leave a context manager; whether that is the end of an exception."""
    from anadrome.frontend.calls.calls import call_method

    t = strip_optional(manager.type)
    if isinstance(t, Object):
        if error is None and it.frame.left and _looks_at_error(t.cls):
            raise it.fail(
                UnsupportedSyntax,
                "a loop leaves this generator in a 'with' whose manager looks at the "
                "exception",
                "run over all of the generator, or open the manager around the loop",
            )
        found = call_method(it, manager, "__exit__", _details(it, error), {})
        return it.constant(False) if error is None else truth(it, found)
    if error is None:
        it.emit(ops.PYCALL, (it.constant(leave), manager), NONE)
        return it.constant(False)
    ended = it.emit(ops.PYCALL, (it.constant(end), manager, error), BOOL)
    quiet = isinstance(t, Other) and issubclass(t.cls, _NEVER_END)
    return it.constant(False) if quiet else ended


def _looks_at_error(cls: type) -> bool:
    """Whether `__exit__` reads what it is told: a generator that is left raises."""
    code = getattr(getattr(cls, "__exit__", None), "__code__", None)
    if code is None:
        return True
    given = (*code.co_varnames[1 : code.co_argcount], *code.co_cellvars)
    stars = code.co_varnames[code.co_argcount : code.co_argcount + 2]
    names = (*given, *(stars if code.co_flags & _STARS else ()))
    loads = (i for i in dis.get_instructions(code) if i.opname.startswith("LOAD"))
    return any(i.argval in names for i in loads)


_STARS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def _details(it: Interpreter, error: Node | None) -> list[Node]:
    """The class of an exception, the exception and its traceback."""
    if error is None:
        return [it.constant(None)] * 3
    kind = it.emit(ops.OBSERVE, (it.constant(type), error), Other(type))
    trace = it.emit(ops.GETATTR, (error, it.constant("__traceback__")), ANY)
    return [kind, error, trace]


# Managers of the libraries' that let exceptions pass.
_NEVER_END: tuple[type, ...] = (
    np.errstate,
    contextlib.nullcontext,
    warnings.catch_warnings,
)


def enter(manager: Any) -> object:
    """What a context manager gives on entry."""
    cls = type(manager)
    for name in ("__enter__", "__exit__"):
        if not hasattr(cls, name):
            raise TypeError(
                f"'{cls.__name__}' object does not support the context manager protocol"
            )
    return cls.__enter__(manager)


def leave(manager: Any) -> None:
    """Leave a context manager normally."""
    type(manager).__exit__(manager, None, None, None)


def end(manager: Any, error: BaseException) -> bool:
    """Leave a context manager with an exception; whether it ends there."""
    trace = error.__traceback__
    return bool(type(manager).__exit__(manager, type(error), error, trace))


def _insert(
    it: Interpreter, s: ast.With, syntax: ast.Call, target: ast.expr | None
) -> None:
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
        it.env.pop(flag_key((scope, target.id)), None)
        run_block(it, s.body)
        region.results = [it.concrete(it.env[(scope, target.id)])]
    it.env, it.known_items = before, items
    made = it.emit(ops.INSERT, (value,), value.type, regions=(region,))
    made.name = name
    it.assign(scope, name, made)
