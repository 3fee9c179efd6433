"""How long does the first call of a gradient take more than the second?

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.first_calls

Over every program of the tests' corpus with a number for its value: reading it,
differentiating it, printing and compiling the derivative as Python. The first calls of
a process, which read the rules of primitives, are among them.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
import warnings
from typing import Any

import anadrome as ad
from benchmarks.processes import ROOT


def first_call(program: Any) -> float | None:
    """Seconds of a first call beyond those of a second one; None if it is refused."""
    derivative = ad.grad(program.function, argnums=program.wrt)
    times = []
    for _ in range(2):
        arguments = program.arguments()
        start = time.process_time()
        try:
            derivative(*arguments)
        except ad.AnadromeError:
            return None
        times.append(time.process_time() - start)
    return times[0] - times[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="every so manieth program")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(ROOT / "tests"))
    from corpus.registry import load

    programs = [p for p in load() if p.wrt and not {"jacobian", "beyond"} & p.tags]
    random.Random(0).shuffle(programs)
    found = [(first_call(p), p.name) for p in programs[:: given.every]]
    times = sorted((t, name) for t, name in found if t is not None)
    seconds = [t for t, _ in times]
    deciles = statistics.quantiles(seconds, n=10)
    print(
        f"{len(seconds)} programs, {len(found) - len(seconds)} refused: median "
        f"{1000 * statistics.median(seconds):.1f} ms, "
        f"nine tenths under {1000 * deciles[-1]:.1f} ms"
    )
    for t, name in times[-3:]:
        print(f"  {1000 * t:7.1f} ms  {name}")


if __name__ == "__main__":
    main()
