"""One contender in a process of its own, over the cases of a family.

    python -m benchmarks.worker FAMILY CONTENDER --seconds 0.5 --numbers DIR CASE…

One line of JSON for each case: its times, or why it cannot. The parent reads the
lines as they come, so that a crash or an endless loop costs one case only.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

THREADS = 2


def pin_process() -> None:
    """As many processors as threads for whoever runs here."""
    threads = int(os.environ.get("ANADROME_NUM_THREADS", THREADS))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def environment(threads: int = THREADS) -> dict[str, str]:
    """The variables that fix the number of threads of each library."""
    names = ("OMP", "MKL", "OPENBLAS", "ANADROME")
    return {f"{name}_NUM_THREADS": str(threads) for name in names}


def run_case(
    case: Any, contender: str, numbers: Path | None, seconds: float, clock: str
) -> Any:
    """What is measured of one contender in one case."""
    from benchmarks.contenders import make_run
    from benchmarks.timing import measure

    args = case.program.make_arguments(case.size.values)
    begin = time.perf_counter()
    run = make_run(case.program, contender, args)
    result = run.call()
    first = time.perf_counter() - begin
    if numbers is not None:
        np.savez(numbers, *run.numbers(result))
    del result
    times = measure(run.call, seconds, clock)
    return {
        "first": first,
        "best": times.best,
        "median": times.median,
        "count": times.count,
    }


def describe(error: Exception) -> str:
    """An error in one line, without the excerpt of the source."""
    kind = type(error).__name__
    lines = str(error).strip().splitlines()
    named = [line for line in lines if line.startswith(kind)]
    return (named or [f"{kind}: {lines[0] if lines else ''}"])[0][:300]


def file_name(case: str, contender: str) -> str:
    """Where the numbers of a contender are kept for comparison."""
    kept = "".join(c if c.isalnum() else "_" for c in f"{case} {contender}")
    return f"{kept}.npz"


def main() -> None:
    """Run the cases that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family")
    parser.add_argument("contender")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--clock", default="wall")
    parser.add_argument("--numbers", type=Path)
    options = parser.parse_args()
    from benchmarks.families import cases_of

    pin_process()
    warnings.simplefilter("ignore")
    cases = {case.name: case for case in cases_of(options.family, quick=False)}
    # Libraries print what they like; the lines for the parent go their own way.
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in options.cases:
        print(json.dumps({"begun": name}), file=report, flush=True)
        kept = options.numbers
        path = kept and kept / file_name(name, options.contender)
        found: dict[str, Any]
        try:
            found = run_case(
                cases[name], options.contender, path, options.seconds, options.clock
            )
        except Exception as error:
            found = {"error": describe(error)}
        print(json.dumps({"case": name, **found}), file=report, flush=True)


if __name__ == "__main__":
    main()
