"""What every method of second order can do, and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

Loss = Callable[..., Any]
"""A function of parameters and what else there is, of which one number comes out."""


class Minimizer(Protocol):
    """A record of constants that makes steps on a loss, whose derivatives it asks for.

    The loss is one of the whole data, or of a batch that is the same for all that a
    step computes. What comes after the state are further arguments of the loss.
    """

    def start(self, params: Any) -> Any:
        """The state before the first step."""

    def step(
        self, loss: Loss, params: Any, state: Any, *args: Any
    ) -> tuple[Any, Any, float]:
        """The parameters and the state after a step, and the loss before it."""


@dataclass(frozen=True)
class Minimum:
    """Where a minimisation ended: the parameters, the loss there, and the steps."""

    params: Any
    value: float
    steps: int


def minimize(
    minimizer: Minimizer,
    loss: Loss,
    params: Any,
    *args: Any,
    steps: int = 100,
    tolerance: float = 1e-12,
) -> Minimum:
    """The minimum that so many steps reach.

    They end earlier when a step changes the loss by no more than the tolerance, as a
    share of the loss if that is above 1.
    """
    state = minimizer.start(params)
    before = None
    for done in range(steps):
        moved, state, value = minimizer.step(loss, params, state, *args)
        if before is not None and abs(before - value) <= tolerance * max(1, abs(value)):
            return Minimum(params, value, done)
        params, before = moved, value
    _, _, value = minimizer.step(loss, params, state, *args)
    return Minimum(params, value, steps)
