"""Compiled programs on disk, found by the graph that they were made of.

An entry holds the object code and what Python must know beside it: what its failures
stand for, and the objects that it refers to, each by a recipe from which it is made
again: a constant of the graph, what Python does for an operation, a name to import, a
literal.  A program that refers to anything else is written anew each time; its object
code is still found by its text.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anadrome.optimize
from anadrome.errors import Span
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Constant, Graph, called_graphs, walk
from anadrome.optimize.passes import NATIVE, optimize

from .cache import ObjectCache, cache_key, source_fingerprint
from .callbacks import ACTIONS
from .codegen import compile_module
from .emitter import Failure, ModuleEmitter
from .engine import compile_program
from .fingerprint import Unknown, graph_fingerprint, imported, qualified_name
from .target import Target


@functools.cache
def _sources() -> str:
    """A hash of all that writes programs."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parent, Path(anadrome.optimize.__file__).parent):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Form(enum.Enum):
    """What a program assumes of what it is given; it fails where that does not hold.

    AS_IT_IS: nothing. FAST: what the passes for native code take for granted. JOINT:
    also that arrays which meet in elementwise statements have one shape.
    """

    AS_IT_IS = 0
    FAST = 1
    JOINT = 2


@dataclass
class Program:
    """Object code, and what must be known to load and call it."""

    code: bytes
    failures: list[Failure]
    sites: list[Span]
    constants: list[tuple[str, Any]]
    python_names: list[str]
    gemms: list[str]
    math: list[tuple[str, str]]
    kernels: bool
    lends: bool


def obtain_program(graph: Graph, target: Target, form: Form) -> Program:
    """The program of a graph, from the disk or compiled."""
    cache = ObjectCache()
    print_ = graph_fingerprint(graph)
    key = ""
    if print_ is not None:
        key = cache_key(target, "graph", print_, form.name, _sources())
        body = cache.load(key)
        found = _unpacked(body, graph) if body is not None else None
        if found is not None:
            return found
    module = write_module(graph, target, form)
    text = str(module.module), str(module.kernels.module)
    code_key = cache_key(
        target, "program", *text, source_fingerprint(f"{__package__}.engine")
    )
    code = cache.load(code_key)
    if code is None:
        code = compile_program(*text, target)
        cache.store(code_key, code)
    program = Program(
        code,
        module.failures,
        module.sites,
        module.constants,
        sorted(module.python_names),
        sorted(module.gemms),
        sorted(module.math),
        module.kernels.used,
        module.lends,
    )
    if print_ is not None:
        with contextlib.suppress(Unknown):
            cache.store(key, _packed(program, graph))
    return program


def write_module(graph: Graph, target: Target, form: Form) -> ModuleEmitter:
    """The LLVM modules of a graph in one of its forms."""
    if form is Form.AS_IT_IS:
        return compile_module(graph, target)
    graph = optimize(clone_graph(graph), NATIVE)
    return compile_module(graph, target, True, form is Form.JOINT)


# Entries ------------------------------------------------------------------------------


def _packed(program: Program, graph: Graph) -> bytes:
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


def _unpacked(body: bytes, graph: Graph) -> Program | None:
    """The program of an entry; None if something it names is no longer there."""
    with contextlib.suppress(ImportError, AttributeError):
        return _restored(body, graph)
    return None


def _restored(body: bytes, graph: Graph) -> Program:
    size = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + size])
    found = _constants_of(graph)
    kernels, lends = header["flags"]
    return Program(
        body[8 + size :],
        [
            Failure(imported(kind), message, _span_of(span))
            for kind, message, span in header["failures"]
        ],
        [_span_of(s) for s in header["sites"]],  # type: ignore[misc]
        [(how, _made(recipe, found)) for how, recipe in header["constants"]],
        header["python_names"],
        header["gemms"],
        [(name, element) for name, element in header["math"]],
        kernels,
        lends,
    )


def _constants_of(graph: Graph) -> list[Any]:
    """The constants of a graph and the functions it runs, as often as they stand."""
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
    """How an object is made again."""
    if value is None or value is True or value is False:
        return ["literal", repr(value)]
    if type(value) in (int, str, bytes):
        return ["literal", repr(value)]
    for place, constant in enumerate(found):
        if constant is value:
            return ["constant", place]
    if type(value) is tuple:
        return ["tuple", [_recipe(v, found) for v in value]]
    if type(value) is functools.partial and not value.keywords:
        parts = (value.func, *value.args)
        return ["partial", [_recipe(v, found) for v in parts]]
    for op, action in ACTIONS.items():
        if action is value:
            return ["action", op.name]
    return ["import", qualified_name(value)]


def _made(recipe: list[Any], found: list[Any]) -> Any:
    how, what = recipe
    if how == "constant":
        return found[what]
    if how == "action":
        return next(action for op, action in ACTIONS.items() if op.name == what)
    if how == "literal":
        return ast.literal_eval(what)
    if how == "tuple":
        return tuple(_made(r, found) for r in what)
    if how == "partial":
        function, *given = (_made(r, found) for r in what)
        return functools.partial(function, *given)
    return imported(what)


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
