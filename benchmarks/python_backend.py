"""Gradients as printed Python: how many times longer than the function itself?

    OPENBLAS_NUM_THREADS=1 python benchmarks/python_backend.py

prints a table in Markdown and writes the numbers to `benchmarks/results`. `autograd`
is timed beside when it is installed; with `--plot FILE` a picture is drawn. Times are
the best of several runs, taken in turns so that a busy moment hits all contenders.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from programs import PROGRAMS, Timed

import anadrome as ad

RESULTS = Path(__file__).parent / "results"


def optional(name: str) -> Any:
    """A module, or None when it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def best_times(runs: list[Callable[[], Any]], seconds: float) -> list[float]:
    """The shortest time of each, over so many seconds for each of them."""
    for run in runs:
        run()
    best = [float("inf")] * len(runs)
    until = time.perf_counter() + seconds * len(runs)
    gc.disable()
    while time.perf_counter() < until:
        for k, run in enumerate(runs):
            begin = time.perf_counter()
            run()
            best[k] = min(best[k], time.perf_counter() - begin)
    gc.enable()
    return best


def measure(program: Timed, seconds: float) -> dict[str, Any]:
    """The times of a program, in seconds."""
    args = program.arguments(np.random.default_rng(0))
    primal = program.make(np)
    begin = time.perf_counter()
    ours = ad.value_and_grad(primal, program.argnums)
    _, gradient = ours(*args)
    first = time.perf_counter() - begin
    runs = [lambda: primal(*args), lambda: ours(*args)]
    autograd = optional("autograd")
    if autograd is not None and not program.in_place:
        theirs = autograd.value_and_grad(
            program.make(importlib.import_module("autograd.numpy")), program.argnums
        )
        for a, b in zip(gradient, theirs(*args)[1]):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
        runs.append(lambda: theirs(*args))
    times = best_times(runs, seconds)
    found = {"name": program.name, "primal": times[0], "gradient": times[1]}
    found["autograd"] = times[2] if len(times) > 2 else None
    return {**found, "first call": first}


def table(rows: list[dict[str, Any]]) -> str:
    """The measurements in Markdown."""
    columns = ("function", "value and gradient", "ratio", "autograd", "compiled in")
    lines = [f"| program | {' | '.join(columns)} |", "|---" + "|---:" * 5 + "|"]
    for row in rows:
        primal, gradient, theirs = row["primal"], row["gradient"], row["autograd"]
        cells = (
            f"{primal * 1e3:.3f} ms",
            f"{gradient * 1e3:.3f} ms",
            f"**{gradient / primal:.1f}**",
            "cannot" if theirs is None else f"{theirs / primal:.1f}",
            f"{row['first call'] * 1e3:.0f} ms",
        )
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Bars of the ratios, ours and autograd's."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "anadrome"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 2.6))
    for k, row in enumerate(reversed(rows)):
        ours = row["gradient"] / row["primal"]
        axes.barh(k + 0.2, ours, 0.36, color="#2a6f97")
        axes.text(ours, k + 0.2, f" {ours:.1f}", va="center", fontsize=8)
        if row["autograd"] is not None:
            theirs = row["autograd"] / row["primal"]
            axes.barh(k - 0.2, theirs, 0.36, color="#c9ada7")
            axes.text(theirs, k - 0.2, f" {theirs:.1f}", va="center", fontsize=8)
    axes.barh([0], [0], color="#2a6f97", label="Anadrome")
    axes.barh([0], [0], color="#c9ada7", label="autograd")
    axes.set_yticks(
        range(len(rows)), [row["name"] for row in reversed(rows)], fontsize=8
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
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    # The first compilation of a process loads the rules.
    ad.grad(lambda x: np.sum(np.tanh(x @ x)))(np.eye(2))
    rows = [measure(program, options.seconds) for program in PROGRAMS]
    print(table(rows))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "python_backend.json").write_text(json.dumps(rows, indent=2) + "\n")
    if options.plot is not None:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
