"""Stencils on grids that are changed in place."""

from __future__ import annotations

import numpy as np

from benchmarks.families.kernel import kernel
from benchmarks.program import single


def jacobi_1d(A, B, steps):
    for _ in range(steps):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3


def jacobi_1d_loss(A, B, steps):
    A = A.copy()
    B = B.copy()
    jacobi_1d(A, B, steps)
    return np.sum(A * A)


def cross_mean(A):
    inner = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
    return 0.2 * inner


def jacobi_2d(A, B, steps):
    for _ in range(steps):
        B[1:-1, 1:-1] = cross_mean(A)
        A[1:-1, 1:-1] = cross_mean(B)


def jacobi_2d_loss(A, B, steps):
    A = A.copy()
    B = B.copy()
    jacobi_2d(A, B, steps)
    return np.sum(A * A)


def seidel_2d(A, steps):
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                above = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                beside = A[i, j - 1] + A[i, j] + A[i, j + 1]
                below = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                A[i, j] = (above + beside + below) / 9


def seidel_2d_loss(A, steps):
    A = A.copy()
    seidel_2d(A, steps)
    return np.sum(A * A)


def heat_step(A):
    inner = A[1:-1, 1:-1, 1:-1]
    return (
        0.125 * (A[2:, 1:-1, 1:-1] - 2 * inner + A[:-2, 1:-1, 1:-1])
        + 0.125 * (A[1:-1, 2:, 1:-1] - 2 * inner + A[1:-1, :-2, 1:-1])
        + 0.125 * (A[1:-1, 1:-1, 2:] - 2 * inner + A[1:-1, 1:-1, :-2])
        + inner
    )


def heat_3d(A, B, steps):
    for _ in range(steps):
        B[1:-1, 1:-1, 1:-1] = heat_step(A)
        A[1:-1, 1:-1, 1:-1] = heat_step(B)


def heat_3d_loss(A, B, steps):
    A = A.copy()
    B = B.copy()
    heat_3d(A, B, steps)
    return np.sum(A * A)


def fdtd_2d(ex, ey, hz, source):
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def fdtd_2d_loss(ex, ey, hz, source):
    ex = ex.copy()
    ey = ey.copy()
    hz = hz.copy()
    fdtd_2d(ex, ey, hz, source)
    return np.sum(hz * hz)


def sweep(given, solved, p, q, a, b, c, d, f):
    """One implicit sweep along the columns of `solved`, explicit across them."""
    n = given.shape[0]
    solved[0, 1:-1] = 1.0
    p[1:-1, 0] = 0.0
    q[1:-1, 0] = 1.0
    for j in range(1, n - 1):
        p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
        across = -d * given[j, :-2] + (1 + 2 * d) * given[j, 1:-1] - f * given[j, 2:]
        q[1:-1, j] = (across - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
    solved[-1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        solved[j, 1:-1] = p[1:-1, j] * solved[j + 1, 1:-1] + q[1:-1, j]


def adi(u, steps):
    """Alternating directions for the heat equation."""
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    twice = 2.0 * n * n / (steps * n)
    a = -0.5 * twice
    d = -0.25 * twice
    for _ in range(steps):
        sweep(u, v, p, q, a, 1 + twice, a, d, d)
        sweep(v.T, u.T, p, q, d, 1 + 0.5 * twice, d, a, a)


def adi_loss(u, steps):
    u = u.copy()
    adi(u, steps)
    return np.sum(u * u)


def horizontal_diffusion(field, out, coefficient):
    laplacian = 4 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flux_x = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    step_x = field[2:-1, 2:-2] - field[1:-2, 2:-2]
    flux_x = np.where(flux_x * step_x > 0, 0, flux_x)
    flux_y = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    step_y = field[2:-2, 2:-1] - field[2:-2, 1:-2]
    flux_y = np.where(flux_y * step_y > 0, 0, flux_y)
    out[:, :] = field[2:-2, 2:-2] - coefficient * (
        flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1]
    )


def horizontal_diffusion_loss(field, coefficient):
    out = np.empty_like(coefficient)
    horizontal_diffusion(field, out, coefficient)
    return np.sum(out * out)


def vertical_advection(u, w, upper, right, dt):
    """Implicit advection along the last axis, solved in place (Thomas)."""
    levels = u.shape[2]
    c = 0.25 * dt * w[:, :, 1]
    diagonal = 1 - c
    upper[:, :, 0] = c / diagonal
    right[:, :, 0] = (u[:, :, 0] - c * (u[:, :, 1] - u[:, :, 0])) / diagonal
    for k in range(1, levels - 1):
        a = -0.25 * dt * w[:, :, k]
        c = 0.25 * dt * w[:, :, k + 1]
        explicit = a * (u[:, :, k - 1] - u[:, :, k]) + c * (u[:, :, k + 1] - u[:, :, k])
        pivot = 1 - a - c - a * upper[:, :, k - 1]
        upper[:, :, k] = c / pivot
        right[:, :, k] = (u[:, :, k] - explicit - a * right[:, :, k - 1]) / pivot
    a = -0.25 * dt * w[:, :, levels - 1]
    explicit = a * (u[:, :, levels - 2] - u[:, :, levels - 1])
    pivot = 1 - a - a * upper[:, :, levels - 2]
    last = u[:, :, levels - 1] - explicit - a * right[:, :, levels - 2]
    u[:, :, levels - 1] = last / pivot
    for k in range(levels - 2, -1, -1):
        u[:, :, k] = right[:, :, k] - upper[:, :, k] * u[:, :, k + 1]


def vertical_advection_loss(u, w, dt):
    u = u.copy()
    upper = np.zeros_like(u)
    right = np.zeros_like(u)
    vertical_advection(u, w, upper, right, dt)
    return np.sum(u * u)


PROGRAMS = (
    kernel(
        "jacobi_1d",
        jacobi_1d_loss,
        lambda rng, N, T: (single(rng, N), single(rng, N), T),
        (0, 1),
        {"N": 3200, "T": 400},
        {"N": 7, "T": 3},
    ),
    kernel(
        "jacobi_2d",
        jacobi_2d_loss,
        lambda rng, N, T: (single(rng, N, N), single(rng, N, N), T),
        (0, 1),
        {"N": 150, "T": 50},
        {"N": 6, "T": 2},
    ),
    kernel(
        "seidel_2d",
        seidel_2d_loss,
        lambda rng, N, T: (single(rng, N, N), T),
        (0,),
        {"N": 100, "T": 10},
        {"N": 6, "T": 2},
    ),
    kernel(
        "heat_3d",
        heat_3d_loss,
        lambda rng, N, T: (single(rng, N, N, N), single(rng, N, N, N), T),
        (0, 1),
        {"N": 25, "T": 25},
        {"N": 5, "T": 2},
    ),
    kernel(
        "fdtd_2d",
        fdtd_2d_loss,
        lambda rng, X, Y, T: (
            single(rng, X, Y),
            single(rng, X, Y),
            single(rng, X, Y),
            single(rng, T),
        ),
        (0, 1, 2, 3),
        {"X": 200, "Y": 220, "T": 20},
        {"X": 5, "Y": 6, "T": 3},
    ),
    kernel(
        "adi",
        adi_loss,
        lambda rng, N, T: (single(rng, N, N), T),
        (0,),
        {"N": 100, "T": 5},
        {"N": 6, "T": 2},
    ),
    kernel(
        "horizontal diffusion",
        horizontal_diffusion_loss,
        lambda rng, I, K: (single(rng, I + 4, I + 4, K), single(rng, I, I, K)),
        (0, 1),
        {"I": 64, "K": 60},
        {"I": 4, "K": 3},
    ),
    kernel(
        "vertical advection",
        vertical_advection_loss,
        lambda rng, I, K: (single(rng, I, I, K), single(rng, I, I, K), 0.5),
        (0, 1),
        {"I": 60, "K": 40},
        {"I": 3, "K": 5},
    ),
)
