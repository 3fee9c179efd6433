"""Gradients as printed Python: how many times longer than the function itself?

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.python_backend

One thread and double precision. All contenders run on the same NumPy, so they are
timed in one process, in turns, by the processor's time; the best of each counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders import PYTHON, make_run
from benchmarks.families import lstm, mlp, scalar_loops
from benchmarks.processes import ROOT
from benchmarks.program import Peer, Program, sizes
from benchmarks.summary import difference
from benchmarks.tables import table
from benchmarks.timing import milliseconds, short

TITLE = "Gradients as Python beside autograd"
# Gradient ÷ function at most; autograd's time ÷ ours at least.
GOALS = {
    "RNN": (4.0, 3.0),
    "LSTM": (4.5, 3.0),
    "numbers": (8.0, 3.0),
    "MLP": (None, 1.0),
}


def rnn(x, W, U, b):
    h = np.zeros((x.shape[1], U.shape[0]))
    for t in range(len(x)):
        h = np.tanh(x[t] @ W + h @ U + b)
    return np.sum(h * h)


def heat(start, target):
    rod = start.copy()
    for _ in range(100):
        rod[1:-1] += 0.4 * (rod[2:] - 2.0 * rod[1:-1] + rod[:-2])
    difference = rod - target
    return np.sum(difference * difference)


def sequence(rng, T, B, H, gates):
    shapes = ((T, B, H), (H, gates * H), (H, gates * H), (gates * H,))
    return tuple(rng.normal(size=shape) * H**-0.5 for shape in shapes)


def double(arguments):
    def made(rng, **size):
        return tuple(a.astype(np.float64) for a in arguments(rng, **size))

    return made


STEPS = {"T": 50, "B": 8, "H": 64}
AUTOGRAD = {"autograd": Peer("autograd")}
PROGRAMS = (
    Program(
        "RNN",
        rnn,
        lambda rng, **size: sequence(rng, **size, gates=1),
        (1, 2, 3),
        sizes((STEPS,)),
        {"T": 3, "B": 2, "H": 4},
        AUTOGRAD,
    ),
    Program(
        "LSTM",
        lstm.lstm,
        lambda rng, **size: sequence(rng, **size, gates=4),
        (1, 2, 3),
        sizes((STEPS,)),
        {"T": 3, "B": 2, "H": 4},
        AUTOGRAD,
    ),
    Program(
        "numbers",
        scalar_loops.relaxation,
        lambda rng, steps: (0.3, 0.5, steps),
        (0, 1),
        sizes(({"steps": 100},)),
        {"steps": 5},
        AUTOGRAD,
    ),
    Program(
        "MLP",
        mlp.mlp,
        double(mlp.arguments),
        (1, 2, 3, 4),
        sizes(
            tuple({"B": 16, "n": n} for n in (64, 256, 1024)),
            tuple({"B": 16, "n": n} for n in (128, 512, 2048)),
        ),
        {"B": 3, "n": 4},
        AUTOGRAD,
    ),
    Program(
        "heat equation in place",
        heat,
        lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
        (0,),
        sizes(({"n": 1000},)),
        {"n": 6},
    ),
)


def best_times(runs: list[Callable[[], Any]], seconds: float) -> list[float]:
    """The shortest time of each, in turns, over so many seconds for each of them."""
    for run in runs:
        run()
    best = [float("inf")] * len(runs)
    until = time.perf_counter() + seconds * len(runs)
    gc.disable()
    while time.perf_counter() < until:
        for k, run in enumerate(runs):
            begin = time.process_time()
            run()
            best[k] = min(best[k], time.process_time() - begin)
    gc.enable()
    return best


def measure_case(program: Program, size: Any, seconds: float) -> dict[str, Any]:
    """The times of the function, of our gradient and of autograd's."""
    args = program.make_arguments(size.values)
    begin = time.perf_counter()
    ours = make_run(program, PYTHON, args)
    result = ours.call()
    first = time.perf_counter() - begin
    runs: list[Callable[[], Any]] = [lambda: program.function(*args), ours.call]
    if program.peers:
        theirs = make_run(program, "autograd", args)
        apart = difference(ours.numbers(result), theirs.numbers(theirs.call()))
        if not apart < 1e-8:
            raise AssertionError(f"{program.name}: autograd is {apart:.1e} away")
        runs.append(theirs.call)
    times = best_times(runs, seconds)
    return {
        "program": program.name,
        "case": f"{program.name} {size.label}",
        "function": times[0],
        "gradient": times[1],
        "autograd": times[2] if len(times) > 2 else None,
        "first": first,
    }


def cells(found: dict[str, Any]) -> dict[str, str]:
    """A measurement as a row of the table."""
    function, gradient, theirs = (
        found[name] for name in ("function", "gradient", "autograd")
    )
    most, least = GOALS.get(found["program"], (None, None))
    ratio = f"**{short(gradient / function)}**"
    faster = "cannot" if theirs is None else f"**{short(theirs / gradient)}**"
    if most is not None:
        ratio += f" ({'✓' if gradient / function <= most else '✗'} ≤ {most:g})"
    if least is not None and theirs is not None:
        faster += f" ({'✓' if theirs / gradient >= least else '✗'} ≥ {least:g})"
    return {
        "program": found["case"],
        "function": milliseconds(function),
        "value and gradient": milliseconds(gradient),
        "gradient ÷ function": ratio,
        "autograd's": "—" if theirs is None else short(theirs / function),
        "autograd ÷ ours": faster,
        "first call": milliseconds(found["first"]),
    }


def measure_all(quick: bool) -> list[dict[str, Any]]:
    """Every program at every size."""
    import anadrome as ad

    # The first compilation of a process loads the rules.
    ad.grad(lambda x: np.sum(np.tanh(x @ x)))(np.eye(2))
    return [
        measure_case(case.program, case.size, 0.3 if quick else 1.5)
        for program in PROGRAMS
        for case in program.cases(quick)
    ]


def measure(quick: bool) -> list[dict[str, Any]]:
    """The measurements of a process with one thread."""
    command = [sys.executable, "-m", "benchmarks.python_backend", "--json"]
    command += ["--quick"] if quick else []
    variables = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Bars of gradient ÷ function, ours and autograd's."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "anadrome", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    axes: Any
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.36 * len(rows)))
    for k, row in enumerate(reversed(rows)):
        for name, colour, shift in (
            ("gradient", "#2a6f97", 0.2),
            ("autograd", "#c9ada7", -0.2),
        ):
            if row[name] is not None:
                ratio = row[name] / row["function"]
                label = "Anadrome" if name == "gradient" else name
                label = label if k == len(rows) - 1 else ""
                axes.barh(k + shift, ratio, 0.36, color=colour, label=label)
                axes.text(ratio, k + shift, f" {ratio:.1f}", va="center", fontsize=8)
    axes.set_yticks(
        range(len(rows)), [row["case"] for row in reversed(rows)], fontsize=8
    )
    axes.set_xscale("log")
    axes.set_xlim(left=1)
    axes.set_xlabel("time of value and gradient ÷ time of the function", fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true", help="bare numbers")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rows = measure_all(options.quick)
    print(json.dumps(rows) if options.json else table([cells(r) for r in rows]))
    if options.plot is not None:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
