"""Two objectives of ADBench: the diagonal LSTM, and a mixture of Gaussians."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def diagonal_cell(weight, bias, hidden, cell, given):
    """A cell whose weights are diagonal, so that its products are elementwise."""
    n = hidden.shape[0]
    gates = np.concatenate((given, hidden, given, hidden)) * weight + bias
    forget = sigmoid(gates[:n])
    take = sigmoid(gates[n : 2 * n])
    out = sigmoid(gates[2 * n : 3 * n])
    change = np.tanh(gates[3 * n :])
    cell = cell * forget + take * change
    return out * np.tanh(cell), cell


def diagonal_lstm(main, extra, state, sequence):
    """The mean log loss of the next character's bits."""
    layers = main.shape[0] // 2
    hidden = [state[2 * k] for k in range(layers)]
    cells = [state[2 * k + 1] for k in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for k in range(layers):
            hidden[k], cells[k] = diagonal_cell(
                main[2 * k], main[2 * k + 1], hidden[k], cells[k], x
            )
            x = hidden[k]
        guess = x * extra[1] + extra[2]
        normalised = guess - np.log(np.sum(np.exp(guess)) + 2)
        total += np.sum(sequence[t + 1] * normalised)
    return -total / ((len(sequence) - 1) * sequence.shape[1])


def gmm(alphas, means, icf, x, gamma, m):
    """The log likelihood of a mixture with a Wishart prior.

    `icf` holds the logarithms of the diagonals of the inverse covariance factors,
    then their strictly lower triangles, column by column.
    """
    n, d = x.shape
    k = means.shape[0]
    log_diagonal = icf[:, :d]
    lower = np.zeros((k, d, d), dtype=x.dtype)
    position = d
    for column in range(d - 1):
        below = d - 1 - column
        lower[:, column + 1 :, column] = icf[:, position : position + below]
        position += below
    centred = x[:, None, :] - means
    scaled = np.exp(log_diagonal) * centred + np.einsum("kij,nkj->nki", lower, centred)
    inner = alphas + np.sum(log_diagonal, axis=1) - 0.5 * np.sum(scaled**2, axis=2)
    highest = np.max(inner, axis=1, keepdims=True)
    likelihood = np.sum(highest[:, 0] + np.log(np.sum(np.exp(inner - highest), axis=1)))
    top = np.max(alphas)
    weights = n * (top + np.log(np.sum(np.exp(alphas - top))))
    squares = np.sum(np.exp(2 * log_diagonal)) + np.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma**2 * squares - m * np.sum(log_diagonal)
    constant = -n * d * 0.5 * math.log(2 * math.pi)
    return constant + likelihood - weights + prior


def lstm_arguments(rng, layers, bits, characters):
    return (
        single(rng, 2 * layers, 4 * bits, scale=0.5),
        single(rng, 3, bits, scale=0.5),
        single(rng, 2 * layers, bits, scale=0.5),
        rng.integers(0, 2, (characters, bits)).astype(np.float32),
    )


def gmm_arguments(rng, d, K, N):
    return (
        single(rng, K),
        single(rng, K, d),
        single(rng, K, d * (d + 1) // 2, scale=0.3),
        single(rng, N, d),
        1.0,
        0.0,
    )


PROGRAMS = (
    Program(
        name="diagonal LSTM",
        function=diagonal_lstm,
        arguments=lstm_arguments,
        argnums=(0, 1),
        sizes=sizes(({"layers": 2, "bits": 14, "characters": 1024},)),
        tiny={"layers": 2, "bits": 3, "characters": 5},
        peers={
            "pytorch": Peer("torch", "torch_recurrent.diagonal_lstm"),
            "jax": Peer("jax", "jax_recurrent.diagonal_lstm"),
        },
        goals=(Goal("pytorch", 50), Goal("primal", 3)),
        primal=True,
    ),
    Program(
        name="GMM",
        function=gmm,
        arguments=gmm_arguments,
        argnums=(0, 1, 2),
        sizes=sizes(({"d": 10, "K": 25, "N": 1000},)),
        tiny={"d": 3, "K": 2, "N": 6},
        peers={
            "pytorch": Peer("torch", "torch_small.gmm"),
            "jax": Peer("jax", "jax_small.gmm"),
        },
        goals=(Goal("jax", 1.0),),
        tolerance=1e-3,
        primal=True,
    ),
)
