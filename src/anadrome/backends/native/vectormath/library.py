"""The out-of-line functions, compiled for scalars and for every vector length."""

from __future__ import annotations

from functools import cache

from llvmlite import ir

from ..cache import ObjectCache, source_fingerprint
from ..engine import Library, Passes, load_cached
from ..expression import DOUBLE, FLOAT, widen
from ..target import Target
from .functions import OUT_OF_LINE, TABLE, define, symbol, vector_lanes

SOURCES = (
    "anadrome.backends.native.expression",
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


@cache
def math_library(target: Target) -> Library:
    """The loaded out-of-line functions of a target; link modules with its addresses."""
    names = [symbol(name, type_) for name in OUT_OF_LINE for type_ in _types(target)]
    return load_cached(
        ObjectCache(),
        target,
        ["math library", source_fingerprint(*SOURCES)],
        lambda: library_module(target),
        names,
        passes=Passes.LIGHT,
    )


def library_module(target: Target) -> ir.Module:
    """The module with every out-of-line function in every length."""
    module = ir.Module("anadrome.math")
    for name in OUT_OF_LINE:
        for type_ in _types(target):
            signature = ir.FunctionType(type_, [type_] * TABLE[name].arity)
            function = ir.Function(module, signature, symbol(name, type_))
            define(function, name, type_, target)
    return module


def _types(target: Target) -> list[ir.Type]:
    return [
        widen(element, lanes)
        for element in (FLOAT, DOUBLE)
        for lanes in (1, *vector_lanes(element, target))
    ]
