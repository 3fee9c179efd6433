"""A recursive network over trees: the function calls itself on the branches.

A tree is a leaf, which is a number, or a pair of trees with an operator; the network
learns to compute its value from the leaves up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad


@dataclass
class Tree:
    value: float
    left: Tree | None = None
    right: Tree | None = None


@dataclass
class Network:
    leaf: np.ndarray  # (H,)    what a leaf's number is multiplied by
    left: np.ndarray  # (H, H)
    right: np.ndarray  # (H, H)
    out: np.ndarray  # (H,)


def encode(network, tree):
    """A vector for a tree."""
    if tree.left is None:
        return np.tanh(network.leaf * tree.value)
    a = encode(network, tree.left)
    b = encode(network, tree.right)
    return np.tanh(network.left @ a + network.right @ b)


def loss(network, trees, targets):
    total = 0.0
    for tree, target in zip(trees, targets):
        total += (network.out @ encode(network, tree) - target) ** 2
    return total / len(trees)


def random_tree(rng, depth):
    """A tree whose leaves hold numbers between -1 and 1."""
    if depth == 0 or rng.random() < 0.3:
        return Tree(float(rng.uniform(-1, 1)))
    return Tree(0.0, random_tree(rng, depth - 1), random_tree(rng, depth - 1))


def evaluate(tree):
    """What is to be learned: the mean of the branches' difference."""
    if tree.left is None:
        return tree.value
    return 0.7 * (evaluate(tree.left) - evaluate(tree.right))


def train(steps=120, size=6, seed=0):
    """The losses of gradient descent."""
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, 4) for _ in range(30)]
    targets = [evaluate(tree) for tree in trees]
    network = Network(
        rng.normal(size=size),
        0.4 * rng.normal(size=(size, size)),
        0.4 * rng.normal(size=(size, size)),
        0.1 * rng.normal(size=size),
    )
    step = ad.value_and_grad(loss)
    losses = []
    for _ in range(steps):
        value, gradient = step(network, trees, targets)
        losses.append(value)
        for name, g in vars(gradient).items():
            setattr(network, name, getattr(network, name) - 0.2 * g)
    return losses


if __name__ == "__main__":
    history = train()
    for k in range(0, 120, 20):
        print(f"step {k:3}   mean squared error {history[k]:.5f}")
    print(f"at the end {history[-1]:.5f}")
