"""Which parts of a shadow are shared with others, and which are sums of its own.

The shadow of a container holds the shadows of what changes in place, which others hold
as well: cotangents are added into these. For everything else it holds sums, which
nobody changes in place: a slot is given a new one. A layout says for every part of a
shadow which of the two it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.errors import MutationError
from anadrome.ir.types import (
    Cell,
    Type,
    Union,
    is_differentiable,
    parts,
    strip_optional,
)
from anadrome.transform.dependence.activity import Activity


class Layout:
    """What a shadow, or a part of one, is.

    kind: "nothing" where no cotangent can be, "sum", "shared" for an array, "container"
    for what has parts. `held`: others hold the container too. `parts`: the layouts of
    the parts by key; None is the key of all that have none of their own.
    """

    __slots__ = ("held", "kind", "parts")
    __name__ = "layout"

    def __init__(self, kind: str, held: bool = False) -> None:
        self.kind, self.held = kind, held
        self.parts: dict[Any, Layout] = {}

    def part(self, key: Any) -> Layout:
        """The layout of a part."""
        found = self.parts.get(key)
        return found if found is not None else self.parts.get(None, NOTHING)

    def opened(self) -> Layout:
        """The layout of a container that nobody else holds, with the same parts."""
        made = Layout(self.kind)
        made.parts = self.parts
        return made


NOTHING = Layout("nothing")
SUM = Layout("sum")
SHARED = Layout("shared", held=True)


def layout_of(t: Type, activity: Activity, seen: dict[int, Layout]) -> Layout:
    """The layout of the shadow of a value; `seen` keeps those of cyclic types."""
    t = strip_optional(t)
    found = seen.get(id(t))
    if found is not None:
        return found
    if not activity.shadowed(t):
        return SUM if is_differentiable(t) else NOTHING
    if not isinstance(t, Cell) and not parts(t):
        return SHARED
    if isinstance(t, Union):
        raise MutationError(
            "objects of several classes hold something that is changed in place, and "
            "are used whole",
            help="use their parts one by one",
        )
    made = seen[id(t)] = Layout("container", activity.buffer(t))
    if isinstance(t, Cell) and t.fields is not None:
        named = dict(t.fields)
    elif isinstance(t, Cell) or len(parts(t)) == 1:
        named = {None: parts(t)[0]}
    else:
        named = dict(enumerate(parts(t)))
    made.parts = {k: layout_of(p, activity, seen) for k, p in named.items()}
    return made


# What printed programs call -----------------------------------------------------------


def accumulate_into(slot: Any, d: Any, layout: Layout) -> Any:
    """A slot to which a cotangent was added: in place where it is shared."""
    if d is None or layout.kind == "nothing":
        return slot
    if layout.kind == "sum":
        return runtime.add(slot, d)
    if slot is None:
        return None
    if layout.kind == "shared":
        np.add.at(slot, ..., d)  # type: ignore[arg-type]
        return slot
    keys = list(_keys(d))
    if isinstance(slot, list):
        # Items that are appended later have got theirs: what is left of it is zeros.
        keys = keys[: len(slot)]
    added = {
        k: accumulate_into(_read(slot, k), _read(d, k), layout.part(k)) for k in keys
    }
    if not layout.held:
        return _rebuilt(slot, added)
    for key, part in added.items():
        if isinstance(slot, list | dict):
            slot[key] = part
        else:
            object.__setattr__(slot, key, part)
    return slot


def accumulate_slice(shadow: list[Any], where: slice, d: Any, layout: Layout) -> None:
    """Add cotangents to a stretch of a list's shadow; the layout is that of an item."""
    for k, item in zip(range(*where.indices(len(shadow))), d, strict=True):
        shadow[k] = accumulate_into(shadow[k], item, layout)


def flowing(d: Any, layout: Layout) -> Any:
    """The sums of a shadow, or of a cotangent: None in place of what is shared."""
    if d is None or layout.held or layout.kind == "nothing":
        return None
    if layout.kind == "sum":
        return d
    return _rebuilt(d, {k: flowing(_read(d, k), layout.part(k)) for k in _keys(d)})


def accumulate_shared(shadow: Any, d: Any, layout: Layout) -> Any:
    """What is left of a cotangent when the shared parts of a shadow have got theirs."""
    if d is None or layout.kind == "nothing":
        return None
    if layout.kind == "sum":
        return d
    if shadow is None:
        return None
    if layout.held:
        accumulate_into(shadow, d, layout)
        return None
    return _rebuilt(
        d,
        {
            k: accumulate_shared(_read(shadow, k), _read(d, k), layout.part(k))
            for k in _keys(d)
        },
    )


def _keys(d: Any) -> Any:
    if isinstance(d, list | tuple):
        return range(len(d))
    return d.keys() if isinstance(d, dict) else vars(d).keys()


def _read(d: Any, key: Any) -> Any:
    if isinstance(d, dict):
        return d.get(key)
    return d[key] if isinstance(d, list | tuple) else getattr(d, key, None)


def _rebuilt(d: Any, parts: dict[Any, Any]) -> Any:
    """A container like another, with some parts replaced."""
    if isinstance(d, list):
        return [parts.get(k, x) for k, x in enumerate(d)]
    if isinstance(d, tuple):
        items = [parts.get(k, x) for k, x in enumerate(d)]
        return type(d)(*items) if hasattr(d, "_fields") else tuple(items)
    if isinstance(d, dict):
        return {**d, **parts}
    return runtime.record(type(d), **{**vars(d), **parts})


__all__ = [
    "Layout",
    "accumulate_into",
    "accumulate_shared",
    "accumulate_slice",
    "flowing",
    "layout_of",
]
