"""How the backward pass gets at values of the forward pass.

While the backward half of a region is written it refers to forward values directly.
When it is finished, those references are made good: the residuals of a loop are kept
in stacks, those of a branch leave it as further outputs, those of a function go into
the record it hands over. Facts about shapes are computed forward, so that an array of
which only the shape is wanted is not kept.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
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
    Num,
    Object,
    Other,
    Stack,
    Str,
    Tuple,
    Type,
    deref,
    is_stored,
)
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.runtime import Saved

ABSENT = Constant(None, NONE)
"""What a branch that was not taken leaves for the backward pass."""


def home(node: Node) -> Graph | None:
    """The graph or region that a value is defined in."""
    if isinstance(node, Output):
        return node.apply.graph
    if isinstance(node, Apply | Parameter):
        return node.graph
    return None


class Residuals:
    """The residuals of a region: the forward values that its backward half reads."""

    def __init__(self, forward: Graph) -> None:
        self.forward = forward
        self.brought: dict[int, Node] = {}

    def bring(self, node: Node) -> Node:
        """A forward value, made available to the backward half."""
        raise NotImplementedError

    def close(self, backward: Graph) -> None:
        """Make good every reference of the backward half to forward values."""
        keep_shapes_only(backward, self.forward)
        hoist_facts(backward, self.forward)
        computed = self._rematerialise_all(backward)
        self._derive(backward, computed)
        for n in list(references(backward)):
            if home(n) is self.forward and id(n) not in self.brought:
                self.brought[id(n)] = self.bring(n)
        replace(backward, self.brought)

    def _rematerialise_all(self, backward: Graph) -> int:
        """Values that cost nothing are rematerialised, not kept; how many."""
        copies: list[Apply] = []
        for n in list(references(backward)):
            if home(n) is self.forward:
                self._rematerialised(n, backward, copies)
        backward.body[:0] = copies
        return len(copies)

    def _rematerialised(
        self, n: Node, backward: Graph, copies: list[Apply]
    ) -> Node | None:
        """A value rematerialised from what is at hand, or None if it is not cheap."""
        if isinstance(n, Constant) or home(n) is not self.forward:
            return n
        if id(n) in self.brought:
            return self.brought[id(n)]
        free = self.free(n)
        if free is not None:
            self.brought[id(n)] = free
            return free
        if not isinstance(n, Apply) or not is_cheap(n):
            return None
        # A slice is rematerialised from its bounds: numbers are kept more cheaply.
        get = self._bound if n.op is ops.SLICE else self._rematerialised
        args = [get(a, backward, copies) for a in n.args]
        named = {
            k: self._rematerialised(v, backward, copies) for k, v in n.keywords.items()
        }
        if any(a is None for a in (*args, *named.values())):
            return None
        made = Apply(n.op, tuple(args), n.type, name=n.name, span=n.span)  # type: ignore[arg-type]
        made.keywords = named  # type: ignore[assignment]
        made.target, made.graph = n.target, backward
        copies.append(made)
        self.brought[id(n)] = made
        return made

    def _bound(self, n: Node, backward: Graph, copies: list[Apply]) -> Node | None:
        """A bound of a slice, rematerialised from facts; the first of them are kept."""
        found = self._rematerialised(n, backward, copies)
        if found is not None or not is_fact(n.type) or home(n) is not self.forward:
            return found
        if isinstance(n, Apply) and is_cheap(n) and n.args:
            if all(isinstance(a, Constant) or is_fact(a.type) for a in n.args):
                for a in n.args:
                    self._bound(a, backward, copies)
                return self._rematerialised(n, backward, copies)
        self.brought[id(n)] = self.bring(n)
        return self.brought[id(n)]

    def _derive(self, backward: Graph, computed: int) -> None:
        """Values one small step away from others that are kept are not kept too."""
        wanted = {
            id(n): n
            for n in references(backward)
            if home(n) is self.forward and id(n) not in self.brought
        }
        copies: list[Apply] = []
        for key, n in list(wanted.items()):
            if not isinstance(n, Apply) or not _is_small_step(n):
                continue
            sources = [
                a
                for a in n.args
                if home(a) is self.forward
                and self._rematerialised(a, backward, copies) is None
            ]
            if len(sources) != 1 or id(sources[0]) not in wanted:
                continue
            (source,) = sources
            if id(source) not in self.brought:
                self.brought[id(source)] = self.bring(source)
            args = tuple(self.brought.get(id(a), a) for a in n.args)
            made = Apply(n.op, args, n.type, name=n.name, span=n.span)
            made.target, made.graph = n.target, backward
            copies.append(made)
            self.brought[key] = made
            del wanted[key]
        backward.body[computed:computed] = copies

    def free(self, node: Node) -> Node | None:
        """What stands for a forward value at no cost, such as a loop's index."""
        return None


class RootResiduals(Residuals):
    """The function itself: forward and backward are one body."""

    def close(self, backward: Graph) -> None:
        """Nothing to do: everything is at hand."""


class BranchResiduals(Residuals):
    """A branch: forward values leave it as outputs of the forward `if`."""

    def __init__(
        self, forward: Graph, statement: Apply, side: int, in_loop: bool
    ) -> None:
        super().__init__(forward)
        self.statement, self.side, self.in_loop = statement, side, in_loop

    def bring(self, node: Node) -> Node:
        for k, region in enumerate(self.statement.regions):
            other = ABSENT if self.in_loop else UNDEFINED
            region.results.append(node if k == self.side else other)
        return self.statement.add_output(node.type, node.name)

    def close(self, backward: Graph) -> None:
        super().close(backward)


class LoopResiduals(Residuals):
    """A loop: forward values are kept, one for each iteration."""

    def __init__(self, statement: Apply, index: Parameter) -> None:
        super().__init__(statement.regions[-1])
        self.statement, self.index = statement, index
        self.stacks: list[tuple[Node, Parameter]] = []

    def free(self, node: Node) -> Node | None:
        if self.statement.op is ops.FOR and node is self.forward.params[0]:
            return self.index
        return None

    def bring(self, node: Node) -> Node:
        stack = self._keep(node)
        item = Parameter(self.index.graph, node.type, node.name, node.span)
        self.stacks.append((stack, item))
        return item

    def _keep(self, node: Node) -> Output:
        import dataclasses

        loop, body = self.statement, self.forward
        shape = loop.shape
        place = shape.carried + shape.kept
        body.results.insert(place, node)
        out = Output(
            loop, place, Stack(node.type), f"{node.name}s" if node.name else "saved"
        )
        loop.outputs.insert(place, out)
        for k, o in enumerate(loop.outputs):
            o.index = k
        loop.shape = dataclasses.replace(shape, kept=shape.kept + 1)
        return out


class CallResiduals(Residuals):
    """A function of its own: forward values go into the record it hands over."""

    def __init__(self, forward: Graph, read: Callable[[str, Type], Node]) -> None:
        super().__init__(forward)
        self.read = read
        self.fields: dict[str, Node] = {}

    def bring(self, node: Node) -> Node:
        base = node.name or "v"
        name, k = base, 1
        while name in self.fields or not name.isidentifier() or keyword.iskeyword(name):
            base = base if base.isidentifier() else "d" + base.lstrip("∂")
            name, k = f"{base}{k}", k + 1
        self.fields[name] = node
        return self.read(name, node.type)


# Walking ----------------------------------------------------------------------


def references(graph: Graph) -> Iterator[Node]:
    """Every value that a graph and its regions read."""
    for node in graph.body:
        yield from node.inputs
        for region in node.regions:
            yield from references(region)
    yield from graph.results


def replace(graph: Graph, replaced: dict[int, Node]) -> None:
    """Read other values in place of some, everywhere in a graph."""
    if not replaced:
        return

    def new(n: Node) -> Node:
        return replaced.get(id(n), n)

    for node in graph.body:
        if any(id(n) in replaced for n in node.inputs):
            node.args = tuple(new(a) for a in node.args)
            node.keywords = {k: new(v) for k, v in node.keywords.items()}
        for region in node.regions:
            replace(region, replaced)
    graph.results = [new(r) for r in graph.results]


def free_values(region: Graph) -> list[Node]:
    """The values from outside a region that it reads, each once."""
    own = {id(n) for n in defined_within(region)}
    found: dict[int, Node] = {}
    for n in references(region):
        if not isinstance(n, Constant) and id(n) not in own:
            found.setdefault(id(n), n)
    return list(found.values())


def defined(region: Graph) -> list[Node]:
    """The values that a region defines itself."""
    found: list[Node] = list(region.params)
    for node in region.body:
        found.append(node)
        found += node.outputs
    return found


def defined_within(region: Graph) -> list[Node]:
    """The values that a region and those inside it define."""
    found = defined(region)
    for node in region.body:
        for inner in node.regions:
            found += defined_within(inner)
    return found


def is_fact(t: Type) -> bool:
    """Whether values of a type are shapes, sizes, names or other small facts."""
    t = deref(t)
    if isinstance(t, Num):
        return t.ndim == 0 and t.dtype is not None and t.dtype.kind in "biu"
    if isinstance(t, Tuple):
        return all(is_fact(i) for i in t.items)
    if isinstance(t, Str) or t is NONE:
        return True
    return isinstance(t, Other) and t.cls in (slice, np.dtype, tuple, type)


def hoist_facts(backward: Graph, forward: Graph) -> None:
    """Move small facts about forward values from the backward to the forward half."""
    moved: set[int] = set()

    def available(n: Node) -> bool:
        if isinstance(n, Constant) or id(n) in moved:
            return True
        where = home(n)
        return where is not None and _encloses(where, forward)

    def visit(graph: Graph) -> None:
        kept = []
        for node in graph.body:
            for region in node.regions:
                visit(region)
            simple = not node.regions and is_fact(node.type) and _is_pure(node)
            if graph is not backward and simple:
                # What a branch or a loop inside computes may fail outside of it.
                simple = _cannot_raise(node) and all(
                    isinstance(n, Apply | Constant) and not _is_residual(n)
                    for n in node.inputs
                )
            if simple and all(available(n) for n in node.inputs):
                touches = any(
                    home(n) is forward and not isinstance(n, Constant)
                    for n in node.inputs
                )
                if touches:
                    moved.add(id(node))
                    node.comment = None
                    forward.append(node)
                    continue
            kept.append(node)
        graph.body = kept

    visit(backward)


def keep_shapes_only(backward: Graph, forward: Graph) -> None:
    """Make zeros from a shape where the array would be kept for nothing else."""
    templates: list[Apply] = []
    needed: set[int] = set()

    def visit(graph: Graph) -> None:
        for node in graph.body:
            for region in node.regions:
                visit(region)
            name = node.op.name if isinstance(node.op, Primitive) else ""
            if name == "zeros_like" and graph is backward and len(node.inputs) == 1:
                if home(node.args[0]) is forward:
                    templates.append(node)
                    continue
            if name != "shape":
                needed.update(id(n) for n in node.inputs)
        needed.update(id(r) for r in graph.results)

    visit(backward)
    shape, zeros = find_primitive(np.shape), find_primitive(np.zeros)
    assert shape is not None
    assert zeros is not None
    for node in templates:
        source, t = node.args[0], deref(node.type)
        if id(source) in needed or not isinstance(t, Num) or is_stored(t):
            continue
        if not t.ndim or t.dtype is None or is_stored(source.type):
            continue
        read = Apply(shape, (source,), Tuple((INT,) * t.ndim))
        read.target = np.shape
        forward.append(read)
        node.op, node.args, node.target = zeros, (read,), np.zeros
        if t.dtype != np.dtype(np.float64):
            node.keywords = {"dtype": Constant(t.dtype, Other(np.dtype))}


def _cannot_raise(node: Apply) -> bool:
    if isinstance(node.op, Primitive):
        return node.op.name in ("shape", "ndim", "size")
    if node.op is ops.GETITEM:
        t, key = deref(node.args[0].type), node.args[1]
        return isinstance(t, Tuple) and isinstance(key, Constant)
    return bool(node.op.total)


def _is_residual(node: Node) -> bool:
    """Whether a value is a residual, perhaps of one branch only."""
    if not isinstance(node, Apply) or node.op is not ops.GETATTR:
        return False
    t = deref(node.args[0].type)
    return isinstance(t, Object) and t.cls is Saved


def _encloses(outer: Graph, inner: Graph | None) -> bool:
    while inner is not None:
        if inner is outer:
            return True
        inner = inner.parent
    return False


def _is_pure(node: Apply) -> bool:
    if isinstance(node.op, Primitive):
        return node.op.pure
    if node.op in (ops.PYCALL, ops.OBSERVE):
        return node.target is True
    return bool(node.op.pure)


def _is_small_step(node: Apply) -> bool:
    """Whether a value is a sum, a difference, a sign or a shape away from another."""
    if not isinstance(node.op, Primitive) or node.keywords:
        return False
    if node.op.name not in ("add", "subtract", "negative", "shape"):
        return False
    return not any(is_stored(n.type) for n in (node, *node.inputs))


def is_cheap(node: Apply) -> bool:
    """Whether a value is a view or a small fact, rematerialised for nothing."""
    if any(is_stored(n.type) for n in node.inputs):
        return False
    if node.op in (ops.GETATTR, ops.TUPLE, ops.SLICE, ops.LENGTH, ops.CAST):
        return True
    if node.op is ops.GETITEM:
        t = deref(node.args[0].type)
        s = deref(node.type)
        if isinstance(t, Num) and isinstance(s, Num) and s.ndim != 0:
            # A view shares its base's class; a gathered copy does not.
            return s.alias.find() is t.alias.find()
        return True
    if isinstance(node.op, Primitive):
        if is_fact(node.type) and node.op.pure:
            return True
        return node.op.view and node.op.pure
    return False


__all__ = [
    "ABSENT",
    "NEVER",
    "BranchResiduals",
    "CallResiduals",
    "LoopResiduals",
    "Residuals",
    "RootResiduals",
]
