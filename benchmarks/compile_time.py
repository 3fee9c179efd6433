"""Compile time cold and warm, the cost of a call, and of the import.

    python -m benchmarks.compile_time

Each measurement is a fresh process; a cold one has an empty `ANADROME_CACHE_DIR`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT
from benchmarks.report import plain_table
from benchmarks.timing import measure as measure_call
from benchmarks.worker import environment

GOALS = {
    "scalar function": (0.3, 0.2),
    "scalar function, gradient": (0.3, 0.2),
    "LSTM, gradient": (1.5, 0.2),
    "attention encoder–decoder, gradient": (5.0, 0.2),
}
CALL_GOAL, IMPORT_GOAL = 5e-6, 0.15


def polynomial(x, y):
    return x * x * y + 3 * x - y


def makers() -> dict[str, Callable[[], tuple[Any, tuple[Any, ...]]]]:
    """What is compiled, by name: a function and its arguments."""
    import anadrome as ad
    from benchmarks.families import lstm
    from benchmarks.families.encoder_decoder import loss, make_arguments
    from benchmarks.program import Arguments

    def of_lstm() -> tuple[Any, Arguments]:
        program = lstm.PROGRAMS[0]
        gradient = ad.value_and_grad(program.function, program.argnums)
        return gradient, program.make_arguments(program.tiny)

    return {
        "scalar function": lambda: (polynomial, (1.5, 2.0)),
        "scalar function, gradient": lambda: (ad.grad(polynomial), (1.5, 2.0)),
        "LSTM, gradient": of_lstm,
        "attention encoder–decoder, gradient": lambda: (
            ad.value_and_grad(loss),
            make_arguments(),
        ),
    }


def first_call(name: str) -> dict[str, float]:
    """The seconds of the first call, after the imports; and those of a later one."""
    import numpy as np

    import anadrome as ad

    np.zeros(1)
    function, args = makers()[name]()
    begin = time.perf_counter()
    compiled = ad.jit(function)
    compiled(*args)
    first = time.perf_counter() - begin
    return {"first": first, "later": measure_call(lambda: compiled(*args), 0.1).best}


def in_new_process(arguments: list[str], cache: str) -> float:
    """The seconds that a new process reports of a first call."""
    command = [sys.executable, "-m", "benchmarks.compile_time", *arguments]
    variables = {**os.environ, **environment(), "ANADROME_CACHE_DIR": cache}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(last[-1])
    return json.loads(done.stdout.splitlines()[-1])["first"]


def import_seconds(statement: str) -> float:
    """The shortest time of a process that runs a statement."""
    best = float("inf")
    for _ in range(7):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        best = min(best, time.perf_counter() - begin)
    return best


def measure(quick: bool) -> list[dict[str, str]]:
    """The rows of the table."""
    rows = []
    for name, (cold_goal, warm_goal) in GOALS.items():
        cold, warm = [], []
        try:
            for _ in range(2 if quick else 5):
                with tempfile.TemporaryDirectory() as cache:
                    cold.append(in_new_process([name], cache))
                    warm.append(in_new_process([name], cache))
        except RuntimeError as error:
            rows.append(_row(name, str(error)[:100], ""))
            continue
        rows.append(_row(f"{name}, cold", *_seconds(min(cold), cold_goal)))
        rows.append(_row(f"{name}, warm", *_seconds(min(warm), warm_goal)))
    call = call_overhead()
    rows.append(_row("call of a native function", *_seconds(call, CALL_GOAL)))
    added = import_seconds("import anadrome") - import_seconds("import numpy")
    rows.append(_row("import, beyond NumPy's", *_seconds(added, IMPORT_GOAL)))
    return rows


def call_overhead() -> float:
    """The seconds of a call that does almost nothing."""
    import anadrome as ad

    compiled = ad.jit(polynomial)
    compiled(1.5, 2.0)

    def hundred() -> None:
        for _ in range(100):
            compiled(1.5, 2.0)

    return measure_call(hundred, 0.5).best / 100


def _seconds(value: float, goal: float) -> tuple[str, str]:
    unit, scale = ("µs", 1e6) if goal < 1e-3 else ("s", 1.0)
    sign = "✓" if value <= goal else "✗"
    return f"{value * scale:.3g} {unit}", f"{sign} ≤ {goal * scale:g} {unit}"


def _row(name: str, value: str, goal: str) -> dict[str, str]:
    return {"measurement": name, "seconds": value, "goal": goal}


if __name__ == "__main__":
    if len(sys.argv) > 1 and not Path(sys.argv[1]).exists():
        print(json.dumps(first_call(sys.argv[1])))
    else:
        print(plain_table(measure(quick=False)))
