"""Cells that vendors fused by hand, here as plain loops: LSTM and GRU."""

from __future__ import annotations

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, W, U, b):
    T, B, _ = x.shape
    H = U.shape[0]
    h = np.zeros((B, H), dtype=x.dtype)
    c = np.zeros((B, H), dtype=x.dtype)
    loss = 0.0
    for t in range(T):
        z = x[t] @ W + h @ U + b
        i = sigmoid(z[:, :H])
        f = sigmoid(z[:, H : 2 * H])
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = sigmoid(z[:, 3 * H :])
        c = f * c + i * g
        h = o * np.tanh(c)
        loss += np.sum(h * h)
    return loss


def gru(x, W, U, b, d):
    T, B, _ = x.shape
    H = U.shape[0]
    h = np.zeros((B, H), dtype=x.dtype)
    loss = 0.0
    for t in range(T):
        z = x[t] @ W + b
        s = h @ U + d
        r = sigmoid(z[:, :H] + s[:, :H])
        u = sigmoid(z[:, H : 2 * H] + s[:, H : 2 * H])
        n = np.tanh(z[:, 2 * H :] + r * s[:, 2 * H :])
        h = (1 - u) * n + u * h
        loss += np.sum(h * h)
    return loss


def variable_lengths(x, lengths, W, U, b):
    """Sequences sorted by falling length: at each step those that still run."""
    T, B, _ = x.shape
    H = U.shape[0]
    h = np.zeros((B, H), dtype=x.dtype)
    c = np.zeros((B, H), dtype=x.dtype)
    for t in range(T):
        n = np.sum(lengths > t)
        z = x[t, :n] @ W + h[:n] @ U + b
        i = sigmoid(z[:, :H])
        f = sigmoid(z[:, H : 2 * H])
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = sigmoid(z[:, 3 * H :])
        c[:n] = f * c[:n] + i * g
        h[:n] = o * np.tanh(c[:n])
    return np.sum(h * h)


def lstm_arguments(rng, T, B, H):
    return (
        single(rng, T, B, H),
        single(rng, H, 4 * H, scale=H**-0.5),
        single(rng, H, 4 * H, scale=H**-0.5),
        single(rng, 4 * H, scale=0.1),
    )


def gru_arguments(rng, T, B, H):
    return (
        single(rng, T, B, H),
        single(rng, H, 3 * H, scale=H**-0.5),
        single(rng, H, 3 * H, scale=H**-0.5),
        single(rng, 3 * H, scale=0.1),
        single(rng, 3 * H, scale=0.1),
    )


def double_arguments(rng, T, B, H):
    return tuple(a.astype(np.float64) for a in lstm_arguments(rng, T, B, H))


def variable_arguments(rng, T, B, H):
    x, W, U, b = lstm_arguments(rng, T, B, H)
    lengths = np.sort(rng.integers(1, T + 1, B))[::-1].copy()
    lengths[0] = T
    return x, lengths, W, U, b


def batches(*pairs):
    return tuple({"T": 128 if B == 16 else 50, "B": B, "H": H} for B, H in pairs)


PROGRAMS = (
    Program(
        name="LSTM",
        function=lstm,
        arguments=lstm_arguments,
        argnums=(1, 2, 3),
        sizes=sizes(
            batches((16, 64), (16, 256), (64, 256)),
            batches(
                (16, 128),
                (16, 512),
                (16, 1024),
                (64, 64),
                (64, 128),
                (64, 512),
                (64, 1024),
            ),
        ),
        tiny={"T": 3, "B": 2, "H": 5},
        peers={
            "nn.LSTM": Peer("module", "torch_recurrent.lstm_module"),
            "jax": Peer("jax", "jax_recurrent.lstm"),
        },
        goals=(Goal("nn.LSTM", 1.0),),
        tolerance=1e-3,
        primal=True,
    ),
    Program(
        name="GRU",
        function=gru,
        arguments=gru_arguments,
        argnums=(1, 2, 3, 4),
        sizes=sizes(
            batches((16, 64), (16, 256)),
            batches((16, 128), (16, 512), (64, 256), (64, 512), (64, 1024)),
        ),
        tiny={"T": 3, "B": 2, "H": 5},
        peers={
            "nn.GRU": Peer("module", "torch_recurrent.gru_module"),
            "jax": Peer("jax", "jax_recurrent.gru"),
        },
        goals=(Goal("nn.GRU", 1.4),),
        tolerance=1e-3,
    ),
    Program(
        name="LSTM float64",
        function=lstm,
        arguments=double_arguments,
        argnums=(1, 2, 3),
        sizes=sizes(batches((16, 128)), batches((16, 256), (64, 256))),
        tiny={"T": 3, "B": 2, "H": 5},
        peers={
            "nn.LSTM": Peer("module", "torch_recurrent.lstm_module"),
            "jax": Peer("jax", "jax_recurrent.lstm"),
        },
        goals=(Goal("nn.LSTM", 1.5),),
        tolerance=1e-9,
    ),
    Program(
        name="LSTM variable lengths",
        function=variable_lengths,
        arguments=variable_arguments,
        argnums=(2, 3, 4),
        sizes=sizes(
            ({"T": 50, "B": 16, "H": 128},),
            ({"T": 50, "B": 64, "H": 128}, {"T": 50, "B": 64, "H": 256}),
        ),
        tiny={"T": 4, "B": 3, "H": 5},
        peers={
            "packed nn.LSTM": Peer("module", "torch_recurrent.packed_module"),
            "jax": Peer("jax", "jax_recurrent.variable_lengths"),
        },
        goals=(Goal("packed nn.LSTM", 2.0),),
        tolerance=1e-3,
    ),
)
