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
from typing import Any

from benchmarks.processes import ROOT
from benchmarks.tables import table
from benchmarks.timing import measure as measure_call
from benchmarks.timing import milliseconds
from benchmarks.worker import environment

GOALS = {
    "scalar function": (0.3, 0.2),
    "scalar function, gradient": (0.3, 0.2),
    "LSTM, gradient": (1.5, 0.2),
    "attention encoder–decoder, gradient": (5.0, 0.2),
}
TITLE = "Compile time, warm start, calls and import"
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


def first_call(name: str) -> tuple[float, float]:
    """The seconds of the first call after the imports, and of the processor in it."""
    import anadrome as ad

    function, args = makers()[name]()
    begin, busy = time.perf_counter(), time.process_time()
    ad.jit(function)(*args)
    return time.perf_counter() - begin, time.process_time() - busy


def in_new_process(arguments: list[str], cache: str) -> tuple[float, float]:
    """What a new process reports of a first call."""
    command = [sys.executable, "-m", "benchmarks.compile_time", *arguments]
    variables = {**os.environ, **environment(), "ANADROME_CACHE_DIR": cache}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(last[-1])
    first, busy = json.loads(done.stdout.splitlines()[-1])
    return first, busy


def import_seconds(statement: str) -> float:
    """The shortest time of a process that runs a statement."""
    best = float("inf")
    for _ in range(7):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        best = min(best, time.perf_counter() - begin)
    return best


def measure(quick: bool) -> list[dict[str, Any]]:
    """Seconds, those of the processor, and what is aimed at."""
    rows: list[dict[str, Any]] = []
    for name, goals in GOALS.items():
        cold, warm = [], []
        try:
            for _ in range(2 if quick else 5):
                with tempfile.TemporaryDirectory() as cache:
                    cold.append(in_new_process([name], cache))
                    warm.append(in_new_process([name], cache))
        except RuntimeError as error:
            rows.append({"name": name, "error": str(error)[:100]})
            continue
        for kind, found, goal in zip(("cold", "warm"), (cold, warm), goals):
            least = min(seconds for seconds, _ in found)
            busy = min(busy for _, busy in found)
            rows.append(_row(f"{name}, {kind}", least, goal, busy))
    rows.append(_row("call of a native function", call_overhead(), CALL_GOAL))
    added = import_seconds("import anadrome") - import_seconds("import numpy")
    rows.append(_row("import, beyond NumPy's", added, IMPORT_GOAL))
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


def cells(row: dict[str, Any]) -> dict[str, str]:
    """A measurement as a row of the table."""
    if "error" in row:
        return {
            "": row["name"],
            "time": row["error"],
            "of the processor": "",
            "goal": "",
        }
    sign = "✓" if row["seconds"] <= row["goal"] else "✗"
    return {
        "": row["name"],
        "time": milliseconds(row["seconds"]),
        "of the processor": milliseconds(row["busy"]) if row["busy"] else "",
        "goal": f"{sign} ≤ {milliseconds(row['goal'])}",
    }


def _row(name: str, seconds: float, goal: float, busy: float | None = None) -> Any:
    return {"name": name, "seconds": seconds, "goal": goal, "busy": busy}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(first_call(sys.argv[1])))
    else:
        print(table([cells(row) for row in measure(quick=False)]))
