"""Shadows: the cotangents of objects that are changed in place.

A shadow is made where its object is made and goes wherever the object goes: into
views, branches, loops, containers and calls. Backwards, a store hands over what has
gathered in the stored place and clears it; a read adds to the place that was read.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from anadrome import runtime
from anadrome.errors import MutationError
from anadrome.frontend.containers import index_parts, is_basic
from anadrome.frontend.expressions import numeric
from anadrome.frontend.regions import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    ANY,
    BOOL,
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
    is_differentiable,
    is_stored,
    parts,
    strip_optional,
)
from anadrome.primitives.cotangents import add_cotangents
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.boxes import is_box
from anadrome.transform.cotangents import (
    Cotangent,
    Parts,
    as_node,
    cotangent_type,
    part_keys,
    part_of,
    part_or_none,
    part_type,
    zero,
)
from anadrome.transform.layouts import (
    Layout,
    flowing,
    gather,
    gather_slice,
    layout_of,
    settle,
)
from anadrome.transform.rules import bound_arguments, call_rule, fitted
from anadrome.transform.slots import (
    add_fields,
    add_items,
    add_slice,
    attribute_or_none,
    deposit,
    empty_slots,
    put_back,
    restore,
    slot_or_none,
    snapshot,
    stored_slice,
    undelete,
    view_at,
)

if TYPE_CHECKING:
    from anadrome.transform.reverse import Reverse


_VIEWS = frozenset(
    (
        "array_split",
        "dsplit",
        "expand_dims",
        "flip",
        "fliplr",
        "flipud",
        "hsplit",
        "matrix_transpose",
        "moveaxis",
        "rollaxis",
        "rot90",
        "split",
        "squeeze",
        "swapaxes",
        "transpose",
        "transpose_all",
        "transpose_method",
        "unstack",
        "vsplit",
    )
)
"""Operations that always return views."""

_READ_ONLY = frozenset(("broadcast_to", "diagonal", "linalg_diagonal"))
"""Operations whose views NumPy protects from being written to."""

_MAY_COPY = frozenset(
    (
        "asarray",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "conjugate_method",
        "diag",
        "ravel",
        "real",
        "reshape",
        "reshape_method",
    )
)
"""Operations that return a view if they can."""


class Shadows:
    """The shadow of every value of the old graph that has one."""

    def __init__(self, reverse: Reverse) -> None:
        self.r = reverse
        self.nodes: dict[int, Node] = {}
        self.aliases: dict[AliasClass, AliasClass] = {}
        self.cells: dict[int, Cell] = {}
        self.before_stores: dict[int, Any] = {}
        self.layouts: dict[int, Layout] = {}
        self.overlapping: set[AliasClass | None] | None = None

    # Types --------------------------------------------------------------------------

    def type_of(self, t: Type) -> Type:
        """The type of the shadow of a value."""
        t = deref(t)
        if isinstance(t, Optional):
            return Optional(self.type_of(t.inner))
        if isinstance(t, Num):
            if not t.inexact:
                return NONE
            alias = self.aliases.get(t.alias.find())
            if alias is None:
                alias = AliasClass()
                if self.r.activity.buffer(t):
                    alias.store()
                self.aliases[t.alias.find()] = alias
            return Num(t.dtype, t.ndim, False, alias, t.boxed)
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

    def read(self, node: Node) -> Node | None:
        """What has gathered in the shadow of a value and in no other; None if nothing.

        What is added to the shadow of an object inside it has arrived there.
        """
        t = strip_optional(node.type)
        if isinstance(t, Num) or not any(map(self.r.activity.shadowed, parts(t))):
            return self.of(node)
        if not any(map(self.r.activity.flows, parts(t))):
            return None
        opened = self.layout(t).opened()
        return self._call(flowing, (self.of(node),), opened, cotangent_type(t))

    def layout(self, t: Type) -> Layout:
        """Which parts of the shadows of a type's values are shared."""
        try:
            return layout_of(t, self.r.activity, self.layouts)
        except MutationError as error:
            error.span = error.span or self.r.it.span
            raise

    def _call(
        self, helper: Any, args: tuple[Node, ...], layout: Layout, t: Type
    ) -> Node:
        """A call of a helper that looks at the layout of a shadow."""
        it = self.r.it
        given = (it.constant(helper), *args, it.constant(layout))
        pure = True if helper is flowing else None
        return it.emit(ops.PYCALL, given, t, target=pure)

    def sums(self, slot: Node, t: Type) -> Cotangent | None:
        """What a container's shadow has gathered for a value outside of its shadow."""
        it, active = self.r.it, self.r.activity
        if not active.shadowed(t):
            return slot
        if not active.flows(t):
            return None
        keys = part_keys(t)
        if keys is None:
            return self._call(flowing, (slot,), self.layout(t), cotangent_type(t))
        found: dict[Any, Cotangent] = {}
        for key in keys:
            kind = part_type(t, key)
            if active.flows(kind) and is_differentiable(kind):
                args = it.constant(part_or_none), slot, it.constant(key)
                read = it.emit(ops.PYCALL, args, self.slot_type(kind), target=True)
                part = self.sums(read, kind)
                if part is not None:
                    found[key] = part
        return Parts(found) if found else None

    def _added(self, slot: Node, d: Cotangent, t: Type, like: Node) -> Node:
        """A slot of a container's shadow, with the cotangent of its value added."""
        it, active = self.r.it, self.r.activity
        kind = deref(t)
        if not active.shadowed(kind):
            return self._sum(slot, as_node(it, d, kind, like))
        if isinstance(kind, Tuple):
            items: list[Node] = []
            for k, p in enumerate(kind.items):
                args = (slot, it.constant(k))
                part: Node = it.emit(ops.GETITEM, args, self.slot_type(p))
                more = d.items.get(k) if isinstance(d, Parts) else take(it, d, k)
                if more is not None and is_differentiable(p):
                    part = self._added(part, more, p, take(it, like, k))
                items.append(part)
            return make_tuple(it, items, kind.cls)
        arrived = self.arrived(d, kind, like)
        return self._call(gather, (slot, arrived), self.layout(kind), slot.type)

    def arrived(self, d: Cotangent, t: Type, like: Node) -> Node:
        """A cotangent as one node, with nothing where nothing has arrived."""
        it, t = self.r.it, strip_optional(t)
        if isinstance(d, Node) or not self.r.activity.shadowed(t):
            return as_node(it, d, t, like)
        found = {
            k: self.arrived(part, part_type(t, k), part_of(it, like, t, k))
            for k, part in d.items.items()
        }
        if isinstance(t, Tuple):
            none = it.constant(None)
            items = [found.get(k, none) for k in range(len(t.items))]
            return make_tuple(it, items, t.cls)
        if isinstance(t, Object):
            head = it.constant(t.cls), it.constant(tuple(found))
            kind = cotangent_type(t)
            return it.emit(ops.RECORD, (*head, *found.values()), kind)
        args = [n for k, part in found.items() for n in (it.constant(k), part)]
        return it.emit(ops.DICT, tuple(args), cotangent_type(t))

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
            if isinstance(given, Parameter) and _holds_stored(p.type):
                # The caller's object must not change.
                if isinstance(deref(p.type), Num):
                    copied = it.emit(ops.COPY, (given,), p.type)
                else:
                    own = it.constant(runtime.own)
                    copied = it.emit(ops.PYCALL, (own, given), p.type, target=True)
                copied.name = p.name
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
        if isinstance(node, Apply) and is_box(node, r.activity):
            zeros = find_primitive(np.zeros)
            made = it.emit(zeros, (it.constant(()),), t, target=np.zeros)
        elif isinstance(deref(node.type), Num):
            zeros_like = find_primitive(np.zeros_like)
            kind = deref(node.type)
            number = kind.ndim is None and kind.dtype is not None  # type: ignore[attr-defined]
            named: dict[str, Node] = {}
            if number:
                named["dtype"] = it.constant(kind.dtype)  # type: ignore[attr-defined]
            made = it.emit(
                zeros_like, (value,), t, keywords=named, target=np.zeros_like
            )
        elif self._holds_arrays(node.type):
            self.set(node, self._zeros_of_items(value, t))
            return
        else:
            made = it.emit(
                ops.PYCALL, (it.constant(runtime.shadow), value), t, target=True
            )
        self.set(node, made)

    def _holds_arrays(self, t: Type) -> bool:
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
        if is_box(node, self.r.activity):
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
            self._mirror_setitem(node)
        elif node.op is ops.SETATTR and self.r.activity.buffer(node.args[0].type):
            self._mirror_setattr(node)
        elif node.op is ops.DELITEM and self.r.activity.buffer(node.args[0].type):
            self._mirror_delitem(node)

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
            self._check_copy(node)
        if not active.shadowed(node.type):
            return
        if (self.is_new(node) and active.buffer(node.type)) or not self._mirror(node):
            self._create(node)

    def _check_copy(self, node: Apply) -> None:
        """Make sure that a result is no view where something is changed in place.

        Products of several operands never are.
        """
        if len(node.args) > 2:
            return
        it, active = self.r.it, self.r.activity
        for a in node.args[1:]:
            if active.buffer(a.type) or active.buffer(node.type):
                args = (it.constant(runtime.check_copy), self.r.value(a))
                it.emit(ops.PYCALL, (*args, self.r.value(node)), NONE)

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
            if not self._rebuild(node, t):
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

    def _rebuild(self, node: Apply, t: Type) -> bool:
        """Lists of objects with shadows, sliced, copied or concatenated."""
        it = self.r.it
        if isinstance(node.op, Primitive) and node.op.name in (
            "concatenate_lists",
            "copy_list",
            "copy_tuple",
            "repeat_list",
        ):
            args = tuple(
                self.of(a) if self.r.activity.shadowed(a.type) else self.r.value(a)
                for a in node.args
            )
            self.set(node, it.emit(node.op, args, t, target=node.target))
            return True
        if node.op is ops.GETITEM:
            args = (self.of(node.args[0]), self.r.value(node.args[1]))
            self.set(node, it.emit(ops.GETITEM, args, t))
            return True
        if node.op is ops.COPY:
            self.created(node)
            return True
        return False

    def _mirror(self, node: Apply) -> bool:
        """Do to the shadow what a view or a lookup does to the object."""
        r, it = self.r, self.r.it
        t = self.type_of(node.type)
        if isinstance(node.op, Primitive):
            if not node.op.view:
                return False
            rest = tuple(r.value(a) for a in node.args[1:])
            named = {k: r.value(v) for k, v in node.keywords.items()}
            source, shadow = r.value(node.args[0]), self.of(node.args[0])
            if isinstance(shadow, Constant):
                return False
            made = it.emit(
                node.op, (shadow, *rest), t, keywords=named, target=node.target
            )
            if node.op.name in _MAY_COPY:
                check = it.constant(runtime.shadow_of_view)
                args: tuple[Node, ...] = (check, source, r.value(node), made, shadow)
                made = it.emit(ops.PYCALL, args, t, target=True)
            elif node.op.name in _READ_ONLY:
                opened = (it.constant(runtime.writable), made)
                made = it.emit(ops.PYCALL, opened, t, target=True)
            elif node.op.name not in _VIEWS:
                raise MutationError(
                    f"an array that is changed in place goes through '{node.op.name}'",
                    node.span,
                    "copy it before with .copy()",
                )
        elif node.op in (ops.GETITEM, ops.GETATTR):
            if id(node.args[0]) not in self.nodes:
                return False
            args = self.of(node.args[0]), r.value(node.args[1])
            array = isinstance(strip_optional(node.args[0].type), Num)
            if array and getattr(deref(node.type), "ndim", 0) is None:
                # An element has a place in the shadow, also if it is one number.
                view = it.constant(view_at)
                made = it.emit(ops.PYCALL, (view, *args), t, target=True)
            else:
                made = it.emit(node.op, args, t)
        elif node.op is ops.CAST:
            self.alias(node, node.args[0])
            return True
        else:
            return False
        self.set(node, made)
        return True

    def undo_view(self, node: Apply) -> None:
        """The way back through what returned a view, or a copy after all."""
        r, it = self.r, self.r.it
        if node.op.name not in _MAY_COPY or not r.activity.buffer(node.type):
            return
        source = node.args[0]
        args = (it.constant(runtime.is_copy), r.value(source), r.value(node))
        test = it.emit(ops.PYCALL, args, BOOL, target=True)
        region, other = Graph("then", it.graph), Graph("else", it.graph)
        with it.region(region):
            values = bound_arguments(
                it,
                node.op,
                tuple(r.value(a) for a in node.args),
                {k: r.value(v) for k, v in node.keywords.items()},
            )
            dz = {"dz": self.of(node)}
            rule = node.op.vjp_rule
            found = call_rule(it, rule, [r.value(node), *values.values()], dz)
            r.contribute(source, found)
        made = Apply(ops.IF, (test,), NEVER, regions=(region, other), span=node.span)
        made.comment = it.comment
        it.graph.append(made)

    # Reading ------------------------------------------------------------------------

    def place(self, node: Node) -> Node:
        """The shadow of a value, to which something is added."""
        shadow = self.of(node)
        if isinstance(shadow, Constant):
            raise MutationError(
                "what is changed in place cannot be followed to here",
                self.r.it.span,
                "copy it before with .copy()",
            )
        return shadow

    def settle(self, shadow: Node, t: Type, d: Cotangent) -> Cotangent | None:
        """Add to the objects in a value what is for them; what is left of it.

        The objects may change between the making of a container and its use, so that
        what arrives at the container's use cannot wait until its making.
        """
        it, active = self.r.it, self.r.activity
        t = strip_optional(t)
        if not active.shadowed(t):
            return d
        if not active.flows(t) and isinstance(d, Node):
            self._deposit(shadow, d, t)
            return None
        keys = part_keys(t)
        if keys is None:
            assert isinstance(d, Node)
            return self._call(settle, (shadow, d), self.layout(t), cotangent_type(t))

        def read(whole: Node, key: Any, kind: Type) -> Node:
            args = it.constant(part_or_none), whole, it.constant(key)
            return it.emit(ops.PYCALL, args, kind, target=True)

        if isinstance(d, Node):
            whole = d
            d = Parts(
                {k: read(whole, k, cotangent_type(part_type(t, k))) for k in keys}
            )
        rest: dict[Any, Cotangent] = {}
        for key, part in d.items.items():
            kind = part_type(t, key)
            if active.shadowed(kind):
                part = self.settle(read(shadow, key, self.slot_type(kind)), kind, part)
            if part is not None:
                rest[key] = part
        return Parts(rest) if rest else None

    def accumulate(self, node: Node, d: Node) -> None:
        """Add a cotangent to all of an object's shadow."""
        it = self.r.it
        shadow = self.place(node)
        t = deref(node.type)
        if isinstance(t, Num):
            whole = it.constant(Ellipsis)
            if self._overlaps(t):
                it.emit(ops.PYCALL, (it.constant(np.add.at), shadow, whole, d), NONE)
                return
            it.emit(
                ops.SETITEM,
                (shadow, whole, numeric(it, operator.add, shadow, d)),
                NEVER,
            )
            return
        if any(self.r.activity.shadowed(p) for p in parts(t)):
            self._deposit(shadow, d, t)
        elif isinstance(t, List):
            it.emit(ops.PYCALL, (it.constant(add_items), shadow, d), NONE)
        else:
            it.emit(ops.PYCALL, (it.constant(add_fields), shadow, d), NONE)

    def _deposit(self, shadow: Node, d: Node, t: Type) -> None:
        """Add to the objects that a shadow holds, which others hold as well."""
        it, t = self.r.it, strip_optional(t)
        if self._flows_somewhere(t):
            self._call(gather, (shadow, d), self.layout(t), NONE)
        else:
            it.emit(ops.PYCALL, (it.constant(deposit), shadow, d), NONE)

    def _refuse_partly(self) -> NoReturn:
        raise MutationError(
            "a container of which only a part is changed in place is used whole",
            self.r.it.span,
            "use its parts one by one",
        )

    def _flows_somewhere(self, t: Type, seen: frozenset[int] = frozenset()) -> bool:
        """Whether something in a value is a number outside of what has a shadow."""
        t = deref(t)
        if id(t) in seen:
            return False
        inner = parts(t)
        if isinstance(t, Cell) or inner:
            return any(self._flows_somewhere(p, seen | {id(t)}) for p in inner)
        return is_differentiable(t) and not self.r.activity.buffer(t)

    def accumulate_at(self, base: Node, index: Node, ct: Cotangent, at: Apply) -> None:
        """Add what `at` has gathered to one place of an object's shadow."""
        it = self.r.it
        shadow, where = self.place(base), self.r.saved(index, at)
        t = strip_optional(base.type)
        kinds = parts(t)
        if isinstance(t, Cell) and t.fields is not None and isinstance(index, Constant):
            kinds = (part_type(t, index.value),)
        if any(map(self.r.activity.shadowed, kinds)):
            if not all(map(self.r.activity.shadowed, kinds)):
                self._refuse_partly()
            self._add_to_slot(shadow, index, where, ct, kinds[0], at)
            return
        d = self.r.node_of(ct, at)
        if isinstance(t, Num):
            if _repeats(index) or self._overlaps(t):
                add_at = it.constant(np.add.at)
                it.emit(ops.PYCALL, (add_at, shadow, where, d), NONE)
                return
            old = it.emit(ops.GETITEM, (shadow, where), d.type)
            new = numeric(it, operator.add, old, d)
            it.emit(ops.SETITEM, (shadow, where, new), NEVER)
            return
        is_slice = getattr(deref(index.type), "cls", None) is slice
        if is_slice:
            it.emit(ops.PYCALL, (it.constant(add_slice), shadow, where, d), NONE)
            return
        old = it.emit(ops.GETITEM, (shadow, where), d.type)
        it.emit(ops.SETITEM, (shadow, where, self._sum(old, d)), NEVER)

    def _add_to_slot(
        self,
        shadow: Node,
        index: Node,
        where: Node,
        d: Cotangent,
        kind: Type,
        at: Apply,
    ) -> None:
        """Add to a slot that holds the shadow of something, or to several of them."""
        it = self.r.it
        if getattr(deref(index.type), "cls", None) is slice:
            assert isinstance(d, Node)
            self._call(gather_slice, (shadow, where, d), self.layout(kind), NONE)
            return
        slot = it.emit(ops.GETITEM, (shadow, where), self.slot_type(kind))
        if not self.r.activity.flows(kind):
            self._deposit(slot, self.r.node_of(d, at), kind)
            return
        new = self._added(slot, d, kind, self.r.value(at))
        it.emit(ops.SETITEM, (shadow, where, new), NEVER)

    def _overlaps(self, t: Num) -> bool:
        """Whether some view of an array holds one of its places twice."""
        if self.overlapping is None:
            self.overlapping = {
                self.r.activity.alias(node.type)
                for g in called_graphs(self.r.old)
                for node in walk(g)
                if isinstance(node.op, Primitive) and node.op.name == "broadcast_to"
            }
        return self.r.activity.alias(t) in self.overlapping

    def _sum(self, a: Node, d: Node) -> Node:
        if isinstance(deref(d.type), Num):
            return numeric(self.r.it, operator.add, a, d)
        return self.r.it.apply(add_cotangents, (a, d))

    def accumulate_attribute(
        self, base: Node, name: Constant, ct: Cotangent, at: Apply
    ) -> None:
        """Add what `at` has gathered to one attribute of an object's shadow."""
        it = self.r.it
        shadow = self.place(base)
        kind = part_type(strip_optional(base.type), name.value)
        if self.r.activity.shadowed(kind) and not self.r.activity.flows(kind):
            old = it.emit(ops.GETATTR, (shadow, name), self.slot_type(kind))
            self._deposit(old, self.r.node_of(ct, at), kind)
            return
        if self.r.activity.shadowed(kind):
            old = it.emit(ops.GETATTR, (shadow, name), self.slot_type(kind))
            new = self._added(old, ct, kind, self.r.value(at))
        else:
            d = self.r.node_of(ct, at)
            new = self._sum(it.emit(ops.GETATTR, (shadow, name), d.type), d)
        it.emit(ops.SETATTR, (shadow, name, new), NEVER)

    def distribute(self, node: Apply, keys: list[Any], values: list[Node]) -> None:
        """Hand what gathered in a container's shadow to what it was made of."""
        it = self.r.it
        shadow = self.of(node)
        t = deref(node.type)
        for key, value in zip(keys, values):
            if value not in self.r.activity or not self.r.activity.flows(value.type):
                continue
            op = ops.GETATTR if isinstance(t, Object) else ops.GETITEM
            self._hand_over(value, op, (shadow, it.constant(key)))

    def _hand_over(self, value: Node, op: ops.Op, args: tuple[Node, ...]) -> None:
        """Give a value what has gathered in the slot that a read yields."""
        if value in self.r.activity and self.r.activity.flows(value.type):
            pure = True if op is ops.PYCALL else None
            slot = self.r.it.emit(op, args, self.slot_type(value.type), target=pure)
            self.r.contribute(value, self.sums(slot, value.type))

    # Stores -------------------------------------------------------------------------

    def _mirror_setitem(self, node: Apply) -> None:
        target, index, value = node.args
        it, t = self.r.it, strip_optional(target.type)
        if isinstance(t, Num):
            return
        shadow, where = self.of(target), self.r.value(index)
        if getattr(deref(index.type), "cls", None) is slice:
            if self.r.activity.shadowed(value.type):
                new: Node = self.of(value)
            else:
                new = it.emit(
                    ops.PYCALL,
                    (it.constant(empty_slots), self.r.value(value)),
                    deref(shadow.type),
                    target=True,
                )
            old = it.emit(ops.PYCALL, (it.constant(list), shadow), deref(shadow.type))
            self.before_stores[id(node)] = old
            it.emit(ops.SETITEM, (shadow, where, new), NEVER)
            return
        if isinstance(t, List):
            old = it.emit(ops.GETITEM, (shadow, where), self.slot_type(value.type))
        else:
            # It may be a mark that there is nothing.
            read = it.constant(slot_or_none), shadow, where
            old = it.emit(ops.PYCALL, read, ANY)
        self.before_stores[id(node)] = old
        it.emit(ops.SETITEM, (shadow, where, self.slot(value)), NEVER)

    def undo_setitem(self, node: Apply) -> None:
        """The way back through `x[i] = v`."""
        target, index, value = node.args
        r, it = self.r, self.r.it
        if not r.activity.buffer(target.type):
            return
        shadow, where = self.of(target), r.saved(index, node)
        t = strip_optional(target.type)
        if isinstance(t, Num):
            self._undo_array_store(shadow, where, index, value, t)
            return
        if getattr(deref(index.type), "cls", None) is slice:
            old = self.before_stores[id(node)]
            given = shadow, old, where, r.saved(value, node)
            args = (it.constant(stored_slice), *given)
            self._hand_over(value, ops.PYCALL, args)
            it.emit(
                ops.PYCALL,
                (it.constant(restore), shadow, old, where, r.saved(value, node)),
                NONE,
            )
            return
        self._hand_over(value, ops.GETITEM, (shadow, where))
        kept = self.before_stores[id(node)]
        if isinstance(t, List):
            it.emit(ops.SETITEM, (shadow, where, kept), NEVER)
        else:
            it.emit(ops.PYCALL, (it.constant(put_back), shadow, where, kept), NONE)

    def _undo_array_store(
        self, shadow: Node, where: Node, index: Node, value: Node, t: Num
    ) -> None:
        r, it = self.r, self.r.it
        if value in r.activity:
            from anadrome.frontend.containers import _array_item

            taken: Node
            if _repeats(index):
                kind = _array_item(it, shadow, where, t).type
                taken = it.emit(
                    ops.PYCALL, (it.constant(runtime.take_stored), shadow, where), kind
                )
            else:
                taken = _array_item(
                    it, shadow, where, Num(t.dtype, t.ndim, boxed=t.boxed)
                )
                s = deref(taken.type)
                if isinstance(s, Num) and not s.scalar:
                    taken = it.emit(
                        ops.COPY, (taken,), Num(s.dtype, s.ndim, boxed=s.boxed)
                    )
            it.emit(ops.SETITEM, (shadow, where, it.constant(0.0)), NEVER)
            r.contribute(value, fitted(it, taken, r.value(value), lone=False))
            return
        it.emit(ops.SETITEM, (shadow, where, it.constant(0.0)), NEVER)

    def _mirror_setattr(self, node: Apply) -> None:
        target, name, value = node.args
        it = self.r.it
        shadow = self.of(target)
        kept = it.emit(
            ops.PYCALL,
            (it.constant(attribute_or_none), shadow, name),
            ANY,
        )
        self.before_stores[id(node)] = kept
        it.emit(ops.SETATTR, (shadow, name, self.slot(value)), NEVER)

    def undo_setattr(self, node: Apply) -> None:
        """The way back through `x.a = v`."""
        target, name, value = node.args
        r, it = self.r, self.r.it
        if not r.activity.buffer(target.type):
            return
        shadow = self.of(target)
        self._hand_over(value, ops.GETATTR, (shadow, name))
        it.emit(ops.SETATTR, (shadow, name, self.before_stores[id(node)]), NEVER)

    def undo_append(self, node: Apply) -> None:
        """The way back through `xs.append(v)`."""
        target, value = node.args
        r, it = self.r, self.r.it
        if not r.activity.buffer(target.type):
            return
        popped = it.emit(ops.POP, (self.of(target),), self.slot_type(value.type))
        if value in r.activity and r.activity.flows(value.type):
            r.contribute(value, self.sums(popped, value.type))

    def undo_pop(self, node: Apply) -> None:
        """The way back through `v = xs.pop()`."""
        r, it = self.r, self.r.it
        target = node.args[0]
        if not r.activity.buffer(target.type):
            return
        if r.activity.shadowed(node.type):
            item: Node = self.of(node)
            d = r.take(node) if r.activity.flows(node.type) else None
            if d is not None:
                item = self._added(item, d, node.type, r.value(node))
        else:
            whole = r.take_node(node) if node in r.activity else None
            item = whole if whole is not None else it.constant(0.0)
        it.emit(ops.APPEND, (self.of(target), item), NEVER)

    def _mirror_delitem(self, node: Apply) -> None:
        target, index = node.args
        it = self.r.it
        shadow = self.of(target)
        kept = it.emit(ops.PYCALL, (it.constant(snapshot), shadow), deref(shadow.type))
        self.before_stores[id(node)] = kept
        it.emit(ops.DELITEM, (shadow, self.r.value(index)), NEVER)

    def undo_delitem(self, node: Apply) -> None:
        """The way back through `del xs[i]`."""
        target, index = node.args
        r, it = self.r, self.r.it
        if not r.activity.buffer(target.type):
            return
        it.emit(
            ops.PYCALL,
            (
                it.constant(undelete),
                self.of(target),
                self.before_stores[id(node)],
                r.value(index),
            ),
            NONE,
        )


def _holds_stored(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is, or contains, something that is changed in place."""
    t = deref(t)
    if id(t) in seen:
        return False
    return is_stored(t) or any(_holds_stored(p, seen | {id(t)}) for p in parts(t))


def _inner(t: Type) -> tuple[Type, ...]:
    return parts(t)


def _repeats(index: Node) -> bool:
    """Whether an index may name one place twice."""
    if is_basic(index):
        return False
    for part in index_parts(index):
        t = deref(part.type)
        if isinstance(t, Num) and t.dtype is not None and t.dtype.kind == "b":
            continue
        if isinstance(t, Num) and t.ndim == 0:
            continue
        if getattr(t, "cls", None) is slice or isinstance(part, Constant):
            continue
        return True
    return False


__all__ = ["Shadows", "take"]
