"""Functions of the table applied to whole arrays: for tests and measurements."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from llvmlite import ir

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.dsl import DOUBLE, FLOAT, I64, type_name
from ..linking.engine import Passes, load_cached
from ..target import Target
from .functions import TABLE, math_function
from .library import SOURCES, math_symbols


def loop_module(name: str, element: ir.Type, target: Target) -> ir.Module:
    """A module with `apply(inputs…, output, n)`, a loop that calls a function."""
    module = ir.Module(f"anadrome.loop.{name}")
    arity = TABLE[name].arity
    pointer = element.as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [pointer] * (arity + 1) + [I64])
    apply = ir.Function(module, signature, "apply")
    for argument in apply.args[:-1]:
        argument.add_attribute("noalias")
    *sources, result, count = apply.args
    callee = math_function(module, name, element, target)
    builder = ir.IRBuilder(apply.append_basic_block("entry"))
    entry = builder.block
    body, done = (apply.append_basic_block(n) for n in ("body", "done"))
    builder.cbranch(builder.icmp_signed(">", count, I64(0)), body, done)
    builder.position_at_end(body)
    index = builder.phi(I64)
    index.add_incoming(I64(0), entry)
    values = [builder.load(builder.gep(source, [index])) for source in sources]
    builder.store(builder.call(callee, values), builder.gep(result, [index]))
    following = builder.add(index, I64(1))
    index.add_incoming(following, body)
    builder.cbranch(builder.icmp_signed("<", following, count), body, done)
    builder.position_at_end(done)
    builder.ret_void()
    return module


def elementwise(
    name: str,
    dtype: type[np.float32] | type[np.float64],
    target: Target,
    cache: ObjectCache | None = None,
) -> Callable[..., np.ndarray]:
    """A function from contiguous arrays of one dtype and length to a new array."""
    element = FLOAT if dtype == np.float32 else DOUBLE
    imported = [] if TABLE[name].inline else [(name, type_name(element))]
    library = load_cached(
        cache or ObjectCache(),
        target,
        ["elementwise", name, str(element), source_fingerprint(*SOURCES, __name__)],
        lambda: loop_module(name, element, target),
        ["apply"],
        imports=math_symbols(imported, target),
        passes=Passes.VECTORIZE,
    )
    arity = TABLE[name].arity
    pointers = [ctypes.c_void_p] * (arity + 1)
    apply = library.function("apply", None, *pointers, ctypes.c_int64)

    def call(*inputs: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        arrays = [np.ascontiguousarray(array, dtype) for array in inputs]
        result = np.empty_like(arrays[0]) if out is None else out
        apply(*(a.ctypes.data for a in arrays), result.ctypes.data, result.size)
        return result

    return call
