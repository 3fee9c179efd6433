"""A multilayer perceptron that learns what no line can divide: two spirals.

Layers are a tuple of records, the network a loop over it, the gradient a tuple of
records like them. The step, which is loss, gradient and update, is compiled to native
code.
"""

import numpy as np

import anadrome as ad
from anadrome import nn
from anadrome.random import key, split


def scores(layers, x):
    """The scores (N,) of examples x (N, 2): positive for the one class."""
    for layer in layers[:-1]:
        x = np.tanh(nn.linear(layer, x))
    return nn.linear(layers[-1], x)[:, 0]


def loss(layers, x, y):
    return nn.binary_cross_entropy(scores(layers, x), y, np.ones_like(y))


def make_examples():
    """Two arms of a hundred points that wind around each other."""
    turn = np.linspace(0.5, 3.5, 100)
    arm = np.column_stack((turn * np.cos(2 * turn), turn * np.sin(2 * turn)))
    x = np.concatenate((arm, -arm)).astype(np.float32) / 2
    return x, np.repeat(np.array([0, 1], np.float32), 100)


def train(steps=600, rate=0.02, native=True):
    """The layers after steps of Adam, and the losses before them."""
    x, y = make_examples()
    sizes = [2, 32, 32, 1]
    keys = split(key(0), 3)
    layers = tuple(map(nn.make_linear, keys, sizes, sizes[1:]))
    optimizer, gradient = nn.Adam(), ad.value_and_grad(loss)
    state, losses = optimizer.start(layers), []

    def step(layers, state, x, y):
        value, slopes = gradient(layers, x, y)
        layers, state = optimizer.update(layers, slopes, state, rate)
        return layers, state, value

    run = ad.jit(step) if native else step
    for _ in range(steps):
        layers, state, value = run(layers, state, x, y)
        losses.append(float(value))
    return layers, losses


if __name__ == "__main__":
    network, history = train()
    for k in (0, 50, 100, 200, 400, 599):
        print(f"step {k:3}   loss {history[k]:.4f}")
    points, classes = make_examples()
    right = np.mean((scores(network, points) > 0) == classes)
    print(f"{right:.0%} of the points are on the right side")
