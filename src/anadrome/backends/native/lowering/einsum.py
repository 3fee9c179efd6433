"""Lowerings of sums of products over named axes: `einsum`.

Letters that both operands and the result have are a batch; those of one operand and
the result are rows and columns, and those that only the operands have are summed: so
a product of two arrays is a batch of matrix products of strided arrays, and nothing is
transposed.  What has no rows, no columns or no sum is one fused loop over all letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply
from anadrome.ir.types import is_given
from anadrome.optimize.rewriting import holds_stored
from anadrome.primitives.numpy.einsum import explicit

from ..emission.function import Emitter
from ..emission.values import I32, I64, Array, Scalar, Static, Value, element_type
from ..fusion.expressions import Expr, Leaf
from ..kernels.library import run
from ..kernels.plan import KernelOutput
from .elementwise import fill, operation
from .matmul import gemm
from .reductions import add
from .registry import lowers, result_type, static
from .shaping import contiguous


@dataclass
class _Term:
    """An operand and the letters of its axes, each once."""

    value: Value
    letters: str

    def step(self, letter: str) -> ir.Value:
        """The elements from one index of a letter to the next."""
        if letter not in self.letters:
            return I64(0)
        assert isinstance(self.value, Array)
        return self.value.strides[self.letters.index(letter)]


@lowers("einsum", options=("*", "optimize"))
def _lower_einsum(e: Emitter, node: Apply) -> Value:
    subscripts = static(e, e.value(node.args[0]), "subscripts")
    t = result_type(e, node)
    assert t.dtype is not None
    if not isinstance(subscripts, str) or t.dtype.kind == "b":
        raise e.refuse("this form of 'einsum'", node.span)
    seen = holds_stored(node.type) or is_given(node.type)
    if len(node.args) == 2 and seen:
        raise e.refuse("'einsum' that is a view of an array", node.span)
    values = [e.value(a) for a in node.args[1:]]
    if not all(isinstance(v, Array | Scalar | Static) for v in values):
        raise e.refuse("'einsum' of other things than arrays", node.span)
    ranks = [v.ndim if isinstance(v, Array) else 0 for v in values]
    given, output = explicit(subscripts, ranks)
    if [len(letters) for letters in given] != ranks:
        raise e.refuse("subscripts that do not fit their operands", node.span)
    if len(set(output)) != len(output) or set(output) - set("".join(given)):
        raise e.refuse("subscripts that NumPy refuses", node.span)
    return _Contraction(e, node, values, given, output, t.dtype).run()


class _Contraction:
    """One sum of products."""

    def __init__(
        self,
        e: Emitter,
        node: Apply,
        values: Sequence[Value],
        given: Sequence[str],
        output: str,
        dtype: np.dtype[Any],
    ) -> None:
        self.e, self.node, self.output, self.dtype = e, node, output, dtype
        self.sizes: dict[str, ir.Value] = {}
        # Arrays that are made on the way.
        self.made: list[Array] = []
        for value, letters in zip(values, given):
            self._measure(value, letters)
        self.terms = [self._term(v, letters) for v, letters in zip(values, given)]

    def _measure(self, value: Value, letters: str) -> None:
        """Find the size of every letter; an axis of size one fits any."""
        if not isinstance(value, Array):
            return
        b = self.e.builder
        for letter, n in zip(letters, value.shape):
            have = self.sizes.get(letter, n)
            self.sizes[letter] = have
            if have is n:
                continue
            one = b.icmp_signed("==", have, I64(1))
            fits = b.or_(
                b.or_(one, b.icmp_signed("==", have, n)),
                b.icmp_signed("==", n, I64(1)),
            )
            if letters.count(letter) > 1:
                fits = b.icmp_signed("==", have, n)
            message = f"sizes of {letter!r} in the subscripts of einsum differ"
            self.e.fail_unless(fits, ValueError, message)
            self.sizes[letter] = b.select(one, n, have)

    def _term(self, value: Value, letters: str) -> _Term:
        """An operand as a view with an axis for each of its letters."""
        if not isinstance(value, Array):
            return _Term(value, "")
        b = self.e.builder
        steps: dict[str, ir.Value] = {}
        for letter, n, step in zip(letters, value.shape, value.strides):
            size = self.sizes[letter]
            if n is not size:
                wide = b.icmp_signed("!=", size, n)
                step = b.select(wide, I64(0), step)
            known = steps.get(letter)
            steps[letter] = step if known is None else b.add(known, step)
        own = "".join(steps)
        shape = [self.sizes[letter] for letter in own]
        plain = value.contiguous and own == letters and shape == value.shape
        view = Array(
            value.dtype, value.block, value.data, shape, list(steps.values()), plain
        )
        return _Term(view, own)

    def run(self) -> Value:
        """The result."""
        found = self._product() if self._is_product() else self._loop(self.terms)
        for array in self.made:
            self.e.release(array)
        return found

    # Loops --------------------------------------------------------------------------

    def _loop(self, terms: Sequence[_Term], output: str | None = None) -> Value:
        """All products added up in one loop over every letter."""
        e = self.e
        output = self.output if output is None else output
        letters = dict.fromkeys("".join([output, *(t.letters for t in terms)]))
        ends = [t.letters[-1] for t in terms if t.letters]
        # Neighbours in memory are best for the innermost loop.
        inner = max(ends, key=ends.count, default="")
        order = [*(c for c in letters if c != inner), *inner]
        shape = [self.sizes[c] for c in order]
        expr: Expr | None = None
        for term in terms:
            leaf = self._leaf(term, order, shape)
            if expr is None:
                expr = leaf
            else:
                expr = operation("multiply", [expr, leaf], self.dtype, self.dtype)
        assert expr is not None
        out = e.allocate(self.dtype, [self.sizes[c] for c in output])
        spread = self._spread(_Term(out, output), order, shape)
        if len(order) == len(output):
            run(e, shape, [KernelOutput(expr, spread)])
        else:
            fill(e, out, Leaf(Static(0), self.dtype))
            run(e, shape, [KernelOutput(expr, spread, add, inner not in output)])
        if output:
            return out
        number = e.load(out, [])
        e.release(out)
        return Scalar(self.dtype, number)

    def _leaf(self, term: _Term, order: list[str], shape: list[ir.Value]) -> Leaf:
        value = term.value
        if isinstance(value, Array):
            return Leaf(self._spread(term, order, shape), value.dtype)
        return Leaf(value, value.dtype if isinstance(value, Scalar) else self.dtype)

    def _spread(self, term: _Term, order: list[str], shape: list[ir.Value]) -> Array:
        """An operand as an array with all axes of a loop."""
        value = term.value
        assert isinstance(value, Array)
        steps = [term.step(c) for c in order]
        plain = value.contiguous and "".join(order) == term.letters
        return Array(value.dtype, value.block, value.data, shape, steps, plain)

    # Products -----------------------------------------------------------------------

    def _is_product(self) -> bool:
        if len(self.terms) != 2 or self.dtype.kind != "f":
            return False
        if any(_dtype_of(t.value, self.dtype) != self.dtype for t in self.terms):
            return False
        a, b = (set(t.letters) for t in self.terms)
        output = set(self.output)
        return bool((a & b) - output and ((a ^ b) & output))

    def _alone(self, term: _Term, other: _Term) -> _Term:
        """An operand with its own letters that the result lacks summed away."""
        kept = "".join(c for c in term.letters if c in self.output + other.letters)
        if kept == term.letters:
            return term
        total = self._loop([term], kept)
        assert isinstance(total, Array)
        self.made.append(total)
        return _Term(total, kept)

    def _product(self) -> Value:
        """A batch of matrix products."""
        e = self.e
        first, second = self.terms
        first, second = self._alone(first, second), self._alone(second, first)
        both = set(first.letters) & set(second.letters)
        batch = [c for c in self.output if c in both]
        rows = [c for c in self.output if c in first.letters and c not in both]
        columns = [c for c in self.output if c in second.letters and c not in both]
        summed = [c for c in first.letters if c in both and c not in self.output]
        left = self._arranged(first, batch, rows, summed)
        right = self._arranged(second, batch, summed, columns)
        adjacent = all("".join(g) in self.output for g in (rows, columns))
        order = self.output if adjacent else "".join([*batch, *rows, *columns])
        sizes = [self.sizes[c] for c in order]
        # In its place there may be gaps between rows: letters cannot act as one axis.
        if order == self.output and len(rows) < 2 and len(columns) < 2:
            out = e.output(self.node, self.dtype, sizes)
        else:
            out = e.allocate(self.dtype, sizes)
        target = _Term(out, order)
        a = self._matrices(left, batch, rows, summed)
        b = self._matrices(right, batch, summed, columns)
        c = self._matrices(target, batch, rows, columns)
        self._multiply([self.sizes[k] for k in batch], a, b, c)
        if order == self.output:
            return out
        shape = [self.sizes[k] for k in self.output]
        steps = [target.step(k) for k in self.output]
        return Array(out.dtype, out.block, out.data, shape, steps)

    def _arranged(self, term: _Term, *groups: list[str]) -> _Term:
        """An operand in which letters that act as one axis lie behind one another."""
        if all(len(g) <= 1 for g in groups[1:]):
            return term
        batch, *others = groups
        # What is last in memory stays last.
        others.sort(key=lambda g: term.letters[-1] in g)
        order = [*batch, *(c for g in others for c in g)]
        assert isinstance(term.value, Array)
        shape = [self.sizes[c] for c in order]
        steps = [term.step(c) for c in order]
        plain = term.value.contiguous and "".join(order) == term.letters
        value = term.value
        view = Array(value.dtype, value.block, value.data, shape, steps, plain)
        whole = contiguous(self.e, view)
        self.made.append(whole)
        return _Term(whole, "".join(order))

    def _matrices(
        self, term: _Term, batch: list[str], rows: list[str], columns: list[str]
    ) -> Array:
        """An operand as matrices behind the axes of a batch."""
        value = term.value
        assert isinstance(value, Array)
        b = self.e.builder
        shape = [self.sizes[c] for c in batch]
        steps = [term.step(c) for c in batch]
        for group in (rows, columns):
            size: ir.Value = I64(1)
            for c in group:
                size = b.mul(size, self.sizes[c]) if len(group) > 1 else self.sizes[c]
            shape.append(size)
            steps.append(term.step(group[-1]) if group else I64(1))
        return Array(value.dtype, value.block, value.data, shape, steps)

    def _multiply(self, batch: list[ir.Value], a: Array, b_: Array, out: Array) -> None:
        if not batch:
            gemm(self.e, a, b_, out)
            return
        e = self.e
        with e.nested_loops(batch[:-1]) as index:
            parts = [_part(e, m, index) for m in (a, b_, out)]
            batched_gemm(e, *parts)


def _part(e: Emitter, array: Array, index: list[ir.Value]) -> Array:
    """What stands at an index of the first axes."""
    if not index:
        return array
    n = len(index)
    rest = [I64(0)] * (array.ndim - n)
    place = e.address(array, [*index, *rest])
    return Array(array.dtype, array.block, place, array.shape[n:], array.strides[n:])


def batched_gemm(e: Emitter, a: Array, b_: Array, out: Array) -> None:
    """out[i] = a[i] @ b[i] for matrices along a first axis."""
    b = e.builder
    kind = "f32" if out.dtype == np.float32 else "f64"
    e.owner.gemms.add(out.dtype.name)
    element = element_type(out.dtype)
    assert element is not None
    matrices = [element.as_pointer(), I64, I64, I64]
    function = e.owner.runtime(
        f"anadrome.gemm_batched.{kind}",
        I32,
        *(I64, I64, I64, I64, *matrices, *matrices, *matrices, I64),
    )
    args = [out.shape[0], a.shape[1], b_.shape[2], a.shape[2]]
    for m in (a, b_, out):
        step, rows, columns = m.strides
        args += [m.data, rows, columns, step]
    status = b.call(function, [*args, I64(0)])
    failure = e.owner.failure(MemoryError, "no memory for a matrix product", e.span)
    e.check_status(status, failure)


def _dtype_of(value: Value, weak: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the elements of an operand; Python's numbers take any."""
    if isinstance(value, Array) or (isinstance(value, Scalar) and not value.weak):
        return value.dtype
    return weak
