"""The greatest error of every elementary function, in units in the last place.

    python benchmarks/ulp_table.py                 # sampled, a minute or two
    python benchmarks/ulp_table.py --exhaustive    # every float32: minutes each
    python benchmarks/ulp_table.py exp tanh --target avx2

Double precision is compared with mpmath on samples of the whole domain.  Single
precision is compared with our double precision version (whose error, seen from
single precision, is nothing): on every float32 with `--exhaustive`, else on every
2048th one from a random start.  An error is |computed - exact| / ulp(exact).
"""

from __future__ import annotations

import argparse
import time

import mpmath
import numpy as np
from mpmath import mp

from anadrome.backends.native.target import select_target
from anadrome.backends.native.vectormath import TABLE, elementwise

mp.prec = 160
EXACT = {
    "exp": mp.exp,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10,
    "log1p": mp.log1p,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "logaddexp": lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
    "tanh": mp.tanh,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "atan2": mp.atan2,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "pow": lambda x, y: x**y,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    "sqrt": mp.sqrt,
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))),
    "gamma": mp.gamma,
    "digamma": mp.digamma,
}
# Where results are finite and functions defined; beyond, tests check NumPy's values.
DOMAIN = {
    "exp": (-745, 709.7),
    "exp2": (-1074, 1023.9),
    "expm1": (-745, 709.7),
    "log": (0, np.inf),
    "log2": (0, np.inf),
    "log10": (0, np.inf),
    "log1p": (-1, np.inf),
    "sigmoid": (-745, 1000),
    "softplus": (-745, 1000),
    "sinh": (-710, 710),
    "cosh": (-710, 710),
    "acosh": (1, np.inf),
    "atanh": (-1, 1),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "erfc": (-10, 27.2),
    "erfcx": (-26.6, np.inf),
    "sqrt": (0, np.inf),
    "lgamma": (1e-300, 1e200),
    "gamma": (-170, 171.6),
    "digamma": (1.9, 1e300),
}
LEAST = {np.float32: 2.0**-149, np.float64: 2.0**-1074}


def ulps(computed: float, exact: mpmath.mpf, mantissa: int, least: float) -> float:
    """The distance of a result from the exact value, in ulps of the latter."""
    if exact == 0:
        return 0.0 if computed == 0 else float("inf")
    exponent = mp.floor(mp.log(abs(exact), 2))
    unit = mp.mpf(2) ** max(exponent - mantissa, mp.log(least, 2))
    return float(abs(mp.mpf(float(computed)) - exact) / unit)


def sample(name: str, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Arguments for one function: some of every size, more near one."""
    low, high = DOMAIN.get(name, (-np.inf, np.inf))
    arguments = []
    for _ in range(TABLE[name].arity):
        quarter = count // 4
        wide = np.exp(rng.uniform(-200, 200, quarter)) * rng.choice([-1, 1], quarter)
        near = rng.normal(size=quarter)
        a = max(low, -800)
        b = min(high, 800)
        x = np.concatenate(
            [wide, near, 3 * near, rng.uniform(a, b, count - 3 * quarter)]
        )
        inside = (x > low) & (x < high)
        arguments.append(np.where(inside, x, rng.uniform(a, b, count)))
    if name == "pow":
        # Keep x^y in range by choosing its logarithm.
        x = np.abs(arguments[0]) + 1e-300
        y = rng.uniform(-700, 700, count) / np.where(
            np.abs(np.log(x)) < 1e-9, 1, np.log(x)
        )
        arguments = [x, y]
    if name == "logaddexp":
        # The result may cancel to anything near zero; relative error means
        # nothing there.
        arguments = [np.abs(a) for a in arguments]
    return arguments


def worst_double(name: str, target, count: int, seed: int = 0) -> tuple[float, tuple]:  # type: ignore[no-untyped-def]
    """The greatest error found in double precision, and where."""
    rng = np.random.default_rng(seed)
    arguments = sample(name, count, rng)
    results = elementwise(name, np.float64, target)(*arguments)
    worst, where = 0.0, ()
    for index, result in enumerate(results):
        point = tuple(float(a[index]) for a in arguments)
        exact = EXACT[name](*map(mp.mpf, point))
        if abs(exact) > 1.79e308:
            continue
        error = ulps(result, exact, 52, LEAST[np.float64])
        if not error <= worst:
            worst, where = error, point
    return worst, where


def worst_single(name: str, target, stride: int, seed: int = 0) -> tuple[float, tuple]:  # type: ignore[no-untyped-def]
    """The greatest error in single precision over every `stride`-th value."""
    rng = np.random.default_rng(seed)
    single = elementwise(name, np.float32, target)
    double = elementwise(name, np.float64, target)
    start = int(rng.integers(stride))
    worst, where = 0.0, ()
    chunk = 1 << 15
    for first in range(start, 1 << 32, chunk * stride):
        bits = np.arange(first, min(first + chunk * stride, 1 << 32), stride, np.uint64)
        x = bits.astype(np.uint32).view(np.float32)
        arguments = [x]
        if TABLE[name].arity == 2:
            arguments.append(rng.permutation(x))
        with np.errstate(all="ignore"):
            computed = single(*arguments)
            exact = double(*(a.astype(np.float64) for a in arguments))
            rounded = exact.astype(np.float32)
            # Results that are rounded right are the most, and at most half an ulp off.
            wrong = np.flatnonzero(computed != rounded)
            wrong = wrong[~(np.isnan(computed[wrong]) & np.isnan(rounded[wrong]))]
            if name == "logaddexp":
                wrong = wrong[np.abs(exact[wrong]) >= 0.1]
            if not wrong.size:
                continue
            unit = np.spacing(np.abs(rounded[wrong])).astype(np.float64)
            error = np.abs(computed[wrong].astype(np.float64) - exact[wrong]) / unit
            # An infinite result is right only if rounding made it so.
            error[np.isnan(error)] = np.inf
        index = int(np.argmax(error))
        if error[index] > worst:
            worst = float(error[index])
            where = tuple(float(a[wrong[index]]) for a in arguments)
    return max(worst, 0.5), where


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="functions; all if none is named")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--samples", type=int, default=4000, help="for float64")
    parser.add_argument("--target", help="host, avx512, avx2 or baseline")
    options = parser.parse_args()
    target = select_target(options.target)
    stride = 1 if options.exhaustive else 2048
    print(f"{target.cpu}, {target.vector_bits}-bit vectors; errors in ulp")
    print(f"{'':10} {'float32':>8} {'bound':>6}  {'float64':>8} {'bound':>6}")
    for name in options.names or [n for n in TABLE if n in EXACT]:
        begin = time.perf_counter()
        single, at_single = worst_single(name, target, stride)
        double, at_double = worst_double(name, target, options.samples)
        bounds = TABLE[name].ulps
        print(
            f"{name:10} {single:8.3f} {bounds[0]:6.2f}  {double:8.3f} {bounds[1]:6.2f}"
            f"   at {at_single}, {at_double}  ({time.perf_counter() - begin:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
