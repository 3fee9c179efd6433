"""The compiled products of a target, for native code and for NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.dsl import DOUBLE, FLOAT, type_name
from ..linking.engine import Library, Passes, load_cached
from ..runtime.threads import thread_pool
from ..target import Target
from .driver import GemmModule
from .tile import TileShape, tile_shape

NAMES = ("pack_b", "gemm_prepacked", "gemm", "gemm_batched", "inner")
_SOURCES = (
    *(
        f"anadrome.backends.native.{n}"
        for n in (
            *("emission.builder", "emission.dsl", "emission.control_flow"),
            *("kernels.strided", "runtime.threads"),
        )
    ),
    *(
        f"{__package__}.{n}"
        for n in (
            *("blocks", "driver", "dot", "kernels"),
            *("packing", "unpacked_b", "strips", "tile"),
        )
    ),
)


@dataclass(frozen=True)
class GemmLibrary:
    """The products of one element type.  `library` has the addresses to import."""

    dtype: np.dtype
    shape: TileShape
    library: Library

    def _bind(self, name: str, *arguments: object) -> Callable[[], None]:
        """A call with everything converted, for those who repeat it."""
        types: list[Any] = []
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                types.append(ctypes.c_void_p)
                values.append(argument.ctypes.data)
            else:
                types.append(ctypes.c_int64)
                values.append(argument)
        symbol = f"anadrome.{name}.{type_name(_ELEMENTS[self.dtype])}"
        result = None if name == "pack_b" else ctypes.c_int32
        function = self.library.function(symbol, result, *types)

        def run() -> None:
            if function(*values):
                raise MemoryError(f"no memory for the workspace of {name}")

        return run

    def _strides(self, array: np.ndarray) -> list[int]:
        return [stride // self.dtype.itemsize for stride in array.strides]

    def multiply(
        self,
        a: np.ndarray,
        b: np.ndarray,
        out: np.ndarray,
        accumulate: bool = False,
    ) -> None:
        """out = a@b, or out += a@b; stacks of them with three axes."""
        self.prepare(a, b, out, accumulate)()

    def prepare(
        self,
        a: np.ndarray,
        b: np.ndarray,
        out: np.ndarray,
        accumulate: bool = False,
    ) -> Callable[[], None]:
        """A function that does what `multiply` does; the arrays must stay alive."""
        batch = list(a.shape[:-2])
        sizes = [*batch, a.shape[-2], b.shape[-1], a.shape[-1]]
        values: list[object] = [*sizes]
        for array in (a, b, out):
            *step, row, column = self._strides(array)
            values += [array, row, column, *step]
        name = "gemm_batched" if batch else "gemm"
        return self._bind(name, *values, int(accumulate))

    def pack(self, b: np.ndarray) -> np.ndarray:
        """b in panels, for `multiply_packed`."""
        depth, columns = b.shape
        panels = -(-columns // self.shape.width)
        packed = np.empty(panels * depth * self.shape.width, self.dtype)
        self._bind("pack_b", depth, columns, b, *self._strides(b), packed)()
        return packed

    def multiply_packed(
        self,
        a: np.ndarray,
        packed: np.ndarray,
        out: np.ndarray,
        accumulate: bool = False,
    ) -> None:
        """out (+)= a@b for a packed b; rows of `out` must be contiguous."""
        self.prepare_packed(a, packed, out, accumulate)()

    def prepare_packed(
        self,
        a: np.ndarray,
        packed: np.ndarray,
        out: np.ndarray,
        accumulate: bool = False,
    ) -> Callable[[], None]:
        """A function that does what `multiply_packed` does."""
        sizes = [out.shape[0], out.shape[1], a.shape[1]]
        left = [a, *self._strides(a)]
        right = [packed, out, self._strides(out)[0], int(accumulate)]
        return self._bind("gemm_prepacked", *sizes, *left, *right)


_ELEMENTS = {np.dtype(np.float32): FLOAT, np.dtype(np.float64): DOUBLE}


@cache
def gemm_library(dtype: type, target: Target) -> GemmLibrary:
    """The loaded products for float32 or float64."""
    kind = np.dtype(dtype)
    element = _ELEMENTS[kind]
    library = load_cached(
        ObjectCache(),
        target,
        ["gemm", type_name(element), source_fingerprint(*_SOURCES)],
        lambda: GemmModule(element, target).module,
        [f"anadrome.{name}.{type_name(element)}" for name in NAMES],
        imports=thread_pool().symbols,
        passes=Passes.NONE,
        codegen_level=2,
    )
    return GemmLibrary(kind, tile_shape(element, target), library)
