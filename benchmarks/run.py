"""The whole suite.

    python -m benchmarks.run [--quick] [--only lstm kernels …] [--rounds 3]

Each contender runs in a process of its own; the processes take turns over several
rounds. `--only` takes families, `compile`, `python`, and parts of programs' names.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks import plots
from benchmarks.contenders import contenders_of
from benchmarks.families import FAMILIES, cases_of
from benchmarks.processes import run_worker, worker_command
from benchmarks.program import Case
from benchmarks.report import PARTS, TITLES, family_table, load, save, write_report
from benchmarks.summary import Row, merge_rounds, note_agreement
from benchmarks.tables import table
from benchmarks.timing import CLOCKS
from benchmarks.worker import THREADS, environment


def select(only: list[str], quick: bool) -> dict[str, list[Case]]:
    """The cases to be run, by family."""
    chosen: dict[str, list[Case]] = {}
    for family in FAMILIES:
        cases = cases_of(family, quick)
        if only and family not in only:
            cases = [c for c in cases if any(o in c.program.name for o in only)]
        if cases:
            chosen[family] = cases
    return chosen


def run_family(
    family: str, cases: list[Case], options: argparse.Namespace, scratch: Path
) -> list[Row]:
    """The rows of a family."""
    by_contender: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        for contender in contenders_of(case.program):
            if not options.contenders or contender in options.contenders:
                by_contender[contender].append(case.name)
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for turn in range(options.rounds):
        for contender, names in by_contender.items():
            print(f"{family}: round {turn + 1}, {contender}", flush=True)
            # What failed once is not tried again.
            left = [
                n for n in names if "error" not in (found[n, contender] or [{}])[-1]
            ]
            numbers = scratch if turn == 0 else None
            command = worker_command(
                family, contender, options.seconds, options.clock, numbers
            )
            variables = {**environment(options.threads), **caches(scratch)}
            made = run_worker(command, left, options.limit, variables)
            for name, result in made.items():
                found[name, contender].append(result)
    rows = []
    for case in cases:
        contenders = {
            contender: merge_rounds(found[case.name, contender])
            for contender in contenders_of(case.program)
            if found[case.name, contender]
        }
        row: Row = {
            "case": case.name,
            "program": case.program.name,
            "size": dict(case.size.values),
            "contenders": contenders,
        }
        note_agreement(row, case.program, scratch)
        rows.append(row)
    return rows


def caches(scratch: Path) -> dict[str, str]:
    """Fresh caches that all rounds share: only the first round compiles."""
    return {
        "ANADROME_CACHE_DIR": str(scratch / "anadrome"),
        "JAX_COMPILATION_CACHE_DIR": str(scratch / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "torch"),
    }


def keep_rows(family: str, rows: list[Row]) -> list[Row]:
    """All rows of a family: the new ones, and older ones of other cases."""
    new = {row["case"]: row for row in rows}
    old = {row["case"]: row for row in load(family) or []}
    order = [case.name for case in cases_of(family, quick=False)]
    kept = {**old, **new}
    result = [kept[name] for name in order if name in kept]
    save(family, result)
    return result


def describe_machine(threads: int, clock: str) -> dict[str, str]:
    """Where and with what it was measured."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    versions = []
    for name in ("numpy", "scipy", "llvmlite", "torch", "jax", "autograd"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} absent")
    return {
        "processor": f"{model}, {os.cpu_count()} cores",
        "threads of each contender": str(threads),
        "clock": clock,
        "load when begun": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "libraries": ", ".join(versions),
    }


def main() -> None:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few minutes only")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--contenders", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="for each case in each round")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall")
    parser.add_argument("--limit", type=float, default=300.0, help="of one case")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 4)
    options.seconds = options.seconds or (0.2 if options.quick else 1.0)
    save("machine", describe_machine(options.threads, options.clock))
    for family, cases in select(options.only, options.quick).items():
        with tempfile.TemporaryDirectory() as scratch:
            rows = run_family(family, cases, options, Path(scratch))
        print(f"\n{TITLES[family]}\n\n{family_table(rows, FAMILIES[family])}\n")
        keep_rows(family, rows)
    for name, part in PARTS.items():
        if not options.only or name in options.only:
            found = part.measure(options.quick)
            save(name, found)
            print(f"\n{table([part.cells(row) for row in found])}\n", flush=True)
    write_report()
    plots.draw_all()


if __name__ == "__main__":
    main()
