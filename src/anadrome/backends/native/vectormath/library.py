"""The out-of-line functions, compiled for scalars and for every vector length.

Each is a library of its own: a program waits only for those that it calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from llvmlite import ir

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.dsl import DOUBLE, FLOAT, type_name, widen
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .functions import TABLE, define, symbol, vector_lanes

SOURCES = (
    "anadrome.backends.native.emission.dsl",
    *(
        f"{__package__}.{name}"
        for name in (
            "coefficients",
            "error_function",
            "exponential",
            "functions",
            "gamma",
            "inverse",
            "library",
            "logarithm",
            "power",
            "rounding",
            "trigonometric",
        )
    ),
)


_ELEMENTS = {type_name(element): element for element in (FLOAT, DOUBLE)}


def math_symbols(
    functions: Iterable[tuple[str, str]], target: Target
) -> dict[str, int]:
    """The addresses of out-of-line functions, given by name and element type."""
    found: dict[str, int] = {}
    for name, element in functions:
        found.update(math_library(name, element, target).addresses)
    return found


@cache
def math_library(name: str, element: str, target: Target) -> Library:
    """One out-of-line function, loaded; link modules with its addresses."""
    return load_cached(
        ObjectCache(),
        target,
        ["math library", name, element, source_fingerprint(*SOURCES)],
        lambda: library_module(name, element, target),
        [symbol(name, type_) for type_ in _types(element, target)],
        passes=Passes.LIGHT,
    )


def library_module(name: str, element: str, target: Target) -> ir.Module:
    """The module with an out-of-line function in every length."""
    module = ir.Module(f"anadrome.math.{name}.{element}")
    for type_ in _types(element, target):
        signature = ir.FunctionType(type_, [type_] * TABLE[name].arity)
        function = ir.Function(module, signature, symbol(name, type_))
        define(function, name, type_, target)
    return module


def _types(element: str, target: Target) -> list[ir.Type]:
    scalar = _ELEMENTS[element]
    return [widen(scalar, lanes) for lanes in (1, *vector_lanes(scalar, target))]
