"""The arguments of random programs: every memory layout, every type of number.

`laid(layout, dtype, shape, seed)` and `number(kind, value)` stand in the text of the
programs. Within `moved(by)` what they give is a little further in a direction of their
own, and in double precision: differences are taken there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

LAYOUTS = (
    *("C", "F", "strided", "reversed", "backward", "transposed", "misaligned"),
    *("padded", "broadcast", "readonly", "swapped"),
)
PYTHON = {"float": float, "int": int, "bool": bool, "complex": complex}
_WIDER = {"float32": "float64", "float16": "float64", "complex64": "complex128"}
_step: float | None = None
_nudged = False


@contextlib.contextmanager
def moved(by: float) -> Iterator[None]:
    """Floating-point arguments in double precision, `by` further in a direction."""
    global _step
    before, _step = _step, by
    try:
        yield
    finally:
        _step = before


@contextlib.contextmanager
def nudged() -> Iterator[None]:
    """Floating-point arguments that differ in their last digits."""
    global _nudged
    before, _nudged = _nudged, True
    try:
        yield
    finally:
        _nudged = before


def _beside(value: Any, dtype: str) -> Any:
    return value * (1 + 4 * float(np.finfo(dtype).eps)) if _nudged else value


def number(kind: str, value: Any) -> Any:
    """A number of a type of Python or NumPy."""
    if _step is not None and kind[0] in "fc":
        value = value + _step * (0.3 + abs(value) % 1.0)
        kind = _WIDER.get(kind, kind)
    if kind[0] in "fc":
        value = _beside(value, kind)
    return PYTHON[kind](value) if kind in PYTHON else np.dtype(kind).type(value)


def _content(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "c":
        return _content("float64", shape, seed) + 1j * _content("f", shape, seed + 1)
    if kind == "f":
        # Numbers that are the same in every precision.
        plain = np.round(rng.uniform(-2, 2, shape) * 64) / 64 + 1 / 256
        step = np.round(rng.normal(size=shape) * 64) / 64
        return np.asarray(plain + (_step or 0.0) * step)
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape) == 1)
    return np.asarray(rng.integers(-4 if kind == "i" else 0, 5, shape))


def laid(layout: str, dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """An array whose numbers depend on the seed alone, in a layout."""
    wanted = _WIDER.get(dtype, dtype) if _step is not None else dtype
    plain = np.asarray(_content(dtype, shape, seed))
    if plain.dtype.kind in "fc":
        plain = np.asarray(_beside(plain, dtype))
    plain = plain.astype(wanted)
    if layout == "F":
        return np.asfortranarray(plain)
    if layout == "transposed":
        return np.ascontiguousarray(plain.T).T
    if layout in ("strided", "reversed", "backward", "padded") and shape:
        return _within(layout, plain)
    if layout == "misaligned":
        raw = np.zeros(plain.nbytes + 16, np.uint8)
        view = raw[1 : 1 + plain.nbytes].view(wanted).reshape(shape)
        view[...] = plain
        return view
    if layout == "broadcast" and shape:
        return np.broadcast_to(plain[:1], shape)
    if layout == "readonly":
        plain.setflags(write=False)
    if layout == "swapped":
        return plain.astype(plain.dtype.newbyteorder(">"))
    return plain


def _within(layout: str, plain: np.ndarray) -> np.ndarray:
    """The same numbers as a part of a larger array."""
    wide = np.zeros([2 * n + 2 for n in plain.shape], plain.dtype)
    every: list[slice] = []
    for k, n in enumerate(plain.shape):
        last = k == plain.ndim - 1
        if layout == "strided":
            every.append(slice(0, 2 * n, 2))
        elif layout == "reversed" or (layout == "backward" and last):
            every.append(slice(2 * n, 0, -2))
        else:
            every.append(slice(1, 1 + n))
    view = wide[tuple(every)]
    view[...] = plain
    return view


# Walking over values ------------------------------------------------------------------


def is_record(value: Any) -> bool:
    """Whether a value is an object with attributes of its own."""
    return hasattr(value, "__dict__") and not callable(value)


def is_floating(value: Any) -> bool:
    """Whether a value has a derivative."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex)


def leaves(value: Any) -> list[Any]:
    """The leaves of a structure, shared ones as often as they are met."""
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in leaves(v)]
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in leaves(v)]
    if is_record(value):
        return [leaf for v in vars(value).values() for leaf in leaves(v)]
    return [value]


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure with changed leaves."""
    if isinstance(value, list):
        return [rebuilt(v, change) for v in value]
    if isinstance(value, tuple):
        parts = [rebuilt(v, change) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {k: rebuilt(v, change) for k, v in value.items()}
    if is_record(value):
        new = object.__new__(type(value))
        for name, v in vars(value).items():
            object.__setattr__(new, name, rebuilt(v, change))
        return new
    return change(value)


def shared(values: Any) -> bool:
    """Whether two arrays of the arguments share memory."""
    arrays = [v for v in leaves(values) if isinstance(v, np.ndarray)]
    for k, a in enumerate(arrays):
        if any(np.may_share_memory(a, b) for b in arrays[:k]):
            return True
    return False
