"""LLVM modules turned into object code, and object code into callable addresses.

Object code is the unit that is cached and loaded; it is linked by JITLink into
one slab, in a fifth of a millisecond for a small module.

A module may ask for one of these amounts of optimisation:

- `Passes.NONE`: only what was marked `alwaysinline` is inlined.  For kernels that
  are already written in registers, where more passes cost time and bring nothing.
- `Passes.LIGHT`: inlining, memory to registers, simplification.
- `Passes.SCALAR`: LLVM's O1.  For programs, whose loops over arrays are kernels.
- `Passes.VECTORIZE`: LLVM's O2 with the loop vectoriser.  For fused loops.
- `Passes.FULL`: O3.
"""

from __future__ import annotations

import ctypes
import enum
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from ..disk.object_cache import ObjectCache, cache_key
from ..target import Target, target_machine


class Passes(enum.Enum):
    """How much a module is optimised before code is generated."""

    NONE = "none"
    LIGHT = "light"
    SCALAR = "scalar"
    VECTORIZE = "vectorize"
    FULL = "full"


@dataclass(frozen=True)
class Library:
    """Loaded code: the addresses of its exported symbols.

    The code is freed when the last reference to the library is dropped, so
    whoever keeps an address keeps the library too.
    """

    addresses: Mapping[str, int]
    _tracker: Any

    def address(self, name: str) -> int:
        """The address of an exported symbol."""
        return self.addresses[name]

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """A ctypes function for an exported symbol; it releases the GIL."""
        function = ctypes.CFUNCTYPE(result, *arguments)(self.addresses[name])
        # The function must not outlive the code that it calls.
        function.library = self  # type: ignore[attr-defined]
        return function


def optimize(
    module: object, target: Target, passes: Passes, codegen_level: int = 2
) -> llvm.ModuleRef:
    """The optimised LLVM module of an llvmlite module or its text."""
    machine = target_machine(target, codegen_level)
    parsed = llvm.parse_assembly(str(module))
    parsed.triple = machine.triple
    parsed.data_layout = str(machine.target_data)
    parsed.verify()
    speed = {Passes.SCALAR: 1, Passes.VECTORIZE: 2, Passes.FULL: 3}.get(passes, 0)
    tuning = llvm.create_pipeline_tuning_options(speed)
    vectorize = passes in (Passes.VECTORIZE, Passes.FULL)
    tuning.loop_vectorization = vectorize
    tuning.slp_vectorization = vectorize
    builder = llvm.create_pass_builder(machine, tuning)
    if passes is Passes.LIGHT:
        manager = llvm.create_new_module_pass_manager()
        manager.add_always_inliner_pass()
        manager.add_global_dead_code_eliminate_pass()
        manager.add_sroa_pass()
        manager.add_instruction_combine_pass()
        manager.add_simplify_cfg_pass()
    else:
        manager = builder.getModulePassManager()
    manager.run(parsed, builder)
    return parsed


def compile_object(
    module: object,
    target: Target,
    passes: Passes = Passes.VECTORIZE,
    codegen_level: int = 2,
) -> bytes:
    """The object code of an llvmlite module or its text."""
    parsed = optimize(module, target, passes, codegen_level)
    return bytes(target_machine(target, codegen_level).emit_object(parsed))


def compile_program(
    program: object, kernels: object, target: Target, directs: bool = False
) -> bytes:
    """The object code of a program and its kernels, llvmlite modules or their text.

    The program is optimised, less if it only `directs` the kernels, which are written
    in vectors already.
    """
    text = str(program)
    # Passes over one large function take longer than its parts together would.
    small, large = len(text) < _SMALL, len(text) > _LARGE
    large = large or (directs and not small)
    passes = Passes.LIGHT if large else Passes.VECTORIZE if small else Passes.SCALAR
    main = optimize(text, target, passes)
    main.link_in(optimize(kernels, target, Passes.NONE))
    return bytes(target_machine(target).emit_object(main))


def compile_assembly(
    module: object,
    target: Target,
    passes: Passes = Passes.VECTORIZE,
    codegen_level: int = 2,
) -> str:
    """The assembly text of an llvmlite module or its text, for people to read."""
    parsed = optimize(module, target, passes, codegen_level)
    return str(target_machine(target, codegen_level).emit_assembly(parsed))


def load_object(
    code: bytes,
    exports: Iterable[str],
    target: Target,
    imports: Mapping[str, int] | None = None,
) -> Library:
    """Object code linked into this process.

    Symbols it needs come from `imports` (name → address) or else from the
    process itself (the C library's `malloc`, `memcpy`, `pthread_create`, …).
    """
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name, address in (imports or {}).items():
        builder.import_symbol(name, address)
    names = tuple(exports)
    for name in names:
        builder.export_symbol(name)
    tracker = builder.link(_linker(target), f"anadrome.{next(_library_numbers)}")
    return Library({name: tracker[name] for name in names}, tracker)


def load_cached(
    cache: ObjectCache,
    target: Target,
    material: Iterable[str | bytes],
    make_module: Callable[[], object],
    exports: Iterable[str],
    *,
    imports: Mapping[str, int] | None = None,
    passes: Passes = Passes.VECTORIZE,
    codegen_level: int = 2,
) -> Library:
    """The library of a module, compiled only if the cache does not hold it.

    `material` must say everything that the module's content depends on beyond
    the target, the pass level and the version of this package.
    """
    key = cache_key(target, passes.value, str(codegen_level), *material)
    code = cache.load(key)
    if code is None:
        code = compile_object(make_module(), target, passes, codegen_level)
        cache.store(key, code)
    return load_object(code, exports, target, imports)


# Characters of LLVM assembly.
_SMALL, _LARGE = 1 << 16, 1 << 18

_library_numbers = itertools.count()


@cache
def _linker(target: Target) -> llvm.LLJIT:
    return llvm.create_lljit_compiler(target_machine(target), use_jit_link=True)
