"""Logistic regression: the probability of a class, fitted by its gradient.

The loss is convex, so every method comes to the same weights: gradient descent in many
small steps, Newton's method in a few, with the Hessian that the compiler makes.
"""

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome import nn


@dataclass
class Weights:
    w: np.ndarray  # (D,)
    b: np.ndarray  # ()


def loss(p, x, y):
    """The mean cross-entropy of classes y (N,), 0 or 1, of examples x (N, D)."""
    logits = x @ p.w + p.b
    # log(1 + exp(z)) - y z, which is -log p(y | x)
    return np.mean(np.logaddexp(0.0, logits) - y * logits) + 0.01 * (p.w @ p.w)


def make_examples(seed=0):
    """Two clouds that overlap."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0.0, 1.0], 50)
    x = rng.normal(size=(100, 2)) + np.outer(y, [1.5, -1.0])
    return x, y


def descend(x, y, steps=300, rate=1.0):
    """The weights after steps of gradient descent, and the losses before them."""
    p, losses = Weights(np.zeros(2), np.array(0.0)), []
    gradient = ad.value_and_grad(loss)
    for _ in range(steps):
        value, g = gradient(p, x, y)
        losses.append(value)
        p = Weights(p.w - rate * g.w, p.b - rate * g.b)
    return p, losses


def solve(x, y):
    """The minimum, by Newton's method."""
    first = Weights(np.zeros(2), np.array(0.0))
    return nn.minimize(nn.Newton(), loss, first, x, y)


if __name__ == "__main__":
    points, classes = make_examples()
    found, history = descend(points, classes)
    for k in (0, 1, 10, 100, 299):
        print(f"step {k:3}   loss {history[k]:.6f}")
    minimum = solve(points, classes)
    print(f"Newton    loss {minimum.value:.6f} after {minimum.steps} steps")
    right = np.mean((points @ found.w + found.b > 0) == classes)
    print(f"{right:.0%} of the examples are on the right side")
    print(ad.source(ad.grad(loss), found, points, classes))
