"""Filters, particles, a fluid, and two pieces of networks."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.families.kernel import kernel
from benchmarks.program import Peer, single


def smooth_columns(image, out, back, a0, a1, a2, a3, b1, b2):
    """A recursive filter along the columns, there and back."""
    columns = image.shape[1]
    out[:, 0] = a0 * image[:, 0]
    out[:, 1] = a0 * image[:, 1] + a1 * image[:, 0] + b1 * out[:, 0]
    for j in range(2, columns):
        out[:, j] = (
            a0 * image[:, j]
            + a1 * image[:, j - 1]
            + b1 * out[:, j - 1]
            + b2 * out[:, j - 2]
        )
    back[:, -1] = 0.0
    back[:, -2] = a2 * image[:, -1]
    for j in range(columns - 3, -1, -1):
        back[:, j] = (
            a2 * image[:, j + 1]
            + a3 * image[:, j + 2]
            + b1 * back[:, j + 1]
            + b2 * back[:, j + 2]
        )
    out += back


def deriche_coefficients(alpha):
    """The coefficients of Deriche's filter for a width of 1 ÷ alpha."""
    decay = math.exp(-alpha)
    k = (1 - decay) ** 2 / (1 + 2 * alpha * decay - math.exp(2 * alpha))
    a1 = k * decay * (alpha - 1)
    a2 = k * decay * (alpha + 1)
    return k, a1, a2, -k * decay**2, 2.0 ** (-alpha), -(decay**2)


def deriche(image, middle, out, back, alpha):
    a0, a1, a2, a3, b1, b2 = deriche_coefficients(alpha)
    smooth_columns(image, middle, back, a0, a1, a2, a3, b1, b2)
    smooth_columns(middle.T, out.T, back.T, a0, a1, a2, a3, b1, b2)


def deriche_loss(image):
    middle = np.zeros_like(image)
    out = np.zeros_like(image)
    back = np.zeros_like(image)
    deriche(image, middle, out, back, 0.25)
    return np.sum(out * out)


def accelerations(mass, position, out, softening):
    """The pull of all others on each particle."""
    out[:, :] = 0.0
    for i in range(len(mass)):
        away = position - position[i]
        distance = np.sum(away * away, axis=1) + softening**2
        out[i] = (mass * distance**-1.5) @ away


def nbody(mass, position, velocity, steps, dt):
    acceleration = np.zeros_like(position)
    accelerations(mass, position, acceleration, 0.1)
    for _ in range(steps):
        velocity += 0.5 * dt * acceleration
        position += dt * velocity
        accelerations(mass, position, acceleration, 0.1)
        velocity += 0.5 * dt * acceleration


def nbody_loss(mass, position, velocity, steps, dt):
    position = position.copy()
    velocity = velocity.copy()
    nbody(mass, position, velocity, steps, dt)
    return np.sum(velocity * velocity) + np.sum(position * position)


def periodic_sides(u):
    """The columns to the left and to the right, around the channel."""
    left = np.concatenate((u[:, -1:], u[:, :-1]), axis=1)
    right = np.concatenate((u[:, 1:], u[:, :1]), axis=1)
    return left, right


def channel_flow(u, v, force, dt, dx, dy, viscosity, tolerance):
    """Flow in a channel, driven by a force, until it changes no more."""
    change = 1.0
    while change > tolerance:
        before = u.copy()
        left, right = periodic_sides(u)
        v_left, v_right = periodic_sides(v)
        inner, inner_v = before[1:-1], v[1:-1].copy()
        down, down_v = before[:-2], v[:-2].copy()
        up, up_v = before[2:], v[2:].copy()
        u[1:-1] = (
            inner
            - inner * dt / dx * (inner - left[1:-1])
            - inner_v * dt / dy * (inner - down)
            + viscosity * dt / dx**2 * (right[1:-1] - 2 * inner + left[1:-1])
            + viscosity * dt / dy**2 * (up - 2 * inner + down)
            + force * dt
        )
        v[1:-1] = (
            inner_v
            - inner * dt / dx * (inner_v - v_left[1:-1])
            - inner_v * dt / dy * (inner_v - down_v)
            + viscosity * dt / dx**2 * (v_right[1:-1] - 2 * inner_v + v_left[1:-1])
            + viscosity * dt / dy**2 * (up_v - 2 * inner_v + down_v)
        )
        change = (np.sum(u) - np.sum(before)) / np.sum(u)


def channel_flow_loss(u, v, force, tolerance):
    u = u.copy()
    v = v.copy()
    channel_flow(u, v, force, 0.005, 0.05, 0.05, 0.1, tolerance)
    return np.sum(u * u) + np.sum(v * v)


def softmax(x):
    exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1, keepdims=True)


def softmax_loss(x, y):
    return np.sum(softmax(x) * y)


def conv2d(x, weights, out):
    """Every output pixel from the patch of inputs beneath it."""
    k = weights.shape[0]
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            patch = x[:, i : i + k, j : j + k, :]
            out[:, i, j, :] = np.tensordot(patch, weights, axes=((1, 2, 3), (0, 1, 2)))


def conv2d_loss(x, weights, bias):
    k = weights.shape[0]
    shape = (x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, weights.shape[3])
    out = np.zeros(shape, dtype=x.dtype)
    conv2d(x, weights, out)
    out += bias
    return np.sum(out * out)


PROGRAMS = (
    kernel(
        "deriche",
        deriche_loss,
        lambda rng, W, H: (single(rng, W, H),),
        (0,),
        {"W": 400, "H": 200},
        {"W": 5, "H": 4},
    ),
    kernel(
        "nbody",
        nbody_loss,
        lambda rng, N, T: (
            np.abs(single(rng, N)) + np.float32(0.1),
            single(rng, N, 3),
            single(rng, N, 3),
            T,
            0.01,
        ),
        (0, 1, 2),
        {"N": 25, "T": 50},
        {"N": 3, "T": 2},
    ),
    kernel(
        "channel flow",
        channel_flow_loss,
        lambda rng, Y, X, digits: (
            np.zeros((Y, X), np.float32),
            single(rng, Y, X, scale=0.01),
            1.0,
            10.0**-digits,
        ),
        (0, 1, 2),
        {"Y": 41, "X": 41, "digits": 3},
        {"Y": 5, "X": 6, "digits": 1},
        # A `while` that JAX cannot differentiate in reverse mode.
        peers={"pytorch": Peer("torch", "torch_small.channel_flow")},
    ),
    kernel(
        "softmax",
        softmax_loss,
        lambda rng, N, H, S: (single(rng, N, H, S, S), single(rng, N, H, S, S)),
        (0, 1),
        {"N": 16, "H": 16, "S": 128},
        {"N": 2, "H": 2, "S": 3},
    ),
    kernel(
        "conv2d",
        conv2d_loss,
        lambda rng, N, X, K, C, D: (
            single(rng, N, X, X, C),
            single(rng, K, K, C, D, scale=0.2),
            single(rng, D),
        ),
        (0, 1, 2),
        {"N": 8, "X": 32, "K": 3, "C": 3, "D": 16},
        {"N": 2, "X": 4, "K": 2, "C": 2, "D": 3},
    ),
)
