"""Shadows: the cotangents of objects that are changed in place.

A shadow is made where its object is made and goes wherever the object goes: into
views, branches, loops, containers and calls. Backwards, a store hands over what has
accumulated in the stored place and clears it; a read adds to the place that was read.
See `views`, `stores` and `accumulation` for each of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome import runtime
from anadrome.errors import MutationError
from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
)
from anadrome.ir.types import (
    INT,
    NEVER,
    NONE,
    AliasClass,
    AnyType,
    Cell,
    Dict,
    List,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    Union,
    VarTuple,
    deref,
    holds_stored,
    is_differentiable,
    parts,
    strip_optional,
    unchanged,
)
from anadrome.primitives.numpy.creation import copy_as
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.dependence.zero_d_arrays import is_zero_d_array
from anadrome.transform.reverse.buffers import stores, views
from anadrome.transform.reverse.cotangents import cotangent_type, zero

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


class Shadows:
    """The shadow of every value of the old graph that has one."""

    def __init__(self, reverse: Reverse) -> None:
        self.r = reverse
        self.nodes: dict[int, Node] = {}
        # Elements that may be numbers, which have accumulators of their own.
        self.accumulators: set[int] = set()
        # Views that are copies to a derivative: nothing is stored after them.
        self.copied: set[int] = set()
        self.aliases: dict[AliasClass, AliasClass] = {}
        self.cells: dict[int, Cell] = {}
        self.before_stores: dict[int, Any] = {}
        # Arguments as they are given, of which copies are changed.
        self.given: dict[int, Node] = {}

    # Types --------------------------------------------------------------------------

    def type_of(self, t: Type) -> Type:
        """The type of the shadow of a value."""
        t = deref(t)
        if isinstance(t, Optional):
            return Optional(self.type_of(t.inner))
        if isinstance(t, Num):
            if not t.inexact and not self.r.activity.buffer(t):
                return NONE
            alias = self.aliases.get(t.alias.find())
            if alias is None:
                alias = AliasClass()
                if self.r.activity.buffer(t):
                    alias.store()
                self.aliases[t.alias.find()] = alias
            # Integers that lie where floats may lie have zeros as these have.
            dtype = t.dtype if t.inexact else np.dtype(np.float64)
            return Num(dtype, t.ndim, False, alias, t.boxed)
        if isinstance(t, Tuple):
            return Tuple(tuple(self.slot_type(i) for i in t.items), t.cls)
        if isinstance(t, VarTuple):
            return VarTuple(self.slot_type(t.item))
        if isinstance(t, Cell):
            return self._cell(t)
        if isinstance(t, Union):
            return Union(tuple(self.type_of(o) for o in t.options))  # type: ignore[misc]
        return NONE if not isinstance(t, AnyType) else t

    def slot_type(self, t: Type) -> Type:
        """The type of what a shadow holds for a part of a value."""
        if self.r.activity.shadowed(t):
            return self.type_of(t)
        return cotangent_type(t) if is_differentiable(t) else NONE

    def _cell(self, t: Cell) -> Type:
        made = self.cells.get(id(t))
        if made is not None:
            return made
        if isinstance(t, List):
            made = List()
        elif isinstance(t, Dict):
            made = Dict()
        else:
            assert isinstance(t, Object)
            made = Object(t.cls)
        self.cells[id(t)] = made
        if self.r.activity.buffer(t):
            made.alias.store()
        if t.fields is not None:
            made.fields = {k: self.slot_type(v) for k, v in t.fields.items()}
        if not isinstance(t, Object):
            made.item, made.key = self.slot_type(t.item), t.key
        return made

    # Access -------------------------------------------------------------------------

    def of(self, node: Node) -> Node:
        """The shadow of a value."""
        if isinstance(node, Constant):
            return self.r.it.constant(None)
        found = self.nodes.get(id(node))
        if found is None:
            return self.r.it.constant(None)
        return found

    def set(self, node: Node, shadow: Node) -> None:
        """Remember the shadow of a value."""
        if (
            shadow.name is None
            and node.name is not None
            and not isinstance(shadow, Constant)
        ):
            shadow.name = "∂" + node.name
        self.nodes[id(node)] = shadow

    def alias(self, node: Node, source: Node) -> None:
        """Two values are one object: they share a shadow."""
        if id(source) in self.nodes:
            self.nodes[id(node)] = self.nodes[id(source)]

    def parameter(self, graph: Graph, old: Parameter) -> None:
        """A parameter for the shadow of another parameter."""
        self.set(old, graph.add_parameter(self.type_of(old.type)))

    def output(self, made: Apply, old: Node) -> None:
        """An output for the shadow of another output."""
        self.set(old, made.add_output(self.type_of(old.type)))

    def carried(self, node: Apply) -> list[int]:
        """Which of a loop's variables are accompanied by shadows."""
        return [
            k
            for k in range(node.shape.carried)
            if self.r.activity.shadowed(node.outputs[k].type)
        ]

    def kept(self, node: Apply) -> list[int]:
        """Which of the lists that a loop makes hold objects that have shadows."""
        first = node.shape.carried
        return [
            k
            for k in range(first, first + node.shape.kept)
            if any(self.r.activity.shadowed(p) for p in parts(node.outputs[k].type))
        ]

    def results(self, outputs: list[Output], results: list[Node]) -> list[Node]:
        """The shadows that a branch yields beside its results."""
        return [
            self.of(r)
            for o, r in zip(outputs, results)
            if self.r.activity.shadowed(o.type)
        ]

    def outputs(self, made: Apply, outputs: list[Output]) -> None:
        """Outputs for the shadows that branches yield."""
        for o in outputs:
            if self.r.activity.shadowed(o.type):
                self.output(made, o)

    # Making -------------------------------------------------------------------------

    def roots(self, graph: Graph) -> None:
        """Copies and shadows of the parameters that are changed in place."""
        r, it = self.r, self.r.it
        for p in graph.params:
            given = r.new[id(p)]
            if isinstance(given, Parameter) and holds_stored(p.type):
                # The caller's object must not change.
                kind = deref(p.type)
                if isinstance(kind, Num) and (r.ordered or kind.boxed):
                    same = given, given
                    copied = it.emit(copy_as, same, p.type, target=runtime.copy_as)
                elif isinstance(kind, Num):
                    copied = it.emit(ops.COPY, (given,), p.type)
                else:
                    own = it.constant(runtime.own)
                    copied = it.emit(ops.PYCALL, (own, given), p.type, target=True)
                copied.name = p.name
                given.type = unchanged(given.type)
                self.given[id(p)] = given
                r.new[id(p)] = copied
            if r.activity.shadowed(p.type):
                self.created(p)

    def created(self, node: Node) -> None:
        """A shadow for an object that has just been made."""
        r, it = self.r, self.r.it
        if not r.activity.shadowed(node.type):
            return
        value = r.value(node)
        t = self.type_of(node.type)
        if isinstance(node, Apply) and is_zero_d_array(node, r.activity):
            own = deref(node.args[0].type)
            assert isinstance(own, Num)
            if own.dtype is None or own.dtype.kind == "c":
                number = it.constant(runtime.shadow_of_number)
                made = it.emit(ops.PYCALL, (number, value), t, target=True)
            else:
                zeros = find_primitive(np.zeros)
                made = it.emit(zeros, (it.constant(()),), t, target=np.zeros)
        elif isinstance(deref(node.type), Num):
            zeros_like = find_primitive(np.zeros_like)
            kind = deref(node.type)
            varies = kind.ndim is None and kind.dtype is not None  # type: ignore[attr-defined]
            named: dict[str, Node] = {}
            if varies:
                named["dtype"] = it.constant(kind.dtype)  # type: ignore[attr-defined]
            if not kind.inexact:  # type: ignore[attr-defined]
                named["dtype"] = it.constant(np.dtype(np.float64))
            made = it.emit(
                zeros_like, (value,), t, keywords=named, target=np.zeros_like
            )
        elif self.holds_arrays(node.type):
            self.set(node, self._zeros_of_items(value, t))
            return
        else:
            types = (node.type, *parts(node.type))
            making = runtime.shadow
            if any(map(self._mixes_numbers, types)):
                making = runtime.shadow_of_numbers
            elif any(map(self._mixes_dtypes, types)) or _holds_integers(node):
                making = runtime.shadow_of_arrays
            shadow = it.constant(making)
            made = it.emit(ops.PYCALL, (shadow, value), t, target=True)
        self.set(node, made)

    def _mixes_numbers(self, t: Type) -> bool:
        """Whether a container may hold numbers beside arrays that change."""
        t = deref(t)
        item = deref(t.item) if isinstance(t, List | Dict) else None
        if not isinstance(item, Num) or not (item.boxed or item.ndim is None):
            return False
        return self.r.activity.buffer(item)

    def _mixes_dtypes(self, t: Type) -> bool:
        """Whether numbers, or arrays that change, may be integers or floats."""
        item = deref(getattr(deref(t), "item", t))
        if not isinstance(item, Num):
            return False
        if item.dtype is not None:
            return isinstance(deref(t), List) and item.scalar and item.varied
        return not item.ndim or self.r.activity.buffer(item)

    def holds_arrays(self, t: Type) -> bool:
        """Whether a value is a list of arrays of known rank that do not change."""
        t = deref(t)
        if not isinstance(t, List) or self.r.activity.shadowed(t.item):
            return False
        item = deref(t.item)
        return isinstance(item, Num) and bool(item.ndim) and item.dtype is not None

    def _zeros_of_items(self, value: Node, t: Type) -> Node:
        """A list of zeros like the arrays of a list."""
        it = self.r.it
        source = deref(value.type)
        assert isinstance(source, List)
        assert isinstance(t, List)
        body = Graph("body", it.graph)
        k = body.add_parameter(INT)
        with it.region(body):
            item = it.emit(ops.GETITEM, (value, k), source.item)
            body.results = [zero(it, source.item, item)]
        count = it.emit(ops.LENGTH, (value,), INT)
        bounds = it.constant(0), count, it.constant(1)
        loop = it.emit(ops.FOR, bounds, NEVER, regions=(body,))
        loop.shape = ops.LoopShape(kept=1)
        return loop.add_output(t)

    def is_new(self, node: Apply) -> bool:
        """Whether a statement makes a new object rather than another name for one."""
        if isinstance(node.op, Primitive):
            return not node.op.view or not self._shares(node, node.args[0])
        own = self.r.activity.alias(node.type)
        if own is None:
            return True
        if node.op is ops.GETITEM:
            t = strip_optional(node.args[0].type)
            if isinstance(t, Num):
                # Gathered elements are new even where they meet the array again.
                return not is_basic(node.args[1])
            index = deref(node.args[1].type)
            return getattr(index, "cls", None) is slice
        if is_zero_d_array(node, self.r.activity):
            return True
        return node.op not in (ops.GETATTR, ops.CAST, ops.POP)

    def _shares(self, node: Node, source: Node) -> bool:
        """Whether a value, or what it holds, is of the class of another."""
        own = self.r.activity.alias(source.type)
        if own is None:
            return False
        types = (node.type, *parts(node.type))
        return any(self.r.activity.alias(t) is own for t in types)

    def before(self, node: Apply) -> None:
        """What must be done to shadows before a statement of the forward pass."""
        if node.op is ops.SETITEM and self.r.activity.buffer(node.args[0].type):
            stores.mirror_setitem(self.r, node)
        elif node.op is ops.SETATTR and self.r.activity.buffer(node.args[0].type):
            stores.mirror_setattr(self.r, node)
        elif node.op is ops.DELITEM and self.r.activity.buffer(node.args[0].type):
            stores.mirror_delitem(self.r, node)

    def after(self, node: Apply) -> None:
        """What must be done to shadows after a statement of the forward pass."""
        r, it = self.r, self.r.it
        active = r.activity
        if node.op is ops.APPEND and active.buffer(node.args[0].type):
            target, value = node.args
            item = self.slot(value)
            it.emit(ops.APPEND, (self.of(target), item), NEVER)
            return
        if node.op is ops.POP and active.buffer(node.args[0].type):
            popped = it.emit(
                ops.POP, (self.of(node.args[0]),), self.slot_type(node.type)
            )
            if active.shadowed(node.type):
                self.set(node, popped)
            return
        if isinstance(node.op, ops.Op) and node.op.writes:
            return
        if isinstance(node.op, Primitive) and node.op.name == "einsum":
            views.check_copy(self.r, node)
        if not active.shadowed(node.type):
            return
        if node.op is ops.GETITEM:
            self._refuse_any_part(node)
        if (self.is_new(node) and active.buffer(node.type)) or not views.mirror(
            self.r, node
        ):
            self._create(node)

    def _refuse_any_part(self, node: Apply) -> None:
        """Refuse to read by a key what is a number or an array that changes."""
        t, key = strip_optional(node.args[0].type), node.args[1]
        if not isinstance(t, Cell) or t.fields is None or isinstance(key, Constant):
            return
        kinds = [p for p in t.fields.values() if is_differentiable(p)]
        if not all(map(self.r.activity.shadowed, kinds)):
            raise MutationError(
                "which part of a dictionary is read is known only at run time, and "
                "some of them are arrays that are changed in place",
                node.span,
                "read it by keys that are written out, in branches",
            )

    def slot(self, value: Node) -> Node:
        """What a container's shadow holds for a value put into it."""
        if self.r.activity.shadowed(value.type):
            return self.of(value)
        if is_differentiable(value.type) and not isinstance(value, Constant):
            return zero(self.r.it, value.type, self.r.value(value))
        number = isinstance(deref(value.type), Num)
        return self.r.it.constant(0.0 if number else None)

    def _create(self, node: Apply) -> None:
        r, it = self.r, self.r.it
        t = self.type_of(node.type)
        if node.op in (ops.LIST, ops.TUPLE):
            made = it.emit(node.op, tuple(self.slot(a) for a in node.args), t)
        elif node.op is ops.NAMEDTUPLE:
            items = tuple(self.slot(a) for a in node.args[1:])
            made = it.emit(ops.NAMEDTUPLE, (node.args[0], *items), t)
        elif node.op is ops.DICT:
            args: list[Node] = []
            for k, v in zip(node.args[::2], node.args[1::2]):
                args += [r.value(k), self.slot(v)]
            made = it.emit(ops.DICT, tuple(args), t)
        elif node.op is ops.RECORD:
            items = tuple(self.slot(a) for a in node.args[2:])
            made = it.emit(ops.RECORD, (*node.args[:2], *items), t)
        elif any(r.activity.shadowed(p) for p in _inner(node.type)):
            if not views.rebuild(self.r, node, t):
                raise MutationError(
                    "arrays that are changed in place pass through this operation",
                    node.span,
                    "change the arrays before or after it, or copy them",
                )
            return
        else:
            self.created(node)
            return
        self.set(node, made)


def _inner(t: Type) -> tuple[Type, ...]:
    return parts(t)


__all__ = ["Shadows"]


def _holds_integers(node: Node) -> bool:
    """Whether a list begins with integers among numbers that vary."""
    if not isinstance(node, Apply) or node.op is not ops.LIST:
        return False
    return any(isinstance(t := deref(a.type), Num) and not t.inexact for a in node.args)
