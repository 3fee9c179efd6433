"""Listing 13.9: a network with one hidden layer, of the size of its input."""

from __future__ import annotations

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


def logsumexp(x):
    return np.log(np.sum(np.exp(x), axis=-1, keepdims=True))


def logsoftmax(logits):
    return logits - logsumexp(logits)


def softmax_xent(logits, y):
    return -np.sum(logsoftmax(logits) * y, axis=-1)


def mlp(x, w1, b1, wout, bout, label):
    h1 = np.tanh(np.dot(x, w1) + b1)
    out = np.dot(h1, wout) + bout
    loss = np.mean(softmax_xent(out, label))
    return loss


def arguments(rng, B, n, classes=10):
    return (
        single(rng, B, n),
        single(rng, n, n, scale=n**-0.5),
        single(rng, n, scale=0.1),
        single(rng, n, classes, scale=n**-0.5),
        single(rng, classes, scale=0.1),
        np.eye(classes, dtype=np.float32)[rng.integers(0, classes, B)],
    )


PROGRAMS = (
    Program(
        name="MLP",
        function=mlp,
        arguments=arguments,
        argnums=(1, 2, 3, 4),
        sizes=sizes(
            tuple({"B": 16, "n": n} for n in (64, 256, 1024)),
            tuple({"B": 16, "n": n} for n in (128, 512, 2048)),
        ),
        tiny={"B": 3, "n": 7},
        peers={
            "pytorch": Peer("torch", "torch_small.mlp"),
            "torch.compile": Peer("torch.compile", "torch_small.mlp"),
            "jax": Peer("jax", "jax_small.mlp"),
            "autograd": Peer("autograd"),
        },
        goals=(
            Goal("best peer", 3, lambda size: size["n"] == 64),
            Goal("best peer", 1, lambda size: size["n"] != 64),
        ),
        primal=True,
    ),
)
