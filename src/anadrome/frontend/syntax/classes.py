"""Classes defined inside the function being read.

The class statement is run once, while the function is read, so the class is a real
one. Its methods see the variables of the function through cells that hold a
`LateBound`, which the reader follows when it comes to them.
"""

from __future__ import annotations

import ast
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.liveness import reads
from anadrome.frontend.values.compile_time import LateBound, Scope
from anadrome.frontend.values.known import is_known, static_value
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import Function, deref


def define_class(it: Interpreter, s: ast.ClassDef) -> Node:
    """The class that a class statement makes."""
    scope = it.frame.scope
    free = {n: o for n in sorted(reads(s)) if (o := _owner(scope, n)) is not None}
    free.pop(s.name, None)
    key: Any = (s, tuple(o.number for o in free.values()))
    if key not in it.classes:
        it.classes[key] = _make(it, s, free)
    return it.constant(it.classes[key])


def _owner(scope: Scope | None, name: str) -> Scope | None:
    while scope is not None:
        if name in scope.locals and name not in scope.nonlocals:
            return scope
        scope = scope.parent
    return None


def _make(it: Interpreter, s: ast.ClassDef, free: dict[str, Scope]) -> type:
    at_once = _read_at_once(s)
    given: dict[str, Any] = {}
    for name, owner in free.items():
        owner.captured = True
        value = it.env.get((owner, name))
        if name not in at_once:
            given[name] = LateBound(owner, name)
        elif value is not None and is_known(value):
            given[name] = static_value(value)
        elif isinstance(value, Constant) and isinstance(deref(value.type), Function):
            raise it.fail(
                UnsupportedSyntax,
                f"the class statement calls '{name}', which this function defines",
                "define the class at module level",
            )
        else:
            raise it.fail(
                UnsupportedSyntax,
                f"the class statement reads '{name}', which is known only at run time",
                "set it as an attribute in __init__",
            )
    top: Scope = it.frame.scope
    while top.parent is not None:
        top = top.parent
    for name, cell in top.cells.items():
        if name in reads(s) and name not in given:
            # What it holds is looked up when a method reads it, as it may change.
            late = name not in at_once and not isinstance(cell.cell_contents, LateBound)
            given[name] = LateBound(top, name) if late else cell.cell_contents
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(n) for n in given],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    back = ast.Return(ast.Name(s.name, ast.Load()))
    outer = ast.FunctionDef("make", arguments, [s, back], [])
    module = ast.fix_missing_locations(ast.Module([outer], []))
    source = it.frame.source
    space: dict[str, Any] = {}
    code = compile(module, source.file, "exec", dont_inherit=True)
    exec(code, top.globals, space)
    try:
        made: type = space["make"](**given)
    except Exception as error:
        raise it.fail(
            UnsupportedSyntax,
            f"the class statement fails while it is read: {error!r}",
            "define the class at module level",
        ) from None
    return made


def _read_at_once(s: ast.ClassDef) -> frozenset[str]:
    """The names that are read when the class statement itself runs."""
    found: frozenset[str] = frozenset()
    for n in (*s.bases, *s.keywords, *s.decorator_list):
        found |= reads(n)
    for inner in s.body:
        if isinstance(inner, ast.FunctionDef):
            for n in (
                *inner.decorator_list,
                *inner.args.defaults,
                *(d for d in inner.args.kw_defaults if d is not None),
            ):
                found |= reads(n)
        else:
            found |= reads(inner)
    return found
