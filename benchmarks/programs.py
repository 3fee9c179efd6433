"""The programs that are timed, written for any module that behaves like NumPy.

Each maker takes the array module and returns the function; `autograd` needs its own
module in place of NumPy, and cannot run those that write into arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Timed:
    """A program, its arguments, and whether it writes into arrays."""

    name: str
    make: Callable[[Any], Callable[..., Any]]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    argnums: tuple[int, ...]
    in_place: bool = False


def mlp(xp: Any) -> Callable[..., Any]:
    """Three layers and a softmax loss on a batch."""

    def loss(w1, w2, w3, x, y):
        h = xp.tanh(x @ w1)
        h = xp.tanh(h @ w2)
        z = h @ w3
        z = z - xp.max(z, axis=1, keepdims=True)
        return xp.mean(xp.log(xp.sum(xp.exp(z), axis=1)) - xp.sum(z * y, axis=1))

    return loss


def rnn(xp: Any) -> Callable[..., Any]:
    """An Elman network over a sequence."""

    def loss(W, U, b, xs):
        h = xp.zeros(W.shape[0])
        for t in range(xs.shape[0]):
            h = xp.tanh(W @ h + U @ xs[t] + b)
        return xp.sum(h * h)

    return loss


def lstm(xp: Any) -> Callable[..., Any]:
    """A long short-term memory over a sequence of batches."""

    def loss(W, U, b, xs):
        n = W.shape[0]
        h = xp.zeros((xs.shape[1], n))
        c = xp.zeros((xs.shape[1], n))
        for t in range(xs.shape[0]):
            z = h @ W + xs[t] @ U + b
            i = 1.0 / (1.0 + xp.exp(-z[:, :n]))
            f = 1.0 / (1.0 + xp.exp(-z[:, n : 2 * n]))
            o = 1.0 / (1.0 + xp.exp(-z[:, 2 * n : 3 * n]))
            c = f * c + i * xp.tanh(z[:, 3 * n :])
            h = o * xp.tanh(c)
        return xp.sum(h * h)

    return loss


def scalars(xp: Any) -> Callable[..., Any]:
    """A loop of arithmetic on numbers."""

    def loss(a, b):
        x = a
        for _ in range(500):
            x = x + 0.01 * (b - x * x)
        return x

    return loss


def heat(xp: Any) -> Callable[..., Any]:
    """A heat equation on a rod that is changed in place."""

    def loss(start, target):
        rod = start.copy()
        for _ in range(100):
            rod[1:-1] += 0.4 * (rod[2:] - 2.0 * rod[1:-1] + rod[:-2])
        difference = rod - target
        return xp.sum(difference * difference)

    return loss


def _softmax_batch(rng: np.random.Generator) -> tuple[Any, ...]:
    shapes = ((100, 128), (128, 128), (128, 10), (64, 100))
    return *(0.1 * rng.normal(size=s) for s in shapes), np.eye(10)[
        rng.integers(0, 10, 64)
    ]


def _sequence(rng: np.random.Generator, gates: int) -> tuple[Any, ...]:
    n, steps, batch = 64, 50, 16
    if gates == 1:
        shapes: tuple[tuple[int, ...], ...] = ((n, n), (n, n), (n,), (steps, n))
    else:
        shapes = ((n, gates * n), (n, gates * n), (gates * n,), (steps, batch, n))
    return tuple(0.1 * rng.normal(size=s) for s in shapes)


PROGRAMS = (
    Timed("network of three layers", mlp, _softmax_batch, (0, 1, 2)),
    Timed("RNN, 50 steps", rnn, lambda rng: _sequence(rng, 1), (0, 1, 2)),
    Timed("LSTM, 50 steps", lstm, lambda rng: _sequence(rng, 4), (0, 1, 2)),
    Timed("500 steps of numbers", scalars, lambda rng: (0.3, 0.5), (0, 1)),
    Timed(
        "heat equation in place",
        heat,
        lambda rng: (rng.normal(size=1000), rng.normal(size=1000)),
        (0,),
        in_place=True,
    ),
)
