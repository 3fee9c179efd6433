"""Values in other representations: as numbers, as what another path holds.

Paths that meet must hold their values in the same way; a number becomes an array, an
object in a box becomes registers, and so on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from anadrome.errors import NotFollowed, UnexpectedType

from ..runtime.results import TOO_LARGE
from .native_containers import Growing, Mapping, NotNative
from .templates import same_template
from .values import (
    BOOL,
    I1,
    I32,
    I64,
    INT32,
    INT64,
    PAIR,
    UINT64,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Series,
    Static,
    Value,
    is_narrow,
    scalar_type,
)

if TYPE_CHECKING:
    from .function import Emitter

_EXACT = 1 << 53  # integers up to this one are floats without loss

_AMBIGUOUS = (
    "The truth value of an array with none or more than one element is ambiguous. "
    "Use a.any() or a.all()"
)


def converted(f: Emitter, value: Value, like: Value) -> tuple[Value, bool]:
    """A value in the representation of another, and whether it is a new one."""
    from .boxing import box, unbox

    if isinstance(like, Growing | Mapping):
        return _converted_container(f, value, like)
    if isinstance(like, Nothing):
        # What is never bound fails where it is read: no value comes this far.
        return like, False
    if isinstance(like, Boxed):
        if isinstance(value, Boxed):
            return value, False
        if isinstance(value, Static | Nothing):
            return f.constant_box(getattr(value, "value", None)), False
        return box(f, value), True
    if isinstance(value, Boxed) and not isinstance(like, Nothing | Static):
        return unbox(f, value, like), True
    if isinstance(like, Scalar):
        _check_digits(f, value, like.dtype)
        r = number(f, value, like.dtype)
        return Scalar(like.dtype, r, like.weak, like.boxed), False
    if isinstance(like, Array):
        return _converted_array(f, value, like)
    if isinstance(like, Pack):
        return _converted_pack(f, value, like)
    if type(like).__name__ == "Reference" and type(value) is not type(like):
        return empty_like(f, like), False
    if isinstance(like, Series) and not isinstance(value, Series):
        if isinstance(value, Nothing | Static):
            return empty_like(f, like), False
        answer = box(f, value)
        found = unbox(f, answer, like)
        f.release(answer)
        return found, True
    if isinstance(like, Series) and isinstance(value, Series):
        if not same_template(value.item, like.item):
            # Its memory must not be read as something else.
            raise f.refuse("a stack of other things on another path")
    return value, False


def _check_digits(f: Emitter, value: Value, dtype: np.dtype[Any]) -> None:
    """Fail if an integer loses digits where it meets a float of another path."""
    if dtype.kind not in "fc":
        return
    exact: ir.Value
    if isinstance(value, Static) and type(value.value) is int:
        exact = I1(int(abs(value.value) <= _EXACT))
    elif isinstance(value, Scalar) and value.dtype == INT64:
        shifted = f.builder.add(value.register, I64(_EXACT))
        exact = f.builder.icmp_unsigned("<=", shifted, I64(2 * _EXACT))
    else:
        return
    f.fail_unless(
        exact,
        NotFollowed,
        "an integer beyond 2**53 is a float on another path, which has fewer digits",
    )


def _converted_container(
    f: Emitter, value: Value, like: Growing | Mapping
) -> tuple[Value, bool]:
    if isinstance(value, Growing | Mapping):
        if value.key != like.key:
            raise NotNative(like.key)
        return value, False
    if isinstance(value, Nothing):
        return empty_like(f, like), False
    if isinstance(value, Series) and isinstance(like, Growing):
        from .containers import check_kind, copied

        exact = like.key in f.owner.visible
        check_kind(f, value.item, like.item, like.key, exact)
        if same_template(value.item, like.item):
            return copied(f, value, like), True
    raise NotNative(like.key)


def _converted_array(f: Emitter, value: Value, like: Array) -> tuple[Value, bool]:
    if isinstance(value, Array):
        if value.ndim != like.ndim:
            raise f.refuse("an array of another rank on another path")
        if value.dtype != like.dtype:
            from ..lowering.elementwise import Leaf, materialise

            if is_narrow(value.dtype) or is_narrow(like.dtype):
                return _by_numpy(f, value, like), True
            if like.changed:
                f.fail_unless(
                    I1(0),
                    NotFollowed,
                    "an array that is changed in place has another dtype on "
                    "another path (convert it with .astype before)",
                )
            leaf = Leaf(value, value.dtype)
            return materialise(f, leaf, like.ndim, like.dtype), True
        return value, False
    if isinstance(value, Nothing) or (
        isinstance(value, Static) and value.value is None
    ):
        return empty_like(f, like), False
    # A number where an array is expected stands for all its elements.
    made = f.allocate(like.dtype, [I64(1)] * like.ndim)
    f.store(made, [I64(0)] * like.ndim, number(f, value, like.dtype))
    return made, True


def _by_numpy(f: Emitter, value: Array, like: Array) -> Value:
    """An array of another dtype, as NumPy makes it."""
    from .boxing import box, unbox

    answer = box(f, value)
    found = unbox(f, answer, like)
    f.release(answer)
    return found


def _converted_pack(f: Emitter, value: Value, like: Pack) -> tuple[Value, bool]:
    if isinstance(value, Static) and isinstance(value.value, tuple | list):
        value = Pack([Static(v) for v in value.value])
    if not isinstance(value, Pack):
        return empty_like(f, like), False
    pairs = [converted(f, v, k) for v, k in zip(value.items, like.items)]
    fresh = any(new for _, new in pairs)
    for item, new in pairs:
        if fresh and not new:
            f.retain(item)
    return Pack([item for item, _ in pairs], like.names, like.cls), fresh


def empty_like(f: Emitter, like: Value) -> Value:
    """A value of the same kind that holds nothing."""
    if isinstance(like, Boxed):
        return f.constant_box(None)
    if isinstance(like, Pack):
        items = [empty_like(f, i) for i in like.items]
        return Pack(items, like.names, like.cls)
    empty: list[ir.Value] = []
    for r in like.flatten():
        pointer = isinstance(r.type, ir.PointerType)
        empty.append(ir.Constant(r.type, None if pointer or r.type == PAIR else 0))
    return like.rebuild(empty)


def _only_entry(f: Emitter, array: Array) -> Scalar:
    """The entry of an array that is asked whether it is true."""
    b = f.builder
    single: ir.Value = I1(1)
    for n in array.shape:
        single = b.and_(single, b.icmp_signed("==", n, I64(1)))
    f.fail_unless(single, ValueError, _AMBIGUOUS)
    return Scalar(array.dtype, f.load(array, [I64(0)] * array.ndim))


def number(f: Emitter, value: Value, dtype: np.dtype[Any]) -> ir.Value:
    """A value as a number of a type."""
    if isinstance(value, Static):
        v = value.value
        if v is None:
            v = 0
        weak = not isinstance(v, np.generic)
        if not weak:
            v = v.item()
        if dtype.kind == "b" and isinstance(v, bool | int | float | complex):
            return I1(int(bool(v)))
        if isinstance(v, complex) and dtype.kind == "c":
            return ir.Constant(PAIR, [v.real, v.imag])
        if not isinstance(v, bool | int | float):
            raise f.refuse(f"{v!r} as a number")
        kind = scalar_type(dtype)
        if kind == PAIR:
            return ir.Constant(kind, [float(v), 0.0])
        if dtype.kind == "f":
            return ir.Constant(kind, float(v))
        return ir.Constant(kind, _fitting(f, v, dtype, weak))
    if isinstance(value, Nothing):
        return ir.Constant(scalar_type(dtype), ir.Undefined)
    if isinstance(value, Boxed):
        from .boxing import object_in, truth_of, unbox

        if dtype.kind == "b":
            return truth_of(f, object_in(f, value.register))
        template = Scalar(dtype, ir.Constant(scalar_type(dtype), ir.Undefined), True)
        return unbox(f, value, template).flatten()[0]
    if isinstance(value, Array) and value.ndim == 0:
        value = Scalar(value.dtype, f.load(value, []))
    if isinstance(value, Array) and dtype.kind == "b":
        value = _only_entry(f, value)
    if not isinstance(value, Scalar):
        raise f.refuse("an array as a number")
    if value.weak and value.dtype == INT64 and dtype == INT32:
        short = f.builder.trunc(value.register, I32)
        same = f.builder.icmp_signed("==", f.builder.sext(short, I64), value.register)
        f.fail_unless(same, OverflowError, "Python integer out of bounds for int32")
    if value.dtype == UINT64 and dtype == INT64:
        fits = f.builder.icmp_signed(">=", value.register, I64(0))
        f.fail_unless(fits, UnexpectedType, TOO_LARGE)
    return f.convert(value.register, value.dtype, dtype)


def truth(f: Emitter, value: Value) -> ir.Value:
    """Whether Python takes a value for true: containers that are not empty, too.

    That is not their value as a number: an array of a list of truth values has as many.
    """
    if isinstance(value, Growing | Mapping | Series):
        return f.builder.icmp_signed("!=", _size_of(f, value), I64(0))
    return number(f, value, BOOL)


def _size_of(f: Emitter, value: Growing | Mapping | Series) -> ir.Value:
    from .containers import length_of, live_count

    if isinstance(value, Series):
        return value.length
    counts = length_of if isinstance(value, Growing) else live_count
    return counts(f, value)  # type: ignore[arg-type]


def _fitting(f: Emitter, v: float, dtype: np.dtype[Any], weak: bool) -> int:
    """A number known at compile time as an integer; fails if it does not fit."""
    if not math.isfinite(v):
        kind = ValueError if math.isnan(v) else OverflowError
        name = "NaN" if math.isnan(v) else "infinity"
        f.fail_unless(I1(0), kind, f"cannot convert float {name} to integer")
        return 0
    whole = int(v)
    limits = np.iinfo(dtype)
    if not weak or limits.min <= whole <= limits.max:
        return whole
    if dtype == INT64:
        # Python's integers go on beyond, beside those of NumPy it fails: it will tell.
        f.fail_unless(I1(0), UnexpectedType, TOO_LARGE)
    else:
        text = f"Python integer {whole} out of bounds for {dtype}"
        f.fail_unless(I1(0), OverflowError, text)
    return 0
