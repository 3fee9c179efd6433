"""The report in Markdown, made of what `benchmarks/results` holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import compile_time, python_backend
from benchmarks.families import FAMILIES, cases_of
from benchmarks.program import Goal, Program
from benchmarks.summary import Row, Verdict, judge
from benchmarks.tables import table
from benchmarks.timing import geometric_mean, milliseconds, short

RESULTS = Path(__file__).parent / "results"

TITLES = {
    "scalar": "Loops over numbers",
    "mlp": "Network with one hidden layer (listing 13.9)",
    "elman": "Elman network (figure 13.1)",
    "lstm": "LSTM and GRU against fused kernels",
    "cells": "Cells that nobody fused",
    "adbench": "ADBench",
    "kernels": "Loop kernels",
    "trees": "Trees of mixed shape",
    "systems": "Integers, lists, dictionaries: no gradients, processor time",
}
# Measurements of another kind, which have tables of their own.
PARTS: dict[str, ModuleType] = {"compile": compile_time, "python": python_backend}
KERNELS_GOAL = 5.0
HEADER = "| case | ours | best peer | best peer ÷ ours (range) | others | goal |"


def load(name: str) -> Any:
    """A file of results, or None."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def save(name: str, content: Any) -> None:
    """Write a file of results."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def write_report() -> str:
    """The report, also written to `results/report.md`."""
    parts = ["# Measurements", _preamble()]
    for family, programs in FAMILIES.items():
        rows = load(family)
        if rows:
            parts += [f"## {TITLES[family]}", family_table(rows, programs)]
        if rows and family == "kernels":
            parts.append(_mean_of_kernels(rows))
    for name, part in PARTS.items():
        found = load(name)
        if found:
            parts += [f"## {part.TITLE}", table([part.cells(row) for row in found])]
    text = "\n\n".join(parts) + "\n"
    (RESULTS / "report.md").write_text(text)
    write_short_table()
    return text


@dataclass(frozen=True)
class Entry:
    """One line of the short table: a case, or the mean of the kernels."""

    case: str
    ours: float | None
    peer: str
    ratio: float


def entries() -> list[Entry]:
    """The cases of the short run against the fastest peer, the kernels as one."""
    found = []
    for family in FAMILIES:
        rows = {row["case"]: row for row in load(family) or []}
        if family == "kernels":
            ratios = list(kernel_ratios(list(rows.values())).values())
            if ratios:
                name = f"{len(ratios)} loop kernels, geometric mean"
                found.append(Entry(name, None, "jax", geometric_mean(ratios)))
            continue
        for case in cases_of(family, quick=True):
            verdict = judge(rows[case.name]) if case.name in rows else None
            if verdict is not None and verdict.best is not None:
                ratio = verdict.ratios[verdict.best].value
                found.append(Entry(case.name, verdict.ours, verdict.best, ratio))
    return found


def write_short_table() -> None:
    """Write the table that fits into a README."""
    rows = [
        {
            "value and gradient of": entry.case,
            "ours": "" if entry.ours is None else milliseconds(entry.ours),
            "fastest peer": entry.peer,
            "peer ÷ ours": f"**{short(entry.ratio)}**",
        }
        for entry in entries()
    ]
    if rows:
        (RESULTS / "speed.md").write_text(table(rows) + "\n")


def family_table(rows: list[Row], programs: tuple[Program, ...]) -> str:
    """The cases of a family."""
    goals = {program.name: program.goals for program in programs}
    lines = [HEADER, "|---|---:|---|---:|---|---|"]
    lines += [_line(row, goals.get(row["program"], ())) for row in rows]
    return "\n".join(lines)


def kernel_ratios(rows: list[Row]) -> dict[str, float]:
    """JAX's time ÷ ours for each kernel that has both."""
    found = {row["program"]: judge(row).ratios.get("jax") for row in rows}
    return {name: ratio.value for name, ratio in found.items() if ratio is not None}


def _line(row: Row, goals: tuple[Goal, ...]) -> str:
    verdict = judge(row)
    ours = "—" if verdict.ours is None else milliseconds(verdict.ours)
    if verdict.best is None:
        times = "—"
        ratio = _escaped(verdict.problem) or "no peer"
    else:
        times = verdict.best
        ratio = f"**{short(verdict.ratios[verdict.best].value)}**"
        low, high = (
            getattr(verdict.ratios[verdict.best], end) for end in ("low", "high")
        )
        ratio += f" ({short(low)}–{short(high)})"
    others = [
        f"{name} {short(found.value)}"
        for name, found in verdict.ratios.items()
        if name != verdict.best
    ]
    if verdict.primal is not None:
        others.append(f"gradient ÷ value {short(verdict.primal)}")
    for name, found in row["contenders"].items():
        if name in verdict.ratios or name.startswith("anadrome"):
            continue
        others.append(f"{name}: {_failure(found)}")
    wanted = [g for g in goals if g.holds_for(row["size"])]
    marks = [_mark(goal, verdict) for goal in wanted]
    cells = (row["case"], ours, times, ratio, ", ".join(others), ", ".join(marks))
    return f"| {' | '.join(cells)} |"


def _mark(goal: Goal, verdict: Verdict) -> str:
    reached = verdict.reaches(goal.against, goal.ratio)
    sign = {True: "✓", False: "✗", None: "?"}[reached]
    relation = "≤" if goal.against == "primal" else "≥"
    return f"{sign} {goal.against} {relation} {goal.ratio:g}"


def _failure(found: dict[str, Any]) -> str:
    if "error" in found:
        return _escaped(found["error"])
    if not found.get("agrees", True):
        return f"numbers differ by {found['difference']:.1e}"
    return "not compared"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:160]


def _mean_of_kernels(rows: list[Row]) -> str:
    ratios = kernel_ratios(rows)
    if not ratios:
        return "No kernel has both times."
    mean = geometric_mean(list(ratios.values()))
    sign = "✓" if mean >= KERNELS_GOAL else "✗"
    return (
        f"Geometric mean of JAX ÷ ours over {len(ratios)} kernels: "
        f"**{short(mean)}** ({sign} ≥ {KERNELS_GOAL:g})."
    )


def _preamble() -> str:
    about = load("machine") or {}
    lines = [
        "Time of the other ÷ our time, for the value and all gradients; above 1 we are "
        "faster. The best of all rounds, and in brackets the range over the rounds. "
        "How the numbers are made: `benchmarks/README.md`.",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ]
    return "\n".join(lines)
