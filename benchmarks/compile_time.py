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
from benchmarks.program import Arguments
from benchmarks.tables import table
from benchmarks.timing import measure as measure_call
from benchmarks.timing import milliseconds
from benchmarks.worker import environment

# Seconds of the first call: cold, warm, and with arguments of other sizes after it.
GOALS = {
    "scalar function": (0.3, 0.2, 0.001),
    "scalar function, gradient": (0.3, 0.2, 0.001),
    "LSTM, gradient": (1.5, 0.2, 0.01),
    "attention encoder–decoder, gradient": (5.0, 0.2, 0.01),
}
TITLE = "Compile time, warm start, calls and import"
CALL_GOAL, IMPORT_GOAL = 5e-6, 0.15

# Seconds of the clock, and of the processor.
Spent = tuple[float, float]


def polynomial(x, y):
    return x * x * y + 3 * x - y


def makers() -> dict[str, Callable[[], tuple[Any, Arguments, Arguments]]]:
    """What is compiled, by name: a function, and arguments of two sizes."""
    import anadrome as ad
    from benchmarks.families import lstm
    from benchmarks.families.encoder_decoder import loss, make_arguments

    program = lstm.PROGRAMS[0]
    numbers = ((1.5, 2.0), (2.5, 3.0))
    return {
        "scalar function": lambda: (polynomial, *numbers),
        "scalar function, gradient": lambda: (ad.grad(polynomial), *numbers),
        "LSTM, gradient": lambda: (
            ad.value_and_grad(program.function, program.argnums),
            program.make_arguments({"T": 3, "B": 2, "H": 5}),
            program.make_arguments({"T": 5, "B": 4, "H": 8}),
        ),
        "attention encoder–decoder, gradient": lambda: (
            ad.value_and_grad(loss),
            make_arguments(H=4),
            make_arguments(H=6),
        ),
    }


def first_calls(name: str) -> tuple[Spent, Spent]:
    """What the first call takes after the imports, and one with other sizes."""
    import anadrome as ad

    function, args, others = makers()[name]()

    def spent(given: Arguments) -> Spent:
        begin, busy = time.perf_counter(), time.process_time()
        compiled(*given)
        return time.perf_counter() - begin, time.process_time() - busy

    compiled = ad.jit(function)
    return spent(args), spent(others)


def fresh_environment() -> dict[str, str]:
    """The variables of a user's process: its bytecode is kept, as pip leaves it."""
    variables = {**os.environ, **environment()}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def in_new_process(name: str, cache: str) -> tuple[Spent, Spent]:
    """What a new process reports of its first calls."""
    command = [sys.executable, "-m", "benchmarks.compile_time", name]
    variables = {**fresh_environment(), "ANADROME_CACHE_DIR": cache}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise RuntimeError(last[-1])
    first, second = json.loads(done.stdout.splitlines()[-1])
    return tuple(first), tuple(second)


def import_seconds(statement: str) -> float:
    """The shortest time of a process that runs a statement."""
    best = float("inf")
    for _ in range(7):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", statement], check=True, env=fresh_environment()
        )
        best = min(best, time.perf_counter() - begin)
    return best


def measure(quick: bool) -> list[dict[str, Any]]:
    """Seconds, those of the processor, and what is aimed at."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as cache:
        # Modules are compiled to bytecode once for all of them.
        in_new_process("LSTM, gradient", cache)
    for name, goals in GOALS.items():
        cold, warm, other = [], [], []
        try:
            for _ in range(2 if quick else 5):
                with tempfile.TemporaryDirectory() as cache:
                    first, second = in_new_process(name, cache)
                    cold.append(first)
                    other.append(second)
                    warm.append(in_new_process(name, cache)[0])
        except RuntimeError as error:
            rows.append({"name": name, "error": str(error)[:100]})
            continue
        kinds = ("cold", "warm", "other sizes")
        for kind, found, goal in zip(kinds, (cold, warm, other), goals):
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
        print(json.dumps(first_calls(sys.argv[1])))
    else:
        print(table([cells(row) for row in measure(quick=False)]))
