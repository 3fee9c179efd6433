"""Lowerings of random numbers that are functions of a key.

A key is an array of two unsigned words, which have no other lowering: it stays a
Python object, and only what it says is read here.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from anadrome import random_bits
from anadrome.ir.graph import Apply
from anadrome.primitives.registry import Primitive

from ..emission.boxing import VOID, as_pointer, boxed, check_answer, object_of, python
from ..emission.function import Emitter
from ..emission.values import (
    I32,
    I64,
    INT64,
    Array,
    Boxed,
    Scalar,
    Static,
    Value,
    stored_type,
)
from ..runtime import array_objects
from ..runtime.random import BERNOULLI, KEYS, draw_symbol
from .registry import argument, result_type
from .shaping import check_sizes, sizes_of

_WORDS = np.dtype(np.uint64)
_FLOAT = np.dtype(np.float64)
_KEYS = ("fold_in", "split")
_DRAWS = ("uniform", "normal", BERNOULLI)


def is_draw(node: Apply) -> bool:
    """Whether a statement makes random numbers, or a key, from a key."""
    op = node.op
    if not isinstance(op, Primitive) or op.name not in (*_KEYS, *_DRAWS):
        return False
    return getattr(op.impl, "__module__", None) == "anadrome.random"


def draw(e: Emitter, node: Apply) -> Value:
    """The numbers or the keys that a statement makes."""
    seed, stream = _words_of(e, e.value(node.args[0]))
    if node.op.name in _KEYS:
        return _derived(e, node, seed, stream)
    t = result_type(e, node)
    assert t.dtype is not None
    shape = argument(e, node, "shape")
    sizes = sizes_of(e, shape)
    if len(sizes) != t.ndim or t.dtype.name not in ("float32", "float64", "bool"):
        raise e.refuse("random numbers of this form", node.span)
    check_sizes(e, sizes)
    out = e.allocate(t.dtype, sizes or [I64(1)])
    count: ir.Value = I64(1)
    for n in sizes:
        count = e.builder.mul(count, n)
    element = stored_type(t.dtype)
    assert element is not None
    given = [seed, stream, count, out.data]
    if node.op.name == BERNOULLI:
        given.append(e.number(_number(e, argument(e, node, "p")), _FLOAT))
    _call(e, draw_symbol(node.op.name, element), *given)
    if sizes:
        return out
    number = Scalar(t.dtype, e.load(out, [I64(0)]))
    e.release(out)
    return number


def _number(e: Emitter, value: Value) -> Value:
    if isinstance(value, Scalar) and value.dtype.kind in "fib":
        return value
    if isinstance(value, Static) and isinstance(value.value, float | int):
        return value
    raise e.refuse("a probability of this form")


def _call(e: Emitter, name: str, *given: ir.Value) -> None:
    function = e.owner.runtime(name, VOID, *(g.type for g in given))
    e.builder.call(function, list(given))


def _words_of(e: Emitter, key: Value) -> tuple[ir.Value, ir.Value]:
    """The seed and the stream of a key."""
    b = e.builder
    made = None
    if not isinstance(key, Boxed):
        key = made = boxed(e, object_of(e, key))
    out = e.local(I64, 4)
    status = python(
        e,
        array_objects.UNBOX_ARRAY,
        I32,
        e.context,
        key.register,
        I32(_WORDS.num),
        I64(_WORDS.itemsize),
        I64(1),
        as_pointer(e, out),
    )
    check_answer(e, status)
    block, data, size, step = (b.load(b.gep(out, [I64(k)])) for k in range(4))
    right = b.icmp_signed("==", size, I64(2))
    e.fail_unless(right, ValueError, "a key has two words, this has {}", size)
    place = b.inttoptr(data, I64.as_pointer())
    words = b.load(place), b.load(b.gep(place, [step]))
    e.release(Boxed(b.inttoptr(block, key.register.type)))
    if made is not None:
        e.release(made)
    return words


def _derived(e: Emitter, node: Apply, seed: ir.Value, stream: ir.Value) -> Value:
    """New keys from the words of a key."""
    b = e.builder
    if node.op.name == "split":
        given = argument(e, node, "count")
        purpose, first = random_bits.SPLIT, I64(0)
    else:
        given = argument(e, node, "number")
        purpose, first = random_bits.FOLDED, None
    integer = isinstance(given, Scalar) and given.dtype.kind == "i"
    if not integer and not (isinstance(given, Static) and _is_word(given.value)):
        raise e.refuse("a number of this form", node.span)
    number = e.number(given, INT64)
    if first is None:
        sizes, count, first = [I64(2)], I64(1), number
    else:
        check_sizes(e, [number])
        sizes, count = [number, I64(2)], number
    made = e.allocate(INT64, sizes)
    seed = b.xor(seed, ir.Constant(I64, purpose))
    _call(e, KEYS, seed, stream, first, count, made.data)
    words = Array(_WORDS, made.block, made.data, made.shape, made.strides, True)
    found = boxed(e, object_of(e, words))
    e.release(made)
    return found


def _is_word(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63
