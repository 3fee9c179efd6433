"""Sums over the iterations of a loop, done after it as one product, for native code.

The order of additions changes: a sum of products of each iteration becomes one product
over all iterations, whose rounding differs in the last digits.
"""

from __future__ import annotations

import operator
import string

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import INT, NONE, STR, Num, Other, Tuple, same_dtype
from anadrome.optimize.analysis.iterations import (
    Iterations,
    array_type,
    count_uses,
    drop_carried,
    is_counted,
    is_primitive,
    keep,
    primitive,
    transposed,
)
from anadrome.optimize.linear.contractions import product_of
from anadrome.optimize.rewriting import replace

_SPARE = string.ascii_letters[::-1]
# Arrays of so many axes are large, and seldom residuals for anything else.
_MANY_AXES = 3


def sum_over_iterations(graph: Graph) -> Graph:
    """The graph with gradients of weights computed after the loop, for all iterations.

    for t in reversed(range(n)):             for t in reversed(range(n)):
        dz = …                                   dz = …
        dU = dU + hs[t].T @ dz         →         dzs.append(dz)
        db = db + np.sum(dz, axis=0)         dU = join(hs).T @ join(dzs)
        dk = dk + np.einsum(…, a, b)         db = np.sum(join(dzs), axis=0)
        dxs[t] += dz @ W.T                   dk = np.einsum(…, as, bs)
                                             dxs += dzs @ W.T
    """
    for g in called_graphs(graph):
        _region(g)
    return graph


def _region(graph: Graph) -> None:
    body: list[Apply] = []
    replaced: dict[int, Node] = {}
    for node in graph.body:
        for region in node.regions:
            _region(region)
        body.append(node)
        if is_counted(node):
            body += _Batching(node, graph, replaced).run()
    graph.body = body
    replace(graph, replaced)


class _Batching:
    """The accumulations of one loop."""

    def __init__(self, loop: Apply, outside: Graph, replaced: dict[int, Node]) -> None:
        self.loop, self.outside, self.replaced = loop, outside, replaced
        self.iterations = Iterations(loop)
        self.body = loop.regions[-1]
        self.uses = count_uses(self.body)
        self.own = {id(n) for n in self.body.body}
        # The additions that the loop no longer does.
        self.done: set[int] = set()

    def run(self) -> list[Apply]:
        """The statements that belong after the loop."""
        gone: set[int] = set()
        n = self.loop.shape.carried
        first = len(self.loop.args) - n
        for k in range(n):
            init = self.loop.args[first + k]
            found = self._sum(k, init) or self._scatter(k, init)
            if found is not None:
                self.replaced[id(self.loop.outputs[k])] = found
                gone.add(k)
        if gone:
            drop_carried(self.loop, gone)
            body = self.body
            body.body = [n for n in body.body if id(n) not in self.done]
        for node in self.iterations.made:
            node.graph = self.outside
        return self.iterations.made

    def _carried(self, k: int) -> Node:
        body = self.body
        return body.params[len(body.params) - self.loop.shape.carried + k]

    def _once(self, node: Node) -> bool:
        return self.uses.get(id(node)) == 1

    # Sums ---------------------------------------------------------------------------

    def _sum(self, k: int, init: Node) -> Node | None:
        """acc + v₁ + v₂ … where nothing else reads acc: the sum over all iterations."""
        t = array_type(self._carried(k))
        if t is None or t.dtype is None or t.dtype.kind != "f":
            return None
        parts: list[Node] = []
        sums: set[int] = set()
        node = self.body.results[k]
        while node is not self._carried(k):
            if not is_primitive(node, "add") or not self._once(node):
                return None
            assert isinstance(node, Apply)
            if id(node) not in self.own or len(node.args) != 2 or node.keywords:
                return None
            last = node
            ends = [self._leads_to(a, k) for a in node.args]
            if ends == [True, False]:
                node, part = node.args
            elif ends == [False, True]:
                part, node = node.args
            else:
                return None
            parts.insert(0, part)
            sums.add(id(last))
        if not parts or not self._once(node):
            return None
        if not all(self._can_sum(p, t) for p in parts):
            return None
        self.done |= sums
        total: Node | None = None if _is_zeros(init) else init
        for p in parts:
            every = self._summed(p, t)
            if total is not None:
                both = primitive(operator.add, total, every, type=_like(t))
                every = self.iterations.add(both)
            total = every
        assert total is not None
        total.name = self.loop.outputs[k].name
        return total

    def _leads_to(self, node: Node, k: int) -> bool:
        """Whether a chain of sums starts from a loop variable."""
        while node is not self._carried(k):
            if not is_primitive(node, "add") or not self._once(node):
                return False
            assert isinstance(node, Apply)
            if id(node) not in self.own:
                return False
            a, b = node.args
            node = a if self._leads_to(a, k) else b
        return True

    def _can_sum(self, node: Node, t: Num) -> bool:
        if not isinstance(node, Apply) or id(node) not in self.own:
            return False
        v = array_type(node)
        if v is None or not same_dtype(v.dtype, t.dtype) or v.ndim != t.ndim:
            return False
        if any(id(n) in self.iterations.uneven for n in node.inputs):
            return False
        if is_primitive(node, "unbroadcast"):
            inner = array_type(node.args[0])
            fixed = self.iterations.is_invariant(node.args[1]) and self._once(node)
            if not fixed or inner is None or not inner.ndim:
                return False
            # What is added element by element would only become a residual.
            large = inner.ndim >= _MANY_AXES and inner.ndim == t.ndim
            return not large or self._can_sum(node.args[0], inner)
        if t.ndim == 0:
            return self._is_whole_sum(node)
        if is_primitive(node, "einsum"):
            return self._can_join(node)
        if is_primitive(node, "matmul"):
            pair = _factors(node)
            return pair is not None and all(self._rank(x) == 2 for x in pair[:2])
        if is_primitive(node, "outer"):
            return all(self._rank(x) == 1 for x in node.args)
        return self._is_row_sum(node)

    def _can_join(self, node: Apply) -> bool:
        """Whether the iterations can become one more letter that is summed over."""
        product = product_of(node)
        if product is None or not set(_SPARE) - set("".join(product.given)):
            return False
        return all(
            self.iterations.is_invariant(x) or (letters and self._rank(x) is not None)
            for x, letters in zip(product.operands, product.given)
        )

    def _rank(self, node: Node) -> int | None:
        """The rank of an array that can be a residual, or is at hand."""
        t = array_type(node)
        return None if t is None else t.ndim

    def _is_whole_sum(self, node: Apply) -> bool:
        """Whether a value is np.sum(x), in a loop that carries arrays as well.

        A loop that only adds up numbers does that best itself.
        """
        if not is_primitive(node, "sum") or len(node.inputs) != 1:
            return False
        x = array_type(node.args[0])
        params = self.body.params[len(self.body.params) - self.loop.shape.carried :]
        state = any(getattr(array_type(p), "ndim", None) for p in params)
        return state and x is not None and bool(x.ndim) and id(node.args[0]) in self.own

    def _is_row_sum(self, node: Apply) -> bool:
        """Whether a value is np.sum(x, axis=0) of a matrix."""
        if not is_primitive(node, "sum") or set(node.keywords) != {"axis"}:
            return False
        axis, x = node.keywords["axis"], array_type(node.args[0])
        known = isinstance(axis, Constant) and axis.value == 0
        return known and len(node.args) == 1 and x is not None and x.ndim == 2

    def _summed(self, node: Node, t: Num) -> Apply:
        assert isinstance(node, Apply)
        add = self.iterations.add
        if is_primitive(node, "unbroadcast"):
            inner = array_type(node.args[0])
            assert inner is not None
            total: Node
            if self._can_sum(node.args[0], inner):
                total = self._summed(node.args[0], inner)
            else:
                # The iterations are one more axis along which it was broadcast.
                total = self._every(node.args[0])
            made = Apply(node.op, (total, node.args[1]), _like(t), span=node.span)
            made.target = node.target
            return add(made)
        if t.ndim == 0:
            every = self._every(self._sums_of_rows(node))
            return add(primitive(np.sum, every, type=_like(t)))
        if is_primitive(node, "einsum"):
            return self._joined(node, t)
        if is_primitive(node, "outer"):
            a, b = (self._every(x) for x in node.args)
            return add(primitive(np.matmul, add(transposed(a)), b, type=_like(t)))
        if is_primitive(node, "matmul"):
            pair = _factors(node)
            assert pair is not None
            if pair[2]:
                a, b = (self._rows(x) for x in pair[:2])
                return add(primitive(np.matmul, add(transposed(a)), b, type=_like(t)))
            a, b = (self._columns(x) for x in pair[:2])
            return add(primitive(np.matmul, a, add(transposed(b)), type=_like(t)))
        rows = self._rows(node.args[0])
        return add(primitive(np.sum, rows, type=_like(t), axis=Constant(0, INT)))

    def _joined(self, node: Apply, t: Num) -> Apply:
        """A sum of products over the iterations as well."""
        product = product_of(node)
        assert product is not None
        iteration = next(c for c in _SPARE if c not in "".join(product.given))
        operands: list[Node] = []
        given: list[str] = []
        for x, letters in zip(product.operands, product.given):
            invariant = self.iterations.is_invariant(x)
            operands.append(x if invariant else self._every(x))
            given.append(letters if invariant else iteration + letters)
        subscripts = Constant(",".join(given) + "->" + product.output, STR)
        made = primitive(np.einsum, subscripts, *operands, type=_like(t))
        return self.iterations.add(made)

    def _sums_of_rows(self, node: Apply) -> Node:
        """What is summed, or the sums of its rows if there are more axes."""
        x = array_type(node.args[0])
        assert x is not None
        assert x.ndim is not None
        if x.ndim == 1:
            return node.args[0]
        axes = tuple(range(1, x.ndim))
        axis = Constant(axes, Tuple((INT,) * len(axes)))
        rows = primitive(np.sum, node.args[0], type=Num(x.dtype, 1), axis=axis)
        rows.span, rows.graph = node.span, self.body
        self.body.body.insert(self.body.body.index(node), rows)
        self.iterations.inside.add(id(rows))
        return rows

    def _every(self, node: Node) -> Node:
        """A value of all iterations; a residual of the loop if it is not at hand."""
        found = self.iterations.all(node)
        if found is None:
            t = array_type(node)
            assert t is not None
            assert t.ndim is not None
            found = self.iterations.stack(
                keep(self.loop, node), Num(t.dtype, t.ndim + 1)
            )
            assert found is not None
            self.iterations.known[id(node)] = found
        return found

    def _rows(self, node: Node) -> Node:
        return self.iterations.rows(self._every(node))

    def _columns(self, node: Node) -> Node:
        return self.iterations.columns(self._every(node))

    # Items --------------------------------------------------------------------------

    def _scatter(self, k: int, init: Node) -> Node | None:
        """acc[t] += dz @ W in every iteration: acc[:n] += dzs @ W."""
        node, carried = self.body.results[k], self._carried(k)
        t = array_type(carried)
        if t is None or not isinstance(node, Apply) or node.op is not ops.INDEX_ADD:
            return None
        base, index, value = node.args
        if base is not carried or index is not self.iterations.index:
            return None
        if not (self._once(node) and self._once(carried)):
            return None
        v = array_type(value)
        if (
            v is None
            or not same_dtype(v.dtype, t.dtype)
            or v.ndim != (t.ndim or 0) - 1
            or not v.ndim
        ):
            return None
        if self.iterations.is_invariant(value) or id(value) in self.iterations.uneven:
            return None
        self.done.add(id(node))
        add = self.iterations.add
        factors = self._deferred_product(value)
        if factors is None:
            product = self._every(value)
        else:
            every = self._every(factors[0])
            product = add(primitive(np.matmul, every, factors[1], type=_like(t)))
        none = Constant(None, NONE)
        ends = (none, self.loop.args[1], none)
        part = add(Apply(ops.SLICE, ends, Other(slice)))
        made = Apply(ops.INDEX_ADD, (init, part, product), carried.type)
        made.name = self.loop.outputs[k].name
        return add(made)

    def _deferred_product(self, value: Node) -> tuple[Node, Node] | None:
        """The factors of a product that only the scattered array needs."""
        if not is_primitive(value, "matmul") or not self._once(value):
            return None
        assert isinstance(value, Apply)
        rows, weights = value.args
        r, w = array_type(rows), array_type(weights)
        if r is None or w is None or w.ndim != 2 or not r.ndim:
            return None
        if not self.iterations.is_invariant(weights) or self.iterations.is_invariant(
            rows
        ):
            return None
        return rows, weights


def _like(t: Num) -> Num:
    return Num(t.dtype, t.ndim)


def _is_zeros(node: Node) -> bool:
    if isinstance(node, Constant):
        return type(node.value) in (int, float) and node.value == 0
    return is_primitive(node, "zeros_like", "zeros")


def _factors(node: Apply) -> tuple[Node, Node, bool] | None:
    """a and b of a.T @ b, or of a @ b.T, and whether the first is transposed."""
    a, b = node.args
    if _is_transpose(a):
        return a.args[0], b, True  # type: ignore[attr-defined]
    if _is_transpose(b):
        return a, b.args[0], False  # type: ignore[attr-defined]
    return None


def _is_transpose(node: Node) -> bool:
    if not is_primitive(node, "transpose_all", "transpose"):
        return False
    assert isinstance(node, Apply)
    return len(node.inputs) == 1
