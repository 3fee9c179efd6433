"""Factorisations, solvers and products as loops over rows and columns."""

from __future__ import annotations

import numpy as np

from benchmarks.families.kernel import kernel
from benchmarks.program import single


def cholesky(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])


def cholesky_loss(A):
    A = A.copy()
    cholesky(A)
    return np.sum(np.tril(A) ** 2 * A)


def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


def lu_loss(A):
    A = A.copy()
    lu(A)
    return np.sum(A * A)


def trisolv(L, x, b):
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def trisolv_loss(L, b):
    x = np.zeros_like(b)
    trisolv(L, x, b)
    return np.sum(x * x)


def gramschmidt(A, Q, R):
    n = A.shape[1]
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = Q[:, k] @ A[:, j]
            A[:, j] -= Q[:, k] * R[k, j]


def gramschmidt_loss(A):
    A = A.copy()
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    gramschmidt(A, Q, R)
    return np.sum(R * R * R) + np.sum(Q**3)


def durbin(r, y):
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + np.flip(r[:k]) @ y[:k]) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha


def durbin_loss(r):
    y = np.zeros_like(r)
    durbin(r, y)
    return np.sum(y * y)


def doitgen(A, C):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C


def doitgen_loss(A, C):
    A = A.copy()
    doitgen(A, C)
    return np.sum(A * A)


def symm(alpha, beta, C, A, B):
    m, n = C.shape
    rest = np.zeros_like(C[0])
    C *= beta
    for i in range(m):
        for j in range(n):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            rest[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * rest


def symm_loss(C, A, B):
    C = C.copy()
    symm(1.5, 1.2, C, A, B)
    return np.sum(C * C)


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += A[i + 1 :, i] @ B[i + 1 :, j]
    B *= alpha


def trmm_loss(A, B):
    B = B.copy()
    trmm(1.5, A, B)
    return np.sum(B * B)


def positive_definite(rng, N):
    A = rng.normal(size=(N, N))
    return ((A @ A.T / N + 2 * np.eye(N)).astype(np.float32),)


def diagonally_dominant(rng, N):
    return ((rng.normal(size=(N, N)) / N + 2 * np.eye(N)).astype(np.float32),)


def autocorrelation(rng, N):
    """The autocorrelation of a decaying process, which the recursion can take."""
    lags = np.arange(1, N + 1)
    return ((0.5 * 0.9**lags * np.cos(0.3 * lags)).astype(np.float32),)


PROGRAMS = (
    kernel(
        "cholesky",
        cholesky_loss,
        positive_definite,
        (0,),
        {"N": 100},
        {"N": 5},
    ),
    kernel("lu", lu_loss, diagonally_dominant, (0,), {"N": 100}, {"N": 5}),
    kernel(
        "trisolv",
        trisolv_loss,
        lambda rng, N: (*diagonally_dominant(rng, N), single(rng, N)),
        (0, 1),
        {"N": 500},
        {"N": 6},
    ),
    kernel(
        "gramschmidt",
        gramschmidt_loss,
        lambda rng, M, N: (single(rng, M, N),),
        (0,),
        {"M": 70, "N": 60},
        {"M": 6, "N": 4},
    ),
    kernel("durbin", durbin_loss, autocorrelation, (0,), {"N": 500}, {"N": 6}),
    kernel(
        "doitgen",
        doitgen_loss,
        lambda rng, R, Q, P: (single(rng, R, Q, P), single(rng, P, P, scale=P**-0.5)),
        (0, 1),
        {"R": 60, "Q": 60, "P": 128},
        {"R": 2, "Q": 3, "P": 4},
    ),
    kernel(
        "symm",
        symm_loss,
        lambda rng, M, N: (single(rng, M, N), single(rng, M, M), single(rng, M, N)),
        (0, 1, 2),
        {"M": 40, "N": 50},
        {"M": 4, "N": 5},
    ),
    kernel(
        "trmm",
        trmm_loss,
        lambda rng, M, N: (single(rng, M, M), single(rng, M, N)),
        (0, 1),
        {"M": 65, "N": 80},
        {"M": 4, "N": 5},
    ),
)
