"""Recurrent networks for JAX: `lax.scan`, with the inputs' products outside of it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

sigmoid = jax.nn.sigmoid


def elman(x, label, Wx, Wh, b, Wout, bout, steps):
    def step(h, _):
        return jnp.tanh(h @ Wh + b), None

    h, _ = lax.scan(step, jnp.tanh(x @ Wx + b), None, length=steps - 1)
    logits = h @ Wout + bout
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * label, axis=-1))


def lstm_gates(z, c):
    i, f, g, o = jnp.split(z, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
    return sigmoid(o) * jnp.tanh(c), c


def lstm(x, W, U, b):
    def step(state, given):
        h, c = lstm_gates(given + state[0] @ U, state[1])
        return (h, c), h

    zero = jnp.zeros((x.shape[1], U.shape[0]), x.dtype)
    _, hs = lax.scan(step, (zero, zero), x @ W + b)
    return jnp.sum(hs * hs)


def gru(x, W, U, b, d):
    def step(h, given):
        s = h @ U + d
        zr, zu, zn = jnp.split(given, 3, axis=-1)
        sr, su, sn = jnp.split(s, 3, axis=-1)
        u = sigmoid(zu + su)
        n = jnp.tanh(zn + sigmoid(zr + sr) * sn)
        h = (1 - u) * n + u * h
        return h, h

    zero = jnp.zeros((x.shape[1], U.shape[0]), x.dtype)
    _, hs = lax.scan(step, zero, x @ W + b)
    return jnp.sum(hs * hs)


def variable_lengths(x, lengths, W, U, b):
    """Masked: shapes cannot shrink in a scan."""

    def step(state, given):
        z, t = given
        h, c = lstm_gates(z + state[0] @ U, state[1])
        runs = (t < lengths)[:, None]
        return (jnp.where(runs, h, state[0]), jnp.where(runs, c, state[1])), None

    zero = jnp.zeros((x.shape[1], U.shape[0]), x.dtype)
    (h, _), _ = lax.scan(step, (zero, zero), (x @ W + b, jnp.arange(len(x))))
    return jnp.sum(h * h)


def mut1(x, Wz, Wr, Ur, Uh, bz, br, bh):
    def step(h, given):
        z, r, squashed = given
        r = sigmoid(r + h @ Ur)
        h = jnp.tanh((r * h) @ Uh + squashed + bh) * z + h * (1 - z)
        return h, h

    given = (sigmoid(x @ Wz + bz), x @ Wr + br, jnp.tanh(x))
    _, hs = lax.scan(step, jnp.zeros_like(x[0]), given)
    return jnp.sum(hs * hs)


def layer_norm(x, gain, bias):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return gain * (centred * lax.rsqrt(variance + 1e-5)) + bias


def layer_norm_lstm(x, W, U, gx, bx, gh, bh, gc, bc):
    def step(state, given):
        h, c = state
        z = given + layer_norm(h @ U, gh, bh)
        i, f, g, o = jnp.split(z, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
        h = sigmoid(o) * jnp.tanh(layer_norm(c, gc, bc))
        return (h, c), h

    zero = jnp.zeros((x.shape[1], U.shape[0]), x.dtype)
    _, hs = lax.scan(step, (zero, zero), layer_norm(x @ W, gx, bx))
    return jnp.sum(hs * hs)


def attention_decoder(y, memory, W, U, b, Wa, Wc):
    width = y.shape[2]
    keys = memory @ Wa

    def step(state, given):
        h, c, fed = state
        h, c = lstm_gates(given + fed @ W[width:] + h @ U, c)
        weights = jax.nn.softmax(jnp.einsum("bsh,bh->bs", keys, h))
        context = jnp.einsum("bs,bsh->bh", weights, memory)
        fed = jnp.tanh(jnp.concatenate((context, h), axis=1) @ Wc)
        return (h, c, fed), fed

    zero = jnp.zeros((y.shape[1], U.shape[0]), y.dtype)
    _, fed = lax.scan(step, (zero, zero, zero), y @ W[:width] + b)
    return jnp.sum(fed * fed)


def diagonal_cell(weight, bias, hidden, cell, given):
    gates = jnp.concatenate((given, hidden, given, hidden)) * weight + bias
    forget, take, out, change = jnp.split(gates, 4)
    cell = cell * sigmoid(forget) + sigmoid(take) * jnp.tanh(change)
    return sigmoid(out) * jnp.tanh(cell), cell


def diagonal_lstm(main, extra, state, sequence):
    layers = main.shape[0] // 2

    def step(states, given):
        x = given * extra[0]
        after = []
        for k in range(layers):
            hidden, cell = states[k]
            hidden, cell = diagonal_cell(main[2 * k], main[2 * k + 1], hidden, cell, x)
            after.append((hidden, cell))
            x = hidden
        return after, x * extra[1] + extra[2]

    start = [(state[2 * k], state[2 * k + 1]) for k in range(layers)]
    _, guesses = lax.scan(step, start, sequence[:-1])
    sums = jnp.sum(jnp.exp(guesses), axis=1, keepdims=True)
    normalised = guesses - jnp.log(sums + 2)
    return -jnp.mean(sequence[1:] * normalised)
