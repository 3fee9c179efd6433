"""Read the rules of NumPy, `math` and `operator`."""

from __future__ import annotations

import importlib

MODULES = (
    "elementwise",
    "arithmetic",
    "products",
    "einsum",
    "reductions",
    "nan_reductions",
    "shaping",
    "joining",
    "selecting",
    "repeating",
    "diagonals",
    "creation",
    "predicates",
    "histograms",
    "ordering",
    "cumulative",
    "sampled",
    "fft",
    "ufunc_methods",
    "numbers",
    "linalg",
    "norms",
    "decompositions",
    "windows",
    "refusals",
)

for name in MODULES:
    importlib.import_module(f"{__package__}.{name}")
