"""Elementary functions beside NumPy's and SciPy's, in billions of elements a second.

    python benchmarks/elementary_functions.py [names] [--target avx2]

One thread; arrays that stay in the second cache level; the best of many runs, with
the cost of an empty call subtracted from ours and theirs alike.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import scipy.special

from anadrome.backends.native.target import select_target
from anadrome.backends.native.vectormath import TABLE, elementwise

THEIRS = {
    "sigmoid": scipy.special.expit,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "pow": np.power,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfcx": scipy.special.erfcx,
    "gamma": scipy.special.gamma,
    "lgamma": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
}
SHORT, LONG = 64, 1 << 15


def best_time(run: Callable[[], object], repeats: int) -> float:
    """The shortest time of a call."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best


def rate(call: Callable[..., object], inputs: list[np.ndarray]) -> float:
    """Billions of elements a second."""
    out = np.empty_like(inputs[0])
    short = [x[:SHORT] for x in inputs]
    fixed = best_time(lambda: call(*short, out=out[:SHORT]), 200)
    whole = best_time(lambda: call(*inputs, out=out), 200)
    return (LONG - SHORT) / (whole - fixed) / 1e9


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--target")
    options = parser.parse_args()
    target = select_target(options.target)
    print(f"{target.cpu}, {target.vector_bits}-bit vectors; Gelem/s")
    print(f"{'':10} {'float32':>8} {'theirs':>8} {'float64':>8} {'theirs':>8}")
    rng = np.random.default_rng(0)
    for name in options.names or TABLE:
        row = []
        for dtype in (np.float32, np.float64):
            inputs = [
                rng.uniform(0.1, 0.9, LONG).astype(dtype)
                for _ in range(TABLE[name].arity)
            ]
            row.append(rate(elementwise(name, dtype, target), inputs))
            theirs = THEIRS.get(name) or getattr(np, name, None)
            row.append(rate(theirs, inputs) if theirs else float("nan"))
        print(f"{name:10}", *(f"{value:8.2f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
