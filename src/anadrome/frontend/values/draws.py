"""The types of random numbers, by the method that draws them and the size asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import ANY, Num, Tuple, Type, VarTuple, deref

Keywords = dict[str, Node]

_FLOAT64, _INT64 = np.dtype(np.float64), np.dtype(np.int64)

# The parameters of methods of `Generator` whose results are of a dtype that is asked
# for.
_GENERATOR = {
    "random": ("size", "dtype", "out"),
    "standard_normal": ("size", "dtype", "out"),
    "standard_exponential": ("size", "dtype", "method", "out"),
    "integers": ("low", "high", "size", "dtype", "endpoint"),
}

# The parameters of distributions before the size.
_DISTRIBUTIONS = {
    "beta": 2,
    "chisquare": 1,
    "exponential": 1,
    "gamma": 2,
    "gumbel": 2,
    "laplace": 2,
    "logistic": 2,
    "lognormal": 2,
    "normal": 2,
    "pareto": 1,
    "power": 1,
    "random_sample": 0,
    "random": 0,
    "rayleigh": 1,
    "standard_cauchy": 0,
    "standard_exponential": 0,
    "standard_gamma": 1,
    "standard_normal": 0,
    "standard_t": 1,
    "triangular": 3,
    "uniform": 2,
    "vonmises": 2,
    "wald": 2,
    "weibull": 1,
}


def draw_type(size: Node | None, dtype: np.dtype[Any] = _FLOAT64) -> Type:
    """The type of as many numbers as are asked for; of one, a number of Python's."""
    if size is None or (isinstance(size, Constant) and size.value is None):
        return Num(dtype, 0, dtype == _FLOAT64)
    t = deref(size.type)
    if isinstance(t, Tuple):
        return Num(dtype, len(t.items)) if t.items else ANY
    if isinstance(t, Num) and t.ndim == 0:
        return Num(dtype, 1)
    return ANY if isinstance(t, VarTuple) else Num(dtype, None)


def generator_type(name: str, args: list[Node], keywords: Keywords) -> Type:
    """What a method of `np.random.Generator` returns."""
    names = _GENERATOR.get(name)
    if names is None:
        return ANY
    given = {**dict(zip(names, args)), **keywords}
    dtype = _INT64 if name == "integers" else _FLOAT64
    asked = given.get("dtype")
    if asked is not None:
        if not isinstance(asked, Constant):
            return ANY
        dtype = np.dtype(asked.value)
    bounds = [given[n] for n in ("low", "high") if n in given]
    if "out" in given or not all(map(_is_number, bounds)):
        return ANY
    found = draw_type(given.get("size"), dtype)
    # The class of a single number depends on how its dtype was asked for.
    scalar = isinstance(found, Num) and found.ndim == 0
    return ANY if scalar and asked is not None else found


def legacy_type(name: str, args: list[Node], keywords: Keywords) -> Type:
    """What a method of `np.random.RandomState` returns."""
    if name in ("rand", "randn"):
        if not all(map(_is_number, args)):
            return ANY
        return Num(_FLOAT64, len(args), not args)
    count = _DISTRIBUTIONS.get(name)
    if count is None:
        return ANY
    size = keywords.get("size", args[count] if len(args) > count else None)
    if size is None or (isinstance(size, Constant) and size.value is None):
        named = [v for k, v in keywords.items() if k != "size"]
        if not all(map(_is_number, (*args[:count], *named))):
            return ANY
    return draw_type(size)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    if isinstance(node, Constant) and node.value is None:
        return True
    return isinstance(t, Num) and t.ndim == 0 and not t.boxed
