"""Loop kernels for JAX, rewritten without in-place changes and varying shapes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.families.various import deriche_coefficients


def jacobi_1d(A, B, steps):
    def step(_, state):
        A, B = state
        B = B.at[1:-1].set((A[:-2] + A[1:-1] + A[2:]) / 3)
        A = A.at[1:-1].set((B[:-2] + B[1:-1] + B[2:]) / 3)
        return A, B

    A, _ = lax.fori_loop(0, steps, step, (A, B))
    return jnp.sum(A * A)


def jacobi_2d(A, B, steps):
    def mean(A):
        return 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )

    def step(_, state):
        A, B = state
        B = B.at[1:-1, 1:-1].set(mean(A))
        A = A.at[1:-1, 1:-1].set(mean(B))
        return A, B

    A, _ = lax.fori_loop(0, steps, step, (A, B))
    return jnp.sum(A * A)


def seidel_2d(A, steps):
    """Rows in a scan, and in each row a scan over its columns."""

    def one(left, rest):
        new = (left + rest) / 9
        return new, new

    def row(above, rows):
        here, below = rows
        rest = (
            above[:-2] + above[1:-1] + above[2:] + here[1:-1] + here[2:]
            + below[:-2] + below[1:-1] + below[2:]
        )  # fmt: skip
        _, inner = lax.scan(one, here[0], rest)
        new = here.at[1:-1].set(inner)
        return new, new

    def step(_, A):
        _, rows = lax.scan(row, A[0], (A[1:-1], A[2:]))
        return A.at[1:-1].set(rows)

    A = lax.fori_loop(0, steps, step, A)
    return jnp.sum(A * A)


def heat_3d(A, B, steps):
    def change(A):
        inner = A[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (A[2:, 1:-1, 1:-1] - 2 * inner + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2 * inner + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2 * inner + A[1:-1, 1:-1, :-2])
            + inner
        )

    def step(_, state):
        A, B = state
        B = B.at[1:-1, 1:-1, 1:-1].set(change(A))
        A = A.at[1:-1, 1:-1, 1:-1].set(change(B))
        return A, B

    A, _ = lax.fori_loop(0, steps, step, (A, B))
    return jnp.sum(A * A)


def fdtd_2d(ex, ey, hz, source):
    def step(state, now):
        ex, ey, hz = state
        ey = ey.at[0].set(now)
        ey = ey.at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        hz = hz.at[:-1, :-1].add(-0.7 * curl)
        return (ex, ey, hz), None

    (_, _, hz), _ = lax.scan(step, (ex, ey, hz), source)
    return jnp.sum(hz * hz)


def adi_sweep(given, a, b, c, d, f):
    """The solved grid, row after row."""

    def ahead(before, row):
        p, q = before
        across = -d * row[:-2] + (1 + 2 * d) * row[1:-1] - f * row[2:]
        pivot = a * p + b
        now = (-c / pivot, (across - a * q) / pivot)
        return now, now

    def back(after, pq):
        p, q = pq
        now = p * after + q
        return now, now

    one = jnp.ones_like(given[0, 1:-1])
    _, pq = lax.scan(ahead, (0 * one, one), given[1:-1])
    _, rows = lax.scan(back, one, pq, reverse=True)
    return rows


def adi(u, steps):
    n = u.shape[0]
    twice = 2.0 * n * n / (steps * n)
    a, d = -0.5 * twice, -0.25 * twice

    def step(_, state):
        u, v = state
        v = v.at[0, 1:-1].set(1.0).at[-1, 1:-1].set(1.0)
        v = v.at[1:-1, 1:-1].set(adi_sweep(u, a, 1 + twice, a, d, d))
        u = u.at[1:-1, 0].set(1.0).at[1:-1, -1].set(1.0)
        solved = adi_sweep(v.T, d, 1 + 0.5 * twice, d, a, a)
        return u.at[1:-1, 1:-1].set(solved.T), v

    u, _ = lax.fori_loop(0, steps, step, (u, jnp.zeros_like(u)))
    return jnp.sum(u * u)


def horizontal_diffusion(field, coefficient):
    laplacian = 4 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flux_x = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    step_x = field[2:-1, 2:-2] - field[1:-2, 2:-2]
    flux_x = jnp.where(flux_x * step_x > 0, 0, flux_x)
    flux_y = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    step_y = field[2:-2, 2:-1] - field[2:-2, 1:-2]
    flux_y = jnp.where(flux_y * step_y > 0, 0, flux_y)
    out = field[2:-2, 2:-2] - coefficient * (
        flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1]
    )
    return jnp.sum(out * out)


def vertical_advection(u, w, dt):
    """Levels first, so that each step of the scans has a whole plane."""
    u, w = jnp.moveaxis(u, 2, 0), jnp.moveaxis(w, 2, 0)
    c = 0.25 * dt * w[1]
    first = (c / (1 - c), (u[0] - c * (u[1] - u[0])) / (1 - c))

    def ahead(before, level):
        upper, right = before
        below, here, above, w0, w1 = level
        a, c = -0.25 * dt * w0, 0.25 * dt * w1
        explicit = a * (below - here) + c * (above - here)
        pivot = 1 - a - c - a * upper
        now = (c / pivot, (here - explicit - a * right) / pivot)
        return now, now

    inner = (u[:-2], u[1:-1], u[2:], w[1:-1], w[2:])
    (upper, right), levels = lax.scan(ahead, first, inner)
    a = -0.25 * dt * w[-1]
    last = u[-1] - a * (u[-2] - u[-1]) - a * right
    last = last / (1 - a - a * upper)

    def back(after, level):
        now = level[1] - level[0] * after
        return now, now

    lowest, solved = lax.scan(back, last, levels, reverse=True)
    bottom = first[1] - first[0] * lowest
    return jnp.sum(last * last) + jnp.sum(solved * solved) + jnp.sum(bottom * bottom)


def cholesky(A):
    """Column after column, in masked arrays of full size."""
    rows = jnp.arange(A.shape[0])

    def column(j, L):
        done = A[:, j] - jnp.where(rows < j, L, 0) @ jnp.where(rows < j, L[j], 0)
        new = done / jnp.sqrt(done[j])
        return L.at[:, j].set(jnp.where(rows >= j, new, L[:, j]))

    A = lax.fori_loop(0, A.shape[0], column, A)
    return jnp.sum(jnp.tril(A) ** 2 * A)


def lu(A):
    """Elimination by masked outer products."""
    index = jnp.arange(A.shape[0])

    def eliminate(k, A):
        below = index > k
        factors = jnp.where(below, A[:, k] / A[k, k], 0)
        A = A - jnp.outer(factors, jnp.where(below, A[k], 0))
        return A.at[:, k].set(jnp.where(below, factors, A[:, k]))

    A = lax.fori_loop(0, A.shape[0], eliminate, A)
    return jnp.sum(A * A)


def trisolv(L, b):
    def row(x, given):
        i, weights, right = given
        value = (right - weights @ x) / weights[i]
        return x.at[i].set(value), None

    x, _ = lax.scan(row, jnp.zeros_like(b), (jnp.arange(len(b)), L, b))
    return jnp.sum(x * x)


def gramschmidt(A):
    columns = jnp.arange(A.shape[1])

    def column(k, state):
        A, Q, R = state
        norm = jnp.sqrt(A[:, k] @ A[:, k])
        q = A[:, k] / norm
        r = jnp.where(columns > k, q @ A, 0)
        A = A - jnp.outer(q, r)
        return A, Q.at[:, k].set(q), R.at[k].set(r.at[k].set(norm))

    n = A.shape[1]
    start = (A, jnp.zeros_like(A), jnp.zeros((n, n), A.dtype))
    _, Q, R = lax.fori_loop(0, n, column, start)
    return jnp.sum(R * R * R) + jnp.sum(Q**3)


def durbin(r):
    n = len(r)
    index = jnp.arange(n)

    def step(k, state):
        y, alpha, beta = state
        before = index < k
        backwards = jnp.where(before, k - 1 - index, 0)
        beta = beta * (1 - alpha * alpha)
        known = jnp.where(before, y, 0)
        alpha = -(r[k] + jnp.where(before, r[backwards], 0) @ known) / beta
        y = known + jnp.where(before, alpha * y[backwards], 0)
        return y.at[k].set(alpha), alpha, beta

    start = (jnp.zeros_like(r).at[0].set(-r[0]), -r[0], jnp.ones((), r.dtype))
    y, _, _ = lax.fori_loop(1, n, step, start)
    return jnp.sum(y * y)


def doitgen(A, C):
    A = A @ C
    return jnp.sum(A * A)


def symm(C, A, B):
    alpha, beta = 1.5, 1.2
    index = jnp.arange(A.shape[0])

    def row(i, C):
        before = jnp.where(index < i, A[i], 0)
        C = C + alpha * jnp.outer(before, B[i])
        return C.at[i].add(alpha * B[i] * A[i, i] + alpha * (before @ B))

    C = lax.fori_loop(0, A.shape[0], row, C * beta)
    return jnp.sum(C * C)


def trmm(A, B):
    index = jnp.arange(A.shape[0])

    def row(i, B):
        return B.at[i].add(jnp.where(index > i, A[:, i], 0) @ B)

    B = 1.5 * lax.fori_loop(0, A.shape[0], row, B)
    return jnp.sum(B * B)


def smooth_rows(image, a0, a1, a2, a3, b1, b2):
    """The recursive filter along the first axis, there and back."""
    zero = jnp.zeros_like(image[0])

    def ahead(before, row):
        past, out, earlier = before
        new = a0 * row + a1 * past + b1 * out + b2 * earlier
        return (row, new, out), new

    def back(after, row):
        next_row, second, out, later = after
        new = a2 * next_row + a3 * second + b1 * out + b2 * later
        return (row, next_row, new, out), new

    _, there = lax.scan(ahead, (zero,) * 3, image)
    _, here = lax.scan(back, (zero,) * 4, image, reverse=True)
    return there + here


def deriche(image):
    coefficients = deriche_coefficients(0.25)
    middle = smooth_rows(image.T, *coefficients).T
    out = smooth_rows(middle, *coefficients)
    return jnp.sum(out * out)


def nbody(mass, position, velocity, steps, dt):
    def accelerations(position):
        away = position[None] - position[:, None]
        distance = jnp.sum(away * away, axis=2) + 0.1**2
        return jnp.einsum("ij,ijk->ik", mass * distance**-1.5, away)

    def step(_, state):
        position, velocity, acceleration = state
        velocity = velocity + 0.5 * dt * acceleration
        position = position + dt * velocity
        acceleration = accelerations(position)
        return position, velocity + 0.5 * dt * acceleration, acceleration

    start = (position, velocity, accelerations(position))
    position, velocity, _ = lax.fori_loop(0, steps, step, start)
    return jnp.sum(velocity * velocity) + jnp.sum(position * position)


def softmax(x, y):
    return jnp.sum(jax.nn.softmax(x, axis=-1) * y)


def conv2d(x, weights, bias):
    out = lax.conv_general_dilated(
        x, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    out = out + bias
    return jnp.sum(out * out)
