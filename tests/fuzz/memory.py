"""Random programs about memory: layouts, views that may be copies, stores, dtypes.

`python -m fuzz.memory SEED COUNT [native]` writes programs, runs them in Python and in
every mode, and prints those that differ.
"""

from __future__ import annotations

import collections
import importlib.util
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from in_place import LAYOUTS, copied

import anadrome as ad
from anadrome.errors import AnadromeError

SHAPES = [(2, 3), (3, 2), (3, 3), (1, 3), (2, 1), (4,), (3,), (0, 3), (2, 2, 3), ()]

# Of an array of any rank: the rank of the result, or by how much it differs.
ANY_RANK = [
    ("{a}.ravel({order})", "1"),
    ("{a}.ravel({order})", "1"),
    ("np.ravel({a}{rest})", "1"),
    ("{a}.reshape(-1{rest})", "1"),
    ("np.reshape({a}, -1{rest})", "1"),
    ("{a}.flatten({order})", "1"),
    ("{a}.copy({order})", "+0"),
    ("np.copy({a}{rest})", "+0"),
    ("np.asarray({a}{rest})", "+0"),
    ("np.array({a})", "+0"),
    ("np.array({a}, copy=None)", "+0"),
    ("np.asfortranarray({a})", "+0"),
    ("{a}.astype({a}.dtype, copy=False)", "+0"),
    ("np.asarray({a}, dtype=np.float64)", "+0"),
    ("{a}.astype(np.float32)", "+0"),
    ("{a}[...]", "+0"),
    ("{a}.view()", "+0"),
    ("np.zeros_like({a})", "+0"),
    ("np.real({a})", "+0"),
    ("np.expand_dims({a}, 0)", "+1"),
    ("{a}.T", "+0"),
    ("{a} * s", "+0"),
    ("+{a}", "+0"),
    ("np.where({a} > -9.0, {a}, 0.0)", "+0"),
]
FROM_ONE = [
    ("{a}[::-1]", "+0"),
    ("{a}[1:]", "+0"),
    ("{a}[::2]", "+0"),
    ("np.flip({a}, 0)", "+0"),
    ("{a}[None]", "+1"),
    ("np.ascontiguousarray({a})", "+0"),
    ("{a}.reshape({a}.shape[::-1]{rest})", "+0"),
    ("{a}.reshape(1, -1{rest})", "2"),
]
FROM_TWO = [
    ("{a}[:, ::-1]", "+0"),
    ("{a}[:, 0]", "-1"),
    ("{a}[0]", "-1"),
    ("{a}[:, ::2]", "+0"),
    ("np.swapaxes({a}, 0, 1)", "+0"),
    ("{a}.reshape({a}.shape[0], -1{rest})", "2"),
    ("{a}.T.reshape(-1{rest})", "1"),
    ("{a}[:, 1:].reshape(-1)", "1"),
    ("np.transpose({a}).ravel({order})", "1"),
]
STORES = [
    "{a}[...] = {e}",
    "{a} += {e}",
    "{a} *= {e}",
    "{a}[...] = {a} * {e}",
    "np.copyto({a}, {e})",
    "np.multiply({a}, 2.0, out={a})",
]
STORES_FROM_ONE = [
    "{a}[0] = {e}",
    "{a}[0] -= {e}",
    "{a}[-1] *= 2.0",
    "{a}[::2] = {e}",
    "{a}[:1] += {a}[-1:]",
    "{a}[{a} > 1.0] = {e}",
    "{a}[[0, -1]] = {e}",
    "{a}.flat[0] = {e}",
]
STORES_FROM_TWO = [
    "{a}[0, 0] = {e}",
    "{a}[:, 0] = {e}",
    "{a}.T[0] = {e}",
    "{a}.ravel()[0] = {e}",
    "{a}.reshape(-1)[0] += {e}",
]
ENDS = ["np.sum({v} * {v})", "np.sum({v}) * s", "np.sum(np.sin({v}))"]


class Writer:
    """Writes one program of the arrays x and y and the number s."""

    def __init__(self, rng: random.Random, ranks: tuple[int, int]) -> None:
        self.rng = rng
        self.ranks = dict(zip("xy", ranks))
        self.lines: list[str] = []
        self.indent = 1

    def text(self, name: str) -> str:
        for _ in range(self.rng.randint(2, 6)):
            self._statement()
        count = min(len(self.ranks), self.rng.randint(1, 3))
        chosen = self.rng.sample(sorted(self.ranks), count)
        ends = [self.rng.choice(ENDS).format(v=v) for v in chosen]
        self._line("return " + " + ".join(ends))
        return "\n".join([f"def {name}(x, y, s):", *self.lines, ""])

    def _line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def _pick(self, rank: int | None = None) -> str:
        found = [k for k, r in self.ranks.items() if rank is None or r == rank]
        return self.rng.choice(found)

    def _number(self) -> str:
        a = self._pick()
        places = {0: f"{a}[()]", 1: f"{a}[0]", 2: f"{a}[0, -1]"}
        return self.rng.choice(
            ["s", "0.5", "2.0 * s", f"np.sum({a})", places.get(self.ranks[a], "s")]
        )

    def _view(self) -> tuple[str, int]:
        a = self._pick()
        rank = self.ranks[a]
        ways = ANY_RANK + FROM_ONE * (rank > 0) + FROM_TWO * (rank > 1)
        template, kind = self.rng.choice(ways)
        order = self.rng.choice(["", "", "order='F'", "order='C'"])
        rest = f", {order}" if order else ""
        made = template.format(a=a, order=order, rest=rest)
        return made, rank + int(kind) if kind[0] in "+-" else int(kind)

    def _store(self) -> None:
        a = self._pick()
        rank = self.ranks[a]
        ways = STORES + STORES_FROM_ONE * (rank > 0) + STORES_FROM_TWO * (rank > 1)
        self._line(self.rng.choice(ways).format(a=a, e=self._number()))

    def _bind(self, value: str, rank: int) -> None:
        name = f"v{len(self.ranks)}{len(self.lines)}"
        self._line(f"{name} = {value}")
        self.ranks[name] = rank

    def _statement(self, nested: bool = False) -> None:
        chance = self.rng.random()
        if chance < 0.42:
            self._bind(*self._view())
        elif chance < 0.76:
            self._store()
        elif chance < 0.84:
            a = self._pick()
            value, rank = self._view()
            if rank != self.ranks[a]:
                value = self._pick(self.ranks[a])
            test = self.rng.choice(["s > 0", "s > 1"])
            self._bind(f"{a} if {test} else {value}", self.ranks[a])
        elif chance < 0.94 and not nested:
            outside = dict(self.ranks)
            heads = ["for k in range(2):", "for k in range(0):", "if s > 1:"]
            self._line(self.rng.choice(heads))
            self.indent += 1
            for _ in range(self.rng.randint(1, 3)):
                self._statement(nested=True)
            self.indent -= 1
            self.ranks = outside
        else:
            self._bind(f"np.array({self._number()})", 0)


class Case:
    """A program and what it is called with."""

    def __init__(self, seed: int, number: int) -> None:
        rng = random.Random(seed * 100_003 + number)
        numbers = np.random.default_rng(seed * 100_003 + number)
        first = rng.choice(SHAPES)
        shapes = first, rng.choice([first, first, rng.choice(SHAPES)])
        self.name = f"program_{number}"
        self.text = Writer(rng, tuple(map(len, shapes))).text(self.name)  # type: ignore[arg-type]
        kinds = [np.float32 if rng.random() < 0.2 else np.float64 for _ in shapes]
        arrays = [
            np.asarray(numbers.uniform(-2, 2, shape).astype(kind))
            for shape, kind in zip(shapes, kinds)
        ]
        self.layouts = [rng.choice(list(LAYOUTS)) for _ in shapes]
        self.args = (*arrays, rng.choice([0.7, 1.3]))
        self.narrow = np.float32 in kinds or "float32" in self.text
        self.tangents = [
            numbers.uniform(-1, 1, a.shape).astype(a.dtype) for a in arrays
        ]

    def given(self, args: tuple[Any, ...] | None = None) -> list[Any]:
        """Arguments that lie in memory in the ways of this case."""
        args = args or self.args
        x, y = (copied((a,), lay)[0] for a, lay in zip(args, self.layouts))
        return [x, y, args[2]]

    def close(self, a: Any, b: Any, tolerance: float) -> bool:
        """Whether two results are the same as far as their dtypes tell."""
        tolerance = (
            max(tolerance, 5e-2 if tolerance > 1e-6 else 1e-5)
            if (self.narrow)
            else tolerance
        )
        a, b = np.asarray(a, float), np.asarray(b, float)
        scale = 1 + np.max(np.abs(b), initial=0)
        return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * scale))


def load(cases: list[Case]) -> Any:
    """The programs as a module, which their source is read from."""
    path = Path(tempfile.mkdtemp()) / "memory_programs.py"
    path.write_text("\n\n".join(["import numpy as np", *(c.text for c in cases)]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def slopes(function: Any, case: Case, step: float) -> list[Any]:
    """The gradient by central differences."""
    found = []
    for k, a in enumerate(case.args):
        d = np.zeros(np.shape(a))
        for at in np.ndindex(d.shape):
            ends = []
            for sign in (1, -1):
                moved = np.array(a)
                moved[at] += sign * step
                new = moved if np.ndim(a) or k < 2 else float(moved)
                args = (*case.args[:k], new, *case.args[k + 1 :])
                ends.append(float(function(*case.given(args))))
            d[at] = (ends[0] - ends[1]) / (2 * step)
        found.append(d)
    return found


def check(function: Any, case: Case, native: bool) -> dict[str, str]:
    """What each mode makes of a program: "right", "refused", or what is wrong."""
    changed = case.given()
    try:
        value = function(*changed)
        step = 2.0**-5 if case.narrow else 1e-4
        wanted = slopes(function, case, step)
        again = slopes(function, case, step / 2)
    except Exception as error:
        return {"python": f"raises {type(error).__name__}"}
    smooth = all(case.close(a, b, 1e-5) for a, b in zip(wanted, again))
    if not np.isfinite(value) or abs(value) > 1e5 or not smooth:
        return {"python": "wild"}

    def run(call: Any, good: Any) -> str:
        given = case.given()
        try:
            found = call(given)
        except AnadromeError:
            return "refused"
        except Exception as error:
            return f"raises {error!r}"
        return good(found, given)

    def as_python(found: Any, given: list[Any]) -> str:
        if not case.close(found, value, 1e-9):
            return f"gives {found}, not {value}"
        if not all(case.close(a, b, 1e-9) for a, b in zip(given, changed)):
            return f"leaves {given}, not {changed}"
        return "right"

    def unchanged(given: list[Any]) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(given, case.given()))

    def gradients(found: Any, given: list[Any]) -> str:
        if not unchanged(given):
            return f"changes its arguments to {given}"
        if not case.close(found[0], value, 1e-9):
            return f"gives {found[0]}, not {value}"
        if not all(case.close(a, b, 1e-5) for a, b in zip(found[1], wanted)):
            return f"has the gradient {found[1]}, not {wanted}"
        return "right"

    along = [*case.tangents, 0.3]
    slope = sum(np.sum(d * t) for d, t in zip(wanted, along))

    def tangent(found: Any, given: list[Any]) -> str:
        if not unchanged(given):
            return f"changes its arguments to {given}"
        if not case.close(found[0], value, 1e-9):
            return f"gives {found[0]}, not {value}"
        if not case.close(found[1], slope, 1e-5):
            return f"has the slope {found[1]}, not {slope}"
        return "right"

    derived = ad.value_and_grad(function, (0, 1, 2))
    pushed = [np.array(t) for t in case.tangents]
    if not native:
        return {
            "grad": run(lambda a: derived(*a), gradients),
            "jvp": run(lambda a: ad.jvp(function, tuple(a), (*pushed, 0.3)), tangent),
        }
    return {
        "jit": run(lambda a: ad.jit(function)(*a), as_python),
        "jit grad": run(lambda a: ad.jit(derived)(*a), gradients),
    }


def main() -> None:
    """Run programs and print what is wrong with them."""
    warnings.simplefilter("ignore")
    seed, count, native = int(sys.argv[1]), int(sys.argv[2]), "native" in sys.argv
    cases = [Case(seed, k) for k in range(count)]
    module = load(cases)
    tally: collections.Counter[str] = collections.Counter()
    for case in cases:
        for mode, verdict in check(getattr(module, case.name), case, native).items():
            plain = verdict in ("right", "refused") or mode == "python"
            tally[f"{mode}: {verdict.split()[0] if plain else 'WRONG'}"] += 1
            if not plain:
                kinds = [(a.dtype.name, a.shape) for a in case.args[:2]]
                print(f"\n{case.text}\n# {case.layouts} {kinds} {case.args[2]}")
                print(f"# {mode} {verdict}", flush=True)
    print(dict(tally))


if __name__ == "__main__":
    main()
