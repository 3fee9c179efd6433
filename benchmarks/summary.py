"""What is made of the measurements: who agrees, ratios, goals reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders import OURS, PRIMAL
from benchmarks.program import Program
from benchmarks.timing import Ratio, compare
from benchmarks.worker import file_name

# What is kept of a case: a dictionary that is written as JSON.
Row = dict[str, Any]


def merge_rounds(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One contender's rounds in one case as lists; an error in any round stays."""
    for found in rounds:
        if "error" in found:
            return {"error": found["error"]}
    return {
        "first": rounds[0]["first"],
        "best": [found["best"] for found in rounds],
        "median": [found["median"] for found in rounds],
    }


def difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """The largest distance of two arrays, relative to the norm of the second."""
    worst = 0.0
    if len(ours) != len(theirs):
        return float("inf")
    for a, b in zip(ours, theirs):
        if a.shape != b.shape:
            return float("inf")
        scale = float(np.linalg.norm(np.ravel(b).astype(np.float64)))
        distance = float(np.linalg.norm(np.ravel(a).astype(np.float64) - np.ravel(b)))
        relative = distance / scale if scale else distance
        if not np.isfinite(relative):
            return float("inf")
        worst = max(worst, relative)
    return worst


def note_agreement(row: Row, program: Program, numbers: Path) -> None:
    """Write into a row who computed the same as its first peer."""
    contenders = row["contenders"]
    arrays: dict[str, list[np.ndarray]] = {}
    for name, found in contenders.items():
        path = numbers / file_name(row["case"], name)
        if "error" not in found and name != PRIMAL and path.exists():
            with np.load(path) as stored:
                arrays[name] = [stored[key] for key in stored.files]
    peers = [name for name in arrays if name != OURS]
    for name, made in arrays.items():
        found = difference(made, arrays[peers[0]]) if peers else 0.0
        contenders[name]["difference"] = found
        contenders[name]["agrees"] = bool(found <= program.tolerance)


@dataclass(frozen=True)
class Verdict:
    """Ratios of a case: each peer's time ÷ ours; none when numbers differ."""

    ours: float | None
    problem: str
    ratios: dict[str, Ratio]
    best: str | None
    primal: float | None

    def reaches(self, against: str, ratio: float) -> bool | None:
        """Whether a goal is reached; None when it cannot be told."""
        if against == "primal":
            return None if self.primal is None else self.primal <= ratio
        name = self.best if against == "best peer" else against
        if name not in self.ratios:
            return None
        return self.ratios[name].value >= ratio


def judge(row: Row) -> Verdict:
    """The verdict on a case."""
    contenders = row["contenders"]
    ours = contenders.get(OURS, {"error": "not run"})
    if "error" in ours:
        return Verdict(None, ours["error"], {}, None, None)
    if not ours.get("agrees", True):
        problem = f"numbers differ: {ours['difference']:.1e}"
        return Verdict(min(ours["best"]), problem, {}, None, None)
    ratios = {
        name: compare(found["best"], ours["best"])
        for name, found in contenders.items()
        if name not in (OURS, PRIMAL) and "error" not in found and found["agrees"]
    }
    best = min(ratios, key=lambda name: ratios[name].value, default=None)
    value_only = contenders.get(PRIMAL, {})
    primal = None
    if "best" in value_only:
        primal = min(ours["best"]) / min(value_only["best"])
    return Verdict(min(ours["best"]), "", ratios, best, primal)
