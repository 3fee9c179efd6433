"""The likelihood of a text over all ways to cut it into tokens, window by window.

Thesis, section 8.2. Axis letters: T places of a window, B rows, L the longest token, K
arcs that end at a place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.arcs import Trail
from anadrome.text import Window

IMPOSSIBLE = -1e30
"""The logarithm of no probability, such that differences of two are no NaN."""


@dataclass(frozen=True)
class Past:
    """What is known of the last L places of each row.

    `alpha` are the log-probabilities to have reached them, less that of the last one.
    """

    layers: tuple[Trail, ...]
    alpha: np.ndarray  # (B, L)


def begin_fresh(window: Window, past: Past) -> Past:
    """The past of a window; rows in which nothing was read have none."""
    kept = (1 - window.fresh)[:, None]
    alpha = kept * past.alpha + (1 - kept) * IMPOSSIBLE
    alpha = np.concatenate((alpha[:, :-1], kept * past.alpha[:, -1:]), axis=1)
    wide = kept[:, :, None]
    return Past(tuple([Trail(t.h * wide, t.c * wide) for t in past.layers]), alpha)


def advance(
    alpha: np.ndarray, scores: np.ndarray, window: Window
) -> tuple[np.ndarray, np.ndarray]:
    """Equation 8.8 in logarithms: what each symbol adds (T, B), and the last `alpha`.

    `alpha` (B, L) are the log-probabilities of the last places, less that of the very
    last; so no number grows with the text.
    """
    lattice = window.lattice
    T, B = window.mask.shape
    L = alpha.shape[1]
    rows = np.arange(B)[:, None]
    last = np.zeros((B, 1), alpha.dtype)
    added = []
    for t in range(T):
        v = alpha[rows, L - lattice.lengths[t]] + scores[lattice.arcs[t]]  # (B, K)
        v = v + (1 - lattice.arc_mask[t]) * IMPOSSIBLE
        top = np.max(v, axis=1, keepdims=True)
        new = top + np.log(np.sum(np.exp(v - top), axis=1, keepdims=True))
        alpha = np.concatenate((alpha[:, 1:] - new, last), axis=1)
        added.append(new[:, 0])
    return np.stack(added), alpha
