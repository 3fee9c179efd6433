"""What is measured: a program in plain NumPy, its arguments, and its peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Size:
    """The sizes of one measurement; those that are quick belong to the short run."""

    values: Mapping[str, int]
    quick: bool = True

    @property
    def label(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.values.items())


@dataclass(frozen=True)
class Peer:
    """How another library computes the same.

    `kind` says how it is run (see `contenders.RUNNERS`) and `where` names the
    function, as `module.function` of `benchmarks.peers`.
    """

    kind: str
    where: str = ""


@dataclass(frozen=True)
class Goal:
    """A ratio that is aimed at: the named contender's time ÷ ours."""

    against: str
    ratio: float
    # Sizes this goal is for; all when there is no condition.
    holds_for: Callable[[Mapping[str, int]], bool] = lambda size: True


@dataclass(frozen=True)
class Program:
    """A function of arrays, to be timed with its gradient if there are `argnums`."""

    name: str
    function: Callable[..., Any]
    # From a generator and the sizes to the arguments.
    arguments: Callable[..., Arguments]
    argnums: tuple[int, ...]
    sizes: tuple[Size, ...]
    tiny: Mapping[str, int]
    peers: Mapping[str, Peer] = field(default_factory=dict)
    goals: tuple[Goal, ...] = ()
    # Relative to the norm of each array.
    tolerance: float = 2e-4
    # Whether the function without its gradient is timed too.
    primal: bool = False

    def make_arguments(self, sizes: Mapping[str, int]) -> Arguments:
        """The arguments, the same in every process."""
        return self.arguments(np.random.default_rng(0), **sizes)

    def cases(self, quick: bool) -> list[Case]:
        return [Case(self, s) for s in self.sizes if s.quick or not quick]


@dataclass(frozen=True)
class Case:
    """A program at one size."""

    program: Program
    size: Size

    @property
    def name(self) -> str:
        return f"{self.program.name} {self.size.label}".strip()


def sizes(quick: tuple[Any, ...], full: tuple[Any, ...] = ()) -> tuple[Size, ...]:
    """Sizes of the short run, and those that only the full run has."""
    return (*(Size(s) for s in quick), *(Size(s, quick=False) for s in full))


def single(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Normally distributed numbers in single precision."""
    return (scale * rng.normal(size=shape)).astype(np.float32)
