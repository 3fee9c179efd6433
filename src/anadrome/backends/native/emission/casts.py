"""Numbers in registers, one or a vector of them, in another type."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from .dsl import widen
from .marshalling import pair
from .values import scalar_type

_FLOAT64 = np.dtype(np.float64)


def convert_number(
    b: ir.IRBuilder,
    r: ir.Value,
    source: np.dtype[Any],
    target: np.dtype[Any],
    lanes: int,
) -> ir.Value:
    """Numbers in another type."""
    if source == target:
        return r
    if target.kind == "c":
        real = convert_number(b, r, source, _FLOAT64, lanes)
        return pair(b, real, ir.Constant(real.type, 0.0))
    if source.kind == "c":
        assert target.kind == "b", "the parts of complex numbers are taken before"
        zeros = [
            b.fcmp_unordered("!=", part, ir.Constant(part.type, 0.0))
            for part in (b.extract_value(r, 0), b.extract_value(r, 1))
        ]
        return b.or_(*zeros)
    kind = widen(scalar_type(target), lanes)
    if target.kind == "b":
        zero = ir.Constant(r.type, None)
        if source.kind == "f":
            return b.fcmp_unordered("!=", r, zero)
        return b.icmp_signed("!=", r, zero)
    if source.kind in "bu":
        if target.kind == "f":
            return b.uitofp(r, kind)
        return _resized(b.zext, b.trunc, r, kind)
    if source.kind == "f" and target.kind == "f":
        wider = target.itemsize > source.itemsize
        return b.fpext(r, kind) if wider else b.fptrunc(r, kind)
    if source.kind == "f":
        return b.fptosi(r, kind)
    if target.kind == "f":
        return b.sitofp(r, kind)
    return _resized(b.sext, b.trunc, r, kind)


def _resized(extend: Any, cut: Any, r: ir.Value, kind: ir.Type) -> ir.Value:
    """Integers of another size, or the same of another sign."""
    if r.type == kind:
        return r
    widths = [getattr(t, "element", t).width for t in (r.type, kind)]
    return extend(r, kind) if widths[1] > widths[0] else cut(r, kind)
