"""Native code as a callable: arguments in, results out, failures as exceptions."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import render
from anadrome.ir.graph import Graph
from anadrome.ir.printer import print_graph
from anadrome.ir.types import NoneType_, Num, Object, Tuple, Type, deref

from .cache import ObjectCache, source_fingerprint
from .codegen import compile_module
from .emitter import Failure, ModuleEmitter
from .engine import Passes, compile_object, load_object
from .gemm import gemm_library
from .memory import Context, memory_library
from .target import Target, select_target
from .threads import thread_pool
from .vectormath import math_library

_SOURCES = tuple(
    f"{__package__}.{n}"
    for n in ("codegen", "elementwise", "emitter", "lowering", "operations", "values")
)


class NativeFunction:
    """A compiled graph that is called with Python values."""

    def __init__(self, graph: Graph, target: Target | None = None) -> None:
        self.target = target or select_target()
        self.graph = graph
        module = compile_module(graph, self.target)
        self.failures: list[Failure] = module.failures
        self.params = [p.type for p in graph.params]
        self.result = graph.results[0].type
        self.text = str(module.module)
        self.library = self._load(module)
        pointer = ctypes.c_void_p
        self.entry = self.library.function(
            "entry", ctypes.c_int32, pointer, pointer, pointer
        )
        self.words = max(1, sum(_words(t) for t in self.params))
        self.result_words = max(1, _result_words(self.result))
        self.packers = [_packer(t) for t in self.params]
        self._idle: list[_Call] = []
        self._lock = threading.Lock()

    def _load(self, module: ModuleEmitter) -> Any:
        imports: dict[str, int] = dict(memory_library(self.target).addresses)
        imports.update(thread_pool().symbols)
        if module.math:
            imports.update(math_library(self.target).addresses)
        for name in module.gemms:
            kind = np.float32 if name == "float32" else np.float64
            imports.update(gemm_library(kind, self.target).library.addresses)
        cache = ObjectCache()
        from .cache import cache_key

        key = cache_key(self.target, "program", self.text, source_fingerprint(*_SOURCES))
        code = cache.load(key)
        if code is None:
            code = compile_object(module.module, self.target, Passes.VECTORIZE)
            cache.store(key, code)
        return load_object(code, ["entry"], self.target, imports)

    def __call__(self, *args: Any) -> Any:
        with self._lock:
            call = self._idle.pop() if self._idle else _Call(self)
        try:
            return call.run(args)
        finally:
            with self._lock:
                self._idle.append(call)

    def fail(self, status: int) -> Exception:
        """The exception that a status stands for."""
        found = self.failures[status - 1]
        error = found.kind(found.message)
        if found.span is not None:
            error.add_note("in native code, which stands for your code here:\n"
                           + render(found.span).rstrip())
        return error


class _Call:
    """The buffers and the memory of one call at a time."""

    def __init__(self, function: NativeFunction) -> None:
        self.function = function
        self.context = Context(function.target)
        self.words = (ctypes.c_int64 * function.words)()
        self.floats = (ctypes.c_double * function.words).from_buffer(self.words)
        self.results = (ctypes.c_int64 * function.result_words)()
        self.result_floats = (ctypes.c_double * function.result_words).from_buffer(
            self.results
        )
        self.addresses = (
            ctypes.addressof(self.words),
            ctypes.addressof(self.results),
            self.context.address,
        )

    def run(self, args: tuple[Any, ...]) -> Any:
        at = 0
        keep: list[Any] = []
        for pack, value in zip(self.function.packers, args):
            at = pack(self, at, value, keep)
        status = self.function.entry(*self.addresses)
        try:
            if status:
                raise self.function.fail(status)
            return _unpack(self, self.function.result, [0])
        finally:
            self.context.recycle(self.context.address)


Packer = Callable[[_Call, int, Any, list[Any]], int]


def _packer(t: Type) -> Packer:
    """How a value of a type is put into the words of a call."""
    t = deref(t)
    if isinstance(t, Num):
        if t.ndim == 0:
            return _pack_float(t) if t.dtype is not None and t.dtype.kind == "f" else _pack_int
        return _pack_array
    if isinstance(t, Tuple):
        packers = [_packer(i) for i in t.items]

        def pack_tuple(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
            for pack, item in zip(packers, value):
                at = pack(call, at, item, keep)
            return at

        return pack_tuple
    if isinstance(t, Object):
        assert t.fields is not None
        fields = [(name, _packer(f)) for name, f in t.fields.items()]

        def pack_object(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
            for name, pack in fields:
                at = pack(call, at, getattr(value, name), keep)
            return at

        return pack_object
    return lambda call, at, value, keep: at


def _pack_float(t: Num) -> Packer:
    single = t.dtype == np.float32

    def pack(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
        if single:
            call.words[at] = int(np.float32(value).view(np.int32)) & 0xFFFFFFFF
        else:
            call.floats[at] = value
        return at + 1

    return pack


def _pack_int(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
    call.words[at] = int(value)
    return at + 1


def _pack_array(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
    if not value.flags.aligned:
        value = value.copy()
    keep.append(value)
    call.words[at] = id(value)
    return at + 1


def _words(t: Type) -> int:
    t = deref(t)
    if isinstance(t, Num):
        return 1
    if isinstance(t, Tuple):
        return sum(_words(i) for i in t.items)
    if isinstance(t, Object) and t.fields is not None:
        return sum(_words(f) for f in t.fields.values())
    return 0


def _result_words(t: Type) -> int:
    t = deref(t)
    if isinstance(t, Num):
        return 1 if t.ndim == 0 else 2 + 2 * (t.ndim or 0)
    if isinstance(t, Tuple):
        return sum(_result_words(i) for i in t.items)
    if isinstance(t, Object) and t.fields is not None:
        return sum(_result_words(f) for f in t.fields.values())
    return 0


def _unpack(call: _Call, t: Type, at: list[int]) -> Any:
    """A result as a Python value; arrays are copied out."""
    t = deref(t)
    if isinstance(t, NoneType_):
        return None
    if isinstance(t, Tuple):
        items = [_unpack(call, i, at) for i in t.items]
        return tuple(items) if t.cls is tuple else t.cls(*items)
    if isinstance(t, Object):
        from anadrome.runtime import record

        assert t.fields is not None
        return record(t.cls, **{n: _unpack(call, f, at) for n, f in t.fields.items()})
    assert isinstance(t, Num) and t.dtype is not None and t.ndim is not None
    k = at[0]
    if t.ndim == 0:
        at[0] += 1
        return _number(call, k, t)
    n = t.ndim
    words = call.results
    data = words[k + 1]
    shape = tuple(words[k + 2 : k + 2 + n])
    strides = words[k + 2 + n : k + 2 + 2 * n]
    at[0] += 2 + 2 * n
    return _copy_out(data, shape, strides, t.dtype)


def _number(call: _Call, k: int, t: Num) -> Any:
    assert t.dtype is not None
    if t.dtype.kind == "f":
        if t.dtype == np.float32:
            return np.int32(np.uint32(call.results[k] & 0xFFFFFFFF)).view(np.float32)
        value = call.result_floats[k]
        return value if t.python else np.float64(value)
    value = call.results[k]
    if t.dtype.kind == "b":
        return bool(value) if t.python else np.bool_(value)
    return value if t.python else t.dtype.type(value)


def _copy_out(data: int, shape: tuple[int, ...], strides: list[int], dtype: Any) -> Any:
    out = np.empty(shape, dtype)
    if not out.size:
        return out
    size = dtype.itemsize
    steps = [s * size for s in strides]
    expected = [s for s in out.strides]
    if steps == expected or out.size == 1:
        ctypes.memmove(out.__array_interface__["data"][0], data, out.nbytes)
        return out
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, steps))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, steps)) + size
    memory = (ctypes.c_char * (high - low)).from_address(data + low)
    view = np.ndarray(shape, dtype, buffer=memory, offset=-low, strides=steps)
    out[...] = view
    return out


__all__ = ["NativeFunction", "print_graph"]
