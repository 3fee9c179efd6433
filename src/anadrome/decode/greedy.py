"""Greedy decoding: the likeliest token, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.decode.chooser import decode_rows
from anadrome.decode.constraints import Constraint
from anadrome.decode.interface import Hypothesis, Limits
from anadrome.decode.scorer import Scorer

DEFAULT_LIMITS = Limits()


def greedy_search(
    scorer: Scorer,
    source: Any,
    size: int,
    *,
    limits: Limits = DEFAULT_LIMITS,
    constraints: Sequence[Constraint] = (),
) -> list[Hypothesis]:
    """The outputs for `size` sentences, each token the likeliest one.

    The lowest number wins a tie. An output that reaches the length limit is cut off
    and not finished.
    """
    start = np.arange(size)

    def choose(log_probs: np.ndarray) -> np.ndarray:
        likeliest: np.ndarray = np.argmax(log_probs, axis=1)
        return likeliest

    return decode_rows(scorer, source, start, choose, limits, constraints)
