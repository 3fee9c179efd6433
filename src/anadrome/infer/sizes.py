"""The sizes of arrays before a program runs, and whether they fit together.

The arguments of a call are known, so the shapes of much of what it computes are too.
What is executed for certain is walked through: statements one after the other, and
the first iteration of loops that surely have one. A mismatch found there is reported
at the user's line, with where each size comes from, before anything has run. So the
walk ends where somebody would notice that: at the first statement that changes or
prints something, or may fail for another reason.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.errors import ShapeMismatch, Span
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import Num, deref


@dataclass(frozen=True)
class Size:
    """The length of an axis, and where it comes from."""

    value: int
    origin: str


Shape = tuple[Size, ...]

_SAME_SHAPE = frozenset(
    ["zeros_like", "ones_like", "empty_like", "copy", "astype", "ascontiguousarray"]
)


def check_sizes(graph: Graph, given: list[Any], failed: bool = False) -> None:
    """Refuse arguments whose sizes do not fit together somewhere in a program.

    `failed`: the program has been run and did not succeed; somebody asks why.
    """
    walk = _Walk(failed)
    for p, value in zip(graph.params, given):
        walk.give(p, value, f"'{p.name}'" if p.name else "an argument")
    with contextlib.suppress(_Uncertain):
        walk.region(graph)


class _Uncertain(Exception):
    """What follows may not be executed, or be noticed not to have been."""


def _is_silent(node: Apply) -> bool:
    """Whether a statement changes and prints nothing, and surely succeeds."""
    if node.regions:
        return node.op in (ops.IF, ops.FOR) and all(
            map(_is_silent, (n for r in node.regions for n in r.body))
        )
    if node.op in (ops.PYCALL, ops.OBSERVE):
        return node.target is True and not node.retained
    return bool(node.op.pure) and not node.retained


class _Walk:
    def __init__(self, failed: bool) -> None:
        self.failed = failed
        self.shapes: dict[int, Shape] = {}
        self.numbers: dict[int, Size] = {}
        self.objects: dict[int, tuple[Any, str]] = {}

    def give(self, node: Node, value: Any, name: str) -> None:
        """Note what is known of a value that the program is given."""
        if isinstance(value, np.ndarray):
            self.shapes[id(node)] = tuple(
                Size(n, f"axis {k} of {name}, of shape {value.shape}")
                for k, n in enumerate(value.shape)
            )
        elif type(value) is int:
            self.numbers[id(node)] = Size(value, name)
        elif not isinstance(value, float | complex | np.generic):
            self.objects[id(node)] = (value, name)

    def shape(self, node: Node) -> Shape | None:
        """The shape of an array, if it is known."""
        if isinstance(node, Constant):
            if isinstance(node.value, np.ndarray):
                shape = node.value.shape
                return tuple(
                    Size(n, f"an array of shape {shape} in the program") for n in shape
                )
            return () if isinstance(node.value, int | float | complex) else None
        t = deref(node.type)
        if isinstance(t, Num) and t.ndim == 0:
            return ()
        return self.shapes.get(id(node))

    def number(self, node: Node) -> Size | None:
        """An integer, if it is known."""
        if isinstance(node, Constant):
            known = type(node.value) is int
            return Size(node.value, f"{node.value} in the program") if known else None
        return self.numbers.get(id(node))

    # Statements ---------------------------------------------------------------------

    def region(self, graph: Graph) -> None:
        """Walk through statements that are all executed."""
        for node in graph.body:
            if node.op is ops.FOR:
                self._first_iteration(node)
            elif not node.regions and node.op is not ops.CALL:
                self._statement(node)
                if not _is_silent(node) and not self._succeeds(node):
                    self._doubt()
            elif not _is_silent(node):
                self._doubt()

    def _doubt(self) -> None:
        """Go no further, or without what was known of objects that may change."""
        if not self.failed:
            raise _Uncertain
        self.objects.clear()

    def _first_iteration(self, node: Apply) -> None:
        start, stop, _ = (self.number(a) for a in node.args[:3])
        body, shape = node.regions[-1], node.shape
        if start is None or stop is None or stop.value <= start.value or shape.stacks:
            if not _is_silent(node):
                self._doubt()
            return
        first = len(node.args) - shape.carried
        offset = len(body.params) - shape.carried
        for k in range(shape.carried):
            known = self.shape(node.args[first + k])
            if known is not None:
                self.shapes[id(body.params[offset + k])] = known
        if not shape.reverse:
            self.numbers[id(body.params[0])] = Size(start.value, start.origin)
        self.region(body)
        for k in range(shape.carried):
            before, after = (
                self.shape(node.args[first + k]),
                self.shape(body.results[k]),
            )
            if before is not None and after is not None and _same(before, after):
                self.shapes[id(node.outputs[k])] = after

    def _succeeds(self, node: Apply) -> bool:
        """Whether the sizes say that a statement that may fail does not."""
        name = getattr(node.op, "name", "")
        if name in ("matmul", "dot") or getattr(node.op, "broadcasts", False):
            shapes = [self.shape(a) for a in node.args]
            return any(shapes) and all(s is not None and len(s) < 3 for s in shapes)
        if node.op is ops.GETITEM:
            shape, at = self.shape(node.args[0]), self.number(node.args[1])
            if shape and at is not None:
                return -shape[0].value <= at.value < shape[0].value
            return id(node) in self.shapes or id(node) in self.objects
        return False

    def _statement(self, node: Apply) -> None:
        name = getattr(node.op, "name", "")
        if name in ("matmul", "dot"):
            self._product(node)
        elif getattr(node.op, "broadcasts", False):
            self._broadcast(node)
        elif name in ("transpose", "transpose_all") and len(node.inputs) == 1:
            shape = self.shape(node.args[0])
            self._set(node, None if shape is None else shape[::-1])
        elif name in _SAME_SHAPE and not node.keywords:
            self._set(node, self.shape(node.args[0]))
        elif name in ("zeros", "ones", "empty"):
            self._set(node, self._made(node.args[0]))
        elif node.op is ops.LENGTH:
            self._length(node)
        elif node.op is ops.GETITEM:
            self._getitem(node)
        elif node.op is ops.GETATTR:
            self._getattr(node)
        elif node.op in (ops.COPY, ops.INDEX_ADD, ops.CAST):
            self._set(node, self.shape(node.args[0]))

    def _set(self, node: Node, shape: Shape | None) -> None:
        t = deref(node.type)
        if shape is not None and isinstance(t, Num) and t.ndim in (None, len(shape)):
            self.shapes[id(node)] = shape

    def _made(self, node: Node) -> Shape | None:
        parts: list[Node | None] = [node]
        if isinstance(node, Apply) and node.op is ops.TUPLE:
            parts = list(node.args)
        if isinstance(node, Constant) and isinstance(node.value, tuple):
            return tuple(Size(n, f"{n} in the program") for n in node.value)
        sizes = [None if p is None else self.number(p) for p in parts]
        if any(s is None for s in sizes):
            return None
        return tuple(s for s in sizes if s is not None)

    def _product(self, node: Apply) -> None:
        a, b = self.shape(node.args[0]), self.shape(node.args[1])
        if not a or not b or len(a) > 2 or len(b) > 2:
            return
        n, m = a[-1], b[0]
        if n.value != m.value:
            left = "columns" if len(a) == 2 else "entries"
            right = "rows" if len(b) == 2 else "entries"
            raise _mismatch(
                node.span, f"{n.value} {left} against {m.value} {right}", n, m
            )
        self._set(node, (*a[:-1], *b[1:]))

    def _broadcast(self, node: Apply) -> None:
        shapes = [self.shape(a) for a in node.args]
        known = [s for s in shapes if s is not None]
        rank = max((len(s) for s in known), default=0)
        made: list[Size | None] = [None] * rank
        for s in known:
            for k, n in enumerate(s, rank - len(s)):
                have = made[k]
                if have is None or have.value == 1:
                    made[k] = n
                elif n.value not in (1, have.value):
                    raise _mismatch(
                        node.span,
                        f"axes of length {have.value} and {n.value} do not go together",
                        have,
                        n,
                    )
        if len(known) == len(shapes) and None not in made:
            self._set(node, tuple(n for n in made if n is not None))

    def _length(self, node: Apply) -> None:
        shape = self.shape(node.args[0])
        if shape:
            self.numbers[id(node)] = shape[0]
        elif id(node.args[0]) in self.objects:
            value, name = self.objects[id(node.args[0])]
            if hasattr(value, "__len__"):
                self.numbers[id(node)] = Size(len(value), f"the length of {name}")

    def _getitem(self, node: Apply) -> None:
        base, key = node.args
        if getattr(getattr(base, "op", None), "name", "") == "shape":
            shape = self.shape(base.args[0])  # type: ignore[attr-defined]
            at = self.number(key)
            if shape and at is not None and -len(shape) <= at.value < len(shape):
                self.numbers[id(node)] = shape[at.value]
            return
        held = self.objects.get(id(base))
        if held is not None and isinstance(key, Constant):
            value, name = held
            try:
                part = value[key.value]
            except (LookupError, TypeError):
                return
            self.give(node, part, f"{name}[{key.value!r}]")
            return
        shape, t = self.shape(base), deref(key.type)
        if shape and isinstance(t, Num) and t.ndim == 0 and t.dtype is not None:
            if t.dtype.kind == "i":
                self._set(node, shape[1:])

    def _getattr(self, node: Apply) -> None:
        held = self.objects.get(id(node.args[0]))
        field = getattr(node.args[1], "value", None)
        if held is None or not isinstance(field, str):
            return
        value, name = held
        if hasattr(value, "__dict__") and field in vars(value):
            self.give(node, vars(value)[field], f"'{name.strip(chr(39))}.{field}'")


def _same(a: Shape, b: Shape) -> bool:
    return [n.value for n in a] == [n.value for n in b]


def _mismatch(span: Span | None, message: str, a: Size, b: Size) -> ShapeMismatch:
    text = span.snippet() if span is not None else ""
    return ShapeMismatch(
        f"{text}: {message}" if text else message,
        span,
        f"{a.value} is {a.origin}; {b.value} is {b.origin}",
    )


__all__ = ["Size", "check_sizes"]
