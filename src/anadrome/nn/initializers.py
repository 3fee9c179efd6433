"""First values of weights, as functions of a key; float32."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from anadrome.random import Key, normal, split, uniform


class Initializer(Protocol):
    """What draws matrices: `glorot`, `he` or `white`."""

    def __call__(self, key: Key, shape: tuple[int, int], blocks: int = 1) -> np.ndarray:
        """Weights (in, out·blocks) for a shape (in, out)."""


def glorot(key: Key, shape: tuple[int, int], blocks: int = 1) -> np.ndarray:
    """Uniform weights on ±√(6 / (in + out)): (in, out·blocks).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    networks" (2010), equation 16. Blocks that stand side by side are drawn each for
    itself.
    """
    rows, columns = shape
    bound = np.float32(np.sqrt(6 / (rows + columns)))
    drawn = uniform(key, (rows, columns * blocks), np.float32)
    return (2 * drawn - 1) * bound


def he(key: Key, shape: tuple[int, int], blocks: int = 1) -> np.ndarray:
    """Gaussian weights of variance 2 / in, for rectifiers: (in, out·blocks).

    He et al., "Delving deep into rectifiers" (2015), equation 10.
    """
    rows, columns = shape
    deviation = np.float32(np.sqrt(2 / rows))
    return normal(key, (rows, columns * blocks), np.float32) * deviation


def uniform_weights(key: Key, shape: tuple[int, ...], bound: float) -> np.ndarray:
    """Uniform weights on ±bound, as PyTorch's recurrent layers have with 1 / √H."""
    return (2 * uniform(key, shape, np.float32) - 1) * np.float32(bound)


def gaussian(key: Key, shape: tuple[int, ...], deviation: float = 0.01) -> np.ndarray:
    """White Gaussian weights, as in section 4.4.1 of the thesis."""
    return normal(key, shape, np.float32) * np.float32(deviation)


def white(key: Key, shape: tuple[int, int], blocks: int = 1) -> np.ndarray:
    """`gaussian` weights of deviation 0.01: (in, out·blocks)."""
    rows, columns = shape
    return gaussian(key, (rows, columns * blocks))


def orthogonal(key: Key, size: int) -> np.ndarray:
    """A random orthogonal matrix (size, size).

    The left singular vectors of a Gaussian matrix (Saxe, McClelland and Ganguli, "Exact
    solutions to the nonlinear dynamics of learning in deep linear neural networks",
    2014).
    """
    left, _, _ = np.linalg.svd(normal(key, (size, size)))
    return left.astype(np.float32)


def orthogonal_blocks(key: Key, size: int, blocks: int) -> np.ndarray:
    """Orthogonal matrices side by side: (size, size·blocks)."""
    return np.hstack([orthogonal(k, size) for k in split(key, blocks)])


def spectral_radius(W: np.ndarray) -> float:
    """The largest magnitude of an eigenvalue of a square matrix."""
    return float(np.max(np.abs(np.linalg.eigvals(W))))


def with_spectral_radius(W: np.ndarray, radius: float) -> np.ndarray:
    """A square matrix scaled to a spectral radius.

    Section 6.4.2 of the thesis has 1 for recurrent networks, and 0.4 for the gated
    recursive convolution.
    """
    found = spectral_radius(W)
    if found == 0:
        raise ValueError("all eigenvalues are 0: no scale gives another radius")
    return W * W.dtype.type(radius / found)
