"""Where a word stands, as features."""

from __future__ import annotations

import numpy as np


def sinusoidal_positions(T: int, E: int, first: int = 0) -> np.ndarray:
    """Sines and cosines (T, E) of positions, of wavelengths from 2π to 10000 · 2π.

    Vaswani et al., "Attention is all you need" (2017), section 3.5: sines in the even
    columns, cosines in the odd ones. The first position is 0, or the one that is given.
    """
    columns = np.arange(E)
    rates = 10000.0 ** (-(columns // 2 * 2) / E)
    angles = (first + np.arange(T))[:, None] * rates
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)
