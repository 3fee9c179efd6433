"""Our matrix products beside those of NumPy's BLAS, in GFLOP/s.

    ANADROME_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/matrix_products.py

Each contender is timed in a row of its own, since threads of one that still spin
slow down the other.  The best of several runs is shown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from anadrome.backends.native.gemm import gemm_library
from anadrome.backends.native.runtime.threads import thread_pool
from anadrome.backends.native.target import select_target

SHAPES = [
    *((n, n, n) for n in (32, 64, 128, 256, 512, 1024)),
    *((m, 4 * h, h) for m in (1, 8, 16, 64) for h in (64, 128, 256, 512, 1024)),
    *((h, 4 * h, 2048) for h in (64, 256, 512)),
    *((63, 127, 65), (17, 1000, 301), (2048, 10, 256)),
]


def best_time(run: Callable[[], object], least: float) -> float:
    """The shortest time of a call, over about `least` seconds of calls."""
    run()
    begin = time.perf_counter()
    run()
    once = max(time.perf_counter() - begin, 1e-7)
    inner = max(1, int(1e-4 / once))
    best, spent = float("inf"), 0.0
    while spent < least:
        begin = time.perf_counter()
        for _ in range(inner):
            run()
        taken = time.perf_counter() - begin
        spent += taken
        best = min(best, taken / inner)
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64"])
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--target")
    options = parser.parse_args()
    dtype = np.dtype(options.dtype).type
    target = select_target(options.target)
    begin = time.perf_counter()
    ours = gemm_library(dtype, target)
    loaded = time.perf_counter() - begin
    threads = thread_pool().thread_count
    print(
        f"{options.dtype}, {target.vector_bits}-bit vectors, {threads} threads; ",
        end="",
    )
    print(f"loaded in {loaded * 1e3:.1f} ms")
    columns = ("A@B", "A@B.T", "A.T@B", "packed", "np A@B", "np A@B.T", "np A.T@B")
    print(f"{'M':>5} {'N':>5} {'K':>5}", *(f"{c:>9}" for c in columns))
    rng = np.random.default_rng(0)
    for m, n, k in SHAPES:
        a = rng.normal(size=(m, k)).astype(dtype)
        b = rng.normal(size=(k, n)).astype(dtype)
        left, right = np.ascontiguousarray(a.T).T, np.ascontiguousarray(b.T).T
        out = np.empty((m, n), dtype)
        packed = ours.pack(b)
        runs = [
            ours.prepare(a, b, out),
            ours.prepare(a, right, out),
            ours.prepare(left, b, out),
            ours.prepare_packed(a, packed, out),
            lambda: np.matmul(a, b, out=out),  # noqa: B023
            lambda: np.matmul(a, right, out=out),  # noqa: B023
            lambda: np.matmul(left, b, out=out),  # noqa: B023
        ]
        times = [best_time(run, options.seconds) for run in runs]
        rates = [2e-9 * m * n * k / seconds for seconds in times]
        print(f"{m:5} {n:5} {k:5}", *(f"{rate:9.1f}" for rate in rates), flush=True)


if __name__ == "__main__":
    main()
