"""Greedy decoding: the likeliest token, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.decode.chooser import decode_rows
from anadrome.decode.interface import Hypothesis, Limits, Model

DEFAULT_LIMITS = Limits()


def greedy_search(
    model: Model, source: Any, size: int, *, limits: Limits = DEFAULT_LIMITS
) -> list[Hypothesis]:
    """The outputs for `size` sentences, each token the likeliest one.

    The lowest number wins a tie. An output that reaches the length limit is cut off
    and not finished.
    """
    start = np.arange(size)

    def choose(log_probs: np.ndarray) -> np.ndarray:
        likeliest: np.ndarray = np.argmax(log_probs, axis=1)
        return likeliest

    return decode_rows(model, source, start, choose, limits)
