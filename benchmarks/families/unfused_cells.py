"""Cells that no vendor fused: MUT1, layer-normalised LSTM, attention with feeding."""

from __future__ import annotations

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def mut1(x, Wz, Wr, Ur, Uh, bz, br, bh):
    """The first mutation of Jozefowicz, Zaremba and Sutskever (2015)."""
    h = np.zeros_like(x[0])
    loss = 0.0
    for t in range(len(x)):
        z = sigmoid(x[t] @ Wz + bz)
        r = sigmoid(x[t] @ Wr + h @ Ur + br)
        h = np.tanh((r * h) @ Uh + np.tanh(x[t]) + bh) * z + h * (1 - z)
        loss += np.sum(h * h)
    return loss


def layer_norm(x, gain, bias):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return gain * (centred / np.sqrt(variance + 1e-5)) + bias


def layer_norm_lstm(x, W, U, gx, bx, gh, bh, gc, bc):
    """Ba, Kiros and Hinton (2016), equations 20 to 22."""
    T, B, _ = x.shape
    H = U.shape[0]
    h = np.zeros((B, H), dtype=x.dtype)
    c = np.zeros((B, H), dtype=x.dtype)
    loss = 0.0
    for t in range(T):
        z = layer_norm(x[t] @ W, gx, bx) + layer_norm(h @ U, gh, bh)
        i = sigmoid(z[:, :H])
        f = sigmoid(z[:, H : 2 * H])
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = sigmoid(z[:, 3 * H :])
        c = f * c + i * g
        h = o * np.tanh(layer_norm(c, gc, bc))
        loss += np.sum(h * h)
    return loss


def softmax(scores):
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True)


def attention_decoder(y, memory, W, U, b, Wa, Wc):
    """Luong's general attention with input feeding (2015, section 3.3)."""
    T, B, _ = y.shape
    H = U.shape[0]
    h = np.zeros((B, H), dtype=y.dtype)
    c = np.zeros((B, H), dtype=y.dtype)
    fed = np.zeros((B, H), dtype=y.dtype)
    keys = memory @ Wa
    loss = 0.0
    for t in range(T):
        z = np.concatenate((y[t], fed), axis=1) @ W + h @ U + b
        i = sigmoid(z[:, :H])
        f = sigmoid(z[:, H : 2 * H])
        g = np.tanh(z[:, 2 * H : 3 * H])
        o = sigmoid(z[:, 3 * H :])
        c = f * c + i * g
        h = o * np.tanh(c)
        weights = softmax(np.einsum("bsh,bh->bs", keys, h))
        context = np.einsum("bs,bsh->bh", weights, memory)
        fed = np.tanh(np.concatenate((context, h), axis=1) @ Wc)
        loss += np.sum(fed * fed)
    return loss


def mut1_arguments(rng, T, B, H):
    weights = (single(rng, H, H, scale=H**-0.5) for _ in range(4))
    biases = (single(rng, H, scale=0.1) for _ in range(3))
    return single(rng, T, B, H), *weights, *biases


def layer_norm_arguments(rng, T, B, H):
    scales = []
    for width in (4 * H, 4 * H, H):
        scales += [1 + single(rng, width, scale=0.1), single(rng, width, scale=0.1)]
    return (
        single(rng, T, B, H),
        single(rng, H, 4 * H, scale=H**-0.5),
        single(rng, H, 4 * H, scale=H**-0.5),
        *scales,
    )


def attention_arguments(rng, T, S, B, H):
    return (
        single(rng, T, B, H),
        single(rng, B, S, H),
        single(rng, 2 * H, 4 * H, scale=H**-0.5),
        single(rng, H, 4 * H, scale=H**-0.5),
        single(rng, 4 * H, scale=0.1),
        single(rng, H, H, scale=H**-0.5),
        single(rng, 2 * H, H, scale=H**-0.5),
    )


GOALS = (Goal("pytorch", 3.0), Goal("jax", 1.5))


def peers(name):
    return {
        "pytorch": Peer("torch", f"torch_recurrent.{name}"),
        "torch.compile": Peer("torch", f"torch_recurrent.{name}_compiled"),
        "jax": Peer("jax", f"jax_recurrent.{name}"),
    }


PROGRAMS = (
    Program(
        name="MUT1",
        function=mut1,
        arguments=mut1_arguments,
        argnums=(1, 2, 3, 4, 5, 6, 7),
        sizes=sizes(({"T": 50, "B": 16, "H": 128},), ({"T": 50, "B": 16, "H": 256},)),
        tiny={"T": 3, "B": 2, "H": 5},
        peers=peers("mut1"),
        goals=GOALS,
        tolerance=1e-3,
    ),
    Program(
        name="layer-norm LSTM",
        function=layer_norm_lstm,
        arguments=layer_norm_arguments,
        argnums=(1, 2, 3, 4, 5, 6, 7, 8),
        sizes=sizes(({"T": 50, "B": 16, "H": 128},), ({"T": 50, "B": 16, "H": 256},)),
        tiny={"T": 3, "B": 2, "H": 5},
        peers=peers("layer_norm_lstm"),
        goals=GOALS,
        tolerance=1e-3,
    ),
    Program(
        name="attention decoder",
        function=attention_decoder,
        arguments=attention_arguments,
        argnums=(1, 2, 3, 4, 5, 6),
        sizes=sizes(
            ({"T": 30, "S": 30, "B": 16, "H": 128},),
            ({"T": 50, "S": 50, "B": 16, "H": 256},),
        ),
        tiny={"T": 3, "S": 4, "B": 2, "H": 5},
        peers=peers("attention_decoder"),
        goals=GOALS,
        tolerance=1e-3,
    ),
)
