"""Which lists that change can stay in native memory.

A list of numbers or arrays whose length never changes, and that Python never sees, is
a block with its items one after the other: see `Series`. So are cotangents of lists of
numbers, which are added to item by item. Other lists that change are Python lists.
"""

from __future__ import annotations

from llvmlite import ir

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import List, Num, Type, deref, parts, same_form
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.primitives.registry import Primitive

from ..lowering.registry import lowers
from ..runtime.memory import HEADER
from .control_flow import for_range
from .function import Emitter
from .native_containers import Growing
from .residuals import ArrayStack
from .values import I1, I64, POINTER, Scalar, Series, Value, scalar_type, stored_type


def native_lists(graph: Graph) -> set[int]:
    """The types of lists that stay in native memory."""
    return _lists_that_change(graph) | _Cotangents(graph).native()


def _lists_that_change(graph: Graph) -> set[int]:
    found: dict[int, List] = {}
    gone: set[int] = set()
    graphs = called_graphs(graph)

    def meet(t: Type, seen: frozenset[int]) -> None:
        """Lists inside of something else are left to Python."""
        t = deref(t)
        if id(t) in seen:
            return
        for p in parts(t):
            p = deref(p)
            if isinstance(p, List):
                gone.add(id(p))
            meet(p, seen | {id(t)})

    for n in (*graph.params, *graph.results):
        gone.add(id(deref(n.type)))
    for g in graphs:
        for n in _values(g):
            t = deref(n.type)
            if isinstance(t, List):
                found[id(t)] = t
            meet(t, frozenset())
        for node in walk(g):
            made = deref(node.type)
            if isinstance(made, List) and not _makes(node, made):
                gone.add(id(made))
            for place, n in enumerate(node.inputs):
                t = deref(n.type)
                if isinstance(t, List) and not _leaves_alone(node, place, n, t):
                    gone.add(id(t))
            _check_loop(node, gone)
    return {
        key
        for key, t in found.items()
        if key not in gone and t.stored and _is_plain(t.item)
    }


def _values(graph: Graph) -> list[Node]:
    found: list[Node] = [*graph.params, *graph.results]
    for node in walk(graph):
        found += [node, *node.outputs, *node.inputs]
        for region in node.regions:
            found += [*region.params, *region.results]
    return found


def _makes(node: Apply, t: List) -> bool:
    """Whether a statement that returns a list has a lowering."""
    if node.op is ops.LIST:
        return all(_fits(a, t.item) for a in node.args)
    if isinstance(node.op, Primitive) and node.op.name == "repeat_list":
        items = node.args[0]
        literal = isinstance(items, Apply) and items.op is ops.LIST
        return literal and all(_fits(a, t.item) for a in items.args)  # type: ignore[attr-defined]
    return node.op is ops.CALL or (is_shadow(node) and is_real(t.item))


def is_shadow(node: Apply) -> bool:
    """Whether a statement makes a place for the cotangent of something."""
    if node.op is not ops.PYCALL or len(node.args) != 2:
        return False
    making = getattr(node.args[0], "value", None)
    return making is runtime.shadow or making is runtime.shadow_of_arrays


def is_real(t: Type) -> bool:
    """Whether values of a type are real numbers."""
    t = deref(t)
    if not isinstance(t, Num) or t.ndim != 0 or t.boxed or t.dtype is None:
        return False
    return t.dtype.name in ("float32", "float64")


def _check_loop(node: Apply, gone: set[int]) -> None:
    """A loop may make a list of the type of its items, or hand one on."""
    if node.op not in (ops.FOR, ops.WHILE):
        if node.op is ops.TRY:
            gone.update(id(deref(o.type)) for o in node.outputs)
        return
    shape, body = node.shape, node.regions[-1]
    for k in range(shape.carried, shape.carried + shape.kept):
        t = deref(node.outputs[k].type)
        if isinstance(t, List):
            made = body.results[k]
            if node.op is ops.WHILE or shape.breaks or not _fits(made, t.item):
                gone.add(id(t))


def _leaves_alone(node: Apply, place: int, n: Node, t: List) -> bool:
    """Whether a statement neither resizes a list nor shows it to Python."""
    if isinstance(n, Constant):
        return False
    if node.op is ops.GETITEM:
        # A number of any type is read as the object that was put there.
        number = deref(node.type)
        if isinstance(number, Num) and number.dtype is None:
            return False
        return place == 0 and _is_index(node.args[1])
    if node.op is ops.SETITEM:
        stored = node.args[2]
        return place == 0 and _is_index(node.args[1]) and _fits(stored, t.item)
    if node.op is ops.CALL:
        return place > 0
    if is_shadow(node):
        return is_real(t.item)
    if isinstance(node.op, Primitive):
        return node.op.pure and not node.op.view
    return node.op in (ops.LENGTH, ops.FOR, ops.WHILE)


def _is_index(node: Node) -> bool:
    t = deref(node.type)
    return (
        isinstance(t, Num)
        and t.ndim == 0
        and t.dtype is not None
        and (t.dtype.kind in "iu")
    )


def _fits(node: Node, item: Type) -> bool:
    """Whether a value has the template of a list's items."""
    t, kind = deref(node.type), deref(item)
    if not isinstance(t, Num) or not isinstance(kind, Num):
        return False
    return same_form(t, kind) and t.boxed == kind.boxed


def _is_plain(t: Type) -> bool:
    t = deref(t)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None or t.boxed:
        return False
    return stored_type(t.dtype) is not None


class _Cotangents:
    """Which cotangents of lists stay in native memory.

    They begin as zeros, are added to, and are handed on by loops and branches; values
    that do so are of one kind.
    """

    def __init__(self, graph: Graph) -> None:
        self.types: dict[int, List] = {}
        self.same: dict[int, int] = {}
        self.begun: set[int] = set()
        self.gone: set[int] = set()
        for g in called_graphs(graph):
            for n in (*g.params, *g.results):
                self._leave(n)
            for node in walk(g):
                self._visit(node)

    def native(self) -> set[int]:
        """The types of those that stay."""
        left = {self._root(key) for key in self.begun}
        left -= {self._root(key) for key in self.gone}
        kinds: dict[int, set[str]] = {}
        for key, t in self.types.items():
            kinds.setdefault(self._root(key), set()).add(repr(deref(t.item)))
        left = {key for key in left if len(kinds[key]) == 1}
        return {key for key in self.types if self._root(key) in left}

    def _key(self, t: Type) -> int | None:
        t = deref(t)
        if not isinstance(t, List) or t.stored:
            return None
        self.types[id(t)] = t
        if not is_real(t.item):
            self.gone.add(id(t))
        return id(t)

    def _root(self, key: int) -> int:
        while key in self.same:
            key = self.same[key]
        return key

    def _leave(self, *nodes: Node) -> None:
        """Leave values, and all lists inside of them, to Python."""
        for n in nodes:
            self._leave_type(n.type, frozenset())

    def _leave_type(self, t: Type, seen: frozenset[int]) -> None:
        key, t = self._key(t), deref(t)
        if key is not None:
            self.gone.add(key)
        if id(t) not in seen:
            for p in parts(t):
                self._leave_type(p, seen | {id(t)})

    def _join(self, *nodes: Node) -> None:
        """Values of one kind, which is what lists and others have not in common."""
        keys = [self._key(n.type) for n in nodes]
        if any(key is None for key in keys):
            self._leave(*nodes)
            return
        first, *others = (self._root(key) for key in keys if key is not None)
        for other in others:
            if other != first:
                self.same[other] = first

    def _visit(self, node: Apply) -> None:
        made = self._key(node.type)
        if made is None:
            self._inside(node)
        elif is_primitive(node, "zero_cotangent"):
            self.begun.add(made)
        elif node.op is ops.INDEX_ADD:
            self._join(node, node.args[0])
        elif node.op not in (ops.FOR, ops.WHILE, ops.IF):
            self._leave(node)
        for place, n in enumerate(node.inputs):
            if self._key(n.type) is None:
                self._inside(n)
            elif not _only_looks(node, place, n):
                self._leave(n)
        self._visit_regions(node)

    def _inside(self, node: Node) -> None:
        for p in parts(deref(node.type)):
            self._leave_type(p, frozenset())

    def _visit_regions(self, node: Apply) -> None:
        if node.op is ops.IF:
            for k, o in enumerate(node.outputs):
                if self._key(o.type) is not None:
                    self._join(o, *(r.results[k] for r in node.regions))
            return
        carried: list[Node] = []
        if node.op in (ops.FOR, ops.WHILE):
            n, body = node.shape.carried, node.regions[-1]
            for k in range(n):
                out, first = node.outputs[k], node.args[len(node.args) - n + k]
                params = [r.params[len(r.params) - n + k] for r in node.regions]
                both = [out, first, *params, body.results[k]]
                carried += both
                if any(self._key(v.type) is not None for v in both):
                    self._join(*both)
        known = {id(v) for v in carried}
        for r in node.regions:
            self._leave(*(v for v in (*r.params, *r.results) if id(v) not in known))
        self._leave(*(o for o in node.outputs if id(o) not in known))


def _only_looks(node: Apply, place: int, n: Node) -> bool:
    """Whether a statement reads items of a cotangent, adds to one, or hands it on."""
    if isinstance(n, Constant):
        return False
    if node.op is ops.GETITEM:
        return place == 0 and _is_index(node.args[1])
    if node.op is ops.INDEX_ADD:
        added = is_real(node.args[2].type)
        return place == 0 and _is_index(node.args[1]) and added
    if is_primitive(node, "zero_cotangent"):
        return True
    return node.op in (ops.LENGTH, ops.FOR, ops.WHILE)


def zeros_for(e: Emitter, t: Type, like: Value) -> Series:
    """A new list of zeros, as long as another list."""
    if isinstance(like, Series):
        count = like.length
    elif isinstance(like, ArrayStack):
        count = like.whole.shape[0]
    else:
        raise e.refuse("zeros for this")
    assert isinstance(t, List)
    item = e.template(t.item)
    assert isinstance(item, Scalar)
    made = Series(item, e.allocate_bytes(e.series_bytes(item, count)), count)
    zero = Scalar(item.dtype, ir.Constant(scalar_type(item.dtype), 0.0), item.weak)
    with for_range(e.builder, 0, count) as k:
        e.store_item(made, k, zero)
    return made


@lowers("zero_cotangent")
def _lower_zero(e: Emitter, node: Apply) -> Value:
    t = deref(node.type)
    if id(t) not in e.owner.lists:
        raise e.refuse("the cotangent of this", node.span)
    return zeros_for(e, t, e.value(node.args[0]))


def own_list(e: Emitter, items: Series, dying: bool) -> Series:
    """The list itself if nobody else holds or reads it any more, else a copy."""
    b = e.builder
    size = e.series_bytes(items.item, items.length)

    def copied() -> ir.Value:
        made = e.allocate_bytes(size)
        copy = e.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        source, target = (b.gep(p, [I64(HEADER)]) for p in (items.block, made))
        b.call(copy, [target, source, size, I1(0)])
        return made

    if not dying:
        return Series(items.item, copied(), items.length)
    owners, _ = e.count_of(items.block)
    count = b.load(owners)
    mine, copy, done = (b.append_basic_block(n) for n in ("mine", "copy", "owned"))
    b.cbranch(b.icmp_signed("==", count, I64(1)), mine, copy)
    b.position_at_end(mine)
    e.retain(items)
    first = b.block
    b.branch(done)
    b.position_at_end(copy)
    made = copied()
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    block = b.phi(POINTER)
    block.add_incoming(items.block, first)
    block.add_incoming(made, second)
    return Series(items.item, block, items.length)


def list_of(e: Emitter, t: List, values: list[Value]) -> Series:
    """A new list of values."""
    item = e.template(t.item)
    count = I64(len(values))
    made = Series(item, e.allocate_bytes(e.series_bytes(item, count)), count)
    for k, value in enumerate(values):
        e.store_item(made, I64(k), e.adopt(value, item))
    return made


@lowers("repeat_list", operands=2)
def _lower_repeat(e: Emitter, node: Apply) -> Value:
    """`[x, y] * n`."""
    from .containers import check_kind, made_list

    t, items = deref(node.type), node.args[0]
    like = e.template(t)
    literal = isinstance(items, Apply) and items.op is ops.LIST
    if not isinstance(like, Series | Growing) or not literal:
        raise e.refuse("a repeated list", node.span)
    assert isinstance(t, List)
    assert isinstance(items, Apply)
    values = [e.value(a) for a in items.args]
    b, item = e.builder, e.template(t.item)
    for value in values if isinstance(like, Growing) else ():
        check_kind(e, value, item, id(t), id(t) in e.owner.visible)
    times = e.integer(e.value(node.args[1]))
    times = b.select(b.icmp_signed(">", times, I64(0)), times, I64(0))
    count = b.mul(times, I64(len(values)))
    made, target = made_list(e, like, count)
    with for_range(b, 0, times) as k:
        for j, value in enumerate(values):
            place = b.add(b.mul(k, I64(len(values))), I64(j))
            e.store_item(target, place, e.adopt(value, item))
    return made
