"""What is added to one row at known distances is added up before it is stored."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from anadrome.backends.native.emission.values import I64, Array, Static
from anadrome.backends.native.fusion.expressions import Leaf
from anadrome.backends.native.kernels.overlapping_adds import arrange
from anadrome.backends.native.kernels.plan import KernelOutput
from anadrome.backends.native.lowering.reductions import add

F32 = np.dtype(np.float32)


def output(row, start, *, late=False):
    data = ir.Constant(ir.FloatType().as_pointer(), None)
    out = Array(F32, data, data, [I64(9)], [I64(1)])
    leaf = Leaf(Static(1.0), F32)
    place = None if row is None else (row, start)
    return KernelOutput(leaf, out, add if row else None, late=late, place=place)


def test_one_output_for_each_row():
    middle, left = output("i", 1), output("i", 0)
    right, below = output("i", 2), output("j", 1)
    first, second = arrange([middle, left, right, below], 16)
    assert first.expr is left.expr
    assert first.further == ((middle.expr, 1), (right.expr, 2))
    assert first.reach == 2
    assert second.expr is below.expr
    assert (first.phase, second.phase) == (0, 0)


def test_distances_that_are_not_known_or_too_long_take_phases():
    for start, lanes in ((None, 16), (17, 16), (2, 0)):
        a, b, c = output("i", 0), output("i", start), output(None, None, late=True)
        found = arrange([a, b, c], lanes)
        assert not any(s.further for s in found)
        phases = {id(s.expr): s.phase for s in found}
        assert [phases[id(s.expr)] for s in (a, b, c)] == [0, 1, 1]


def test_what_is_added_at_one_place_needs_no_vectors():
    a, b = output("i", 3), output("i", 3)
    (found,) = arrange([a, b], 0)
    assert found.further == ((b.expr, 0),)
    assert found.reach == 0
