"""The programs that the tests check: a slice of the random ones, and those that failed.

    python tests/fuzz/semantics/kept.py

takes those out of `known_failures.txt` that no longer fail. Nothing is ever added.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from fuzz.semantics.checking import Verdict
from fuzz.semantics.isolating import verdicts
from fuzz.semantics.writer import HEADER, categories, write_program

HERE = Path(__file__).parent
KNOWN = HERE / "known_failures.txt"
REGRESSIONS = {p.stem: p for p in sorted((HERE / "regressions").glob("*.py"))}
PER_CATEGORY = 2


def slice_of(category: str) -> list[str]:
    """The names of the random programs of a category that are kept."""
    return [f"{category}:{k}" for k in range(PER_CATEGORY)]


def text_of(name: str) -> str:
    """The text of a kept program."""
    if name in REGRESSIONS:
        return HEADER + REGRESSIONS[name].read_text()
    category, k = name.split(":")
    return write_program(category, f"kept:{k}")


def examine(names: list[str], workers: int = 1) -> dict[str, Verdict]:
    """The verdicts on kept programs."""
    return dict(verdicts([(n, partial(text_of, n)) for n in names], workers))


def known_failures() -> list[str]:
    """The names of programs that still fail."""
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def main() -> None:
    """Take out what no longer fails."""
    found = examine(known_failures(), 2)
    lines = KNOWN.read_text().splitlines()
    left = [
        line
        for line in lines
        if not line or line.startswith("#") or found[line.split()[0]].failed
    ]
    KNOWN.write_text("\n".join(left) + "\n")
    print(f"{len(lines) - len(left)} no longer fail")


def every() -> list[str]:
    """The names of all kept programs."""
    return [*(n for c in categories() for n in slice_of(c)), *REGRESSIONS]


if __name__ == "__main__":
    main()
