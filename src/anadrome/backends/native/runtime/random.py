"""Random numbers in native code, bit for bit those of `anadrome.random_bits`.

The library fills whole arrays with as many threads as pay:

- `anadrome.random.<uniform or normal>.<f32 or f64>(seed, stream, count, out)`
- `anadrome.random.bernoulli(seed, stream, count, out, p)`
- `anadrome.random.keys(seed, stream, first, count, out)`: the words of so many blocks
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np
from llvmlite import ir

from anadrome import random_bits

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.control_flow import divide_up, for_range, minimum, offset
from ..emission.dsl import DOUBLE, FLOAT, I32, I64, Emit, Value, type_name
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .threads import BODY, POINTER, declare_parallel_for, thread_pool

DISTRIBUTIONS: dict[str, Callable[..., Value]] = {
    "uniform": random_bits.uniform_from_words,
    "normal": random_bits.normal_from_words,
}
BERNOULLI = "bernoulli"
PREFIX = "anadrome.random."
KEYS = f"{PREFIX}keys"
_FILLS = [
    *((d, e) for d in DISTRIBUTIONS for e in (FLOAT, DOUBLE)),
    (BERNOULLI, ir.IntType(8)),
]
# Blocks of four words that one chunk of a parallel fill makes.
_CHUNK = 1 << 12


def emit_words(e: Emit, seed: Value, stream: Value, block: Value) -> list[Value]:
    """The four words (in 64-bit integers) of a block of a stream."""
    counter = [part for value in (block, stream) for part in _halves(e, value)]
    return random_bits.philox(e, counter, _halves(e, seed))


def _halves(e: Emit, value: Value) -> list[Value]:
    return [value & 0xFFFFFFFF, e.shift_right(value, 32)]


def emit_draws(
    e: Emit, distribution: str, element: ir.Type, words: list[Value], p: ir.Value
) -> list[ir.Value]:
    """The draws that a block gives: four floats or truth values, or two doubles."""
    if distribution == BERNOULLI:
        b = e.builder
        shares = [e.int_to_float(word) * 2.0**-32 for word in words]
        return [b.zext(b.fcmp_ordered("<", s.ir, p), element) for s in shares]
    formula = DISTRIBUTIONS[distribution]
    if element == FLOAT:
        return [e.to_single(formula(e, word)).ir for word in words]
    return [formula(e, words[i], words[i + 1]).ir for i in (0, 2)]


def random_module(target: Target) -> ir.Module:
    """The module of the functions that fill arrays."""
    module = ir.Module("anadrome.random")
    for distribution, element in _FILLS:
        _emit_fill(module, distribution, element, target)
    _emit_keys(module, target)
    return module


def draw_symbol(distribution: str, element: ir.Type) -> str:
    """The name of the function that fills an array."""
    if distribution == BERNOULLI:
        return f"{PREFIX}{distribution}"
    return f"{PREFIX}{distribution}.{type_name(element)}"


def _emit_keys(module: ir.Module, target: Target) -> None:
    arguments = [I64, I64, I64, I64, I64.as_pointer()]
    keys = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), KEYS)
    seed, stream, first, count, out = keys.args
    builder = ir.IRBuilder(keys.append_basic_block())
    e = Emit(builder, target)
    with for_range(builder, 0, count) as k:
        block = e.wrap(builder.add(first, k))
        words = emit_words(e, e.wrap(seed), e.wrap(stream), block)
        for i in range(2):
            high = builder.shl(words[2 * i + 1].ir, I64(32))
            whole = builder.or_(words[2 * i].ir, high)
            place = builder.add(builder.mul(k, I64(2)), I64(i))
            builder.store(whole, offset(builder, out, place))
    builder.ret_void()


def _emit_fill(
    module: ir.Module, distribution: str, element: ir.Type, target: Target
) -> None:
    each = 2 if element == DOUBLE else 4
    arguments = [I64, I64, I64, element.as_pointer()]
    arguments += [DOUBLE] if distribution == BERNOULLI else []
    record_type = ir.LiteralStructType(arguments)
    name = draw_symbol(distribution, element)
    chunk_body = ir.Function(module, BODY, name + ".chunk")
    chunk_body.linkage = "internal"
    builder = ir.IRBuilder(chunk_body.append_basic_block())
    e = Emit(builder, target)
    record = builder.bitcast(chunk_body.args[0], record_type.as_pointer())
    seed, stream, count, out, *rest = (
        builder.load(builder.gep(record, [I32(0), I32(i)]))
        for i in range(len(arguments))
    )
    p = rest[0] if rest else ir.Constant(DOUBLE, 0.0)

    def draws(block: ir.Value) -> list[ir.Value]:
        words = emit_words(e, e.wrap(seed), e.wrap(stream), e.wrap(block))
        return emit_draws(e, distribution, element, words, p)

    memory = builder.alloca(ir.ArrayType(element, each))
    start = builder.mul(chunk_body.args[1], I64(_CHUNK))
    whole = builder.udiv(count, I64(each))
    stop = minimum(builder, builder.add(start, I64(_CHUNK)), whole)
    with for_range(builder, start, stop) as block:
        first = builder.mul(block, I64(each))
        for i, value in enumerate(draws(block)):
            builder.store(value, offset(builder, out, builder.add(first, I64(i))))
    # The chunk that ends at the last whole block also makes the part after it.
    begun = builder.mul(whole, I64(each))
    unfinished = builder.icmp_signed("<", begun, count)
    here = builder.and_(
        builder.icmp_signed("<=", start, whole),
        builder.icmp_signed("<", whole, builder.add(start, I64(_CHUNK))),
    )
    with builder.if_then(builder.and_(unfinished, here)):
        for i, value in enumerate(draws(whole)):
            builder.store(value, builder.gep(memory, [I32(0), I32(i)]))
        with for_range(builder, 0, builder.sub(count, begun)) as i:
            value = builder.load(builder.gep(memory, [I64(0), i]))
            builder.store(value, offset(builder, out, builder.add(begun, i)))
    builder.ret_void()

    fill = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), name)
    builder = ir.IRBuilder(fill.append_basic_block())
    record = builder.alloca(record_type)
    for i, value in enumerate(fill.args):
        builder.store(value, builder.gep(record, [I32(0), I32(i)]))
    blocks = divide_up(builder, fill.args[2], each)
    chunks = divide_up(builder, blocks, _CHUNK)
    context = builder.bitcast(record, POINTER)
    builder.call(declare_parallel_for(module), [chunk_body, context, chunks])
    builder.ret_void()


@cache
def random_library(target: Target) -> Library:
    """The loaded functions that fill arrays."""
    names = ("runtime.random", "emission.dsl", "emission.control_flow")
    sources = [
        f"anadrome.backends.native.{name}" for name in (*names, "runtime.threads")
    ]
    return load_cached(
        ObjectCache(),
        target,
        ["random", source_fingerprint(*sources, "anadrome.random_bits")],
        lambda: random_module(target),
        [KEYS, *(draw_symbol(*fill) for fill in _FILLS)],
        imports=thread_pool().symbols,
        passes=Passes.VECTORIZE,
    )


def fill(
    target: Target, distribution: str, seed: int, stream: int, out: np.ndarray
) -> None:
    """Fill a contiguous array with the first draws of a stream."""
    element = FLOAT if out.dtype == np.float32 else DOUBLE
    integers = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64]
    library = random_library(target)
    symbol = draw_symbol(distribution, element)
    call = library.function(symbol, None, *integers, ctypes.c_void_p)
    call(seed & (2**64 - 1), stream & (2**64 - 1), out.size, out.ctypes.data)
