"""What is in scope at a point of a program, found by running it.

A program is written statement by statement. Before each, the program so far is run with
a probe at its end, and the probe describes the variables that are there: so the writer
needs no types of its own, and knows layouts, lengths and what is still unbound.
"""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzz.semantics.layouts import is_record

SECONDS = 1.0
_count = 0


@dataclass
class Kind:
    """A description of a value."""

    tag: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    writable: bool = True
    parts: dict[str, Kind] = field(default_factory=dict)  # by what is written after it

    @property
    def real(self) -> bool:
        """Whether it is a floating-point number or array."""
        return self.tag == "float" or self.dtype.startswith("float")

    @property
    def scalar(self) -> bool:
        """Whether it is a number of Python or NumPy."""
        return self.tag in ("float", "int", "bool", "complex", "npnum")


def describe(value: Any, depth: int = 0) -> Kind:
    """The kind of a value."""
    if value is None:
        return Kind("none")
    if type(value) in (float, int, bool, complex, str, range, slice):
        return Kind(type(value).__name__)
    if isinstance(value, np.ndarray):
        return Kind("array", value.dtype.name, value.shape, value.flags.writeable)
    if isinstance(value, np.generic):
        return Kind("npnum", value.dtype.name)
    parts: dict[str, Kind] = {}
    if isinstance(value, list | tuple):
        if depth < 2:
            parts = {f"[{k}]": describe(v, depth + 1) for k, v in enumerate(value[:4])}
        return Kind(type(value).__name__, shape=(len(value),), parts=parts)
    if isinstance(value, dict):
        if depth < 2:
            parts = {f"[{k!r}]": describe(v, depth + 1) for k, v in value.items()}
        return Kind("dict", shape=(len(value),), parts=parts)
    if callable(value):
        return Kind("function")
    if hasattr(value, "__next__"):
        return Kind("iterator")
    if is_record(value):
        if depth < 2:
            items = vars(value).items()
            parts = {f".{k}": describe(v, depth + 1) for k, v in items if k[0] != "_"}
        return Kind("object", dtype=type(value).__name__, parts=parts)
    return Kind(type(value).__name__)


class TooLong(BaseException):
    """A program that does not end."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what takes more seconds of this process."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass
class Trial:
    """What happened when a text was run."""

    scope: dict[str, Kind] | None = None
    error: type[BaseException] | None = None
    value: Any = None


def try_out(text: str) -> Trial:
    """Run the program of a text; `__probe__(locals())` in it says what is there."""
    global _count
    _count += 1
    trial = Trial()

    def probe(scope: dict[str, Any]) -> None:
        if trial.scope is None:
            trial.scope = {k: describe(v) for k, v in scope.items() if k[0] != "_"}

    module = types.ModuleType(f"fuzz_trial_{_count}")
    module.__dict__["__probe__"] = probe
    sys.modules[module.__name__] = module
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            with limited(SECONDS):
                exec(compile(text, "<trial>", "exec"), module.__dict__)
                arguments = module.__dict__["arguments"]()
                trial.value = describe(module.__dict__["program"](*arguments))
        except (Exception, TooLong) as error:
            trial.error = type(error)
        finally:
            del sys.modules[module.__name__]
    return trial
