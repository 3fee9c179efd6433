"""Outputs of a kernel that add to rows of one array, in order.

What a loop writes and reads again at once, a few elements further on, it waits for. So
all that is added to one row at known distances is added up in registers first; if the
distances are not known, each output goes over the row by itself.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from .plan import KernelOutput


def arrange(outputs: list[KernelOutput], lanes: int) -> list[KernelOutput]:
    """The outputs, those that add to one row joined, and others in phases of their own.

    Vectors have so many lanes; with none, values stand alone.
    """
    rows: dict[Any, list[KernelOutput]] = {}
    for output in outputs:
        if output.place is not None:
            rows.setdefault(output.place[0], []).append(output)
    found = [s for s in outputs if s.place is None]
    joined = [_joined(row, lanes) for row in rows.values()]
    if all(joined):
        return [*found, *(s for s in joined if s is not None)]
    last = max(map(len, rows.values())) - 1
    for row in rows.values():
        found += [dataclasses.replace(s, phase=k) for k, s in enumerate(row)]
    return [
        dataclasses.replace(s, phase=last) if s.late and s.place is None else s
        for s in found
    ]


def _joined(row: list[KernelOutput], lanes: int) -> KernelOutput | None:
    """Outputs of one row as one; None if they are not known to stay within a vector."""
    if len(row) == 1:
        return row[0]
    starts = [s.place[1] for s in row if s.place is not None]
    known = [n for n in starts if n is not None]
    if len(known) < len(row) or max(known) - min(known) > lanes:
        return None
    if len({s.out.dtype for s in row}) > 1 or row[0].out.dtype.kind == "b":
        return None
    first = known.index(min(known))
    further = tuple(
        (s.expr, n - known[first])
        for k, (s, n) in enumerate(zip(row, known))
        if k != first
    )
    return dataclasses.replace(row[first], further=further)
