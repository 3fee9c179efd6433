"""A compiled program as bytes, for the disk.

An entry holds the object code and what Python must know beside it: what its failures
stand for, and the objects that it refers to, each by a recipe from which it is made
again: a name to import, what Python does for an operation, a literal, a constant of
the graph.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anadrome.errors import Span

from .qualified_names import Unknown, imported, qualified_name

if TYPE_CHECKING:
    from anadrome.ir.graph import Graph


ENTRY = "entry"
"""The function of a program that Python calls."""
CONSTANTS = "anadrome.constants"
"""The table of the Python objects that a program refers to."""


@dataclass(frozen=True)
class Failure:
    """What a status code of compiled code stands for."""

    kind: type[Exception]
    message: str
    span: Span | None


class Level(enum.Enum):
    """What a program assumes of what it is given; it fails where that does not hold.

    PLAIN: nothing. SHAPES: what the passes for native code take for granted. JOINT:
    also that arrays which meet in elementwise statements have one shape.
    """

    PLAIN = 0
    SHAPES = 1
    JOINT = 2


@dataclass
class Program:
    """Object code, and what must be known to load and call it.

    `key` is where it is kept on disk, if it is.
    """

    key: str
    code: bytes
    failures: list[Failure]
    sites: list[Span]
    constants: list[tuple[str, Any]]
    python_names: list[str]
    gemms: list[str]
    math: list[tuple[str, str]]
    kernels: bool
    lends: bool


# Entries ------------------------------------------------------------------------------


def packed(program: Program, graph: Graph) -> bytes:
    """The bytes of a program of a graph; raises `Unknown`."""
    found = _constants_of(graph)
    header = {
        "failures": [
            [qualified_name(f.kind), f.message, _span_fields(f.span)]
            for f in program.failures
        ],
        "sites": [_span_fields(s) for s in program.sites],
        "constants": [[how, _recipe(value, found)] for how, value in program.constants],
        "python_names": program.python_names,
        "gemms": program.gemms,
        "math": program.math,
        "flags": [program.kernels, program.lends],
    }
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + program.code


def unpacked(key: str, body: bytes, graph: Graph | None) -> Program | None:
    """The program of an entry; None if something it refers to is not at hand.

    That is what it names and is no longer there, and constants of the graph if none
    is given.
    """
    with contextlib.suppress(ImportError, AttributeError, Unknown):
        return _restored(key, body, graph)
    return None


def _restored(key: str, body: bytes, graph: Graph | None) -> Program:
    size = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + size])
    kernels, lends = header["flags"]

    @functools.cache
    def constants() -> list[Any]:
        if graph is None:
            raise Unknown
        return _constants_of(graph)

    return Program(
        key,
        body[8 + size :],
        [
            Failure(imported(kind), message, _span_of(span))
            for kind, message, span in header["failures"]
        ],
        [_span_of(s) for s in header["sites"]],  # type: ignore[misc]
        [(how, _made(recipe, constants)) for how, recipe in header["constants"]],
        header["python_names"],
        header["gemms"],
        [(name, element) for name, element in header["math"]],
        kernels,
        lends,
    )


def _constants_of(graph: Graph) -> list[Any]:
    """The constants of a graph and the functions it runs, as often as they stand."""
    from anadrome.ir.graph import Constant, called_graphs, walk

    found = []
    for g in called_graphs(graph):
        for node in walk(g):
            found += [s.value for s in _operands(node) if isinstance(s, Constant)]
            found.append(node.target)
            found.append(getattr(node.op, "impl", None))
    return found


def _operands(node: Any) -> Iterable[Any]:
    yield from node.inputs
    for region in node.regions:
        yield from region.results


def _recipe(value: Any, found: list[Any]) -> list[Any]:
    """How an object is made again; from the graph only if there is no other way."""
    with contextlib.suppress(Unknown):
        return _own_recipe(value)
    for place, constant in enumerate(found):
        if constant is value:
            return ["constant", place]
    parts = _parts(value)
    if parts is None:
        raise Unknown
    return [parts[0], [_recipe(v, found) for v in parts[1]]]


def _own_recipe(value: Any) -> list[Any]:
    """How an object is made from nothing; raises `Unknown`."""
    if value is None or value is True or value is False:
        return ["literal", repr(value)]
    if type(value) in (int, str, bytes):
        return ["literal", repr(value)]
    if type(value) is float:
        return ["float", value.hex()]
    for name, action in _actions().items():
        if action is value:
            return ["action", name]
    parts = _parts(value)
    if parts is not None:
        return [parts[0], [_own_recipe(v) for v in parts[1]]]
    return ["import", qualified_name(value)]


def _parts(value: Any) -> tuple[str, tuple[Any, ...]] | None:
    if type(value) is tuple:
        return "tuple", value
    if type(value) is functools.partial and not value.keywords:
        return "partial", (value.func, *value.args)
    return None


def _made(recipe: list[Any], constants: Callable[[], list[Any]]) -> Any:
    how, what = recipe
    if how == "constant":
        return constants()[what]
    if how == "action":
        return _actions()[what]
    if how == "literal":
        return ast.literal_eval(what)
    if how == "float":
        return float.fromhex(what)
    if how == "tuple":
        return tuple(_made(r, constants) for r in what)
    if how == "partial":
        function, *given = (_made(r, constants) for r in what)
        return functools.partial(function, *given)
    return imported(what)


def _actions() -> dict[str, Any]:
    """What Python does for operations, by their names."""
    from ..emission.python_calls import ACTIONS

    return {op.name: action for op, action in ACTIONS.items()}


def _span_fields(span: Span | None) -> list[Any] | None:
    if span is None:
        return None
    place = [span.file, span.line, span.column, span.end_line, span.end_column]
    return [*place, span.function, [_span_fields(s) for s in span.path]]


def _span_of(fields: list[Any] | None) -> Span | None:
    if fields is None:
        return None
    *place, function, path = fields
    return Span(*place, function, tuple(_span_of(s) for s in path))  # type: ignore
