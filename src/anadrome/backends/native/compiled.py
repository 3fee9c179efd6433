"""Native code as a callable: arguments in, results out, failures as exceptions."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import render
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Graph
from anadrome.optimize.passes import NATIVE, optimize

from .cache import ObjectCache, source_fingerprint
from .callbacks import CALLBACK, FAILED, SIGNATURE, Translator
from .codegen import compile_module
from .emitter import Emitter, Failure, ModuleEmitter
from .engine import compile_program, load_object
from .gemm import gemm_library
from .lending import lending_library
from .memory import ALLOCATE, Context, memory_library
from .nests import nest_library
from .repeating import is_repeatable
from .target import Target, select_target
from .threads import thread_pool
from .values import Array, Boxed, Pack, Scalar, Value
from .vectormath import math_library

_SOURCES = tuple(
    f"{__package__}.{n}"
    for n in (
        "callbacks",
        "codegen",
        "elementwise",
        "fusion",
        "kernels",
        "nests",
        "trees",
        "emitter",
        "lowering",
        "making",
        "operations",
        "packing",
        "products",
        "reductions",
        "rows",
        "shapes",
        "splitting",
        "stacks",
        "values",
    )
)


class NativeFunction:
    """A compiled graph that is called with Python values.

    A program that may be started twice is compiled in a form that is faster and may
    fail for more reasons; when that fails, the program is compiled and run as it is.
    """

    def __init__(
        self, graph: Graph, target: Target | None = None, fast: bool = True
    ) -> None:
        self.target = target or select_target()
        self.graph = graph
        self.assumes = fast and is_repeatable(graph)
        self._as_it_is: NativeFunction | None = None
        if self.assumes:
            graph = optimize(clone_graph(graph), NATIVE)
        module = compile_module(graph, self.target, self.assumes)
        self.failures: list[Failure] = module.failures
        self.params = [p.type for p in graph.params]
        self.result = graph.results[0].type
        self.text = str(module.module) + str(module.kernels.module)
        self.callbacks = module.callbacks
        self._calls: dict[int, _Call] = {}
        self._callback = SIGNATURE(self._call_back)
        self.library = self._load(module)
        pointer = ctypes.c_void_p
        self.entry = self.library.function(
            "entry", ctypes.c_int32, pointer, pointer, pointer
        )
        probe = Emitter.__new__(Emitter)
        self.forms = [probe.template(t) for t in self.params]
        self.form = probe.template(self.result)
        self.words = max(1, sum(_words(f) for f in self.forms))
        self.result_words = max(1, len(self.form.flatten()))
        self.packers = [_packer(f) for f in self.forms]
        self._idle: list[_Call] = []
        self._lock = threading.Lock()

    def _load(self, module: ModuleEmitter) -> Any:
        imports: dict[str, int] = dict(memory_library(self.target).addresses)
        imports.update(thread_pool().symbols)
        if module.kernels.used:
            imports.update(nest_library(self.target).addresses)
        if module.math:
            imports.update(math_library(self.target).addresses)
        if module.lends:
            imports.update(lending_library(self.target).addresses)
        if module.callbacks:
            imports[CALLBACK] = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        for name in module.gemms:
            kind = np.float32 if name == "float32" else np.float64
            imports.update(gemm_library(kind, self.target).library.addresses)
        cache = ObjectCache()
        from .cache import cache_key

        key = cache_key(
            self.target, "program", self.text, source_fingerprint(*_SOURCES)
        )
        code = cache.load(key)
        if code is None:
            code = compile_program(module.module, module.kernels.module, self.target)
            cache.store(key, code)
        return load_object(code, ["entry"], self.target, imports)

    def __call__(self, *args: Any) -> Any:
        with self._lock:
            call = self._idle.pop() if self._idle else _Call(self)
        try:
            return call.run(args)
        except _AssumptionFailed:
            return self.as_it_is(*args)
        finally:
            with self._lock:
                self._idle.append(call)

    def _call_back(self, context: int, number: int, given: int, out: int) -> int:
        call = self._calls[context]
        try:
            callback = self.callbacks[number]
            size = max(1, sum(len(v.flatten()) for v in callback.inputs))
            words = (ctypes.c_int64 * size).from_address(given)
            at = [0]
            values = [
                call.translator.read(v, words, at, callback.keeps)
                for v in callback.inputs
            ]
            result = callback.run(values)
            size = max(1, len(callback.result.flatten()))
            places = (ctypes.c_int64 * size).from_address(out)
            call.translator.write(callback.result, result, places, [0])
        except BaseException as error:
            call.error = error
            return FAILED
        return 0

    @property
    def as_it_is(self) -> NativeFunction:
        """The program in the form that assumes nothing, made when it is needed."""
        if self._as_it_is is None:
            self._as_it_is = NativeFunction(self.graph, self.target, fast=False)
        return self._as_it_is

    def fail(self, status: int) -> Exception:
        """The exception that a status stands for."""
        found = self.failures[status - 1]
        error = found.kind(found.message)
        if found.span is not None:
            error.add_note(
                "in native code, which stands for your code here:\n"
                + render(found.span).rstrip()
            )
        return error


class _AssumptionFailed(Exception):
    """The fast form of a program has failed; what is wrong is not known yet."""


class _Call:
    """The buffers and the memory of one call at a time."""

    def __init__(self, function: NativeFunction) -> None:
        self.function = function
        self.context = Context(function.target)
        allocate = memory_library(function.target).function(
            ALLOCATE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
        )
        self.translator = Translator(self.context.address, allocate)
        self.error: BaseException | None = None
        function._calls[self.context.address] = self
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
            if status and self.function.assumes:
                raise _AssumptionFailed
            if status == FAILED:
                error, self.error = self.error, None
                assert error is not None
                raise error
            if status:
                raise self.function.fail(status)
            return self.translator.read(self.function.form, self.results, [0], True)
        finally:
            if self.translator.objects:
                self.translator.objects.clear()
            self.context.recycle(self.context.address)


Packer = Callable[[_Call, int, Any, list[Any]], int]


def _packer(form: Value) -> Packer:
    """How a value of a form is put into the words of a call."""
    if isinstance(form, Scalar):
        return _pack_float(form) if form.dtype.kind == "f" else _pack_int
    if isinstance(form, Array):
        return _pack_array
    if isinstance(form, Boxed):
        return _pack_object
    if isinstance(form, Pack):
        packers = [_packer(i) for i in form.items]
        names = form.names

        def pack_items(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
            items = [getattr(value, n) for n in names] if names else value
            for pack, item in zip(packers, items):
                at = pack(call, at, item, keep)
            return at

        return pack_items
    return lambda call, at, value, keep: at


def _pack_object(call: _Call, at: int, value: Any, keep: list[Any]) -> int:
    call.translator.objects.append(value)
    call.words[at] = len(call.translator.objects) - 1
    return at + 1


def _pack_float(form: Scalar) -> Packer:
    single = form.dtype == np.float32

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


def _words(form: Value) -> int:
    if isinstance(form, Pack):
        return sum(_words(i) for i in form.items)
    return int(isinstance(form, Scalar | Array | Boxed))
