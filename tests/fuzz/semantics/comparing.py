"""Whether two outcomes of a program are the same, and what differs if not."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import numpy as np
from fuzz.semantics.layouts import is_record

DIGITS = {"e": 1e-2, "f": 2e-5, "F": 2e-5, "d": 1e-11, "D": 1e-11}


@dataclass
class Outcome:
    """The result or the exception of a call, its arguments afterwards, its output."""

    value: Any
    error: BaseException | None
    args: Any
    printed: str


def settled(value: Any, depth: int = 0) -> Any:
    """A value with iterators run to their end, at most nine items."""
    if depth < 3 and hasattr(value, "__next__"):
        items, name = [], type(value).__name__
        try:
            for _ in range(9):
                items.append(settled(next(value), depth + 1))
        except StopIteration:
            pass
        except Exception as error:
            items.append(type(error).__name__)
        return ("iterator", name, items)
    if depth > 9:
        return value  # a list may hold itself
    if type(value) is list:
        return [settled(v, depth + 1) for v in value]
    if type(value) is tuple:
        return tuple(settled(v, depth + 1) for v in value)
    if isinstance(value, type({}.keys()) | type({}.values()) | type({}.items())):
        return (type(value).__name__, list(value))
    return value


def loose(
    found: Any, wanted: Any, digits: float = 0.0, seen: set[int] | None = None
) -> str:
    """What differs in types and values, or nothing.

    Numbers may differ in their last digits: sums are done in another order. `digits`
    is for doubles that are computed from numbers of less precision.
    """
    seen = seen or set()
    if isinstance(wanted, (np.ndarray | np.generic, bool | int | float | complex)):
        return _numbers(found, wanted, digits)
    if type(found) is not type(wanted) and (
        type(found).__qualname__ != type(wanted).__qualname__
    ):
        return f"type: {_short(found)} for {_short(wanted)}"
    if id(wanted) in seen:
        return ""
    seen = seen | {id(wanted)}
    if isinstance(wanted, list | tuple):
        if len(found) != len(wanted):
            return f"value: {len(found)} items for {len(wanted)}"
        return next(
            (d for f, w in zip(found, wanted) if (d := loose(f, w, digits, seen))), ""
        )
    if isinstance(wanted, dict):
        if list(found) != list(wanted):
            return f"value: keys {list(found)} for {list(wanted)}"
        return next(
            (d for k in wanted if (d := loose(found[k], wanted[k], digits, seen))), ""
        )
    if isinstance(wanted, types.FunctionType | types.MethodType | type) or callable(
        wanted
    ):
        return ""
    if is_record(wanted):
        return loose(vars(found), vars(wanted), digits, seen)
    try:
        same = bool(found == wanted)
    except Exception:
        same = True
    if type(wanted).__eq__ is object.__eq__:
        same = True
    return "" if same else f"value: {_short(found)} for {_short(wanted)}"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} array {value.shape}"
    return f"{type(value).__name__} {value!r}"[:70]


def _numbers(found: Any, wanted: Any, digits: float) -> str:
    if type(found) is not type(wanted):
        return f"type: {_short(found)} for {_short(wanted)}"
    f, w = np.asarray(found), np.asarray(wanted)
    if f.dtype.newbyteorder("=") != w.dtype.newbyteorder("="):
        return f"type: {f.dtype} for {w.dtype}"
    if f.shape != w.shape:
        return f"value: shape {f.shape} for {w.shape}"
    if f.dtype.kind not in "fc":
        same = f.dtype.kind == "O" or np.array_equal(f, w)
        return "" if same else f"value: {_text(f)} for {_text(w)}"
    size = np.abs(w[np.isfinite(w)])
    scale = np.max(size, initial=0.0) + (1e-300 if size.size else 1.0)
    tolerance = max(DIGITS.get(w.dtype.char, 1e-11), digits)
    with np.errstate(all="ignore"):
        wide = np.promote_types(w.dtype, "f8")
        near = np.abs(f.astype(wide) - w.astype(wide)) <= tolerance * max(scale, 1e-6)
        same = near | (f == w) | (np.isnan(f) & np.isnan(w))
    return "" if np.all(same) else f"value: {_text(f)} for {_text(w)}"


def _text(a: np.ndarray) -> str:
    return np.array2string(a, threshold=8, precision=8).replace("\n", "")


def _public(kind: type[BaseException]) -> type[BaseException]:
    """The class that a program can name: those of NumPy's own modules are private."""
    return next(c for c in kind.__mro__ if "._" not in c.__module__)


def difference(found: Outcome, wanted: Outcome, digits: float = 0.0) -> str:
    """What differs between two calls, or nothing."""
    if wanted.error is not None:
        if found.error is None:
            return f"exception: none for {type(wanted.error).__name__}"
        kind = _public(type(wanted.error))
        names = (c.__qualname__ for c in type(found.error).__mro__)
        # A class of the program is another one each time that it is loaded.
        if not isinstance(found.error, kind) and kind.__qualname__ not in names:
            return (
                f"exception: {type(found.error).__name__} for "
                f"{type(wanted.error).__name__}: {found.error}"
            )
    elif found.error is not None:
        return f"exception: {type(found.error).__name__}: {found.error}"
    elif wrong := loose(found.value, wanted.value, digits):
        return wrong
    if wrong := loose(found.args, wanted.args, digits):
        return f"argument: {wrong}"
    if found.printed != wanted.printed:
        return f"output: {found.printed!r} for {wanted.printed!r}"
    return ""
