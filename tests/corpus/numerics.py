"""Numerical methods as they stand in textbooks."""

import math

import numpy as np
from corpus.registry import program


def vector(rng):
    return (rng.normal(size=4),)


def spd(rng):
    a = rng.normal(size=(3, 3))
    return a @ a.T + 2 * np.eye(3), rng.normal(size=3)


@program(lambda rng: (rng.uniform(2, 5),), tags=["float32"])
def newton_square_root(a):
    x = a
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


@program(lambda rng: (rng.uniform(1.5, 3.0), rng.uniform(0.5, 1.0)), tags=["float32"])
def newton_until_converged(a, b):
    x = 1.0
    while True:
        f = x**3 + b * x - a
        if abs(f) < 1e-10:
            break
        x = x - f / (3 * x**2 + b)
    return x * b


@program(lambda rng: (rng.uniform(1.5, 3.0),), tags=["float32"])
def secant_method(a):
    x0, x1 = 1.0, 2.0
    for _ in range(4):
        f0, f1 = x0**2 - a, x1**2 - a
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
    return x1


@program(lambda rng: (rng.uniform(0.2, 0.5), rng.uniform(1.5, 2.0)), tags=["float32"])
def bisection(lo, hi):
    f = lambda x: x**3 - x - 0.3 * 0.7
    for _ in range(5):
        mid = 0.5 * (lo + hi)
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    return 0.5 * (lo + hi)


@program(lambda rng: (rng.uniform(0.0, 0.2), rng.uniform(1.0, 1.5)), tags=["float32"])
def golden_section_search(a, b):
    ratio = (math.sqrt(5) - 1) / 2
    f = lambda t: (t - 0.61) ** 2
    for _ in range(4):
        c = b - ratio * (b - a)
        d = a + ratio * (b - a)
        if f(c) < f(d):
            b = d
        else:
            a = c
    return (a + b) / 2


@program(lambda rng: (rng.normal(size=4), rng.normal()), tags=["float32"])
def horner(coefficients, x):
    y = 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


@program(lambda rng: (rng.uniform(1, 2, size=5),), tags=["float32"])
def continued_fraction(a):
    y = a[-1]
    for v in a[-2::-1]:
        y = v + 1.0 / y
    return y


@program(lambda rng: (rng.normal(),), tags=["float32"])
def exponential_series_with_tolerance(x):
    term, total, n = 1.0, 1.0, 0
    while abs(term) > 1e-2:
        n += 1
        term = term * x / n
        total += term
    return total


@program(lambda rng: (rng.normal(), rng.normal()), tags=["float32"])
def trapezoid_rule(a, b):
    n = 5
    h = (b - a) / n
    total = 0.5 * (np.sin(a) + np.sin(b) * b)
    for i in range(1, n):
        x = a + i * h
        total += np.sin(x) * x
    return total * h


@program(lambda rng: (rng.normal(size=4), rng.uniform(0.2, 0.8)))
def simpson_of_function_argument(c, w):
    def simpson(f, a, b):
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    return simpson(lambda x: np.exp(-w * x**2) * c[0], c[1], c[2]) + simpson(
        np.sin, 0.0, c[3]
    )


@program(lambda rng: (rng.normal(), rng.uniform(1.0, 2.0)), tags=["float32"])
def adaptive_quadrature(a, width):
    f = lambda x: np.exp(np.sin(x))

    def area(lo, hi, depth):
        mid = 0.5 * (lo + hi)
        coarse = (hi - lo) * f(mid)
        fine = 0.5 * (hi - lo) * (f(0.5 * (lo + mid)) + f(0.5 * (mid + hi)))
        if abs(coarse - fine) < 0.02 or depth == 0:
            return fine
        return area(lo, mid, depth - 1) + area(mid, hi, depth - 1)

    return area(a, a + width, 3)


@program(spd, tags=["writes"])
def cholesky_by_loops(a, b):
    n = len(b)
    l = np.zeros((n, n))
    for j in range(n):
        l[j, j] = np.sqrt(a[j, j] - np.sum(l[j, :j] ** 2))
        for i in range(j + 1, n):
            l[i, j] = (a[i, j] - np.sum(l[i, :j] * l[j, :j])) / l[j, j]
    return 2 * np.log(np.diag(l)).sum() + l[2] @ b


@program(spd, tags=["writes"])
def lu_in_place(a, b):
    u = a.copy()
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            u[i, k] /= u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    return np.log(np.abs(np.diag(u))).sum() + u[2, 0] * b[0]


@program(
    lambda rng: (
        np.roll(3 * np.eye(3), 1, 0) + rng.normal(size=(3, 3)),
        rng.normal(size=3),
    ),
    tags=["writes"],
)
def gaussian_elimination_with_pivoting(a, b):
    m = np.concatenate([a, b[:, None]], axis=1)
    n = 3
    for k in range(n):
        p = k + int(np.argmax(np.abs(m[k:, k])))
        if p != k:
            m[[k, p]] = m[[p, k]]
        for i in range(k + 1, n):
            m[i, k:] -= m[i, k] / m[k, k] * m[k, k:]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (m[i, -1] - m[i, i + 1 : n] @ x[i + 1 :]) / m[i, i]
    return np.tanh(x).sum()


@program(spd, tags=["writes"])
def forward_and_back_substitution(a, b):
    l = np.linalg.cholesky(a)
    y = np.zeros(3)
    for i in range(3):
        y[i] = (b[i] - l[i, :i] @ y[:i]) / l[i, i]
    x = np.zeros(3)
    for i in reversed(range(3)):
        x[i] = (y[i] - l[i + 1 :, i] @ x[i + 1 :]) / l[i, i]
    return x @ b


@program(lambda rng: (rng.normal(size=(3, 4)),), tags=["float32"])
def gram_schmidt(a):
    basis = []
    for v in a:
        for q in basis:
            v = v - (q @ v) * q
        basis.append(v / np.linalg.norm(v))
    return (np.stack(basis) * a).sum()


@program(lambda rng: (rng.normal(size=(3, 3)),), tags=["writes"])
def modified_gram_schmidt_in_place(a):
    q = a.copy()
    r = np.zeros((3, 3))
    for k in range(3):
        r[k, k] = np.sqrt((q[:, k] ** 2).sum())
        q[:, k] /= r[k, k]
        for j in range(k + 1, 3):
            r[k, j] = q[:, k] @ q[:, j]
            q[:, j] -= r[k, j] * q[:, k]
    return np.log(np.diag(r)).sum() + r[0, 2] + q[1, 1]


@program(
    lambda rng: (
        rng.normal(size=4),
        rng.uniform(3, 4, size=5),
        rng.normal(size=4),
        rng.normal(size=5),
    ),
    tags=["writes"],
)
def thomas_tridiagonal_solve(lower, diag, upper, rhs):
    d, b = diag.copy(), rhs.copy()
    for i in range(1, 5):
        w = lower[i - 1] / d[i - 1]
        d[i] -= w * upper[i - 1]
        b[i] -= w * b[i - 1]
    x = np.zeros(5)
    x[-1] = b[-1] / d[-1]
    for i in range(3, -1, -1):
        x[i] = (b[i] - upper[i] * x[i + 1]) / d[i]
    return (x**2).sum()


@program(
    lambda rng: (rng.normal(size=(3, 3)) + 6 * np.eye(3), rng.normal(size=3)),
    tags=["writes"],
)
def jacobi_iteration(a, b):
    x = np.zeros(3)
    new = np.zeros(3)
    for _ in range(4):
        for i in range(3):
            s = 0.0
            for j in range(3):
                if j != i:
                    s += a[i, j] * x[j]
            new[i] = (b[i] - s) / a[i, i]
        x, new = new, x
    return x.sum()


@program(
    lambda rng: (rng.normal(size=(3, 3)) + 6 * np.eye(3), rng.normal(size=3)),
    tags=["writes"],
)
def gauss_seidel_iteration(a, b):
    x = np.zeros(3)
    for _ in range(3):
        for i in range(3):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return (x * b).sum()


@program(spd)
def conjugate_gradient(a, b):
    x = np.zeros(3)
    r = b - a @ x
    p = r
    for _ in range(2):
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        x = x + alpha * p
        new = r - alpha * ap
        p = new + (new @ new) / (r @ r) * p
        r = new
    return x @ b


@program(spd, tags=["float32"])
def power_iteration(a, v):
    for _ in range(5):
        v = a @ v
        v = v / np.sqrt(v @ v)
    return v @ a @ v


@program(spd, tags=["writes"])
def jacobi_rotation(a, b):
    m = a.copy()
    theta = 0.5 * np.arctan2(2 * m[0, 1], m[0, 0] - m[1, 1])
    c, s = np.cos(theta), np.sin(theta)
    for k in range(3):
        p, q = m[0, k], m[1, k]
        m[0, k] = c * p + s * q
        m[1, k] = -s * p + c * q
    return (m @ b).sum() * m[0, 2]


@program(lambda rng: (rng.uniform(0.1, 1.0, size=(4, 4)),))
def pagerank(links):
    p = links / links.sum(axis=0)
    rank = np.ones(4) / 4
    for _ in range(5):
        rank = 0.85 * p @ rank + 0.15 / 4
    return rank @ np.array([1.0, 2.0, 4.0, 8.0])


@program(lambda rng: (rng.normal(size=(3, 4)),))
def sinkhorn(cost):
    k = np.exp(-cost)
    u, v = np.ones(3) / 3, np.ones(4) / 4
    for _ in range(4):
        u = (1 / 3) / (k @ v)
        v = (1 / 4) / (k.T @ u)
    return (u[:, None] * k * v * cost).sum()


@program(vector, tags=["float32"])
def simplex_projection_by_sort(x):
    s = np.sort(x)[::-1]
    total, tau = 0.0, 0.0
    for i, v in enumerate(s):
        total += v
        candidate = (total - 1.0) / (i + 1)
        if v - candidate > 0:
            tau = candidate
    p = np.maximum(x - tau, 0.0)
    return (p**2).sum() + p @ x


@program(lambda rng: (rng.uniform(-0.4, 0.2), rng.uniform(-0.4, 0.4)), tags=["float32"])
def mandelbrot_escape(cr, ci):
    zr, zi = 1.5, 1.2
    for n in range(6):
        if zr * zr + zi * zi > 16:
            break
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return np.log(zr * zr + zi * zi) / (n + 1)


@program(lambda rng: (rng.normal(size=(4, 2)), rng.uniform(0.2, 0.8)))
def de_casteljau(points, t):
    ps = [p for p in points]
    while len(ps) > 1:
        ps = [(1 - t) * a + t * b for a, b in zip(ps, ps[1:])]
    return ps[0] @ np.array([1.0, 2.0])


@program(lambda rng: (rng.normal(size=4), rng.uniform(0.2, 0.8)), tags=["writes"])
def de_casteljau_in_place(b, t):
    p = b.copy()
    for k in range(1, 4):
        p[: 4 - k] = (1 - t) * p[: 4 - k] + t * p[1 : 5 - k]
    return p[0] ** 2


@program(lambda rng: (rng.normal(size=4), rng.uniform(0.3, 0.7)), tags=["writes"])
def lagrange_and_neville(y, x):
    nodes = [0.0, 1.0, 2.0, 3.0]
    p = list(y)
    for k in range(1, 4):
        for i in range(4 - k):
            p[i] = ((x - nodes[i + k]) * p[i] + (nodes[i] - x) * p[i + 1]) / (
                nodes[i] - nodes[i + k]
            )
    return p[0]


@program(
    lambda rng: (
        np.sort(rng.normal(size=4)),
        rng.normal(size=4),
        rng.uniform(-0.2, 0.2),
    ),
    tags=["float32"],
)
def piecewise_linear_interpolation(xs, ys, x):
    if x <= xs[0]:
        return ys[0] + 0.1 * x
    for i in range(3):
        if x < xs[i + 1]:
            t = (x - xs[i]) / (xs[i + 1] - xs[i])
            return (1 - t) * ys[i] + t * ys[i + 1]
    return ys[-1] - 0.1 * x


@program(lambda rng: (rng.normal(size=2), rng.uniform(0.05, 0.15)), tags=["float32"])
def gradient_descent_by_hand(x, rate):
    for _ in range(5):
        g = np.array([2 * x[0] + x[1] * x[0] ** 2, x[0] + 4 * x[1]])
        x = x - rate * g
    return (x**2).sum()


@program(
    lambda rng: (rng.normal(size=3), rng.uniform(0.05, 0.2), rng.uniform(0.5, 0.9))
)
def momentum_descent(x, rate, momentum):
    velocity = np.zeros(3)
    best = (x**4).sum()
    for step in range(4):
        velocity = momentum * velocity - rate * 4 * x**3 / (1 + step)
        x = x + velocity
        best = 0.5 * best + (x**2).sum()
    return best


@program(lambda rng: (rng.normal(size=2), rng.uniform(1, 2, size=2)), tags=["float32"])
def line_search_with_backtracking(x, scale):
    f = lambda v: (scale * v**2).sum()
    g = 2 * scale * x
    step = 1.0
    while f(x - step * g) > f(x) - 0.3 * step * (g @ g):
        step *= 0.5
    return f(x - step * g)


@program(lambda rng: (rng.uniform(0.5, 1.0, size=3), rng.uniform(0.8, 1.2, size=3)))
def gauss_newton_fit(t, y):
    a, b = 1.0, 0.1
    for _ in range(2):
        r = a * np.exp(b * t) - y
        j = np.stack([np.exp(b * t), a * t * np.exp(b * t)], axis=1)
        a, b = np.array([a, b]) - np.linalg.solve(j.T @ j + 0.1 * np.eye(2), j.T @ r)
    return a + b**2


@program(lambda rng: (rng.normal(size=(5, 2)), rng.normal(size=5)))
def least_squares_normal_equations(a, b):
    x = np.linalg.solve(a.T @ a + 0.1 * np.eye(2), a.T @ b)
    r = a @ x - b
    return r @ r


@program(lambda rng: (rng.uniform(1, 3),), tags=["writes"])
def richardson_table(x):
    f = lambda h: (np.sin(x + h) - np.sin(x - h)) / (2 * h)
    table = np.zeros((3, 3))
    for i in range(3):
        table[i, 0] = f(0.5 / 2**i)
        for j in range(1, i + 1):
            table[i, j] = (4**j * table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[2, 2]


@program(vector, tags=["float32"])
def aitken_acceleration(x):
    p0, p1, p2 = x[0], x[1] + 3.0, x[2] - 3.0
    return p0 - (p1 - p0) ** 2 / (p2 - 2 * p1 + p0) + x[3] ** 2


@program(lambda rng: (rng.normal(size=5),), tags=["float32"])
def online_mean_and_variance(x):
    mean, m2, n = 0.0, 0.0, 0
    for v in x:
        n += 1
        delta = v - mean
        mean += delta / n
        m2 += delta * (v - mean)
    return mean + m2 / (n - 1)


@program(lambda rng: (rng.normal(size=5),), tags=["float32"])
def kahan_summation(x):
    total, carry = 0.0, 0.0
    for v in x:
        y = v * v - carry
        t = total + y
        carry = (t - total) - y
        total = t
    return total


@program(lambda rng: (rng.uniform(1, 2), rng.uniform(2, 3)), tags=["float32"])
def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-3:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return a


@program(lambda rng: (rng.normal(size=4),))
def recursive_fft(x):
    def fft(re):
        n = len(re)
        if n == 1:
            return [re[0] + 0j]
        even, odd = fft(re[::2]), fft(re[1::2])
        out = [0j] * n
        for k in range(n // 2):
            t = np.exp(-2j * np.pi * k / n) * odd[k]
            out[k], out[k + n // 2] = even[k] + t, even[k] - t
        return out

    return sum([abs(v) ** 2 * k for k, v in enumerate(fft(x))])
