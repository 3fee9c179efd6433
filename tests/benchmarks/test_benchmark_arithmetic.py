"""What the suite makes of its times and numbers."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import compile_time, python_backend, report
from benchmarks.families import FAMILIES, all_programs, cases_of
from benchmarks.processes import run_worker
from benchmarks.program import Goal, Program, Size
from benchmarks.report import family_table
from benchmarks.run import select
from benchmarks.summary import difference, judge, merge_rounds, note_agreement
from benchmarks.tables import table
from benchmarks.timing import compare, geometric_mean, measure, milliseconds, short
from benchmarks.worker import describe, file_name


def test_ratio_is_of_the_bests_and_its_range_of_the_rounds() -> None:
    ratio = compare([6.0, 4.0, 9.0], [2.0, 4.0, 3.0])
    assert (ratio.value, ratio.low, ratio.high) == (2.0, 1.0, 3.0)
    assert str(ratio) == "2.00 (1.00–3.00)"


def test_geometric_mean() -> None:
    assert math.isclose(geometric_mean([2.0, 8.0]), 4.0)


@pytest.mark.parametrize(
    ("value", "text"), [(1.234, "1.23"), (12.34, "12.3"), (12345.0, "12,345")]
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


def test_times_have_a_unit_that_suits() -> None:
    assert milliseconds(0.0123) == "12.3 ms"
    assert milliseconds(0.000012) == "12.0 µs"


def test_a_call_is_repeated_a_few_times_at_least() -> None:
    calls = []
    times = measure(lambda: calls.append(1), 0.0)
    assert len(calls) == times.count == 3
    assert 0 <= times.best <= times.median


def test_difference_is_relative_to_the_norm() -> None:
    a, b = np.array([3.0, 4.0]), np.array([3.0, 4.5])
    assert math.isclose(difference([b], [a]), 0.1)
    assert difference([a], [a]) == 0.0


def test_difference_of_other_shapes_counts_or_nan_is_no_agreement() -> None:
    a = np.ones(2)
    assert difference([a], [np.ones((1, 2))]) == math.inf
    assert difference([a], [a, a]) == math.inf
    nan = np.array([np.nan, 1.0])
    assert difference([nan, a], [a, a]) == difference([a, nan], [a, a]) == math.inf


def test_an_error_in_any_round_stays() -> None:
    good = {"first": 1.0, "best": 0.5, "median": 0.6, "count": 3}
    assert merge_rounds([good, {"error": "crashed"}]) == {"error": "crashed"}
    merged = merge_rounds([good, {**good, "best": 0.4}])
    assert merged == {"first": 1.0, "best": [0.5, 0.4], "median": [0.6, 0.6]}


def timed(*best: float, **more: object) -> dict[str, object]:
    return {"first": 1.0, "best": list(best), "median": list(best), **more}


def row(**contenders: dict[str, object]) -> dict[str, object]:
    return {"case": "p n=2", "program": "p", "size": {"n": 2}, "contenders": contenders}


def test_verdict_names_the_fastest_peer_that_agrees() -> None:
    verdict = judge(
        row(
            anadrome=timed(2.0, agrees=True),
            slow=timed(8.0, agrees=True),
            fast=timed(4.0, agrees=True),
            wrong=timed(1.0, agrees=False, difference=0.5),
            broken={"error": "no"},
        )
    )
    assert verdict.best == "fast"
    assert {name: r.value for name, r in verdict.ratios.items()} == {
        "slow": 4.0,
        "fast": 2.0,
    }
    assert verdict.reaches("best peer", 2.0) is True
    assert verdict.reaches("best peer", 2.1) is False
    assert verdict.reaches("broken", 1.0) is None


def test_no_ratio_where_our_numbers_differ() -> None:
    verdict = judge(
        row(
            anadrome=timed(2.0, agrees=False, difference=0.25),
            jax=timed(4.0, agrees=True),
        )
    )
    assert verdict.ratios == {}
    assert verdict.problem == "numbers differ: 2.5e-01"


def test_gradient_is_compared_with_the_value_alone() -> None:
    contenders = {"anadrome": timed(6.0), "anadrome, value only": timed(2.0)}
    verdict = judge({**row(), "contenders": contenders})
    assert verdict.primal == 3.0
    assert verdict.reaches("primal", 3.0) is True
    assert verdict.reaches("primal", 2.9) is False


def program(**more: object) -> Program:
    given = {"function": np.sum, "arguments": lambda rng, n: (np.ones(n),)}
    return Program(
        name="p", argnums=(0,), sizes=(Size({"n": 2}),), tiny={"n": 1}, **given, **more
    )


def test_agreement_is_with_the_first_peer(tmp_path: Path) -> None:
    made = row(anadrome=timed(1.0), jax=timed(1.0), torch=timed(1.0))
    for name, value in (("anadrome", 1.0), ("jax", 1.0), ("torch", 1.1)):
        np.savez(tmp_path / file_name("p n=2", name), np.array(value), np.ones(2))
    note_agreement(made, program(), tmp_path)
    agrees = {name: c["agrees"] for name, c in made["contenders"].items()}
    assert agrees == {"anadrome": True, "jax": True, "torch": False}


def test_table_marks_goals_and_failures() -> None:
    made = row(
        anadrome=timed(0.001, agrees=True),
        jax=timed(0.002, agrees=True),
        torch={"error": "Oops: a|b"},
    )
    goals = (Goal("jax", 1.5), Goal("jax", 3), Goal("jax", 9, lambda s: s["n"] > 2))
    last = family_table([made], (program(goals=goals),)).splitlines()[-1]
    assert last == (
        "| p n=2 | 1.00 ms | jax | **2.00** (2.00–2.00) | torch: Oops: a\\|b "
        "| ✓ jax ≥ 1.5, ✗ jax ≥ 3 |"
    )


def test_plain_table() -> None:
    assert table([{"a": "1", "b": "2"}]).splitlines() == [
        "| a | b |",
        "|---|---:|",
        "| 1 | 2 |",
    ]


WORKER = """
import json, os, sys
for case in sys.argv[1:]:
    print(json.dumps({"begun": case}), flush=True)
    if case == "crash":
        os.abort()
    if case == "exit":
        sys.exit("tired")
    if case == "sleep":
        import time
        time.sleep(60)
    print(json.dumps({"case": case, "best": 1.0}), flush=True)
"""


def test_a_crash_costs_one_case_only() -> None:
    command = [sys.executable, "-c", WORKER]
    found = run_worker(command, ["one", "crash", "two", "exit", "three"], 60.0)
    assert found == {
        "one": {"best": 1.0},
        "crash": {"error": "crashed: SIGABRT"},
        "two": {"best": 1.0},
        "exit": {"error": "ended with 1: tired"},
        "three": {"best": 1.0},
    }


def test_an_endless_case_is_given_up() -> None:
    found = run_worker([sys.executable, "-c", WORKER], ["sleep", "one"], 1.5)
    assert found == {"sleep": {"error": "no answer within 2 s"}, "one": {"best": 1.0}}


def test_names_are_unique_and_selections_find_them() -> None:
    names = [case.name for family in FAMILIES for case in cases_of(family, quick=False)]
    assert len(names) == len(set(names))
    assert len({p.name for p in all_programs()}) == len(all_programs())
    assert set(select(["lstm"], quick=True)) == {"lstm"}
    assert [c.program.name for c in select(["MUT1"], quick=True)["cells"]] == ["MUT1"]
    assert set(select([], quick=True)) == set(FAMILIES)


def test_rows_of_the_other_measurements() -> None:
    made = {"name": "call", "seconds": 4e-6, "goal": 5e-6, "busy": None}
    assert list(compile_time.cells(made).values()) == [
        "call",
        "4.0 µs",
        "",
        "✓ ≤ 5.0 µs",
    ]
    failed = compile_time.cells({"name": "LSTM", "error": "refused"})
    assert list(failed) == list(compile_time.cells(made))
    times = {"function": 0.001, "gradient": 0.005, "autograd": 0.02, "first": 0.1}
    shown = python_backend.cells({"program": "RNN", "case": "RNN", **times})
    assert shown["gradient ÷ function"] == "**5.00** (✗ ≤ 4)"
    assert shown["autograd ÷ ours"] == "**4.00** (✓ ≥ 3)"


def test_errors_are_told_in_one_line() -> None:
    located = ValueError("\n  File 'x.py', line 3\n    y\nValueError: no\nhelp: z")
    assert describe(located) == "ValueError: no"
    assert describe(KeyError("k\nmore")) == "KeyError: 'k\\nmore'"
    assert describe(ValueError()) == "ValueError: "


def test_report_has_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    ours, theirs = timed(0.001, agrees=True), timed(0.004, agrees=True)
    for family, name in (("trees", "pytorch"), ("kernels", "jax")):
        case = cases_of(family, quick=True)[0]
        made = {
            "case": case.name,
            "program": case.program.name,
            "size": dict(case.size.values),
            "contenders": {"anadrome": ours, name: theirs},
        }
        report.save(family, [made])
    report.save("machine", {"processor": "a good one"})
    text = report.write_report()
    assert "- processor: a good one" in text
    assert "Geometric mean of JAX ÷ ours over 1 kernels: **4.00** (✗ ≥ 5)." in text
    assert "| tree network H=64 leaves=8 | 1.00 ms | pytorch | **4.00**" in text
    lines = (tmp_path / "speed.md").read_text().splitlines()
    assert lines[2:] == [
        "| 1 loop kernels, geometric mean |  | jax | **4.00** |",
        "| tree network H=64 leaves=8 | 1.00 ms | pytorch | **4.00** |",
    ]
