"""The registry of small programs that every part of the compiler is tested on.

To add a program, write the function in the module of its topic (or in a new module
of this folder; all are found by themselves) and put the decorator on it::

    @program(lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=3)))
    def running_sum(x, w):
        total = 0.0
        for row in x:
            total += np.tanh(row @ w)
        return total

The sampler makes one tuple of arguments. The program returns a float, or a small
float array (say so with the tag "jacobian"). It must be the same function at every
call, smooth at the sampled point (no kink or tie within 1e-4 for any seed of `SEEDS`),
and take milliseconds. Keep it between 3 and 20 lines, the way people write it.

`wrt` names the differentiable arguments by position; left out, it is every argument
that holds a float or a float array, at any depth of lists, tuples, dicts and records.
`second_order=False` says that the second derivative is not to be checked. Tags:

- "tricky": written to catch a mistake (aliases, late binding, odd exits, ...);
- "writes": stores into an array, list, dict or attribute, "arguments" if one of
  its own arguments is written;
- "float32": float32 arguments give a float32 result;
- "object": an argument is an instance of an ordinary class;
- "beyond": outside the promised language, to be right or to be refused by name;
- "composed": put together from a snippet and a context, not written by hand.

A closure, a lambda or a bound method is registered with `add(name, function, sampler)`.
"""

import copy
import dataclasses
import importlib
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

Sampler = Callable[[np.random.Generator], tuple]

PROGRAMS: list["Program"] = []

SEEDS = range(6)


@dataclasses.dataclass(frozen=True)
class Program:
    """One function, its sample arguments, and what may be asked of it."""

    name: str
    function: Callable
    sampler: Sampler
    wrt: tuple[int, ...]
    second_order: bool
    tags: frozenset[str]

    def arguments(self, seed: int = 0) -> tuple:
        """Fresh sample arguments, the same ones for the same seed."""
        return sample(self.name, self.sampler, seed)

    def __str__(self) -> str:
        return self.name


def program(
    sampler: Sampler,
    *,
    wrt: Iterable[int] | None = None,
    second_order: bool = True,
    tags: Iterable[str] = (),
) -> Callable[[Callable], Callable]:
    """A decorator that registers a function and returns it unchanged."""

    def register(function: Callable) -> Callable:
        module = function.__module__.rpartition(".")[2]
        name = f"{module}.{function.__name__}"
        add(name, function, sampler, wrt=wrt, second_order=second_order, tags=tags)
        return function

    return register


def add(
    name: str,
    function: Callable,
    sampler: Sampler,
    *,
    wrt: Iterable[int] | None = None,
    second_order: bool = True,
    tags: Iterable[str] = (),
) -> None:
    """Register a callable that a decorator cannot reach under `module.function`."""
    if any(known.name == name for known in PROGRAMS):
        raise ValueError(f"there already is a program named {name}")
    if wrt is None:
        arguments = sample(name, sampler, SEEDS[0])
        wrt = [i for i, value in enumerate(arguments) if has_floats(value)]
    PROGRAMS.append(
        Program(name, function, sampler, tuple(wrt), second_order, frozenset(tags))
    )


def sample(name: str, sampler: Sampler, seed: int) -> tuple:
    """The sampler's arguments, from a stream of random numbers of the program's own."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    arguments = sampler(rng)
    if not isinstance(arguments, tuple):
        raise TypeError(f"the sampler of {name} must return a tuple of arguments")
    return arguments


def load() -> list[Program]:
    """Every program of the corpus, in the order of their modules' names."""
    folder = Path(__file__).parent
    for path in sorted(folder.glob("*.py")):
        importlib.import_module(f"{folder.name}.{path.stem}")
    return PROGRAMS


def map_floats(function: Callable[[Any], Any], value: Any) -> Any:
    """A copy of `value` with `function` applied to each float and float array in it."""
    if isinstance(value, float | np.floating):
        return function(value)
    if isinstance(value, np.ndarray):
        return function(value) if value.dtype.kind == "f" else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_floats(function, item) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(map_floats(function, item) for item in value)
    if isinstance(value, dict):
        return {key: map_floats(function, item) for key, item in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, type | FunctionType):
        twin = copy.copy(value)
        for key, item in vars(value).items():
            object.__setattr__(twin, key, map_floats(function, item))
        return twin
    return value


def has_floats(value: Any) -> bool:
    """Whether a float or a float array is found in `value`."""
    found = []
    map_floats(found.append, value)
    return bool(found)
