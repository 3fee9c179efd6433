"""Runs a program as plain Python and in every mode, and compares what came out."""

import contextlib
import io

import numpy as np

import anadrome as ad
from anadrome import tree

X, STEP = 1.25, 1e-6


class Table:
    """A decorator that collects programs.

    Each is a function of a number and of what the makers make, anew for each run.
    """

    def __init__(self):
        self.programs = []

    def __call__(self, *makers):
        def register(function):
            self.programs.append((function, makers))
            return function

        return register


MODES = ("python", "jvp", "jit", "jit grad")


def outcome(run):
    """What a run gives: a value, an exception or a refusal, and what it prints."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            value = run()
    except ad.AnadromeError as error:
        return "refused", error, out.getvalue()
    except Exception as error:
        return "raised", error, out.getvalue()
    return "value", value, out.getvalue()


def state(value, seen=()):
    """What can be seen of an argument after a run."""
    if id(value) in seen:
        return "again"
    inner = (*seen, id(value))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple | set):
        return [state(v, inner) for v in value]
    if isinstance(value, dict):
        return {str(k): state(v, inner) for k, v in value.items()}
    if hasattr(value, "__dict__") and not callable(value):
        table = object.__getattribute__(value, "__dict__")
        return {k: state(v, inner) for k, v in table.items()}
    return repr(value) if isinstance(value, float | int | str) else type(value)


def run_mode(mode, function, x, rest):
    """The value and the derivative, each None where a mode does not give it."""
    if mode == "python":
        return ad.value_and_grad(function)(x, *rest)
    if mode == "jvp":
        zeros = [tree.zeros_like(r) if tree.leaves(r) else None for r in rest]
        return ad.jvp(function, (x, *rest), (1.0, *zeros))
    if mode == "jit":
        return ad.jit(function)(x, *rest), None
    return None, ad.jit(ad.grad(function))(x, *rest)


def differences(function, makers, mode):
    """What a mode does differently from Python; a refusal is (None, why)."""

    def fresh():
        return [make() for make in makers]

    given = fresh()
    kind, expected, printed = outcome(lambda: function(X, *given))
    after = state(given)
    now = fresh()
    got_kind, got, got_printed = outcome(lambda: run_mode(mode, function, X, now))
    if got_kind == "refused":
        return None, got
    if got_kind != kind:
        return f"{got_kind} {got!r} instead of {kind} {expected!r}", None
    if kind == "raised":
        if type(got) is not type(expected):
            return f"{got!r} instead of {expected!r}", None
    else:
        value, slope = got
        if value is not None and not np.allclose(value, expected, equal_nan=True):
            return f"{value!r} instead of {expected!r}", None
        if slope is not None:
            up, down = (function(X + s, *fresh()) for s in (STEP, -STEP))
            wanted = (up - down) / (2 * STEP)
            if not np.allclose(slope, wanted, rtol=1e-5, atol=1e-6):
                return f"derivative {slope!r} instead of {wanted!r}", None
    if mode == "jit" and state(now) != after:
        return f"argument {state(now)} instead of {after}", None
    if got_printed != printed:
        return f"printed {got_printed!r} instead of {printed!r}", None
    return None, None
