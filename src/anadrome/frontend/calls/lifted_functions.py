"""Functions defined in the program, given to one that calls them from outside.

    def f(k):                                def rhs(y, t, k):
        def rhs(y, t):                           return -k * y
            return -k * y            →       def f(k):
        return odeint(rhs, y0, ts)               return odeint(rhs, y0, ts, args=(k,))

What the function captures becomes one more parameter of it, so that derivatives go
through it as through any other.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import linecache
from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.source import local_names
from anadrome.frontend.values.compile_time import Closure, Scope
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.infer.values import callable_data
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import Tuple, deref
from anadrome.primitives.registry import Primitive

# Where the further arguments of the function stand, which comes first.
_PLACES = {"odeint": 3, "solve_ivp": 8, "quad": 3}


def with_lifted_functions(
    it: Interpreter, primitive: Primitive, args: list[Node], keywords: dict[str, Node]
) -> tuple[list[Node], dict[str, Node]]:
    """The arguments of a call, with what a local function captures among them."""
    if primitive.name not in _PLACES or not args:
        return args, keywords
    given = args[0]
    if not isinstance(given, Constant) or not isinstance(given.value, Closure):
        return args, keywords
    place = _PLACES[primitive.name]
    old = args[place] if len(args) > place else keywords.get("args")
    made = _lifted(it, given.value)
    if made is None:
        return args, keywords
    function, captured = made
    further: list[Node] = []
    if old is not None and not (isinstance(old, Constant) and old.value is None):
        t = deref(old.type)
        if not isinstance(t, Tuple):
            return args, keywords
        further = [take(it, old, k) for k in range(len(t.items))]
    both = make_tuple(it, [*further, *captured])
    args = [it.constant(function), *args[1:]]
    if len(args) > place:
        args[place] = both
        return args, keywords
    return args, {**keywords, "args": both}


def _lifted(it: Interpreter, closure: Closure) -> tuple[Any, list[Node]] | None:
    """A function of its own for a local one, and the values that it captured."""
    node = closure.source.node
    a = node.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.defaults or closure.defaults:
        return None
    own = local_names(node)
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    if any(isinstance(n, ast.Nonlocal | ast.Global) for n in ast.walk(node)):
        return None
    functions: dict[str, Any] = {}
    captured: dict[str, Node] = {}
    for name in sorted(names - own):
        if not _is_captured(closure.scope, name):
            continue
        value = it.lookup(closure.scope, name)
        if isinstance(value, Constant) and isinstance(value.value, Closure):
            inner = _lifted(it, value.value)
            if inner is None or inner[1]:
                return None
            functions[name] = inner[0]
        elif isinstance(value, Constant) and callable_data(value.value):
            functions[name] = value.value
        else:
            captured[name] = it.concrete(value)
    arguments = ast.arguments(
        posonlyargs=[],
        args=[*a.posonlyargs, *a.args, *(ast.arg(n) for n in captured)],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    body: list[ast.stmt]
    if isinstance(node, ast.Lambda):
        name, body = "function", [ast.Return(node.body)]
    else:
        name, body = node.name, node.body
    # A function of the functions that it calls, so that they are captured.
    around = [ast.arg(n) for n in functions]
    text = _text(
        "made",
        ast.arguments([], around, None, [], [], None, []),
        [
            ast.parse(_text(name, arguments, body)).body[0],
            ast.Return(ast.Name(name, ast.Load())),
        ],
    )
    scope = closure.scope
    while scope.parent is not None:
        scope = scope.parent
    made = _compiled(text, _Identity(scope.globals), tuple(functions.values()))
    return made, list(captured.values())


def _text(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> str:
    made = ast.parse(f"def {name}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = arguments, body
    return ast.unparse(ast.fix_missing_locations(made))


def _is_captured(scope: Scope | None, name: str) -> bool:
    """Whether a name belongs to a function around, and is no global."""
    while scope is not None:
        if name in scope.locals or name in scope.cells:
            return True
        scope = scope.parent
    return False


class _Identity:
    """A dictionary, equal to nothing but itself."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@functools.lru_cache(maxsize=256)
def _compiled(text: str, table: _Identity, functions: tuple[Any, ...]) -> Any:
    """The function that a text makes; the same one for the same text."""
    file = f"<function {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    found: dict[str, Any] = {}
    exec(compile(text, file, "exec"), table.value, found)
    return found["made"](*functions)


__all__ = ["with_lifted_functions"]
