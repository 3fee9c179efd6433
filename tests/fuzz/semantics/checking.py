"""The verdict on a random program: right, refused, or wrong.

What plain Python does with it is compared with

- `ad.jit` of it, with one thread and with two: result with types, exception, the
  arguments afterwards, what is printed;
- `ad.value_and_grad` and `ad.jvp` of a number made of its result, as Python and as
  native code: the same, but the arguments stay as they were; called twice;
- differences in the direction of `layouts.moved`, where steps of several lengths agree.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.semantics.comparing import Outcome, difference, loose, settled
from fuzz.semantics.layouts import (
    is_floating,
    is_record,
    leaves,
    moved,
    nudged,
    rebuilt,
    shared,
)
from fuzz.semantics.live import TooLong, limited

import anadrome as ad
from anadrome.backends.native.runtime.threads import thread_pool
from anadrome.errors import CompilerError

SECONDS = 40.0
_count = 0


@dataclass(frozen=True)
class Verdict:
    """`kind` is "right", "skipped", "refused", "wrong", "crashed" or "hung"."""

    kind: str
    stage: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether the compiler is at fault."""
        return self.kind in ("wrong", "crashed", "hung")


# What native code may raise where Python goes on: docs/native.md says so.
DOCUMENTED = ("out of bounds for int64",)


HALF = r'float16|"(bool|u?int8)"|np\.u?int8'


class _Refused(Exception):
    def __init__(self, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {getattr(error, 'message', error)}")


class _Wrong(Exception):
    pass


@contextlib.contextmanager
def loaded(text: str) -> Iterator[Any]:
    """A module with this text, in a file of its own."""
    global _count
    _count += 1
    name = f"fuzz_program_{os.getpid()}_{_count}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
            yield module
        finally:
            del sys.modules[name]


def called(function: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """What happens in a call."""
    printed = io.StringIO()
    value, error = None, None
    np.random.seed(0)
    with contextlib.redirect_stdout(printed):
        try:
            value = function(*args)
        except ad.AnadromeError as refused:
            error = refused
        except Exception as raised:
            error = raised
        value = settled(value)
    return Outcome(value, error, settled(args), printed.getvalue())


def _compare(
    found: Outcome, wanted: Outcome, steep: Callable[[], bool], digits: float
) -> None:
    """Raise what is wrong, or that it was refused."""
    wrong = difference(found, wanted, digits)
    if not wrong:
        return
    if isinstance(found.error, CompilerError):
        raise _Wrong(f"internal error: {found.error.message}")
    documented = any(text in str(found.error) for text in DOCUMENTED)
    if found.error is not None and (
        isinstance(found.error, ad.AnadromeError) or documented
    ):
        raise _Refused(found.error)
    if wrong.startswith(("value", "argument: value")) and steep():
        return
    raise _Wrong(wrong)


# Text that makes a number of the result -----------------------------------------------


def _terms(value: Any, path: str, depth: int = 0) -> Iterator[str]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc" and value.size:
            yield (
                f"np.sum({path})"
                if value.dtype.kind == "f"
                else f"np.sum(np.real({path}))"
            )
    elif isinstance(value, float | np.floating):
        yield path
    elif isinstance(value, complex | np.complexfloating):
        yield f"np.real({path})"
    elif depth > 2:
        return
    elif isinstance(value, list | tuple):
        for k, v in enumerate(value):
            yield from _terms(v, f"{path}[{k}]", depth + 1)
    elif isinstance(value, dict):
        for k, v in value.items():
            if isinstance(k, str | int):
                yield from _terms(v, f"{path}[{k!r}]", depth + 1)
    elif is_record(value):
        for k, v in vars(value).items():
            yield from _terms(v, f"{path}.{k}", depth + 1)


def _with_loss(text: str, parameters: str, wanted: Outcome) -> str | None:
    """The text with a function `loss`, or nothing if no number comes out."""
    if wanted.error is not None:
        # Where it fails so has its derivative to fail, whatever it would return.
        body = [f"    program({parameters})", "    return 1.0"]
    elif isinstance(wanted.value, float | np.floating):
        body = [f"    return program({parameters})"]
    else:
        terms = list(_terms(wanted.value, "r"))[:5]
        if not terms:
            return None
        total = " + ".join(
            t if not k else f"0.{k + 3} * {t}" for k, t in enumerate(terms)
        )
        body = [f"    r = program({parameters})", f"    return {total}"]
    return "\n".join([text, "", f"def loss({parameters}):", *body, ""])


# Differences --------------------------------------------------------------------------


def _slope(module: Any, wanted: Any) -> float | None:
    """The derivative in the direction, or nothing where it is not sure."""

    def at(t: float) -> float:
        with moved(t), contextlib.redirect_stdout(io.StringIO()):
            return float(module.loss(*module.arguments()))

    try:
        middle = at(0.0)
        if not np.isfinite(middle) or abs(middle) > 1e6:
            return None
        if abs(middle - float(wanted)) > 1e-2 * (1 + abs(middle)):
            return None  # another path in double precision
        slopes = []
        for h in (3e-4, 1e-4, 2e-5):
            ahead, behind = at(h) - middle, middle - at(-h)
            if abs(ahead - behind) / h > 0.02 * (1 + abs(ahead / h)):
                return None  # a kink
            slopes.append((ahead + behind) / (2 * h))
    except (Exception, TooLong):
        return None
    spread = max(slopes) - min(slopes)
    if not np.isfinite(spread) or spread > 2e-4 * (1 + abs(slopes[1])):
        return None
    return slopes[1]


def _direction(module: Any) -> list[Any]:
    """The step of every leaf of the arguments, None where there is no derivative."""
    with moved(0.0):
        start = leaves(module.arguments())
    with moved(1.0):
        stop = leaves(module.arguments())
    return [b - a if is_floating(a) else None for a, b in zip(start, stop)]


def _tangents(args: tuple[Any, ...], steps: list[Any]) -> Any:
    order = iter(steps)

    def fit(leaf: Any) -> Any:
        step = next(order)
        if step is None:
            return None
        if isinstance(leaf, np.ndarray):
            return np.array(step, leaf.dtype.newbyteorder("="))
        return (
            leaf.dtype.type(step) if isinstance(leaf, np.generic) else type(leaf)(step)
        )

    return rebuilt(args, fit)


def _product(gradient: Any, steps: list[Any], args: Any) -> tuple[float, float] | None:
    """The gradient times the direction, and the size of its terms."""
    found = leaves(gradient)
    own = [s for s, a in zip(steps, leaves(args))]
    if len(found) != len(own):
        return None
    total, size = 0.0, 0.0
    for g, s in zip(found, own):
        if g is None or s is None:
            continue
        terms = np.real(np.asarray(g, complex) * s)
        total += float(np.sum(terms))
        size += float(np.sum(np.abs(terms)))
    return total, size


def _precision(text: str) -> float:
    if "float16" in text:
        return 3e-2
    if "float32" in text or "complex64" in text:
        return 1e-3
    return 1e-7


# The stages ---------------------------------------------------------------------------


class _Check:
    def __init__(self, text: str, only: str = "") -> None:
        self.text = text
        self.only = only
        # Functions of single precision differ in their last digits, whatever they are
        # put into.
        self.digits = 2e-6 if re.search("float32|complex64", text) else 0.0
        self.stage = "Python"
        self.refusals: list[tuple[str, str]] = []
        self.dtypes: list[tuple[str, str]] = []  # told when nothing worse is found

    def attempt(self, stage: str, check: Callable[[], Any]) -> Any:
        """What a stage finds, or nothing if it is refused."""
        # Native gradients are compared with those of Python.
        if self.only not in ("", stage) and (self.only, stage) != (
            "jit of grad",
            "grad",
        ):
            return None
        self.stage = stage
        try:
            return check()
        except _Refused as refused:
            self.refusals.append((stage, str(refused)))
            return None

    def run(self) -> Verdict:
        with loaded(self.text) as module:
            wanted = called(module.program, module.arguments())
            again = called(module.program, module.arguments())
        if difference(again, wanted):
            return Verdict("skipped", "", "not the same twice")
        if isinstance(wanted.error, MemoryError | RecursionError):
            return Verdict("skipped", "", "too large")
        parameters = ", ".join(_parameters(self.text))
        with_loss = _with_loss(self.text, parameters, wanted)
        with loaded(with_loss or self.text) as module:
            self.attempt("jit", lambda: self.primal(module, wanted))
            if with_loss is not None and self.only != "jit":
                self.derivatives(module)
        if self.dtypes:
            return Verdict("wrong", *self.dtypes[0])
        if self.refusals:
            return Verdict("refused", *self.refusals[0])
        return Verdict("right")

    def steep(self, module: Any, function: Any, wanted: Outcome) -> bool:
        """Whether arguments that differ in their last digits change the outcome."""
        with nudged():
            beside = called(function, module.arguments())
        if type(beside.error) is not type(wanted.error):
            return True
        return bool(
            loose(beside.value, wanted.value) or loose(beside.args, wanted.args)
        )

    def primal(self, module: Any, wanted: Outcome) -> None:
        native = ad.jit(module.program)

        def steep() -> bool:
            return self.steep(module, module.program, wanted)

        results = []
        for threads in (1, 2):
            thread_pool().resize(threads)
            self.stage = f"jit, {threads} thread{'s' * (threads > 1)}"
            found = called(native, module.arguments())
            results.append(found)
            _compare(found, wanted, steep, self.digits)
        thread_pool().resize(1)
        if results[0].error is None and not _same_bits(
            results[0].value, results[1].value
        ):
            raise _Wrong("value: bits depend on the number of threads")

    def derivatives(self, module: Any) -> None:
        args = module.arguments()
        wanted = called(module.loss, module.arguments())
        # Derivatives leave their arguments as they are.
        wanted.args = settled(module.arguments())
        argnums = tuple(
            k for k, a in enumerate(args) if any(is_floating(v) for v in leaves(a))
        )
        if not argnums or (
            wanted.error is None and not isinstance(wanted.value, float | np.floating)
        ):
            return
        steps = _direction(module)
        mixed = shared(args)

        def nudge() -> bool:
            return self.steep(module, module.loss, wanted)

        gradient = ad.value_and_grad(module.loss, argnums)

        def reverse(function: Any) -> Any:
            found = called(function, module.arguments())
            again = called(function, module.arguments())
            parts = None
            for one in (found, again):
                if one.error is None:
                    value, parts = one.value
                    one = Outcome(value, None, one.args, one.printed)
                _compare(one, wanted, nudge, self.digits)
            if found.error is None and _differ(found.value[1], again.value[1], 1e-9):
                raise _Wrong("gradient: another one in the second call")
            return parts

        chosen = tuple(args[k] for k in argnums)
        own = [
            s for k, a in enumerate(args) for s in _part(steps, args, k) if k in argnums
        ]
        python = self.attempt("grad", lambda: reverse(gradient))
        slope = None
        if python is not None:
            self.stage = "grad"
            self.shapes(python, chosen)
            # Steps that differences take are lost in half precision, which functions
            # of small integers have, and another path is next to `x or y` at zero.
            coarse = mixed or bool(re.search(HALF, self.text))
            coarse = coarse or (" or " in self.text and "0.0)" in self.text)
            slope = None if coarse else _slope(module, wanted.value)
            if slope is not None:
                self.sloping(python, own, chosen, slope)
        native = self.attempt("jit of grad", lambda: reverse(ad.jit(gradient)))
        if native is not None:
            self.stage = "jit of grad"
            self.shapes(native, chosen)
            if python is not None and _differ(native, python, _precision(self.text)):
                if not self.steep_gradient(module, gradient, python):
                    raise _Wrong(f"gradient: {_show(native)} for {_show(python)}")
        self.attempt(
            "jvp", lambda: self.forward(module, wanted, steps, slope, python, own)
        )

    def steep_gradient(self, module: Any, gradient: Any, parts: Any) -> bool:
        with nudged():
            beside = called(gradient, module.arguments())
        if beside.error is not None:
            return True
        return _differ(beside.value[1], parts, _precision(self.text))

    def shapes(self, gradient: Any, args: Any) -> None:
        """Every part of a gradient has the shape and the dtype of its argument."""
        found, given = leaves(gradient), leaves(args)
        if len(found) != len(given):
            raise _Wrong(f"gradient: {len(found)} parts for {len(given)}")
        for g, a in zip(found, given):
            if g is None or not is_floating(a):
                continue
            g, a = np.asarray(g), np.asarray(a)
            if g.shape != a.shape:
                raise _Wrong(f"gradient: shape {g.shape} for {a.shape}")
            if g.dtype.newbyteorder("=") != a.dtype.newbyteorder("="):
                self.dtypes.append(
                    (
                        self.stage,
                        f"gradient dtype: {g.dtype} for an argument of {a.dtype}",
                    )
                )

    def sloping(self, gradient: Any, steps: Any, args: Any, slope: float) -> None:
        found = _product(gradient, steps, args)
        if found is None:
            raise _Wrong("gradient: another structure than the arguments")
        total, size = found
        tolerance = max(_precision(self.text) * 10, 1e-3)
        # Zero times infinity on a path that `np.where` does not take is nan.
        if not np.isfinite(total):
            return
        if abs(total - slope) <= tolerance * (1 + abs(slope) + size):
            return
        raise _Wrong(f"gradient: slope {total:.8g} for {slope:.8g}")

    def forward(
        self,
        module: Any,
        wanted: Outcome,
        steps: Any,
        slope: Any,
        python: Any,
        own: Any,
    ) -> None:
        def push(*args: Any) -> Any:
            return ad.jvp(module.loss, args, _tangents(args, steps))

        found = called(push, module.arguments())
        tangent = None
        if found.error is None:
            value, tangent = found.value
            found = Outcome(value, None, found.args, found.printed)
        _compare(
            found,
            wanted,
            lambda: self.steep(module, module.loss, wanted),
            self.digits,
        )
        if tangent is None or wanted.error is not None:
            return
        if slope is not None:
            tolerance = max(_precision(self.text) * 10, 1e-3)
            if abs(tangent - slope) > tolerance * (1 + abs(slope)):
                if _precision(self.text) < 1e-2:
                    raise _Wrong(f"tangent: {tangent:.8g} for {slope:.8g}")
        if python is not None:
            product = _product(python, own, python)
            if (
                product is None
                or not np.isfinite(product[0])
                or not np.isfinite(tangent)
            ):
                return
            total, size = product
            if abs(total - tangent) > 10 * _precision(self.text) * (
                1 + size + abs(tangent)
            ):
                raise _Wrong(f"tangent: {tangent:.8g}, reverse mode {total:.8g}")


def _part(steps: list[Any], args: tuple[Any, ...], k: int) -> list[Any]:
    start = sum(len(leaves(a)) for a in args[:k])
    return steps[start : start + len(leaves(args[k]))]


def _differ(found: Any, wanted: Any, tolerance: float) -> bool:
    f, w = leaves(found), leaves(wanted)
    if len(f) != len(w):
        return True
    for a, b in zip(f, w):
        if a is None or b is None:
            if a is not b:
                return True
            continue
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            return True
        a, b = a.astype(complex), b.astype(complex)
        finite = np.isfinite(b)
        scale = 1 + np.max(np.abs(b[finite]), initial=0.0)
        same = (
            (np.abs(a - b) <= tolerance * scale)
            | (a == b)
            | (np.isnan(a) & np.isnan(b))
        )
        if not np.all(same):
            return True
    return False


def _show(value: Any) -> str:
    return " ".join(str(value).split())[:90]


def _same_bits(a: Any, b: Any) -> bool:
    for f, w in zip(leaves(a), leaves(b)):
        if isinstance(f, np.ndarray) and f.dtype != object:
            if f.tobytes() != np.asarray(w).tobytes():
                return False
    return True


def _parameters(text: str) -> list[str]:
    line = next(t for t in text.splitlines() if t.startswith("def program("))
    inside = line[line.index("(") + 1 : line.rindex(")")]
    return [p.strip() for p in inside.split(",") if p.strip()]


def _counted(verdict: Verdict, told: list[str]) -> Verdict:
    """The verdict if a program that ran in Python counts as refused."""
    if verdict.kind != "right" or not told:
        return verdict
    reasons = re.findall(r"^[A-Z]\w+: .*", told[0], re.MULTILINE)
    reason = reasons[0] if reasons else told[0]
    internal = reason.startswith("CompilerError")
    return Verdict("wrong" if internal else "refused", "jit", f"in Python, {reason}")


def check(text: str, only: str = "") -> Verdict:
    """The verdict on the program of a module, or on one stage of it."""
    checking = _Check(text, only)
    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ad.NotCompiled)
        try:
            with limited(SECONDS):
                return _counted(checking.run(), [str(w.message) for w in told])
        except _Wrong as wrong:
            return Verdict("wrong", checking.stage, str(wrong))
        except TooLong:
            if checking.stage == "Python":
                return Verdict("skipped", "", "does not end")
            return Verdict("hung", checking.stage, f"more than {SECONDS} seconds")
        except Exception as error:
            return Verdict(
                "crashed", checking.stage, f"{type(error).__name__}: {error}"
            )
