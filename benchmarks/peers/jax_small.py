"""Small programs for JAX."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax


def relaxation(x, goal, steps):
    return lax.fori_loop(0, steps, lambda _, x: x + 0.001 * (goal - x * x), x)


def mlp(x, w1, b1, wout, bout, label):
    logits = jnp.tanh(x @ w1 + b1) @ wout + bout
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * label, axis=-1))


def gmm(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = means.shape[0]
    log_diagonal = icf[:, :d]
    lower = jnp.zeros((k, d, d), dtype=x.dtype)
    position = d
    for column in range(d - 1):
        below = d - 1 - column
        part = icf[:, position : position + below]
        lower = lower.at[:, column + 1 :, column].set(part)
        position += below
    centred = x[:, None, :] - means
    scaled = jnp.exp(log_diagonal) * centred + jnp.einsum(
        "kij,nkj->nki", lower, centred
    )
    inner = alphas + jnp.sum(log_diagonal, axis=1) - 0.5 * jnp.sum(scaled**2, axis=2)
    likelihood = jnp.sum(jax.nn.logsumexp(inner, axis=1))
    weights = n * jax.nn.logsumexp(alphas)
    squares = jnp.sum(jnp.exp(2 * log_diagonal)) + jnp.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma**2 * squares - m * jnp.sum(log_diagonal)
    return -n * d * 0.5 * math.log(2 * math.pi) + likelihood - weights + prior
