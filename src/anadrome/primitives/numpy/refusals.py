"""Functions of NumPy without a derivative rule, and what to use in their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.ir.types import ANY
from anadrome.primitives.registry import Primitive, primitive

USE_LOOP = "it calls a function that cannot be followed: write the loop out"
USE_EIGVALS = "write np.linalg.eigvals of the companion matrix"
USE_LSTSQ = "write np.linalg.lstsq(np.vander(x, deg + 1), y)[0]"
USE_CONVOLVE = "write np.convolve or arithmetic on the coefficients"
USE_UNIQUE = "which entries are kept is decided inside: write np.unique or np.isin"
USE_ASTYPE = "it reinterprets memory: write x.astype(dtype) to convert the numbers"
USE_RAVEL = "it iterates over memory: write x.ravel()"
USE_COPY = "it hands memory to other programs: compute on the array itself"
USE_SLICES = "how much is cut off depends on the values: write the slice"
USE_WINDOW = "its derivative is not known here: write it with np.i0"

FUNCTIONS = {
    "apply_along_axis": USE_LOOP,
    "vectorize": USE_LOOP,
    "frompyfunc": USE_LOOP,
    "fromfunction": USE_LOOP,
    "fromiter": "write np.array([...])",
    "poly": USE_EIGVALS,
    "roots": USE_EIGVALS,
    "polyfit": USE_LSTSQ,
    "polyadd": USE_CONVOLVE,
    "polysub": USE_CONVOLVE,
    "polymul": USE_CONVOLVE,
    "polydiv": USE_CONVOLVE,
    "polyder": USE_CONVOLVE,
    "polyint": USE_CONVOLVE,
    "intersect1d": USE_UNIQUE,
    "setdiff1d": USE_UNIQUE,
    "setxor1d": USE_UNIQUE,
    "union1d": USE_UNIQUE,
    "unique_all": USE_UNIQUE,
    "unique_counts": USE_UNIQUE,
    "unique_inverse": USE_UNIQUE,
    "histogramdd": "its weights and edges are not followed: write np.bincount",
    "trim_zeros": USE_SLICES,
    "kaiser": USE_WINDOW,
    "require": "write np.asarray",
    "ix_": "it is made for indices: write np.reshape",
}

METHODS = {
    "view": USE_ASTYPE,
    "getfield": USE_ASTYPE,
    "byteswap": USE_ASTYPE,
    "choose": "write np.choose(x, choices)",
    "tobytes": USE_COPY,
    "dumps": USE_COPY,
    "to_device": USE_COPY,
}

PROPERTIES = {
    "flat": USE_RAVEL,
    "data": USE_COPY,
    "ctypes": USE_COPY,
    "base": USE_COPY,
}

VIEWS = ("base", "getfield", "ix_", "require", "to_device", "trim_zeros", "view")
"""What may give the memory of the array that it is given."""


def refuse(title: str, target: Any, reason: str, **options: Any) -> Primitive:
    """The primitive that has no derivative, for a reason."""

    def declaration(*args: Any, **kwargs: Any) -> Any: ...

    declaration.__name__ = title
    declaration.__doc__ = f"`{title}`, which has no derivative here."
    made: Primitive = primitive(target, refusal=reason, **options)(declaration)
    return made


def property_getter(title: str) -> Any:
    """The function that reads a property of an array."""

    def read(x: Any) -> Any:
        return getattr(x, title)

    return read


REFUSED = (
    *(refuse(n, getattr(np, n), why, view=n in VIEWS) for n, why in FUNCTIONS.items()),
    *(
        refuse(
            f"{n}_method", getattr(np.ndarray, n), why, methods=(n,), view=n in VIEWS
        )
        for n, why in METHODS.items()
    ),
    *(
        refuse(
            f"{n}_property",
            property_getter(n),
            why,
            properties=(n,),
            view=n in VIEWS,
            # What an array is a view of is another question for each array.
            infer=(lambda *args: ANY) if n == "base" else None,
        )
        for n, why in PROPERTIES.items()
    ),
)
