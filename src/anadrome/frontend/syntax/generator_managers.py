"""Context managers written as generators: `@contextlib.contextmanager`.

What stands before the `yield` is `__enter__`, what stands after it `__exit__`, and an
exception of the block is raised where the `yield` was. So such a function is read as
the class that it is short for, with its variables as attributes.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import operator
import types
from typing import Any
from weakref import WeakKeyDictionary

from anadrome.frontend.syntax.source import (
    FunctionSource,
    local_names,
    source_of_code,
    write_source,
)

_HELPER = contextlib.contextmanager(lambda: iter(())).__code__
_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global),
    *(ast.Nonlocal, ast.Match, ast.Import, ast.ImportFrom, ast.NamedExpr),
)


def manager_class(function: Any) -> type | None:
    """The class that a generator function stands for, if it can be written as one."""
    if not isinstance(function, types.FunctionType) or function.__code__ is not _HELPER:
        return None
    wrapped = getattr(function, "__wrapped__", None)
    if not isinstance(wrapped, types.FunctionType):
        return None
    named = wrapped.__kwdefaults__ or {}
    recipe = [wrapped.__code__, wrapped.__defaults__, *named, *named.values()]
    kept, made = _MADE.get(wrapped, ([], None))
    if len(kept) != len(recipe) or any(map(operator.is_not, kept, recipe)):
        made = _class_of(wrapped)
        _MADE[wrapped] = recipe, made
    return made


# The class of each function, and what it was made of: either can be replaced.
_MADE: WeakKeyDictionary[types.FunctionType, tuple[list[Any], type | None]] = (
    WeakKeyDictionary()
)


def _class_of(function: types.FunctionType) -> type | None:
    source = source_of_code(function.__code__)
    if source is None or not isinstance(source.node, ast.FunctionDef):
        return None
    methods = _methods(source)
    if methods is None:
        return None
    codes = _compiled(methods, source.file, function.__code__.co_freevars)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    made: dict[str, Any] = {}
    for node in methods:
        code = codes[node.name]
        closure = tuple(cells[name] for name in code.co_freevars)
        method = types.FunctionType(
            code, function.__globals__, node.name, None, closure
        )
        write_source(
            code, FunctionSource(node, source.file, source.name, local_names(node))
        )
        made[node.name] = method
    made["__init__"].__defaults__ = function.__defaults__
    made["__init__"].__kwdefaults__ = function.__kwdefaults__
    return type(function.__name__, (), made)


def _methods(source: FunctionSource) -> list[ast.FunctionDef] | None:
    """The methods of the class, or nothing if the function is not that simple."""
    node = copy.deepcopy(source.node)
    assert isinstance(node, ast.FunctionDef)
    names = source.locals
    caught = {h.name for h in ast.walk(node) if isinstance(h, ast.ExceptHandler)}
    bound = {
        n.id
        for c in ast.walk(node)
        if isinstance(c, ast.comprehension)
        for n in ast.walk(c.target)
        if isinstance(n, ast.Name)
    }
    stored = {n.id for n in ast.walk(node) if _is_stored(n)} - bound  # type: ignore[attr-defined]
    if "self" in names or names & bound or stored & caught:
        return None
    if any(isinstance(n, _SCOPES) for s in node.body for n in ast.walk(s)):
        return None
    parts = _split(node.body)
    if parts is None:
        return None
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    if node.args.vararg or node.args.kwarg:
        return None
    first = [_statement(f"self.{a.arg} = {a.arg}", a) for a in given]
    rename = _Attributes(names - caught)
    before, after = ([rename.visit(s) for s in part] for part in parts)
    start = copy.deepcopy(node.args)
    plain = start.posonlyargs if start.posonlyargs else start.args
    plain.insert(0, ast.copy_location(ast.arg("self"), node))
    for a in [*start.posonlyargs, *start.args, *start.kwonlyargs]:
        a.annotation = None
    start.defaults = [ast.copy_location(ast.Constant(None), d) for d in start.defaults]
    start.kw_defaults = [
        d and ast.copy_location(ast.Constant(None), d) for d in start.kw_defaults
    ]
    return [
        _method(node, "__init__", start, first or [_statement("pass", node)]),
        _method(node, "__enter__", _given("self", node), before),
        _method(node, "__exit__", _given("self, kind, error, trace", node), after),
    ]


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)


def _split(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]] | None:
    """What is done on entry and on exit, for a `yield` alone or first in a `try`."""
    yields = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Yield)]
    if len(yields) != 1 or any(
        isinstance(n, ast.YieldFrom) for s in body for n in ast.walk(s)
    ):
        return None
    for k, s in enumerate(body):
        if yields[0] not in ast.walk(s):
            if any(isinstance(n, ast.Return) for n in ast.walk(s)):
                return None
            continue
        rest = body[k + 1 :]
        if _is_yield(s):
            # After an exception nothing of the rest is done.
            test = ast.copy_location(ast.Name("error", ast.Load()), s)
            none = ast.copy_location(ast.Constant(None), s)
            ended = ast.copy_location(ast.Compare(test, [ast.Is()], [none]), s)
            after: list[ast.stmt] = [ast.copy_location(ast.If(ended, rest, []), s)]
            after = [*(after if rest else []), _statement("return False", s)]
        elif isinstance(s, ast.Try) and s.body and _is_yield(s.body[0]):
            again = _statement("if error is not None:\n    raise error", s.body[0])
            inner = [again, *s.body[1:]]
            tried = ast.Try(inner, s.handlers, s.orelse, s.finalbody)
            after = [ast.copy_location(tried, s), *rest, _statement("return True", s)]
        else:
            return None
        value = yields[0].value or ast.copy_location(ast.Constant(None), s)
        return [*body[:k], ast.copy_location(ast.Return(value), s)], [
            _Ends().visit(a) for a in after
        ]
    return None


class _Ends(ast.NodeTransformer):
    """`return` ends a generator, and with it an exception that it has caught."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return _statement("return True", node) if node.value is None else node


def _is_yield(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Yield)


class _Attributes(ast.NodeTransformer):
    """Variables of the function as attributes of the object."""

    def __init__(self, names: frozenset[str] | set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        owner = ast.copy_location(ast.Name("self", ast.Load()), node)
        return ast.copy_location(ast.Attribute(owner, node.id, node.ctx), node)


def _statement(text: str, place: ast.AST) -> ast.stmt:
    """A statement that stands where another one does."""
    made = ast.parse(text).body[0]
    for n in ast.walk(made):
        ast.copy_location(n, place)
    return made


def _given(names: str, place: ast.AST) -> ast.arguments:
    made = _statement(f"def f({names}): pass", place)
    assert isinstance(made, ast.FunctionDef)
    return made.args


def _method(
    place: ast.FunctionDef, name: str, args: ast.arguments, body: list[ast.stmt]
) -> ast.FunctionDef:
    made = ast.FunctionDef(name, args, body, [], None)
    return ast.fix_missing_locations(ast.copy_location(made, place))


def _compiled(
    methods: list[ast.FunctionDef], file: str, free: tuple[str, ...]
) -> dict[str, types.CodeType]:
    """The code of the methods, which read variables of the functions around."""
    given = _given(", ".join(free), methods[0])
    around = _method(methods[0], "around", given, [*methods])
    module = ast.fix_missing_locations(ast.Module([around], []))
    whole = compile(module, file, "exec")
    outer = next(c for c in whole.co_consts if isinstance(c, types.CodeType))
    inner = [c for c in outer.co_consts if isinstance(c, types.CodeType)]
    return {c.co_name: c for c in inner}
