"""First values of weights, as functions of a key; float32."""

from __future__ import annotations

import numpy as np

from anadrome.random import Key, normal, split, uniform


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


def gaussian(key: Key, shape: tuple[int, ...], deviation: float = 0.01) -> np.ndarray:
    """White Gaussian weights, as in section 4.4.1 of the thesis."""
    return normal(key, shape, np.float32) * np.float32(deviation)


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
