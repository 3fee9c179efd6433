"""Limited-memory BFGS: curvature from the last few steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.minimizers.derivatives import from_vector, slope, to_vector
from anadrome.nn.minimizers.line_search import Point, search_wolfe
from anadrome.nn.minimizers.minimizer import Loss


@dataclass(frozen=True)
class LBFGSState:
    """The last changes of the parameters, and those of the gradient, oldest first."""

    moves: tuple[np.ndarray, ...] = ()
    turns: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class LBFGS:
    """Liu and Nocedal (1989); Nocedal and Wright (2006), algorithms 7.4 and 7.5.

    The length of a step is found by a search for the strong conditions of Wolfe.
    """

    memory: int = 10  # steps that are remembered

    def start(self, params: Any) -> LBFGSState:
        """An empty memory."""
        return LBFGSState()

    def step(
        self, loss: Loss, params: Any, state: LBFGSState, *args: Any
    ) -> tuple[Any, LBFGSState, float]:
        """One step along -H g, where H stands for the inverse of the Hessian."""
        value, g = slope(loss, params, *args)
        first = to_vector(params)
        direction = -inverse_product(state, g)
        if g @ direction >= 0:  # of a loss that is not the one remembered
            state, direction = LBFGSState(), -g

        def along(size: float) -> Point:
            there = from_vector(first + size * direction, params)
            found, gradient = slope(loss, there, *args)
            return Point(size, found, float(gradient @ direction), gradient)

        # Without a memory nothing is known of the scale: a step of length 1 at most.
        size = 1.0 if state.moves else 1.0 / max(1.0, float(np.linalg.norm(g)))
        begin = Point(0.0, value, float(g @ direction), g)
        end = search_wolfe(along, begin, size)
        move, turn = end.size * direction, end.gradient - g
        if end.size == 0:
            state = LBFGSState()
        elif move @ turn > 1e-10 * np.linalg.norm(move) * np.linalg.norm(turn):
            state = LBFGSState(
                (*state.moves, move)[-self.memory :],
                (*state.turns, turn)[-self.memory :],
            )
        return from_vector(first + move, params), state, value


def inverse_product(state: LBFGSState, g: np.ndarray) -> np.ndarray:
    """H g by two loops over the memory (algorithm 7.4)."""
    if not state.moves:
        return g
    pairs = list(zip(state.moves, state.turns))
    shares = []
    for move, turn in reversed(pairs):
        share = (move @ g) / (turn @ move)
        g = g - share * turn
        shares.append(share)
    move, turn = pairs[-1]
    g = g * ((move @ turn) / (turn @ turn))  # (7.20)
    for (move, turn), share in zip(pairs, reversed(shares)):
        g = g + (share - (turn @ g) / (turn @ move)) * move
    return g
