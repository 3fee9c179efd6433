"""Check that native code does what the Python backend does, on random programs.

    python tests/fuzz/native.py --programs 2000 --seed 0

The programs are those of `run.py`. Each is compared as it is and as its gradient: the
result, the arguments after the call, and the class of an exception.
"""

from __future__ import annotations

import argparse
import collections
import copy
import multiprocessing
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from fuzz.checking import Verdict, forget, load, sample_arguments
from fuzz.run import label, program_text

import anadrome as ad
from anadrome.errors import AnadromeError

TOLERANCE = 1e-9


def outcome(function: Any, args: tuple[Any, ...]) -> Any:
    """The result and the changed arguments of a call, or the class of its exception."""
    given = copy.deepcopy(args)
    try:
        return function(*given), given
    except AnadromeError:
        raise
    except Exception as error:
        return type(error)


def beside(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments that differ in their last digits: where that matters, nothing is told.

    A program that amplifies rounding so much may give anything.
    """
    return tuple(a * (1.0 + 1e-14) for a in args)


def difference(found: Any, wanted: Any) -> str:
    """What differs between two outcomes, or nothing."""
    if isinstance(wanted, tuple | list):
        if type(found) is not type(wanted) or len(found) != len(wanted):
            return f"{found} for {wanted}"
        parts = (difference(f, w) for f, w in zip(found, wanted))
        return next((p for p in parts if p), "")
    if isinstance(wanted, type) or wanted is None:
        return "" if found is wanted else f"{found} for {wanted}"
    f, w = np.asarray(found), np.asarray(wanted)
    if f.shape != w.shape or f.dtype != w.dtype:
        return f"{f.dtype}{f.shape} for {w.dtype}{w.shape}"
    scale = 1.0 + np.max(np.abs(w[np.isfinite(w)]), initial=0.0)
    near = (np.abs(f - w) <= TOLERANCE * scale) | (f == w) | (np.isnan(f) & np.isnan(w))
    return "" if np.all(near) else f"{found} for {wanted}"


def check_native(text: str, seed: int) -> Verdict:
    """The verdict on the program of a module, at the arguments of a seed."""
    name = f"native_{abs(hash(text))}"
    args = sample_arguments(seed)
    stage = "reading"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            program = load(text, name)["program"]

            def summed(x: Any, y: Any, m: Any, s: Any) -> Any:
                return np.sum(program(x, y, m, s))

            gradient = ad.value_and_grad(summed, tuple(range(len(args))))
            stages = {"primal": program, "gradient": gradient}
            for stage, function in stages.items():
                try:
                    wanted = outcome(function, args)
                except AnadromeError:
                    return Verdict("skipped", "refused before", stage)
                try:
                    found = outcome(ad.jit(function), args)
                except AnadromeError as error:
                    return Verdict("refused", error.message, stage)
                wrong = difference(found, wanted)
                if wrong and difference(outcome(function, beside(args)), wanted):
                    return Verdict("skipped", "too steep", stage)
                if wrong:
                    return Verdict("wrong", wrong, stage)
                if isinstance(wanted, type):
                    break
        except Exception as error:
            return Verdict("crashed", f"{type(error).__name__}: {error}", stage)
        finally:
            forget(name)
    return Verdict("right")


def examine(seed: int, start: int, stop: int) -> list[tuple[int, Verdict]]:
    """Index and verdict of a range of programs."""
    return [(k, check_native(program_text(seed, k), k)) for k in range(start, stop)]


def _examine_into(queue: Any, *given: int) -> None:
    queue.put(examine(*given))


def guarded(seed: int, start: int, stop: int) -> list[tuple[int, Verdict]]:
    """The same in a process of its own: one that dies is a program that is wrong."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=_examine_into, args=(queue, seed, start, stop))
    process.start()
    process.join()
    if process.exitcode == 0:
        return queue.get()
    if stop - start == 1:
        died = Verdict("crashed", f"the process died: {process.exitcode}", "native")
        return [(start, died)]
    middle = (start + stop) // 2
    return guarded(seed, start, middle) + guarded(seed, middle, stop)


def main() -> int:
    """Run, report, and return 1 if a program failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    kinds: collections.Counter[str] = collections.Counter()
    groups: dict[str, list[tuple[int, Verdict]]] = collections.defaultdict(list)
    end = options.start + options.programs
    for start in range(options.start, end, 25):
        for k, verdict in guarded(options.seed, start, min(start + 25, end)):
            kinds[verdict.kind] += 1
            if verdict.kind != "right":
                groups[label(verdict)].append((k, verdict))
            if verdict.failed:
                print(f"program {k}: {label(verdict)}", file=sys.stderr, flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    for name, members in sorted(groups.items(), key=lambda g: -len(g[1])):
        k, verdict = members[0]
        print(f"{len(members):6} {name} (program {k}): {verdict.detail[:160]}")
    return int(kinds["wrong"] + kinds["crashed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
