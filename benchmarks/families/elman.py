"""Figure 13.1: an Elman network with one input at the first step of 128."""

from __future__ import annotations

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


def elman(x, label, Wx, Wh, b, Wout, bout, steps):
    h = np.tanh(x @ Wx + b)
    for _ in range(steps - 1):
        h = np.tanh(h @ Wh + b)
    logits = h @ Wout + bout
    normaliser = np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))
    return -np.mean(np.sum((logits - normaliser) * label, axis=-1))


def arguments(rng, T, B, H, classes=10):
    return (
        single(rng, B, H),
        np.eye(classes, dtype=np.float32)[rng.integers(0, classes, B)],
        single(rng, H, H, scale=H**-0.5),
        single(rng, H, H, scale=H**-0.5),
        single(rng, H, scale=0.1),
        single(rng, H, classes, scale=H**-0.5),
        single(rng, classes, scale=0.1),
        T,
    )


PROGRAMS = (
    Program(
        name="Elman RNN",
        function=elman,
        arguments=arguments,
        argnums=(2, 3, 4, 5, 6),
        sizes=sizes(
            tuple({"T": 128, "B": 16, "H": n} for n in (64, 256, 1024)),
            tuple({"T": 128, "B": 16, "H": n} for n in (128, 512, 2048)),
        ),
        tiny={"T": 4, "B": 2, "H": 5},
        peers={
            "pytorch": Peer("torch", "torch_recurrent.elman"),
            "nn.RNN": Peer("torch", "torch_recurrent.elman_module"),
            "jax": Peer("jax", "jax_recurrent.elman"),
            "autograd": Peer("autograd"),
        },
        goals=(
            Goal("best peer", 2, lambda size: size["H"] <= 256),
            Goal("best peer", 1, lambda size: size["H"] > 256),
        ),
        tolerance=2e-3,
        primal=True,
    ),
)
