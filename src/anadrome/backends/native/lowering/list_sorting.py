"""The order of a list of numbers or of tuples of numbers.

Each item becomes a record of words that compare without a sign as the item does, and
the place that it had; they are sorted byte by byte, from the last on (Knuth, 5.2.5).
That is stable, as Python's sort is.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.containers import items_of, made_list
from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.native_containers import Growing, NotNative
from ..emission.python_calls import perform
from ..emission.values import (
    BOOL,
    I32,
    I64,
    INT64,
    POINTER,
    Pack,
    Scalar,
    Series,
    Value,
    either,
)
from ..runtime.containers import SORT
from ..runtime.memory import HEADER, RELEASE

_SIGN = I64(-(1 << 63))
DOUBLE = ir.DoubleType()


def sorting_order(e: Emitter, node: Apply) -> Value:
    """The positions of a list's items in sorted order."""
    ranks, reverse = (e.value(n) for n in node.args[1:])
    like = e.template(node.type)
    if not isinstance(ranks, Series | Growing) or not _is_ordered(ranks.item):
        if isinstance(ranks, Growing):
            raise NotNative(ranks.key)
        raise e.refuse("this order", node.span)
    if not isinstance(like, Series):
        raise e.refuse("this order", node.span)
    b = e.builder
    turned = b.select(e.number(reverse, BOOL), I64(-1), I64(0))
    items = items_of(e, ranks)
    words = len(_scalars(items.item)) + 1
    size = b.mul(items.length, I64(8 * words))
    both = e.allocate_bytes(b.mul(size, I64(2)))
    records = b.gep(both, [I64(HEADER)])
    plain = _fill(e, items, records, words, turned)
    if plain is None:
        return _sorted(e, like, items.length, both, size, words)
    # What Python makes of nan depends on how it sorts.
    if isinstance(ranks, Growing):
        raise NotNative(ranks.key)
    yes, no, done = (b.append_basic_block(n) for n in ("sort", "ask", "sorted"))
    b.cbranch(plain, yes, no)
    b.position_at_end(yes)
    found = _sorted(e, like, items.length, both, size, words)
    first = b.block
    b.branch(done)
    b.position_at_end(no)
    asked = perform(e, node)
    assert isinstance(asked, Series)
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    pairs = zip(found.flatten(), asked.flatten(), strict=True)
    return found.rebuild([either(b, r, first, q, second) for r, q in pairs])


def _sorted(
    e: Emitter,
    like: Value,
    count: ir.Value,
    both: ir.Value,
    size: ir.Value,
    words: int,
) -> Series:
    """The places of records that are sorted; their memory is given up."""
    b = e.builder
    records = b.gep(both, [I64(HEADER)])
    scratch = b.gep(records, [size])
    _, target = made_list(e, like, count)
    with b.if_then(b.icmp_signed(">", count, I64(0))):
        sort = e.owner.runtime(SORT, I32, POINTER, POINTER, I64, I64)
        moved = b.call(sort, [records, scratch, count, I64(words)])
        there = b.icmp_signed("!=", moved, I32(0))
        last = b.bitcast(b.select(there, scratch, records), I64.as_pointer())
        with for_range(b, 0, count) as k:
            at = b.add(b.mul(k, I64(words)), I64(words - 1))
            place = b.load(b.gep(last, [at]))
            e.store_item(target, k, Scalar(INT64, place, True))
    release = e.owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
    b.call(release, [e.context, both])
    return target


def _is_ordered(item: Value) -> bool:
    if isinstance(item, Pack):
        return all(map(_is_ordered, item.items))
    return isinstance(item, Scalar) and item.dtype.kind in "biuf"


def _scalars(item: Value) -> list[Scalar]:
    if isinstance(item, Pack):
        return [s for i in item.items for s in _scalars(i)]
    assert isinstance(item, Scalar)
    return [item]


def _fill(
    e: Emitter, items: Series, records: ir.Value, words: int, turned: ir.Value
) -> ir.Value | None:
    """Write the records; whether all numbers are ones, if some could not be."""
    b = e.builder
    floats = any(s.dtype.kind == "f" for s in _scalars(items.item))
    seen = e.local(ir.IntType(1)) if floats else None
    if seen is not None:
        b.store(ir.Constant(ir.IntType(1), 1), seen)
    base = b.bitcast(records, I64.as_pointer())
    with for_range(b, 0, items.length) as k:
        at = b.mul(k, I64(words))
        for j, s in enumerate(_scalars(e.series_item(items, k))):
            word, fine = _ordered_word(e, s)
            if fine is not None:
                b.store(b.and_(b.load(seen), fine), seen)
            b.store(b.xor(word, turned), b.gep(base, [b.add(at, I64(j))]))
        b.store(k, b.gep(base, [b.add(at, I64(words - 1))]))
    return b.load(seen) if seen is not None else None


def _ordered_word(e: Emitter, s: Scalar) -> tuple[ir.Value, ir.Value | None]:
    """A word that compares without a sign as a number does; whether it is one."""
    b = e.builder
    if s.dtype.kind in "bu":
        return b.zext(s.register, I64), None
    if s.dtype.kind == "i":
        return b.xor(b.sext(s.register, I64), _SIGN), None
    wide = e.convert(s.register, s.dtype, np.dtype(np.float64))
    # Minus zero is as large as zero.
    wide = b.fadd(wide, ir.Constant(DOUBLE, 0.0))
    bits = b.bitcast(wide, I64)
    negative = b.icmp_signed("<", bits, I64(0))
    word = b.select(negative, b.xor(bits, I64(-1)), b.xor(bits, _SIGN))
    return word, b.fcmp_ordered("ord", wide, wide)
