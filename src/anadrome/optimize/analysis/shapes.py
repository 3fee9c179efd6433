"""Which axes of arrays are equally long, as far as a program itself shows it.

An operation on two arrays that has succeeded says that their axes have equal length
or that one of them has length one. So it matters which axes are known not to have
length one; a function is compiled for arguments that agree in this.

What an operation shows holds where it has been executed: inside its branch or loop,
and in the loop that runs backwards over the same iterations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter
from anadrome.ir.types import Num, Stack, deref, is_stored
from anadrome.optimize.rewriting import fixed_items
from anadrome.primitives.numpy.einsum import explicit
from anadrome.primitives.registry import Primitive

_SAME_SHAPE = frozenset(
    (
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "copy",
        "astype",
        "ascontiguousarray",
        "asarray",
        "conjugate_method",
    )
)
_REDUCTIONS = frozenset(("sum", "mean", "max", "min", "prod", "std", "var"))


class Dim:
    """The length of an axis; `long` if it is known not to be one."""

    __slots__ = ("long", "parent", "size")

    def __init__(self, long: bool = False, size: int | None = None) -> None:
        self.parent: Dim | None = None
        self.long = long
        self.size = size

    def find(self) -> Dim:
        """The representative of the axes that are known to be as long."""
        root = self
        while root.parent is not None:
            root = root.parent
        return root


Dims = tuple[Dim, ...]


class Shapes:
    """The shapes of the values of one function, found on a walk through it."""

    def __init__(self) -> None:
        self.dims: dict[int, Dims] = {}
        self.tuples: dict[int, Dims] = {}
        self.lengths: dict[int, Dim] = {}
        self.items: dict[int, Dims] = {}
        self.kept: dict[int, Dim] = {}
        # The stack inside a loop that an item of a stack is.
        self.inside: dict[int, Node] = {}
        self.memo: dict[Any, Dim] = {}
        self.trail: list[tuple[Dim, Dim | None, bool]] = []
        # What the iterations of a loop showed, for the backward loop over them.
        self.shown: dict[int, list[tuple[Dim, Dim]]] = {}
        self.pairs: list[tuple[Dim, Dim]] = []

    # Facts --------------------------------------------------------------------------

    def unify(self, a: Dim, b: Dim) -> Dim:
        """Note that two axes are equally long."""
        x, y = a.find(), b.find()
        if x is y:
            return x
        if y.size is not None:
            x, y = y, x
        self.trail += [(x, x.parent, x.long), (y, y.parent, y.long)]
        x.long |= y.long
        y.parent = x
        self.pairs.append((a, b))
        return x

    def mark(self) -> tuple[int, int]:
        """Where the notes stand now."""
        return len(self.trail), len(self.pairs)

    def undo(self, mark: tuple[int, int]) -> None:
        """Forget what was noted since."""
        while len(self.trail) > mark[0]:
            dim, parent, long = self.trail.pop()
            dim.parent, dim.long = parent, long
        del self.pairs[mark[1] :]

    def fresh(self, key: Any, long: bool = False) -> Dim:
        """The length of an axis of which nothing is known; the same for one key."""
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = Dim(long)
        return found

    def constant(self, size: int) -> Dim:
        """The length of an axis that is known."""
        found = self.memo.get(("size", size))
        if found is None:
            found = self.memo["size", size] = Dim(size != 1, size)
        return found

    # Values -------------------------------------------------------------------------

    def of(self, node: Node) -> Dims | None:
        """The shape of an array, if its rank is known."""
        found = self.dims.get(id(node))
        if found is not None:
            return found
        t = deref(node.type)
        if not isinstance(t, Num) or t.ndim is None:
            return None
        if isinstance(node, Constant):
            return () if t.ndim == 0 else tuple(map(self.constant, node.value.shape))
        made = tuple(self.fresh((id(node), k)) for k in range(t.ndim))
        self.dims[id(node)] = made
        return made

    def of_tuple(self, node: Node) -> Dims | None:
        """The shape that a tuple of lengths stands for."""
        found = self.tuples.get(id(node))
        if found is not None:
            return found
        if isinstance(node, Constant):
            value = node.value if isinstance(node.value, tuple) else (node.value,)
            if all(type(v) is int and v >= 0 for v in value):
                return tuple(map(self.constant, value))
            return None
        if isinstance(node, Apply) and node.op is ops.TUPLE:
            lengths = [self.length(a) for a in node.args]
            return None if None in lengths else tuple(lengths)  # type: ignore[arg-type]
        t = deref(node.type)
        if isinstance(t, Num) and t.ndim == 0:
            length = self.length(node)
            return None if length is None else (length,)
        return None

    def length(self, node: Node) -> Dim | None:
        """The length that an integer stands for."""
        if isinstance(node, Constant):
            known = type(node.value) is int and node.value >= 0
            return self.constant(node.value) if known else None
        found = self.lengths.get(id(node))
        return found if found is not None else self.fresh(("length", id(node)))

    def give(self, p: Parameter) -> None:
        """Note what is known of a parameter of the function."""
        long = (p.facts or {}).get(())
        t = deref(p.type)
        if long is not None and isinstance(t, Num) and t.ndim == len(long):
            self.dims[id(p)] = tuple(
                self.fresh((id(p), k), f) for k, f in enumerate(long)
            )

    def equal(self, a: Dims | None, b: Dims | None) -> bool:
        """Whether two shapes are surely the same."""
        if a is None or b is None or len(a) != len(b):
            return False
        return all(x.find() is y.find() for x, y in zip(a, b))

    # Statements ---------------------------------------------------------------------

    def statement(self, node: Apply) -> None:
        """Note what one statement without regions shows."""
        if isinstance(node.op, Primitive):
            self._primitive(node)
        elif node.op is ops.GETITEM:
            self._getitem(node)
        elif node.op is ops.GETATTR:
            self._field(node)
        elif node.op is ops.LENGTH:
            dims = self.of(node.args[0])
            if dims:
                self.lengths[id(node)] = dims[0]
        elif node.op in (ops.COPY, ops.INDEX_ADD, ops.CAST):
            self._set(node, self.of(node.args[0]))
        elif node.op is ops.ASSERT:
            self._believe(node.args[0])

    def _believe(self, test: Node) -> None:
        """Note that lengths are equal which a statement has compared."""
        if not isinstance(test, Apply) or not isinstance(test.op, Primitive):
            return
        if test.op.name == "equal" and all(id(a) in self.lengths for a in test.args):
            self.unify(*(self.lengths[id(a)] for a in test.args))

    def _set(self, node: Node, dims: Dims | None) -> None:
        t = deref(node.type)
        if dims is not None and isinstance(t, Num) and t.ndim in (None, len(dims)):
            self.dims[id(node)] = dims

    def _primitive(self, node: Apply) -> None:
        name, args = node.op.name, node.args
        if node.op.broadcasts:
            self._set(node, self._broadcast(node))
        elif name == "shape":
            dims = self.of(args[0])
            if dims is not None:
                self.tuples[id(node)] = dims
        elif name in _SAME_SHAPE and args and "shape" not in node.keywords:
            self._set(node, self.of(args[0]))
        elif name in ("matmul", "dot"):
            self._set(node, self._matmul(node, name))
        elif name in ("transpose_all", "matrix_transpose") or (
            name in ("transpose", "transpose_method") and len(args) == 1
        ):
            dims = self.of(args[0])
            if dims is not None and (name != "matrix_transpose" or len(dims) == 2):
                self._set(node, dims[::-1])
        elif name == "swapaxes":
            self._set(node, self._swapped(node))
        elif name in ("transpose", "transpose_method"):
            self._set(node, self._permuted(node))
        elif name in ("reshape", "reshape_method"):
            self._set(node, self._reshaped(node))
        elif name in ("broadcast_to", "unbroadcast", "full"):
            self._set(node, self._target(node))
        elif name in ("zeros", "ones", "empty") and args:
            self._set(node, self.of_tuple(args[0]))
        elif name in _REDUCTIONS:
            self._set(node, self._reduced(node))
        elif name == "outer":
            a, b = (self.of(x) for x in args[:2])
            if a is not None and b is not None and len(a) == len(b) == 1:
                self._set(node, (*a, *b))
        elif name == "expand_dims":
            self._set(node, self._expanded(node))
        elif name == "einsum":
            self._set(node, self._einsum(node))
        elif name == "concatenate":
            self._set(node, self._concatenated(node))
        elif name in ("stack", "array"):
            self._set(node, self._stacked(node))

    def _target(self, node: Apply) -> Dims | None:
        shape = node.args[0] if node.op.name == "full" else node.args[1]
        return self.of_tuple(shape)

    def _broadcast(self, node: Apply) -> Dims | None:
        shapes: list[Dims] = []
        for a in node.inputs:
            dims = self.of(a)
            if dims is None:
                return None
            shapes.append(dims)
        rank = max(map(len, shapes), default=0)
        out: list[Dim] = []
        for k in range(rank):
            here = [s[len(s) - rank + k] for s in shapes if len(s) >= rank - k]
            found = here[0].find()
            for d in here[1:]:
                found = self.common(node, k, found, d.find())
            out.append(found)
        return tuple(out)

    def common(self, node: Apply, k: int, a: Dim, b: Dim) -> Dim:
        """The length of an axis of two operands together."""
        if a is b or b.size == 1:
            return a
        if a.size == 1:
            return b
        if a.long and b.long:
            return self.unify(a, b)
        if a.long or b.long:
            return a if a.long else b
        return self.fresh(("broadcast", id(node), k))

    def _matmul(self, node: Apply, name: str) -> Dims | None:
        a, b = self.of(node.args[0]), self.of(node.args[1])
        if a is None or b is None or not a or not b or len(b) > 2:
            return None
        self.unify(a[-1], b[0])
        return (*a[:-1], *b[1:])

    def _option(self, node: Apply, name: str, place: int) -> Any:
        if name in node.keywords:
            given: Node | None = node.keywords[name]
        else:
            given = node.args[place] if len(node.args) > place else None
        if given is None:
            return None
        return given.value if isinstance(given, Constant) else _UNKNOWN

    def _reduced(self, node: Apply) -> Dims | None:
        dims = self.of(node.args[0])
        axis = self._option(node, "axis", 1)
        keep = self._option(node, "keepdims", 99)
        if dims is None or axis is _UNKNOWN or keep is _UNKNOWN:
            return None
        axes = range(len(dims)) if axis is None else axis
        axes = axes if isinstance(axes, range | tuple | list) else (axes,)
        if not all(isinstance(k, int | np.integer) for k in axes):
            return None  # NumPy refuses it
        gone = {k % len(dims) for k in axes} if dims else set()
        one = self.constant(1)
        if keep:
            return tuple(one if k in gone else d for k, d in enumerate(dims))
        return tuple(d for k, d in enumerate(dims) if k not in gone)

    def _expanded(self, node: Apply) -> Dims | None:
        dims, axis = self.of(node.args[0]), self._option(node, "axis", 1)
        if dims is None or type(axis) is not int:
            return None
        out = list(dims)
        out.insert(axis % (len(dims) + 1), self.constant(1))
        return tuple(out)

    def _swapped(self, node: Apply) -> Dims | None:
        dims = self.of(node.args[0])
        axes = [self._option(node, name, k) for k, name in ((1, "axis1"), (2, "axis2"))]
        if dims is None or any(type(k) is not int for k in axes):
            return None
        # The branch of a program that is never taken may name axes that are not there.
        if not all(-len(dims) <= k < len(dims) for k in axes):
            return None
        out = list(dims)
        i, j = axes
        out[i], out[j] = out[j], out[i]
        return tuple(out)

    def _permuted(self, node: Apply) -> Dims | None:
        dims = self.of(node.args[0])
        axes = [a.value if isinstance(a, Constant) else None for a in node.args[1:]]
        if len(axes) == 1 and isinstance(axes[0], tuple):
            axes = list(axes[0])
        if dims is None or node.keywords or any(type(k) is not int for k in axes):
            return None
        rank = len(dims)
        if len(axes) != rank:
            return None
        if not all(-rank <= k < rank for k in axes):  # type: ignore[operator]
            return None
        if sorted(k % rank for k in axes) != list(range(rank)):  # type: ignore[operator]
            return None
        return tuple(dims[k] for k in axes)  # type: ignore[index]

    def _reshaped(self, node: Apply) -> Dims | None:
        array, *sizes = node.args
        if len(sizes) == 1:
            given = sizes[0]
            if isinstance(given, Apply) and given.op is ops.TUPLE:
                sizes = list(given.args)
            elif isinstance(given, Constant) and isinstance(given.value, tuple):
                sizes = [Constant(v, given.type) for v in given.value]
            elif id(given) in self.tuples:
                return self.tuples[id(given)]
        if not all(_is_integer(n) for n in sizes):
            return None
        out = [self.length(n) for n in sizes]
        rest = [k for k, d in enumerate(out) if d is None]
        if len(rest) > 1:
            return None
        for k in rest:
            dims = self.of(array)
            alone = all(d is None or d.find().size == 1 for d in out)
            whole = alone and dims is not None and len(dims) == 1
            out[k] = dims[0] if whole else self.fresh(("rest", id(node)))  # type: ignore[index]
        return tuple(out)  # type: ignore[arg-type]

    def _stacked(self, node: Apply) -> Dims | None:
        parts, axis = node.args[0], self._option(node, "axis", 1)
        axis = 0 if len(node.inputs) == 1 else axis
        shapes = [self.of(x) for x in fixed_items(parts) or ()]
        if type(axis) is not int or not shapes or any(s is None for s in shapes):
            return None
        first = shapes[0]
        assert first is not None
        if any(len(s) != len(first) for s in shapes):  # type: ignore[arg-type]
            return None
        if not -len(first) - 1 <= axis <= len(first):
            return None
        for dims in shapes[1:]:
            for a, b in zip(first, dims):  # type: ignore[arg-type]
                self.unify(a, b)
        out = list(first)
        out.insert(axis % (len(first) + 1), self.constant(len(shapes)))
        return tuple(out)

    def _einsum(self, node: Apply) -> Dims | None:
        subscripts, *operands = node.args
        shapes = [self.of(x) for x in operands]
        if not isinstance(subscripts, Constant) or type(subscripts.value) is not str:
            return None
        if any(s is None for s in shapes):
            return None
        given, output = explicit(subscripts.value, [len(s or ()) for s in shapes])
        found: dict[str, Dim] = {}
        for letters, dims in zip(given, shapes):
            if dims is None or len(letters) != len(dims):
                return None
            for c, d in zip(letters, dims):
                if c in found:
                    d = self.common(node, ord(c), found[c].find(), d.find())
                found[c] = d
        return tuple(found[c] for c in output) if set(output) <= set(found) else None

    def _concatenated(self, node: Apply) -> Dims | None:
        parts, axis = node.args[0], self._option(node, "axis", 1)
        shapes = [self.of(x) for x in fixed_items(parts) or ()]
        axis = 0 if len(node.inputs) == 1 else axis
        if type(axis) is not int or not shapes or not shapes[0]:
            return None
        rank = len(shapes[0])
        out = list(shapes[0])
        for dims in shapes[1:]:
            if dims is None or len(dims) != rank:
                return None
            for k, d in enumerate(dims):
                if k != axis % rank:
                    self.unify(out[k], d)
        out[axis % rank] = self.fresh(("joined", id(node)))
        return tuple(out)

    def _field(self, node: Apply) -> None:
        base, key = node.args
        if is_stored(base.type) or not isinstance(key, Constant):
            return
        if isinstance(base, Parameter) and base.facts:
            long = base.facts.get((key.value,))
            if long is not None:
                dims = (self.fresh((id(node), k), f) for k, f in enumerate(long))
                self._set(node, tuple(dims))

    def _getitem(self, node: Apply) -> None:
        base, index = node.args
        shape = self.tuples.get(id(base))
        if shape is not None:
            key = index.value if isinstance(index, Constant) else None
            if type(key) is int and -len(shape) <= key < len(shape):
                self.lengths[id(node)] = shape[key]
            elif isinstance(key, slice):
                self.tuples[id(node)] = shape[key]
            return
        if not isinstance(deref(base.type), Num):
            self._field(node)
            return
        dims = self.of(base)
        if dims is not None:
            self._set(node, self._indexed(dims, index))

    def _indexed(self, dims: Dims, index: Node) -> Dims | None:
        parts: tuple[Any, ...] = (index,)
        if isinstance(index, Apply) and index.op is ops.TUPLE:
            parts = index.args
        elif isinstance(index, Constant) and isinstance(index.value, tuple):
            parts = tuple(Constant(v, index.type) for v in index.value)
        taken = sum(
            1 for p in parts if not _is_value(p, None) and not _is_value(p, ...)
        )
        out: list[Dim] = []
        at = 0
        for p in parts:
            if _is_value(p, None):
                out.append(self.constant(1))
            elif _is_value(p, ...):
                skipped = len(dims) - taken
                out += dims[at : at + skipped]
                at += skipped
            elif at >= len(dims):
                return None
            elif isinstance(p, Constant) and type(p.value) is int:
                at += 1
            elif _is_slice(p):
                out.append(self._sliced(dims[at], p))
                at += 1
            else:
                t = deref(p.type)
                if not isinstance(t, Num) or t.ndim != 0 or t.dtype is None:
                    return None
                if t.dtype.kind not in "iu":
                    return None
                at += 1
        return (*out, *dims[at:])

    def _sliced(self, dim: Dim, part: Node) -> Dim:
        ends = _slice_key(part)
        if ends in ((None, None, None), (None, None, -1)):
            return dim
        return self.fresh(("slice", id(dim.find()), ends))

    # Regions ------------------------------------------------------------------------

    def enter_loop(self, node: Apply) -> None:
        """Note what is known of a loop's stacks, and of its forward iterations."""
        shape, body = node.shape, node.regions[-1]
        skip, index = (3, 1) if node.op is ops.FOR else (0, 0)
        for k in range(shape.stacks):
            dims = self.items.get(id(node.args[skip + k]))
            if dims is not None:
                self._set(body.params[index + k], dims)
            inner = self.inside.get(id(node.args[skip + k]))
            if inner is not None:
                self._same_stack(body.params[index + k], inner)
        forward = shape.mirrors
        for a, b in self.shown.get(id(forward), ()):
            self.unify(a, b)

    def enter_iteration(self, node: Apply, unstable: set[tuple[int, int]]) -> None:
        """Assume that loop variables keep their shape, but for the unstable axes."""
        shape = node.shape
        first = len(node.args) - shape.carried
        for region in node.regions:
            offset = len(region.params) - shape.carried
            for k in range(shape.carried):
                t = deref(region.params[offset + k].type)
                if isinstance(t, Num) and t.ndim is None:
                    # Not even the number of its axes need stay the same.
                    continue
                dims = self.of(node.args[first + k])
                if dims is not None:
                    kept = tuple(
                        self.fresh((id(node), "carried", k, j))
                        if (k, j) in unstable
                        else d
                        for j, d in enumerate(dims)
                    )
                    self._set(region.params[offset + k], kept)

    def leave_iteration(self, node: Apply, unstable: set[tuple[int, int]]) -> bool:
        """Whether every loop variable kept its shape; if not, which axes did not."""
        shape, body = node.shape, node.regions[-1]
        offset = len(body.params) - shape.carried
        before = len(unstable)
        for k in range(shape.carried):
            old = self.dims.get(id(body.params[offset + k]))
            new = self.of(body.results[k])
            if old is None:
                continue
            for j, d in enumerate(old):
                same = new is not None and len(new) == len(old)
                if not same or new[j].find() is not d.find():  # type: ignore[index]
                    unstable.add((k, j))
        return len(unstable) == before

    def leave_loop(
        self,
        node: Apply,
        pairs: list[tuple[Dim, Dim]],
        unstable: set[tuple[int, int]],
    ) -> None:
        """Note the shapes of what a loop leaves."""
        shape, body = node.shape, node.regions[-1]
        offset = len(body.params) - shape.carried
        self.shown[id(node)] = pairs
        for k in range(shape.carried):
            dims = self.dims.get(id(body.params[offset + k]))
            if dims is not None:
                # Each iteration has its own length of an unstable axis, and what it
                # keeps for the backward loop need not be as long as what is left.
                left = tuple(
                    self.fresh((id(node), "left", k, j)) if (k, j) in unstable else d
                    for j, d in enumerate(dims)
                )
                self._set(node.outputs[k], left)
        for k in range(shape.carried, shape.carried + shape.kept):
            dims = self.of(body.results[k])
            if dims is not None:
                self.items[id(node.outputs[k])] = dims
            found = self.tuples.get(id(body.results[k]))
            if found is not None:
                self.items[id(node.outputs[k])] = found
            length = self.lengths.get(id(body.results[k]))
            if length is not None:
                self.kept[id(node.outputs[k])] = length
            if isinstance(deref(body.results[k].type), Stack):
                self.inside[id(node.outputs[k])] = body.results[k]

    def _same_stack(self, p: Parameter, stack: Node) -> None:
        """Note of a stack that a loop is given what is known where it was filled."""
        known: tuple[dict[int, Any], ...] = self.items, self.kept, self.inside
        for facts in known:
            if id(stack) in facts:
                facts[id(p)] = facts[id(stack)]

    def leave_branch(self, node: Apply) -> None:
        """Note the shapes on which both branches agree."""
        for k, out in enumerate(node.outputs):
            sides = [self.of(r.results[k]) for r in node.regions]
            if self.equal(sides[0], sides[1]):
                self._set(out, sides[0])

    def stack_tuple(self, p: Parameter, stack: Node) -> None:
        """Note the shape for which a residual of lengths, or of one length, stands."""
        length = self.kept.get(id(stack))
        if length is not None:
            self.lengths[id(p)] = length
        dims = self.items.get(id(stack))
        if dims is not None and not isinstance(deref(p.type), Num):
            self.tuples[id(p)] = dims


_UNKNOWN = object()


def _is_value(node: Node, value: Any) -> bool:
    return isinstance(node, Constant) and node.value is value


def _is_integer(node: Node) -> bool:
    """Whether a value is an integer."""
    if isinstance(node, Constant):
        return type(node.value) is int
    t = deref(node.type)
    integral = isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "iu"
    return integral and t.ndim == 0  # type: ignore[attr-defined]


def _is_slice(node: Node) -> bool:
    if isinstance(node, Constant):
        return isinstance(node.value, slice)
    return isinstance(node, Apply) and node.op is ops.SLICE


def _slice_key(node: Node) -> Any:
    if isinstance(node, Constant):
        return (node.value.start, node.value.stop, node.value.step)
    assert isinstance(node, Apply)
    return tuple(a.value if isinstance(a, Constant) else id(a) for a in node.args)


__all__ = ["Dims", "Graph", "Output", "Shapes"]
