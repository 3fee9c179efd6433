"""Words from their characters, by convolution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.attention import HIDDEN
from anadrome.nn.initializers import glorot
from anadrome.random import Key


@dataclass(frozen=True)
class CharacterConvolution:
    """F filters that see so many characters at once."""

    W: np.ndarray  # (width, E, F)
    b: np.ndarray  # (F,)


def character_features(
    p: CharacterConvolution, x: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The largest answers (N, F) of filters to N words of embedded characters.

    Characters are (N, L, E) with a mask (N, L). Kim et al., "Character-aware neural
    language models" (2016), equations 5 and 6. A filter also sees the borders of a
    word, behind which there is nothing, so that a word may be shorter than a filter;
    what stands behind its end does not matter.
    """
    width, E, F = p.W.shape
    N, L, _ = x.shape
    wall = np.zeros((N, width - 1, E), x.dtype)
    x = np.concatenate((wall, x * mask[:, :, None], wall), axis=1)
    places = L + width - 1
    seen = np.concatenate([x[:, k : k + places] for k in range(width)], axis=2)
    answers = np.tanh(seen @ p.W.reshape(-1, F) + p.b)  # (N, places, F)
    # The windows that see a character are those of the word, and the next width - 1.
    word = np.concatenate((np.ones((N, width - 1), mask.dtype), mask), axis=1)
    return np.max(answers + (1 - word[:, :, None]) * HIDDEN, axis=1)


def make_character_convolution(
    key: Key, width: int, E: int, F: int
) -> CharacterConvolution:
    """Filters with Glorot weights."""
    W = glorot(key, (width * E, F)).reshape(width, E, F)
    return CharacterConvolution(W, np.zeros(F, np.float32))
