"""What `make demo` shows: a function, its gradient, and the gradient's source."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

import anadrome as ad


def loss(w, xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += (np.tanh(w @ x) - y) ** 2
    return total


def show_gradient() -> None:
    """A loss with a loop, its gradient as source, and a check of the numbers."""
    rng = np.random.default_rng(0)
    w, xs = rng.normal(size=3), rng.normal(size=(5, 3))
    ys = np.sign(xs[:, 0])
    heading("A function of plain Python and NumPy")
    print(inspect.getsource(loss))
    heading("Its gradient, as the compiler wrote it")
    print(ad.source(ad.grad(loss), w, xs, ys))
    heading("Its value, beside central differences")
    print("gradient    ", ad.grad(loss)(w, xs, ys))
    steps = 1e-6 * np.eye(3)
    slopes = [(loss(w + h, xs, ys) - loss(w - h, xs, ys)) / 2e-6 for h in steps]
    print("differences ", np.array(slopes))


def show_training() -> None:
    """Gradient descent on the same loss."""
    rng = np.random.default_rng(0)
    w, xs = rng.normal(size=3), rng.normal(size=(40, 3))
    ys = np.tanh(xs @ np.array([1.0, -2.0, 0.5]))
    step = ad.value_and_grad(loss)
    heading("Gradient descent")
    for k in range(101):
        value, gradient = step(w, xs, ys)
        w = w - 0.02 * gradient
        if k % 25 == 0:
            print(f"step {k:3}   loss {value:.6f}   w {np.round(w, 3)}")


def heading(text: str) -> None:
    """Print a title."""
    print(f"\n{text}\n{'-' * len(text)}")


PARTS: tuple[Callable[[], None], ...] = (show_gradient, show_training)


if __name__ == "__main__":
    for part in PARTS:
        part()
